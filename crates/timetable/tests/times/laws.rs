//! What holds of every timetable: it comes when an observer of clocks says, forwards as backwards,
//! and whatever the runs were each due time is answered at most once.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDateTime, TimeDelta, Timelike as _, Utc};
use chrono_tz::Tz;
use proptest::prelude::*;
use reaper_timetable::due;

use crate::build::{table, time};

/// Zones and moments about which their clocks are changed.
const CHANGES: [(Tz, &str); 8] = [
    (Tz::Europe__Paris, "2026-03-29T01:00:00Z"),
    (Tz::Europe__Paris, "2026-10-25T01:00:00Z"),
    (Tz::Australia__Lord_Howe, "2026-04-04T15:00:00Z"),
    (Tz::Australia__Lord_Howe, "2026-10-03T15:30:00Z"),
    (Tz::America__Sao_Paulo, "2017-10-15T03:00:00Z"),
    (Tz::America__Sao_Paulo, "2018-02-18T02:00:00Z"),
    (Tz::Pacific__Apia, "2011-12-30T10:00:00Z"),
    (Tz::Asia__Kathmandu, "2026-11-30T00:00:00Z"),
];

fn numbers(most: u32) -> impl Strategy<Value = BTreeSet<u32>> {
    prop::collection::btree_set(0..most, 1..5)
}

fn listed(numbers: &BTreeSet<u32>) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Watches the clocks minute by minute, and notes when such local times come.
fn watched(
    zone: Tz,
    span: (DateTime<Utc>, DateTime<Utc>),
    fits: impl Fn(NaiveDateTime) -> bool,
    hourly: bool,
) -> Vec<DateTime<Utc>> {
    let minute = TimeDelta::minutes(1);
    // Whoever watches must know what was shown before.
    let mut at = span.0 - TimeDelta::hours(48);
    let mut before = at.with_timezone(&zone).naive_local() - minute;
    let mut shown = BTreeSet::new();
    let mut times = Vec::new();
    while at <= span.1 {
        let local = at.with_timezone(&zone).naive_local();
        let comes = if hourly {
            fits(local)
        } else {
            let mut skipped = before + minute;
            let mut any = false;
            while skipped < local {
                any |= fits(skipped);
                skipped += minute;
            }
            any || (fits(local) && !shown.contains(&local))
        };
        if comes && at > span.0 {
            times.push(at);
        }
        shown.insert(local);
        before = local;
        at += minute;
    }
    times
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn it_comes_when_an_observer_of_clocks_says(
        change in 0..CHANGES.len(), minutes in numbers(60), hours in numbers(24), hourly: bool,
    ) {
        let (zone, about) = CHANGES[change];
        let span = (time(about) - TimeDelta::hours(30), time(about) + TimeDelta::hours(30));
        let hour = if hourly { "*".to_owned() } else { listed(&hours) };
        let table = table(&format!("{} {hour} * * *", listed(&minutes)), zone);
        let fits = |local: NaiveDateTime| {
            minutes.contains(&local.minute()) && (hourly || hours.contains(&local.hour()))
        };
        let expected = watched(zone, span, fits, hourly);
        let forwards: Vec<_> = table.after(span.0).take_while(|at| *at <= span.1).collect();
        prop_assert_eq!(&forwards, &expected);
        let mut backwards = Vec::new();
        let mut at = span.1;
        while let Some(last) = table.last_at_or_before(at).filter(|last| *last > span.0) {
            backwards.insert(0, last);
            at = last - TimeDelta::seconds(1);
        }
        prop_assert_eq!(&backwards, &expected);
        prop_assert_eq!(table.between(span.0, span.1), expected.len());
    }

    #[test]
    fn whatever_the_runs_each_due_time_is_answered_at_most_once_and_the_last_one_always(
        change in 0..CHANGES.len(),
        expression in prop::sample::select(vec![
            "0 7 * * Mon", "30 2 * * *", "*/10 2 * * *", "15 * * * *", "0 */2 * * *", "59 23 * * *", "0 0 * * Sun",
        ]),
        gaps in prop::collection::vec(0i64..20_000, 1..40),
    ) {
        let (zone, about) = CHANGES[change];
        let table = table(expression, zone);
        let begin = time(about) - TimeDelta::days(9);
        let (mut now, mut last) = (begin, None);
        let mut answered = Vec::new();
        let mut missed = 0;
        for gap in gaps {
            // Some runs come at the same moment, some a week later.
            now += TimeDelta::seconds(if gap % 7 == 0 { 0 } else { gap * gap / 600 });
            if let Some(due) = due(&table, last, now) {
                prop_assert!(due.at <= now);
                answered.push(due.at);
                missed += due.missed as usize;
                last = Some(due.at);
            }
            prop_assert_eq!(last, table.last_at_or_before(now), "the last one is answered");
        }
        prop_assert!(answered.windows(2).all(|pair| pair[0] < pair[1]), "{answered:?}");
        let (first, end) = (answered[0], answered[answered.len() - 1]);
        prop_assert_eq!(answered.len() - 1 + missed, table.between(first, end), "none is lost in the count");
    }
}
