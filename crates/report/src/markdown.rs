//! GitHub flavoured Markdown, for job summaries and comments.

mod escape;
#[cfg(test)]
mod tests;

use reaper_model::State;
use reaper_model::document::{AuditDocument, MachineView, Verdict};

use crate::figures::count;
use crate::layout::fit;
use crate::machine;
use crate::summary;
use escape::escape;

/// GitHub refuses a job summary of more than 1 MiB as a whole; rows beyond this are counted
/// instead of written, which leaves room for scopes and warnings.
const BYTES_FOR_ORPHANS: usize = 500_000;
const BYTES_FOR_OTHERS: usize = 700_000;
const BYTES_FOR_NOTES: usize = 850_000;
/// Of a name or an explanation; the rest is in the JSON document.
const LONGEST_CELL: usize = 240;

/// The document for a job summary: at most 900 kB, and no text from outside is markup in it.
pub fn markdown(doc: &AuditDocument) -> String {
    let mut out = Document(String::new());
    let [first, rest @ ..] = &summary::headline(doc)[..] else { return out.0 };
    out.line(&format!("## reaper: {}", cell(first)));
    out.blank();
    if !rest.is_empty() {
        out.line(&format!("**{}**", cells(rest)));
        out.blank();
    }
    let mut around = summary::caveats(doc);
    if doc.totals.orphans > 0 {
        around.splice(0..0, [summary::coverage(doc), summary::running(doc)]);
    }
    if !around.is_empty() {
        out.line(&cells(&around));
        out.blank();
    }
    unread(&mut out, doc);
    orphans(&mut out, doc);
    others(&mut out, doc);
    notes(&mut out, doc);
    out.0
}

fn unread(out: &mut Document, doc: &AuditDocument) {
    let Some(unread) = summary::unread(doc) else { return };
    out.line("> [!WARNING]");
    out.line(&format!("> **{}**", cell(&unread)));
    for group in summary::scope_groups(doc) {
        if summary::is_unread(group.status) {
            let status = summary::status_word(group.status);
            out.line(&format!("> - **{status}** {}", places(&group)));
        }
    }
    out.blank();
}

fn orphans(out: &mut Document, doc: &AuditDocument) {
    let mut orphans: Vec<_> =
        doc.instances.iter().filter(|machine| machine.verdict == Verdict::Orphan).collect();
    orphans.sort_by_key(|machine| !machine.stopped_but_billed);
    if orphans.is_empty() {
        return;
    }
    out.line("### Orphans");
    out.blank();
    out.line("| Machine | Where | Type | Age | Owner | So far | Per month | Why | Wanted |");
    out.line("| --- | --- | --- | ---: | --- | ---: | ---: | --- | --- |");
    out.rows(&orphans, BYTES_FOR_ORPHANS, |orphan| {
        let mut why: Vec<String> = machine::odd_state(orphan).into_iter().collect();
        why.extend(machine::reasons(orphan));
        why.extend(machine::gaps(orphan));
        let mut wanted = machine::wanted(orphan);
        wanted.extend(
            machine::still_charged_short(orphan).map(|what| format!("still charged: {what}")),
        );
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
    out.line("| Machine | Verdict | Where | Type | Age | Owner | Per month | Why |");
    out.line("| --- | --- | --- | --- | ---: | --- | ---: | --- |");
    out.rows(&others, BYTES_FOR_OTHERS, |other| {
        let mut why: Vec<String> = machine::odd_state(other).into_iter().collect();
        why.push(other.why.clone());
        why.extend(machine::gaps(other));
        why.extend(
            machine::still_charged_short(other).map(|what| format!("disks and addresses: {what}")),
        );
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

fn notes(out: &mut Document, doc: &AuditDocument) {
    let scopes = summary::scope_groups(doc)
        .into_iter()
        .map(|group| format!("**{}** {}", summary::status_word(group.status), places(&group)));
    out.list("Scopes", scopes);
    let warnings = doc.warnings.iter().map(|warning| {
        let parts: Vec<String> =
            std::iter::once(warning.text.clone()).chain(summary::subject(warning)).collect();
        cells(&parts)
    });
    out.list("Warnings", warnings);
    let ended = (doc.totals.ended > 0)
        .then(|| format!("{} ended lately", count(doc.totals.ended, "machine")));
    let basis = [
        Some(format!("costs: {}", summary::COST_BASIS)),
        noted("prices", &summary::prices(doc)),
        noted("rates", &summary::rates(doc)),
        ended,
        noted("run", &summary::run(doc)),
    ];
    out.list("Basis", basis.into_iter().flatten().map(|line| cell(&line)));
}

fn noted(label: &str, parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("{label}: {}", parts.join(" · ")))
}

fn identity(machine: &MachineView) -> String {
    format!("{}<br>{}", code(machine::name(machine)), code(&machine.native_id))
}

fn kind(machine: &MachineView) -> String {
    let mut kind =
        format!("{}<br>{}", code(machine.machine_type.as_str()), cell(&machine::gpus(machine)));
    if let Some(purchase) = machine::purchase(machine) {
        kind.push_str("<br>");
        kind.push_str(purchase);
    }
    kind
}

/// Text from outside, of a bounded length, without any effect as markup.
fn cell(text: &str) -> String {
    escape(&fit(text, LONGEST_CELL))
}

/// In code, GitHub looks for no names to notify.
fn code(text: &str) -> String {
    format!("<code>{}</code>", cell(text))
}

fn cells(parts: &[String]) -> String {
    parts.iter().map(|part| cell(part)).collect::<Vec<_>>().join(" · ")
}

/// Every region of an account by name takes more room than a cell.
fn places(group: &summary::ScopeGroup<'_>) -> String {
    const LONGEST: usize = 2_000;
    let parts = group.parts();
    parts.iter().map(|part| escape(&fit(part, LONGEST))).collect::<Vec<_>>().join(" · ")
}

fn lines(parts: &[String]) -> String {
    parts.iter().map(|part| cell(part)).collect::<Vec<_>>().join("<br>")
}

/// Markdown under construction.
struct Document(String);

impl Document {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn blank(&mut self) {
        self.0.push('\n');
    }

    /// Table rows while there is room, then how many are missing.
    fn rows(
        &mut self,
        machines: &[&MachineView],
        limit: usize,
        row: impl Fn(&MachineView) -> Vec<String>,
    ) {
        let mut written = 0;
        for machine in machines {
            let line = format!("| {} |", row(machine).join(" | "));
            if self.0.len() + line.len() > limit {
                break;
            }
            self.line(&line);
            written += 1;
        }
        self.blank();
        self.left_out(machines.len() - written);
    }

    /// A heading and a list, if there is anything in it, while there is room.
    fn list(&mut self, title: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.line(&format!("### {title}"));
        self.blank();
        let mut missing = 0;
        for item in items {
            if missing > 0 || self.0.len() + item.len() > BYTES_FOR_NOTES {
                missing += 1;
            } else {
                self.line(&format!("- {item}"));
            }
        }
        self.blank();
        self.left_out(missing);
    }

    fn left_out(&mut self, missing: usize) {
        if missing > 0 {
            self.line(&format!("… and {missing} more: see the JSON document."));
            self.blank();
        }
    }
}
