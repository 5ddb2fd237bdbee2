//! How figures are written in advice.

use chrono::DateTime;
use chrono_tz::Tz;
use reaper_model::{Gpu, Money, Unit};
use rust_decimal::Decimal;

use crate::models::Gear;
use crate::week::Seen;

/// `9 %`, `0.4 %`: a digit behind the point below ten.
pub(crate) fn percent(value: f64) -> String {
    if value < 9.95 { format!("{} %", tenths(value)) } else { format!("{value:.0} %") }
}

/// With at most one digit behind the point.
pub(crate) fn tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// `24 GiB`, `22.35 GiB`.
pub(crate) fn gib(size: Decimal) -> String {
    format!("{} GiB", size.round_dp(2).normalize())
}

/// The same of a measured figure; one digit is enough.
pub(crate) fn measured_gib(size: f64) -> String {
    format!("{} GiB", tenths(size))
}

/// `0.8048 USD per hour`, `540.00 EUR per month`.
pub(crate) fn price(money: Money, unit: Unit) -> String {
    let per = match unit {
        Unit::Hour => "hour",
        Unit::Month => "month",
    };
    format!("{} {} per {per}", money.all_digits(), money.currency)
}

/// `4 × A10G of 22.35 GiB`, `0.125 × L4 of 2.79 GiB`.
pub(crate) fn cards(gpu: &Gpu, gear: &Gear) -> String {
    let (model, memory) = (&gpu.model, gib(gear.memory_gib));
    if gear.share < 1.0 {
        format!("{} × {model} of {memory}", gpu.count.normalize())
    } else {
        format!("{} × {model} of {memory}", gear.cards)
    }
}

/// `98 % of the week measured, source DCGM`.
pub(crate) fn evidence(seen: &Seen) -> String {
    format!("{:.0} % of the week measured, source {}", seen.coverage * 100.0, seen.source)
}

/// `Mon 7 Dec 2026, 00:00 +01:00`.
pub(crate) fn time(at: DateTime<Tz>) -> String {
    at.format("%a %-d %b %Y, %H:%M %:z").to_string()
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn or(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}
