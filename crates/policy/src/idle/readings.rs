//! Series made readings, one a source, gauge, accelerator and slice: samples that cannot be are
//! dropped and counted, doubles count once, and the order does not matter.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Gauge, Measured, Sample, Span};
use rust_decimal::Decimal;

use crate::spec::IdleSpec;

/// What is looked at: the window up to now.
pub(super) struct Frame {
    pub(super) now: DateTime<Utc>,
    pub(super) spec: IdleSpec,
}

impl Frame {
    pub(super) fn from(&self) -> DateTime<Utc> {
        self.now.checked_sub_signed(self.spec.window.delta()).unwrap_or(DateTime::<Utc>::MIN_UTC)
    }
}

/// What one source says of one quantity of one accelerator, slice or machine in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    pub(super) of: Of<'a>,
    /// The highest value.
    pub(super) peak: Decimal,
    /// The mean over the samples.
    pub(super) mean: Decimal,
    /// Share of the window's steps that hold a sample, percent.
    pub(super) coverage: Decimal,
    /// End of the time for which the last sample stands; now at the most.
    pub(super) last: DateTime<Utc>,
    /// What one sample stands for.
    pub(super) step: Span,
}

/// What a reading is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Of<'a> {
    pub(super) source: &'a str,
    pub(super) gpu: Option<&'a str>,
    pub(super) slice: Option<&'a str>,
    pub(super) gauge: Gauge,
}

/// The time for which a sample stands may have ended so long ago. Samples come late: CloudWatch's
/// five minutes can be read up to five minutes after their end, so that the last ones readable ended
/// less than ten minutes ago; those of a probe come by one of its rounds.
const LATE: TimeDelta = TimeDelta::minutes(10);

impl Reading<'_> {
    /// Whether the window is covered, up to now.
    pub(super) fn covers(&self, frame: &Frame) -> bool {
        self.coverage >= frame.spec.coverage && self.is_fresh(frame)
    }

    /// Whether the samples have not broken off.
    pub(super) fn is_fresh(&self, frame: &Frame) -> bool {
        let late = (self.step.delta() * 2).max(LATE);
        self.last.checked_add_signed(late).is_none_or(|end| end >= frame.now)
    }
}

/// All readings of one machine.
pub(super) struct Readings<'a> {
    pub(super) all: Vec<Reading<'a>>,
    /// The slices of accelerators that are split, by source; also those without a sample.
    pub(super) sliced: BTreeMap<(&'a str, Option<&'a str>), BTreeSet<&'a str>>,
    /// A source that measured its work and is not believed.
    pub(super) suspect: Option<&'a str>,
    /// Gauges of which samples could not be, so that what is left does not tell the whole.
    pub(super) impossible: BTreeSet<Gauge>,
    /// What was left out of account.
    pub(super) notes: Vec<String>,
    pub(super) frame: Frame,
}

/// The samples of one reading before they are summed up.
struct Gathered {
    step: Span,
    values: BTreeMap<DateTime<Utc>, Decimal>,
    dropped: BTreeSet<DateTime<Utc>>,
}

impl<'a> Readings<'a> {
    pub(super) fn of(
        measured: &'a Measured,
        frame: &Frame,
        suspects: &BTreeSet<&str>,
        memory_of_one: Option<Decimal>,
    ) -> Self {
        let mut sliced: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        let mut suspect = None;
        let mut gathered: BTreeMap<Of<'a>, Gathered> = BTreeMap::new();
        for series in &measured.series {
            let source = series.source.as_str();
            let gpu = series.gpu.as_deref().filter(|_| series.gauge.per_gpu());
            let slice = series.slice.as_deref().filter(|_| series.gauge.per_gpu());
            if let Some(slice) = slice {
                // Who is not believed about work is about this.
                sliced.entry((source, gpu)).or_default().insert(slice);
            }
            if series.gauge.per_gpu() && suspects.contains(source) {
                suspect = Some(source);
                continue;
            }
            let of = Of { source, gpu, slice, gauge: series.gauge };
            let step = Span::from_secs(series.step.as_secs().max(1));
            let entry = gathered.entry(of).or_insert_with(|| Gathered {
                step,
                values: BTreeMap::new(),
                dropped: BTreeSet::new(),
            });
            // Of two steps the coarser: it claims no more than is there.
            entry.step = entry.step.max(step);
            for sample in &series.samples {
                entry.take(sample, of.gauge, step, frame, memory_of_one);
            }
        }
        let mut dropped: BTreeMap<(&str, Gauge), usize> = BTreeMap::new();
        let mut all = Vec::new();
        for (of, gathered) in gathered {
            if !gathered.dropped.is_empty() {
                *dropped.entry((of.source, of.gauge)).or_default() += gathered.dropped.len();
            }
            all.extend(gathered.reading(of, frame));
        }
        let impossible = dropped.keys().map(|(_, gauge)| *gauge).collect();
        let notes = dropped
            .into_iter()
            .map(|((source, gauge), count)| {
                let samples = if count == 1 { "sample" } else { "samples" };
                format!("{count} impossible {samples} of {gauge} left out ({source})")
            })
            .collect();
        let frame = Frame { now: frame.now, spec: frame.spec };
        Self { all, sliced, suspect, impossible, notes, frame }
    }

