//! Machines, windows and short cuts.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_metrics::{Auth, Prometheus, Server};
use reaper_model::{
    Fact, Gauge, Gpu, Instance, InstanceId, Measured, Meter, Purchase, Series, Source, Span, State,
    Statistic, StopKind, StopOffer, Window,
};
use reaper_provider::MetricsSource as _;
use reaper_provider::adapter::{CallContext, RequestCounter};

/// The clock of the run.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-30T09:00:00Z".parse().expect("a time")
}

pub(crate) fn context() -> CallContext {
    CallContext { now: now(), requests: RequestCounter::default() }
}

/// A machine at Lambda of that id and name with so many GPUs.
pub(crate) fn machine(native: &str, name: &str, gpus: u32) -> Instance {
    let source = Source::new("test");
    let gpu = Gpu { model: "H100".to_owned(), count: gpus.into(), memory_gib: None };
    Instance {
        id: format!("lambda/ssh-key:ops/us-east-1/{native}").parse().expect("an id"),
        name: Fact::known(name.to_owned(), &source, now()),
        state: State::Running,
        provider_state: "active".to_owned(),
        meter: Meter::Running,
        machine_type: "gpu_8x_h100_sxm5".into(),
        gpu: Fact::known(gpu, &source, now()),
        purchase: Purchase::OnDemand,
        created_at: Fact::absent(&source),
        running_since: Fact::absent(&source),
        stopped_at: Fact::absent(&source),
        tags: Fact::absent(&source),
        manager: Fact::absent(&source),
        guards: Fact::absent(&source),
        local_storage: Fact::absent(&source),
        stop: StopOffer {
            kind: StopKind::Terminate,
            saves: true,
            loses: Vec::new(),
            objections: Vec::new(),
        },
        attached: Vec::new(),
        unreadable: Vec::new(),
    }
}

/// The last hours in steps of five minutes.
pub(crate) fn window(hours: i64, statistic: Statistic) -> Window {
    let from = now() - TimeDelta::hours(hours);
    Window { from, until: now(), step: Span::from_secs(300), statistic }
}

pub(crate) fn server(url: &str, auth: Auth) -> Server {
    Server {
        url: url.to_owned(),
        label: "instance".to_owned(),
        auth,
        timeout: Duration::from_secs(20),
        attempts: 1,
        ca_bundle: None,
    }
}

pub(crate) fn source(url: &str, auth: Auth) -> Prometheus {
    Prometheus::open(&server(url, auth)).expect("opened")
}

/// What is measured of these machines in the last six hours, highest values.
pub(crate) async fn peaks(
    source: &Prometheus,
    machines: &[&Instance],
) -> Vec<(InstanceId, Measured)> {
    source.measure(&context(), machines, &window(6, Statistic::Peak)).await
}

/// What was measured of one machine.
pub(crate) fn of<'a>(all: &'a [(InstanceId, Measured)], machine: &Instance) -> &'a Measured {
    &all.iter().find(|(id, _)| *id == machine.id).expect("measured").1
}

/// The series of one gauge.
pub(crate) fn series(measured: &Measured, gauge: Gauge) -> Vec<&Series> {
    measured.series.iter().filter(|series| series.gauge == gauge).collect()
}

/// The highest value of a series.
pub(crate) fn peak(series: &Series) -> f64 {
    series.samples.iter().map(|sample| sample.value).fold(f64::NEG_INFINITY, f64::max)
}
