//! GitHub flavoured Markdown, for job summaries and comments.

mod actions;
mod budgets;
mod document;
mod escape;
mod leftovers;
#[cfg(test)]
mod tests;
mod week;

use reaper_model::State;
use reaper_model::document::{AuditDocument, Billing, MachineView, Mode, Verdict};

use crate::action;
use crate::alert;
use crate::figures::{Zone, count};
use crate::machine;
use crate::summary;
use crate::utilisation;
use crate::waiting;
use document::{
    BYTES_FOR_HEAD, BYTES_FOR_NOTES, BYTES_FOR_ORPHANS, BYTES_FOR_OTHERS, BYTES_FOR_SCOPES,
    BYTES_FOR_WARNINGS, Document, FULL, cell, cells, identity, kind, lines, paragraph,
};

/// The document for a job summary: at most 900 kB, and no text from outside is markup in it.
pub fn markdown(doc: &AuditDocument) -> String {
    markdown_within(doc, FULL)
}

/// The same in at most so many bytes, such as the 65,536 of a comment. Every section stays; of those
/// with many rows the first are shown, and how many that is of how many.
pub fn markdown_within(doc: &AuditDocument, bytes: usize) -> String {
    let mut out = Document::new(bytes);
    alerts(&mut out, doc);
    let found = summary::headline(doc);
    let done = action::headline(doc);
    let mut headline = done.as_ref().unwrap_or(&found).iter();
    let first = headline.next().map(|part| cell(part));
    out.line(&format!("## reaper: {}", first.unwrap_or_default()));
    out.blank();
    let only_a_plan = (doc.mode == Mode::Plan).then(|| vec![summary::ONLY_A_PLAN.to_owned()]);
    let rest = headline.cloned().collect();
    let bold = [Some(rest), only_a_plan, done.as_ref().map(|_| found.clone())];
    for parts in bold.into_iter().flatten().filter(|parts: &Vec<String>| !parts.is_empty()) {
        out.line(&format!("**{}**", cells(&parts)));
        out.blank();
    }
    let mut around = summary::caveats(doc);
    if doc.totals.orphans > 0 {
        around.splice(0..0, [summary::coverage(doc), summary::running(doc)]);
    }
    around.push(summary::as_of(doc));
    out.line(&cells(&around));
    out.blank();
    week::headline(&mut out, doc);
    budgets::headline(&mut out, doc);
    unread(&mut out, doc);
    leftovers::headline(&mut out, doc);
    actions::write(&mut out, doc);
    week::write(&mut out, doc);
    budgets::write(&mut out, doc);
    orphans(&mut out, doc);
    leftovers::write(&mut out, doc);
    leftovers::write_advice(&mut out, doc);
    others(&mut out, doc);
    budgets::spend(&mut out, doc);
    budgets::bills(&mut out, doc);
    notes(&mut out, doc);
    out.finish()
}

fn alerts(out: &mut Document, doc: &AuditDocument) {
    for alert in alert::alerts(doc) {
        out.line("> [!CAUTION]");
        out.line(&format!("> **{}**", cell(&alert.title)));
        let lines = alert.lines.iter().map(|line| paragraph(line));
        out.items("> - ", BYTES_FOR_HEAD, lines);
        out.blank();
    }
}

fn unread(out: &mut Document, doc: &AuditDocument) {
    let Some(unread) = summary::unread(doc) else { return };
    out.line("> [!WARNING]");
    out.line(&format!("> **{}**", cell(&unread)));
    let mut groups = summary::scope_groups(doc);
    groups.retain(|group| summary::is_unread(group.status));
    out.items("> - ", BYTES_FOR_HEAD, groups.iter().map(fate));
    out.blank();
}

