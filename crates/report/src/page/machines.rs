//! All machines that are there, orphans first, and of those first what looks off and is billed.

use reaper_model::State;
use reaper_model::document::{AuditDocument, Billing, MachineView, Verdict};

use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::figures::{Zone, number};
use crate::{action, keep, machine, utilisation, waiting};

/// The titles stand in the style as well, for phones.
pub(super) const COLUMNS: [Column; 9] = [
    Column::text("Machine"),
    Column::text("Verdict"),
    Column::text("Type"),
    Column::number("Age"),
    Column::text("Owner"),
    Column::number("A day"),
    Column::number("So far"),
    Column::number("A month"),
    Column::plain("Why"),
];

/// By the eyes that they need.
const BY_VERDICT: [Verdict; 6] = [
    Verdict::Orphan,
    Verdict::Unjudged,
    Verdict::Exempt,
    Verdict::Protected,
    Verdict::Managed,
    Verdict::Ok,
];

pub(super) fn section(doc: &AuditDocument) -> Option<Section> {
    let mut machines: Vec<&MachineView> =
        doc.instances.iter().filter(|machine| machine.state != State::Ended).collect();
    machines.sort_by_key(|machine| (rank(machine.verdict), !machine.stopped_but_billed));
    let options = BY_VERDICT
        .into_iter()
        .map(|verdict| {
            let of = machines.iter().filter(|machine| machine.verdict == verdict);
            (verdict.name(), of.count())
        })
        .filter(|&(_, number)| number > 0)
        .collect();
    let zone = Zone::of(doc);
    let caption = "All machines, orphans first, those that look off and are billed before others";
    let table = Table::of("machines", caption, &COLUMNS, (&machines, usize::MAX), |machine| {
        row(doc, zone, machine)
    });
    let example = keep::example(doc);
    let notes = vec![
        Text::new(format!("To keep a machine, with the ID of its row: {example}")),
        Text::new("Costs are of compute since the last start; a month is 730 hours."),
    ];
    (!machines.is_empty()).then(|| Section {
        id: "fleet",
        title: "Machines",
        count: Some(number(machines.len())),
        notes,
        blocks: vec![Block::Table(table.searched(options))],
    })
}

fn rank(verdict: Verdict) -> usize {
    BY_VERDICT.iter().position(|&other| other == verdict).unwrap_or(BY_VERDICT.len())
}

const fn mark(machine: &MachineView) -> &'static str {
    match machine.verdict {
        Verdict::Orphan => "bad",
        Verdict::Unjudged => "warn",
        Verdict::Exempt | Verdict::Protected | Verdict::Managed => "calm",
        Verdict::Ok => "good",
    }
}

fn row(doc: &AuditDocument, zone: Zone, machine: &MachineView) -> Row {
    let mark = mark(machine);
    let mut verdict = vec![Line::Badge(mark, Text::new(machine.verdict.name()))];
    if let Some(state) = machine::odd_state(machine) {
        let line = if machine.stopped_but_billed { Line::Loud } else { Line::Quiet };
        verdict.push(line(Text::new(state)));
    }
    let [day, so_far, month] = money_of(machine);
    Row {
        verdict: Some(machine.verdict.name()),
        mark: (mark == "bad" || mark == "warn").then_some(mark),
        cells: vec![
            identity(machine),
            Cell::lines(verdict),
            kind(machine),
            Cell::number(
                machine::age(machine),
                machine.age_hours.clone().filter(|hours| is_number(hours)),
            ),
            Cell::text(machine::owner(machine)),
            day,
            so_far,
            month,
            why(doc, zone, machine),
        ],
    }
}

pub(super) fn is_number(text: &str) -> bool {
    text.parse::<rust_decimal::Decimal>().is_ok()
}

/// Why it has its verdict; then what is asked for, how far that is, what became of it, and what goes
/// on being charged.
fn why(doc: &AuditDocument, zone: Zone, machine: &MachineView) -> Cell {
    let plain = |text: &String| Line::Plain(Text::new(text));
    let mut lines: Vec<Line> = match machine.verdict {
        Verdict::Orphan => machine::reasons(machine).iter().map(plain).collect(),
        _ => vec![plain(&machine.why)],
    };
    let usage = match machine.verdict {
        Verdict::Ok => utilisation::in_brief(machine),
        _ => utilisation::beside_reasons(machine),
    };
    lines.extend(usage.iter().map(plain));
    lines.extend(machine::gaps(machine).iter().map(plain));
    if let Some(action) = action::of(doc, machine) {
        let line = if action.is_failure() { Line::Loud } else { Line::Strong };
        lines.push(line(Text::new(action.outcome())));
    }
    let orphan = machine.verdict == Verdict::Orphan;
    let off = machine.billing == Billing::NotBilled;
    let charged = if off {
        machine::charged_while_off(machine)
    } else {
        machine::still_charged_short(machine).filter(|_| orphan)
    };
    let charged = charged.map(|what| {
        let when = if off { "still charged" } else { "still charged after a stop" };
        format!("{when}: {what}")
    });
    let groups = [
        if orphan { machine::wanted(machine) } else { Vec::new() },
        waiting::case(machine, zone),
        charged.into_iter().collect(),
    ];
    let groups = groups.iter().filter(|parts| !parts.is_empty());
    lines.extend(groups.map(|parts| Line::Quiet(Text::new(parts.join(" · ")))));
    Cell::lines(lines)
}

/// Its name, its full id, and where it stands with the account's name.
pub(super) fn identity(machine: &MachineView) -> Cell {
    named(Some(machine::name(machine)), &machine.id, &machine::place(machine))
}

/// The same of a machine of which less is known.
pub(super) fn named(name: Option<&str>, id: &str, place: &str) -> Cell {
    Cell::lines(vec![
        Line::Strong(Text::new(name.unwrap_or(machine::MISSING))),
        Line::Code(Text::new(id)),
        Line::Quiet(Text::new(place)),
    ])
}

/// Type, GPUs and way of payment.
pub(super) fn kind(machine: &MachineView) -> Cell {
    let mut lines = vec![
        Line::Code(Text::new(machine.machine_type.as_str())),
        Line::Plain(Text::new(machine::gpus(machine))),
    ];
    lines.extend(machine::purchase(machine).map(|way| Line::Quiet(Text::new(way))));
    Cell::lines(lines)
}

/// What a further day costs, what it has cost, what a further month costs.
pub(super) fn money_of(machine: &MachineView) -> [Cell; 3] {
    let billed = machine.billing != Billing::NotBilled;
    let cost = machine.cost.as_ref().filter(|_| billed);
    let day = machine::per_day(machine);
    let shown = match day {
        Some(day) => day.to_string(),
        None => machine::per_month(machine),
    };
    [
        Cell::money(shown, day),
        Cell::money(machine::so_far(machine), cost.and_then(|cost| cost.since_start)),
        Cell::money(machine::per_month(machine), cost.map(|cost| cost.per_month_if_left)),
    ]
}
