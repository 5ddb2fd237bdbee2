//! The metrics that CloudWatch keeps of the machines in one account and region, made of their meters:
//! EC2's own, and those of the agent on the machine.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::Gauge;

use crate::aws::instance::Instance;
use crate::aws::world::AwsWorld;
use crate::clock::Clock;
use crate::meter::{Meter, Part, Summary};
use crate::world::World;

const EC2: &str = "AWS/EC2";
const AGENT: &str = "CWAgent";
/// Seconds from one data point of EC2's own metrics to the next, without detailed monitoring.
const BASIC: i64 = 300;
const MIB_PER_GIB: f64 = 1024.0;

/// One metric with its dimensions.
#[derive(Debug)]
pub(super) struct Series<'w> {
    pub(super) namespace: &'static str,
    pub(super) name: &'static str,
    pub(super) dimensions: Vec<(&'static str, String)>,
    meter: &'w Meter,
    gauge: Gauge,
    /// What its values are taken of, together.
    parts: Vec<Part>,
    unit: Unit,
    /// When the machine ran; `None`: nobody knows, so always.
    ran: Option<Vec<(DateTime<Utc>, DateTime<Utc>)>>,
}

/// How a gauge is told.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    /// As many times the gauge's value.
    Times(f64),
    /// Bytes since the sample before; of a gauge for both ways, one half.
    Bytes,
}

/// All metrics, in the order in which they are listed.
pub(super) fn all<'w>(world: &'w World, account: &str, region: &str) -> Vec<Series<'w>> {
    let World { aws, clock, meters, .. } = world;
    let Some(machines) = aws.machines(account, region) else { return Vec::new() };
    let mut series = Vec::new();
    for meter in meters {
        if let Some(machine) = machines.get(&meter.machine) {
            of(aws, clock, machine, meter, &mut series);
        }
    }
    series.sort_by_cached_key(Series::key);
    series
}

fn of<'w>(
    aws: &AwsWorld,
    clock: &Clock,
    machine: &Instance,
    meter: &'w Meter,
    series: &mut Vec<Series<'w>>,
) {
    let ran = machine.launched.map(|_| machine.charged(clock));
    let mut add = |namespace, name, gauge, parts: Vec<Part>, unit, more: Vec<_>| {
        if parts.is_empty() {
            return;
        }
        let mut dimensions = vec![("InstanceId", machine.id.clone())];
        dimensions.extend(more);
        let ran = ran.clone();
        series.push(Series { namespace, name, dimensions, meter, gauge, parts, unit, ran });
    };
    let same = Unit::Times(1.0);
    if meter.is_by(&["cloudwatch", "power"]) {
        let (name, gpus) = ("GPUPowerUtilization", meter.parts(Gauge::GpuPower));
        for gpu in gpus.iter().filter(|_| meter.gpu_ids) {
            let id = vec![("GpuId", index(*gpu))];
            add(EC2, name, Gauge::GpuPower, vec![*gpu], same, id);
        }
        add(EC2, name, Gauge::GpuPower, gpus, same, Vec::new());
    }
    if meter.is_by(&["cloudwatch", "agent"]) {
        let model = aws.types().get(&machine.instance_type).and_then(|kind| kind.gpus.first());
        let model = model.map_or("GPU", |gpu| gpu.name.as_str());
        let host = format!("ip-{}", machine.id.trim_start_matches("i-"));
        for (name, gauge, unit) in [
            ("nvidia_smi_utilization_gpu", Gauge::GpuUtilisation, same),
            ("nvidia_smi_memory_used", Gauge::GpuMemory, Unit::Times(MIB_PER_GIB)),
        ] {
            // The agent knows whole GPUs only.
            for gpu in (0..meter.gpus).map(Part::Gpu) {
                let whole = meter.parts(gauge).iter().any(|part| index(*part) == index(gpu));
                let more = vec![
                    ("InstanceType", machine.instance_type.clone()),
                    ("host", host.clone()),
                    ("index", index(gpu)),
                    ("name", format!("NVIDIA {model}")),
                ];
                add(AGENT, name, gauge, if whole { vec![gpu] } else { Vec::new() }, unit, more);
            }
        }
    }
    if meter.is_by(&["cloudwatch", "power", "agent"]) {
        let here = |gauge| meter.parts(gauge);
        add(EC2, "CPUUtilization", Gauge::Cpu, here(Gauge::Cpu), same, Vec::new());
        for (gauge, names) in [
            (Gauge::Network, ["NetworkIn", "NetworkOut"]),
            (Gauge::Disk, ["EBSReadBytes", "EBSWriteBytes"]),
        ] {
            for name in names {
                add(EC2, name, gauge, here(gauge), Unit::Bytes, Vec::new());
            }
        }
    }
}

