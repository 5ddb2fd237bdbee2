//! What was measured of a machine: series of samples, each of one quantity, of one accelerator or of
//! the whole machine, told by one source. Whether that means idle is judged in `reaper-policy`.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::duration::Span;
use crate::fact::{Source, Unknown};

/// A measured quantity. Sources hand over what they have; a value that cannot be (a sentinel, more
/// than 100 %) is handed over as it came and dropped by the judge, who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gauge {
    /// Share of the time in which a kernel ran on a GPU, percent. Not offered under MIG.
    GpuUtilisation,
    /// Share of the time in which a GPU's or a MIG slice's engine was active, percent.
    GpuEngine,
    /// Power that a GPU draws for work, percent of the most that it may.
    GpuPower,
    /// Memory of a GPU or a MIG slice in use, GiB.
    GpuMemory,
    /// Processes that hold a GPU or a MIG slice.
    GpuProcesses,
    /// Share of the time of all CPUs together, percent.
    Cpu,
    /// Network traffic, in and out together, bytes per second.
    Network,
    /// Disk traffic, read and written together, bytes per second.
    Disk,
}

impl Gauge {
    /// Whether a high value means that an accelerator works.
    pub const fn shows_work(self) -> bool {
        matches!(self, Self::GpuUtilisation | Self::GpuEngine | Self::GpuPower)
    }

    /// Whether it is a percentage, so that nothing above 100 can be.
    pub const fn is_percentage(self) -> bool {
        matches!(self, Self::GpuUtilisation | Self::GpuEngine | Self::GpuPower | Self::Cpu)
    }

    /// Whether it is measured of each accelerator, not of the machine.
    pub const fn per_gpu(self) -> bool {
        matches!(
            self,
            Self::GpuUtilisation
                | Self::GpuEngine
                | Self::GpuPower
                | Self::GpuMemory
                | Self::GpuProcesses
        )
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::GpuUtilisation => "GPU utilisation",
            Self::GpuEngine => "GPU engine activity",
            Self::GpuPower => "GPU power",
            Self::GpuMemory => "GPU memory in use",
            Self::GpuProcesses => "GPU processes",
            Self::Cpu => "CPU utilisation",
            Self::Network => "network traffic",
            Self::Disk => "disk traffic",
        })
    }
}

/// One value of a series. It stands for [`Series::step`] from `at` on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Start of the time that it stands for (UTC).
    pub at: DateTime<Utc>,
    /// The value in the gauge's unit, as delivered.
    pub value: f64,
}

/// One quantity over time. Sources that cannot tell accelerators apart hand over one series with no
/// `gpu`, which accounts for no single GPU of a machine with several.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What was measured.
    pub gauge: Gauge,
    /// The accelerator as its source names it (index or UUID), the same over all of its series;
    /// `None` for the machine as a whole.
    pub gpu: Option<String>,
    /// A MIG slice of that accelerator; `None` for all of it.
    pub slice: Option<String>,
    /// Who measured, as shown to people: `DCGM`, `CloudWatch CWAgent`, `reaper probe`.
    pub source: Source,
    /// What one sample stands for.
    pub step: Span,
    /// The samples, in any order, perhaps some twice.
    pub samples: Vec<Sample>,
}

/// Everything measured of one machine by one or several sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// The series.
    pub series: Vec<Series>,
    /// What was asked for and could not be had, each with its source in the words.
    pub gaps: Vec<Unknown>,
}

impl Measured {
    /// Takes what another source says of the same machine.
    pub fn merge(&mut self, other: Self) {
        self.series.extend(other.series);
        self.gaps.extend(other.gaps);
    }
}

/// What of a bucket of raw values a sample tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The highest: the proof of idleness.
    Peak,
    /// The mean: how much of a machine is used over days. Memory is told by its highest all the same.
    Mean,
}

/// Which time is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Start, inclusive (UTC).
    pub from: DateTime<Utc>,
    /// End, exclusive (UTC): the clock of the run.
    pub until: DateTime<Utc>,
    /// What one sample shall stand for. A source that is coarser says so in [`Series::step`].
    pub step: Span,
    /// What a sample shall tell.
    pub statistic: Statistic,
}

impl Window {
    /// How long it is.
    pub fn length(&self) -> Span {
        Span::between(self.from, self.until)
    }
}
