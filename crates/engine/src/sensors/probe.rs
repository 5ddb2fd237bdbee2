//! The source `reaper probe`: reads what the probes on the machines wrote into the state store. A
//! machine without an object is left out; whatever is odd about an object is a gap of its machine
//! alone.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_ledger::Store;
use reaper_model::samples::{BUCKET, LEAST_LOOKS, Samples};
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Measured, Sample, Series, Source, Span, Statistic,
    Unknown, Window,
};
use reaper_provider::{CallContext, MetricsSource, Sight};

use crate::error::chain;
use crate::side_by_side::side_by_side;

/// Its name for people.
pub const NAME: &str = "reaper probe";

/// Objects that are read at the same time.
const AT_ONCE: usize = 16;

/// By how much a machine's clock may be ahead of the run's. Further ahead, the last hours of its
/// buckets would be told as later ones, and work of right now would go unseen.
const AHEAD: Span = BUCKET;

/// Reads the objects below `samples/` of one state.
#[derive(Debug, Clone)]
pub struct ProbeSamples {
    store: Store,
}

impl ProbeSamples {
    /// Those of this state.
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[async_trait]
impl MetricsSource for ProbeSamples {
    fn name(&self) -> &str {
        NAME
    }

    fn sight(&self) -> Sight {
        Sight::Gpu
    }

    async fn measure(
        &self,
        _cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        let ids = machines.iter().map(|machine| machine.id.clone()).collect();
        let window = *window;
        let read = side_by_side(ids, AT_ONCE, |id: InstanceId| {
            let store = self.store.clone();
            async move {
                let measured = match store.samples(&id.native).await {
                    Ok(found) => found.map(|samples| measured(&samples, &window)),
                    Err(error) => Some(gap(Ignorance::ReadFailed, &chain(&error))),
                };
                Some((id, measured?))
            }
        });
        read.await.into_iter().flatten().collect()
    }
}

fn gap(kind: Ignorance, why: &str) -> Measured {
    Measured { series: Vec::new(), gaps: vec![told(kind, why)] }
}

fn told(kind: Ignorance, why: &str) -> Unknown {
    Unknown::new(kind, format!("{NAME}: {why}"))
}

/// What an object says of a window. An object that was not written for long says nothing of the time
/// since, which shows as coverage that is missing.
fn measured(samples: &Samples, window: &Window) -> Measured {
    if samples.written_at > window.until + AHEAD.delta() {
        let ahead = Span::between(window.until, samples.written_at);
        let why = format!("the machine's clock is {ahead} ahead, so its samples prove nothing");
        return gap(Ignorance::Unusable, &why);
    }
    let source = Source::new(NAME);
    let series = samples.series.iter().map(|told| {
        let values = match (window.statistic, told.gauge) {
            // How much memory is needed is the most that was in use, whatever is asked.
            (Statistic::Peak, _) | (Statistic::Mean, Gauge::GpuMemory) => &told.peak,
            (Statistic::Mean, _) => &told.mean,
        };
        let buckets = told.raw.iter().zip(values).enumerate();
        let buckets = buckets.filter(|(_, (raw, _))| **raw > 0);
        let buckets = buckets.filter_map(|(number, (raw, value))| {
            Some((*raw, sample(samples.at(number)?, (*value)?, window)?))
        });
        Series {
            gauge: told.gauge,
            gpu: told.gpu.clone(),
            slice: told.slice.clone(),
            source: source.clone(),
            step: BUCKET,
            samples: counted(buckets),
        }
    });
    // A trouble is of when the object was written; later ones are not known.
    let fresh = Span::between(samples.written_at, window.until) <= window.length();
    let troubles = samples.troubles.iter().filter(|_| fresh);
    Measured {
        series: series.filter(|series| !series.samples.is_empty()).collect(),
        gaps: troubles.map(|trouble| told(Ignorance::Unusable, trouble)).collect(),
    }
}

/// The buckets that count, each with how many looks it holds. One with few looks proves no rest: what
/// happened between them went unseen. It may show work, so the highest of them stays where it is above
/// all that count.
fn counted(buckets: impl Iterator<Item = (u32, Sample)>) -> Vec<Sample> {
    let (whole, thin): (Vec<_>, Vec<_>) = buckets.partition(|(looks, _)| *looks >= LEAST_LOOKS);
    let mut counted: Vec<Sample> = whole.into_iter().map(|(_, sample)| sample).collect();
    let thin = thin.into_iter().map(|(_, sample)| sample);
    let highest = thin.max_by(|one, other| one.value.total_cmp(&other.value));
    counted.extend(highest.filter(|high| counted.iter().all(|it| it.value < high.value)));
    counted
}

fn sample(at: DateTime<Utc>, value: f64, window: &Window) -> Option<Sample> {
    (window.from <= at && at < window.until).then_some(Sample { at, value })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use reaper_model::document::IdleVerdict;
    use reaper_model::samples::bucket_start;
    use reaper_model::{Fact, Gpu, Meter, Purchase, SampleSeries, State, StopKind, StopOffer};
    use reaper_policy::{IdleSpec, Idleness, idleness};
    use reaper_provider::RequestCounter;

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T09:02:00Z".parse().expect("a time")
    }