fn orphans(out: &mut Document, doc: &AuditDocument) {
    let mut orphans: Vec<_> =
        doc.instances.iter().filter(|machine| machine.verdict == Verdict::Orphan).collect();
    orphans.sort_by_key(|machine| !machine.stopped_but_billed);
    if orphans.is_empty() {
        return;
    }
    let titles =
        ["Machine", "Where", "Type", "Age:", "Owner", "So far:", "Per month:", "Why", "Wanted"];
    out.table("Orphans", &titles);
    out.rows(&orphans, BYTES_FOR_ORPHANS, |orphan| {
        let mut why: Vec<String> = machine::odd_state(orphan).into_iter().collect();
        why.extend(machine::reasons(orphan));
        why.extend(utilisation::beside_reasons(orphan));
        why.extend(machine::gaps(orphan));
        let mut wanted = machine::wanted(orphan);
        wanted.extend(charged(orphan).map(|what| format!("still charged: {what}")));
        wanted.extend(waiting::case(orphan, Zone::of(doc)));
        wanted.extend(action::of(doc, orphan).map(|action| action.outcome()));
        vec![
            identity(orphan),
            cell(&machine::place(orphan)),
            kind(orphan),
            cell(&machine::age(orphan)),
            cell(&machine::owner(orphan)),
            cell(&machine::so_far(orphan)),
            cell(&machine::per_month(orphan)),
            lines(&why),
            lines(&wanted),
        ]
    });
}

fn others(out: &mut Document, doc: &AuditDocument) {
    let others: Vec<_> = doc
        .instances
        .iter()
        .filter(|machine| machine.verdict != Verdict::Orphan && machine.state != State::Ended)
        .collect();
    if others.is_empty() {
        return;
    }
    out.line("<details>");
    out.line(&format!("<summary>{}</summary>", count(others.len(), "other machine")));
    out.blank();
    out.titles(&["Machine", "Verdict", "Where", "Type", "Age:", "Owner", "Per month:", "Why"]);
    out.rows(&others, BYTES_FOR_OTHERS, |other| {
        let mut why: Vec<String> = machine::odd_state(other).into_iter().collect();
        why.push(other.why.clone());
        why.extend(utilisation::in_brief(other));
        why.extend(machine::gaps(other));
        why.extend(charged(other).map(|what| format!("disks and addresses: {what}")));
        vec![
            identity(other),
            other.verdict.name().to_owned(),
            cell(&machine::place(other)),
            kind(other),
            cell(&machine::age(other)),
            cell(&machine::owner(other)),
            cell(&machine::per_month(other)),
            lines(&why),
        ]
    });
    out.line("</details>");
    out.blank();
}

/// What is charged apart from compute; each part of it where that is all that is charged.
fn charged(machine: &MachineView) -> Option<String> {
    match machine.billing {
        Billing::NotBilled => machine::charged_while_off(machine),
        Billing::Billed | Billing::Unknown => machine::still_charged_short(machine),
    }
}

fn notes(out: &mut Document, doc: &AuditDocument) {
    let scopes = summary::scope_groups(doc);
    out.list("Scopes", BYTES_FOR_SCOPES, scopes.iter().map(fate));
    let warnings = doc.warnings.iter().map(|warning| {
        let parts: Vec<String> =
            std::iter::once(warning.text.clone()).chain(summary::subject(warning)).collect();
        cells(&parts)
    });
    out.list("Warnings", BYTES_FOR_WARNINGS, warnings);
    let ended = (doc.totals.ended > 0)
        .then(|| format!("{} ended lately", count(doc.totals.ended, "machine")));
    let basis = [
        Some(format!("costs: {}", summary::COST_BASIS)),
        noted("prices", &summary::prices(doc)),
        noted("rates", &summary::rates(doc)),
        ended,
        noted("use", &utilisation::basis(doc)),
        noted("plan", &summary::plan(doc)),
        Some(summary::last_complete(doc)),
        noted("run", &summary::run(doc)),
        Some(summary::made_by(doc)),
    ];
    let basis: Vec<String> = basis.into_iter().flatten().collect();
    out.list("Basis", BYTES_FOR_NOTES, basis.iter().map(|line| cell(line)));
}

fn noted(label: &str, parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("{label}: {}", parts.join(" · ")))
}

fn fate(group: &summary::ScopeGroup<'_>) -> String {
    let parts: Vec<String> = group.parts().iter().map(|part| paragraph(part)).collect();
    format!("**{}** {}", summary::status_word(group.status), parts.join(" · "))
}
