//! The end of the page: mails, scopes, warnings, and what the figures stand on.

use reaper_model::AuditDocument;
use reaper_model::document::ScopeStatus;

use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::figures::{count, number};
use crate::{mail, summary, utilisation};

/// A reader takes in no more; the JSON document holds all.
const MOST_ROWS: usize = 500;

/// A list of lines.
pub(super) struct List {
    pub(super) title: Option<Text>,
    pub(super) items: Vec<Item>,
}

/// A line, with a label where it has one.
pub(super) struct Item {
    pub(super) mark: Option<&'static str>,
    pub(super) label: Text,
    pub(super) text: Text,
}

impl Item {
    fn labelled(label: &str, text: &str) -> Self {
        Self { mark: None, label: Text::new(""), text: Text::paragraph(format!("{label}{text}")) }
    }
}

const MAILS: [Column; 4] =
    [Column::text("To"), Column::text("Status"), Column::text("Kind"), Column::plain("Subject")];

pub(super) fn mails(doc: &AuditDocument) -> Option<Section> {
    let caption = "Mails that were due, and what became of them";
    let table = Table::of("post", caption, &MAILS, (&doc.mails, MOST_ROWS), |mail| {
        let undelivered = mail::is_undelivered(mail);
        let mark = if undelivered { "bad" } else { "good" };
        let mut status = vec![Line::Badge(mark, Text::new(mail::status(mail)))];
        status.extend(mail.why.iter().map(|why| Line::Plain(Text::new(why))));
        Row::of(vec![
            Cell::text(&mail.to),
            Cell::lines(status),
            Cell::text(mail::about(mail)),
            Cell::text(&mail.subject),
        ])
        .marked(undelivered.then_some("bad"))
    });
    (!doc.mails.is_empty()).then(|| Section {
        id: "mails",
        title: "Mails",
        count: Some(number(doc.mails.len())),
        notes: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}

pub(super) fn scopes(doc: &AuditDocument) -> Section {
    let groups = summary::scope_groups(doc);
    let items = groups.iter().take(MOST_ROWS).map(|group| {
        let mark = match group.status {
            ScopeStatus::Failed | ScopeStatus::Partial => "bad",
            ScopeStatus::Skipped => "calm",
            ScopeStatus::Complete => "good",
        };
        Item {
            mark: Some(mark),
            label: Text::new(summary::status_word(group.status)),
            text: Text::paragraph(group.parts().join(" · ")),
        }
    });
    Section {
        id: "scopes",
        title: "What was read",
        count: None,
        notes: vec![Text::new(summary::coverage(doc))],
        blocks: vec![Block::List(List { title: None, items: items.collect() })],
    }
}

pub(super) fn warnings(doc: &AuditDocument) -> Option<Section> {
    let items = doc.warnings.iter().take(MOST_ROWS).map(|warning| {
        let parts: Vec<String> =
            std::iter::once(warning.text.clone()).chain(summary::subject(warning)).collect();
        Item::labelled("", &parts.join(" · "))
    });
    let all = doc.warnings.len();
    let cut = crate::figures::shown(all.min(MOST_ROWS), all).map(Text::new);
    (all > 0).then(|| Section {
        id: "warnings",
        title: "Warnings",
        count: Some(number(all)),
        notes: cut.into_iter().collect(),
        blocks: vec![Block::List(List { title: None, items: items.collect() })],
    })
}

pub(super) fn basis(doc: &AuditDocument) -> Section {
    let ended = (doc.totals.ended > 0).then(|| {
        format!("{} ended lately, still listed by the provider", count(doc.totals.ended, "machine"))
    });
    let lines = [
        ("Costs: ", vec![summary::COST_BASIS.to_owned()]),
        ("Prices: ", summary::prices(doc)),
        ("Exchange rates: ", summary::rates(doc)),
        ("Ended: ", ended.into_iter().collect()),
        ("Use of accelerators: ", utilisation::basis(doc)),
        ("Plan: ", summary::plan(doc)),
        ("Run: ", summary::run(doc)),
    ];
    let items = lines.iter().filter(|(_, parts)| !parts.is_empty());
    let items = items.map(|(label, parts)| Item::labelled(label, &parts.join(" · ")));
    Section {
        id: "basis",
        title: "What the figures stand on",
        count: None,
        notes: Vec::new(),
        blocks: vec![Block::List(List { title: None, items: items.collect() })],
    }
}

/// What every page ends with.
pub(super) fn foot(doc: &AuditDocument) -> Vec<Text> {
    Text::all([
        summary::last_complete(doc),
        summary::made_by(doc),
        format!("configuration {}", doc.config.digest),
    ])
}
