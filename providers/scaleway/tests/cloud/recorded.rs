//! Recorded answers of the real Scaleway: four GPU servers that somebody forgot. Needs the folder of
//! recordings in `REAPER_RECORDED`; without it a small excerpt of the same shape is served.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Instance, Meter, PriceSource};
use reaper_simcloud::scaleway::{Recording, ScalewayWorld};
use rust_decimal::Decimal;

use crate::common::Cloud;

/// When the lists were recorded.
const RECORDED_AT: &str = "2026-02-24T14:12:00Z";
const LISTS: [(&str, &str, u64); 4] = [
    ("fr-par-1", "servers_list_200_fr-par-1_with-gpu-L4", 9),
    ("fr-par-2", "servers_list_200_fr-par-2_with-gpu-L40S", 2),
    ("it-mil-1", "servers_list_200_it-mil-1", 1),
    ("pl-waw-2", "servers_list_200_pl-waw-2_empty", 0),
];
const EXCERPT: &str = r#"{"servers": [
    {"id": "088f7828", "name": "cli-srv-trusting-feynman", "commercial_type": "L4-2-24G",
     "project": "11111111-1111-4111-8111-000000000001", "state": "running", "state_detail": "booted", "tags": [], "protected": false,
     "boot_type": "local", "creation_date": "2026-01-13T16:37:02.618569+00:00",
     "volumes": {"0": {"volume_type": "sbs_volume", "id": "v"}}, "public_ips": []},
    {"id": "6089201a", "name": "bonjour", "commercial_type": "DEV1-S", "state": "running",
     "tags": [], "creation_date": "2026-02-13T15:23:04.603556+00:00"}]}"#;

/// The folder of Scaleway's recordings, where this machine has it.
#[expect(clippy::disallowed_methods, reason = "a test's own switch, read nowhere else")]
fn folder() -> Option<PathBuf> {
    std::env::var_os("REAPER_RECORDED").map(|folder| PathBuf::from(folder).join("scaleway"))
}

fn now() -> DateTime<Utc> {
    RECORDED_AT.parse().expect("a time")
}

/// Serves the recordings letter for letter, page by page.
fn replay(world: &mut ScalewayWorld, folder: &std::path::Path) {
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(format!("recorded__GET_{name}.json"))).expect("there")
    };
    for (zone, name, total) in LISTS {
        let path = format!("/instance/v1/zones/{zone}/servers");
        world.record(Recording { total: Some(total), ..Recording::new(path, read(name)) });
    }
    // Recorded with 50 types a page, and served so whatever is asked for.
    for (zone, total) in [("fr-par-1", 136), ("fr-par-2", 135)] {
        for page in 1..=3 {
            let body = read(&format!("products-servers_200_{zone}_page{page}"));
            let path = format!("/instance/v1/zones/{zone}/products/servers");
            world.record(Recording { page, total: Some(total), ..Recording::new(path, body) });
        }
    }
}

fn hours_up(machine: &Instance) -> Decimal {
    let up = now() - *machine.up_since().value().expect("known");
    Decimal::from(up.num_minutes()) / Decimal::from(60)
}

#[tokio::test]
async fn four_real_orphans_are_found_with_their_price_and_42_days_of_cost() {
    let Some(folder) = folder() else { return };
    let cloud = Cloud::start(|world| replay(world, &folder)).await;
    let provider = cloud.provider();
    let mut found = Vec::new();
    for (zone, _, _) in LISTS {
        for machine in cloud.list_with(provider.as_ref(), zone, now()).await.complete() {
            let price = provider.price(&machine).value().cloned().expect("priced");
            assert_eq!(price.source, PriceSource::ProviderApi);
            assert!(matches!(machine.tags, Fact::Absent { .. }), "nobody's");
            assert_eq!(machine.meter, Meter::Running);
            assert_eq!(machine.unreadable, [""; 0]);
            // Forty-one days and some hours: the 42nd day had begun.
            assert_eq!((now() - *machine.up_since().value().expect("known")).num_days(), 41);
            let cost = price.money.times(hours_up(&machine));
            let name = machine.name.value().cloned().unwrap_or_default();
            found.push(format!("{zone} {} {name} {cost}", machine.machine_type));
        }
    }
    found.sort();
    assert_eq!(
        found,
        [
            "fr-par-1 L4-2-24G cli-srv-brave-pike 1,583.79 EUR",
            "fr-par-1 L4-2-24G cli-srv-serene-dirac 1,584.08 EUR",
            "fr-par-1 L4-2-24G cli-srv-trusting-feynman 1,583.77 EUR",
            "fr-par-2 L40S-2-48G cli-srv-intelligent-bose 2,956.15 EUR",
        ]
    );
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn an_excerpt_of_the_recordings_is_read_alike() {
    let path = "/instance/v1/zones/fr-par-1/servers";
    let recording = Recording { total: Some(2), ..Recording::new(path, EXCERPT) };
    let cloud = Cloud::start(|world| world.record(recording)).await;
    let provider = cloud.provider();
    let machines = cloud.list_with(provider.as_ref(), "fr-par-1", now()).await.complete();
    assert_eq!(machines.len(), 1);
    let price = provider.price(&machines[0]).value().cloned().expect("priced");
    assert_eq!(price.money.times(hours_up(&machines[0])).to_string(), "1,583.77 EUR");
}
