//! The facts of a machine as labelled lines: value, source, or why there is none.

use chrono::{DateTime, FixedOffset};
use reaper_model::document::{AuditDocument, Billing, CostBasis, MachineView, ScopeView};

use crate::figures::{age, time};
use crate::machine::{self, MISSING};
use crate::{advice, leftover, summary, utilisation};

/// All lines, in reading order. A line without parts is left out by the page.
pub(super) fn of(machine: &MachineView, doc: &AuditDocument) -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("where", place(machine, doc)),
        ("state", state(machine)),
        ("type", kind(machine)),
        ("created", vec![at(machine.created_at)]),
        ("started", vec![at(machine.running_since)]),
        ("first seen", vec![at(machine.first_seen)]),
        ("age", since_start(machine)),
        ("owner", owner(machine)),
        ("tags", tags(machine)),
        ("managed by", vec![managed_by(machine)]),
        ("protected", vec![machine.protected.clone().unwrap_or_else(none)]),
        ("price", price(machine, doc)),
        ("cost", cost(machine)),
        ("use", used(machine)),
        ("advice", advised(machine, doc)),
        ("left behind", left(machine, doc)),
    ]
}

fn managed_by(machine: &MachineView) -> String {
    match (&machine.managed_by, &machine.managed_by_why) {
        (Some(manager), _) => manager.clone(),
        (None, why @ Some(_)) => unknown(why.as_ref()),
        (None, None) => none(),
    }
}

fn none() -> String {
    "none".to_owned()
}

fn unknown(why: Option<&String>) -> String {
    why.map_or_else(|| "unknown".to_owned(), |why| format!("unknown: {why}"))
}

fn at(moment: Option<DateTime<FixedOffset>>) -> String {
    moment.map_or_else(|| MISSING.to_owned(), time)
}

fn place(machine: &MachineView, doc: &AuditDocument) -> Vec<String> {
    let here = |scope: &&ScopeView| {
        scope.account == machine.account
            && scope.provider == machine.provider
            && scope.location.as_ref() == Some(&machine.location)
    };
    let mut parts = vec![machine::place(machine)];
    if let Some(scope) = doc.scopes.iter().find(here) {
        parts.extend(scope.provider_account.as_ref().map(|id| format!("account {id}")));
        parts.push(format!("scope {}", summary::status_word(scope.status)));
        parts.extend(scope.why.clone());
    }
    parts
}

fn state(machine: &MachineView) -> Vec<String> {
    let billing = match machine.billing {
        Billing::Billed if machine.stopped_but_billed => "stopped but billed",
        Billing::Billed => "billed",
        Billing::NotBilled => "compute is not billed",
        Billing::Unknown => "not known whether it is billed, counted as billed",
    };
    let said = format!("the provider says \"{}\"", machine.provider_state);
    vec![machine.state.to_string(), said, billing.to_owned()]
}

fn kind(machine: &MachineView) -> Vec<String> {
    let mut parts = vec![machine.machine_type.to_string()];
    match &machine.gpu {
        Some(gpu) => {
            parts.push(machine::gpus(machine));
            parts.extend(gpu.memory_gib.as_ref().map(|gib| format!("{gib} GiB")));
        }
        None => parts.push(format!("GPUs {}", unknown(machine.gpu_why.as_ref()))),
    }
    parts.push(machine::purchase(machine).unwrap_or("on demand").to_owned());
    parts
}

fn since_start(machine: &MachineView) -> Vec<String> {
    match &machine.age_hours {
        Some(hours) => vec![format!("{} ({hours} h)", age(hours))],
        None => vec![unknown(machine.age_why.as_ref())],
    }
}

fn owner(machine: &MachineView) -> Vec<String> {
    let owner = &machine.owner;
    let mut parts = vec![machine::owner(machine)];
    parts.extend(owner.email.as_ref().filter(|email| Some(*email) != owner.id.as_ref()).cloned());
    parts.extend(owner.team.as_ref().map(|team| format!("team {team}")));
    parts.extend(owner.source.as_ref().map(|source| format!("from {source}")));
    parts.extend(owner.why.clone());
    parts
}

fn tags(machine: &MachineView) -> Vec<String> {
    if !machine.tags_read {
        return vec![unknown(machine.tags_why.as_ref())];
    }
    if machine.raw_tags.is_empty() { vec![none()] } else { machine.raw_tags.clone() }
}

fn price(machine: &MachineView, doc: &AuditDocument) -> Vec<String> {
    let Some(price) = &machine.price else {
        return vec![unknown(machine.price_why.as_ref())];
    };
    let mut parts = vec![format!("{} an hour", machine::digits(price.hourly))];
    parts.extend(price.monthly.map(|month| format!("{} a month", machine::digits(month))));
    parts.push(format!("{} of {}", summary::source_word(price.source), price.as_of));
    let rate = doc.rates.iter().find(|rate| rate.from == price.hourly.currency);
    parts.extend(rate.map(summary::rate));
    parts
}

fn cost(machine: &MachineView) -> Vec<String> {
    if machine.billing == Billing::NotBilled {
        return vec!["compute is not billed".to_owned()];
    }
    let Some(cost) = &machine.cost else {
        return vec!["unknown: the price is not known".to_owned()];
    };
    let CostBasis::Estimate = cost.basis;
    let mut parts = match (cost.since_start, cost.month_to_date) {
        (Some(since), Some(month)) => {
            vec![format!("{since} since its start"), format!("{month} of that this month")]
        }
        _ => vec!["so far unknown".to_owned()],
    };
    parts.push(format!("{} a month if left", cost.per_month_if_left));
    parts.push("estimate".to_owned());
    parts
}

/// The verdict with its evidence, then each figure by itself.
fn used(machine: &MachineView) -> Vec<String> {
    let usage = &machine.utilisation;
    let Some(statement) = utilisation::statement(machine) else {
        return vec!["not asked: no rule needs it".to_owned()];
    };
    let mut parts = vec![statement];
    parts.extend(usage.gpu_peak.as_ref().map(|peak| format!("peak {peak}")));
    parts.extend(usage.idle_gpus.as_ref().map(|idle| format!("{idle} accelerators idle")));
    parts.extend(usage.coverage.as_ref().map(|share| format!("{share} of the window measured")));
    parts.extend(usage.window.as_ref().map(|window| format!("window {window}")));
    parts.extend(usage.source.as_ref().map(|source| format!("from {source}")));
    parts
}

fn advised(machine: &MachineView, doc: &AuditDocument) -> Vec<String> {
    let pieces = advice::pieces(doc, std::iter::once(machine));
    pieces.iter().map(advice::Piece::line).collect()
}

/// What belonged to it and is used by nobody.
fn left(machine: &MachineView, doc: &AuditDocument) -> Vec<String> {
    let is_its = |of: &str| of == machine.native_id || of == machine.id;
    let its = doc.leftovers.iter().filter(|leftover| leftover.of.as_deref().is_some_and(is_its));
    its.map(|leftover| {
        let name = leftover::known_as(leftover);
        format!("{} {name}: {}", leftover::noun(leftover.kind), leftover::cost(leftover))
    })
    .collect()
}
