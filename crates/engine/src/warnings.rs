//! What a reader should know besides: holes in the evidence and settings that do nothing. One
//! warning per cause, not per machine, wherever a cause has many machines.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use reaper_model::document::{OwnerStatus, Verdict, Warning};
use reaper_model::{Fact, Ignorance, Meter, PriceSource, State};
use reaper_policy::{Answer, Policy, Protection};

use crate::assess::Assessed;
use crate::collect::Inventory;

/// Prices older than this are pointed out.
const STALE_PRICE_DAYS: i64 = 90;
/// A machine that has been stopping for longer than this is stuck.
const STUCK_AFTER: TimeDelta = TimeDelta::hours(1);

fn warning(code: &str, text: String, subject: Option<String>) -> Warning {
    Warning { code: code.to_owned(), text, subject }
}

/// What is known of the run as a whole.
pub(crate) struct Run<'a> {
    pub(crate) policy: &'a Policy,
    /// Whether `owners.fallback` is set.
    pub(crate) fallback: bool,
    /// Whether everything was read, so that what was not seen is nowhere.
    pub(crate) whole: bool,
    pub(crate) now: DateTime<Utc>,
}

/// All warnings of a run, sorted by code and subject, without doubles.
pub(crate) fn warnings(
    inventory: &Inventory,
    machines: &[Assessed],
    run: &Run<'_>,
) -> Vec<Warning> {
    let &Run { policy, fallback, whole, now } = run;
    let mut all = BTreeSet::new();
    all.extend(of_inventory(inventory));
    all.extend(of_types(machines, now.date_naive()));
    all.extend(of_exemptions(policy, now));
    all.extend(of_notes(machines));
    all.extend(of_meters(machines));
    if whole {
        all.extend(of_rules(machines, policy));
        all.extend(unused(machines, policy));
    }
    for machine in machines {
        all.extend(of_machine(machine, now));
    }
    let nobody = |machine: &&Assessed| {
        machine.judgement.verdict == Verdict::Orphan && machine.judgement.owner.emails.is_empty()
    };
    let unheard = machines.iter().filter(nobody).count();
    if unheard > 0 && !fallback {
        let text = format!(
            "orphans without an owner that mail can reach: {unheard}, and owners.fallback is not \
             set: nobody would be told"
        );
        all.insert(warning("no-fallback", text, Some("owners.fallback".to_owned())));
    }
    all.into_iter().collect()
}

/// Locations that are left out, machines that came twice.
pub fn of_inventory(inventory: &Inventory) -> Vec<Warning> {
    let uncovered = inventory.uncovered.iter().map(|(account, locations)| {
        let names: Vec<_> = locations.iter().map(ToString::to_string).collect();
        let text = format!("{account}: {} regions not scanned: {}", names.len(), names.join(", "));
        warning("not-scanned", text, Some(account.to_string()))
    });
    let mut pairs: BTreeMap<String, usize> = BTreeMap::new();
    for [first, second] in inventory.doubled.values() {
        *pairs.entry(format!("{first} and {second}")).or_default() += 1;
    }
    let doubled = pairs.into_iter().map(|(pair, count)| {
        let text = format!("listed through {pair}: {count}; each machine is counted once");
        warning("listed-twice", text, Some(pair))
    });
    let noted = inventory.coverage_notes.iter().map(|(account, note)| {
        warning("coverage", format!("{account}: {note}"), Some(account.to_string()))
    });
    let said = inventory.scopes.iter().flat_map(|read| read.warnings.iter().cloned());
    uncovered.chain(noted).chain(doubled).chain(said).collect()
}

/// Prices and types, one warning each per type.
fn of_types(machines: &[Assessed], today: NaiveDate) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut stale: BTreeMap<String, (NaiveDate, usize)> = BTreeMap::new();
    for machine in machines {
        let instance = &machine.instance;
        let provider = &instance.id.provider;
        let kind = &instance.machine_type;
        let subject = Some(format!("{provider}/{kind}"));
        if let Fact::Unknown(gap) = &instance.gpu {
            let text = format!(
                "type {kind} of {provider} is unknown, assumed to be a billable GPU: {gap}"
            );
            found.push(warning("type-unknown", text, subject.clone()));
        }
        if !instance.meter.may_be_billed() {
            continue;
        }
        match &machine.price {
            Fact::Unknown(gap) => {
                let text =
                    format!("no price for {kind} of {provider} ({gap}): sums are \"at least\"");
                found.push(warning("price-unknown", text, subject));
            }
            Fact::Known { value, .. } if value.source == PriceSource::Catalogue => {
                let entry = stale.entry(provider.to_string()).or_insert((value.as_of, 0));
                entry.0 = entry.0.min(value.as_of);
                entry.1 += usize::from(value.age_days(today) > STALE_PRICE_DAYS);
            }
            Fact::Known { .. } | Fact::Absent { .. } => {}
        }
    }
    for (provider, (oldest, machines)) in stale.into_iter().filter(|(_, (_, count))| *count > 0) {
        let days = (today - oldest).num_days();
        let text = format!(
            "list prices of {provider} are up to {days} days old (oldest {oldest}, machines \
             concerned: {machines}): check them, or set [[price]]"
        );
        found.push(warning("price-stale", text, Some(provider)));
    }
    found
}

