//! What meters of the tests' machines say: a value every five minutes for six hours up to now.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::WantedAction;
use reaper_model::{Gauge, Instance, Measured, Sample, Series, Source, Span};
use reaper_policy::{
    Answer, Conditions, IdleSpec, Idleness, Judgement, Policy, PolicySpec, Subject, idleness,
};

use crate::build::{now, rule};

/// Samples of six hours.
pub(crate) const SAMPLES: i64 = 72;
pub(crate) const STEP: Span = Span::from_secs(300);

/// Start of the time that the sample of this number stands for.
pub(crate) fn at(number: i64) -> DateTime<Utc> {
    now() - TimeDelta::minutes(5 * (SAMPLES - number))
}

/// A series of DCGM's with these values, one for each number of a sample that has any.
pub(crate) fn series(
    gauge: Gauge,
    gpu: impl Into<Option<usize>>,
    value: impl Fn(i64) -> Option<f64>,
) -> Series {
    let samples = (0..SAMPLES)
        .filter_map(|number| value(number).map(|value| Sample { at: at(number), value }))
        .collect();
    Series {
        gauge,
        gpu: gpu.into().map(|gpu| gpu.to_string()),
        slice: None,
        source: Source::new("DCGM"),
        step: STEP,
        samples,
    }
}

/// The same value all the time.
pub(crate) fn flat(gauge: Gauge, gpu: impl Into<Option<usize>>, value: f64) -> Series {
    series(gauge, gpu, |_| Some(value))
}

/// The same by another source.
pub(crate) fn by(source: &str, series: Series) -> Series {
    Series { source: Source::new(source), ..series }
}

/// Of a slice.
pub(crate) fn of_slice(slice: &str, series: Series) -> Series {
    Series { slice: Some(slice.to_owned()), ..series }
}

pub(crate) fn measured(series: impl IntoIterator<Item = Series>) -> Measured {
    Measured { series: series.into_iter().collect(), gaps: Vec::new() }
}

/// Utilisation of all eight GPUs at this value, with 0.4 GiB in use on each, and calm CPUs.
pub(crate) fn all_at(value: f64) -> Vec<Series> {
    gpus_at(value).into_iter().chain([flat(Gauge::Cpu, None, 1.0)]).collect()
}

/// The same where nobody measures the CPUs.
pub(crate) fn gpus_at(value: f64) -> Vec<Series> {
    (0..8)
        .flat_map(|gpu| [flat(Gauge::GpuUtilisation, gpu, value), flat(Gauge::GpuMemory, gpu, 0.4)])
        .collect()
}

/// By the default: below 5 % for six hours with 80 % of the samples.
pub(crate) fn judged(instance: &Instance, measured: &Measured) -> Idleness {
    idleness(instance, Some(measured), &IdleSpec::default(), now())
}

/// Why it is unknown.
pub(crate) fn gap(idleness: &Idleness) -> &str {
    assert_eq!(idleness.verdict, reaper_model::document::IdleVerdict::Unknown, "{idleness:?}");
    &idleness.gap.as_ref().expect("a gap").why
}

pub(crate) fn summary(idleness: &Idleness) -> &str {
    idleness.summary.as_deref().expect("a summary")
}

/// A policy with one rule that stops what is idle.
pub(crate) fn idle_rule(spec: IdleSpec) -> PolicySpec {
    let when = Conditions { idle: Some(spec), ..Conditions::default() };
    PolicySpec { rules: vec![rule("idle", when)], ..PolicySpec::default() }
}

pub(crate) fn judge_measured(
    spec: PolicySpec,
    instance: &Instance,
    measured: Option<&Measured>,
    now: DateTime<Utc>,
) -> Judgement {
    let account = reaper_model::AccountName::new("research");
    let subject = Subject::new(instance, &account, now).with_measured(measured);
    Policy::new(spec).judge(&subject)
}

/// What the rules of this name say.
pub(crate) fn says(judgement: &Judgement, name: &str) -> Option<(Answer, WantedAction, String)> {
    let answer = judgement.rules.iter().find(|answer| answer.rule == name)?;
    Some((answer.answer, answer.action, answer.explanation.clone()))
}
