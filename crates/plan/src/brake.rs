//! The mass-stop brake: over a bound nothing at all is done, never "the first N".

use reaper_budget::Exchange;
use reaper_model::{Brake, Money, Totals};
use rust_decimal::Decimal;

use crate::question::Limits;

/// What the brake is held against.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// The bounds themselves.
    pub limits: &'a Limits,
    /// Rates to the report's currency.
    pub exchange: &'a Exchange,
    /// How many actions somebody has looked at and allowed.
    pub expect: Option<u64>,
}

/// The brake over actions whose machines cost `values` an hour, of so many machines. A bound is
/// passed above it, not at it.
pub fn brake(bounds: &Bounds<'_>, values: &[Option<Money>], machines: u64) -> Brake {
    let actions = values.len() as u64;
    let hourly: Totals =
        values.iter().flatten().map(|value| bounds.exchange.convert(*value)).collect();
    let mut held = passed(bounds, values, machines, &hourly);
    if bounds.expect == Some(actions) {
        held.clear();
    }
    if !held.is_empty() {
        held.push(match bounds.expect {
            Some(expected) => format!("--expect said {expected}, and {actions} are due"),
            None => format!(
                "nothing is done: look at the plan, then allow it with --expect {actions} or raise \
                 the limit"
            ),
        });
    }
    Brake { actions, machines, hourly: hourly.iter().collect(), expect: bounds.expect, held }
}

/// The bounds that are passed, with figures.
fn passed(
    bounds: &Bounds<'_>,
    values: &[Option<Money>],
    machines: u64,
    hourly: &Totals,
) -> Vec<String> {
    let limits = bounds.limits;
    let actions = values.len() as u64;
    let mut passed = Vec::new();
    if actions > limits.max_actions {
        passed.push(format!(
            "{actions} actions are due, limits.max_actions is {}",
            limits.max_actions
        ));
    }
    let (part, whole) = (Decimal::from(actions), Decimal::from(machines));
    if part.saturating_mul(Decimal::ONE_HUNDRED) > limits.max_share.saturating_mul(whole) {
        passed.push(format!(
            "{actions} of {machines} machines are to be acted upon, limits.max_share is {} %",
            limits.max_share.normalize()
        ));
    }
    passed.extend(over_value(bounds, hourly));
    let unpriced = values.iter().filter(|value| value.is_none()).count();
    if unpriced > 0 && limits.bounds_value() {
        passed.push(format!(
            "what {unpriced} of the machines cost is not known, so limits.max_hourly_value cannot \
             be checked"
        ));
    }
    passed
}

/// Whether the machines cost too much. Subtotals that no rate brings together are not a sum of
/// money: each is a share of the bound's number, and the shares together pass the whole exactly if
/// their numerators do.
fn over_value(bounds: &Bounds<'_>, hourly: &Totals) -> Option<String> {
    let limit = bounds.limits.max_hourly_value;
    let most = bounds.exchange.convert(limit).amount;
    let used = hourly.iter().fold(Decimal::ZERO, |used, sum| used.saturating_add(sum.amount));
    let sums: Vec<String> = hourly.iter().map(|sum| sum.to_string()).collect();
    let apart = if sums.len() > 1 { ", and without a rate their shares of it add up" } else { "" };
    (used > most).then(|| {
        format!(
            "the machines cost {} an hour, limits.max_hourly_value is {limit}{apart}",
            sums.join(" and ")
        )
    })
}
