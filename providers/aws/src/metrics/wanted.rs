//! The series that are asked for, over which time, and what becomes of their data points.

use std::collections::BTreeMap;

use aws_sdk_cloudwatch::types::{Dimension, Metric};
use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Gauge, Measured, Sample, Series, Source, Span, Statistic, Window};

use super::{NAME, unread};

pub(super) const EC2: &str = "AWS/EC2";
pub(super) const AGENT: &str = "CWAgent";
/// How the agent's series are told apart from EC2's own for people.
const AGENT_NAME: &str = "CloudWatch CWAgent";

/// The shortest period of a metric of usual resolution.
const MINUTE: i64 = 60;
/// From one data point of EC2's own metrics to the next, without detailed monitoring.
const BASIC: i64 = 300;
const HOUR: i64 = 3_600;
/// For how long CloudWatch keeps data points of a minute and of five. An hour less than it promises:
/// it counts by a clock of its own.
const KEEPS_MINUTES: TimeDelta = TimeDelta::hours(15 * 24 - 1);
const KEEPS_BASIC: TimeDelta = TimeDelta::hours(63 * 24 - 1);

/// Data points by their time, in seconds since 1970.
pub(super) type Points = BTreeMap<i64, f64>;

/// The time that is asked about, in seconds since 1970, and the periods that it falls into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    /// A whole number of the longest period: CloudWatch tells only periods that begin in the time
    /// that is asked about.
    pub(super) from: i64,
    /// Exclusive.
    pub(super) until: i64,
    ec2: i64,
    agent: i64,
    statistic: Statistic,
}

/// What a data point stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    /// As many times the data point.
    Level(f64),
    /// Bytes in its period, one half of what the gauge means: the other way is told apart.
    Flow,
}

/// One series that is asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// The machine's place in the list.
    pub(super) machine: usize,
    pub(super) gauge: Gauge,
    gpu: Option<String>,
    /// With all of its dimensions.
    pub(super) metric: Metric,
    pub(super) statistic: &'static str,
    /// Seconds.
    pub(super) period: i64,
    reading: Reading,
}

impl Grid {
    pub(super) fn of(window: &Window, now: DateTime<Utc>) -> Self {
        let age = now - window.from;
        let kept = if age <= KEEPS_MINUTES {
            MINUTE
        } else if age <= KEEPS_BASIC {
            BASIC
        } else {
            HOUR
        };
        let step = i64::try_from(window.step.as_secs()).unwrap_or(HOUR).max(MINUTE);
        let agent = (step + kept - 1) / kept * kept;
        let ec2 = agent.max(BASIC);
        let from = window.from.timestamp();
        let until = window.until.timestamp() + i64::from(window.until.timestamp_subsec_nanos() > 0);
        Self {
            from: from - from.rem_euclid(agent.max(ec2)),
            until,
            ec2,
            agent,
            statistic: window.statistic,
        }
    }

    /// A series of values. Memory is told by its highest always.
    pub(super) fn level(
        &self,
        machine: usize,
        gauge: Gauge,
        gpu: Option<String>,
        metric: Metric,
        factor: f64,
    ) -> Wanted {
        let mean = self.statistic == Statistic::Mean && gauge != Gauge::GpuMemory;
        let statistic = if mean { "Average" } else { "Maximum" };
        let period = if metric.namespace() == Some(AGENT) { self.agent } else { self.ec2 };
        Wanted { machine, gauge, gpu, metric, statistic, period, reading: Reading::Level(factor) }
    }
}

/// The metric of a machine that has no other dimension.
pub(super) fn of_machine(id: &str, name: &str) -> Metric {
    let dimension = Dimension::builder().name("InstanceId").value(id).build();
    Metric::builder().namespace(EC2).metric_name(name).dimensions(dimension).build()
}

