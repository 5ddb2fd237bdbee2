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
    /// The projects that told of each server.
    told_by: BTreeMap<String, BTreeSet<String>>,
    failures: Vec<Failure>,
}

/// A question that was not answered.
#[derive(Debug)]
struct Failure {
    project: String,
    /// Whom it was about.
    servers: BTreeSet<String>,
    error: ProviderError,
}

impl Region {
    /// What is known of a server; `None` for nothing. One that a project tells of is of that project,
    /// and what others do not tell is not missed. One of which nobody tells may be of any.
    fn of(&mut self, server: &str, grid: &Grid) -> Option<Measured> {
        let homes = self.told_by.get(server);
        let missed = self.failures.iter().filter(|failure| {
            let is_home = homes.is_none_or(|homes| homes.contains(&failure.project));
            is_home && failure.servers.contains(server)
        });
        let mut measured = Measured::default();
        for failure in missed {
            let gap = gap(&failure.error);
            if !measured.gaps.contains(&gap) {
                measured.gaps.push(gap);
            }
        }
        measured.series.extend(self.series.remove(server).map(|samples| series(samples, grid)));
        (measured != Measured::default()).then_some(measured)
    }
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
            let mut answers = Vec::new();
            match self.sources(cx, &place).await {
                Ok(sources) => {
                    let most = MOST_POINTS / grid.points.max(1);
                    let most = usize::try_from(most).unwrap_or(1).max(1);
                    for source in sources {
                        for part in servers.chunks(most) {
                            let rows = source.range(cx, &query(part, grid), grid).await;
                            answers.push((part, rows));
                        }
                    }
                }
                Err(error) => answers.push((servers, Err(error))),
            }
            (place.1, answers)
        });
        let answers: Vec<_> = asked.buffered(AT_ONCE).collect().await;
        for (project, answers) in answers {
            for (part, answer) in answers {
                match answer {
                    Ok(rows) => {
                        for mut row in rows {
                            let Some(server) = row.labels.remove("resource_id") else { continue };
                            read.told_by.entry(server.clone()).or_default().insert(project.clone());
                            read.series.entry(server).or_default().extend(row.samples);
                        }
                    }
                    // A refusal as well: a token of one project says nothing of those of another.
                    Err(error) => read.failures.push(Failure {
                        project: project.clone(),
                        servers: part.iter().map(|server| (*server).to_owned()).collect(),
                        error,
                    }),
                }
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

/// The region of a zone: `fr-par` of `fr-par-2`.
fn region_of(zone: &str) -> &str {
    zone.rsplit_once('-').map_or(zone, |(region, _)| region)
}

fn gap(error: &ProviderError) -> Unknown {
    Unknown::new(Ignorance::ReadFailed, format!("{NAME}: {error}"))
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
                let nothing = Measured { series: Vec::new(), gaps: vec![gap(&error)] };
                return machines.iter().map(|it| (it.id.clone(), nothing.clone())).collect();
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
            let told =
                here.into_iter().filter_map(|id| Some((id.clone(), read.of(&id.native, &grid)?)));
            measured.extend(told);
        }
        measured
    }
}

fn series(samples: Vec<Sample>, grid: &Grid) -> Series {
    let percent = |Sample { at, value }| Sample { at, value: value * 100.0 };
    Series {
        gauge: Gauge::Cpu,
        gpu: None,
        slice: None,
        source: Source::new(NAME),
        step: grid.step,
        samples: samples.into_iter().map(percent).collect(),
    }
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
