//! Raw samples, gathered into buckets of five minutes: their highest, their mean, their number. What
//! cannot be is dropped here and said, so that it spoils no mean. What a clock that was wrong has
//! stamped is forgotten as a whole: told as of another time, work would go unseen.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::samples::{
    BUCKET, SAMPLES_KEPT, SampleSeries, SampledGpu, Samples, bucket_start,
};
use reaper_model::{Gauge, SampleSeries as Column};

use crate::reading::{Gpus, HostReading, Level, Values, gib, possible};

/// Series that are kept at most: 16 GPUs with eight slices, with all gauges, stay below.
const MOST_SERIES: usize = 1000;

/// By how much the wall clock may differ from the time that has passed: a look waits for its turn.
const STEADY: TimeDelta = TimeDelta::seconds(5);

/// What is measured, of which GPU, of which slice of it.
type Key = (Gauge, Option<String>, Option<String>);

/// Raw samples of one bucket.
#[derive(Debug, Clone, Copy)]
struct Cell {
    raw: u32,
    peak: f64,
    sum: f64,
}

/// What was measured of a machine since a day and some.
#[derive(Debug)]
pub struct Buckets {
    machine: String,
    version: String,
    gpus: BTreeMap<String, SampledGpu>,
    /// By start of the bucket.
    series: BTreeMap<Key, BTreeMap<DateTime<Utc>, Cell>>,
    troubles: Vec<String>,
    /// When the last look was, by the clock of then.
    last: Option<DateTime<Utc>>,
}

/// What the wall clock did since the look before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// It went on as time did.
    Steadily,
    /// It went further than time did: set ahead, or the machine slept. What was measured stays where
    /// it is, and the time between is a gap.
    Ahead,
    /// It was set back, so that everything so far may be of other times than it says.
    Back,
}

impl Buckets {
    /// Nothing yet.
    pub fn new(machine: &str, version: &str) -> Self {
        Self {
            machine: machine.to_owned(),
            version: version.to_owned(),
            gpus: BTreeMap::new(),
            series: BTreeMap::new(),
            troubles: Vec::new(),
            last: None,
        }
    }

    /// Goes on from what was written before.
    pub fn resume(samples: &Samples, version: &str) -> Self {
        let mut buckets = Self::new(&samples.machine, version);
        buckets.last = Some(samples.written_at);
        buckets.gpus = samples.gpus.iter().map(|gpu| (gpu.id.clone(), gpu.clone())).collect();
        for series in &samples.series {
            let key = (series.gauge, series.gpu.clone(), series.slice.clone());
            let cells = series.raw.iter().zip(&series.peak).zip(&series.mean).enumerate();
            let cells = cells.filter_map(|(number, ((raw, peak), mean))| {
                let (raw, peak, mean) = (*raw, (*peak)?, (*mean)?);
                let cell = Cell { raw, peak, sum: mean * f64::from(raw) };
                (raw > 0).then_some((samples.at(number)?, cell))
            });
            buckets.series.insert(key, cells.collect());
        }
        buckets
    }

    /// Told of the time of a look before it is taken; `passed` is what went by since the one before on
    /// a clock that nobody sets, if that is known. After a step back nothing of before is kept.
    pub fn meet(&mut self, now: DateTime<Utc>, passed: Option<Duration>) -> Passed {
        let newest = self.series.values().filter_map(|cells| cells.keys().next_back()).max();
        let of_the_future = newest.is_some_and(|newest| *newest > bucket_start(now + STEADY));
        let Some(last) = self.last.replace(now) else { return Passed::Steadily };
        let went = now - last;
        let passed = passed.and_then(|passed| TimeDelta::from_std(passed).ok());
        if of_the_future || went - passed.unwrap_or_default() < -STEADY {
            self.series.clear();
            self.gpus.clear();
            return Passed::Back;
        }
        match passed {
            Some(passed) if went - passed > STEADY => Passed::Ahead,
            _ => Passed::Steadily,
        }
    }

