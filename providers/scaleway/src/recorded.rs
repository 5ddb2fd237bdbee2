//! Every recorded answer of the folder that `REAPER_RECORDED` names, read by what would read it.

use std::path::PathBuf;

use reaper_http::{Answer, Call, HeaderMap, Lenient, StatusCode, Url};
use reaper_provider::ErrorKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::things::{
    BlockSnapshot, BlockVolume, Image, Ip, Listed, LocalSnapshot, LocalVolume, Page,
};
use crate::{error, owned, wire};

/// Parts of paths whose answers an audit never reads.
const UNREAD: [&str; 20] = [
    "/alerts",
    "/annotations/",
    "/apple-silicon/",
    "/availability",
    "/baremetal/",
    "/billing/v2/",
    "/billing/v2beta1/charges",
    "/billing/v2beta1/discounts",
    "/billing/v2beta1/invoices",
    "/billing/v2beta1/taxes",
    "/cockpit/",
    "/datalab/",
    "/fips",
    "/inference/",
    "/instance/v2alpha1/",
    "/ipam/",
    "/k8s/",
    "/product-catalog/",
    "/user_data",
    "/autoscaling/v1alpha2/zones/fr-par-1/groups",
];

#[derive(Debug, Deserialize)]
struct Row {
    file: String,
    path: String,
    status: u16,
}

#[derive(Deserialize)]
struct Projects {
    projects: Vec<wire::Project>,
}

#[expect(clippy::disallowed_methods, reason = "a test's own switch, read nowhere else")]
fn folder() -> Option<PathBuf> {
    std::env::var_os("REAPER_RECORDED").map(|folder| PathBuf::from(folder).join("scaleway"))
}

fn read<T: DeserializeOwned>(row: &Row, body: &str) -> T {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{}: {error}", row.file))
}

fn check_server(row: &Row, server: &wire::Server) {
    for field in [&server.id, &server.commercial_type, &server.state, &server.creation_date] {
        assert!(field.good().is_some(), "{}", row.file);
    }
    for bad in [server.tags.is_bad(), server.volumes.is_bad(), server.public_ips.is_bad()] {
        assert!(!bad, "{}", row.file);
    }
    assert!(server.protected.good().is_some(), "{}", row.file);
}

/// What is not a server: one by itself or a list. How many were read.
fn check_things(row: &Row, path: &str, body: &str) -> usize {
    let block = path.contains("/block/");
    let is = |word: &str| path.contains(word);
    match (block, is("/volumes"), is("/snapshots"), is("/images")) {
        (true, true, ..) => whole::<BlockVolume>(row, body, "", |it| {
            it.kind.good().is_some()
                && it.size.good().is_some()
                && it.created_at.good().is_some()
                && it.references.good().is_some_and(|all| all.iter().all(|it| it.good().is_some()))
                && it.last_detached_at.as_ref().is_some_and(|date| !date.is_bad())
        }),
        (true, _, true, _) => whole::<BlockSnapshot>(row, body, "", |it| {
            let parent = it.parent_volume.as_ref().and_then(Lenient::good);
            it.size.good().is_some() && parent.is_some_and(|volume| volume.kind.good().is_some())
        }),
        (_, true, ..) => whole::<LocalVolume>(row, body, "volume", |it| {
            it.volume_type.good().is_some()
                && it.creation_date.good().is_some()
                && it.server.as_ref().is_some_and(|server| !server.is_bad())
        }),
        (_, _, true, _) => whole::<LocalSnapshot>(row, body, "snapshot", |it| {
            it.base_volume.as_ref().is_some_and(|volume| volume.good().is_some())
        }),
        (_, _, _, true) => whole::<Image>(row, body, "image", |it| {
            it.from_server.good().is_some() && owned::snapshots_of(it).is_some()
        }),
        _ => whole::<Ip>(row, body, "ip", |it| {
            it.state.good().is_some() && it.server.as_ref().is_some_and(|server| !server.is_bad())
        }),
    }
}

