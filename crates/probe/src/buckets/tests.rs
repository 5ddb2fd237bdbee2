//! Raw samples in, buckets out: over hours, over restarts, with garbage among them.

use chrono::TimeDelta;

use super::*;
use crate::reading::GpuReading;

fn now() -> DateTime<Utc> {
    "2026-11-30T09:02:00Z".parse().expect("a time")
}

/// One card with this utilisation.
fn card(uuid: &str, utilisation: Option<f64>) -> Gpus {
    let mut gpu = GpuReading { uuid: Some(uuid.to_owned()), ..GpuReading::default() };
    gpu.values.utilisation = utilisation.map(Level::of);
    Gpus { gpus: vec![gpu], troubles: Vec::new() }
}

fn add(buckets: &mut Buckets, after: i64, utilisation: Option<f64>) {
    let at = now() + TimeDelta::seconds(after);
    buckets.meet(at, None);
    buckets.add(at, &card("GPU-1", utilisation), HostReading::default());
}

/// The same, with what passed since the look before on a clock that nobody sets.
fn look(buckets: &mut Buckets, after: i64, passed: u64, utilisation: f64) -> Passed {
    let at = now() + TimeDelta::seconds(after);
    let clock = buckets.meet(at, Some(Duration::from_secs(passed)));
    buckets.add(at, &card("GPU-1", Some(utilisation)), HostReading::default());
    clock
}

fn written(buckets: &Buckets, after: i64) -> Samples {
    let samples = buckets.samples(now() + TimeDelta::seconds(after));
    let bytes = samples.write().expect("bytes");
    assert_eq!(Samples::read(&bytes, "i-1").as_ref(), Ok(&samples), "it reads back");
    samples
}

#[test]
fn a_bucket_tells_highest_mean_and_number() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    for (after, value) in [(0, 0.0), (10, 90.0), (20, 0.0), (600, 3.0)] {
        add(&mut buckets, after, Some(value));
    }
    let samples = written(&buckets, 600);
    assert_eq!(samples.from, "2026-11-30T09:00:00Z".parse::<DateTime<Utc>>().expect("a time"));
    let series = &samples.series[0];
    assert_eq!(series.raw, [3, 0, 1]);
    assert_eq!(series.peak, [Some(90.0), None, Some(3.0)]);
    assert_eq!(series.mean, [Some(30.0), None, Some(3.0)]);
    assert_eq!(samples.gpus[0].id, "GPU-1");
}

#[test]
fn over_a_restart_it_goes_on_in_the_same_bucket() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    add(&mut buckets, 0, Some(10.0));
    add(&mut buckets, 10, Some(20.0));
    let mut buckets = Buckets::resume(&written(&buckets, 10), "0.2.0");
    add(&mut buckets, 20, Some(60.0));
    let samples = written(&buckets, 20);
    assert_eq!(samples.version, "0.2.0");
    assert_eq!(samples.series[0].raw, [3]);
    assert_eq!(samples.series[0].peak, [Some(60.0)]);
    assert_eq!(samples.series[0].mean, [Some(30.0)]);
}

#[test]
fn fl_097_what_was_not_read_leaves_a_hole() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    add(&mut buckets, 0, Some(0.0));
    add(&mut buckets, 300, None);
    add(&mut buckets, 600, Some(0.0));
    let series = &written(&buckets, 600).series[0];
    assert_eq!(series.raw, [1, 0, 1]);
    assert_eq!(series.peak[1], None);
}

#[test]
fn fl_095_garbage_spoils_no_bucket_and_is_said() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    add(&mut buckets, 0, Some(60.0));
    for garbage in [808_334_905.0, 9.2e18, -1.0, f64::NAN, f64::INFINITY, 100.5] {
        add(&mut buckets, 10, Some(garbage));
        assert_eq!(buckets.troubles().len(), 1, "{garbage}");
    }
    let samples = written(&buckets, 10);
    assert_eq!(samples.series[0].peak, [Some(60.0)]);
    assert_eq!(samples.series[0].raw, [1]);
    assert!(samples.troubles[0].starts_with("GPU-1: an impossible GPU utilisation"));
}

#[test]
fn what_is_older_than_a_day_and_two_hours_goes() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    add(&mut buckets, 0, Some(1.0));
    buckets.add(now(), &card("GPU-0", Some(1.0)), HostReading::default());
    for hour in 1..=30 {
        add(&mut buckets, hour * 3600, Some(2.0));
    }
    let samples = written(&buckets, 30 * 3600);
    assert_eq!(samples.series.len(), 1, "a card that is gone for long is forgotten");
    assert_eq!(samples.gpus.len(), 1);
    assert!(samples.series[0].raw.len() <= 312);
    assert_eq!(samples.series[0].raw.iter().sum::<u32>(), 26);
}

