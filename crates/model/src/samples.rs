//! What `reaper probe` measured on one machine, as it lies in the state store: one small JSON object
//! per machine that is replaced as a whole. Written on the machine, read by a run.
//!
//! ```json
//! { "schema": "reaper.samples/1", "version": "0.1.0", "machine": "fffa2b64c4b5",
//!   "written_at": "2026-11-30T09:00:07Z", "from": "2026-11-29T07:00:00Z", "step_seconds": 300,
//!   "gpus": [{"id": "GPU-5f2c", "index": 0, "model": "NVIDIA A10", "memory_gib": 22.5}],
//!   "series": [{"gauge": "gpu-utilisation", "gpu": "GPU-5f2c", "slice": null,
//!               "raw": [30, 0, 12], "peak": [4.0, null, 1.0], "mean": [0.2, null, 0.1]}],
//!   "troubles": [] }
//! ```
//!
//! The n-th number of a series stands for the time from `from` + n × `step_seconds` on. Where `raw`
//! is 0 nothing was measured, which is not the same as nothing having happened; where it is less than
//! [`LEAST_LOOKS`], too little to call that time idle.

use std::fmt::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::duration::Span;
use crate::measure::Gauge;

/// Name and version of the object's form.
pub const SAMPLES_SCHEMA: &str = "reaper.samples/1";

/// What one bucket stands for.
pub const BUCKET: Span = Span::from_secs(5 * 60);

/// Raw samples that a bucket needs to prove anything but work: at a look each minute, one may fail.
pub const LEAST_LOOKS: u32 = 4;

/// The longest time between two looks of a probe that stays up.
pub const LONGEST_PAUSE: Span = Span::from_secs(60);

/// How far back the buckets of one object go. A day and some, so that daily runs see all of a day.
pub const SAMPLES_KEPT: Span = Span::from_secs(26 * 3600);

/// More bytes are never read as one object: eight GPUs with seven slices each stay below half of it.
pub const SAMPLES_LIMIT: u64 = 8 * 1024 * 1024;

/// Longest id of a machine that a key is made of.
const LONGEST_ID: usize = 128;

/// Series that one object may hold: 16 GPUs with eight slices, with all gauges.
const MOST_SERIES: usize = 1024;

/// Everything measured of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// [`SAMPLES_SCHEMA`].
    pub schema: String,
    /// Version of the probe.
    pub version: String,
    /// The machine's id as its provider gives it.
    pub machine: String,
    /// When this was written, by the machine's own clock.
    pub written_at: DateTime<Utc>,
    /// Start of the first bucket.
    pub from: DateTime<Utc>,
    /// What one bucket stands for, in seconds.
    pub step_seconds: u64,
    /// The accelerators that were seen.
    #[serde(default)]
    pub gpus: Vec<SampledGpu>,
    /// One quantity of one accelerator or of the machine each.
    pub series: Vec<SampleSeries>,
    /// What could not be read the last time that it was tried, in words.
    #[serde(default)]
    pub troubles: Vec<String>,
}

/// An accelerator that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampledGpu {
    /// As [`SampleSeries::gpu`] names it: its UUID; its index where it tells none.
    pub id: String,
    /// Its number at the last reading. Numbers move when a GPU before it is lost.
    pub index: Option<u32>,
    /// What the driver calls it.
    pub model: Option<String>,
    /// Its memory.
    pub memory_gib: Option<f64>,
}

/// One quantity, bucket by bucket; the three lists are equally long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSeries {
    /// What was measured.
    pub gauge: Gauge,
    /// Of which accelerator; `None`: of the machine.
    pub gpu: Option<String>,
    /// Of which MIG slice of it, by the number of its GPU instance.
    pub slice: Option<String>,
    /// How many raw samples each bucket holds: one a look.
    pub raw: Vec<u32>,
    /// Their highest.
    pub peak: Vec<Option<f64>>,
    /// Their mean.
    pub mean: Vec<Option<f64>>,
}

/// Why an object is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SamplesError {
    /// No machine can be called so.
    #[error(
        "`{0}` cannot be a machine's id: expected 1 to {LONGEST_ID} characters, none of control"
    )]
    Id(String),
    /// It is torn, or something else.
    #[error("not samples of reaper probe: {0}")]
    Form(String),
    /// Another version of the form.
    #[error("written in the form `{0}`, this version reads `{SAMPLES_SCHEMA}`")]
    Schema(String),
    /// It lies under another machine's key.
    #[error("it says that it is of the machine `{0}`")]
    Machine(String),
}

