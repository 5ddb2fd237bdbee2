//! What was left behind, and what would do for less: two tables that can be sorted.

use reaper_model::AuditDocument;

use super::machines::{identity, kind, named};
use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::figures::{Zone, number};
use crate::{advice, leftover, machine};

/// A reader takes in no more; the JSON document holds all.
const MOST_ROWS: usize = 500;

const LEFTOVERS: [Column; 6] = [
    Column::text("What"),
    Column::text("Kind"),
    Column::number("Age"),
    Column::text("Owner"),
    Column::plain("What is known"),
    Column::number("A month"),
];

pub(super) fn section(doc: &AuditDocument) -> Option<Section> {
    let caption = "Left behind, the dearest first";
    let rows = (&doc.leftovers[..], MOST_ROWS);
    let zone = Zone::of(doc);
    let table = Table::of("leftovers", caption, &LEFTOVERS, rows, |leftover| {
        let mut kind = vec![Line::Strong(Text::new(leftover::noun(leftover.kind)))];
        kind.extend(leftover::size(leftover).map(|size| Line::Quiet(Text::new(size))));
        let plain = |text| Line::Plain(Text::new(text));
        let mut known = Vec::new();
        known.extend(leftover::counts_from(leftover, zone).map(plain));
        known.extend(leftover::of(leftover).map(plain));
        known.extend(leftover::price_gap(leftover).map(|gap| Line::Quiet(Text::new(gap))));
        let hours = leftover.age_hours.clone().filter(|hours| super::machines::is_number(hours));
        let name = Some(leftover::known_as(leftover));
        Row::of(vec![
            named(name, &leftover.id, &leftover::place(leftover)),
            Cell::lines(kind),
            Cell::number(leftover::age(leftover), hours),
            Cell::text(leftover::owner(leftover)),
            if known.is_empty() { Cell::text(machine::MISSING) } else { Cell::lines(known) },
            Cell::money(leftover::per_month(leftover), leftover.per_month),
        ])
        .marked(leftover.of_our_stop.then_some("warn"))
    });
    (!doc.leftovers.is_empty()).then(|| Section {
        id: "left",
        title: "Left behind",
        count: Some(number(doc.leftovers.len())),
        notes: Text::all([
            format!("Together {}: {}.", leftover::sum(doc), leftover::MEANING),
            "Marked: what a stop of ours has left.".to_owned(),
        ])
        .into_iter()
        .take(if doc.leftovers.iter().any(|leftover| leftover.of_our_stop) { 2 } else { 1 })
        .collect(),
        blocks: vec![Block::Table(table)],
    })
}

const ADVICE: [Column; 6] = [
    Column::text("Machine"),
    Column::text("About"),
    Column::text("Owner"),
    Column::text("Type"),
    Column::plain("Advice"),
    Column::number("Saves a month"),
];

pub(super) fn advice(doc: &AuditDocument) -> Option<Section> {
    let pieces = advice::all(doc);
    let caption = "Advice, the dearest saving first";
    let table = Table::of("advices", caption, &ADVICE, (&pieces, MOST_ROWS), |piece| {
        let sure = format!("confidence {}", piece.advice.confidence.name());
        Row::of(vec![
            identity(piece.machine),
            Cell::lines(vec![
                Line::Strong(Text::new(piece.advice.kind.name())),
                Line::Quiet(Text::new(sure)),
            ]),
            Cell::text(machine::owner(piece.machine)),
            kind(piece.machine),
            Cell::text(&piece.advice.text),
            Cell::money(piece.saving(), piece.advice.saves_per_month),
        ])
    });
    (!pieces.is_empty()).then(|| Section {
        id: "advice",
        title: "Advice",
        count: Some(number(pieces.len())),
        notes: vec![Text::new(format!("It is {}.", advice::MEANING))],
        blocks: vec![Block::Table(table)],
    })
}