/// Reads a list, or one thing that is wrapped in a field or stands by itself.
fn whole<T: Listed>(row: &Row, body: &str, wrapped: &str, is: impl Fn(&T) -> bool) -> usize {
    let check = |thing: &T| assert!(thing.id().is_some() && is(thing), "{}", row.file);
    if let Ok(page) = serde_json::from_str::<Page<T>>(body) {
        for thing in &page.things {
            check(thing.good().expect("an object"));
        }
        return page.things.len();
    }
    let mut one: serde_json::Value = read(row, body);
    if !wrapped.is_empty() {
        one = one[wrapped].take();
    }
    check(&serde_json::from_value(one).unwrap_or_else(|error| panic!("{}: {error}", row.file)));
    1
}

fn check_refusal(row: &Row, body: String) {
    let url = Url::parse("https://api.example.org/").expect("valid");
    let call = Call::read("scaleway:Recorded", url).permission("Right");
    let status = StatusCode::from_u16(row.status).expect("a status");
    let answer = Answer { status, headers: HeaderMap::new(), body: body.into() };
    let kind = error::refusal(&call, &answer).kind;
    let expected = match row.status {
        401 => ErrorKind::CredentialsRejected,
        403 if row.file.contains("uota") => ErrorKind::Conflict,
        400 | 412 if row.file.contains("precondition") => ErrorKind::Protected,
        403 => ErrorKind::Denied { permission: "Right".to_owned() },
        404 => ErrorKind::NotFound,
        409 | 412 => ErrorKind::Conflict,
        429 => ErrorKind::Throttled,
        503 => ErrorKind::ServerFault,
        _ => ErrorKind::Invalid,
    };
    assert_eq!(kind, expected, "{}", row.file);
}

#[test]
fn every_recorded_answer_is_read() {
    let Some(folder) = folder() else { return };
    let mut index = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .quoting(false)
        .from_path(folder.join("index.tsv"))
        .expect("an index");
    let (mut servers, mut products, mut actions, mut refusals, mut things) = (0, 0, 0, 0, 0);
    for row in index.deserialize() {
        let row: Row = row.expect("a row");
        let body = std::fs::read_to_string(folder.join(&row.file)).expect("there");
        let path = row.path.split('?').next().unwrap_or_default();
        if row.status >= 400 {
            refusals += 1;
            check_refusal(&row, body);
        } else if UNREAD.iter().any(|part| path.contains(part)) {
        } else if path.ends_with("/action") {
            actions += 1;
            read::<wire::Accepted>(&row, &body);
        } else if path.ends_with("/products/servers") {
            let page: wire::Products = read(&row, &body);
            products += page.servers.len();
            assert!(page.servers.values().all(|product| product.good().is_some()));
        } else if path.ends_with("/servers") && row.status == 200 {
            let page: wire::Servers = read(&row, &body);
            servers += page.servers.len();
            for server in &page.servers {
                check_server(&row, server.good().expect("an object"));
            }
        } else if path.contains("/servers") {
            servers += 1;
            check_server(&row, &read::<wire::OneServer>(&row, &body).server);
        } else if path.ends_with("/projects") {
            let projects = read::<Projects>(&row, &body).projects;
            assert!(projects.iter().all(|project| project.organization_id.good().is_some()));
        } else if path.ends_with("/consumptions") {
            let page: wire::Consumptions = read(&row, &body);
            assert!(page.updated_at.good().is_some(), "{}", row.file);
            for entry in page.lines.good().expect("a list") {
                let entry = entry.good().expect("an object");
                assert!(entry.sku.good().is_some() && entry.unit.good().is_some());
                assert!(entry.billed_quantity.good().is_some() && entry.value.good().is_some());
            }
        } else if path.ends_with("/events") {
            let page: wire::Events = read(&row, &body);
            assert!(page.events.iter().all(|event| event.good().is_some()));
        } else {
            things += check_things(&row, path, &body);
        }
    }
    assert_eq!(actions, 6);
    assert!(things >= 19, "{things}");
    assert!(servers >= 39 && products >= 378 && refusals >= 24, "{servers} {products} {refusals}");
}
