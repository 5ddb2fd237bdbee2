//! The Instances API: servers and types, page by page.

use http::StatusCode;
use http::header::{HeaderName, HeaderValue, LINK};
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::scaleway::problem::Problem;
use crate::scaleway::recording::page_of;
use crate::scaleway::route::query;
use crate::scaleway::server::Server;
use crate::scaleway::world::{Organization, ScalewayWorld};
use crate::wire::{Reply, Request};

const DEFAULT_PAGE: usize = 50;
const LARGEST_PAGE: usize = 100;

/// The page that is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    number: usize,
    size: usize,
}

impl Page {
    pub(crate) fn of(request: &Request) -> Result<Self, Problem> {
        let size = match query(request, "per_page") {
            None => DEFAULT_PAGE,
            Some(text) => text
                .parse()
                .ok()
                .filter(|size| (1..=LARGEST_PAGE).contains(size))
                .ok_or_else(|| Problem::invalid("per_page", "constraint", "1 to 100"))?,
        };
        Ok(Self { number: page_of(request) as usize, size })
    }

    /// The entries of this page; none beyond the end.
    pub(crate) fn of_all<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip((self.number - 1) * self.size).take(self.size).collect()
    }

    /// The answer with its headers: the total, and links that drop the zone.
    pub(crate) fn reply(self, body: &Value, collection: &str, total: u64) -> Reply {
        let last = usize::try_from(total).unwrap_or(usize::MAX).div_ceil(self.size);
        let link = |page: usize, rel: &str| {
            format!("<{collection}?page={page}&per_page={}&>; rel=\"{rel}\"", self.size)
        };
        let mut links = Vec::new();
        if self.number < last {
            links.push(link(self.number + 1, "next"));
        }
        links.push(link(last, "last"));
        let reply = Reply::json(StatusCode::OK, body)
            .with(HeaderName::from_static("x-total-count"), HeaderValue::from(total));
        match HeaderValue::from_str(&links.join(",")) {
            Ok(links) => reply.with(LINK, links),
            Err(_) => reply,
        }
    }
}

/// Servers of a zone that the key sees, newest first.
pub(crate) fn servers(
    world: &mut ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    zone: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let page = Page::of(request)?;
    world.page_is_read(zone, page_of(request));
    let tags: Vec<String> = query(request, "tags")
        .map(|tags| tags.split(',').map(str::to_owned).collect())
        .unwrap_or_default();
    let is = |name: &str, found: &str| query(request, name).is_none_or(|wanted| wanted == found);
    let fits = |server: &&Server| {
        server.zone == zone
            && server.organization == organization.id
            && server.appears_at_page.is_none()
            && is("project", server.project())
            && is("organization", &server.organization)
            && is("commercial_type", &server.machine_type)
            && is("state", &server.state)
            && tags.iter().all(|tag| server.tags.contains(tag))
    };
    let mut found: Vec<&Server> = world.servers().iter().filter(fits).collect();
    found.sort_by_cached_key(|server| {
        (std::cmp::Reverse(server.created_at(clock)), server.id.clone())
    });
    let hidden: u64 =
        world.quirks.iter().filter(|quirk| quirk.zone == zone).map(|q| q.announces_more).sum();
    let total = found.len() as u64 + hidden;
    let shown: Vec<Value> =
        page.of_all(found).into_iter().map(|server| server.json(clock)).collect();
    Ok(page.reply(&json!({ "servers": shown }), "/servers", total))
}

/// One server.
pub(crate) fn server(
    world: &ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    zone: &str,
    id: &str,
) -> Result<Reply, Problem> {
    let same = |server: &&Server| {
        server.id == id && server.zone == zone && server.organization == organization.id
    };
    let found = world.servers().iter().find(same);
    let server = found.ok_or_else(|| Problem::not_found("instance_server", id))?;
    Ok(Reply::json(StatusCode::OK, &json!({ "server": server.json(clock) })))
}

/// Every type, by name.
pub(crate) fn products(world: &ScalewayWorld, request: &Request) -> Result<Reply, Problem> {
    let page = Page::of(request)?;
    let total = world.types().len() as u64;
    let shown: Map<String, Value> = page
        .of_all(world.types().iter().collect())
        .into_iter()
        .map(|(name, kind)| (name.clone(), kind.json()))
        .collect();
    Ok(page.reply(&json!({ "servers": shown }), "/products/servers", total))
}
