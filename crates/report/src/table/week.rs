//! What only the weekly report tells, in brief: the whole of it is in the other formats.

use reaper_model::AuditDocument;
use reaper_model::document::{ChangeView, ReportView};

use crate::figures::{Zone, shown};
use crate::layout::{Page, style};
use crate::weekly;

const INDENT: usize = 2;
/// `without an end`, `Thu 31 Dec 2026 09:00 CEST`.
const WHEN_WIDTH: usize = 26;
const MOST_LINES: usize = 4;
/// Of each list; a terminal is no place for a hundred machines that have gone.
const MOST_ROWS: usize = 10;

/// The period and what has changed in it, for the top of the page.
pub(super) fn write_headline(page: &mut Page, doc: &AuditDocument) {
    let Some(report) = &doc.report else { return };
    let mut period = weekly::period(doc, report);
    period.insert(0, "weekly report".to_owned());
    page.flow(0, style::PLAIN, &period, MOST_LINES);
    page.flow(0, style::HEADING, &weekly::headline(report), MOST_LINES);
}

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    let Some(report) = &doc.report else { return };
    write_stopped(page, doc, report);
    let zone = Zone::of(doc);
    for (title, changes) in [("NEW", &report.new), ("GONE", &report.gone)] {
        heading(page, title, changes.len());
        for change in changes.iter().take(MOST_ROWS) {
            page.entry(
                INDENT,
                (&zone.day(change.at), WHEN_WIDTH),
                style::PLAIN,
                &parts(change),
                MOST_LINES,
            );
        }
    }
    write_kept(page, doc, report);
    write_trend(page, doc, report);
}

fn parts(change: &ChangeView) -> Vec<String> {
    vec![
        weekly::name(change.name.as_deref()).to_owned(),
        change.id.clone(),
        weekly::known(change.machine_type.as_ref()),
        format!("owner {}", weekly::known(change.owner.as_ref())),
        format!("cost in the period {}", weekly::amount(change.cost)),
    ]
}

fn write_stopped(page: &mut Page, doc: &AuditDocument, report: &ReportView) {
    heading(page, "STOPPED IN THE PERIOD", report.stopped.len());
    for stopped in report.stopped.iter().take(MOST_ROWS) {
        let mood = if stopped.running_again.is_some() { style::CAUTION } else { style::PLAIN };
        page.text(INDENT, mood, weekly::name(stopped.name.as_deref()), 1);
        let mut parts = vec![stopped.id.clone(), weekly::known(stopped.machine_type.as_ref())];
        parts.push(format!("owner {}", weekly::known(stopped.owner.as_ref())));
        parts.extend(weekly::done(doc, stopped));
        parts.push(format!("saved {}", weekly::amount(stopped.saved)));
        page.flow(INDENT * 2, style::PLAIN, &parts, MOST_LINES);
    }
}

fn write_kept(page: &mut Page, doc: &AuditDocument, report: &ReportView) {
    heading(page, "KEPT", report.kept.len());
    for kept in report.kept.iter().take(MOST_ROWS) {
        page.text(INDENT, style::PLAIN, weekly::name(kept.name.as_deref()), 1);
        let mut parts = vec![kept.id.clone(), weekly::until(doc, kept)];
        parts.extend(kept.new.then(|| "new in the period".to_owned()));
        parts.push(format!("owner {}", weekly::known(kept.owner.as_ref())));
        parts.push(format!("{} a month", weekly::amount(kept.per_month)));
        parts.push(kept.why.clone());
        page.flow(INDENT * 2, style::PLAIN, &parts, MOST_LINES);
    }
}

fn write_trend(page: &mut Page, doc: &AuditDocument, report: &ReportView) {
    const WEEK_WIDTH: usize = 6;
    let meaning = "what everything has cost, by week";
    if !report.trend.is_empty() {
        super::machines::heading(page, "WEEKS", report.trend.len(), Some(meaning));
    }
    for week in &report.trend {
        let label = weekly::week(doc, week);
        page.labelled(
            INDENT,
            (&label, WEEK_WIDTH),
            style::PLAIN,
            &[weekly::spent(week)],
            MOST_LINES,
        );
    }
}

/// The heading of a list that is not empty, with how much of it is shown.
fn heading(page: &mut Page, title: &str, number: usize) {
    if number > 0 {
        let cut = shown(number.min(MOST_ROWS), number);
        super::machines::heading(page, title, number, cut.as_deref());
    }
}