impl Samples {
    /// Nothing measured yet.
    pub fn empty(machine: &str, version: &str, now: DateTime<Utc>) -> Self {
        Self {
            schema: SAMPLES_SCHEMA.to_owned(),
            version: version.to_owned(),
            machine: machine.to_owned(),
            written_at: now,
            from: bucket_start(now),
            step_seconds: BUCKET.as_secs(),
            gpus: Vec::new(),
            series: Vec::new(),
            troubles: Vec::new(),
        }
    }

    /// Reads an object that is said to be of `machine`.
    ///
    /// # Errors
    ///
    /// Whatever is odd about it: half of an object proves nothing.
    pub fn read(bytes: &[u8], machine: &str) -> Result<Self, SamplesError> {
        #[derive(Deserialize)]
        struct Any {
            schema: String,
        }
        let form = |error: serde_json::Error| SamplesError::Form(error.to_string());
        let any: Any = serde_json::from_slice(bytes).map_err(form)?;
        if any.schema != SAMPLES_SCHEMA {
            return Err(SamplesError::Schema(any.schema.chars().take(60).collect()));
        }
        let samples: Self = serde_json::from_slice(bytes).map_err(form)?;
        if samples.machine != machine {
            return Err(SamplesError::Machine(samples.machine.chars().take(LONGEST_ID).collect()));
        }
        samples.check()?;
        Ok(samples)
    }

    fn check(&self) -> Result<(), SamplesError> {
        let refuse = |why: &str| Err(SamplesError::Form(why.to_owned()));
        if self.step_seconds != BUCKET.as_secs() {
            return refuse("buckets of another length than 5 minutes");
        }
        if self.from != bucket_start(self.from) {
            return refuse("buckets that do not begin at full 5 minutes");
        }
        if self.series.len() > MOST_SERIES {
            return refuse("more series than a machine can have");
        }
        let most = SAMPLES_KEPT.as_secs() / BUCKET.as_secs() + 1;
        for (number, series) in self.series.iter().enumerate() {
            let length = series.raw.len();
            if series.peak.len() != length || series.mean.len() != length {
                return refuse("a series whose lists are not equally long");
            }
            if u64::try_from(length).is_ok_and(|length| length > most) {
                return refuse("a series that is longer than 26 hours");
            }
            if series.gpu.as_deref().is_some_and(|gpu| gpu.trim().is_empty()) {
                return refuse("a GPU without a name");
            }
            let above = |(mean, peak): (&Option<f64>, &Option<f64>)| {
                mean.zip(*peak).is_some_and(|(mean, peak)| mean > peak + 0.01)
            };
            if series.mean.iter().zip(&series.peak).any(above) {
                return refuse("a mean above its peak");
            }
            let last = series.raw.iter().rposition(|raw| *raw > 0);
            if last.and_then(|place| self.at(place)).is_some_and(|at| at > self.written_at) {
                return refuse("samples of a time after it was written");
            }
            if series.gauge.per_gpu() != series.gpu.is_some() {
                return refuse(
                    "a series of a GPU that names none, or of the machine that names one",
                );
            }
            let same = |other: &SampleSeries| other.names() == series.names();
            if self.series[..number].iter().any(same) {
                return refuse("the same series twice");
            }
        }
        Ok(())
    }

