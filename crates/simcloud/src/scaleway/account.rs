//! What surrounds the servers: IAM, projects, the Audit Trail, autoscaling groups.

use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::scaleway::problem::Problem;
use crate::scaleway::recording::page_of;
use crate::scaleway::route::query;
use crate::scaleway::world::{Action, Organization, ScalewayWorld};
use crate::wire::{Reply, Request};

/// The only method whose calls are on record.
const SERVER_ACTION: &str = "ServerAction";
/// The only kind of thing that they were done to.
const SERVER: &str = "instance_server";

fn ok(body: &Value) -> Reply {
    Reply::json(StatusCode::OK, body)
}

/// The id of the application that holds an organisation's key.
fn application_id(organization: &Organization) -> String {
    format!("{}-application", organization.id)
}

/// The organisation's own key.
pub(crate) fn api_key(organization: &Organization, id: &str) -> Result<Reply, Problem> {
    if organization.access_key != id {
        return Err(Problem::not_found("api_key", id));
    }
    Ok(ok(&json!({
        "access_key": id,
        "secret_key": null,
        "application_id": application_id(organization),
        "description": "",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "expires_at": null,
        "default_project_id": organization.id,
        "editable": true,
        "deletable": true,
        "managed": false,
        "creation_ip": "203.0.113.1",
    })))
}

/// The application that holds the key.
pub(crate) fn application(organization: &Organization, id: &str) -> Result<Reply, Problem> {
    if application_id(organization) != id {
        return Err(Problem::not_found("application", id));
    }
    Ok(ok(&json!({
        "id": id,
        "name": "reaper",
        "description": "",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "organization_id": organization.id,
        "editable": true,
        "deletable": true,
        "managed": false,
        "nb_api_keys": 1,
        "tags": [],
    })))
}

fn project_json(organization: &Organization, id: &str) -> Value {
    let name = if id == organization.id { "default" } else { id };
    json!({
        "id": id,
        "name": name,
        "organization_id": organization.id,
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "description": "",
        "qualification": null,
    })
}

/// One project.
pub(crate) fn project(organization: &Organization, id: &str) -> Result<Reply, Problem> {
    if !organization.owns(id) {
        return Err(Problem::not_found("project", id));
    }
    Ok(ok(&project_json(organization, id)))
}

/// A page of the projects of the organisation; beyond the end there are none.
pub(crate) fn projects(organization: &Organization, request: &Request) -> Reply {
    let ids = [&organization.id].into_iter().chain(&organization.projects);
    let size = query(request, "page_size").and_then(|text| text.parse().ok()).unwrap_or(20_usize);
    let skip = (page_of(request) as usize - 1).saturating_mul(size);
    let projects: Vec<Value> =
        ids.skip(skip).take(size).map(|id| project_json(organization, id)).collect();
    ok(&json!({ "total_count": organization.projects.len() + 1, "projects": projects }))
}

/// A part of a list that is read by cursor: as many entries as asked for, and where the next are.
struct Part {
    start: usize,
    size: usize,
}

impl Part {
    const USUAL: usize = 20;
    const LARGEST: usize = 100;

    fn of(request: &Request) -> Result<Self, Problem> {
        let number = |name: &str, usual: usize| match query(request, name) {
            None => Ok(usual),
            Some(text) => text.parse().map_err(|_| Problem::invalid(name, "format", "a number")),
        };
        let size = number("page_size", Self::USUAL)?;
        if !(1..=Self::LARGEST).contains(&size) {
            return Err(Problem::invalid("page_size", "constraint", "1 to 100"));
        }
        Ok(Self { start: number("page_token", 0)?, size })
    }

    /// The entries, and the cursor of the next ones.
    fn of_all<T>(&self, all: Vec<T>) -> (Vec<T>, Option<String>) {
        let end = self.start.saturating_add(self.size);
        let next = (end < all.len()).then(|| end.to_string());
        (all.into_iter().skip(self.start).take(self.size).collect(), next)
    }
}

