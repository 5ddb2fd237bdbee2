//! What a reader should know besides: holes in the evidence and settings that do nothing. One
//! warning per cause, not per machine, wherever a cause has many machines.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use reaper_model::document::{OwnerStatus, Verdict, Warning};
use reaper_model::{Fact, Ignorance, PriceSource, State};
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

/// All warnings of a run, sorted by code and subject, without doubles.
pub(crate) fn warnings(
    inventory: &Inventory,
    machines: &[Assessed],
    policy: &Policy,
    fallback: bool,
    now: DateTime<Utc>,
) -> Vec<Warning> {
    let mut all = BTreeSet::new();
    all.extend(of_inventory(inventory));
    all.extend(of_types(machines, now.date_naive()));
    all.extend(of_policy(machines, policy, now));
    for machine in machines {
        all.extend(of_machine(machine, now));
    }
    let nobody = |machine: &&Assessed| {
        machine.judgement.verdict == Verdict::Orphan && machine.judgement.owner.emails.is_empty()
    };
    let unheard = machines.iter().filter(nobody).count();
    if unheard > 0 && !fallback {
        let text = format!(
            "{unheard} orphans have no owner that mail can reach, and owners.fallback is not set: \
             nobody would be told"
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
        let text = format!("{count} machines were listed through {pair}; each is counted once");
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
            "list prices of {provider} are up to {days} days old (oldest {oldest}, {machines} \
             machines): check them, or set [[price]]"
        );
        found.push(warning("price-stale", text, Some(provider)));
    }
    found
}

fn of_policy(machines: &[Assessed], policy: &Policy, now: DateTime<Utc>) -> Vec<Warning> {
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
    for (place, exemption) in policy.exemptions().iter().enumerate() {
        let named = machines.iter().any(|machine| machine.judgement.named_by.contains(&place));
        let number = place + 1;
        let subject = Some(format!("exempt {number}"));
        if !named {
            let text = format!("[[exempt]] {number} ({}) names no machine", exemption.reason);
            found.push(warning("exemption-unused", text, subject.clone()));
        }
        if exemption.until <= now {
            let text = format!(
                "[[exempt]] {number} ({}) has lapsed on {}",
                exemption.reason, exemption.until_text
            );
            found.push(warning("exemption-lapsed", text, subject));
        }
    }
    found
}

fn of_machine(machine: &Assessed, now: DateTime<Utc>) -> Vec<Warning> {
    let Assessed { instance, judgement, .. } = machine;
    let subject = Some(instance.id.to_string());
    let mut found = Vec::new();
    for note in &judgement.notes {
        found.push(warning("note", note.clone(), subject.clone()));
    }
    for field in &instance.unreadable {
        found.push(warning(
            "unreadable-field",
            format!("unreadable field {field}"),
            subject.clone(),
        ));
    }
    if instance.state == State::Unknown {
        let text = format!(
            "state {:?} is not known to this version: counted as billed, never acted on",
            instance.provider_state
        );
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
