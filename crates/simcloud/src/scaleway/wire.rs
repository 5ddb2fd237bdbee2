//! The wire: who asks, and for what.

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};

use crate::scaleway::problem::Problem;
use crate::scaleway::route::Route;
use crate::scaleway::things::Asked;
use crate::scaleway::world::Organization;
use crate::scaleway::{account, act, billing, cockpit, instance, recording};
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// Scaleway's APIs behind their one address.
#[derive(Debug)]
pub(crate) struct ScalewayWire;

/// A server by itself.
const ONE: &str = "GET /instance/v1/zones/{zone}/servers/{id}";
const ACTION: &str = "POST /instance/v1/zones/{zone}/servers/{id}/action";
const PRODUCTS: &str = "GET /instance/v1/zones/{zone}/products/servers";

impl Wire for ScalewayWire {
    fn provider(&self) -> &'static str {
        "scaleway"
    }

    fn call(&self, world: &World, request: &Request) -> Call {
        let route = Route::of(request);
        let account = caller(world, request).map(|organization| organization.id.clone());
        let action = (route.operation == ACTION).then(|| act::asked(request)).flatten();
        let server = route.operation.contains("/servers/{id}").then(|| route.id.to_owned());
        Call {
            action: action.unwrap_or_else(|| route.operation.clone()),
            ids: server.into_iter().collect(),
            location: route.location.to_owned(),
            operation: route.operation,
            account: account.unwrap_or_default(),
            // A query that is long comes by POST.
            changes: request.method != Method::GET && !request.path.starts_with(cockpit::SOURCE),
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        world.scaleway.settle(&world.clock);
        let reply = respond(world, request, &call.operation);
        if let ([server], ONE, true) = (&call.ids[..], &*call.operation, reply.is_ok()) {
            world.scaleway.passages.seen(server.as_str());
        }
        signed(reply.unwrap_or_else(|problem| problem.reply()), request)
    }

    /// The gateway refuses with an empty body, and says nothing of when to come back.
    fn throttled(&self, request: &Request, _call: &Call) -> Reply {
        let reply = Reply::new(StatusCode::TOO_MANY_REQUESTS, "text/plain", "")
            .with(HeaderName::from_static("x-envoy-ratelimited"), HeaderValue::from_static("true"));
        signed(reply, request)
    }
}

/// Every answer carries an id, also those of the gateway.
fn signed(reply: Reply, request: &Request) -> Reply {
    match HeaderValue::from_str(&request.id()) {
        Ok(id) => reply.with(HeaderName::from_static("x-request-id"), id),
        Err(_) => reply,
    }
}

/// The organisation of the key, run out or not.
fn caller<'a>(world: &'a World, request: &Request) -> Option<&'a Organization> {
    world.scaleway.organization_of_key(request.header("x-auth-token")?)
}

