//! Why accelerators idle: nothing holds them, memory is held, or they wait for the rest of the
//! machine. And what the rest of the machine suggests where nobody sees them.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::Gauge;
use reaper_model::document::{Cause, IdleVerdict};
use rust_decimal::Decimal;

use super::readings::{Of, Reading, Readings};
use crate::spec::IdleSpec;

/// More GiB than this in use on one accelerator is held by somebody. Drivers, error correction and
/// their daemons keep some hundred MiB on boards of any size, so nothing smaller tells. It does not
/// grow with the board: three GiB of somebody's model are lost by a stop on the largest one, too.
const RESIDENT: Decimal = Decimal::ONE;
/// From this mean of all CPUs on, percent, they work: one busy core of twenty.
const CPU_MEAN: Decimal = Decimal::from_parts(5, 0, 0, false, 0);
/// From this peak of all CPUs on, percent, they have worked: one busy core of four. Agents and
/// updates come to less, and somebody who reads in a data set for some minutes to more.
const CPU_PEAK: Decimal = Decimal::from_parts(25, 0, 0, false, 0);
/// From this mean on, bytes per second, network or disks work.
const TRAFFIC: Decimal = Decimal::from_parts(5_000_000, 0, 0, false, 0);
/// Below this mean of all CPUs, percent, they suggest that nobody uses the machine: one busy core of
/// fifty is above it. One of a hundred cannot be told from the system's own work.
const CPU_CALM: Decimal = Decimal::TWO;
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
    /// What keeps the rest of the machine from being known to be calm.
    unrest: Option<String>,
}

impl Signs {
    pub(super) fn of(readings: &Readings<'_>, needed: u32) -> Self {
        let peak = |gauge| readings.of_gauge(gauge).map(|reading| reading.peak).max();
        let mut known: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        for reading in readings.of_gauge(Gauge::GpuMemory) {
            let of = reading.of;
            let told_apart = of.gpu.is_some() || needed == 1;
            if told_apart && reading.covers(&readings.frame) && all_slices(readings, reading) {
                known.entry(of.source).or_default().insert(of.gpu);
            }
        }
        Self {
            memory: peak(Gauge::GpuMemory),
            // Memory that cannot be may have been somebody's: it is no proof of there being none.
            memory_known: !readings.impossible.contains(&Gauge::GpuMemory)
                && known.values().any(|gpus| gpus.len() >= needed as usize),
            processes: peak(Gauge::GpuProcesses),
            host: working(readings),
            unrest: unrest(readings),
        }
    }

    pub(super) fn held(&self) -> bool {
        self.memory.is_some_and(|memory| memory > RESIDENT)
            || self.processes.is_some_and(|processes| processes > Decimal::ZERO)
    }

    /// Waiting tells more than holding: what waits holds memory as well. Empty is only what is known
    /// to be so all over: the memory low, no process seen, and the rest of the machine calm.
    pub(super) fn cause(&self) -> Option<Cause> {
        if self.host.is_some() {
            Some(Cause::Starved)
        } else if self.held() {
            Some(Cause::Held)
        } else if self.memory_known && self.unrest.is_none() {
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
            (None, _) => {
                let memory = if seen.is_empty() {
                    "nothing tells whether memory is held".to_owned()
                } else if self.memory_known {
                    seen
                } else {
                    format!("{seen}, which does not tell whether memory is held")
                };
                match &self.unrest {
                    Some(unrest) => format!("{memory}; {unrest}"),
                    None => memory,
                }
            }
        }
    }
}

/// Whether what a reading of a slice tells is told of every slice beside it.
fn all_slices(readings: &Readings<'_>, of: &Reading<'_>) -> bool {
    let Of { source, gpu, slice, gauge } = of.of;
    slice.is_none()
        || readings.slices(source, gpu).into_iter().flatten().all(|slice| {
            readings.of_gauge(gauge).any(|other| {
                other.of == Of { source, gpu, slice: Some(*slice), gauge }
                    && other.covers(&readings.frame)
            })
        })
}

/// What keeps the rest of the machine from being known to be calm: CPUs that nobody measured over
/// the whole window, or something that is not calm.
fn unrest(readings: &Readings<'_>) -> Option<String> {
    let mut cpus = readings.of_gauge(Gauge::Cpu).peekable();
    if cpus.peek().is_none() {
        return Some("its CPUs were not measured".to_owned());
    }
    if !cpus.any(|cpu| cpu.covers(&readings.frame)) {
        return Some("its CPUs were not measured all the time".to_owned());
    }
    let cpu = readings.of_gauge(Gauge::Cpu).find(|cpu| !is_calm_cpu(cpu)).map(cpu_words);
    let moves = || traffic(readings).find(|moves| moves.mean >= TRAFFIC_CALM).map(traffic_words);
    cpu.or_else(moves).map(|words| format!("{words} is not calm"))
}

fn is_calm_cpu(cpu: &Reading<'_>) -> bool {
    cpu.mean < CPU_CALM && cpu.peak < CPU_PEAK
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
    let calm = cpus.iter().all(|cpu| is_calm_cpu(cpu))
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
