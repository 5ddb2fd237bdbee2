//! What was left behind, and what would do for less: bounded lists with their sums.

use reaper_model::AuditDocument;
use reaper_model::document::LeftoverView;

use super::machines::heading;
use crate::advice::{self, Piece};
use crate::figures::{Zone, more};
use crate::layout::{Align, Column, Grid, Page, style};
use crate::leftover;
use crate::machine;

const INDENT: usize = 2;
/// A bound for explanations that quote a provider.
const MOST_LINES: usize = 4;
/// Of each list; a terminal is no place for five thousand volumes.
const MOST_ROWS: usize = 20;
const REST: &str = "the JSON document has them all";

/// A fact of a leftover that can stand in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Kind,
    Name,
    Id,
    Place,
    Age,
    Owner,
    PerMonth,
}

use Field::{Age, Id, Kind, Name, Owner, PerMonth, Place};

const LAYOUTS: [&[Field]; 4] = [
    &[Kind, Name, Id, Place, Age, Owner, PerMonth],
    &[Kind, Name, Place, Age, Owner, PerMonth],
    &[Kind, Name, Age, Owner, PerMonth],
    &[Kind, Name, Age, PerMonth],
];

impl Field {
    const fn column(self) -> Column {
        let (title, align, floor) = match self {
            Kind => ("KIND", Align::Left, None),
            Name => ("NAME", Align::Left, Some(12)),
            Id => ("ID", Align::Left, Some(36)),
            Place => ("WHERE", Align::Left, Some(22)),
            Age => ("AGE", Align::Right, None),
            Owner => ("OWNER", Align::Left, Some(14)),
            PerMonth => ("PER MONTH", Align::Right, None),
        };
        Column { title, align, floor }
    }

    fn cell(self, leftover: &LeftoverView) -> String {
        match self {
            Kind => leftover::noun(leftover.kind).to_owned(),
            Name => leftover::name(leftover).to_owned(),
            Id => leftover.native_id.clone(),
            Place => leftover::place(leftover),
            Age => leftover::age(leftover),
            Owner => leftover::owner(leftover),
            PerMonth => leftover::per_month(leftover),
        }
    }
}

/// How much was left behind, and how much advice there is, for the top of the page.
/// `apart`: with a line between it and what stands above.
pub(super) fn write_headline(page: &mut Page, doc: &AuditDocument, apart: bool) {
    let (left, advice) = (leftover::headline(doc), advice::headline(doc));
    if apart && (left.is_some() || advice.is_some()) {
        page.blank();
    }
    if let Some(parts) = left {
        page.flow(0, style::CAUTION, &parts, MOST_LINES);
    }
    if let Some(advice) = advice {
        page.text(0, style::PLAIN, &advice, MOST_LINES);
    }
}

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    let all = &doc.leftovers[..];
    if all.is_empty() {
        return;
    }
    page.blank();
    let title =
        [format!("LEFT BEHIND ({})", all.len()), leftover::sum(doc), leftover::MEANING.to_owned()];
    page.flow(0, style::HEADING, &title, 2);
    let shown = &all[..all.len().min(MOST_ROWS)];
    let width = page.width() - INDENT;
    let fitting = LAYOUTS.iter().find_map(|fields| {
        let columns: Vec<Column> = fields.iter().map(|field| field.column()).collect();
        Some((*fields, Grid::fit(&columns, &rows(fields, shown), width)?))
    });
    let fields = fitting.as_ref().map_or(&[][..], |(fields, _)| fields);
    if let Some((_, grid)) = &fitting {
        page.titles(INDENT, grid);
    }
    for leftover in shown {
        if let Some((fields, grid)) = &fitting {
            let cells: Vec<String> = fields.iter().map(|field| field.cell(leftover)).collect();
            page.row(INDENT, grid, style::PLAIN, &cells);
        } else {
            let name = format!("{} {}", Kind.cell(leftover), leftover::known_as(leftover));
            page.text(INDENT, style::PLAIN, &name, 1);
        }
        let below = below(fields, leftover, Zone::of(doc));
        page.flow(INDENT * 2, style::DIM, &below, MOST_LINES);
    }
    write_rest(page, shown.len(), all.len());
}