    /// The object's bytes.
    ///
    /// # Errors
    ///
    /// A bug of ours.
    pub fn write(&self) -> Result<Vec<u8>, SamplesError> {
        let mut bytes =
            serde_json::to_vec(self).map_err(|error| SamplesError::Form(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Start of the bucket with this number; `None` beyond all time.
    pub fn at(&self, number: usize) -> Option<DateTime<Utc>> {
        let seconds = i64::try_from(number).ok()?.checked_mul(BUCKET.delta().num_seconds())?;
        self.from.checked_add_signed(TimeDelta::try_seconds(seconds)?)
    }
}

impl SampleSeries {
    /// What tells it from the others of its machine.
    pub fn names(&self) -> (Gauge, Option<&str>, Option<&str>) {
        (self.gauge, self.gpu.as_deref(), self.slice.as_deref())
    }
}

/// Start of the bucket that a time falls into.
pub fn bucket_start(at: DateTime<Utc>) -> DateTime<Utc> {
    let step = BUCKET.delta().num_seconds();
    DateTime::from_timestamp(at.timestamp().div_euclid(step) * step, 0).unwrap_or(at)
}

/// The key under which a machine's object lies, below the folder `samples`: its id, in which all but
/// letters, digits, `-` and inner dots is written as `_` and two hexadecimal digits, so that no two
/// ids share a key and none leaves the folder.
///
/// # Errors
///
/// No machine can be called so.
pub fn samples_key(machine: &str) -> Result<String, SamplesError> {
    let fits = (1..=LONGEST_ID).contains(&machine.len());
    if !fits || machine.chars().any(char::is_control) {
        let shown = machine.chars().filter(|letter| !letter.is_control()).take(60);
        return Err(SamplesError::Id(shown.collect()));
    }
    let mut key = String::with_capacity(machine.len());
    for (at, byte) in machine.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || (byte == b'.' && at > 0) {
            key.push(char::from(byte));
        } else {
            // Writing into a string cannot fail.
            let _ = write!(key, "_{byte:02x}");
        }
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T09:03:07Z".parse().expect("a time")
    }

    fn samples() -> Samples {
        let mut samples = Samples::empty("i-1", "0.1.0", now());
        samples.series.push(SampleSeries {
            gauge: Gauge::GpuUtilisation,
            gpu: Some("GPU-1".to_owned()),
            slice: None,
            raw: vec![30, 0],
            peak: vec![Some(4.0), None],
            mean: vec![Some(0.25), None],
        });
        samples
    }

    #[test]
    fn an_object_reads_back_as_written() {
        let bytes = samples().write().expect("bytes");
        assert_eq!(Samples::read(&bytes, "i-1"), Ok(samples()));
        assert_eq!(samples().at(1), Some("2026-11-30T09:05:00Z".parse().expect("a time")));
    }

    #[test]
    fn fl_101_whatever_is_odd_about_an_object_is_an_error() {
        type Edit = fn(&mut Samples);
        let bytes = samples().write().expect("bytes");
        for cut in 0..bytes.len() - 1 {
            assert!(Samples::read(&bytes[..cut], "i-1").is_err(), "cut at {cut}");
        }
        assert_eq!(Samples::read(&bytes, "i-2"), Err(SamplesError::Machine("i-1".to_owned())));
        let edits: [Edit; 10] = [
            |samples| samples.series[0].mean[0] = Some(99.0),
            |samples| samples.series[0].gpu = Some(" ".to_owned()),
            |samples| samples.written_at = samples.from - TimeDelta::seconds(1),
            |samples| samples.schema = "reaper.samples/2".to_owned(),
            |samples| samples.step_seconds = 60,
            |samples| samples.from += TimeDelta::seconds(1),
            |samples| samples.series[0].raw.push(1),
            |samples| samples.series[0].gpu = None,
            |samples| samples.series.push(samples.series[0].clone()),
            |samples| {
                samples.series[0].raw = vec![0; 400];
                samples.series[0].peak = vec![None; 400];
                samples.series[0].mean = vec![None; 400];
            },
        ];
        for (number, edit) in edits.into_iter().enumerate() {
            let mut samples = samples();
            edit(&mut samples);
            let bytes = samples.write().expect("bytes");
            assert!(Samples::read(&bytes, "i-1").is_err(), "edit {number}");
        }
    }

    #[test]
    fn no_two_machines_share_a_key_and_none_leaves_the_folder() {
        let key = |id| samples_key(id).expect("a key");
        assert_eq!(key("i-0abc"), "i-0abc");
        assert_eq!(key("0920582c-1b4e-4d2c"), "0920582c-1b4e-4d2c");
        assert_eq!(key("gpu.example"), "gpu.example");
        assert_eq!(key("../x"), "_2e._2fx");
        assert_eq!(key("a_b"), "a_5fb");
        assert_eq!(key("ä"), "_c3_a4");
        for wrong in ["", "a\nb", &"x".repeat(129)] {
            assert!(samples_key(wrong).is_err(), "{wrong:?}");
        }
    }
}
