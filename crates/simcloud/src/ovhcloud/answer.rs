//! The answers' JSON: projects, machines in both their forms, flavours, clusters; and refusals.

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::ovhcloud::flavor::{self, Flavor};
use crate::ovhcloud::instance::Instance;
use crate::ovhcloud::project::Project;
use crate::ovhcloud::world::OvhWorld;
use crate::wire::{Reply, Request};

/// A refusal.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

/// A refusal of the gateway, which has codes.
pub(crate) fn gateway(status: StatusCode, code: &str, words: &str) -> Problem {
    let body = json!({ "errorCode": code, "httpCode": status.to_string(), "message": words });
    Problem { status, body }
}

/// A refusal of the API, which has classes.
pub(crate) fn refusal(status: StatusCode, class: &str, words: &str) -> Problem {
    Problem { status, body: json!({ "class": class, "message": words }) }
}

/// The right to a call of a project is missing.
pub(crate) fn denied(right: &str) -> Problem {
    ungranted(&format!("publicCloudProject:apiovh:{right}"))
}

/// A right is missing.
pub(crate) fn ungranted(right: &str) -> Problem {
    Problem {
        status: StatusCode::FORBIDDEN,
        body: json!({
            "class": "Client::Forbidden",
            "message": "User not granted for this request",
            "details": {
                "unauthorizedActionsByAuthentication": "",
                "unauthorizedActionsByIAM": right,
            },
        }),
    }
}

/// The answer with the id that OVHcloud gives to every request.
pub(crate) fn reply(request: &Request, answer: Result<Value, Problem>) -> Reply {
    let reply = match answer {
        Ok(body) => Reply::json(StatusCode::OK, &body),
        Err(Problem { status, body }) => Reply::json(status, &body),
    };
    match HeaderValue::from_str(&format!("EU.sim-1.{}", request.id())) {
        Ok(id) => reply.with(HeaderName::from_static("x-ovh-queryid"), id),
        Err(_) => reply,
    }
}

/// The account that a project belongs to, with its currency.
pub(crate) fn account(project: &Project) -> Value {
    json!({
        "nichandle": "xx1111-ovh",
        "name": "Example",
        "firstname": "Example",
        "email": "user@example.org",
        "country": "FR",
        "ovhSubsidiary": "FR",
        "ovhCompany": "ovh",
        "language": "en_GB",
        "state": "complete",
        "currency": { "code": project.currency, "symbol": project.currency },
    })
}

pub(crate) fn project(project: &Project) -> Value {
    json!({
        "project_id": project.id,
        "projectName": project.description,
        "description": project.description,
        "planCode": "project.2018",
        "unleash": false,
        "expiration": null,
        "creationDate": "2020-01-01T00:00:00Z",
        "orderId": null,
        "access": "full",
        "status": project.status,
        "manualQuota": false,
        "iam": {
            "id": "5d0e28e2-306e-11ee-8dad-0050568ce122",
            "urn": format!("urn:v1:eu:resource:publicCloudProject:{}", project.id),
            "displayName": project.description,
            "tags": project.tags,
        },
    })
}

/// A machine in a list.
pub(crate) fn listed(instance: &Instance, ovh: &OvhWorld, clock: &Clock) -> Value {
    let mut fields = common(instance, ovh, clock);
    fields.insert("flavorId".into(), flavor::id(&instance.flavor, &instance.region).into());
    fields.insert("imageId".into(), "1f3b49ad-3566-4838-93f8-000000000001".into());
    fields.insert("sshKeyId".into(), Value::Null);
    with_oddities(fields, instance)
}

