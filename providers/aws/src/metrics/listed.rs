//! Which series of accelerators there are. CloudWatch gives a series only to whoever names all of its
//! dimensions, and which those are depends on the agent's configuration: so they are listed first.

use std::collections::BTreeMap;

use aws_sdk_cloudwatch::types::{Dimension, DimensionFilter, Metric, RecentlyActive};
use chrono::TimeDelta;
use reaper_model::{Gauge, Instance, Window};
use reaper_provider::{CallContext, ProviderError};
use rust_decimal::Decimal;

use super::LIST;
use super::wanted::{AGENT, EC2, Grid, Wanted, of_machine};
use crate::client::RegionClient;
use crate::wire::{Tokens, send};

const POWER: &str = "GPUPowerUtilization";
const UTILISATION: &str = "nvidia_smi_utilization_gpu";
/// What the agent measures always has the dimensions of what else it measures of the same GPU.
const MEMORY: &str = "nvidia_smi_memory_used";

const INSTANCE: &str = "InstanceId";
const GPU_ID: &str = "GpuId";
const INDEX: &str = "index";

/// What the agent tells in MiB, we tell in GiB.
const GIB_PER_MIB: f64 = 1.0 / 1024.0;
/// A series that was not added to for so long is not listed when only recent ones are.
const RECENT: TimeDelta = TimeDelta::hours(3);

/// Which of the two sorts of series is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// What EC2 itself measures: the power of each GPU, of some machine types.
    Power,
    /// What the CloudWatch agent on the machine measures.
    Agent,
}

/// Lists one sort of series, to the end. For a single machine, its own alone.
pub(super) async fn list(
    region: &RegionClient,
    cx: &CallContext,
    machines: &[&Instance],
    window: &Window,
    kind: Listed,
) -> Result<Vec<Metric>, ProviderError> {
    let (namespace, name, dimension) = match kind {
        // The one for all GPUs together is known without a listing.
        Listed::Power => (EC2, POWER, Some(GPU_ID)),
        Listed::Agent => (AGENT, UTILISATION, None),
    };
    let only = match machines {
        [machine] => Some(machine.id.native.clone()),
        _ => None,
    };
    let with = |name: &str, value| DimensionFilter::builder().name(name).set_value(value).build();
    let dimensions: Vec<DimensionFilter> =
        dimension.map(|name| with(name, None)).into_iter().chain([with(INSTANCE, only)]).collect();
    let recently = (window.until >= cx.now - RECENT).then_some(RecentlyActive::Pt3H);
    let mut metrics = Vec::new();
    let (mut tokens, mut token) = (Tokens::default(), None);
    loop {
        let request = region
            .cloudwatch
            .list_metrics()
            .namespace(namespace)
            .metric_name(name)
            .set_dimensions(Some(dimensions.clone()))
            .set_recently_active(recently.clone())
            .set_next_token(token);
        let begin = |trace| request.customize().interceptor(trace).send();
        let answer = send(&region.metrics, cx, LIST, begin).await?;
        metrics.extend(answer.metrics.unwrap_or_default());
        token = tokens.next(LIST, answer.next_token)?;
        if token.is_none() {
            return Ok(metrics);
        }
    }
}

impl Listed {
    /// What to ask of the machines, whose places in the list stand in for them. A series that names
    /// none of them is somebody else's.
    pub(super) fn wanted(
        self,
        metrics: &[Metric],
        machines: &[&Instance],
        grid: &Grid,
    ) -> Vec<Wanted> {
        let places: BTreeMap<&str, usize> =
            machines.iter().enumerate().map(|(place, it)| (&*it.id.native, place)).collect();
        let dimension = match self {
            Self::Power => GPU_ID,
            Self::Agent => INDEX,
        };
        // Machine → GPU → its series.
        let mut known: BTreeMap<usize, BTreeMap<Option<String>, Vec<&Metric>>> = BTreeMap::new();
        for metric in metrics {
            let machine = value(metric, INSTANCE).and_then(|id| places.get(id));
            let Some(machine) = machine else { continue };
            let gpu = value(metric, dimension).map(str::to_owned);
            known.entry(*machine).or_default().entry(gpu).or_default().push(metric);
        }
        match self {
            Self::Power => power(&known, machines, grid),
            Self::Agent => agent(known, machines, grid),
        }
    }
}

/// EC2 tells either each GPU's power, or that of all together under the machine alone.
fn power(
    known: &BTreeMap<usize, BTreeMap<Option<String>, Vec<&Metric>>>,
    machines: &[&Instance],
    grid: &Grid,
) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (place, machine) in machines.iter().enumerate() {
        let Some(gpus) = known.get(&place) else {
            let metric = of_machine(&machine.id.native, POWER);
            wanted.push(grid.level(place, Gauge::GpuPower, only_gpu(machine), metric, 1.0));
            continue;
        };
        for (gpu, metrics) in gpus {
            let ask = |metric: &&Metric| {
                grid.level(place, Gauge::GpuPower, gpu.clone(), (*metric).clone(), 1.0)
            };
            wanted.extend(metrics.iter().map(ask));
        }
    }
    wanted
}

/// The agent may tell the same GPU under several sets of dimensions, for aggregates: the most exact
/// one is asked for. Of those that are equally exact, one may be what the host was called before.
fn agent(
    known: BTreeMap<usize, BTreeMap<Option<String>, Vec<&Metric>>>,
    machines: &[&Instance],
    grid: &Grid,
) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for (place, mut gpus) in known {
        if gpus.len() > 1 {
            // An aggregate over GPUs that are there one by one.
            gpus.remove(&None);
        }
        for (gpu, metrics) in gpus {
            let gpu = gpu.or_else(|| only_gpu(machines[place]));
            let exact = metrics.iter().map(|metric| metric.dimensions().len()).max();
            let metrics = metrics.iter().filter(|it| Some(it.dimensions().len()) == exact);
            for metric in metrics {
                let named = |name: &str| {
                    let mut metric = (*metric).clone();
                    metric.metric_name = Some(name.to_owned());
                    metric
                };
                for (gauge, name, factor) in [
                    (Gauge::GpuUtilisation, UTILISATION, 1.0),
                    (Gauge::GpuMemory, MEMORY, GIB_PER_MIB),
                ] {
                    wanted.push(grid.level(place, gauge, gpu.clone(), named(name), factor));
                }
            }
        }
    }
    wanted
}

/// The name of the one GPU of a machine that has one, or a part of one.
fn only_gpu(machine: &Instance) -> Option<String> {
    let gpu = machine.gpu.value()?;
    (gpu.count > Decimal::ZERO && gpu.count <= Decimal::ONE).then(|| "0".to_owned())
}

fn value<'a>(metric: &'a Metric, name: &str) -> Option<&'a str> {
    metric.dimensions().iter().find(|it| it.name() == Some(name)).and_then(Dimension::value)
}
