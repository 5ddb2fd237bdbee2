//! Cockpit, Scaleway's monitoring: how busy the CPUs of servers are. Of GPUs it tells nothing.
//!
//! It is a Prometheus per project and region, whose addresses the API tells. Reading them takes a
//! token of Cockpit's own, which is of one project; without one nothing is asked.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use reaper_http::{Base, HeaderName};
use reaper_metrics::{Api as Prometheus, Auth, Grid, Rights, quoted};
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Measured, ProviderAccount, Sample, Series, Source,
    Unknown, Window,
};
use reaper_provider::{CallContext, ErrorKind, MetricsSource, ProviderError, Sight};
use secrecy::SecretString;

use crate::client::{Api, DATA_SOURCES};

const NAME: &str = "Cockpit";
/// Where data sources live; a token goes nowhere else.
const DOMAIN: &str = ".scw.cloud";
/// The points of one answer: a few megabytes.
const MOST_POINTS: u64 = 100_000;
/// Data sources that are asked side by side.
const AT_ONCE: usize = 4;
/// What a Cockpit token must be allowed.
const RIGHTS: Rights = Rights { query: "query_metrics", labels: "query_metrics" };

/// Cockpit, as far as one token sees it.
#[derive(Debug)]
pub(crate) struct Cockpit {
    pub(crate) api: Api,
    /// Only these projects; empty for all that the key sees.
    pub(crate) projects: Vec<String>,
    pub(crate) token: SecretString,
}

/// A project in a region: the region, and the project's id.
type Place = (String, String);

/// What was read of a region.
#[derive(Debug, Default)]
struct Region {
    series: BTreeMap<String, Vec<Sample>>,
    failures: Vec<ProviderError>,
}

impl Cockpit {
    /// The Prometheus of each project in a region that has one.
    async fn sources(
        &self,
        cx: &CallContext,
        (region, project): &Place,
    ) -> Result<Vec<Prometheus>, ProviderError> {
        let mut sources = Vec::new();
        for source in self.api.data_sources(cx, region, project).await? {
            let Some(url) = source.url.good() else { continue };
            let base = self.base(url).map_err(|problem| {
                let detail = format!("the address of a data source {problem}");
                ProviderError::answered(ErrorKind::Protocol, DATA_SOURCES, detail)
            })?;
            let name = HeaderName::from_static("x-token");
            let auth = Auth::Header(name, self.token.clone());
            sources.push(Prometheus::over(self.api.client(), base, auth, Some(RIGHTS)));
        }
        Ok(sources)
    }

    /// The address of a data source's queries.
    fn base(&self, url: &str) -> Result<Base, String> {
        let base = Base::parse(url)?;
        let host = base.url().host_str().unwrap_or_default();
        let is_theirs = base.url().scheme() == "https" && host.ends_with(DOMAIN);
        // Where the API itself is met elsewhere, its data sources may be there as well.
        if !is_theirs && !self.api.is_at(base.url()) {
            return Err(format!("leads to {host}, which is not Scaleway's"));
        }
        Base::parse(base.at(["prometheus"]).as_str())
    }

    async fn projects(
        &self,
        cx: &CallContext,
        organisation: &ProviderAccount,
    ) -> Result<Vec<String>, ProviderError> {
        if !self.projects.is_empty() {
            return Ok(self.projects.clone());
        }
        self.api.projects(cx, organisation).await
    }

