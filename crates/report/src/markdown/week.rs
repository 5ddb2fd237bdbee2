//! What only the weekly report tells: its period, what was stopped and saved, what came, went and is
//! kept, and the trend.

use reaper_model::AuditDocument;
use reaper_model::document::{ChangeView, ReportView};

use super::document::{BYTES_FOR_WEEK, Document, cell, cells, code, lines};
use crate::figures::Zone;
use crate::weekly;

/// The period and what has changed in it, for the top of the page.
pub(super) fn headline(out: &mut Document, doc: &AuditDocument) {
    let Some(report) = &doc.report else { return };
    out.line(&format!("Weekly report: {}", cells(&weekly::period(doc, report))));
    out.blank();
    out.line(&cells(&weekly::headline(report)));
    out.blank();
}

pub(super) fn write(out: &mut Document, doc: &AuditDocument) {
    let Some(report) = &doc.report else { return };
    stopped(out, doc, report);
    changes(out, doc, "New in the period", &report.new);
    changes(out, doc, "Gone in the period", &report.gone);
    kept(out, doc, report);
    trend(out, doc, report);
}

fn stopped(out: &mut Document, doc: &AuditDocument, report: &ReportView) {
    if report.stopped.is_empty() {
        return;
    }
    out.table("Stopped in the period", &["Machine", "What", "Where", "Type", "Owner", "Saved:"]);
    out.rows(&report.stopped, BYTES_FOR_WEEK, |stopped| {
        vec![
            identity(stopped.name.as_deref(), &stopped.id),
            lines(&weekly::done(doc, stopped)),
            cell(&weekly::stopped_place(stopped)),
            code(&weekly::known(stopped.machine_type.as_ref())),
            cell(&weekly::known(stopped.owner.as_ref())),
            cell(&weekly::amount(stopped.saved)),
        ]
    });
}

fn changes(out: &mut Document, doc: &AuditDocument, title: &str, changes: &[ChangeView]) {
    if changes.is_empty() {
        return;
    }
    out.table(title, &["Machine", "When", "Where", "Type", "Owner", "Cost in it:"]);
    out.rows(changes, BYTES_FOR_WEEK, |change| {
        vec![
            identity(change.name.as_deref(), &change.id),
            cell(&Zone::of(doc).day(change.at)),
            cell(&weekly::change_place(change)),
            code(&weekly::known(change.machine_type.as_ref())),
            cell(&weekly::known(change.owner.as_ref())),
            cell(&weekly::amount(change.cost)),
        ]
    });
}

fn kept(out: &mut Document, doc: &AuditDocument, report: &ReportView) {
    if report.kept.is_empty() {
        return;
    }
    out.table("Kept", &["Machine", "Until", "Owner", "Why", "Per month:"]);
    out.rows(&report.kept, BYTES_FOR_WEEK, |kept| {
        let mut until = vec![weekly::until(doc, kept)];
        until.extend(kept.new.then(|| "new".to_owned()));
        vec![
            identity(kept.name.as_deref(), &kept.id),
            lines(&until),
            cell(&weekly::known(kept.owner.as_ref())),
            cell(&kept.why),
            cell(&weekly::amount(kept.per_month)),
        ]
    });
}

fn trend(out: &mut Document, doc: &AuditDocument, report: &ReportView) {
    if report.trend.is_empty() {
        return;
    }
    out.table("Weeks", &["Week from", "Spent:", "Machines:"]);
    out.rows(&report.trend, BYTES_FOR_WEEK, |week| {
        vec![cell(&weekly::week(doc, week)), cell(&weekly::spent(week)), week.machines.to_string()]
    });
}

fn identity(name: Option<&str>, id: &str) -> String {
    format!("{}<br>{}", code(weekly::name(name)), code(id))
}