/// What is asked of a machine besides its accelerators. Traffic comes as bytes in a period and as
/// nothing shorter, so it is a mean over each.
pub(super) fn host(machine: usize, id: &str, grid: &Grid) -> Vec<Wanted> {
    let cpu = of_machine(id, "CPUUtilization");
    let flows = [
        (Gauge::Network, "NetworkIn"),
        (Gauge::Network, "NetworkOut"),
        (Gauge::Disk, "EBSReadBytes"),
        (Gauge::Disk, "EBSWriteBytes"),
    ];
    let flows = flows.into_iter().map(|(gauge, name)| Wanted {
        reading: Reading::Flow,
        statistic: "Sum",
        ..grid.level(machine, gauge, None, of_machine(id, name), 1.0)
    });
    [grid.level(machine, Gauge::Cpu, None, cpu, 1.0)].into_iter().chain(flows).collect()
}

impl Wanted {
    /// What it is, for people.
    fn words(&self) -> String {
        match &self.gpu {
            Some(gpu) => format!("{} of GPU {gpu}", self.gauge),
            None => self.gauge.to_string(),
        }
    }

    fn source(&self) -> &'static str {
        if self.metric.namespace() == Some(AGENT) { AGENT_NAME } else { NAME }
    }
}

/// Whose data points belong into one series: machine, source, quantity, GPU.
type Key = (usize, &'static str, Gauge, Option<String>);

/// What was measured of each machine of which there is anything to say. A series that could not be
/// read is a gap; one without any data point is not there.
pub(super) fn measured(
    grid: &Grid,
    wanted: Vec<Wanted>,
    answers: Vec<Result<Points, Refusal>>,
) -> BTreeMap<usize, Measured> {
    let mut all: BTreeMap<usize, Measured> = BTreeMap::new();
    let mut read: BTreeMap<Key, (i64, Vec<(Reading, Points)>)> = BTreeMap::new();
    for (one, answer) in wanted.into_iter().zip(answers) {
        match answer {
            Ok(points) => {
                let key = (one.machine, one.source(), one.gauge, one.gpu);
                let (_, parts) = read.entry(key).or_insert_with(|| (one.period, Vec::new()));
                parts.push((one.reading, points));
            }
            Err(refusal) => {
                let why = match refusal {
                    Refusal::OfAll(why) => why,
                    Refusal::OfOne(why) => format!("{} not read: {why}", one.words()),
                };
                all.entry(one.machine).or_default().gaps.push(unread(&why));
            }
        }
    }
    for ((machine, source, gauge, gpu), (period, parts)) in read {
        let samples = samples(grid, period, parts);
        if samples.is_empty() {
            continue;
        }
        let step = Span::from_secs(u64::try_from(period).unwrap_or_default());
        let source = Source::new(source);
        let series = Series { gauge, gpu, slice: None, source, step, samples };
        all.entry(machine).or_default().series.push(series);
    }
    all
}

/// Why a series could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It was the same for everything that was asked along with it.
    OfAll(String),
    /// It was about this one.
    OfOne(String),
}

fn samples(grid: &Grid, period: i64, parts: Vec<(Reading, Points)>) -> Vec<Sample> {
    let flow = parts.iter().all(|(reading, _)| *reading == Reading::Flow);
    let mut values: BTreeMap<i64, (f64, usize)> = BTreeMap::new();
    for (reading, points) in parts {
        for (at, value) in points {
            let value = match reading {
                Reading::Level(factor) => value * factor,
                Reading::Flow => value / seconds(period),
            };
            values
                .entry(at)
                .and_modify(|(so_far, count)| {
                    *so_far = if flow { *so_far + value } else { so_far.max(value) };
                    *count += 1;
                })
                .or_insert((value, 1));
        }
    }
    values
        .into_iter()
        // Traffic is known when both ways are, and when the period is over.
        .filter(|(at, (_, count))| !flow || (*count == 2 && at + period <= grid.until))
        .filter_map(|(at, (value, _))| Some(Sample { at: DateTime::from_timestamp(at, 0)?, value }))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "periods are hours at most")]
const fn seconds(period: i64) -> f64 {
    period as f64
}