    /// What all data sources of a region say of these servers.
    async fn read(
        &self,
        cx: &CallContext,
        region: &str,
        projects: &[String],
        servers: &[&str],
        grid: &Grid,
    ) -> Region {
        let mut read = Region::default();
        let places = projects.iter().map(|project| (region.to_owned(), project.clone()));
        let places: Vec<Place> = places.collect();
        let asked = stream::iter(places).map(|place: Place| async move {
            let sources = self.sources(cx, &place).await?;
            let mut rows = Vec::new();
            for source in sources {
                let most = usize::try_from(MOST_POINTS / grid.points.max(1)).unwrap_or(1).max(1);
                for part in servers.chunks(most) {
                    rows.extend(source.range(cx, &query(part, grid), grid).await?);
                }
            }
            Ok(rows)
        });
        let answers: Vec<Result<_, ProviderError>> = asked.buffered(AT_ONCE).collect().await;
        let has_answered =
            answers.iter().any(|answer| answer.as_ref().is_ok_and(|it| !it.is_empty()));
        for answer in answers {
            match answer {
                Ok(rows) => {
                    for mut row in rows {
                        let Some(server) = row.labels.remove("resource_id") else { continue };
                        read.series.entry(server).or_default().extend(row.samples);
                    }
                }
                // The token is of another project.
                Err(error) if has_answered && is_refusal(&error) => {}
                Err(error) => read.failures.push(error),
            }
        }
        read
    }
}

/// The CPUs of servers, as a share of what all of them could do. Scaleway's own alert on busy CPUs
/// divides the same two.
fn query(servers: &[&str], grid: &Grid) -> String {
    // Ids are UUIDs: nothing in them means more than itself.
    let mine = format!("{{resource_id=~{}}}", quoted(&servers.join("|")));
    let range = grid.range();
    format!(
        "sum by (resource_id) (rate(instance_server_cpu_seconds_total{mine}{range})) / \
         max by (resource_id) (max_over_time(instance_server_vcpu_count{mine}{range}))"
    )
}

fn is_refusal(error: &ProviderError) -> bool {
    matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::CredentialsRejected)
}

/// The region of a zone: `fr-par` of `fr-par-2`.
fn region_of(zone: &str) -> &str {
    zone.rsplit_once('-').map_or(zone, |(region, _)| region)
}

fn failed(error: &ProviderError) -> Measured {
    let gap = Unknown::new(Ignorance::ReadFailed, format!("{NAME}: {error}"));
    Measured { series: Vec::new(), gaps: vec![gap] }
}

#[async_trait]
impl MetricsSource for Cockpit {
    fn name(&self) -> &str {
        NAME
    }

    fn sight(&self) -> Sight {
        Sight::Host
    }

    async fn measure(
        &self,
        cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        let Some(first) = machines.first() else { return Vec::new() };
        let projects = match self.projects(cx, &first.id.account).await {
            Ok(projects) => projects,
            Err(error) => {
                return machines.iter().map(|it| (it.id.clone(), failed(&error))).collect();
            }
        };
        let grid = Grid::of(window);
        let mut measured = Vec::new();
        let regions: BTreeSet<&str> =
            machines.iter().map(|machine| region_of(machine.id.location.as_str())).collect();
        for region in regions {
            let here: Vec<&InstanceId> = machines
                .iter()
                .map(|machine| &machine.id)
                .filter(|id| region_of(id.location.as_str()) == region)
                .collect();
            let servers: Vec<&str> = here.iter().map(|id| id.native.as_str()).collect();
            let mut read = self.read(cx, region, &projects, &servers, &grid).await;
            for id in here {
                let what = match (read.series.remove(&id.native), read.failures.first()) {
                    (Some(samples), _) => series(samples, &grid),
                    (None, Some(error)) => failed(error),
                    (None, None) => continue,
                };
                measured.push((id.clone(), what));
            }
        }
        measured
    }
}

fn series(samples: Vec<Sample>, grid: &Grid) -> Measured {
    let percent = |Sample { at, value }| Sample { at, value: value * 100.0 };
    let series = Series {
        gauge: Gauge::Cpu,
        gpu: None,
        slice: None,
        source: Source::new(NAME),
        step: grid.step,
        samples: samples.into_iter().map(percent).collect(),
    };
    Measured { series: vec![series], gaps: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_of_a_region() {
        assert_eq!(region_of("fr-par-2"), "fr-par");
        assert_eq!(region_of("it-mil-1"), "it-mil");
    }
}
