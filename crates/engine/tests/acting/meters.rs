//! A source of measurements that says what a test tells it to, machine by machine.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Measured, Sample, Series, Source, Unknown, Window,
};
use reaper_provider::{CallContext, MetricsSource, Sight};

/// What a machine does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Load {
    /// Nothing: a trace of work, no memory, no process, and calm CPUs.
    Nothing,
    /// The same, and nobody measures the CPUs.
    Blind,
    /// Nothing, and says exactly zero.
    Zero,
    /// Worked until so many hours ago, and says exactly zero since then.
    Frozen(i64),
    /// So many percent, on every GPU.
    Works(f64),
    /// Nothing, and holds the memory.
    Holds,
    /// Nobody has measured it.
    Dark,
    /// It cannot be read.
    Fails,
}

#[derive(Debug, Default)]
struct Script {
    loads: BTreeMap<String, Load>,
    /// What changes before the question of that number, from 0.
    changes: BTreeMap<usize, (String, Load)>,
    questions: usize,
    windows: Vec<(Window, Vec<String>)>,
    met: Vec<(usize, bool)>,
}

/// The source.
#[derive(Debug, Default)]
pub(crate) struct Meters(Mutex<Script>);

impl Meters {
    pub(crate) fn say(&self, native: &str, load: Load) {
        self.0.lock().expect("no panic").loads.insert(native.to_owned(), load);
    }

    /// From the question of that number on (of this run, from 0) the machine does something else.
    pub(crate) fn change(&self, question: usize, native: &str, load: Load) {
        let mut script = self.0.lock().expect("no panic");
        script.questions = 0;
        script.changes.insert(question, (native.to_owned(), load));
    }

    /// Every question since the last time that this was asked: the window, and who it was about.
    pub(crate) fn asked(&self) -> Vec<(Window, Vec<String>)> {
        std::mem::take(&mut self.0.lock().expect("no panic").windows)
    }

    /// How many machines each run has told of, and whether those were all.
    pub(crate) fn met(&self) -> Vec<(usize, bool)> {
        std::mem::take(&mut self.0.lock().expect("no panic").met)
    }
}

#[async_trait]
impl MetricsSource for Meters {
    fn name(&self) -> &'static str {
        "meters"
    }

    fn sight(&self) -> Sight {
        Sight::Gpu
    }

    fn meet(&self, machines: &[&Instance], whole: bool, _now: DateTime<Utc>) {
        self.0.lock().expect("no panic").met.push((machines.len(), whole));
    }

    async fn measure(
        &self,
        _cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        let mut script = self.0.lock().expect("no panic");
        let question = script.questions;
        script.questions += 1;
        if let Some((native, load)) = script.changes.remove(&question) {
            script.loads.insert(native, load);
        }
        let names = machines.iter().map(|machine| machine.id.native.clone()).collect();
        script.windows.push((*window, names));
        let of = |machine: &&Instance| {
            let load = *script.loads.get(&machine.id.native)?;
            Some((machine.id.clone(), measured(load, window)?))
        };
        machines.iter().filter_map(of).collect()
    }
}

fn measured(load: Load, window: &Window) -> Option<Measured> {
    let (work, memory) = match load {
        Load::Nothing | Load::Blind => (0.4, 0.1),
        Load::Zero | Load::Frozen(_) => (0.0, 0.0),
        Load::Works(percent) => (percent, 30.0),
        Load::Holds => (0.4, 30.0),
        Load::Dark => return None,
        Load::Fails => {
            let gap = Unknown::new(Ignorance::ReadFailed, "meters: 503 from the server");
            return Some(Measured { series: Vec::new(), gaps: vec![gap] });
        }
    };
    let series = (0..8).flat_map(|gpu: u32| {
        [(Gauge::GpuUtilisation, work), (Gauge::GpuMemory, memory), (Gauge::GpuProcesses, 0.0)].map(
            |(gauge, value)| Series {
                gauge,
                gpu: Some(gpu.to_string()),
                slice: None,
                source: Source::new("meters"),
                step: window.step,
                samples: match (load, gauge) {
                    (Load::Frozen(hours), Gauge::GpuUtilisation) => {
                        let end = window.until - chrono::TimeDelta::hours(hours);
                        samples(window, |at| if at < end { 61.0 } else { 0.0 })
                    }
                    _ => samples(window, |_| value),
                },
            },
        )
    });
    let cpu = (load != Load::Blind).then(|| Series {
        gauge: Gauge::Cpu,
        gpu: None,
        slice: None,
        source: Source::new("meters"),
        step: window.step,
        samples: samples(window, |_| 1.0),
    });
    Some(Measured { series: series.chain(cpu).collect(), gaps: Vec::new() })
}

fn samples(window: &Window, value: impl Fn(DateTime<Utc>) -> f64) -> Vec<Sample> {
    let mut at = window.from;
    let mut samples = Vec::new();
    while at < window.until {
        samples.push(Sample { at, value: value(at) });
        at += window.step.delta();
    }
    samples
}
