//! Which series tell what, and the query for each. The names are those of DCGM exporter's counters,
//! of `reaper probe`'s textfile and of `node_exporter`.
//!
//! Every query looks at the raw values of one step and no further back, so that a step without any
//! has no point: nothing is carried over a gap. What `reaper probe` said counts only for steps in which
//! it lived: an exporter serves the file of a dead one for ever. Labels that come and go with a container are summed
//! up, so that a GPU is one series whoever uses it.

use reaper_model::{Gauge, Statistic};

use crate::api::Grid;
use crate::promql::quoted;

/// What `reaper probe` says whose samples they are with, whatever the server's own label says.
const PROBE_LABEL: &str = "machine";

/// Who measured what `reaper probe` put there. Not as its samples in the state are called: those name
/// accelerators otherwise, and one card would be taken for two.
const PROBE: &str = "reaper probe (Prometheus)";

/// When the probe last looked, in seconds since 1970: the sign of its life.
const PROBE_LOOKED: &str = "reaper_probe_last_sample_timestamp_seconds";

/// What tells one file of a probe from that of another, so that one that lives vouches for no other.
const PROBE_FILE: &str = "machine, instance, job";

/// One quantity as one kind of exporter tells it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) gauge: Gauge,
    /// Who measured, as shown to people.
    pub(crate) source: &'static str,
    /// The series that it is made of, all of them needed.
    pub(crate) names: &'static [&'static str],
    /// What a value is multiplied by to be in the gauge's unit.
    pub(crate) scale: f64,
    form: Form,
    /// Whose labels name accelerators; `None` for the machine as a whole.
    pub(crate) parts: Option<Parts>,
    /// Whether its machine is named by [`PROBE_LABEL`].
    probe: bool,
}

/// How values become a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The highest or the mean of what was measured in a step.
    Level,
    /// What counters grew by in a second, all devices and series together.
    Growth(&'static str),
    /// The part of the time in which a counter of idle time did not grow, over all CPUs.
    Rest,
}

/// The labels that name an accelerator and a part of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub(crate) gpu: &'static str,
    pub(crate) uuid: &'static str,
    pub(crate) slice: &'static str,
}

const DCGM_PARTS: Parts = Parts { gpu: "gpu", uuid: "UUID", slice: "GPU_I_ID" };
const PROBE_PARTS: Parts = Parts { gpu: "gpu", uuid: "uuid", slice: "slice" };
/// Devices that carry what others have carried already.
const REAL_LINKS: &str = r#"device!~"lo|veth.*|docker.*|br-.*|cni.*|flannel.*|cali.*|tailscale.*""#;
const REAL_DISKS: &str = r#"device!~"loop.*|ram.*|dm-.*|md.*""#;

const fn dcgm(gauge: Gauge, names: &'static [&'static str], scale: f64) -> Wanted {
    let parts = Some(DCGM_PARTS);
    Wanted { gauge, source: "DCGM", names, scale, form: Form::Level, parts, probe: false }
}

const fn probe(gauge: Gauge, names: &'static [&'static str], scale: f64) -> Wanted {
    let parts = if gauge.per_gpu() { Some(PROBE_PARTS) } else { None };
    Wanted { gauge, source: PROBE, names, scale, form: Form::Level, parts, probe: true }
}

const fn node(gauge: Gauge, names: &'static [&'static str], form: Form) -> Wanted {
    let scale = if matches!(form, Form::Rest) { 100.0 } else { 1.0 };
    Wanted { gauge, source: "node_exporter", names, scale, form, parts: None, probe: false }
}

const GIB: f64 = 1_073_741_824.0;

/// All that is asked for, as far as the server has it.
pub(crate) const ALL: [Wanted; 14] = [
    dcgm(Gauge::GpuUtilisation, &["DCGM_FI_DEV_GPU_UTIL"], 1.0),
    // A share of one.
    dcgm(Gauge::GpuEngine, &["DCGM_FI_PROF_GR_ENGINE_ACTIVE"], 100.0),
    // MiB.
    dcgm(Gauge::GpuMemory, &["DCGM_FI_DEV_FB_USED"], 1.0 / 1024.0),
    probe(Gauge::GpuUtilisation, &["reaper_gpu_utilisation_percent"], 1.0),
    probe(Gauge::GpuEngine, &["reaper_gpu_engine_percent"], 1.0),
    probe(Gauge::GpuPower, &["reaper_gpu_power_percent"], 1.0),
    probe(Gauge::GpuMemory, &["reaper_gpu_memory_used_bytes"], 1.0 / GIB),
    probe(Gauge::GpuProcesses, &["reaper_gpu_processes"], 1.0),
    probe(Gauge::Cpu, &["reaper_cpu_percent"], 1.0),
    probe(Gauge::Network, &["reaper_network_bytes_per_second"], 1.0),
    probe(Gauge::Disk, &["reaper_disk_bytes_per_second"], 1.0),
    node(Gauge::Cpu, &["node_cpu_seconds_total"], Form::Rest),
    node(
        Gauge::Network,
        &["node_network_receive_bytes_total", "node_network_transmit_bytes_total"],
        Form::Growth(REAL_LINKS),
    ),
    node(
        Gauge::Disk,
        &["node_disk_read_bytes_total", "node_disk_written_bytes_total"],
        Form::Growth(REAL_DISKS),
    ),
];

