//! What meters read at which time, and what a world file may say of them.

use super::*;
use crate::world::World;

fn world(text: &str) -> World {
    World::from_toml(text).expect("a valid world")
}

/// Values at so many minutes before the clock.
fn values(world: &World, gauge: Gauge, part: Part, minutes: &[i64]) -> Vec<Option<f64>> {
    let clock = &world.clock;
    let time = |ago: &i64| clock.now() - TimeDelta::minutes(*ago);
    minutes.iter().map(|ago| world.meters[0].at(clock, gauge, part, time(ago))).collect()
}

const UTIL: Gauge = Gauge::GpuUtilisation;

#[test]
fn fl_012_steps_hold_until_the_next_and_follow_the_clock() {
    let mut world = world(
        "[[meter]]\nmachine = \"i-a\"\nsince = \"6h\"\n\
         utilisation = [{ value = 0 }, { from = \"10m\", value = 92.0 }]\n",
    );
    let gpu = Part::Gpu(0);
    assert_eq!(
        values(&world, UTIL, gpu, &[361, 360, 11, 10, 0, -1]),
        [None, Some(0.0), Some(0.0), Some(92.0), Some(92.0), None]
    );
    // Ages count from the start of the world; what has passed meanwhile was measured meanwhile.
    let later = world.clock.start() + TimeDelta::minutes(30);
    world.clock.set(later);
    assert_eq!(
        values(&world, UTIL, gpu, &[41, 40, 0, -1]),
        [Some(0.0), Some(92.0), Some(92.0), None]
    );
}

#[test]
fn fl_097_what_is_not_written_is_not_measured() {
    let world = world("[[meter]]\nmachine = \"i-a\"\ncpu = 1\n");
    let meter = &world.meters[0];
    assert_eq!(meter.parts(Gauge::Cpu), [Part::Machine]);
    for gauge in [UTIL, Gauge::GpuPower, Gauge::GpuMemory, Gauge::Network] {
        assert!(meter.parts(gauge).is_empty(), "{gauge}");
        assert_eq!(values(&world, gauge, Part::Gpu(0), &[5]), [None]);
        assert_eq!(values(&world, gauge, Part::Machine, &[5]), [None]);
    }
}

#[test]
fn fl_100_single_gpus_may_differ_or_be_missing() {
    let world = world(
        "[[meter]]\nmachine = \"i-a\"\ngpus = 8\nutilisation = 0.0\nmemory_gib = 0.4\n\
         gpu = [{ index = 7, utilisation = 95.0 }, { index = 3, missing = true }]\n",
    );
    let meter = &world.meters[0];
    assert_eq!(meter.parts(UTIL).len(), 7);
    assert_eq!(values(&world, UTIL, Part::Gpu(7), &[5]), [Some(95.0)]);
    assert_eq!(values(&world, Gauge::GpuMemory, Part::Gpu(7), &[5]), [Some(0.4)]);
    for nobody in [Part::Gpu(3), Part::Gpu(8), Part::Slice(0, 0)] {
        assert_eq!(values(&world, UTIL, nobody, &[5]), [None], "{nobody:?}");
    }
    assert_ne!(meter.gpu_uuid(0), meter.gpu_uuid(1));
    assert_eq!(meter.gpu_uuid(0).len(), "GPU-00000000-0000-0000-0000-000000000000".len());
}

#[test]
fn divided_gpus_are_measured_by_slice() {
    let world = world(
        "[[meter]]\nmachine = \"i-a\"\ngpus = 2\nmig = 3\nutilisation = 50\nengine = 0\n\
         memory_gib = 2\npower = 12\ngpu = [{ index = 1, slice = 2, engine = 40 }]\n",
    );
    let meter = &world.meters[0];
    assert!(meter.parts(UTIL).is_empty());
    assert_eq!(meter.parts(Gauge::GpuEngine).len(), 6);
    assert_eq!(meter.parts(Gauge::GpuPower), [Part::Gpu(0), Part::Gpu(1)]);
    assert_eq!(values(&world, Gauge::GpuEngine, Part::Slice(1, 2), &[0]), [Some(40.0)]);
    assert_eq!(values(&world, Gauge::GpuEngine, Part::Slice(1, 1), &[0]), [Some(0.0)]);
    assert_eq!(values(&world, Gauge::GpuEngine, Part::Gpu(1), &[0]), [None]);
    assert_eq!(values(&world, Gauge::GpuMemory, Part::Gpu(0), &[0]), [Some(6.0)]);
}