    fn window(statistic: Statistic) -> Window {
        Window { from: now() - TimeDelta::hours(1), until: now(), step: BUCKET, statistic }
    }

    /// `raw`, peak and mean of each bucket, the last of which is the one that `now` lies in.
    fn series(gauge: Gauge, gpu: Option<&str>, buckets: &[(u32, f64, f64)]) -> SampleSeries {
        let value = |raw: u32, value: f64| (raw > 0).then_some(value);
        SampleSeries {
            gauge,
            gpu: gpu.map(str::to_owned),
            slice: None,
            raw: buckets.iter().map(|(raw, ..)| *raw).collect(),
            peak: buckets.iter().map(|&(raw, peak, _)| value(raw, peak)).collect(),
            mean: buckets.iter().map(|&(raw, _, mean)| value(raw, mean)).collect(),
        }
    }

    fn samples(buckets: &[(u32, f64, f64)]) -> Samples {
        let mut samples = Samples::empty("i-1", "0.1.0", now());
        let back = BUCKET.delta() * i32::try_from(buckets.len() - 1).expect("few");
        samples.from = bucket_start(now()) - back;
        samples.series = vec![series(Gauge::GpuUtilisation, Some("GPU-1"), buckets)];
        samples
    }

    fn values(measured: &Measured) -> Vec<f64> {
        measured.series[0].samples.iter().map(|sample| sample.value).collect()
    }

    fn machine(native: &str) -> Instance {
        let source = Source::new("test");
        Instance {
            id: format!("lambda/burst/us-east-1/{native}").parse().expect("an id"),
            name: Fact::absent(&source),
            state: State::Running,
            provider_state: "active".to_owned(),
            meter: Meter::Running,
            machine_type: "gpu_1x_a10".into(),
            gpu: Fact::absent(&source),
            purchase: Purchase::OnDemand,
            created_at: Fact::absent(&source),
            running_since: Fact::absent(&source),
            stopped_at: Fact::absent(&source),
            tags: Fact::absent(&source),
            manager: Fact::absent(&source),
            guards: Fact::absent(&source),
            local_storage: Fact::absent(&source),
            stop: StopOffer {
                kind: StopKind::Terminate,
                saves: true,
                loses: Vec::new(),
                objections: Vec::new(),
            },
            attached: Vec::new(),
            unreadable: Vec::new(),
        }
    }

