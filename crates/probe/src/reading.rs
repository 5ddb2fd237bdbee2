//! What one look at a machine brings: its accelerators as their driver tells them, and the machine
//! itself. What is not known is not there; it is never 0.

use reaper_model::Gauge;

/// A value over the time since the look before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The highest.
    pub peak: f64,
    /// The mean.
    pub mean: f64,
}

impl Level {
    /// One that was read once.
    pub const fn of(value: f64) -> Self {
        Self { peak: value, mean: value }
    }
}

/// What is known of an accelerator or of a MIG slice of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// Share of the time in which a kernel ran, percent. Not offered under MIG.
    pub utilisation: Option<Level>,
    /// Share of the time in which the engine was active, percent.
    pub engine: Option<Level>,
    /// Power drawn, percent of the most that it may draw.
    pub power: Option<Level>,
    /// Memory in use, bytes.
    pub memory_used: Option<u64>,
    /// All of its memory, bytes.
    pub memory_total: Option<u64>,
    /// Processes that hold it, without those that only drive a display.
    pub processes: Option<u32>,
}

impl Values {
    /// Leaves out what cannot be: drivers' sentinels, and their rare garbage. Names what that was.
    pub fn leave_out_the_impossible(&mut self) -> Vec<Gauge> {
        let mut out = Vec::new();
        for (gauge, level) in [
            (Gauge::GpuUtilisation, &mut self.utilisation),
            (Gauge::GpuEngine, &mut self.engine),
            (Gauge::GpuPower, &mut self.power),
        ] {
            let can = |level: &Level| possible(gauge, level.peak) && possible(gauge, level.mean);
            if level.take_if(|level| !can(level)).is_some() {
                out.push(gauge);
            }
        }
        let too_much = |bytes: &mut u64| *bytes > MOST_MEMORY;
        let used = self.memory_used.take_if(too_much);
        if self.memory_total.take_if(too_much).or(used).is_some() {
            out.push(Gauge::GpuMemory);
        }
        out
    }
}

/// No accelerator has more memory, bytes.
const MOST_MEMORY: u64 = 100_000 << 30;

/// Whether a gauge can say this. A driver's sentinels and its rare garbage cannot.
pub(crate) fn possible(gauge: Gauge, value: f64) -> bool {
    let most = match gauge {
        // A card draws more than its limit for a moment.
        Gauge::GpuPower => 200.0,
        gauge if gauge.is_percentage() => 100.0,
        Gauge::GpuMemory => 100_000.0,
        Gauge::GpuProcesses => 1e6,
        _ => 1e15,
    };
    (0.0..=most).contains(&value)
}

/// A MIG slice.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceReading {
    /// The number of its GPU instance.
    pub id: String,
    /// What is known of it.
    pub values: Values,
}

/// An accelerator.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GpuReading {
    /// Its number, in the driver's order.
    pub index: u32,
    /// Its UUID.
    pub uuid: Option<String>,
    /// What the driver calls it.
    pub model: Option<String>,
    /// Whether it is cut into slices.
    pub mig: bool,
    /// What is known of all of it.
    pub values: Values,
    /// Its slices.
    pub slices: Vec<SliceReading>,
}

impl GpuReading {
    /// What tells it from the others over time: its UUID; where it tells none, its number.
    pub fn id(&self) -> String {
        self.uuid.clone().unwrap_or_else(|| self.index.to_string())
    }
}

/// All accelerators of a machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gpus {
    /// Those that were read.
    pub gpus: Vec<GpuReading>,
    /// What could not be read, each in a sentence without its full stop.
    pub troubles: Vec<String>,
}

/// The machine itself, over the time since the look before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HostReading {
    /// Share of the time of all CPUs together, percent.
    pub cpu: Option<f64>,
    /// Network traffic, in and out together, bytes per second.
    pub network: Option<f64>,
    /// Disk traffic, read and written together, bytes per second.
    pub disk: Option<f64>,
}

/// A program that shows pictures and computes nothing. It holds a GPU from boot on.
pub fn drives_a_display(program: &str) -> bool {
    let name = program.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    matches!(name, "X" | "Xorg" | "Xwayland" | "gnome-shell" | "gdm-x-session" | "sddm-greeter")
}

/// As the mean of many; exact below 2^53, which no counter of ours reaches.
#[expect(clippy::cast_precision_loss, reason = "measurements, not money")]
pub(crate) const fn float(value: u64) -> f64 {
    value as f64
}

/// Bytes as GiB.
pub(crate) fn gib(bytes: u64) -> f64 {
    float(bytes) / float(1 << 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_are_told_from_work() {
        assert!(drives_a_display("/usr/lib/xorg/Xorg"));
        assert!(drives_a_display("/usr/bin/gnome-shell --mode=x"));
        assert!(!drives_a_display("python3"));
        assert!(!drives_a_display("/usr/bin/blender"));
        assert!(!drives_a_display(""));
    }

    #[test]
    fn fl_094_what_cannot_be_is_left_out_and_named() {
        let mut values = Values {
            utilisation: Some(Level::of(9_223_372_036_854_775_794.0)),
            engine: Some(Level::of(f64::NAN)),
            power: Some(Level::of(104.0)),
            memory_used: Some(u64::MAX),
            memory_total: Some(24 << 30),
            processes: Some(2),
        };
        let out = values.leave_out_the_impossible();
        assert_eq!(out, [Gauge::GpuUtilisation, Gauge::GpuEngine, Gauge::GpuMemory]);
        let left = Values {
            power: Some(Level::of(104.0)),
            memory_total: Some(24 << 30),
            ..Values::default()
        };
        assert_eq!(values, Values { processes: Some(2), ..left });
        assert_eq!(values.leave_out_the_impossible(), []);
    }
}
