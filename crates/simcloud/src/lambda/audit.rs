//! The audit log: one event per launched machine and one per SSH key, newest first, in pages.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::clock::{Clock, When};
use crate::lambda::answer::Problem;
use crate::lambda::world::{Account, LambdaWorld};

/// What is asked of the log.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) page_token: Option<String>,
    pub(crate) resource_type: Option<String>,
}

struct Event {
    time: DateTime<Utc>,
    resource: &'static str,
    action: &'static str,
    id: String,
    details: Value,
}

/// One page; `data` and `page_token` stand beside each other.
pub(crate) fn page(
    world: &LambdaWorld,
    clock: &Clock,
    account: &Account,
    query: &Query,
) -> Result<Value, Problem> {
    let (start, end) = (time(query.start.as_deref())?, time(query.end.as_deref())?);
    let offset = match &query.page_token {
        None => 0,
        Some(token) => token
            .strip_prefix("PAGE-")
            .and_then(|offset| offset.parse().ok())
            .ok_or(Problem::INVALID)?,
    };
    let mut events = events(world, clock, account);
    events.retain(|event| {
        start.is_none_or(|start| event.time >= start)
            && end.is_none_or(|end| event.time <= end)
            && query
                .resource_type
                .as_deref()
                .is_none_or(|wanted| wanted.strip_prefix("cloud.") == Some(event.resource))
    });
    events.sort_by(|one, other| other.time.cmp(&one.time).then_with(|| one.id.cmp(&other.id)));
    let rest = events.len().saturating_sub(offset + world.audit_page);
    let page: Vec<Value> = events.iter().skip(offset).take(world.audit_page).map(show).collect();
    let token = (rest > 0).then(|| format!("PAGE-{}", offset + world.audit_page));
    Ok(json!({ "data": page, "page_token": token }))
}

fn events(world: &LambdaWorld, clock: &Clock, account: &Account) -> Vec<Event> {
    let keys = account.ssh_keys.iter().map(|name| Event {
        time: clock.start() - chrono::TimeDelta::days(400),
        resource: "ssh_key",
        action: "created",
        id: name.clone(),
        details: json!({}),
    });
    let launches = world.machines(&account.name).filter_map(|machine| {
        let launched: When = machine.launched?;
        Some(Event {
            time: clock.resolve(launched),
            resource: "instance",
            action: "launched",
            id: machine.id.clone(),
            details: json!({
                "instance_lrn": format!("lrn:cloud:instance:{}", machine.id),
                "instance_type": machine.machine_type,
                "region": machine.region,
            }),
        })
    });
    keys.chain(launches).filter(|event| event.time <= clock.now()).collect()
}

fn show(event: &Event) -> Value {
    json!({
        "service_name": "cloud",
        "resource_name": event.resource,
        "action": event.action,
        "catalog_version": "2025-09-06",
        "event_id": format!("event-{}", event.id),
        "event_time": event.time.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        "actor_lrn": "lrn:cloud:identity:00112233445566778899aabbccddeeff",
        "resource_lrns": [format!("lrn:cloud:{}:{}", event.resource, event.id)],
        "resource_owner_lrn": "lrn:cloud:account:fedcba9876543210fedcba9876543210",
        "request_api_key_lrn": null,
        "additional_details": event.details,
    })
}

fn time(text: Option<&str>) -> Result<Option<DateTime<Utc>>, Problem> {
    text.map(|text| DateTime::parse_from_rfc3339(text).map(|time| time.to_utc()))
        .transpose()
        .map_err(|_| Problem::INVALID)
}
