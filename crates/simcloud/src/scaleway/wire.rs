//! The wire: who asks, and for what.

use http::header::{HeaderName, HeaderValue};
use http::{Method, StatusCode};
use serde_json::json;

use crate::scaleway::problem::Problem;
use crate::scaleway::recording::page_of;
use crate::scaleway::route::Route;
use crate::scaleway::world::Organization;
use crate::scaleway::{account, instance};
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// Scaleway's APIs behind their one address.
#[derive(Debug)]
pub(crate) struct ScalewayWire;

const PRODUCTS: &str = "GET /instance/v1/zones/{zone}/products/servers";

impl Wire for ScalewayWire {
    fn provider(&self) -> &'static str {
        "scaleway"
    }

    fn call(&self, world: &World, request: &Request) -> Call {
        let route = Route::of(request);
        let account = caller(world, request).map(|organization| organization.id.clone());
        Call {
            location: route.location.to_owned(),
            operation: route.operation,
            account: account.unwrap_or_default(),
            changes: request.method != Method::GET,
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        let reply = respond(world, request, &call.operation);
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
    let World { scaleway, clock, .. } = world;
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
        return Err(Problem::denied(product));
    }
    if request.method == Method::GET
        && let Some(recording) = scaleway.recording(&request.path, page_of(request))
    {
        return Ok(match recording {
            Some(recording) => recording.reply(),
            None => Reply::json(StatusCode::OK, &json!({ "servers": [] })),
        });
    }
    if request.path.contains("/zones/") && !scaleway.zones.contains(zone) {
        return Err(Problem::no_path());
    }
    match operation {
        "GET /instance/v1/zones/{zone}/servers" => {
            instance::servers(scaleway, clock, &organization, zone, request)
        }
        "GET /instance/v1/zones/{zone}/servers/{id}" => {
            instance::server(scaleway, clock, &organization, zone, id)
        }
        PRODUCTS => instance::products(scaleway, request),
        "GET /iam/v1alpha1/api-keys/{id}" => account::api_key(&organization, id),
        "GET /iam/v1alpha1/applications/{id}" => account::application(&organization, id),
        "GET /account/v3/projects" => Ok(account::projects(&organization)),
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
        _ => Err(Problem::no_path()),
    }
}
