//! Findings on their way to an action, in words that all formats share. Plain text, neither cleaned
//! nor escaped.

use std::cmp::Reverse;

use chrono::{DateTime, FixedOffset};
use reaper_model::Phase;
use reaper_model::document::{AuditDocument, CaseView, MachineView};

use crate::action;
use crate::figures::{Zone, count};
use crate::finding::is_announced;

/// Machines whose cases are equally far.
pub(crate) struct Group<'a> {
    pub(crate) phase: Phase,
    pub(crate) title: &'static str,
    pub(crate) meaning: &'static str,
    /// Those that are due first before all others.
    pub(crate) machines: Vec<&'a MachineView>,
}

/// All open cases about which nothing was or would be done now, the furthest first. An audit
/// does not ask for them.
pub(crate) fn groups(doc: &AuditDocument) -> Vec<Group<'_>> {
    const BY_PHASE: [(Phase, &str, &str); 5] = [
        (
            Phase::Due,
            "DUE",
            "their notice has ended, and something keeps them from being acted upon",
        ),
        (Phase::Noticed, "NOTICED", "a notice was accepted, and its period runs"),
        (Phase::Contested, "CONTESTED", "started again after our action: left alone"),
        (Phase::Acted, "ACTED", "acted upon before, and seen again"),
        (Phase::New, "FOUND", "no notice of an action has been given"),
    ];
    let waits = |machine: &&MachineView| action::of(doc, machine).is_none();
    BY_PHASE
        .into_iter()
        .filter_map(|(phase, title, meaning)| {
            let in_phase = |machine: &&MachineView| {
                machine.case.as_ref().is_some_and(|case| case.state == phase)
            };
            let mut machines: Vec<_> =
                doc.instances.iter().filter(waits).filter(in_phase).collect();
            machines.sort_by_key(|machine| {
                let due = machine.case.as_ref().and_then(|case| case.due_at);
                (Reverse(due.is_some()), due)
            });
            let shown = doc.plan.is_some() && !machines.is_empty();
            shown.then_some(Group { phase, title, meaning, machines })
        })
        .collect()
}

/// How many wait for the end of their notice.
pub(crate) fn noticed(doc: &AuditDocument) -> usize {
    let noticed = groups(doc).into_iter().filter(|group| group.phase == Phase::Noticed);
    noticed.map(|group| group.machines.len()).sum()
}

/// When its notice period ends or has ended; `None` without one.
pub(crate) fn due(machine: &MachineView, zone: Zone) -> Option<String> {
    due_at(machine).map(|at| zone.day(at))
}

/// The same as a time.
pub(crate) fn due_at(machine: &MachineView) -> Option<DateTime<FixedOffset>> {
    machine.case.as_ref()?.due_at
}

/// Machines that have a time at which they are to be acted upon, and were not yet, the first to be
/// due first: what a reader can still prevent. An audit knows of them from the history.
pub(crate) fn deadlines(doc: &AuditDocument) -> Vec<&MachineView> {
    let open = |machine: &&MachineView| {
        is_announced(machine) && action::of(doc, machine).is_none_or(|action| action.is_open())
    };
    let mut machines: Vec<&MachineView> = doc.instances.iter().filter(open).collect();
    machines.sort_by_key(|machine| due_at(machine));
    machines
}

/// How many they are and when the first is due; `None` without any.
pub(crate) fn headline(doc: &AuditDocument) -> Option<String> {
    let machines = deadlines(doc);
    let first = due(machines.first()?, Zone::of(doc))?;
    let stands = if machines.len() == 1 { "is to be" } else { "are to be" };
    let when = if machines.len() == 1 { "" } else { "the first " };
    let number = count(machines.len(), "machine");
    Some(format!("{number} {stands} stopped or terminated, {when}{first}"))
}

/// How far a machine of [`deadlines`] is, in a few words.
pub(crate) fn standing(doc: &AuditDocument, machine: &MachineView) -> String {
    if let Some(action) = action::of(doc, machine) {
        return action.outcome();
    }
    match machine.case.as_ref().map(|case| case.state) {
        Some(Phase::Due) => "notice period over".to_owned(),
        _ => "notice given".to_owned(),
    }
}

/// How far its case is, and by which hours. Empty without a case.
pub(crate) fn case(machine: &MachineView, zone: Zone) -> Vec<String> {
    let Some(case) = &machine.case else { return Vec::new() };
    let mut parts = vec![format!("{} (rule {})", phase(case), case.rule)];
    parts.extend(case.notice_at.map(|at| format!("notice accepted {}", zone.day(at))));
    parts.extend(case.due_at.map(|at| format!("due {}", zone.day(at))));
    parts
}

const fn phase(case: &CaseView) -> &'static str {
    match case.state {
        Phase::New => "found, no notice of an action yet",
        Phase::Noticed => "noticed",
        Phase::Due => "notice period over",
        Phase::Acted => "acted upon",
        Phase::Contested => "contested, left alone",
    }
}
