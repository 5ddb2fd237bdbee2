//! Every recorded answer of the folder that `REAPER_RECORDED` names, read by what would read it.

use std::path::PathBuf;

use reaper_http::{Answer, Call, HeaderMap, StatusCode, Url};
use reaper_provider::ErrorKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error;
use crate::wire;

/// Parts of paths whose answers an audit never reads.
const UNREAD: [&str; 23] = [
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
    "/block/",
    "/cockpit/",
    "/datalab/",
    "/fips",
    "/images",
    "/inference/",
    "/instance/v2alpha1/",
    "/ipam/",
    "/ips",
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
    let (mut servers, mut products, mut actions, mut refusals) = (0, 0, 0, 0);
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
            // Volumes are read as parts of servers only.
            assert!(path.contains("volumes") || path.contains("snapshots"), "{}", row.file);
        }
    }
    assert_eq!(actions, 6);
    assert!(servers >= 39 && products >= 378 && refusals >= 24, "{servers} {products} {refusals}");
}
