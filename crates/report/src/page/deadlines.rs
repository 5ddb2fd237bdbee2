//! What will be stopped and when, while it can still be prevented; and what this run has done.

use reaper_model::document::{MachineView, Mode};
use reaper_model::{AuditDocument, OnLimit};

use super::machines::{identity, kind, money_of};
use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::action::{self, Action};
use crate::figures::{Zone, number};
use crate::{keep, machine, summary, utilisation, waiting};

/// A reader takes in no more; the table of machines holds all.
const MOST_ROWS: usize = 200;

const DEADLINES: [Column; 9] = [
    Column::text("Machine"),
    Column::text("When"),
    Column::plain("What and why"),
    Column::text("Owner"),
    Column::text("Type"),
    Column::number("A day"),
    Column::number("So far"),
    Column::number("A month"),
    Column::plain("To keep it"),
];

pub(super) fn section(doc: &AuditDocument) -> Section {
    let machines = waiting::deadlines(doc);
    let early = doc.budgets.iter().any(|budget| budget.on_limit == OnLimit::StopOrphans);
    let before = if early {
        "earlier only where a budget is used up that ends notice periods"
    } else {
        "never before"
    };
    let note = match (machines.is_empty(), doc.enforces) {
        (true, _) => "No machine has a time at which it is to be stopped or terminated.".to_owned(),
        (false, true) => format!(
            "Each is stopped or terminated by the first run at or after its time, {before}. To prevent that, keep it."
        ),
        (false, false) => format!(
            "This run does not act: a run with --enforce stops or terminates each at its time or later, {before}. To prevent that, keep it."
        ),
    };
    let mut notes = vec![Text::new(note)];
    if doc.mode == Mode::Plan {
        notes.insert(0, Text::new(format!("Plan: {}", summary::plan(doc).join(" · "))));
    }
    let table = Table::of(
        "stop",
        "Machines with a deadline, the first to be due first",
        &DEADLINES,
        (&machines, MOST_ROWS),
        |machine| deadline(doc, machine),
    );
    Section {
        id: "deadlines",
        title: "What will be stopped, and when",
        count: Some(number(machines.len())),
        notes,
        blocks: if machines.is_empty() { Vec::new() } else { vec![Block::Table(table)] },
    }
}

fn deadline(doc: &AuditDocument, machine: &MachineView) -> Row {
    let due = waiting::due(machine, Zone::of(doc));
    let when = Cell::lines(vec![Line::Strong(Text::new(due.unwrap_or_default()))]);
    let at = waiting::due_at(machine).map(|at| at.timestamp());
    let verb = machine.action.wanted.map_or(machine::MISSING, |wanted| wanted.name());
    let mut what =
        vec![Line::Strong(Text::new(format!("{verb}: {}", waiting::standing(doc, machine))))];
    what.extend(machine::odd_state(machine).filter(|_| machine.stopped_but_billed).map(loud));
    what.extend(machine::reasons(machine).iter().map(|reason| Line::Plain(Text::new(reason))));
    let usage = utilisation::beside_reasons(machine);
    what.extend(usage.iter().map(|usage| Line::Plain(Text::new(usage))));
    what.extend(machine.action.why.iter().map(|why| Line::Quiet(Text::new(why))));
    if !machine.action.loses.is_empty() {
        what.push(loud(format!("loses {}", machine.action.loses.join(", "))));
    }
    let [day, so_far, month] = money_of(machine);
    Row::of(vec![
        identity(machine),
        when.by(at),
        Cell::lines(what),
        Cell::text(machine::owner(machine)),
        kind(machine),
        day,
        so_far,
        month,
        Cell::lines(vec![Line::Code(Text::new(keep::command(doc, machine)))]),
    ])
    .marked(Some("warn"))
}

fn loud(text: String) -> Line {
    Line::Loud(Text::new(text))
}

const DONE: [Column; 6] = [
    Column::text("Machine"),
    Column::text("Outcome"),
    Column::text("Owner"),
    Column::text("Type"),
    Column::plain("Call and rule"),
    Column::plain("Money"),
];

/// Every action that has come to an end or should have; `None` without any.
pub(super) fn done(doc: &AuditDocument) -> Option<Section> {
    let waits: Vec<&str> =
        waiting::deadlines(doc).into_iter().map(|machine| machine.id.as_str()).collect();
    let actions: Vec<Action<'_>> = action::actions(doc)
        .into_iter()
        .filter(|action| !action.is_open() || !waits.contains(&action.machine.id.as_str()))
        .collect();
    let table = Table::of("acted", "Actions of this run", &DONE, (&actions, MOST_ROWS), |action| {
        done_row(doc, action)
    });
    (!actions.is_empty()).then(|| Section {
        id: "actions",
        title: "What this run did",
        count: Some(number(actions.len())),
        notes: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}

fn done_row(doc: &AuditDocument, action: &Action<'_>) -> Row {
    let machine = action.machine;
    let mark = match (action.is_failure(), action.is_confirmed()) {
        (true, _) => "bad",
        (false, true) => "good",
        (false, false) => "calm",
    };
    let mut outcome = vec![Line::Badge(mark, Text::new(action.outcome()))];
    outcome.extend(machine.action.result_why.iter().map(|why| Line::Plain(Text::new(why))));
    let call = machine.action.call.as_deref().unwrap_or(machine::MISSING);
    let mut ground = vec![
        Line::Code(Text::new(call)),
        Line::Plain(Text::new(format!("rule {}", action.rule()))),
    ];
    ground.extend(
        waiting::due(machine, Zone::of(doc))
            .map(|due| Line::Quiet(Text::new(format!("was due {due}")))),
    );
    let money = [vec![action.saving()], action.price()].concat();
    Row::of(vec![
        identity(machine),
        Cell::lines(outcome),
        Cell::text(machine::owner(machine)),
        kind(machine),
        Cell::lines(ground),
        Cell::texts(&money),
    ])
    .marked(Some(mark))
}
