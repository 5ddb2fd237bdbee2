//! What holds of every history: spending never falls while time goes on, parts add up to the whole,
//! and the order in which machines are looked at changes nothing.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use proptest::prelude::*;
use reaper_budget::{Month, amount, charges, pieces};
use reaper_model::{Billed, Noted, Reading, Totals, Unit};
use rust_decimal::Decimal;

use crate::build::{Machine, all_pieces, billed, number, time};

const PROVIDERS: [&str; 4] = ["aws", "ovhcloud", "scaleway", "lambda"];
const ZONES: [Tz; 4] = [Tz::UTC, Tz::Europe__Paris, Tz::Asia__Kathmandu, Tz::America__New_York];

/// One look: hours since the one before, what it says, the price in tenths.
type Step = (u32, u8, u8);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((1u32..200, 0u8..6, 1u8..60), 1..14)
}

/// A machine that lives: time goes on, starts come after stops, nothing is told before its time.
fn machine(provider: usize, steps: &[Step]) -> Machine {
    let mut at = time("2026-10-20T05:17:00Z");
    let mut start = at;
    let looks = steps.iter().map(|(hours, what, price)| {
        let before = at;
        at += TimeDelta::minutes(i64::from(*hours) * 37);
        let mut reading = billed(None, None);
        let (unit, told) = match what {
            0 => (Unit::Hour, Billed::NotSince(None)),
            1 => (Unit::Hour, Billed::NotSince(Some(before + (at - before) / 2))),
            2 => {
                start = before + (at - before) / 3;
                (Unit::Hour, Billed::Since(Some(start)))
            }
            3 => (Unit::Hour, Billed::Since(None)),
            4 => (Unit::Month, Billed::Since(Some(start))),
            _ => (Unit::Hour, Billed::Since(Some(start))),
        };
        reading.billed = told;
        let money = format!("{price}.37 EUR").parse().expect("money");
        reading.price = Some(Noted { money, unit });
        (at, reading)
    });
    Machine::at(PROVIDERS[provider % 4], "i-1", looks.collect::<Vec<_>>())
}

/// What was known at a time: the looks up to then.
fn known(machine: &Machine, looks: &[(DateTime<Utc>, Reading)], at: DateTime<Utc>) -> Machine {
    let until = looks.iter().filter(|(time, _)| *time <= at).cloned();
    Machine::at(machine.id.provider.as_str(), "i-1", until)
}

fn spent(
    machine: &Machine,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
    zone: Tz,
) -> Decimal {
    let pieces = pieces(&machine.track(), now);
    let sums: Totals =
        pieces.iter().filter_map(|piece| amount(piece, from, until, zone).money).collect();
    sums.iter().map(|money| money.amount).sum()
}

/// Far below a cent: what divisions by 3,600 leave in the 28th digit counts for nothing.
fn rounded(sum: Decimal) -> Decimal {
    sum.round_dp(10)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn parts_add_up_to_the_whole(
        provider in 0usize..4, zone in 0usize..4, steps in steps(), cuts in prop::collection::vec(0i64..90_000, 0..6),
    ) {
        let zone = ZONES[zone];
        let machine = machine(provider, &steps);
        let (from, now) = (time("2026-10-01T00:00:00Z"), machine.seen);
        let whole = spent(&machine, from, now, now, zone);
        let mut cuts: Vec<_> =
            cuts.into_iter().map(|minutes| (from + TimeDelta::minutes(minutes)).min(now)).collect();
        cuts.extend([from, now]);
        cuts.sort();
        let parts: Decimal =
            cuts.windows(2).map(|cut| spent(&machine, cut[0], cut[1], now, zone)).sum();
        prop_assert_eq!(rounded(parts), rounded(whole));
        // By months, and day by day.
        let mut month = Month::holding(from, zone);
        let mut months = spent(&machine, from, month.end.min(now), now, zone);
        while month.end < now {
            month = Month::holding(month.end, zone);
            months += spent(&machine, month.start, month.end.min(now), now, zone);
        }
        prop_assert_eq!(rounded(months), rounded(whole));
        let pieces = pieces(&machine.track(), now);
        let days: Decimal = charges(&pieces, from, now, zone)
            .iter()
            .filter_map(|charge| charge.money)
            .map(|money| money.amount)
            .sum();
        prop_assert_eq!(rounded(days), rounded(whole));
    }

    #[test]
    fn spending_never_falls(provider in 0usize..4, steps in steps()) {
        let machine = machine(provider, &steps);
        let looks: Vec<_> =
            machine.looks.iter().map(|(at, _, _, reading)| (*at, reading.clone())).collect();
        let from = time("2026-10-01T00:00:00Z");
        let mut before = Decimal::ZERO;
        for (at, _) in &looks {
            let known = known(&machine, &looks, *at);
            let now = spent(&known, from, *at, *at, Tz::UTC);
            prop_assert!(now >= before, "{now} after {before} at {at}");
            before = now;
        }
    }

    #[test]
    fn the_order_of_machines_changes_nothing(first in steps(), second in steps()) {
        let (one, other) = (machine(0, &first), machine(1, &second));
        let now = one.seen.max(other.seen);
        let sum = |machines: &[Machine]| -> Decimal {
            all_pieces(machines, now)
                .iter()
                .filter_map(|piece| amount(piece, time("2026-10-01T00:00:00Z"), now, Tz::UTC).money)
                .map(|money| money.amount)
                .sum()
        };
        prop_assert_eq!(rounded(sum(&[one.clone(), other.clone()])), rounded(sum(&[other, one])));
    }

    #[test]
    fn pieces_follow_each_other_and_never_overlap(provider in 0usize..4, steps in steps()) {
        let machine = machine(provider, &steps);
        let now = machine.seen;
        let pieces = pieces(&machine.track(), now);
        for pair in pieces.windows(2) {
            prop_assert!(pair[0].from <= pair[0].until && pair[0].until <= pair[1].from);
            prop_assert!(pair[0].run_start <= pair[0].from);
            prop_assert!(!pair[0].open);
        }
        prop_assert!(pieces.iter().all(|piece| piece.until <= now));
        prop_assert!(pieces.iter().all(|piece| number("0") <= amount(piece, piece.from, now, Tz::UTC).hours()));
    }
}
