//! What the machines of a world would measure of themselves: one meter per machine and way of
//! measuring, the same for all clouds. How it reads on a wire is told where that wire is.

mod curve;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Gauge, Span};
use serde::Deserialize;

use crate::act::span;
use crate::clock::{Clock, When};

pub use curve::{Curve, Step};

/// What one machine measures (`[[meter]]` of a world file):
///
/// ```toml
/// [[meter]]
/// machine = "i-0abc"       # native id, at any cloud
/// by = ["cloudwatch"]      # who measures; left out: everybody who could
/// gpus = 8                 # 1 if left out; 0 for a machine without any
/// mig = 0                  # slices of each GPU; 0: not divided
/// utilisation = 0.0        # percent of the time
/// memory_gib = 0.4         # of each GPU, or of each slice
/// cpu = [{ value = 1.5 }, { from = "10m", value = 92.0 }]
/// gpu = [{ index = 7, utilisation = 95.0 }, { index = 3, missing = true }]
/// ```
///
/// A gauge that is not written is not measured. Its value is a number, or a list of steps: each
/// holds from its time on, one without a time from ever. All times are as elsewhere in a world file,
/// so `10m` is ten minutes before the world began, and what is measured later follows the clock:
/// the last step goes on, and nothing has been measured yet of what is to come. Numbers are handed
/// on as they are, impossible ones (`9e18`, `nan`) too.
///
/// | key | gauge | of each |
/// | --- | --- | --- |
/// | `utilisation` | percent; a divided GPU has none | GPU |
/// | `engine` | percent | GPU, or slice |
/// | `power` | percent of the most that it may draw | GPU |
/// | `memory_gib` | GiB in use | GPU, or slice |
/// | `processes` | how many hold it | GPU, or slice |
/// | `cpu` | percent | machine |
/// | `network`, `disk` | bytes per second, both ways together | machine |
///
/// `gpu` lists what is otherwise for one GPU, or one `slice` of it; of several that say something,
/// the last counts. Two meters of one machine, each with its own `by`, may contradict each other.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meter {
    /// The machine's native id.
    pub machine: String,
    /// Which sources know of it: `cloudwatch` (all of CloudWatch), `power` (its accelerator metric
    /// alone), `agent` (its agent alone), `prometheus`, `cockpit`, `ovhcloud`, `probe`. Empty: all.
    #[serde(default)]
    pub by: Vec<String>,
    /// GPUs of the machine.
    #[serde(default = "one")]
    pub gpus: u32,
    /// MIG slices of each GPU; 0 for GPUs that are not divided.
    #[serde(default)]
    pub mig: u32,
    /// From when on it measures; absent: from ever.
    pub since: Option<When>,
    /// Until when, exclusive; absent: it goes on.
    pub until: Option<When>,
    /// Times of which nothing was kept.
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// How long after its time a sample can be read.
    #[serde(default, deserialize_with = "span")]
    pub late: Span,
    /// How often it measures.
    #[serde(default = "minute", deserialize_with = "span")]
    pub every: Span,
    /// Percentages go up and down by so many points, the same way in every run.
    #[serde(default)]
    pub wobble: f64,
    /// [`Gauge::GpuUtilisation`].
    pub utilisation: Option<Curve>,
    /// [`Gauge::GpuEngine`].
    pub engine: Option<Curve>,
    /// [`Gauge::GpuPower`].
    pub power: Option<Curve>,
    /// [`Gauge::GpuMemory`].
    pub memory_gib: Option<Curve>,
    /// [`Gauge::GpuProcesses`].
    pub processes: Option<Curve>,
    /// [`Gauge::Cpu`].
    pub cpu: Option<Curve>,
    /// [`Gauge::Network`].
    pub network: Option<Curve>,
    /// [`Gauge::Disk`].
    pub disk: Option<Curve>,
    /// What is otherwise for single GPUs.
    #[serde(default)]
    pub gpu: Vec<But>,
    /// Whether CloudWatch's own metric tells GPUs apart, beside telling of all together.
    #[serde(default = "yes")]
    pub gpu_ids: bool,
    /// What CloudWatch says of its metrics instead of `Complete`, such as `InternalError`.
    pub status: Option<String>,
}

/// What is otherwise for one GPU.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct But {
    /// The GPU, from 0.
    pub index: u32,
    /// Only this slice of it, from 0.
    pub slice: Option<u32>,
    /// Nothing at all is measured of it.
    pub missing: bool,
    /// [`Gauge::GpuUtilisation`].
    pub utilisation: Option<Curve>,
    /// [`Gauge::GpuEngine`].
    pub engine: Option<Curve>,
    /// [`Gauge::GpuPower`].
    pub power: Option<Curve>,
    /// [`Gauge::GpuMemory`].
    pub memory_gib: Option<Curve>,
    /// [`Gauge::GpuProcesses`].
    pub processes: Option<Curve>,
}

