//! Which measurements count as evidence. Where too little is known there is no advice about size.

use chrono::TimeDelta;
use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Fact, Gauge, Ignorance, Sample, Source, State};

use crate::build::{World, card, known, now, series};

fn a100() -> World {
    World::of("ovhcloud", "GRA11", "a100-180").doing(&[card(9.0, 60.0, 14.0)])
}

fn too_large(world: &World) -> bool {
    world.about(AdviceKind::Oversized).is_some()
}

#[test]
fn fl_097_nothing_measured_is_no_evidence() {
    let mut world = a100();
    world.measured = false;
    assert!(!too_large(&world));
    let empty = a100().with_series(|series| series.samples.clear());
    assert!(!too_large(&empty));
}

#[test]
fn memory_has_to_be_measured_as_well() {
    let without = |world: World| {
        world.with_series(|series| {
            if series.gauge == Gauge::GpuMemory {
                series.samples.truncate(100);
            }
        })
    };
    assert!(!too_large(&without(a100())));
    let mut other = without(a100());
    other.mean.series.push(series(Gauge::GpuMemory, "GPU-5c1a", "reaper probe", 30.0));
    let advice = other.about(AdviceKind::Oversized).expect("another source tells");
    assert!(advice.text.contains("held 30 GiB"), "{}", advice.text);
}

#[test]
fn fl_099_four_fifths_of_the_week_have_to_be_covered() {
    let covered = |hours| a100().with_series(move |series| series.samples.truncate(hours));
    assert!(too_large(&covered(135)));
    assert!(!too_large(&covered(134)));
    let twice = covered(100).with_series(|series| series.samples.extend_from_within(..));
    assert!(!too_large(&twice), "the same times again cover no more");
    let fine = a100().with_series(|series| series.step = reaper_model::Span::from_secs(60));
    assert!(!too_large(&fine), "a minute in each hour is not the hour");
}

#[test]
fn fl_100_every_card_of_the_type_has_to_be_seen() {
    let p4d = |cards| {
        World::of("aws", "us-east-1", "p4d.24xlarge").doing(&vec![card(9.0, 60.0, 5.0); cards])
    };
    assert!(too_large(&p4d(8)));
    assert!(!too_large(&p4d(7)) && !too_large(&p4d(2)) && !too_large(&p4d(9)));
    let whole = p4d(8).with_series(|series| series.gpu = None);
    assert!(!too_large(&whole), "of the machine as a whole is of no single card");
}

#[test]
fn fl_094_fl_095_values_that_cannot_be_do_not_count() {
    let odd = [9_223_372_036_854_775_794.0, 140_737_488_355_328.0, f64::NAN, f64::INFINITY, -1.0];
    let world = a100().with_series(|series| {
        for (sample, value) in series.samples.iter_mut().zip(odd) {
            sample.value = value;
        }
    });
    let advice = world.about(AdviceKind::Oversized).expect("the rest is enough");
    assert!(
        advice.text.contains("used 9 %") && advice.text.contains("97 % of the week"),
        "{}",
        advice.text
    );
    assert!(advice.text.contains("held 14 GiB"));
}

#[test]
fn fl_098_the_order_of_samples_does_not_matter() {
    let reversed = a100().with_series(|series| series.samples.reverse());
    assert_eq!(reversed.advice(), a100().advice());
}

#[test]
fn what_was_measured_before_the_last_start_may_be_of_another_type() {
    let mut world = a100();
    world.machine.running_since = known(now() - TimeDelta::days(2));
    assert!(!too_large(&world));
    world.machine.running_since = known(now() - TimeDelta::days(6));
    assert!(too_large(&world), "six of seven days are left");
}

#[test]
fn fl_096_sources_that_contradict_each_other_tell_nothing() {
    let with = |value: f64| {
        let mut world = a100();
        for to in [&mut world.mean, &mut world.peak] {
            to.series.push(series(Gauge::GpuUtilisation, "0", "reaper probe", value));
        }
        world
    };
    assert!(!too_large(&with(60.0)));
    let advice = with(12.0).about(AdviceKind::Oversized).expect("they agree well enough");
    assert!(advice.text.contains("used 12 %"), "the busier one counts: {}", advice.text);
}

#[test]
fn power_alone_is_weaker_evidence() {
    let power = a100().with_series(|series| {
        if series.gauge == Gauge::GpuUtilisation {
            series.gauge = Gauge::GpuPower;
            series.source = Source::new("CloudWatch");
        }
    });
    let advice = power.about(AdviceKind::Oversized).expect("too large");
    assert_eq!(advice.confidence, Confidence::Medium);
}

#[test]
fn fl_012_young_machines_are_left_alone() {
    let mut world = a100().named("jupyter");
    world.idle = true;
    world.machine.created_at = known(now() - TimeDelta::hours(71));
    world.machine.running_since = world.machine.created_at.clone();
    assert_eq!(world.kinds(), [""; 0]);
    world.machine.created_at = known(now() - TimeDelta::hours(73));
    assert!(!world.kinds().is_empty(), "it was restarted, and is old enough");
}

#[test]
fn fl_009_without_any_time_of_life_only_a_measured_week_tells_that_it_is_old_enough() {
    let gap = || Fact::unknown(Ignorance::NotOffered, "no launch times");
    let mut world = World::of("lambda", "us-east-1", "gpu_1x_a100_sxm4").named("jupyter");
    world.machine.created_at = gap();
    world.machine.running_since = gap();
    assert_eq!(world.kinds(), [""; 0]);
    world.first_seen = Some(now() - TimeDelta::days(4));
    assert_eq!(world.kinds(), ["notebook", "hours"]);
    world.first_seen = None;
    assert!(too_large(&world.doing(&[card(9.0, 60.0, 14.0)])));
}

#[test]
fn machines_that_do_not_run_get_none() {
    for state in [State::Stopped, State::Pending, State::Stopping, State::Unknown] {
        let mut world = a100();
        world.machine.state = state;
        assert_eq!(world.kinds(), [""; 0], "{state}");
    }
}

#[test]
fn samples_after_the_clock_do_not_count() {
    let late = a100().with_series(|series| {
        let ahead = Sample { at: now() + TimeDelta::hours(1), value: 99.0 };
        series.samples.push(ahead);
    });
    assert_eq!(late.advice(), a100().advice());
}
