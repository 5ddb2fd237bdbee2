//! The document as one HTML page that loads nothing: for a browser, on a phone and in print, light
//! and dark, readable without its script, which sorts and filters the tables.
//!
//! | module | holds |
//! | --- | --- |
//! | `text` | what every text on the page goes through |
//! | `table` | a table of the page: columns, rows, cells |
//! | `head` | alerts, figures and what could not be read, before all else |
//! | `deadlines`, `week`, `machines`, `leftovers`, `money`, `notes` | the parts of the page in their order |
//! | `chart` | the spending of the last weeks |
//!
//! The templates, the style and the script are in `templates/page`. The page allows itself exactly
//! that style and that script, by their digests, and nothing else: no text that slipped through
//! could load or run anything.

mod chart;
mod deadlines;
mod head;
mod leftovers;
mod machines;
mod money;
mod notes;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod week;

use std::io;

use askama::Template;
use reaper_model::AuditDocument;

use chart::Chart;
use head::{Fact, Titled};
use money::Budgets;
use notes::List;
use table::Table;
use text::Text;

const STYLE: &str = include_str!("../templates/page/page.css");
const SCRIPT: &str = include_str!("../templates/page/page.js");
/// SHA-256 of the two, in Base64; a test holds them against the files.
const STYLE_HASH: &str = "LhylM+xQemarG5OtyiX1DhP85GER40lR1oUvKkXXUpU=";
const SCRIPT_HASH: &str = "f7D4/bItqgb4w3jcbQl3onath0yop1PlylUicTMvwvI=";

/// The whole page.
#[derive(Template)]
#[template(path = "page/page.html")]
struct Page {
    title: Text,
    style: &'static str,
    script: &'static str,
    style_hash: &'static str,
    script_hash: &'static str,
    alerts: Vec<Titled>,
    facts: Vec<Fact>,
    unread: Option<Titled>,
    sections: Vec<Section>,
    foot: Vec<Text>,
}

/// A part of the page with a heading of its own.
struct Section {
    id: &'static str,
    title: &'static str,
    /// How much there is in it, where that says something.
    count: Option<String>,
    notes: Vec<Text>,
    blocks: Vec<Block>,
}

/// What a section is made of.
enum Block {
    Table(Table),
    Budgets(Budgets),
    Chart(Chart),
    List(List),
}

/// Writes the document as a page.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn page(doc: &AuditDocument, out: &mut impl io::Write) -> io::Result<()> {
    let sections = [
        Some(deadlines::section(doc)),
        deadlines::done(doc),
        week::stopped(doc),
        money::budgets(doc),
        week::changes(doc),
        week::trend(doc),
        machines::section(doc),
        leftovers::section(doc),
        leftovers::advice(doc),
        money::spend(doc),
        money::bills(doc),
        notes::mails(doc),
        Some(notes::scopes(doc)),
        notes::warnings(doc),
        Some(notes::basis(doc)),
    ];
    let page = Page {
        title: head::title(doc),
        style: STYLE,
        script: SCRIPT,
        style_hash: STYLE_HASH,
        script_hash: SCRIPT_HASH,
        alerts: head::alerts(doc),
        facts: head::facts(doc),
        unread: head::unread(doc),
        sections: sections.into_iter().flatten().collect(),
        foot: notes::foot(doc),
    };
    page.write_into(out)
}
