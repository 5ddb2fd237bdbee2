//! Answers of the real Scaleway, recorded on 24 February 2026: four GPU servers that somebody had
//! forgotten. The recordings are read from `REAPER_RECORDED`; an excerpt of the same shape keeps the
//! test whole without them.

use std::path::Path;

use reaper_simcloud::World;
use reaper_simcloud::scaleway::Recording;
use serde_json::Value;

use crate::support::{OWNERLESS, SCALEWAY, Sim, optional};

const RECORDED_AT: &str = "2026-02-24T14:12:00Z";
const LISTS: [(&str, &str, u64); 4] = [
    ("fr-par-1", "servers_list_200_fr-par-1_with-gpu-L4", 9),
    ("fr-par-2", "servers_list_200_fr-par-2_with-gpu-L40S", 2),
    ("it-mil-1", "servers_list_200_it-mil-1", 1),
    ("pl-waw-2", "servers_list_200_pl-waw-2_empty", 0),
];
/// One of the four and an ordinary server.
const EXCERPT: &str = r#"{"servers": [
    {"id": "088f7828", "name": "cli-srv-trusting-feynman", "commercial_type": "L4-2-24G",
     "state": "running", "state_detail": "booted", "tags": [], "protected": false,
     "project": "11111111-1111-4111-8111-000000000001",
     "boot_type": "local", "creation_date": "2026-01-13T16:37:02.618569+00:00",
     "volumes": {"0": {"volume_type": "sbs_volume", "id": "v"}}, "public_ips": []},
    {"id": "6089201a", "name": "bonjour", "commercial_type": "DEV1-S", "state": "running",
     "tags": [], "creation_date": "2026-02-13T15:23:04.603556+00:00"}]}"#;

/// A world that answers with these texts, by path, page and announced total.
async fn replay(answers: impl IntoIterator<Item = (String, u32, u64, String)>) -> Sim {
    let head = format!("clock = {{ start = \"{RECORDED_AT}\" }}\n{}", SCALEWAY.world);
    let mut world = World::from_toml(&head).expect("a world");
    for (path, page, total, body) in answers {
        world.scaleway.record(Recording { page, total: Some(total), ..Recording::new(path, body) });
    }
    Sim { cloud: reaper_simcloud::SimCloud::start(world).await.expect("a free port") }
}

/// The recorded server lists of four zones and product lists of two.
fn recordings(folder: &Path) -> Vec<(String, u32, u64, String)> {
    let read = |name: &str| {
        let path = folder.join(format!("scaleway/recorded__GET_{name}.json"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let lists = LISTS.iter().map(|(zone, name, total)| {
        (format!("/instance/v1/zones/{zone}/servers"), 1, *total, read(name))
    });
    // Recorded with 50 types a page, and served so whatever is asked for.
    let products = [("fr-par-1", 136), ("fr-par-2", 135)]
        .into_iter()
        .flat_map(|(zone, total)| (1..=3).map(move |page| (zone, page, total)));
    let products = products.map(|(zone, page, total)| {
        let body = read(&format!("products-servers_200_{zone}_page{page}"));
        (format!("/instance/v1/zones/{zone}/products/servers"), page, total, body)
    });
    lists.chain(products).collect()
}

/// Zone, type, name, hourly price and cost (every minute begun) of every orphan, in order.
async fn orphans(sim: &Sim, zones: &[&str]) -> Vec<String> {
    let tail = format!("zones = {zones:?}\n{OWNERLESS}");
    let arguments = ["audit", "--format", "json", "--now", RECORDED_AT];
    let document = SCALEWAY.run(sim, &tail, &arguments).await.exits(0).json();
    let line = |machine: &Value| {
        let text = |pointer: &str| machine.pointer(pointer).and_then(Value::as_str).expect("text");
        format!(
            "{} {} {} {} {} {}",
            text("/location"),
            text("/machine_type"),
            text("/name"),
            text("/price/hourly/amount"),
            text("/cost/since_start/amount"),
            text("/cost/since_start/currency"),
        )
    };
    let machines = document["instances"].as_array().expect("a list");
    let mut lines: Vec<String> =
        machines.iter().filter(|it| it["verdict"] == "orphan").map(line).collect();
    lines.sort();
    assert_eq!(document["totals"]["orphans"], lines.len());
    assert!(sim.cloud.requests().changing().is_empty());
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn four_real_orphans_are_found_with_price_and_cost() {
    let Some(folder) = optional("REAPER_RECORDED") else { return };
    let sim = replay(recordings(Path::new(&folder))).await;
    let zones = LISTS.map(|(zone, ..)| zone);
    assert_eq!(
        orphans(&sim, &zones).await,
        [
            "fr-par-1 L4-2-24G cli-srv-brave-pike 1.575 1583.82 EUR",
            "fr-par-1 L4-2-24G cli-srv-serene-dirac 1.575 1584.11 EUR",
            "fr-par-1 L4-2-24G cli-srv-trusting-feynman 1.575 1583.79 EUR",
            "fr-par-2 L40S-2-48G cli-srv-intelligent-bose 2.939832 2956.20 EUR",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_excerpt_of_the_recordings_is_judged_alike() {
    let path = "/instance/v1/zones/fr-par-1/servers".to_owned();
    let sim = replay([(path, 1, 2, EXCERPT.to_owned())]).await;
    assert_eq!(
        orphans(&sim, &["fr-par-1"]).await,
        ["fr-par-1 L4-2-24G cli-srv-trusting-feynman 1.575 1583.79 EUR"]
    );
}