    #[tokio::test]
    async fn fl_101_an_odd_object_spoils_no_other_and_a_missing_one_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::folder(folder.path()).expect("a store");
        store.put_samples(&samples(&[(30, 1.0, 1.0)])).await.expect("put");
        std::fs::write(folder.path().join("samples/i-2.json"), "{").expect("a torn object");
        let machines: Vec<Instance> = ["i-3", "i-2", "i-1"].map(machine).into();
        let machines: Vec<&Instance> = machines.iter().collect();
        let cx = CallContext { now: now(), requests: RequestCounter::default() };
        let source = ProbeSamples::new(store);
        let told = source.measure(&cx, &machines, &window(Statistic::Peak)).await;
        let natives: Vec<&str> = told.iter().map(|(id, _)| id.native.as_str()).collect();
        assert_eq!(natives, ["i-2", "i-1"]);
        assert_eq!(told[0].1.gaps[0].kind, Ignorance::ReadFailed);
        let why = &told[0].1.gaps[0].why;
        assert!(why.starts_with("reaper probe: samples/i-2.json: not samples of"), "{why}");
        assert_eq!(values(&told[1].1), [1.0]);
    }

    #[test]
    fn peaks_prove_and_means_advise() {
        let samples = samples(&[(30, 40.0, 2.0), (30, 8.0, 1.0)]);
        let peaks = measured(&samples, &window(Statistic::Peak));
        assert_eq!(values(&peaks), [40.0, 8.0]);
        assert_eq!(peaks.series[0].step, BUCKET);
        assert_eq!(values(&measured(&samples, &window(Statistic::Mean))), [2.0, 1.0]);
    }

    #[test]
    fn memory_is_told_by_its_highest() {
        let mut samples = samples(&[(30, 40.0, 2.0)]);
        samples.series = vec![series(Gauge::GpuMemory, Some("GPU-1"), &[(30, 39.5, 2.0)])];
        assert_eq!(values(&measured(&samples, &window(Statistic::Mean))), [39.5]);
    }

    #[test]
    fn fl_097_a_bucket_without_raw_samples_is_no_zero() {
        let samples = samples(&[(30, 0.0, 0.0), (0, 0.0, 0.0), (30, 0.0, 0.0)]);
        let told = measured(&samples, &window(Statistic::Peak));
        assert_eq!(values(&told).len(), 2);
    }

    #[test]
    fn fl_012_what_lies_outside_of_the_window_is_left_out() {
        // Fifteen buckets; the window of an hour holds twelve of them.
        let told = measured(&samples(&[(30, 1.0, 1.0); 15]), &window(Statistic::Peak));
        assert_eq!(values(&told).len(), 12);
        let mut ahead = samples(&[(30, 1.0, 1.0); 3]);
        ahead.from += BUCKET.delta() * 2;
        let told = measured(&ahead, &window(Statistic::Peak));
        assert_eq!(values(&told).len(), 1, "the two of the future prove nothing");
    }

    #[test]
    fn fl_012_a_clock_that_is_ahead_proves_nothing() {
        let mut samples = samples(&[(30, 0.0, 0.0); 15]);
        samples.written_at = now() + TimeDelta::hours(1);
        let told = measured(&samples, &window(Statistic::Peak));
        assert!(told.series.is_empty());
        assert_eq!(told.gaps[0].kind, Ignorance::Unusable);
        assert!(told.gaps[0].why.starts_with("reaper probe: the machine's clock is 1h ahead"));
    }

    /// What the judge says of an hour of these buckets.
    fn judged(samples: &Samples) -> Idleness {
        let mut instance = machine("i-1");
        let gpu = Gpu { model: "A10".to_owned(), count: 1.into(), memory_gib: None };
        instance.gpu = Fact::known(gpu, &Source::new("test"), now());
        let spec = IdleSpec { window: Span::from_secs(3600), ..IdleSpec::default() };
        let measured = measured(samples, &window(Statistic::Peak));
        idleness(&instance, Some(&measured), &spec, now())
    }

    #[test]
    fn fl_096_power_at_rest_is_no_work_and_power_at_work_is_no_rest() {
        for (power, verdict) in [(18.0, IdleVerdict::Idle), (90.0, IdleVerdict::Unknown)] {
            let mut samples = samples(&[(30, 0.0, 0.0); 13]);
            let drawn = [(30, power, power); 13];
            samples.series.push(series(Gauge::GpuPower, Some("GPU-1"), &drawn));
            let idleness = judged(&samples);
            assert_eq!(idleness.verdict, verdict, "{power}: {idleness:?}");
            if verdict == IdleVerdict::Unknown {
                let why = idleness.gap.expect("a gap").why;
                assert!(why.starts_with("metrics contradict: "), "{why}");
            }
        }
    }

    #[test]
    fn fl_097_few_looks_prove_no_rest_and_may_show_work() {
        let verdict = |buckets: &[(u32, f64, f64)]| judged(&samples(buckets)).verdict;
        assert_eq!(verdict(&[(4, 0.0, 0.0); 13]), IdleVerdict::Idle, "each minute, one missed");
        assert_eq!(verdict(&[(3, 0.0, 0.0); 13]), IdleVerdict::Unknown);
        assert_eq!(verdict(&[(1, 2.0, 2.0); 13]), IdleVerdict::Unknown);
        let mut ends_busy = [(5, 0.0, 0.0); 13];
        ends_busy[12] = (1, 88.0, 88.0);
        assert_eq!(verdict(&ends_busy), IdleVerdict::Busy, "the look of just now");
        // Of those that are low none counts, and of those that are high one.
        let told = |buckets| values(&measured(&samples(buckets), &window(Statistic::Peak)));
        assert_eq!(told(&[(5, 1.0, 1.0), (3, 1.0, 1.0), (3, 0.0, 0.0)]), [1.0]);
        assert_eq!(told(&[(5, 1.0, 1.0), (3, 3.0, 3.0), (3, 2.0, 2.0)]), [1.0, 3.0]);
    }

    #[test]
    fn troubles_are_told_while_they_are_fresh() {
        let mut samples = samples(&[(30, 0.0, 0.0)]);
        samples.troubles = vec!["GPU 3: requires reset".to_owned()];
        let told = measured(&samples, &window(Statistic::Peak));
        assert_eq!(
            told.gaps,
            [Unknown::new(Ignorance::Unusable, "reaper probe: GPU 3: requires reset")]
        );
        samples.written_at -= TimeDelta::hours(2);
        assert_eq!(measured(&samples, &window(Statistic::Peak)).gaps, []);
    }
}