    /// Takes what one look has brought.
    pub fn add(&mut self, now: DateTime<Utc>, gpus: &Gpus, host: HostReading) {
        self.troubles.clone_from(&gpus.troubles);
        for (gauge, value) in
            [(Gauge::Cpu, host.cpu), (Gauge::Network, host.network), (Gauge::Disk, host.disk)]
        {
            self.value(now, (gauge, None, None), value.map(Level::of));
        }
        for gpu in &gpus.gpus {
            let id = gpu.id();
            let noted = SampledGpu {
                id: id.clone(),
                index: Some(gpu.index),
                model: gpu.model.clone(),
                memory_gib: gpu.values.memory_total.map(|bytes| rounded(gib(bytes))),
            };
            self.gpus.insert(id.clone(), noted);
            self.values(now, &id, None, &gpu.values);
            for slice in &gpu.slices {
                self.values(now, &id, Some(&slice.id), &slice.values);
            }
        }
        self.trim(now);
    }

    fn values(&mut self, now: DateTime<Utc>, gpu: &str, slice: Option<&str>, values: &Values) {
        let known = [
            (Gauge::GpuUtilisation, values.utilisation),
            (Gauge::GpuEngine, values.engine),
            (Gauge::GpuPower, values.power),
            (Gauge::GpuMemory, values.memory_used.map(|bytes| Level::of(gib(bytes)))),
            (Gauge::GpuProcesses, values.processes.map(|count| Level::of(f64::from(count)))),
        ];
        for (gauge, level) in known {
            let key = (gauge, Some(gpu.to_owned()), slice.map(str::to_owned));
            self.value(now, key, level);
        }
    }

    fn value(&mut self, now: DateTime<Utc>, key: Key, level: Option<Level>) {
        let Some(level) = level else { return };
        if !possible(key.0, level.peak) || !possible(key.0, level.mean) {
            let of = key.1.as_deref().unwrap_or("the machine");
            self.troubles.push(format!("{of}: an impossible {} was left out", key.0));
            return;
        }
        if self.series.len() >= MOST_SERIES && !self.series.contains_key(&key) {
            return;
        }
        let cell = self.series.entry(key).or_default().entry(bucket_start(now));
        let cell = cell.or_insert(Cell { raw: 0, peak: level.peak, sum: 0.0 });
        cell.raw = cell.raw.saturating_add(1);
        cell.peak = cell.peak.max(level.peak);
        cell.sum += level.mean;
    }

    /// Drops what is too old.
    fn trim(&mut self, now: DateTime<Utc>) {
        let newest = bucket_start(now);
        let oldest = newest - SAMPLES_KEPT.delta() + BUCKET.delta();
        for cells in self.series.values_mut() {
            cells.retain(|at, _| oldest <= *at);
        }
        self.series.retain(|_, cells| !cells.is_empty());
        let series = &self.series;
        let lives = |id: &str| series.keys().any(|(_, gpu, _)| gpu.as_deref() == Some(id));
        self.gpus.retain(|id, _| lives(id));
    }

    /// What could not be read at the last look.
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// The object that is written.
    pub fn samples(&self, now: DateTime<Utc>) -> Samples {
        let mut samples = Samples::empty(&self.machine, &self.version, now);
        let starts = self.series.values().filter_map(|cells| cells.keys().next());
        samples.from = starts.min().copied().unwrap_or(samples.from);
        samples.gpus = self.gpus.values().cloned().collect();
        samples.series =
            self.series.iter().map(|(key, cells)| column(key, cells, &samples)).collect();
        samples.troubles = self.troubles.iter().take(16).cloned().collect();
        samples
    }
}

fn column(key: &Key, cells: &BTreeMap<DateTime<Utc>, Cell>, samples: &Samples) -> SampleSeries {
    let (gauge, gpu, slice) = key.clone();
    let mut column = Column { gauge, gpu, slice, raw: vec![], peak: vec![], mean: vec![] };
    let last = cells.keys().next_back().copied();
    for at in (0..).map_while(|number| samples.at(number)) {
        if last.is_none_or(|last| last < at) {
            break;
        }
        let cell = cells.get(&at);
        column.raw.push(cell.map_or(0, |cell| cell.raw));
        column.peak.push(cell.map(|cell| rounded(cell.peak)));
        column.mean.push(cell.map(|cell| rounded(cell.sum / f64::from(cell.raw))));
    }
    column
}

/// Three decimals are enough, and keep the object small.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests;
