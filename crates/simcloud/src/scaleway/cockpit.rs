//! Cockpit: where the data sources of a project are, and the Prometheus behind each, which knows the
//! CPUs of the project's servers and takes tokens of Cockpit's own.

use http::StatusCode;
use reaper_model::Gauge;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::meter::{Meter, Part};
use crate::prometheus::range::{self, Range};
use crate::scaleway::problem::Problem;
use crate::scaleway::route::query;
use crate::scaleway::world::{Organization, ScalewayWorld};
use crate::wire::{Reply, Request};

/// How the path of a data source begins; `/{project}/{region}` and the Prometheus follow.
pub(crate) const SOURCE: &str = "/cockpit-metrics/";

/// The data sources of a project in a region: Scaleway's own metrics.
pub(crate) fn data_sources(
    organization: &Organization,
    region: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let project = query(request, "project_id").unwrap_or_default();
    if !organization.owns(&project) {
        return Err(Problem::denied("read", "cockpit"));
    }
    // The address by which the client came here, up to the path.
    let here = request.url.split("/cockpit/v1/").next().unwrap_or_default();
    let source = json!({
        "id": format!("{project}-{region}"),
        "project_id": project,
        "name": "Scaleway Metrics",
        "url": format!("{here}{SOURCE}{project}/{region}"),
        "type": "metrics",
        "origin": "scaleway",
        "region": region,
        "created_at": "2023-05-17T09:46:07.242137Z",
        "updated_at": "2023-05-17T09:46:07.242137Z",
        "synchronized_with_grafana": true,
        "retention_days": 31,
        "current_month_usage": 0,
    });
    Ok(Reply::json(StatusCode::OK, &json!({ "total_count": 1, "data_sources": [source] })))
}

/// A range query to a data source. It understands the one about CPUs.
pub(crate) fn answer(
    world: &ScalewayWorld,
    meters: &[Meter],
    clock: &Clock,
    request: &Request,
) -> Reply {
    let token = request.header("x-token").unwrap_or_default();
    let mut parts = request.path.trim_start_matches(SOURCE).split('/');
    let (project, region) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_theirs = world.organizations().any(|it| {
        !token.is_empty() && it.cockpit_token == token && it.cockpit_project() == project
    });
    if !is_theirs {
        return Reply::new(StatusCode::UNAUTHORIZED, "text/plain", "invalid token\n");
    }
    if !request.path.ends_with("/prometheus/api/v1/query_range") {
        return Reply::new(StatusCode::NOT_FOUND, "text/plain", "404 page not found\n");
    }
    let range = match Range::of(request) {
        Ok(range) => range,
        Err(problem) => return problem.reply(),
    };
    let wanted =
        range.query.split_once("resource_id=~\"").and_then(|(_, rest)| rest.split_once('"'));
    let Some((ids, _)) = wanted.filter(|_| range.query.contains("instance_server_vcpu_count"))
    else {
        return range::bad("parse error: a query that is not known here").reply();
    };
    let mut lines = Vec::new();
    for id in ids.split('|') {
        let is_here = |zone: &str| zone.rsplit_once('-').is_some_and(|(it, _)| it == region);
        let mut servers = world.servers().iter();
        if !servers.any(|it| it.id == id && it.project() == project && is_here(&it.zone)) {
            continue;
        }
        let known = meters.iter().filter(|it| it.machine == id && it.is_by(&["cockpit"]));
        let cpu: Vec<&Meter> = known.filter(|it| !it.parts(Gauge::Cpu).is_empty()).collect();
        let points: Vec<Value> = range
            .times()
            .into_iter()
            .filter_map(|at| {
                let mean = cpu.iter().find_map(|meter| {
                    let span = range.step_before(at);
                    let found = meter.summary(clock, Gauge::Cpu, Part::Machine, span)?;
                    (found.count > 1).then(|| found.sum / f64::from(found.count))
                })?;
                Some(range::point(at, mean / 100.0))
            })
            .collect();
        if !points.is_empty() {
            lines.push(json!({ "metric": { "resource_id": id }, "values": points }));
        }
    }
    range::matrix(&lines)
}
