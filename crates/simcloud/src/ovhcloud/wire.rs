//! The wire: what is asked for, by whom, and who answers.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::ovhcloud::act::{self, End};
use crate::ovhcloud::answer::{self, Problem, gone, no_such_call, refusal};
use crate::ovhcloud::{auth, catalogue, monitoring, storage, usage};
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// OVHcloud's API, version 1.
#[derive(Debug)]
pub(crate) struct OvhWire;

/// Both names of the version.
const VERSIONS: [&str; 2] = ["/1.0", "/v1"];
/// A machine by itself.
const ONE: &str = "GET /cloud/project/{project}/instance/{instance}";
/// Where service accounts log in; no part of the API.
const LOGIN: &str = "/auth/oauth2/token";

impl Wire for OvhWire {
    fn provider(&self) -> &'static str {
        "ovhcloud"
    }

    fn call(&self, world: &World, request: &Request) -> Call {
        let path = path(request);
        let asked = segments(path);
        let project = match asked.as_slice() {
            ["cloud", "project", id, ..] => Some((*id).to_owned()),
            _ => auth::claimed(&world.ovhcloud, request).map(|project| project.id.clone()),
        };
        let operation = format!("{} {}", request.method, template(path));
        let (ids, action) = match asked.as_slice() {
            ["cloud", "project", _, "instance", machine, action] => (vec![machine], Some(action)),
            ["cloud", "project", _, "instance", machine] => (vec![machine], None),
            _ => (Vec::new(), None),
        };
        Call {
            ids: ids.into_iter().map(|id| (*id).to_owned()).collect(),
            action: action.map_or_else(|| operation.clone(), |action| (*action).to_owned()),
            operation,
            location: String::new(),
            account: project.unwrap_or_default(),
            changes: request.method != Method::GET && path != LOGIN,
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        world.ovhcloud.settle(&world.clock);
        let answer = respond(world, request);
        if let ([machine], ONE, true) = (&call.ids[..], &*call.operation, answer.is_ok()) {
            world.ovhcloud.passages.seen(machine.as_str());
        }
        answer::reply(request, answer)
    }

    fn throttled(&self, request: &Request, _call: &Call) -> Reply {
        let words = "Too many requests";
        let problem = refusal(StatusCode::TOO_MANY_REQUESTS, "Client::TooManyRequests", words);
        answer::reply(request, Err(problem))
    }
}