    /// Readings that tell whether accelerators work. Under MIG the share of time in which a kernel
    /// ran is not offered: where it is shown all the same (mostly as 0) a low value does not count. A
    /// high one does: nobody shows work that is not there for want of an offer.
    pub(super) fn work(&self) -> impl Iterator<Item = &Reading<'a>> {
        self.all.iter().filter(|reading| {
            let of = reading.of;
            let counts = of.gauge != Gauge::GpuUtilisation
                || reading.peak >= self.frame.spec.below
                || !self.is_split(of.source, of.gpu);
            of.gauge.shows_work() && counts
        })
    }

    /// Whether this accelerator is split. Sources name accelerators in their own ways, so one that
    /// shows no slices is not believed where another shows some.
    pub(super) fn is_split(&self, source: &str, gpu: Option<&str>) -> bool {
        self.slices(source, gpu).is_some() || self.sliced.keys().any(|(other, _)| *other != source)
    }

    /// The slices that a source knows of one accelerator.
    pub(super) fn slices(&self, source: &str, gpu: Option<&str>) -> Option<&BTreeSet<&'a str>> {
        let mut known = self.sliced.iter();
        known.find(|((by, of), _)| *by == source && *of == gpu).map(|(_, slices)| slices)
    }

    pub(super) fn of_gauge(&self, gauge: Gauge) -> impl Iterator<Item = &Reading<'a>> {
        self.all.iter().filter(move |reading| reading.of.gauge == gauge)
    }
}

impl Gathered {
    fn take(
        &mut self,
        sample: &Sample,
        gauge: Gauge,
        step: Span,
        frame: &Frame,
        memory_of_one: Option<Decimal>,
    ) {
        // What reaches into the window counts against idleness, also from its edges and from a
        // clock that is a little ahead.
        let begins_late = frame.now.checked_add_signed(step.delta()).is_some_and(|t| sample.at > t);
        let end = sample.at.checked_add_signed(step.delta());
        if begins_late || end.is_none_or(|end| end <= frame.from()) {
            return;
        }
        match possible(sample.value, gauge, memory_of_one) {
            Some(value) => {
                let known = self.values.entry(sample.at).or_insert(value);
                *known = (*known).max(value);
            }
            None => {
                self.dropped.insert(sample.at);
            }
        }
    }

    fn reading<'a>(&self, of: Of<'a>, frame: &Frame) -> Option<Reading<'a>> {
        let peak = self.values.values().max().copied()?;
        let sum: Decimal = self.values.values().sum();
        let mean = sum.checked_div(Decimal::from(self.values.len())).unwrap_or(peak);
        let (from, step) = (frame.from(), self.step);
        let seconds = i64::try_from(step.as_secs()).unwrap_or(i64::MAX);
        let steps = frame.spec.window.as_secs() / step.as_secs();
        let covered = self
            .values
            .keys()
            .filter(|at| **at >= from && **at < frame.now)
            .map(|at| (*at - from).num_seconds() / seconds)
            .collect::<BTreeSet<_>>()
            .len();
        let coverage = (Decimal::from(covered) * Decimal::ONE_HUNDRED)
            .checked_div(Decimal::from(steps))
            .unwrap_or_default()
            .min(Decimal::ONE_HUNDRED);
        let last = self.values.keys().next_back()?.checked_add_signed(step.delta())?;
        Some(Reading { of, peak, mean, coverage, last: last.min(frame.now), step })
    }
}

/// More GiB than any accelerator has: what is above is a sentinel.
const MOST_MEMORY: Decimal = Decimal::from_parts(16_384, 0, 0, false, 0);
/// More processes than a machine runs.
const MOST_PROCESSES: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 0);
/// More bytes per second than any network or disk moves: 10 TB.
const MOST_TRAFFIC: f64 = 1e13;

/// The value, if it can be one. Not numbers, negative ones and the astronomic ones that stand for a
/// missing value cannot.
fn possible(value: f64, gauge: Gauge, memory_of_one: Option<Decimal>) -> Option<Decimal> {
    if !value.is_finite() || !(0.0..=MOST_TRAFFIC).contains(&value) {
        return None;
    }
    let value = Decimal::try_from(value).ok()?;
    let most = match gauge {
        Gauge::GpuMemory => match memory_of_one {
            // Makers count in other units than clouds, so there is some room.
            Some(memory) => (memory * Decimal::TWO).min(MOST_MEMORY),
            None => MOST_MEMORY,
        },
        Gauge::GpuProcesses => MOST_PROCESSES,
        Gauge::Network | Gauge::Disk => return Some(value),
        Gauge::GpuUtilisation | Gauge::GpuEngine | Gauge::GpuPower | Gauge::Cpu => {
            Decimal::ONE_HUNDRED
        }
    };
    (value <= most).then_some(value)
}