/// Rules that select nothing, or everything.
fn of_rules(machines: &[Assessed], policy: &Policy) -> Vec<Warning> {
    let mut found = Vec::new();
    let judged = machines.iter().filter(|machine| !machine.judgement.rules.is_empty()).count();
    for (place, rule) in policy.rules().iter().enumerate() {
        let yes = machines
            .iter()
            .filter_map(|machine| machine.judgement.rules.get(place))
            .filter(|answer| answer.answer == Answer::Yes)
            .count();
        let (code, text) = match yes {
            0 if judged > 0 => {
                ("rule-matches-none", format!("rule {:?} matches no machine", rule.name))
            }
            count if count == judged && judged > 1 => {
                ("rule-matches-all", format!("rule {:?} matches all {judged} machines", rule.name))
            }
            _ => continue,
        };
        found.push(warning(code, text, Some(rule.name.clone())));
    }
    found
}

/// Entries of the configuration that name no machine.
fn unused(machines: &[Assessed], policy: &Policy) -> Vec<Warning> {
    let mut found = Vec::new();
    for (place, exemption) in policy.exemptions().iter().enumerate() {
        if machines.iter().any(|machine| machine.judgement.named_by.contains(&place)) {
            continue;
        }
        let number = place + 1;
        let text = format!("[[exempt]] {number} ({}) names no machine", exemption.reason);
        found.push(warning("exemption-unused", text, Some(format!("exempt {number}"))));
    }
    let used: BTreeSet<&str> = machines
        .iter()
        .filter_map(|machine| machine.judgement.owner.mapped_by.as_deref())
        .collect();
    for key in policy.mapped().filter(|key| !used.contains(key)) {
        let text = format!("owners.map {key:?} names no machine");
        found.push(warning("owner-map-unused", text, Some(key.to_owned())));
    }
    found
}

fn of_exemptions(policy: &Policy, now: DateTime<Utc>) -> Vec<Warning> {
    let lapsed = policy.exemptions().iter().enumerate().filter(|(_, entry)| entry.until <= now);
    lapsed
        .map(|(place, entry)| {
            let number = place + 1;
            let text = format!(
                "[[exempt]] {number} ({}) has lapsed on {}",
                entry.reason, entry.until_text
            );
            warning("exemption-lapsed", text, Some(format!("exempt {number}")))
        })
        .collect()
}

/// Odd spellings and lapsed keep tags, one warning for all machines that share one.
fn of_notes(machines: &[Assessed]) -> Vec<Warning> {
    let mut notes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for machine in machines {
        for note in &machine.judgement.notes {
            notes.entry(note).or_default().push(machine.instance.id.to_string());
        }
    }
    notes
        .into_iter()
        .map(|(note, ids)| match ids.as_slice() {
            [id] => warning("note", note.to_owned(), Some(id.clone())),
            several => warning("note", format!("{note} ({} machines)", several.len()), None),
        })
        .collect()
}

/// Machines that look off and are billed, by provider: nobody expects that bill.
fn of_meters(machines: &[Assessed]) -> Vec<Warning> {
    let mut off: BTreeMap<String, usize> = BTreeMap::new();
    for Assessed { instance, .. } in machines {
        let looks_off = matches!(instance.state, State::Stopped | State::Stopping);
        if looks_off && instance.meter == Meter::StoppedBilled {
            *off.entry(instance.id.provider.to_string()).or_default() += 1;
        }
    }
    off.into_iter()
        .map(|(provider, count)| {
            let text = format!(
                "stopped but billed at {provider}: {count}; only the right stop ends the bill"
            );
            warning("stopped-but-billed", text, Some(provider))
        })
        .collect()
}

fn of_machine(machine: &Assessed, now: DateTime<Utc>) -> Vec<Warning> {
    let Assessed { instance, judgement, .. } = machine;
    let subject = Some(instance.id.to_string());
    let mut found = Vec::new();
    for field in &instance.unreadable {
        found.push(warning(
            "unreadable-field",
            format!("unreadable field {field}"),
            subject.clone(),
        ));
    }
    if instance.state == State::Unknown {
        let word = &instance.provider_state;
        let text = format!("state {word:?} is unknown: counted as billed, never acted on");
        found.push(warning("state-unknown", text, subject.clone()));
    }
    if judgement.owner.status == OwnerStatus::Unreadable
        && instance.tags.gap().is_some_and(|gap| gap.kind == Ignorance::NotOffered)
    {
        let provider = &instance.id.provider;
        let text =
            format!("owner unknown at {provider} for machines without a map entry or pattern");
        found.push(warning("owner-unknown", text, Some(provider.to_string())));
    }
    if let Fact::Unknown(gap) = &instance.guards
        && gap.kind == Ignorance::ReadFailed
        && judgement.protection == Protection::None
    {
        let text = format!("protection at the provider could not be read: {gap}");
        found.push(warning("guards-unread", text, subject.clone()));
    }
    if instance.state == State::Stopping
        && let Some(since) = instance.stopped_at.value()
        && now - *since > STUCK_AFTER
    {
        let text = format!(
            "stuck in {} since {}, may still be billed",
            instance.provider_state,
            since.format("%Y-%m-%d %H:%M UTC")
        );
        found.push(warning("stuck", text, subject));
    }
    found
}