/// The path without the version.
fn path(request: &Request) -> &str {
    let versioned = VERSIONS.iter().find_map(|version| request.path.strip_prefix(version));
    versioned.unwrap_or(&request.path)
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

/// The path with names instead of ids.
fn template(path: &str) -> String {
    let mut named = String::new();
    let mut before = "";
    for segment in segments(path) {
        named.push('/');
        named.push_str(match before {
            "project" => "{project}",
            "instance" => "{instance}",
            "kube" => "{cluster}",
            "region" => "{region}",
            _ => segment,
        });
        before = segment;
    }
    named
}

fn respond(world: &mut World, request: &Request) -> Result<Value, Problem> {
    let World { ovhcloud: ovh, clock, meters, .. } = world;
    let path = path(request);
    if path == LOGIN && request.method == Method::POST {
        return auth::token(ovh, clock, request);
    }
    let asked = segments(path);
    if request.method != Method::GET {
        let ["cloud", "project", project, "instance", machine, call] = asked.as_slice() else {
            return Err(no_such_call(&request.method));
        };
        let end = End::of(call).filter(|_| request.method == Method::POST);
        let end = end.ok_or_else(|| no_such_call(&request.method))?;
        if auth::authenticate(ovh, clock, request)?.id != *project {
            return Err(gone());
        }
        return act::send(ovh, clock, project, machine, end);
    }
    let query = |name: &str| {
        request.query_pairs().find_map(|(other, value)| (other == name).then_some(value))
    };
    match asked.as_slice() {
        ["auth", "time"] => return Ok(json!(ovh.server_time(clock).timestamp())),
        ["order", "catalog", "public", "cloud"] => {
            return catalogue::book(ovh, &query("ovhSubsidiary").unwrap_or_default());
        }
        _ => {}
    }
    let caller = auth::authenticate(ovh, clock, request)?;
    let (id, rest) = match asked.as_slice() {
        ["auth", "currentCredential"] => return Ok(auth::current_credential(caller, clock)),
        ["me"] if caller.denies("me/get") => {
            return Err(answer::ungranted("account:apiovh:me/get"));
        }
        ["me"] => return Ok(answer::account(caller)),
        ["cloud", "project"] => return Ok(json!([caller.id])),
        ["cloud", "project", id, rest @ ..] => (*id, rest),
        _ => return Err(no_such_call(&request.method)),
    };
    let project = ovh.project(id).filter(|project| project.id == caller.id).ok_or_else(gone)?;
    let may = |right: &str| if project.denies(right) { Err(answer::denied(right)) } else { Ok(()) };
    let region = query("region");
    let here = |found: &str| region.as_deref().is_none_or(|wanted| wanted == found);
    let regions: BTreeSet<&str> = ovh
        .instances(id)
        .map(|instance| instance.region.as_str())
        .chain(ovh.storage.regions(id))
        .collect();
    Ok(match rest {
        [] => {
            may("get")?;
            answer::project(project)
        }
        ["instance"] => {
            may("instance/get")?;
            let listed = ovh.instances(id).filter(|instance| here(&instance.region));
            listed.map(|instance| answer::listed(instance, ovh, clock)).collect()
        }
        ["instance", machine] => {
            may("instance/get")?;
            let mut all = ovh.instances(id);
            let found = all.find(|instance| instance.id == *machine).ok_or_else(gone)?;
            answer::detailed(found, ovh, clock)
        }
        ["instance", machine, "monitoring"] => {
            may("instance/monitoring/get")?;
            let mut all = ovh.instances(id);
            let found = all.find(|instance| instance.id == *machine).ok_or_else(gone)?;
            let asked = query("period").zip(query("type"));
            monitoring::answer(meters, clock, &found.id, asked)?
        }
        ["flavor"] => {
            may("flavor/get")?;
            let everywhere = regions.into_iter().filter(|region| here(region));
            everywhere
                .flat_map(|region| {
                    let all = ovh.flavors().iter();
                    all.map(move |(name, flavor)| answer::flavor(name, flavor, region))
                })
                .collect()
        }
        ["region"] => {
            may("region/get")?;
            json!(regions)
        }
        ["region", region, "floatingip"] if regions.contains(region) => {
            may("region/floatingip/get")?;
            storage::floating_ips(ovh, id, region)
        }
        ["volume"] => {
            may("volume/get")?;
            storage::volumes(ovh, id, clock)
        }
        ["volume", "snapshot"] => {
            may("volume/snapshot/get")?;
            storage::snapshots(ovh, id, clock)
        }
        ["snapshot"] => {
            may("snapshot/get")?;
            storage::images(ovh, id, clock)
        }
        ["usage", "current"] => {
            may("usage/current/get")?;
            usage::current(ovh, project, clock)
        }
        ["kube"] => {
            may("kube/get")?;
            json!(project.clusters)
        }
        ["kube", cluster] if project.clusters.iter().any(|known| known == cluster) => {
            may("kube/get")?;
            answer::cluster(cluster)
        }
        ["kube", cluster, "node"] if project.clusters.iter().any(|known| known == cluster) => {
            may("kube/node/get")?;
            answer::nodes(cluster, id, ovh)
        }
        _ => return Err(no_such_call(&request.method)),
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderMap;

    use super::*;

    fn request(method: Method, path: &str) -> Request {
        Request {
            number: 1,
            method,
            url: format!("http://127.0.0.1:1/ovhcloud{path}"),
            path: path.to_owned(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    fn asked(method: Method, path: &str) -> (Call, StatusCode) {
        let mut world = World::default();
        let request = request(method, path);
        let call = OvhWire.call(&world, &request);
        let status = OvhWire.answer(&mut world, &request, &call).status;
        (call, status)
    }

    #[test]
    fn whatever_is_not_read_counts_as_a_change_and_a_login_does_not() {
        let (call, status) = asked(Method::POST, "/1.0/cloud/project/p/instance/i/shelve");
        assert_eq!(call.operation, "POST /cloud/project/{project}/instance/{instance}/shelve");
        assert_eq!((call.account.as_str(), call.changes), ("p", true));
        assert_eq!((call.action.as_str(), call.ids), ("shelve", vec!["i".to_owned()]));
        assert_eq!(status, StatusCode::FORBIDDEN, "nobody has logged in");
        assert!(asked(Method::DELETE, "/v1/cloud/project/p/instance/i").0.changes);
        assert!(!asked(Method::POST, "/auth/oauth2/token").0.changes);
        assert!(!asked(Method::GET, "/1.0/auth/time").0.changes);
    }

    #[test]
    fn without_a_login_only_the_time_and_prices_are_told() {
        assert_eq!(asked(Method::GET, "/1.0/auth/time").1, StatusCode::OK);
        assert_eq!(asked(Method::GET, "/1.0/cloud/project/p").1, StatusCode::FORBIDDEN);
        assert_eq!(asked(Method::GET, "/v1/auth/currentCredential").1, StatusCode::FORBIDDEN);
        let book = asked(Method::GET, "/1.0/order/catalog/public/cloud");
        assert_eq!(book.1, StatusCode::BAD_REQUEST, "a book without a subsidiary");
    }
}
