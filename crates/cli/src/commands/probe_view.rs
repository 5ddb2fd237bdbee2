//! What one look of `reaper probe` has brought, for people.

use std::fmt::Write as _;

use reaper_probe::Look;
use reaper_probe::reading::{Level, Values};
use reaper_report::clean;

/// A line for each GPU, each slice and the machine; what is not known is not there.
pub(crate) fn lines(look: &Look) -> String {
    let mut text = String::new();
    // Writing into a string cannot fail.
    for gpu in &look.gpus.gpus {
        let model = clean(gpu.model.as_deref().unwrap_or("of unknown model"));
        let mig = if gpu.mig { ", cut into MIG slices" } else { "" };
        let _ = writeln!(text, "GPU {}  {model}{mig}: {}", gpu.index, values(&gpu.values));
        for slice in &gpu.slices {
            let _ = writeln!(text, "  slice {}: {}", clean(&slice.id), values(&slice.values));
        }
    }
    let host = [
        look.host.cpu.map(|value| format!("CPU {value:.0} %")),
        look.host.network.map(|value| format!("network {value:.0} bytes/s")),
        look.host.disk.map(|value| format!("disks {value:.0} bytes/s")),
    ];
    let _ = writeln!(text, "machine: {}", known(host));
    text
}

fn values(values: &Values) -> String {
    let share = |name: &str, level: Option<Level>| {
        level.map(|level| format!("{name} {:.0} %", level.peak.ceil()))
    };
    let gib = |bytes: u64| {
        let tenths = bytes / (1 << 20) * 10 / 1024;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    let memory = values.memory_used.map(|used| match values.memory_total {
        Some(total) => format!("memory {} of {} GiB", gib(used), gib(total)),
        None => format!("memory {} GiB", gib(used)),
    });
    let processes = values.processes.map(|count| match count {
        1 => "1 process".to_owned(),
        count => format!("{count} processes"),
    });
    known([
        share("utilisation", values.utilisation),
        share("engine", values.engine),
        memory,
        processes,
        share("power", values.power),
    ])
}

fn known<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing known".to_owned() } else { parts.join(", ") }
}