#[test]
fn fl_099_gaps_and_what_comes_late_is_not_there() {
    let world = world(
        "[[meter]]\nmachine = \"i-a\"\nutilisation = 3\nlate = \"15m\"\nuntil = \"5m\"\n\
         gaps = [{ from = \"5h\", until = \"2h\" }]\n",
    );
    assert_eq!(
        values(&world, UTIL, Part::Gpu(0), &[301, 300, 121, 120, 15, 14, 4]),
        [Some(3.0), None, None, Some(3.0), Some(3.0), None, None]
    );
    let meter = &world.meters[0];
    let now = world.clock.now();
    let hour = |from: i64| (now - TimeDelta::hours(from), now - TimeDelta::hours(from - 1));
    let summary = |from| meter.summary(&world.clock, UTIL, Part::Gpu(0), hour(from));
    assert_eq!(summary(3), None, "no sample is not a zero");
    let whole = Summary { minimum: 3.0, maximum: 3.0, sum: 180.0, count: 60 };
    assert_eq!(summary(2), Some(whole));
    assert_eq!(summary(1).map(|summary| summary.count), Some(46));
}

#[test]
fn fl_094_impossible_values_are_handed_on_as_they_are_written() {
    let world = world(
        "[[meter]]\nmachine = \"i-a\"\nwobble = 1\nutilisation = [{ value = 9223372036854775794 }, \
         { from = \"2m\", value = -1 }, { from = \"1m\", value = nan }]\n",
    );
    let seen = values(&world, UTIL, Part::Gpu(0), &[3, 2, 1]);
    assert_eq!(seen[..2], [Some(9_223_372_036_854_775_794.0), Some(-1.0)]);
    assert!(seen[2].is_some_and(f64::is_nan));
}

#[test]
fn wobbling_is_the_same_each_time_and_stays_within_its_bounds() {
    let world = world("[[meter]]\nmachine = \"i-a\"\nwobble = 0.3\nutilisation = 0.2\ncpu = 50\n");
    let minutes: Vec<i64> = (0..200).collect();
    let seen = values(&world, UTIL, Part::Gpu(0), &minutes);
    assert_eq!(seen, values(&world, UTIL, Part::Gpu(0), &minutes));
    assert!(seen.iter().flatten().all(|value| (0.0..=0.5).contains(value)));
    let cpu = values(&world, Gauge::Cpu, Part::Machine, &minutes);
    assert!(cpu.iter().flatten().any(|value| *value > 50.1));
    assert!(cpu.iter().flatten().any(|value| *value < 49.9));
}

#[test]
fn fl_096_two_ways_of_measuring_may_contradict_each_other() {
    let world = world(
        "[[meter]]\nmachine = \"i-a\"\nby = [\"cloudwatch\"]\nutilisation = 0\n\
         [[meter]]\nmachine = \"i-a\"\nby = [\"prometheus\"]\nutilisation = 99\n",
    );
    let by = |names: &[&str]| world.meters.iter().filter(|meter| meter.is_by(names)).count();
    assert_eq!(by(&["cloudwatch", "agent"]), 1);
    assert_eq!(by(&["cockpit"]), 0);
    assert!(Meter::new("i-b").is_by(&["cockpit"]));
}

#[test]
fn a_meter_with_a_key_that_nobody_knows_is_refused() {
    assert!(World::from_toml("[[meter]]\nmachine = \"i-a\"\nutilization = 0\n").is_err());
    assert!(World::from_toml("[[meter]]\nmachine = \"i-a\"\nsince = 6\n").is_err());
}
