//! The machines of the table: orphans in full, everybody else in a line or two.

use anstyle::Style;
use reaper_model::State;
use reaper_model::document::{AuditDocument, Billing, MachineView, Verdict};

use super::fields::Field::{Age, Gpus, Id, Machine, Owner, PerMonth, Place, SoFar, Type};
use super::fields::{Arrangement, Field};
use crate::action;
use crate::figures::Zone;
use crate::layout::{Page, style};
use crate::machine;
use crate::utilisation;
use crate::waiting;

/// Rows stand this far in, what belongs to a row twice as far.
const INDENT: usize = 2;
const LABEL_WIDTH: usize = 6;
/// A bound for explanations that quote a provider.
const MOST_LINES: usize = 4;

const ORPHAN_LAYOUTS: [&[Field]; 3] = [
    &[Machine, Type, Gpus, Age, Owner, SoFar, PerMonth],
    &[Machine, Type, Age, SoFar, PerMonth],
    &[Machine, Age, SoFar, PerMonth],
];
/// What an orphan's reader must see, in columns or below.
const ORPHAN_FIELDS: [Field; 8] = [Id, Place, Type, Gpus, Age, Owner, SoFar, PerMonth];

const OTHER_LAYOUTS: [&[Field]; 4] = [
    &[Machine, Id, Place, Type, Gpus, Age, Owner, PerMonth],
    &[Machine, Id, Place, Type, Age, PerMonth],
    &[Machine, Type, Age, PerMonth],
    &[Machine, Age, PerMonth],
];
const OTHER_FIELDS: [Field; 7] = [Id, Place, Type, Gpus, Age, Owner, PerMonth];
/// A machine that nobody need look at takes one line where that can be.
const OK_FIELDS: [Field; 3] = [Id, Place, Type];

/// The orphans in the document's order (dearest first), those that look off before all others.
pub(super) fn write_orphans(page: &mut Page, doc: &AuditDocument) {
    let mut orphans = of_verdict(doc, Verdict::Orphan);
    orphans.sort_by_key(|machine| !machine.stopped_but_billed);
    if orphans.is_empty() {
        return;
    }
    let width = page.width() - INDENT;
    let arrangement = Arrangement::choose(&ORPHAN_LAYOUTS, &orphans, width);
    heading(page, "ORPHANS", orphans.len(), None);
    if let Some(grid) = arrangement.grid() {
        page.titles(INDENT, grid);
    }
    for (index, orphan) in orphans.into_iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        row(page, &arrangement, style::ORPHAN, orphan);
        write_details(page, &arrangement, doc, orphan);
    }
}

fn write_details(
    page: &mut Page,
    arrangement: &Arrangement,
    doc: &AuditDocument,
    orphan: &MachineView,
) {
    let mut what = arrangement.below(orphan, &ORPHAN_FIELDS);
    what.extend(machine::purchase(orphan).map(str::to_owned));
    page.flow(INDENT * 2, style::PLAIN, &what, MOST_LINES);

    let mut note = |label, style, parts: &[String]| {
        page.labelled(INDENT * 2, (label, LABEL_WIDTH), style, parts, MOST_LINES);
    };
    if let Some(state) = machine::odd_state(orphan) {
        let mood = if orphan.stopped_but_billed { style::ALARM } else { style::CAUTION };
        note("state", mood, &[state]);
    }
    for reason in machine::reasons(orphan) {
        note("why", style::PLAIN, &[reason]);
    }
    let unmeasured = utilisation::is_unmeasured(orphan);
    let mood = if unmeasured { style::CAUTION } else { style::PLAIN };
    note("use", mood, utilisation::beside_reasons(orphan).as_slice());
    note("gap", style::CAUTION, &machine::gaps(orphan));
    note("wanted", style::PLAIN, &machine::wanted(orphan));
    note("case", style::PLAIN, &waiting::case(orphan, Zone::of(doc)));
    if let Some(action) = action::of(doc, orphan) {
        let mood = if action.is_failure() { style::ALARM } else { style::PLAIN };
        note("action", mood, &[action.outcome()]);
    }
    note("bill", style::PLAIN, &bill(orphan));
}

