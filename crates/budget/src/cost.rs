//! What one run of a machine has cost: list price times billed time. An estimate, and called so wherever it is shown.

use chrono::{DateTime, Utc};
use reaper_model::{Money, Price, Span, Unit};
use rust_decimal::Decimal;

use crate::month::Month;
use crate::rounding::Rounding;

/// One run: from its start to the clock of the report, or to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// When billing began.
    pub start: DateTime<Utc>,
    /// Until when it is counted.
    pub until: DateTime<Utc>,
}

/// Cost of one run, in the currency of its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Since the start.
    pub since_start: Money,
    /// The part since the start of the month.
    pub month_to_date: Money,
}

impl Cost {
    /// The cost of `run` at `price`. The month's part is what the run cost beyond what it had cost
    /// when the month began, so that parts of several months add up to the whole exactly.
    pub fn of(run: Run, price: &Price, rounding: Rounding, month: &Month) -> Self {
        let (since_start, month_to_date) = match price.unit {
            Unit::Hour => {
                let whole = billed_hours(run.start, run.until, rounding);
                let before = billed_hours(run.start, month.start, rounding).min(whole);
                (price.money.times(whole), price.money.times(whole - before))
            }
            Unit::Month => (
                price.money.times(months_touched(run, month)),
                price.money.times(Decimal::from(u8::from(run.until >= month.start))),
            ),
        };
        Self { since_start, month_to_date }
    }
}

fn billed_hours(start: DateTime<Utc>, until: DateTime<Utc>, rounding: Rounding) -> Decimal {
    if until <= start {
        return Decimal::ZERO;
    }
    Decimal::from(rounding.billed(Span::between(start, until)).as_secs()) / Decimal::from(3600)
}

/// A monthly plan is paid once for every calendar month that the run touches.
fn months_touched(run: Run, last: &Month) -> Decimal {
    let mut months = Decimal::ONE;
    let mut month = *last;
    while run.start < month.start {
        month = Month::holding(month.start - chrono::TimeDelta::seconds(1), month.zone);
        months += Decimal::ONE;
    }
    months
}

#[cfg(test)]
mod tests {
    use chrono::{NaiveDate, TimeDelta};
    use reaper_model::PriceSource;

    use super::*;

    const AWS: Rounding = Rounding { step: Span::from_secs(1), minimum: Span::from_secs(60) };

    fn time(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
    }

    fn price(money: &str, unit: Unit) -> Price {
        Price {
            money: money.parse().expect("money"),
            unit,
            source: PriceSource::Catalogue,
            as_of: NaiveDate::from_ymd_opt(2026, 7, 20).expect("a day"),
        }
    }

    fn cost(start: &str, until: &str, price: &Price, zone: chrono_tz::Tz) -> [String; 2] {
        let run = Run { start: time(start), until: time(until) };
        let cost = Cost::of(run, price, AWS, &Month::holding(run.until, zone));
        [cost.since_start, cost.month_to_date].map(|sum| sum.to_string())
    }

    #[test]
    fn the_month_on_an_a100() {
        let now = time("2026-11-30T09:00:00Z");
        let run = Run { start: now - TimeDelta::hours(720), until: now };
        let month = Month::holding(now, chrono_tz::UTC);
        let price = price("3.50 EUR", Unit::Hour);
        let cost = Cost::of(run, &price, AWS, &month);
        assert_eq!(cost.since_start.to_string(), "2,520.00 EUR");
        assert_eq!(cost.month_to_date.to_string(), "2,467.50 EUR", "705 h of it in November");
        assert_eq!(price.per_month().to_string(), "2,555.00 EUR");
    }

    #[test]
    fn fl_118_six_hours_over_a_month_boundary_are_three_and_three() {
        let zone = chrono_tz::Asia::Tokyo;
        let hourly = price("1 EUR", Unit::Hour);
        let january = cost("2026-01-31T12:00:00Z", "2026-01-31T14:59:59Z", &hourly, zone);
        assert_eq!(january[1], "3.00 EUR");
        let february = cost("2026-01-31T12:00:00Z", "2026-01-31T18:00:00Z", &hourly, zone);
        assert_eq!(february, ["6.00 EUR", "3.00 EUR"]);
    }

    #[test]
    fn fl_109_a_monthly_plan_is_paid_once_a_month() {
        let plan = price("800 EUR", Unit::Month);
        let sums = cost("2026-10-05T00:00:00Z", "2026-11-30T09:00:00Z", &plan, chrono_tz::UTC);
        assert_eq!(sums, ["1,600.00 EUR", "800.00 EUR"]);
    }
}