/// A time of which nothing was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Its start.
    pub from: When,
    /// Its end, exclusive.
    pub until: When,
}

/// What of a machine a series is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Machine,
    /// A GPU, by its index.
    Gpu(u32),
    /// A MIG slice: the GPU's index, and its own.
    Slice(u32, u32),
}

/// What a stretch of time adds up to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The lowest sample.
    pub minimum: f64,
    /// The highest sample.
    pub maximum: f64,
    /// All samples together.
    pub sum: f64,
    /// How many there are, at least one.
    pub count: u32,
}

const fn one() -> u32 {
    1
}

const fn yes() -> bool {
    true
}

const fn minute() -> Span {
    Span::from_secs(60)
}

impl Meter {
    /// A meter of a machine with one GPU, which measures nothing until a gauge is set.
    pub fn new(machine: &str) -> Self {
        Self {
            machine: machine.to_owned(),
            by: Vec::new(),
            gpus: one(),
            mig: 0,
            since: None,
            until: None,
            gaps: Vec::new(),
            late: Span::ZERO,
            every: minute(),
            wobble: 0.0,
            utilisation: None,
            engine: None,
            power: None,
            memory_gib: None,
            processes: None,
            cpu: None,
            network: None,
            disk: None,
            gpu: Vec::new(),
            gpu_ids: true,
            status: None,
        }
    }

    /// The same, measuring this.
    #[must_use]
    pub fn with(mut self, gauge: Gauge, curve: impl Into<Curve>) -> Self {
        *match gauge {
            Gauge::GpuUtilisation => &mut self.utilisation,
            Gauge::GpuEngine => &mut self.engine,
            Gauge::GpuPower => &mut self.power,
            Gauge::GpuMemory => &mut self.memory_gib,
            Gauge::GpuProcesses => &mut self.processes,
            Gauge::Cpu => &mut self.cpu,
            Gauge::Network => &mut self.network,
            Gauge::Disk => &mut self.disk,
        } = Some(curve.into());
        self
    }

    /// The same, known to one more source by that name.
    #[must_use]
    pub fn by(mut self, source: &str) -> Self {
        self.by.push(source.to_owned());
        self
    }

    /// Whether a source knows of it; of several names for a source, one is enough.
    pub fn is_by(&self, names: &[&str]) -> bool {
        self.by.is_empty() || self.by.iter().any(|by| names.contains(&by.as_str()))
    }

    /// What there are series of, in order.
    pub fn parts(&self, gauge: Gauge) -> Vec<Part> {
        let gpus = 0..self.gpus;
        let parts: Vec<Part> = match gauge {
            Gauge::Cpu | Gauge::Network | Gauge::Disk => vec![Part::Machine],
            Gauge::GpuEngine | Gauge::GpuMemory | Gauge::GpuProcesses if self.mig > 0 => gpus
                .flat_map(|gpu| (0..self.mig).map(move |slice| Part::Slice(gpu, slice)))
                .collect(),
            _ => gpus.map(Part::Gpu).collect(),
        };
        parts.into_iter().filter(|part| self.curve(gauge, *part).is_some()).collect()
    }

    /// What is measured of one part at a time; `None` where and when nothing is. The memory and the
    /// processes of a divided GPU are those of its slices together.
    pub fn at(&self, clock: &Clock, gauge: Gauge, part: Part, time: DateTime<Utc>) -> Option<f64> {
        if !self.measures(clock, time) {
            return None;
        }
        if let Part::Gpu(gpu) = part
            && self.mig > 0
            && matches!(gauge, Gauge::GpuMemory | Gauge::GpuProcesses)
        {
            let slices = (0..self.mig).map(|slice| Part::Slice(gpu, slice));
            let values: Vec<f64> =
                slices.filter_map(|slice| self.at(clock, gauge, slice, time)).collect();
            return (!values.is_empty()).then(|| values.iter().sum());
        }
        let value = self.curve(gauge, part)?.at(clock, time)?;
        let swing = if gauge.is_percentage() { self.swing(gauge, part, time) } else { 0.0 };
        // What cannot be stays as it was written.
        let may_swing = swing != 0.0 && (0.0..=100.0).contains(&value);
        Some(if may_swing { (value + swing).clamp(0.0, 100.0) } else { value })
    }

    /// What the samples from `from` on and before `until` add up to; `None` without any. They are
    /// taken every [`Meter::every`], at whole multiples of it since 1970.
    pub fn summary(
        &self,
        clock: &Clock,
        gauge: Gauge,
        part: Part,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
    ) -> Option<Summary> {
        let mut summary: Option<Summary> = None;
        for time in self.times(from, until) {
            let Some(value) = self.at(clock, gauge, part, time) else { continue };
            let so_far = summary.get_or_insert(Summary {
                minimum: value,
                maximum: value,
                sum: 0.0,
                count: 0,
            });
            so_far.minimum = so_far.minimum.min(value);
            so_far.maximum = so_far.maximum.max(value);
            so_far.sum += value;
            so_far.count += 1;
        }
        summary
    }

