//! What providers have billed beside what was estimated, in words that all formats share. Plain
//! text, neither cleaned nor escaped.

use reaper_model::Money;
use reaper_model::document::{BillStatus, BillView};

use crate::budget::signed;
use crate::figures::{Zone, age, amounts, listed};

/// What the two sides are.
pub(crate) const MEANING: &str = "accelerated machines without tax, beside the estimate";

/// `aws/research`.
pub fn account(bill: &BillView) -> String {
    format!("{}/{}", bill.provider, bill.account)
}

/// Whether it could be read.
pub fn is_read(bill: &BillView) -> bool {
    bill.status == BillStatus::Read
}

/// What was billed.
pub(crate) fn billed(bill: &BillView) -> String {
    shown(bill, &bill.billed)
}

/// What was estimated for the same time.
pub(crate) fn estimated(bill: &BillView) -> String {
    shown(bill, &bill.estimated)
}

/// How much more than estimated was billed: `+34.00 USD (2.7 %)`.
pub(crate) fn difference(bill: &BillView) -> String {
    if !is_read(bill) {
        return MISSING.to_owned();
    }
    let sums: Vec<String> = bill.difference.iter().map(|&money| signed(money)).collect();
    match (sums.is_empty(), &bill.difference_percent) {
        (true, _) => "none".to_owned(),
        (false, Some(percent)) => format!("{} ({percent} %)", listed(&sums)),
        (false, None) => listed(&sums),
    }
}

const MISSING: &str = "-";

fn shown(bill: &BillView, sums: &[Money]) -> String {
    match amounts(sums) {
        Some(sums) => sums,
        None if is_read(bill) => "nothing".to_owned(),
        None => MISSING.to_owned(),
    }
}

/// How old its newest data is: `1d 8h old`.
pub fn old(bill: &BillView) -> Option<String> {
    bill.age_hours.as_ref().map(|hours| format!("{} old", age(hours)))
}

/// The span of the data and its age, what else was billed, why something is missing.
pub(crate) fn asides(bill: &BillView, zone: Zone) -> Vec<String> {
    let span = match (bill.from, bill.until) {
        (Some(from), Some(until)) => {
            Some(format!("data from {} until {}", zone.day(from), zone.day(until)))
        }
        (None, Some(until)) => Some(format!("data until {}", zone.day(until))),
        (_, None) => None,
    };
    let other = amounts(&bill.other)
        .map(|sums| format!("{sums} billed besides for disks, addresses and other machines"));
    [span, old(bill), other, bill.why.clone()].into_iter().flatten().collect()
}
