//! The statements about one machine that all formats share. Plain text, neither cleaned nor
//! escaped.

use reaper_model::document::{
    Billing, MachineView, OwnerStatus, OwnerView, PurchaseView, StillCharged,
};
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{Money, State};
use rust_decimal::Decimal;

use crate::figures::{self, amounts, count};

/// What stands where something is missing.
pub(crate) const MISSING: &str = "-";
const UNKNOWN: &str = "unknown";

/// Its name, else `-`.
pub(crate) fn name(machine: &MachineView) -> &str {
    machine.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(MISSING)
}

/// Its name, else its id.
pub(crate) fn known_as(machine: &MachineView) -> &str {
    if name(machine) == MISSING { &machine.native_id } else { name(machine) }
}

/// `aws/research/eu-west-1`: with the account's name in the configuration.
pub(crate) fn place(machine: &MachineView) -> String {
    format!("{}/{}/{}", machine.provider, machine.account, machine.location)
}

/// `8×A100`.
pub(crate) fn gpus(machine: &MachineView) -> String {
    match &machine.gpu {
        Some(gpu) => format!("{}×{}", gpu.count, gpu.model),
        None => "GPUs unknown".to_owned(),
    }
}

/// `30d 0h`, else `unknown`.
pub(crate) fn age(machine: &MachineView) -> String {
    machine.age_hours.as_deref().map_or_else(|| UNKNOWN.to_owned(), figures::age)
}

/// Who, and how sure that is.
pub(crate) fn owner(machine: &MachineView) -> String {
    owner_of(&machine.owner)
}

/// The same of anything that may have an owner.
pub(crate) fn owner_of(owner: &OwnerView) -> String {
    match (owner.status, &owner.id) {
        (OwnerStatus::Known, Some(id)) => id.clone(),
        (OwnerStatus::Absent, None) => "none".to_owned(),
        (status, Some(id)) => format!("{id} ({})", status.name()),
        (status, None) => status.name().to_owned(),
    }
}

/// What it has cost since its last start. A machine whose compute is not billed gets no 0: its
/// disks may go on costing.
pub(crate) fn so_far(machine: &MachineView) -> String {
    let since_start = machine.cost.as_ref().and_then(|cost| cost.since_start);
    match (since_start, machine.billing) {
        (_, Billing::NotBilled) => MISSING.to_owned(),
        (Some(cost), _) => cost.to_string(),
        (None, _) => UNKNOWN.to_owned(),
    }
}

/// What a further month costs.
pub(crate) fn per_month(machine: &MachineView) -> String {
    match (&machine.cost, machine.billing) {
        (_, Billing::NotBilled) => "not billed".to_owned(),
        (Some(cost), _) => cost.per_month_if_left.to_string(),
        (None, _) => UNKNOWN.to_owned(),
    }
}

/// What a further day costs: the part of [`per_month`] that falls on 24 hours. `None` where it is not
/// billed or not known.
pub(crate) fn per_day(machine: &MachineView) -> Option<Money> {
    if machine.billing == Billing::NotBilled {
        return None;
    }
    let month = machine.cost.as_ref()?.per_month_if_left;
    let day = month.amount.checked_mul(Decimal::from(24))?.checked_div(HOURS_PER_MONTH.into())?;
    Some(Money::new(day, month.currency).rounded())
}

/// How it is paid for, where that is worth a word.
pub(crate) const fn purchase(machine: &MachineView) -> Option<&'static str> {
    match machine.purchase {
        PurchaseView::OnDemand => None,
        PurchaseView::Spot => Some("spot"),
        PurchaseView::Reserved => Some("reserved"),
        PurchaseView::Monthly => Some("monthly plan"),
        PurchaseView::Unknown => Some("way of payment unknown"),
    }
}

/// The state in our word, and in the provider's where that says something else.
pub(crate) fn state(machine: &MachineView) -> String {
    let word = machine.state.to_string();
    if machine.provider_state.eq_ignore_ascii_case(&word) {
        word
    } else {
        format!("{word} ({})", machine.provider_state)
    }
}