impl Wanted {
    /// The label that names its machine, where others are named by `label`.
    pub(crate) fn label<'a>(&self, label: &'a str) -> &'a str {
        if self.probe { PROBE_LABEL } else { label }
    }

    /// The query for these machines: a pattern of the values of `label`.
    pub(crate) fn query(
        &self,
        label: &str,
        pattern: &str,
        statistic: Statistic,
        grid: &Grid,
    ) -> String {
        let range = grid.range();
        // `time()` is the end of each step, and the file's time that of the machine's own clock.
        let alive = |mine: &str| {
            let seconds = grid.step.as_secs();
            format!(
                " and on ({PROBE_FILE}) \
                 (abs(time() - max_over_time({PROBE_LOOKED}{{{mine}}}{range})) < {seconds})"
            )
        };
        let mine = format!("{label}=~{}", quoted(pattern));
        let by = self.parts.map_or_else(
            || label.to_owned(),
            |Parts { gpu, uuid, slice }| format!("{label}, {gpu}, {uuid}, {slice}"),
        );
        let each = |one: &dyn Fn(&str) -> String, between: &str| {
            self.names.iter().map(|name| one(name)).collect::<Vec<_>>().join(between)
        };
        match self.form {
            Form::Level => {
                let word = match statistic {
                    Statistic::Mean if self.gauge != Gauge::GpuMemory => "avg",
                    Statistic::Mean | Statistic::Peak => "max",
                };
                let alive = if self.probe { alive(&mine) } else { String::new() };
                let one = |name: &str| {
                    format!("{word} by ({by}) ({word}_over_time({name}{{{mine}}}{range}){alive})")
                };
                each(&one, " or ")
            }
            Form::Growth(devices) => {
                let one =
                    |name: &str| format!("sum by ({by}) (rate({name}{{{devices},{mine}}}{range}))");
                each(&one, " + ")
            }
            Form::Rest => {
                let one = |name: &str| {
                    format!("1 - avg by ({by}) (rate({name}{{mode=\"idle\",{mine}}}{range}))")
                };
                each(&one, " or ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use reaper_model::{Span, Window};

    use super::*;

    fn query(gauge: Gauge, source: &str, statistic: Statistic) -> String {
        let until: DateTime<Utc> = "2026-11-30T09:00:00Z".parse().expect("valid");
        let from = until - Span::from_secs(3600).delta();
        let grid = Grid::of(&Window { from, until, step: Span::from_secs(300), statistic });
        let wanted = ALL.iter().find(|it| it.gauge == gauge && it.source == source);
        let wanted = wanted.expect("wanted");
        wanted.query(wanted.label("instance"), r"a\.b|c", statistic, &grid)
    }

    #[test]
    fn fl_097_a_step_without_values_has_no_point() {
        assert_eq!(
            query(Gauge::GpuUtilisation, "DCGM", Statistic::Peak),
            r#"max by (instance, gpu, UUID, GPU_I_ID) (max_over_time(DCGM_FI_DEV_GPU_UTIL{instance=~"a\\.b|c"}[300s]))"#
        );
        assert_eq!(
            query(Gauge::Cpu, "node_exporter", Statistic::Peak),
            r#"1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle",instance=~"a\\.b|c"}[300s]))"#
        );
    }

    #[test]
    fn fl_097_what_a_probe_said_counts_where_it_lived() {
        assert_eq!(
            query(Gauge::GpuEngine, PROBE, Statistic::Mean),
            r#"avg by (machine, gpu, uuid, slice) (avg_over_time(reaper_gpu_engine_percent{machine=~"a\\.b|c"}[300s]) and on (machine, instance, job) (abs(time() - max_over_time(reaper_probe_last_sample_timestamp_seconds{machine=~"a\\.b|c"}[300s])) < 300))"#
        );
        for wanted in ALL.iter().filter(|wanted| wanted.names[0].starts_with("reaper_")) {
            let text = query(wanted.gauge, wanted.source, Statistic::Peak);
            assert!(text.contains(PROBE_LOOKED), "{text}");
            assert_ne!(wanted.source, "reaper probe", "so the samples in the state are called");
        }
    }

    #[test]
    fn memory_is_told_by_its_highest_and_traffic_in_both_directions() {
        assert!(query(Gauge::GpuMemory, "DCGM", Statistic::Mean).starts_with("max by"));
        let network = query(Gauge::Network, "node_exporter", Statistic::Peak);
        assert_eq!(network.matches(" + sum by (instance) (rate(").count(), 1, "{network}");
        assert!(network.contains("transmit_bytes_total{device!~\"lo|"), "{network}");
    }
}
