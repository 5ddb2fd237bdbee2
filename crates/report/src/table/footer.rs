//! The foot of the table: scopes, what the figures stand on, warnings, the run.

use reaper_model::AuditDocument;

use super::head::scope_line;
use crate::figures::count;
use crate::layout::{Page, style};
use crate::summary;
use crate::utilisation;

const MOST_LINES: usize = 4;
const LABEL_WIDTH: usize = 8;

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    page.blank();
    page.text(0, style::HEADING, "SCOPES", 1);
    for group in summary::scope_groups(doc) {
        let mood = if summary::is_unread(group.status) { style::ALARM } else { style::PLAIN };
        scope_line(page, mood, &group);
    }
    if !doc.warnings.is_empty() {
        page.blank();
        page.text(0, style::HEADING, "WARNINGS", 1);
        for warning in &doc.warnings {
            let mut parts = vec![warning.text.clone()];
            parts.extend(summary::subject(warning));
            page.flow(2, style::CAUTION, &parts, MOST_LINES);
        }
    }
    page.blank();
    page.text(0, style::HEADING, "BASIS", 1);
    let mut note = |label, parts: &[String]| {
        page.labelled(2, (label, LABEL_WIDTH), style::PLAIN, parts, MOST_LINES);
    };
    note("costs", &[summary::COST_BASIS.to_owned()]);
    note("prices", &summary::prices(doc));
    note("rates", &summary::rates(doc));
    if doc.totals.ended > 0 {
        let ended = count(doc.totals.ended, "machine");
        note("ended", &[format!("{ended} ended lately, still listed by the provider")]);
    }
    note("use", &utilisation::basis(doc));
    note("plan", &summary::plan(doc));
    note("history", &[summary::last_complete(doc)]);
    note("run", &summary::run(doc));
    note("made by", &[summary::made_by(doc)]);
}