/// A machine by itself.
pub(crate) fn detailed(instance: &Instance, ovh: &OvhWorld, clock: &Clock) -> Value {
    let mut fields = common(instance, ovh, clock);
    let flavor = ovh.flavors().get(&instance.flavor);
    let flavor = flavor.map(|flavor| self::flavor(&instance.flavor, flavor, &instance.region));
    fields.insert("flavor".into(), flavor.unwrap_or(Value::Null));
    for null in ["image", "sshKey", "licensePlanCode", "rescuePassword", "availabilityZone"] {
        fields.insert(null.into(), Value::Null);
    }
    with_oddities(fields, instance)
}

fn common(instance: &Instance, ovh: &OvhWorld, clock: &Clock) -> Map<String, Value> {
    let time = |when| clock.resolve(when).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let monthly =
        instance.monthly_since.map(|since| json!({ "since": time(since), "status": "ok" }));
    Map::from_iter([
        ("id".to_owned(), json!(instance.id)),
        ("name".to_owned(), json!(instance.name)),
        ("ipAddresses".to_owned(), json!([])),
        ("status".to_owned(), json!(instance.status)),
        ("created".to_owned(), json!(time(instance.created))),
        ("region".to_owned(), json!(instance.region)),
        ("monthlyBilling".to_owned(), json!(monthly)),
        ("planCode".to_owned(), json!(instance.plan(ovh.flavors()))),
        ("operationIds".to_owned(), json!([])),
        ("currentMonthOutgoingTraffic".to_owned(), Value::Null),
    ])
}

fn with_oddities(mut fields: Map<String, Value>, instance: &Instance) -> Value {
    fields.extend(instance.odd.clone());
    fields.extend(instance.null.iter().map(|field| (field.clone(), Value::Null)));
    fields.retain(|field, _| !instance.without.contains(field));
    Value::Object(fields)
}

pub(crate) fn flavor(name: &str, flavor: &Flavor, region: &str) -> Value {
    json!({
        "id": flavor::id(name, region),
        "name": name,
        "region": region,
        "ram": 90,
        "disk": 400,
        "vcpus": 22,
        "type": flavor.family,
        "osType": if name.starts_with("win-") { "windows" } else { "linux" },
        "inboundBandwidth": 8_000,
        "outboundBandwidth": 8_000,
        "available": true,
        "planCodes": {
            "monthly": flavor.monthly_plan(name),
            "hourly": format!("{name}.consumption"),
            "license": null,
        },
        "capabilities": [{ "name": "resize", "enabled": true }],
        "quota": 20,
    })
}

pub(crate) fn cluster(id: &str) -> Value {
    json!({
        "id": id,
        "name": id,
        "region": "GRA11",
        "plan": "free",
        "version": "1.33.1-0",
        "status": "READY",
    })
}

/// The nodes of a cluster, and one more that waits for a machine.
pub(crate) fn nodes(cluster: &str, project: &str, ovh: &OvhWorld) -> Value {
    let node = |instance: Option<&Instance>| {
        json!({
            "id": format!("node-of-{}", instance.map_or("nobody", |instance| &instance.id)),
            "projectId": project,
            "instanceId": instance.map(|instance| &instance.id),
            "nodePoolId": "9001a000-0000-4000-8000-000000000001",
            "name": instance.map_or("waiting", |instance| &instance.name),
            "flavor": instance.map_or("l4-90", |instance| &instance.flavor),
            "status": if instance.is_some() { "READY" } else { "FLAVOR_OUT_OF_STOCK_ERROR" },
            "isUpToDate": true,
            "version": "1.33.1-0",
        })
    };
    ovh.instances(project)
        .filter(|instance| instance.cluster.as_deref() == Some(cluster))
        .map(|instance| node(Some(instance)))
        .chain([node(None)])
        .collect()
}

/// There is no such project or machine.
pub(crate) fn gone() -> Problem {
    refusal(StatusCode::NOT_FOUND, "Client::NotFound", "This service does not exist")
}

pub(crate) fn no_such_call(method: &Method) -> Problem {
    let words = format!("Got an invalid (or empty) URL, or no {method} there");
    refusal(StatusCode::NOT_FOUND, "Client::NotFound", &words)
}