fn respond(world: &mut World, request: &Request, operation: &str) -> Result<Reply, Problem> {
    let route = Route::of(request);
    let (zone, id) = (route.location, route.id);
    let organization = caller(world, request).cloned();
    let World { scaleway, clock, meters, .. } = world;
    if request.path.starts_with(cockpit::SOURCE) {
        return Ok(cockpit::answer(scaleway, meters, clock, request));
    }
    // Types are shown to everybody.
    let organization = match organization {
        Some(organization) if organization.expired => {
            return Err(Problem::authentication("expired"));
        }
        None if operation != PRODUCTS => return Err(Problem::authentication("not_found")),
        organization => organization.unwrap_or_default(),
    };
    let product = request.path.split('/').nth(1).unwrap_or_default();
    if organization.denied.iter().any(|denied| denied == product) {
        return Err(Problem::denied("read", product));
    }
    let recorded = scaleway.recordings(&request.path);
    if request.method == Method::GET && !recorded.is_empty() {
        return Ok(recording::answer(&recorded, recording::page_of(request)));
    }
    if request.path.contains("/zones/") && !scaleway.zones.contains(zone) {
        return Err(Problem::no_path());
    }
    let asked = Asked { world: scaleway, clock, organization: &organization, zone, request };
    if let Some(list) = operation.strip_prefix("GET /instance/v1/zones/{zone}/")
        && matches!(list, "volumes" | "snapshots" | "images" | "ips")
    {
        return asked.instances(list);
    }
    if let Some(list) = operation.strip_prefix("GET /block/v1/zones/{zone}/")
        && matches!(list, "volumes" | "snapshots" | "volume-types")
    {
        return asked.blocks(list);
    }
    match operation {
        "GET /instance/v1/zones/{zone}/servers" => {
            instance::servers(scaleway, clock, &organization, zone, request)
        }
        ONE => instance::server(scaleway, clock, &organization, zone, id),
        ACTION => act::action(scaleway, clock, &organization, zone, id, request),
        "PATCH /instance/v1/zones/{zone}/servers/{id}" => {
            act::patch(scaleway, clock, &organization, zone, id, request)
        }
        PRODUCTS => instance::products(scaleway, request),
        "GET /iam/v1alpha1/api-keys/{id}" => account::api_key(&organization, id),
        "GET /iam/v1alpha1/applications/{id}" => account::application(&organization, id),
        "GET /account/v3/projects" => Ok(account::projects(&organization, request)),
        "GET /account/v3/projects/{id}" => account::project(&organization, id),
        "GET /audit-trail/v1alpha1/regions/{region}/events" => {
            account::events(scaleway, clock, &organization, request)
        }
        "GET /autoscaling/v1alpha2/zones/{zone}/groups" => {
            account::groups(scaleway, &organization, zone, request)
        }
        "GET /autoscaling/v1alpha2/zones/{zone}/servers" => {
            account::group_servers(scaleway, &organization, zone, request)
        }
        "GET /cockpit/v1/regions/{region}/data-sources" => {
            cockpit::data_sources(&organization, zone, request)
        }
        "GET /billing/v2beta1/consumptions" => {
            billing::consumptions(scaleway, clock, &organization, request)
        }
        _ => Err(Problem::no_path()),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderMap;
    use serde_json::Value;

    use super::*;
    use crate::scaleway::{Action, Group};

    const ORGANIZATION: &str = "11111111-1111-4111-8111-000000000001";
    const WORLD: &str = r#"
        [[scaleway.organization]]
        id = "11111111-1111-4111-8111-000000000001"
        access_key = "SCW0123456789ABCDEFG"
        secret_key = "key"

        [[scaleway.server]]
        organization = "11111111-1111-4111-8111-000000000001"
        zone = "fr-par-2"
        id = "a"
        type = "L40S-1-48G"
        created = "720h"
        tags = ["owner=alice"]
    "#;

    fn world() -> World {
        let mut world = World::from_toml(WORLD).expect("a world");
        world.scaleway.fleet(ORGANIZATION, "fr-par-1", 51, |_, it| it).expect("a new fleet");
        world
    }

    fn ask(world: &mut World, key: &str, path: &str, query: &str) -> (Reply, Value) {
        let mut headers = HeaderMap::new();
        headers.insert("x-auth-token", HeaderValue::from_str(key).expect("a header"));
        let request = Request {
            number: 1,
            method: Method::GET,
            url: String::new(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: Bytes::new(),
        };
        let call = ScalewayWire.call(world, &request);
        assert!(!call.changes);
        let reply = ScalewayWire.answer(world, &request, &call);
        let body = serde_json::from_slice(&reply.body).expect("JSON");
        (reply, body)
    }

    fn servers(body: &Value) -> usize {
        body["servers"].as_array().map_or(0, Vec::len)
    }

    #[test]
    fn pages_are_counted_and_their_links_drop_the_zone() {
        let (world, path) = (&mut world(), "/instance/v1/zones/fr-par-1/servers");
        let (reply, body) = ask(world, "key", path, "");
        assert_eq!(servers(&body), 50);
        assert_eq!(reply.headers["x-total-count"], "51");
        let links = "</servers?page=2&per_page=50&>; rel=\"next\",\
                     </servers?page=2&per_page=50&>; rel=\"last\"";
        assert_eq!(reply.headers["link"], links);
        assert_eq!(servers(&ask(world, "key", path, "page=2").1), 1);
        // Beyond the end is no error.
        let (reply, body) = ask(world, "key", path, "page=3");
        assert_eq!((reply.status, servers(&body)), (StatusCode::OK, 0));
        assert_eq!(ask(world, "key", path, "per_page=101").0.status, StatusCode::BAD_REQUEST);
    }

    #[test]
    fn filters_narrow_a_list() {
        let (world, path) = (&mut world(), "/instance/v1/zones/fr-par-2/servers");
        for (query, count) in [
            ("tags=owner%3Dalice", 1),
            ("tags=owner%3Dalice,other", 0),
            ("project=11111111-1111-4111-8111-000000000001", 1),
            ("project=atlas", 0),
            ("state=stopped+in+place", 0),
        ] {
            assert_eq!(servers(&ask(world, "key", path, query).1), count, "{query}");
        }
    }

    #[test]
    fn a_key_opens_its_own_organization_and_types_are_shown_to_all() {
        let world = &mut world();
        let (reply, body) = ask(world, "wrong", "/instance/v1/zones/fr-par-2/servers", "");
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
        assert_eq!(body["type"], "denied_authentication");
        let (reply, _) = ask(world, "wrong", "/instance/v1/zones/fr-par-2/products/servers", "");
        assert_eq!(reply.status, StatusCode::OK);
        let (reply, _) = ask(world, "key", "/instance/v1/zones/xx-new-1/servers", "");
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
    }

    #[test]
    fn events_and_groups_are_filtered_ordered_and_paged() {
        let world = &mut world();
        for (action, at) in [("poweron", "30h"), ("reboot", "10h"), ("poweroff", "20h")] {
            let at = at.parse().expect("a time");
            let action = Action { server: "a".into(), action: action.into(), at, status: 202 };
            world.scaleway.actions.push(action);
        }
        let path = "/audit-trail/v1alpha1/regions/fr-par/events";
        for (query, expected) in [
            ("", vec!["poweron", "reboot", "poweroff"]),
            ("&order_by=recorded_at_desc", vec!["reboot", "poweroff", "poweron"]),
            ("&order_by=recorded_at_asc&page_size=2", vec!["poweron", "poweroff"]),
            ("&order_by=recorded_at_asc&page_size=2&page_token=2", vec!["reboot"]),
            ("&method_name=ServerAction&page_size=1", vec!["poweron"]),
            ("&method_name=CreateServer", vec![]),
            ("&resource_type=instance_volume", vec![]),
        ] {
            let asked =
                format!("organization_id={ORGANIZATION}&recorded_after=2025-01-01T00:00:00Z");
            let (_, body) = ask(world, "key", path, &format!("{asked}{query}"));
            let events = body["events"].as_array().cloned().unwrap_or_default();
            let seen: Vec<_> = events.iter().map(|it| &it["request_body"]["action"]).collect();
            assert_eq!(seen, expected, "{query}");
        }
        for odd in ["order_by=name", "page_size=0", "page_size=101", "page_token=x"] {
            let query = format!("organization_id={ORGANIZATION}&{odd}");
            assert_eq!(ask(world, "key", path, &query).0.status, StatusCode::BAD_REQUEST, "{odd}");
        }

        for id in ["g", "h", "i"] {
            world.scaleway.groups.push(Group {
                id: id.into(),
                name: id.into(),
                project: ORGANIZATION.into(),
                zone: "fr-par-2".into(),
                servers: vec!["a".into(), "b".into(), "c".into()],
            });
        }
        for (path, list, query) in [
            ("groups", "group_summaries", format!("project_id={ORGANIZATION}")),
            ("servers", "servers", "group_id=g".to_owned()),
        ] {
            let path = format!("/autoscaling/v1alpha2/zones/fr-par-2/{path}");
            let (_, body) = ask(world, "key", &path, &format!("{query}&page_size=2"));
            assert_eq!(body[list].as_array().map(Vec::len), Some(2));
            assert_eq!((&body["total_count"], &body["next_page_token"]), (&3.into(), &"2".into()));
            let next = format!("{query}&page_size=2&page_token=2");
            let (_, body) = ask(world, "key", &path, &next);
            assert_eq!(body[list].as_array().map(Vec::len), Some(1));
            assert_eq!(body["next_page_token"], Value::Null);
        }
        let path = "/autoscaling/v1alpha2/zones/fr-par-2/groups";
        assert_eq!(ask(world, "key", path, "").0.status, StatusCode::BAD_REQUEST);
        assert_eq!(ask(world, "key", path, "project_id=x").0.status, StatusCode::FORBIDDEN);
    }

    #[test]
    fn a_request_too_many_gets_an_empty_body() {
        let request = Request {
            number: 7,
            method: Method::POST,
            url: String::new(),
            path: "/instance/v1/zones/fr-par-2/servers/a/action".to_owned(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        let call = ScalewayWire.call(&world(), &request);
        assert!(call.changes);
        let reply = ScalewayWire.throttled(&request, &call);
        assert_eq!((reply.status.as_u16(), reply.body.len()), (429, 0));
        assert!(!reply.headers.contains_key("retry-after"));
    }
}
