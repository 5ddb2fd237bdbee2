//! The source: what to ask, in which parts, and whose the answers are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::{StreamExt as _, stream};
use reaper_http::Base;
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Measured, Sample, Series, Source, Unknown, Window,
};
use reaper_provider::{
    AccountSettings, CallContext, MetricsSource, OpenError, ProviderError, Sight,
};
use rust_decimal::prelude::ToPrimitive as _;

use crate::api::{Api, Grid, Row};
use crate::auth::Auth;
use crate::machines::{Machines, Meant};
use crate::promql::{any_of, batches, quoted};
use crate::wanted::{ALL, Parts, Wanted};

const NAME: &str = "Prometheus";
/// The points of one answer, as far as can be foreseen: a few megabytes.
const MOST_POINTS: usize = 100_000;
/// What a machine is taken to have whose accelerators are not known.
const USUAL_GPUS: usize = 8;
/// Queries under way. The pace of the client holds as well.
const AT_ONCE: usize = 4;

/// One server as the configuration names it.
#[derive(Debug, Clone)]
pub struct Server {
    /// Its address: the part before `/api/v1`.
    pub url: String,
    /// The label that names the machine, such as `instance`.
    pub label: String,
    /// How requests are signed.
    pub auth: Auth,
    /// The longest that one attempt of one call may take.
    pub timeout: Duration,
    /// Attempts per call, the first included.
    pub attempts: u32,
    /// PEM file with further certificate authorities to trust.
    pub ca_bundle: Option<PathBuf>,
}

/// Measurements from Prometheus or a server that speaks like it.
#[derive(Debug)]
pub struct Prometheus {
    api: Api,
    label: String,
    machines: Machines,
}

/// What tells one series of a machine from the others.
type Key = (Gauge, &'static str, Option<String>, Option<String>);

/// What was found so far.
#[derive(Debug, Default)]
struct Harvest {
    samples: BTreeMap<InstanceId, BTreeMap<Key, Vec<Sample>>>,
    gaps: BTreeMap<InstanceId, Vec<Unknown>>,
}

/// The values of one label that name one machine of those asked about.
type Values = BTreeMap<String, InstanceId>;

/// One query, and who is without it when it fails.
#[derive(Debug)]
struct Query {
    wanted: Wanted,
    text: String,
    machines: BTreeSet<InstanceId>,
}

impl Prometheus {
    /// Checks the settings; sends nothing.
    pub fn open(server: &Server) -> Result<Self, OpenError> {
        let mut settings = AccountSettings::named("metrics.prometheus");
        settings.limits.call = server.timeout;
        settings.limits.attempts = server.attempts;
        settings.ca_bundle.clone_from(&server.ca_bundle);
        let base = Base::parse(&server.url).map_err(|problem| OpenError {
            account: settings.name.to_string(),
            problem: format!("url: {problem}"),
        })?;
        let api = Api::open(&settings, base, server.auth.clone())?;
        Ok(Self { api, label: server.label.clone(), machines: Machines::default() })
    }

    /// What of [`ALL`] the server has at all.
    async fn present(&self, cx: &CallContext, grid: &Grid) -> Result<Vec<Wanted>, ProviderError> {
        let selector = selector(ALL.iter());
        let found = self.api.label_values(cx, "__name__", &selector, grid).await?;
        let there = |wanted: &Wanted| {
            wanted.names.iter().all(|name| found.iter().any(|found| found == name))
        };
        Ok(ALL.into_iter().filter(there).collect())
    }

    /// The values of a label in these series that name one of the machines.
    async fn values(
        &self,
        cx: &CallContext,
        label: &str,
        wanted: &[&Wanted],
        machines: &[&Instance],
        grid: &Grid,
        harvest: &mut Harvest,
    ) -> Result<Values, ProviderError> {
        let selector = selector(wanted.iter().copied());
        let found = self.api.label_values(cx, label, &selector, grid).await?;
        let asked: BTreeSet<&InstanceId> = machines.iter().map(|machine| &machine.id).collect();
        let mut values = Values::new();
        let mut strangers = true;
        for value in &found {
            let unsure = |why: String| {
                let why = format!("{NAME}: {label} = {} may be {why}", quoted(value));
                Unknown::new(Ignorance::Unusable, why)
            };
            let meant = self.machines.meant(value);
            strangers &= matches!(meant, Meant::Nobody);
            match meant {
                Meant::Nobody => {}
                Meant::One(id) => {
                    if asked.contains(&id) {
                        values.insert(value.clone(), id);
                    }
                }
                Meant::Several(ids) => {
                    let gap = unsure(format!("any of {} machines", ids.len()));
                    for id in ids.iter().filter(|id| asked.contains(id)) {
                        harvest.gap(id, gap.clone());
                    }
                }
                Meant::Perhaps(id) => {
                    if asked.contains(&id) {
                        harvest.gap(&id, unsure("a machine that could not be read".to_owned()));
                    }
                }
            }
        }
        // Said of each machine, so that it stands where the reader looks for its use.
        if let Some(example) = found.first().filter(|_| strangers) {
            let why = format!(
                "{NAME}: no value of the label {label} is the id or the name of a machine, such as {}",
                quoted(example)
            );
            for id in &asked {
                harvest.gap(id, Unknown::new(Ignorance::NotOffered, why.clone()));
            }
        }
        Ok(values)
    }

    /// Everything that one label's series tell.
    async fn read(
        &self,
        cx: &CallContext,
        label: &str,
        wanted: &[&Wanted],
        machines: &[&Instance],
        window: &Window,
        harvest: &mut Harvest,
    ) {
        let grid = Grid::of(window);
        let values = match self.values(cx, label, wanted, machines, &grid, harvest).await {
            Ok(values) => values,
            Err(error) => return harvest.failed(machines.iter().map(|it| &it.id), &error, None),
        };
        let weights: BTreeMap<&InstanceId, usize> =
            machines.iter().map(|machine| (&machine.id, accelerators(machine))).collect();
        let points = usize::try_from(grid.points).unwrap_or(usize::MAX);
        let mut queries = Vec::new();
        for wanted in wanted {
            let weight = |id: &InstanceId| match wanted.parts {
                Some(_) => weights.get(id).map_or(1, |gpus| gpus.saturating_mul(points)),
                None => points,
            };
            let weighed = values.iter().map(|(value, id)| (value.as_str(), weight(id)));
            for part in batches(weighed, MOST_POINTS) {
                let pattern = any_of(part.iter().copied());
                queries.push(Query {
                    wanted: **wanted,
                    text: wanted.query(label, &pattern, window.statistic, &grid),
                    machines: part.into_iter().filter_map(|it| values.get(it)).cloned().collect(),
                });
            }
        }
        let answers = stream::iter(queries).map(|query: Query| async {
            let answer = self.api.range(cx, &query.text, &grid).await;
            (query, answer)
        });
        let answers: Vec<_> = answers.buffered(AT_ONCE).collect().await;
        for (query, answer) in answers {
            match answer {
                Ok(rows) => {
                    for row in rows {
                        harvest.take(&query.wanted, label, &values, row);
                    }
                }
                Err(error) => harvest.failed(&query.machines, &error, Some(query.wanted.gauge)),
            }
        }
    }
}

/// A selector of all series that these are made of.
fn selector<'a>(wanted: impl Iterator<Item = &'a Wanted>) -> String {
    let names = wanted.flat_map(|wanted| wanted.names.iter().copied());
    format!("{{__name__=~{}}}", quoted(&any_of(names)))
}