#[test]
fn fl_012_what_a_clock_that_was_ahead_has_stamped_is_forgotten_as_a_whole() {
    // An hour ahead: most of what it stamped lies in the past by the time that it is corrected.
    let mut buckets = Buckets::new("i-1", "0.1.0");
    for minute in 0..90 {
        add(&mut buckets, minute * 60, Some(0.0));
    }
    add(&mut buckets, 1800, Some(50.0));
    let samples = written(&buckets, 1800);
    assert_eq!(samples.series[0].peak, [Some(50.0)]);
    assert_eq!(samples.series[0].raw, [1]);
}

#[test]
fn fl_012_a_step_back_shows_in_the_time_that_passed() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    assert_eq!(look(&mut buckets, 0, 0, 1.0), Passed::Steadily);
    assert_eq!(look(&mut buckets, 57, 60, 2.0), Passed::Steadily, "a look may be late");
    // Later than the look before, and yet set back by forty seconds.
    assert_eq!(look(&mut buckets, 77, 60, 3.0), Passed::Back);
    let series = &written(&buckets, 77).series[0];
    assert_eq!((series.raw.as_slice(), series.peak.as_slice()), (&[1][..], &[Some(3.0)][..]));
}

#[test]
fn fl_012_over_a_restart_samples_of_the_future_are_forgotten_with_all_others() {
    let mut before = Buckets::new("i-1", "0.1.0");
    add(&mut before, 0, Some(0.0));
    add(&mut before, 7200, Some(0.0));
    // By when it was written, and by the buckets themselves.
    let written_ahead = written(&before, 7200);
    let mut kept_ahead = written_ahead.clone();
    kept_ahead.written_at = now();
    for samples in [written_ahead, kept_ahead] {
        let mut buckets = Buckets::resume(&samples, "0.1.0");
        assert_eq!(buckets.meet(now() + TimeDelta::minutes(10), None), Passed::Back);
        add(&mut buckets, 600, Some(50.0));
        assert_eq!(written(&buckets, 600).series[0].peak, [Some(50.0)]);
    }
    // Written by a clock that was right, it is kept.
    let mut buckets = Buckets::resume(&written(&before, 7200), "0.1.0");
    assert_eq!(buckets.meet(now() + TimeDelta::hours(3), None), Passed::Steadily);
}

#[test]
fn fl_097_a_jump_ahead_is_a_gap_and_nothing_is_filled() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    look(&mut buckets, 0, 0, 1.0);
    assert_eq!(look(&mut buckets, 10, 10, 1.0), Passed::Steadily);
    assert_eq!(look(&mut buckets, 1220, 10, 2.0), Passed::Ahead);
    let series = &written(&buckets, 1220).series[0];
    assert_eq!(series.raw, [2, 0, 0, 0, 1]);
    assert_eq!(series.peak, [Some(1.0), None, None, None, Some(2.0)]);
}

#[test]
fn a_day_of_eight_cards_stays_small() {
    let mut buckets = Buckets::new("i-1", "0.1.0");
    for minute in 0..26 * 12 {
        let mut gpus = Gpus::default();
        for index in 0..8 {
            let values = Values {
                utilisation: Some(Level { peak: 97.0, mean: 33.333_333 }),
                engine: Some(Level { peak: 97.5, mean: 33.333_333 }),
                power: Some(Level { peak: 71.234_567, mean: 33.333_333 }),
                memory_used: Some(70_123_456_789),
                memory_total: Some(80 << 30),
                processes: Some(2),
            };
            let uuid = Some(format!("GPU-feba7e40-0000-4000-8000-00000000000{index}"));
            gpus.gpus.push(GpuReading { index, uuid, values, ..GpuReading::default() });
        }
        let host = HostReading { cpu: Some(1.0), network: Some(1e6), disk: Some(1e6) };
        buckets.add(now() + TimeDelta::minutes(5 * minute), &gpus, host);
    }
    let samples = buckets.samples(now() + TimeDelta::hours(26));
    assert_eq!(samples.series.len(), 8 * 5 + 3);
    let bytes = samples.write().expect("bytes").len();
    assert!(bytes < 400_000, "{bytes}");
}