fn rows(fields: &[Field], leftovers: &[LeftoverView]) -> Vec<Vec<String>> {
    let cells = |leftover| fields.iter().map(|field| field.cell(leftover)).collect();
    leftovers.iter().map(cells).collect()
}

/// What has no column.
fn below(fields: &[Field], leftover: &LeftoverView, zone: Zone) -> Vec<String> {
    let lacks = |field| !fields.contains(&field);
    let mut parts = Vec::new();
    let named = !fields.is_empty() || leftover::name(leftover) != machine::MISSING;
    parts.extend((lacks(Id) && named).then(|| Id.cell(leftover)));
    parts.extend(lacks(Place).then(|| Place.cell(leftover)));
    parts.extend(leftover::size(leftover));
    if lacks(Age) {
        parts.push(leftover::since(leftover));
    } else {
        parts.extend(leftover::counts_from(leftover, zone));
    }
    parts.extend(lacks(Owner).then(|| format!("owner {}", Owner.cell(leftover))));
    parts.extend(leftover::of(leftover));
    parts.extend(leftover::price_gap(leftover));
    if lacks(PerMonth) && leftover.per_month.is_some() {
        parts.push(format!("{} a month", PerMonth.cell(leftover)));
    }
    parts
}

pub(super) fn write_advice(page: &mut Page, doc: &AuditDocument) {
    const COLUMNS: [Column; 4] = [
        Column { title: "MACHINE", align: Align::Left, floor: Some(14) },
        Column { title: "ABOUT", align: Align::Left, floor: None },
        Column { title: "CONFIDENCE", align: Align::Left, floor: None },
        Column { title: "SAVES A MONTH", align: Align::Right, floor: None },
    ];
    let pieces = advice::all(doc);
    if pieces.is_empty() {
        return;
    }
    heading(page, "ADVICE", pieces.len(), Some(advice::MEANING));
    let shown = &pieces[..pieces.len().min(MOST_ROWS)];
    let rows: Vec<Vec<String>> = shown.iter().map(cells).collect();
    let grid = Grid::fit(&COLUMNS, &rows, page.width() - INDENT);
    if let Some(grid) = &grid {
        page.titles(INDENT, grid);
    }
    for (piece, row) in shown.iter().zip(&rows) {
        match &grid {
            Some(grid) => page.row(INDENT, grid, style::PLAIN, row),
            None => page.text(INDENT, style::PLAIN, &row[0], 1),
        }
        if grid.is_none() {
            let parts = [piece.about(), format!("saves {} a month", piece.saving())];
            let known = if piece.advice.saves_per_month.is_some() { 2 } else { 1 };
            page.flow(INDENT * 2, style::PLAIN, &parts[..known], MOST_LINES);
        }
        page.text(INDENT * 2, style::PLAIN, &piece.advice.text, MOST_LINES);
        page.flow(INDENT * 2, style::DIM, &which(piece), MOST_LINES);
    }
    write_rest(page, shown.len(), pieces.len());
}

fn cells(piece: &Piece<'_>) -> Vec<String> {
    vec![
        machine::name(piece.machine).to_owned(),
        piece.advice.kind.name().to_owned(),
        piece.advice.confidence.name().to_owned(),
        piece.saving(),
    ]
}

/// Which machine: id, place, type, GPUs, owner.
fn which(piece: &Piece<'_>) -> Vec<String> {
    let machine = piece.machine;
    vec![
        machine.native_id.clone(),
        machine::place(machine),
        machine.machine_type.to_string(),
        machine::gpus(machine),
        format!("owner {}", machine::owner(machine)),
    ]
}

fn write_rest(page: &mut Page, shown: usize, all: usize) {
    if let Some(more) = more(shown, all) {
        page.text(INDENT, style::PLAIN, &format!("{more}: {REST}"), 2);
    }
}
