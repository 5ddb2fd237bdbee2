//! Why accelerators idle: nothing holds them, memory is held, or they wait for the rest of the
//! machine. And what the rest of the machine suggests where nobody sees them.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::Gauge;
use reaper_model::document::{Cause, IdleVerdict};
use rust_decimal::Decimal;

use super::readings::{Reading, Readings};
use crate::spec::IdleSpec;

/// More GiB than this in use on one accelerator is held by somebody. Drivers, error correction and
/// their daemons keep some hundred MiB on boards of any size, so nothing smaller tells. It does not
/// grow with the board: three GiB of somebody's model are lost by a stop on the largest one, too.
const RESIDENT: Decimal = Decimal::ONE;
/// From this mean of all CPUs on, percent, they work.
const CPU_MEAN: Decimal = Decimal::TEN;
/// From this peak of all CPUs on, percent, they have worked.
const CPU_PEAK: Decimal = Decimal::from_parts(50, 0, 0, false, 0);
/// From this mean on, bytes per second, network or disks work.
const TRAFFIC: Decimal = Decimal::from_parts(5_000_000, 0, 0, false, 0);
/// Below this mean of all CPUs, percent, they suggest that nobody uses the machine.
const CPU_CALM: Decimal = Decimal::from_parts(5, 0, 0, false, 0);
/// Below this mean, bytes per second, so do network and disks.
const TRAFFIC_CALM: Decimal = Decimal::from_parts(1_000_000, 0, 0, false, 0);

/// What tells the cause of idleness.
pub(super) struct Signs {
    /// The most GiB in use on one accelerator or slice, where any was measured.
    memory: Option<Decimal>,
    /// Whether that is measured of every accelerator over the whole window.
    memory_known: bool,
    /// The most processes on one accelerator or slice.
    processes: Option<Decimal>,
    /// The part of the machine that works.
    host: Option<String>,
}

impl Signs {
    pub(super) fn of(readings: &Readings<'_>, needed: u32) -> Self {
        let peak = |gauge| readings.of_gauge(gauge).map(|reading| reading.peak).max();
        let mut known: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        for reading in readings.of_gauge(Gauge::GpuMemory) {
            let of = reading.of;
            if reading.covers(&readings.frame) && (of.gpu.is_some() || needed == 1) {
                known.entry(of.source).or_default().insert(of.gpu);
            }
        }
        Self {
            memory: peak(Gauge::GpuMemory),
            memory_known: known.values().any(|gpus| gpus.len() >= needed as usize),
            processes: peak(Gauge::GpuProcesses),
            host: working(readings),
        }
    }

    pub(super) fn held(&self) -> bool {
        self.memory.is_some_and(|memory| memory > RESIDENT)
            || self.processes.is_some_and(|processes| processes > Decimal::ZERO)
    }

    /// Waiting tells more than holding: what waits holds memory as well.
    pub(super) fn cause(&self) -> Option<Cause> {
        if self.host.is_some() {
            Some(Cause::Starved)
        } else if self.held() {
            Some(Cause::Held)
        } else if self.memory_known {
            Some(Cause::Empty)
        } else {
            None
        }
    }

    pub(super) fn words(&self) -> String {
        let memory =
            self.memory.map(|gib| format!("up to {} GiB of a GPU's memory in use", one(gib)));
        let processes = self.processes.map(|most| {
            if most.is_zero() {
                "no process on a GPU".to_owned()
            } else if most == Decimal::ONE {
                "a process on a GPU".to_owned()
            } else {
                format!("up to {} processes on a GPU", most.normalize())
            }
        });
        let seen: Vec<String> = memory.into_iter().chain(processes).collect();
        let seen = seen.join(" and ");
        match (self.cause(), &self.host) {
            (Some(Cause::Starved), Some(host)) if seen.is_empty() => format!("starved: {host}"),
            (Some(Cause::Starved), Some(host)) => format!("starved: {host}, {seen}"),
            (Some(Cause::Held), _) => format!("held: {seen}"),
            (Some(Cause::Empty | Cause::Starved), _) => format!("empty: {seen}"),
            (None, _) if seen.is_empty() => "nothing tells whether memory is held".to_owned(),
            (None, _) => format!("{seen}, which does not tell whether memory is held"),
        }
    }
}

/// The part of the machine beside its accelerators that works, in words.
fn working(readings: &Readings<'_>) -> Option<String> {
    let cpu = readings
        .of_gauge(Gauge::Cpu)
        .find(|cpu| cpu.mean >= CPU_MEAN || cpu.peak >= CPU_PEAK)
        .map(cpu_words);
    cpu.or_else(|| traffic(readings).find(|moves| moves.mean >= TRAFFIC).map(traffic_words))
}

fn traffic<'r, 'a>(readings: &'r Readings<'a>) -> impl Iterator<Item = &'r Reading<'a>> {
    readings.of_gauge(Gauge::Network).chain(readings.of_gauge(Gauge::Disk))
}

fn cpu_words(cpu: &Reading<'_>) -> String {
    format!("CPU {} % on average and {} % at most", one(cpu.mean), one(cpu.peak))
}

fn traffic_words(moves: &Reading<'_>) -> String {
    let mean = moves.mean.checked_div(Decimal::from(1_000_000)).unwrap_or_default();
    format!("{} {} MB/s on average", moves.of.gauge, mean.round_dp(2).normalize())
}

fn one(value: Decimal) -> Decimal {
    value.round_dp(1).normalize()
}

/// What the rest of a machine suggests of its accelerators.
pub(super) struct Host {
    pub(super) words: String,
    pub(super) suggests: Option<IdleVerdict>,
    pub(super) source: String,
}

/// What CPU, network and disks suggest, where one of them is measured.
pub(super) fn host(readings: &Readings<'_>, spec: &IdleSpec) -> Option<Host> {
    let cpus: Vec<&Reading<'_>> = readings.of_gauge(Gauge::Cpu).collect();
    let moves: Vec<&Reading<'_>> = traffic(readings).collect();
    let first = cpus.first().or_else(|| moves.first())?;
    let seen: Vec<String> = cpus
        .iter()
        .map(|cpu| cpu_words(cpu))
        .chain(moves.iter().map(|moves| traffic_words(moves)))
        .collect();
    // Only CPUs that were measured all the time can speak for idleness.
    let covered = !cpus.is_empty()
        && cpus.iter().chain(&moves).all(|reading| reading.covers(&readings.frame));
    let calm = cpus.iter().all(|cpu| cpu.mean < CPU_CALM && cpu.peak < CPU_PEAK)
        && moves.iter().all(|moves| moves.mean < TRAFFIC_CALM);
    let suggests = if working(readings).is_some() {
        Some(IdleVerdict::Busy)
    } else if covered && calm {
        Some(IdleVerdict::Idle)
    } else {
        None
    };
    let end = match suggests {
        Some(IdleVerdict::Idle) => "suggest that it idles (confidence low)",
        Some(_) => "suggest that it works (confidence low)",
        None => "suggest nothing",
    };
    let words = format!("in the last {} {} {end}", spec.window, seen.join(", "));
    Some(Host { words, suggests, source: first.of.source.to_owned() })
}