    /// When it measures, from `from` on and before `until`.
    pub fn times(
        &self,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> impl Iterator<Item = DateTime<Utc>> {
        let every = i64::try_from(self.every.as_secs()).unwrap_or(i64::MAX).max(1);
        let offset = from.timestamp().rem_euclid(every);
        let whole = from.timestamp_subsec_nanos() == 0;
        let wait = if offset == 0 && whole { 0 } else { every - offset };
        let first = DateTime::from_timestamp(from.timestamp().saturating_add(wait), 0);
        std::iter::successors(first, move |time| {
            time.checked_add_signed(TimeDelta::try_seconds(every)?)
        })
        .take_while(move |time| *time < until)
    }

    /// A GPU's UUID as the driver would tell it, the same in every run.
    pub fn gpu_uuid(&self, gpu: u32) -> String {
        let high = hash(&self.machine, [u64::from(gpu), 1]);
        let low = hash(&self.machine, [u64::from(gpu), 2]);
        let digits = format!("{high:016x}{low:016x}");
        let group = |from: usize, until: usize| &digits[from..until];
        let (start, end) = (group(0, 8), group(20, 32));
        format!("GPU-{start}-{}-{}-{}-{end}", group(8, 12), group(12, 16), group(16, 20))
    }

    fn measures(&self, clock: &Clock, time: DateTime<Utc>) -> bool {
        let before = |when: When| time < clock.resolve(when);
        time <= clock.now() - self.late.delta()
            && !self.since.is_some_and(before)
            && self.until.is_none_or(before)
            && !self.gaps.iter().any(|gap| !before(gap.from) && before(gap.until))
    }

    fn curve(&self, gauge: Gauge, part: Part) -> Option<&Curve> {
        let (gpu, slice) = match part {
            Part::Machine if gauge.per_gpu() => return None,
            Part::Machine => {
                return match gauge {
                    Gauge::Cpu => self.cpu.as_ref(),
                    Gauge::Network => self.network.as_ref(),
                    _ => self.disk.as_ref(),
                };
            }
            Part::Gpu(gpu) => (gpu, None),
            Part::Slice(gpu, slice) => (gpu, Some(slice)),
        };
        let divided = match gauge {
            Gauge::GpuUtilisation if self.mig > 0 => return None,
            Gauge::GpuEngine | Gauge::GpuMemory | Gauge::GpuProcesses => self.mig > 0,
            _ => false,
        };
        let there = gpu < self.gpus
            && divided == slice.is_some()
            && slice.is_none_or(|slice| slice < self.mig);
        if !gauge.per_gpu() || !there {
            return None;
        }
        let usual = match gauge {
            Gauge::GpuUtilisation => &self.utilisation,
            Gauge::GpuEngine => &self.engine,
            Gauge::GpuPower => &self.power,
            Gauge::GpuMemory => &self.memory_gib,
            _ => &self.processes,
        };
        let mut curve = usual.as_ref();
        for but in &self.gpu {
            if but.index != gpu || (but.slice.is_some() && but.slice != slice) {
                continue;
            }
            if but.missing {
                return None;
            }
            curve = but.curve(gauge).or(curve);
        }
        curve
    }

    /// Between minus and plus [`Meter::wobble`].
    fn swing(&self, gauge: Gauge, part: Part, time: DateTime<Utc>) -> f64 {
        if self.wobble == 0.0 {
            return 0.0;
        }
        let (gpu, slice) = match part {
            Part::Machine => (0, 0),
            Part::Gpu(gpu) => (gpu + 1, 0),
            Part::Slice(gpu, slice) => (gpu + 1, slice + 1),
        };
        let which = (u64::from(gpu) << 32) | (u64::from(slice) << 8) | gauge as u64;
        let thousandth = hash(&self.machine, [which, time.timestamp().cast_unsigned()]) % 2001;
        let thousandth = f64::from(u32::try_from(thousandth).unwrap_or_default());
        (thousandth / 1000.0 - 1.0) * self.wobble
    }
}

impl But {
    fn curve(&self, gauge: Gauge) -> Option<&Curve> {
        match gauge {
            Gauge::GpuUtilisation => self.utilisation.as_ref(),
            Gauge::GpuEngine => self.engine.as_ref(),
            Gauge::GpuPower => self.power.as_ref(),
            Gauge::GpuMemory => self.memory_gib.as_ref(),
            Gauge::GpuProcesses => self.processes.as_ref(),
            Gauge::Cpu | Gauge::Network | Gauge::Disk => None,
        }
    }
}

/// FNV-1a, finished by a round of mixing: the standard library's hash may change with its version.
fn hash(text: &str, numbers: [u64; 2]) -> u64 {
    let numbers = numbers.into_iter().flat_map(u64::to_le_bytes);
    let mixed = text.bytes().chain(numbers).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests;