/// What was done to servers, in no order unless one is asked for. Without `recorded_after` only the
/// last hour.
pub(crate) fn events(
    world: &ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    request: &Request,
) -> Result<Reply, Problem> {
    if query(request, "organization_id").as_deref() != Some(&organization.id) {
        return Err(Problem::denied("read", "audit_trail"));
    }
    let after = match query(request, "recorded_after") {
        None => clock.now() - chrono::TimeDelta::hours(1),
        Some(text) => DateTime::parse_from_rfc3339(&text)
            .map(|time| time.to_utc())
            .map_err(|_| Problem::invalid("recorded_after", "format", "an RFC 3339 time"))?,
    };
    let part = Part::of(request)?;
    let is = |name: &str, only: &str| query(request, name).is_none_or(|wanted| wanted == only);
    let own = |server: &str| {
        let found = world.servers().iter().find(|it| it.id == server);
        found.is_some_and(|it| it.organization == organization.id)
    };
    let mut found: Vec<(DateTime<Utc>, &Action)> = world
        .actions
        .iter()
        .filter(|action| own(&action.server))
        .filter(|_| is("method_name", SERVER_ACTION) && is("resource_type", SERVER))
        .map(|action| (clock.resolve(action.at), action))
        .filter(|(at, _)| *at >= after && *at <= clock.now())
        .collect();
    match query(request, "order_by").as_deref() {
        None => {}
        Some("recorded_at_desc") => found.sort_by_key(|(at, _)| std::cmp::Reverse(*at)),
        Some("recorded_at_asc") => found.sort_by_key(|(at, _)| *at),
        Some(_) => {
            return Err(Problem::invalid("order_by", "constraint", "recorded_at_asc, -desc"));
        }
    }
    let (found, next) = part.of_all(found);
    let events: Vec<Value> =
        found.into_iter().map(|(at, action)| event(organization, at, action)).collect();
    Ok(ok(&json!({ "events": events, "next_page_token": next })))
}

fn event(organization: &Organization, at: DateTime<Utc>, action: &Action) -> Value {
    json!({
        "id": format!("{}-{}", action.server, at.timestamp()),
        "recorded_at": at.to_rfc3339_opts(SecondsFormat::Micros, true),
        "locality": "fr-par-1",
        "principal": { "id": application_id(organization) },
        "organization_id": organization.id,
        "project_id": organization.id,
        "source_ip": "203.0.113.24",
        "user_agent": "simulated",
        "product_name": "instance",
        "service_name": "scaleway.instance.v1.Api",
        "method_name": SERVER_ACTION,
        "request_id": action.server,
        "request_body": { "action": action.action },
        "status_code": action.status,
        "resources": [{ "id": action.server, "type": SERVER, "name": null }],
    })
}

/// The autoscaling groups of a project in a zone. The project must be given.
pub(crate) fn groups(
    world: &ScalewayWorld,
    organization: &Organization,
    zone: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let project = query(request, "project_id")
        .ok_or_else(|| Problem::invalid("project_id", "required", "must be given"))?;
    // As everywhere, what is not one's own may not be seen, whether it exists or not.
    if !organization.owns(&project) {
        return Err(Problem::denied("read", "autoscaling"));
    }
    let part = Part::of(request)?;
    let here = world.groups.iter().filter(|it| it.zone == zone && it.project == project);
    let groups: Vec<Value> = here
        .map(|group| {
            json!({
                "project_id": group.project,
                "id": group.id,
                "name": group.name,
                "tags": [],
                "status": "active",
                "template_id": group.id,
                "load_balancer_id": null,
                "current_size": group.servers.len(),
                "minimum_size": 1,
                "maximum_size": 5,
                "scaling_policy_target_type": "memory_target",
                "zone": group.zone,
            })
        })
        .collect();
    let total = groups.len();
    let (groups, next) = part.of_all(groups);
    Ok(ok(&json!({
        "total_count": total,
        "group_summaries": groups,
        "next_page_token": next,
    })))
}

/// The servers of a group.
pub(crate) fn group_servers(
    world: &ScalewayWorld,
    organization: &Organization,
    zone: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let id = query(request, "group_id").unwrap_or_default();
    let group = world
        .groups
        .iter()
        .find(|group| group.zone == zone && group.id == id && organization.owns(&group.project));
    let group = group.ok_or_else(|| Problem::not_found("group", &id))?;
    let part = Part::of(request)?;
    let servers: Vec<Value> =
        group.servers.iter().map(|server| json!({ "server_id": server })).collect();
    let total = servers.len();
    let (servers, next) = part.of_all(servers);
    Ok(ok(&json!({ "total_count": total, "servers": servers, "next_page_token": next })))
}
