//! Laws of idleness that hold for everything that meters can say.

use chrono::TimeDelta;
use proptest::prelude::*;
use reaper_model::document::IdleVerdict;
use reaper_model::{Gauge, Measured, Sample, Series, Source};

use crate::build::{machine, now};
use crate::meters::{SAMPLES, at, judged, measured, series};

/// Sources, with how likely it is that a sample is there and low.
fn value() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        60 => (0.0..4.9_f64).prop_map(Some),
        2 => Just(None),
        1 => prop::sample::select(vec![-1.0, f64::NAN, 1e18, 101.0]).prop_map(Some),
    ]
}

/// One series of one GPU; now and then it has a high value.
fn one(gpu: usize, gauge: Gauge, source: &'static str) -> impl Strategy<Value = Series> {
    let length = usize::try_from(SAMPLES).expect("few");
    let high = prop::option::weighted(0.02, (0..SAMPLES, 5.0..100.0_f64));
    (prop::collection::vec(value(), length), high).prop_map(move |(values, high)| {
        let made = series(gauge, gpu, |number| {
            let place = usize::try_from(number).expect("positive");
            match high {
                Some((at, value)) if at == number => Some(value),
                _ => values[place],
            }
        });
        Series { source: Source::new(source), ..made }
    })
}

/// Mostly eight GPUs of one source, sometimes more, sometimes fewer.
fn anything() -> impl Strategy<Value = Measured> {
    let dcgm: Vec<_> = (0..8).map(|gpu| one(gpu, Gauge::GpuUtilisation, "DCGM").boxed()).collect();
    let gauges = prop::sample::select(vec![Gauge::GpuEngine, Gauge::GpuPower, Gauge::GpuMemory]);
    let further = (0..8_usize, gauges, prop::sample::select(vec!["DCGM", "probe"]))
        .prop_flat_map(|(gpu, gauge, source)| one(gpu, gauge, source));
    (dcgm, prop::collection::vec(further, 0..4), prop::option::weighted(0.2, 0..8_usize)).prop_map(
        |(mut all, further, lost)| {
            if let Some(lost) = lost {
                all.remove(lost);
            }
            all.extend(further);
            measured(all)
        },
    )
}

fn verdict(measured: &Measured) -> IdleVerdict {
    judged(&machine(&[]), measured).verdict
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Invariant 1 for measurements: samples that are taken away, and were no sign of work, never
    /// make a machine idle; nor does a whole series that is lost.
    #[test]
    fn missing_samples_never_make_a_machine_idle(
        all in anything(),
        series in any::<prop::sample::Index>(),
        from in 0..72_usize,
        whole in any::<bool>(),
    ) {
        let before = verdict(&all);
        let mut less = all.clone();
        let lost = series.index(less.series.len());
        if whole && less.series[lost].source.as_str() == "DCGM" {
            // Of the only source that can account for all.
            less.series.retain(|other| {
                other.gpu != less_gpu(&all, lost) || other.source.as_str() != "DCGM"
            });
        } else {
            let samples = &mut less.series[lost].samples;
            let mut place = 0;
            samples.retain(|sample| {
                place += 1;
                place <= from || sample.value >= 5.0
            });
        }
        if before != IdleVerdict::Idle {
            prop_assert_ne!(verdict(&less), IdleVerdict::Idle);
        }
    }

    #[test]
    fn a_high_sample_never_makes_a_machine_idle(
        all in anything(),
        series in any::<prop::sample::Index>(),
        number in 0..SAMPLES,
        value in 5.0..=100.0_f64,
    ) {
        let before = verdict(&all);
        let mut more = all;
        let place = series.index(more.series.len());
        let gauge = more.series[place].gauge;
        more.series[place].samples.push(Sample { at: at(number), value });
        let after = verdict(&more);
        if before != IdleVerdict::Idle {
            prop_assert_ne!(after, IdleVerdict::Idle);
        }
        if matches!(gauge, Gauge::GpuUtilisation | Gauge::GpuEngine) {
            prop_assert_ne!(after, IdleVerdict::Idle, "it shows work");
        }
    }

    #[test]
    fn order_and_doubles_do_not_matter(
        all in anything(),
        turn in any::<prop::sample::Index>(),
        doubled in any::<prop::sample::Index>(),
    ) {
        let one = judged(&machine(&[]), &all);
        let mut other = all;
        let count = other.series.len();
        let twin = other.series[doubled.index(count)].clone();
        other.series.rotate_left(turn.index(count));
        other.series.push(twin);
        for series in &mut other.series {
            let samples = series.samples.clone();
            series.samples.reverse();
            series.samples.extend(samples);
        }
        prop_assert_eq!(one, judged(&machine(&[]), &other));
    }

    /// However much is measured of the past, a machine that nobody sees now is not idle.
    #[test]
    fn what_broke_off_is_never_idle(all in anything(), minutes in 16_i64..300) {
        let mut old = all;
        let end = now() - TimeDelta::minutes(minutes);
        for series in &mut old.series {
            series.samples.retain(|sample| sample.at < end);
        }
        prop_assert_ne!(verdict(&old), IdleVerdict::Idle);
    }
}

fn less_gpu(all: &Measured, place: usize) -> Option<String> {
    all.series[place].gpu.clone()
}

/// The laws above would hold if nothing were ever idle.
#[test]
fn much_of_anything_is_idle() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let idle = (0..64)
        .filter(|_| {
            let all = anything().new_tree(&mut runner).expect("something").current();
            verdict(&all) == IdleVerdict::Idle
        })
        .count();
    assert!(idle > 20, "{idle} of 64 were idle");
}