/// Everybody else, by verdict, those first whose verdict needs eyes.
pub(super) fn write_others(page: &mut Page, doc: &AuditDocument) {
    const GROUPS: [(Verdict, &str, &str); 5] = [
        (Verdict::Unjudged, "UNJUDGED", "evidence is missing"),
        (Verdict::Exempt, "EXEMPT", "a rule says yes, an exemption beats it"),
        (Verdict::Protected, "PROTECTED", "a rule says yes, a protection beats it"),
        (Verdict::Managed, "MANAGED", "a controller owns them"),
        (Verdict::Ok, "OK", "no rule says yes"),
    ];
    let others: Vec<&MachineView> =
        GROUPS.iter().flat_map(|&(verdict, ..)| of_verdict(doc, verdict)).collect();
    let width = page.width() - INDENT;
    let arrangement = Arrangement::choose(&OTHER_LAYOUTS, &others, width);
    let mut titled = false;
    for (verdict, title, meaning) in GROUPS {
        let group: Vec<_> = others.iter().filter(|machine| machine.verdict == verdict).collect();
        if group.is_empty() {
            continue;
        }
        heading(page, title, group.len(), Some(meaning));
        if let Some(grid) = arrangement.grid()
            && !std::mem::replace(&mut titled, true)
        {
            page.titles(INDENT, grid);
        }
        for machine in group {
            row(page, &arrangement, style::PLAIN, machine);
            page.flow(INDENT * 2, style::DIM, &asides(&arrangement, machine), MOST_LINES);
        }
    }
}

fn asides(arrangement: &Arrangement, machine: &MachineView) -> Vec<String> {
    let mut parts: Vec<String> = machine::odd_state(machine).into_iter().collect();
    if machine.verdict == Verdict::Ok {
        parts.extend(utilisation::in_brief(machine));
        parts.extend(arrangement.below(machine, &OK_FIELDS));
    } else {
        parts.push(machine.why.clone());
        parts.extend(utilisation::beside_reasons(machine));
        parts.extend(arrangement.below(machine, &OTHER_FIELDS));
    }
    if machine.billing == Billing::NotBilled {
        parts.extend(bill(machine));
    }
    parts
}

/// What is charged apart from compute. A machine that is off and keeps its disks is not free.
fn bill(machine: &MachineView) -> Vec<String> {
    if machine.billing == Billing::NotBilled {
        let charged = machine::charged_while_off(machine);
        return std::iter::once("compute is not billed".to_owned())
            .chain(charged.map(|what| format!("still charged: {what}")))
            .collect();
    }
    let charged = machine::still_charged_short(machine);
    charged.map(|what| format!("still charged after a stop: {what}")).into_iter().collect()
}

fn row(page: &mut Page, arrangement: &Arrangement, first: Style, machine: &MachineView) {
    match arrangement.grid() {
        Some(grid) => page.row(INDENT, grid, first, &arrangement.cells(machine)),
        None => page.text(INDENT, first, machine::name(machine), 1),
    }
}

pub(super) fn heading(page: &mut Page, title: &str, number: usize, meaning: Option<&str>) {
    page.blank();
    let parts: Vec<String> =
        std::iter::once(format!("{title} ({number})")).chain(meaning.map(str::to_owned)).collect();
    page.flow(0, style::HEADING, &parts, 2);
}

/// The machines with a verdict, without those that have ended: they cost nothing more, and the
/// foot counts them.
fn of_verdict(doc: &AuditDocument, verdict: Verdict) -> Vec<&MachineView> {
    doc.instances
        .iter()
        .filter(|machine| machine.verdict == verdict && machine.state != State::Ended)
        .collect()
}
