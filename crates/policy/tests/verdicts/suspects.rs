//! Sources that say nothing but zero of a whole fleet: doubted over each window by itself.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use reaper_model::document::{Verdict, WantedAction};
use reaper_model::{Gauge, Instance, Measured, Sample, Series};
use reaper_policy::{IdleSpec, Judgement, Policy, Subject, Suspects};

use crate::build::{hours, machine, now, rule};
use crate::meters::{all_at, flat, idle_rule, measured};

/// Three machines of which this is measured.
fn fleet(measured: &Measured) -> Vec<(Instance, Measured)> {
    let one = |number| {
        let mut instance = machine(&[]);
        instance.id.native = format!("i-{number}");
        (instance, measured.clone())
    };
    (0..3).map(one).collect()
}

fn over_six(pairs: Vec<(&Instance, &Measured)>) -> Suspects {
    Suspects::of(pairs, &BTreeSet::from([hours(6)]), now())
}

#[test]
fn fl_096_a_whole_fleet_at_zero_is_suspicious() {
    let fleet = fleet(&measured(all_at(0.0)));
    let pairs = || fleet.iter().map(|(instance, measured)| (instance, measured));
    let found = over_six(pairs().collect());
    assert_eq!(found.over(hours(6)), BTreeSet::from(["DCGM"]));
    assert!(over_six(pairs().take(2).collect()).sources().is_empty(), "two are no fleet");
    let twice = pairs().take(2).chain(pairs().take(2));
    assert!(over_six(twice.collect()).sources().is_empty(), "seen through two accounts");
    let mut breathing = fleet.clone();
    breathing[2].1.series[0].samples[5].value = 0.4;
    let pairs = breathing.iter().map(|(instance, measured)| (instance, measured));
    assert!(over_six(pairs.collect()).sources().is_empty());

    let account = reaper_model::AccountName::new("research");
    let (instance, zeros) = &fleet[0];
    let subject =
        Subject::new(instance, &account, now()).with_measured(Some(zeros)).with_suspects(&found);
    let judgement = Policy::new(idle_rule(IdleSpec::default())).judge(&subject);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(
        judgement.why.contains("metrics suspicious: DCGM shows exactly 0"),
        "{}",
        judgement.why
    );
    assert!(!judgement.evidence_unread, "it was read");
}

/// A counter that worked until twelve hours ago and says exactly zero since then.
fn frozen() -> Measured {
    let samples = |value: fn(i64) -> f64| {
        let of = move |hour| Sample { at: now() - TimeDelta::hours(hour), value: value(hour) };
        (1..=7 * 24).map(of).collect::<Vec<_>>()
    };
    let series = |gauge, gpu: Option<usize>, value: fn(i64) -> f64| Series {
        step: hours(1),
        samples: samples(value),
        ..flat(gauge, gpu, 0.0)
    };
    let of = |gpu| {
        let work =
            series(Gauge::GpuUtilisation, Some(gpu), |hour| if hour > 12 { 61.0 } else { 0.0 });
        [work, series(Gauge::GpuMemory, Some(gpu), |_| 0.1)]
    };
    measured((0..8).flat_map(of).chain([series(Gauge::Cpu, None, |_| 1.0)]))
}

#[test]
fn fl_096_a_longer_window_does_not_lift_the_doubt_about_a_shorter_one() {
    let fleet = fleet(&frozen());
    let pairs = || fleet.iter().map(|(instance, measured)| (instance, measured));
    let windows = BTreeSet::from([hours(6), hours(24), hours(7 * 24)]);
    let found = Suspects::of(pairs(), &windows, now());
    assert_eq!(found.over(hours(6)), BTreeSet::from(["DCGM"]));
    assert!(found.over(hours(24)).is_empty() && found.over(hours(7 * 24)).is_empty());
    assert_eq!(found.over(hours(2)), BTreeSet::from(["DCGM"]), "nobody looked at that one");
    assert_eq!(found.sources().into_iter().collect::<Vec<_>>(), [("DCGM", hours(6))]);

    let account = reaper_model::AccountName::new("research");
    let judge = |suspects: &Suspects| -> Judgement {
        let mut spec = idle_rule(IdleSpec::over(hours(6)));
        let week = idle_rule(IdleSpec::over(hours(7 * 24))).rules.remove(0);
        spec.rules.push(reaper_policy::RuleSpec { name: "week".to_owned(), ..week });
        spec.rules.push(rule("day", idle_rule(IdleSpec::over(hours(24))).rules[0].when.clone()));
        let (instance, measured) = &fleet[0];
        let subject = Subject::new(instance, &account, now()).with_measured(Some(measured));
        Policy::new(spec).judge(&subject.with_suspects(suspects))
    };
    let doubted = judge(&found);
    assert_eq!(doubted.verdict, Verdict::Unjudged, "{}", doubted.why);
    assert!(
        doubted.why.contains("idle: utilisation unknown: metrics suspicious"),
        "{}",
        doubted.why
    );
    assert_eq!(doubted.wanted, None);
    let believed = judge(&Suspects::default());
    assert_eq!(believed.wanted, Some(WantedAction::Stop), "or else this shows nothing");
}
