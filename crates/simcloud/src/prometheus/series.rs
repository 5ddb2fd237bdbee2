//! Which series the meters amount to: their names, labels and units.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_model::Gauge;

use crate::clock::Clock;
use crate::meter::{Meter, Part};
use crate::prometheus::PrometheusWorld;
use crate::world::World;

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// One metric of one exporter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) gauge: Gauge,
    exporter: &'static str,
    /// What a value of the meter is multiplied by.
    scale: f64,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What was measured.
    Level,
    /// A counter that grows by what was measured in a second.
    Counter,
    /// A counter of the seconds in which a CPU did nothing.
    Idle,
    /// When the exporter last looked, at whatever.
    Looked,
}

const fn level(exporter: &'static str, name: &'static str, gauge: Gauge, scale: f64) -> Metric {
    Metric { name, gauge, exporter, scale, kind: Kind::Level }
}

const fn counter(name: &'static str, gauge: Gauge, scale: f64) -> Metric {
    Metric { name, gauge, exporter: "node", scale, kind: Kind::Counter }
}

/// All of them. Traffic is told in halves: in and out, read and written.
const METRICS: [Metric; 17] = [
    level("dcgm", "DCGM_FI_DEV_GPU_UTIL", Gauge::GpuUtilisation, 1.0),
    level("dcgm", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", Gauge::GpuEngine, 0.01),
    level("dcgm", "DCGM_FI_DEV_FB_USED", Gauge::GpuMemory, 1024.0),
    level("probe", "reaper_gpu_utilisation_percent", Gauge::GpuUtilisation, 1.0),
    level("probe", "reaper_gpu_engine_percent", Gauge::GpuEngine, 1.0),
    level("probe", "reaper_gpu_power_percent", Gauge::GpuPower, 1.0),
    level("probe", "reaper_gpu_memory_used_bytes", Gauge::GpuMemory, GIB),
    level("probe", "reaper_gpu_processes", Gauge::GpuProcesses, 1.0),
    level("probe", "reaper_cpu_percent", Gauge::Cpu, 1.0),
    level("probe", "reaper_network_bytes_per_second", Gauge::Network, 1.0),
    level("probe", "reaper_disk_bytes_per_second", Gauge::Disk, 1.0),
    Metric {
        name: "reaper_probe_last_sample_timestamp_seconds",
        // Of none alone.
        gauge: Gauge::Cpu,
        exporter: "probe",
        scale: 1.0,
        kind: Kind::Looked,
    },
    Metric {
        name: "node_cpu_seconds_total",
        gauge: Gauge::Cpu,
        exporter: "node",
        scale: 0.01,
        kind: Kind::Idle,
    },
    counter("node_network_receive_bytes_total", Gauge::Network, 0.5),
    counter("node_network_transmit_bytes_total", Gauge::Network, 0.5),
    counter("node_disk_read_bytes_total", Gauge::Disk, 0.5),
    counter("node_disk_written_bytes_total", Gauge::Disk, 0.5),
];

/// One series: of which metric, with which labels, and where its values come from.
#[derive(Debug)]
pub(super) struct Series<'w> {
    pub(super) metric: Metric,
    pub(super) labels: BTreeMap<&'static str, String>,
    pub(super) meter: &'w Meter,
    pub(super) part: Part,
}

impl Series<'_> {
    /// A value of the meter as the exporter tells it; of a counter, its growth in a second.
    pub(super) fn told(&self, measured: f64) -> f64 {
        match self.metric.kind {
            Kind::Level | Kind::Counter | Kind::Looked => measured * self.metric.scale,
            Kind::Idle => 1.0 - measured * self.metric.scale,
        }
    }

    /// When its exporter last measured anything in a time.
    pub(super) fn looked(
        &self,
        clock: &Clock,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
    ) -> Option<DateTime<Utc>> {
        let exporter = self.metric.exporter;
        let told: Vec<(Gauge, Part)> = METRICS
            .iter()
            .filter(|metric| metric.exporter == exporter && metric.kind != Kind::Looked)
            .flat_map(|metric| {
                self.meter.parts(metric.gauge).into_iter().map(|it| (metric.gauge, it))
            })
            .collect();
        let any = |at: &DateTime<Utc>| {
            told.iter().any(|(gauge, part)| self.meter.at(clock, *gauge, *part, *at).is_some())
        };
        self.meter.times(from, until).filter(any).last()
    }
}

/// Every series of the world. The label that names machines is under its own name, or under
/// `machine` where the probe says whose samples they are.
pub(super) fn all(world: &World) -> Vec<Series<'_>> {
    let shown = |metric: &&Metric| {
        world.prometheus.exporters.iter().any(|exporter| exporter == metric.exporter)
    };
    let metrics: Vec<&Metric> = METRICS.iter().filter(shown).collect();
    let mut series = Vec::new();
    for meter in &world.meters {
        for metric in &metrics {
            if !meter.is_by(&["prometheus", metric.exporter]) {
                continue;
            }
            let parts = match metric.kind {
                Kind::Looked => vec![Part::Machine],
                _ => meter.parts(metric.gauge),
            };
            for part in parts {
                let labels = labels(&world.prometheus, meter, metric, part);
                series.push(Series { metric: **metric, labels, meter, part });
            }
        }
    }
    series
}

fn labels(
    prometheus: &PrometheusWorld,
    meter: &Meter,
    metric: &Metric,
    part: Part,
) -> BTreeMap<&'static str, String> {
    let called = prometheus.names.get(&meter.machine).unwrap_or(&meter.machine);
    let mut labels = BTreeMap::from([("__name__", metric.name.to_owned())]);
    let (uuid, slice) = match metric.exporter {
        "probe" => {
            labels.insert("machine", meter.machine.clone());
            ("uuid", "slice")
        }
        exporter => {
            let port = if exporter == "dcgm" { 9400 } else { 9100 };
            labels.insert(WHOSE, format!("{called}:{port}"));
            ("UUID", "GPU_I_ID")
        }
    };
    let (Part::Gpu(gpu) | Part::Slice(gpu, _)) = part else { return labels };
    labels.insert("gpu", gpu.to_string());
    labels.insert(uuid, meter.gpu_uuid(gpu));
    if let Part::Slice(_, number) = part {
        labels.insert(slice, number.to_string());
    }
    labels
}

/// Stands for the label that names machines, whatever it is called in this world.
pub(super) const WHOSE: &str = "";