/// The state, where it is anything but up and billed.
pub(crate) fn odd_state(machine: &MachineView) -> Option<String> {
    let usual = machine.state == State::Running && machine.billing == Billing::Billed;
    (!usual).then(|| match machine.billing {
        _ if machine.stopped_but_billed => {
            format!("stopped but billed: \"{}\" still costs the full price", machine.provider_state)
        }
        Billing::Unknown => format!("{}, counted as billed", state(machine)),
        Billing::Billed => format!("{}, still billed", state(machine)),
        Billing::NotBilled => state(machine),
    })
}

/// Why its figures are missing.
pub(crate) fn gaps(machine: &MachineView) -> Vec<String> {
    let gap = |what: &str, why: &Option<String>| match why {
        Some(why) => format!("{what} unknown: {why}"),
        None => format!("{what} unknown"),
    };
    let mut gaps = Vec::new();
    if machine.gpu.is_none() {
        gaps.push(gap("GPUs", &machine.gpu_why));
    }
    if machine.age_hours.is_none() {
        gaps.push(gap("age", &machine.age_why));
    }
    match (&machine.price, &machine.cost) {
        (None, _) => gaps.push(gap("price", &machine.price_why)),
        (Some(price), None) => gaps.push(format!("price {} an hour", digits(price.hourly))),
        (Some(_), Some(_)) => {}
    }
    gaps
}

/// A price with all its digits.
pub(crate) fn digits(price: Money) -> String {
    format!("{} {}", price.all_digits(), price.currency)
}

/// Why it has its verdict: the rules that said yes, else the verdict's own reason.
pub(crate) fn reasons(machine: &MachineView) -> Vec<String> {
    if machine.findings.is_empty() {
        return vec![machine.why.clone()];
    }
    let shown = |finding: &reaper_model::document::Finding| {
        format!("{} ({})", finding.explanation, finding.rule)
    };
    machine.findings.iter().map(shown).collect()
}

/// What the rules ask for, what it would save and cost, and what speaks against it.
pub(crate) fn wanted(machine: &MachineView) -> Vec<String> {
    let action = &machine.action;
    let mut parts = Vec::new();
    parts.extend(action.wanted.map(|wanted| wanted.name().to_owned()));
    parts.extend(action.saves_per_month.map(|saving| {
        if saving.amount.is_zero() {
            "saves nothing".to_owned()
        } else {
            format!("saves {saving} of compute a month")
        }
    }));
    if !action.loses.is_empty() {
        parts.push(format!("loses {}", action.loses.join(", ")));
    }
    parts.extend(action.why.clone());
    parts
}

/// What goes on being charged after a stop, or is charged already although compute is not.
pub(crate) fn still_charged(machine: &MachineView) -> Vec<String> {
    let stopped = machine.billing == Billing::NotBilled;
    let mut parts: Vec<String> = machine.action.still_charged.iter().map(charge).collect();
    if stopped {
        parts.insert(0, "compute is not billed".to_owned());
    }
    parts
}