fn index(part: Part) -> String {
    match part {
        Part::Machine => String::new(),
        Part::Gpu(gpu) | Part::Slice(gpu, _) => gpu.to_string(),
    }
}

impl Series<'_> {
    /// Where it stands in a listing, and what a query has to name.
    pub(super) fn key(&self) -> String {
        let dimensions = self.dimensions.iter().map(|(name, value)| (*name, value.as_str()));
        key(self.namespace, self.name, dimensions)
    }

    /// What CloudWatch says of it instead of that it is complete.
    pub(super) fn status(&self) -> Option<&str> {
        self.meter.status.as_deref()
    }

    /// What is known of one period; `None` without any data point. EC2's own metrics come every five
    /// minutes, however short the period.
    pub(super) fn period(&self, clock: &Clock, from: i64, seconds: i64) -> Option<Summary> {
        let coarse = self.namespace == EC2 && seconds < BASIC;
        if coarse && from.rem_euclid(BASIC) != 0 {
            return None;
        }
        let length = TimeDelta::try_seconds(if coarse { BASIC } else { seconds })?;
        let from = DateTime::from_timestamp(from, 0)?;
        let mut all: Option<Summary> = None;
        for time in self.meter.times(from, from + length) {
            for value in self.values(clock, time) {
                let one = Summary { minimum: value, maximum: value, sum: value, count: 1 };
                let so_far = all.get_or_insert(Summary { sum: 0.0, count: 0, ..one });
                so_far.minimum = so_far.minimum.min(value);
                so_far.maximum = so_far.maximum.max(value);
                so_far.sum += value;
                so_far.count += 1;
            }
        }
        all
    }

    /// Whether it had a data point since then.
    pub(super) fn is_active_since(&self, clock: &Clock, since: DateTime<Utc>) -> bool {
        self.meter
            .times(since, clock.now() + TimeDelta::seconds(1))
            .any(|time| self.values(clock, time).next().is_some())
    }

    /// What is no number CloudWatch does not take.
    fn values(&self, clock: &Clock, time: DateTime<Utc>) -> impl Iterator<Item = f64> {
        let runs = |(from, until): &(DateTime<Utc>, DateTime<Utc>)| *from <= time && time <= *until;
        let ran = self.ran.as_ref().is_none_or(|ran| ran.iter().any(runs));
        let every = self.meter.every.delta().as_seconds_f64();
        let parts = self.parts.iter().filter(move |_| ran);
        parts
            .filter_map(move |part| self.meter.at(clock, self.gauge, *part, time))
            .filter(|value| value.is_finite())
            .map(move |value| match self.unit {
                Unit::Times(factor) => value * factor,
                Unit::Bytes => value * every / 2.0,
            })
    }
}

/// What names a metric, whatever the order of its dimensions.
pub(super) fn key<'a>(
    namespace: &str,
    name: &str,
    dimensions: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut dimensions: Vec<String> =
        dimensions.map(|(name, value)| format!("{name}={value}")).collect();
    dimensions.sort_unstable();
    format!("{namespace}/{name}/{}", dimensions.join(","))
}