/// How many series of one quantity a machine may have: its accelerators and as many slices.
fn accelerators(machine: &Instance) -> usize {
    let known = machine.gpu.value().and_then(|gpu| gpu.count.ceil().to_usize());
    known.unwrap_or(USUAL_GPUS).max(1).saturating_mul(2)
}

impl Harvest {
    fn gap(&mut self, id: &InstanceId, gap: Unknown) {
        let gaps = self.gaps.entry(id.clone()).or_default();
        if !gaps.contains(&gap) {
            gaps.push(gap);
        }
    }

    fn failed<'a>(
        &mut self,
        machines: impl IntoIterator<Item = &'a InstanceId>,
        error: &ProviderError,
        gauge: Option<Gauge>,
    ) {
        let what = gauge.map(|gauge| format!("{gauge}: ")).unwrap_or_default();
        let gap = Unknown::new(Ignorance::ReadFailed, format!("{NAME}: {what}{error}"));
        for id in machines {
            self.gap(id, gap.clone());
        }
    }

    /// Takes one series of an answer. Two targets that tell of one GPU fill one series.
    fn take(&mut self, wanted: &Wanted, label: &str, values: &Values, mut row: Row) {
        let Some(id) = row.labels.get(label).and_then(|value| values.get(value)) else { return };
        let mut part = |name| row.labels.remove(name).filter(|text: &String| !text.is_empty());
        let (gpu, slice) = match wanted.parts {
            None => (None, None),
            Some(Parts { gpu, uuid, slice }) => {
                let uuid = part(uuid);
                (part(gpu).or(uuid), part(slice))
            }
        };
        let key = (wanted.gauge, wanted.source, gpu, slice);
        let samples = row
            .samples
            .into_iter()
            .map(|Sample { at, value }| Sample { at, value: value * wanted.scale });
        let series = self.samples.entry(id.clone()).or_default();
        series.entry(key).or_default().extend(samples);
    }

    /// What is known of one machine; `None` for nothing.
    fn of(&mut self, id: &InstanceId, grid: &Grid) -> Option<Measured> {
        let series = self.samples.remove(id).unwrap_or_default();
        let series = series.into_iter().map(|((gauge, source, gpu, slice), samples)| Series {
            gauge,
            gpu,
            slice,
            source: Source::new(source),
            step: grid.step,
            samples,
        });
        let series: Vec<Series> = series.collect();
        let gaps = self.gaps.remove(id).unwrap_or_default();
        (!series.is_empty() || !gaps.is_empty()).then_some(Measured { series, gaps })
    }
}

#[async_trait]
impl MetricsSource for Prometheus {
    fn name(&self) -> &str {
        NAME
    }

    fn sight(&self) -> Sight {
        Sight::Gpu
    }

    fn meet(&self, machines: &[&Instance], whole: bool, _now: DateTime<Utc>) {
        self.machines.meet(machines, whole);
    }

    async fn measure(
        &self,
        cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        if machines.is_empty() {
            return Vec::new();
        }
        self.machines.note(machines);
        let grid = Grid::of(window);
        let mut harvest = Harvest::default();
        match self.present(cx, &grid).await {
            Ok(present) => {
                let mut by_label: BTreeMap<&str, Vec<&Wanted>> = BTreeMap::new();
                for wanted in &present {
                    by_label.entry(wanted.label(&self.label)).or_default().push(wanted);
                }
                for (label, wanted) in by_label {
                    self.read(cx, label, &wanted, machines, window, &mut harvest).await;
                }
            }
            Err(error) => harvest.failed(machines.iter().map(|it| &it.id), &error, None),
        }
        let ids = machines.iter().map(|machine| &machine.id);
        ids.filter_map(|id| Some((id.clone(), harvest.of(id, &grid)?))).collect()
    }
}