/// The same in few words: `2 volumes, 1 address`, with the sum of what is known.
pub(crate) fn still_charged_short(machine: &MachineView) -> Option<String> {
    let charged = &machine.action.still_charged;
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for item in charged {
        match kinds.iter_mut().find(|(kind, _)| *kind == item.kind) {
            Some((_, number)) => *number += 1,
            None => kinds.push((&item.kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, number)| match kind {
            "address" if number > 1 => format!("{number} addresses"),
            kind => count(number, kind),
        })
        .collect();
    let known: reaper_model::Totals = charged.iter().filter_map(|item| item.per_month).collect();
    let sums: Vec<_> = known.iter().collect();
    let unpriced = charged.iter().any(|item| item.per_month.is_none());
    let price = match (amounts(&sums), unpriced) {
        (Some(sum), false) => format!(" ({sum} a month)"),
        (Some(sum), true) => format!(" (at least {sum} a month)"),
        (None, _) => String::new(),
    };
    (!kinds.is_empty()).then(|| format!("{}{price}", kinds.join(", ")))
}

/// What of a machine whose compute is not billed goes on costing, each with its price: it is off,
/// and it is not free.
pub(crate) fn charged_while_off(machine: &MachineView) -> Option<String> {
    const MOST: usize = 4;
    let charged = &machine.action.still_charged;
    if charged.len() > MOST {
        return still_charged_short(machine);
    }
    let each: Vec<String> = charged.iter().map(charge).collect();
    (!each.is_empty()).then(|| each.join(", "))
}

fn charge(item: &StillCharged) -> String {
    match item.per_month {
        Some(price) => format!("{} {}: {price} a month", item.kind, item.id),
        None => format!("{} {}: price unknown", item.kind, item.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_055_a_saving_is_of_compute_and_what_stays_is_listed() {
        let doc = fixture::mixed();
        let notebook = &doc.instances[0];
        assert_eq!(wanted(notebook)[1], "saves 2,555.00 EUR of compute a month");
        assert_eq!(
            still_charged(notebook)[..2],
            ["volume vol-01: 80.00 EUR a month", "volume vol-02: price unknown"]
        );
        assert_eq!(
            still_charged_short(notebook).as_deref(),
            Some("2 volumes, 1 address (at least 83.65 EUR a month)")
        );
    }

    #[test]
    fn fl_055_a_stopped_machine_lists_what_is_still_charged_with_prices() {
        let mut off = fixture::mixed().instances.remove(4);
        assert_eq!(charged_while_off(&off).as_deref(), Some("volume vol-03: 40.00 EUR a month"));
        let mut unpriced = off.action.still_charged[0].clone();
        unpriced.per_month = None;
        off.action.still_charged.push(unpriced.clone());
        assert_eq!(
            charged_while_off(&off).as_deref(),
            Some("volume vol-03: 40.00 EUR a month, volume vol-03: price unknown")
        );
        off.action.still_charged.extend(vec![unpriced; 10]);
        assert_eq!(
            charged_while_off(&off).as_deref(),
            Some("12 volumes (at least 40.00 EUR a month)")
        );
    }

    #[test]
    fn a_day_is_its_part_of_a_month_and_unknown_where_that_is() {
        let doc = fixture::mixed();
        assert_eq!(per_day(&doc.instances[0]), Some(fixture::money("84 EUR")));
        let unpriced = doc.instances.iter().find(|machine| machine.price.is_none());
        assert_eq!(unpriced.and_then(per_day), None);
        let off = doc.instances.iter().find(|machine| machine.billing == Billing::NotBilled);
        assert_eq!(off.and_then(per_day), None);
    }

    #[test]
    fn a_stop_of_a_prepaid_machine_saves_nothing_and_says_so() {
        let mut machine = fixture::mixed().instances.remove(0);
        machine.purchase = PurchaseView::Monthly;
        machine.action.saves_per_month = Some(fixture::money("0 EUR"));
        assert_eq!(wanted(&machine)[1], "saves nothing");
        assert_eq!(purchase(&machine), Some("monthly plan"));
    }

    #[test]
    fn fl_086_a_state_that_is_not_known_is_quoted_and_counted_as_billed() {
        let doc = fixture::mixed();
        let strange = doc.instances.iter().find(|machine| machine.billing == Billing::Unknown);
        assert_eq!(
            strange.and_then(odd_state).as_deref(),
            Some("unknown (HIBERNATING_DEEP), counted as billed")
        );
    }

    #[test]
    fn an_unreadable_owner_is_not_an_absent_one() {
        let mut machine = fixture::mixed().instances.remove(0);
        assert_eq!(owner(&machine), "none");
        machine.owner.status = OwnerStatus::Unreadable;
        assert_eq!(owner(&machine), "unreadable");
        machine.owner.id = Some("alice, bob".to_owned());
        machine.owner.status = OwnerStatus::Conflicting;
        assert_eq!(owner(&machine), "alice, bob (conflicting)");
    }
}
