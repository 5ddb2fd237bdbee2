//! What only the weekly report tells: what was stopped and saved, what came, went and is kept, and
//! the spending of the last weeks.

use reaper_model::AuditDocument;
use reaper_model::document::ChangeView;

use super::chart::charts;
use super::machines::named;
use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::figures::{Zone, number};
use crate::weekly;

/// Of each list; all of it is in the JSON document.
const MOST_ROWS: usize = 200;

const STOPPED: [Column; 5] = [
    Column::text("Machine"),
    Column::text("What"),
    Column::text("Owner"),
    Column::text("Type"),
    Column::number("Saved"),
];

pub(super) fn stopped(doc: &AuditDocument) -> Option<Section> {
    let report = doc.report.as_ref().filter(|report| !report.stopped.is_empty())?;
    let caption = "Stopped by reaper in the period, and confirmed by the provider";
    let rows = (&report.stopped[..], MOST_ROWS);
    let table = Table::of("stopped", caption, &STOPPED, rows, |stopped| {
        let mut what: Vec<Line> =
            weekly::done(doc, stopped).iter().map(|part| Line::Plain(Text::new(part))).collect();
        if let (Some(_), Some(Line::Plain(again))) = (stopped.running_again, what.last()) {
            let again = Line::Loud(again.clone());
            what.pop();
            what.push(again);
        }
        Row::of(vec![
            named(stopped.name.as_deref(), &stopped.id, &weekly::stopped_place(stopped)),
            Cell::lines(what).by(Some(stopped.at.timestamp())),
            Cell::text(weekly::known(stopped.owner.as_ref())),
            Cell::text(weekly::known(stopped.machine_type.as_ref())),
            Cell::money(weekly::amount(stopped.saved), stopped.saved),
        ])
        .marked(Some(if stopped.running_again.is_some() { "warn" } else { "good" }))
    });
    Some(Section {
        id: "savings",
        title: "Stopped since the last report",
        count: Some(number(report.stopped.len())),
        notes: weekly::saved(report).map(Text::new).into_iter().collect(),
        blocks: vec![Block::Table(table)],
    })
}

const CHANGES: [Column; 5] = [
    Column::text("Machine"),
    Column::text("When"),
    Column::text("Owner"),
    Column::text("Type"),
    Column::number("Cost in the period"),
];

const KEPT: [Column; 5] = [
    Column::text("Machine"),
    Column::text("Until"),
    Column::text("Owner"),
    Column::plain("Why"),
    Column::number("A month"),
];

pub(super) fn changes(doc: &AuditDocument) -> Option<Section> {
    let report = doc.report.as_ref()?;
    let zone = Zone::of(doc);
    let table = |id, caption: &str, changes: &[ChangeView]| {
        Table::of(id, caption, &CHANGES, (changes, MOST_ROWS), |change| {
            Row::of(vec![
                named(change.name.as_deref(), &change.id, &weekly::change_place(change)),
                Cell::text(zone.day(change.at)).by(Some(change.at.timestamp())),
                Cell::text(weekly::known(change.owner.as_ref())),
                Cell::text(weekly::known(change.machine_type.as_ref())),
                Cell::money(weekly::amount(change.cost), change.cost),
            ])
        })
    };
    let kept = Table::of("kept", "Kept", &KEPT, (&report.kept, MOST_ROWS), |kept| {
        let mut until = vec![Line::Plain(Text::new(weekly::until(doc, kept)))];
        until.extend(kept.new.then(|| Line::Badge("calm", Text::new("new"))));
        Row::of(vec![
            named(kept.name.as_deref(), &kept.id, ""),
            Cell::lines(until).by(kept.until.map(|until| until.timestamp())),
            Cell::text(weekly::known(kept.owner.as_ref())),
            Cell::text(&kept.why),
            Cell::money(weekly::amount(kept.per_month), kept.per_month),
        ])
    });
    let tables = [
        (report.new.len(), table("new", "New: first seen in the period", &report.new)),
        (report.gone.len(), table("gone", "Gone: no longer there", &report.gone)),
        (report.kept.len(), kept),
    ];
    let number = tables.iter().map(|(number, _)| number).sum::<usize>();
    let tables = tables.into_iter().filter(|(number, _)| *number > 0);
    let nothing = (number == 0).then(|| Text::new("Nothing came, went or is kept."));
    Some(Section {
        id: "changes",
        title: "New, gone and kept",
        count: Some(crate::figures::number(number)),
        notes: nothing.into_iter().collect(),
        blocks: tables.map(|(_, table)| Block::Table(table)).collect(),
    })
}

const WEEKS: [Column; 3] =
    [Column::plain("Week from"), Column::plain("Spent"), Column::plain("Machines billed")];

pub(super) fn trend(doc: &AuditDocument) -> Option<Section> {
    let report = doc.report.as_ref().filter(|report| !report.trend.is_empty())?;
    let caption = "What everything has cost, by week, estimated from what was seen";
    let table = Table::of("weeks", caption, &WEEKS, (&report.trend, usize::MAX), |week| {
        Row::of(vec![
            Cell::text(weekly::week(doc, week)),
            Cell::text(weekly::spent(week)),
            Cell::text(week.machines.to_string()),
        ])
    });
    let charts = charts(doc, &report.trend).into_iter().map(Block::Chart);
    Some(Section {
        id: "trend",
        title: "Spending by week",
        count: None,
        notes: Vec::new(),
        blocks: charts.chain([Block::Table(table)]).collect(),
    })
}
