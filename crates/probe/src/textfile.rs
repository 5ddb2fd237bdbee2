//! What was read, in the text format of Prometheus, for the textfile collector of a node's exporter.
//! Only gauges, in base units; a percentage is the highest since the look before.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Utc};

use crate::reading::{GpuReading, Gpus, HostReading, Level, Values, float};

/// Names, what they mean, and what they say of an accelerator.
type Family = (&'static str, &'static str, fn(&Values) -> Option<f64>);

const OF_GPUS: [Family; 6] = [
    (
        "reaper_gpu_utilisation_percent",
        "Share of the time in which a kernel ran; not offered under MIG.",
        |values| values.utilisation.map(peak),
    ),
    ("reaper_gpu_engine_percent", "Share of the time in which the engine was active.", |values| {
        values.engine.map(peak)
    }),
    (
        "reaper_gpu_power_percent",
        "Power drawn, of the most that may be drawn. At rest it is far from 0.",
        |values| values.power.map(peak),
    ),
    ("reaper_gpu_memory_used_bytes", "Memory in use.", |values| values.memory_used.map(float)),
    ("reaper_gpu_memory_total_bytes", "All of the memory.", |values| {
        values.memory_total.map(float)
    }),
    (
        "reaper_gpu_processes",
        "Processes that hold it, without those that only drive a display.",
        |values| values.processes.map(f64::from),
    ),
];

/// The whole file. What is not known is not in it.
pub fn textfile(machine: &str, now: DateTime<Utc>, gpus: &Gpus, host: HostReading) -> String {
    let mut text = String::new();
    for (name, help, of) in OF_GPUS {
        // Two samples with the same labels would make the whole file invalid.
        let mut samples: BTreeMap<String, f64> = BTreeMap::new();
        for gpu in &gpus.gpus {
            if let Some(value) = of(&gpu.values) {
                samples.insert(labels(machine, Some((gpu, ""))), value);
            }
            for slice in &gpu.slices {
                if let Some(value) = of(&slice.values) {
                    samples.insert(labels(machine, Some((gpu, &slice.id))), value);
                }
            }
        }
        family(&mut text, name, help, &samples);
    }
    let of_machine = [
        ("reaper_cpu_percent", "Share of the time of all CPUs together.", host.cpu),
        ("reaper_network_bytes_per_second", "Network traffic, in and out together.", host.network),
        ("reaper_disk_bytes_per_second", "Disk traffic, read and written together.", host.disk),
        (
            "reaper_probe_last_sample_timestamp_seconds",
            "When all of this was read.",
            u64::try_from(now.timestamp()).ok().map(float),
        ),
    ];
    for (name, help, value) in of_machine {
        let samples = value.map(|value| (labels(machine, None), value)).into_iter().collect();
        family(&mut text, name, help, &samples);
    }
    text
}

fn peak(level: Level) -> f64 {
    level.peak
}

/// Nothing of a family without samples: a name without a value would say that it is known.
fn family(text: &mut String, name: &str, help: &str, samples: &BTreeMap<String, f64>) {
    if samples.is_empty() {
        return;
    }
    // Writing into a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

fn labels(machine: &str, of: Option<(&GpuReading, &str)>) -> String {
    let machine = escaped(machine);
    match of {
        None => format!("{{machine=\"{machine}\"}}"),
        Some((gpu, slice)) => format!(
            "{{machine=\"{machine}\",gpu=\"{}\",uuid=\"{}\",slice=\"{}\"}}",
            gpu.index,
            escaped(gpu.uuid.as_deref().unwrap_or_default()),
            escaped(slice),
        ),
    }
}

/// A label's value: without what orders a terminal about, and what would end it escaped.
fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::SliceReading;

    #[test]
    fn what_is_known_is_there_and_nothing_else() {
        let now = "2026-11-30T09:00:00Z".parse().expect("a time");
        let mut gpu = GpuReading { uuid: Some("GPU-1".to_owned()), ..GpuReading::default() };
        gpu.values.utilisation = Some(Level { peak: 12.5, mean: 3.0 });
        gpu.values.memory_used = Some(1 << 30);
        let slice = Values { processes: Some(0), ..Values::default() };
        gpu.slices.push(SliceReading { id: "3".to_owned(), values: slice });
        let gpus = Gpus { gpus: vec![gpu], troubles: Vec::new() };
        let host = HostReading { network: Some(0.0), ..HostReading::default() };
        assert_eq!(
            textfile("i-\"1\n", now, &gpus, host),
            r#"# HELP reaper_gpu_utilisation_percent Share of the time in which a kernel ran; not offered under MIG.
# TYPE reaper_gpu_utilisation_percent gauge
reaper_gpu_utilisation_percent{machine="i-\"1",gpu="0",uuid="GPU-1",slice=""} 12.5
# HELP reaper_gpu_memory_used_bytes Memory in use.
# TYPE reaper_gpu_memory_used_bytes gauge
reaper_gpu_memory_used_bytes{machine="i-\"1",gpu="0",uuid="GPU-1",slice=""} 1073741824
# HELP reaper_gpu_processes Processes that hold it, without those that only drive a display.
# TYPE reaper_gpu_processes gauge
reaper_gpu_processes{machine="i-\"1",gpu="0",uuid="GPU-1",slice="3"} 0
# HELP reaper_network_bytes_per_second Network traffic, in and out together.
# TYPE reaper_network_bytes_per_second gauge
reaper_network_bytes_per_second{machine="i-\"1"} 0
# HELP reaper_probe_last_sample_timestamp_seconds When all of this was read.
# TYPE reaper_probe_last_sample_timestamp_seconds gauge
reaper_probe_last_sample_timestamp_seconds{machine="i-\"1"} 1796029200
"#
        );
    }
}
