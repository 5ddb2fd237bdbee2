//! Recorded answers of the real Scaleway: four GPU servers that somebody forgot. Needs the folder of
//! recordings in `REAPER_RECORDED`; without it a small excerpt of the same shape is served.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use reaper_model::{AssetKind, Fact, Instance, Location, Meter, PriceSource, User};
use reaper_simcloud::scaleway::{Recording, ScalewayWorld};
use rust_decimal::Decimal;

use crate::common::{Cloud, context, identity};

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

/// Lists of one zone, of which each was recorded in another organisation and for another purpose.
const SHELVES: [(&str, &str, Option<u64>); 6] = [
    ("block/v1", "block-volumes_list_200", None),
    ("block/v1", "block-snapshots_list_200", None),
    ("instance/v1", "instance-volumes_list_200_unattached", Some(1)),
    ("instance/v1", "instance-snapshots_list_200", Some(2)),
    ("instance/v1", "instance-ips_list_200", Some(2)),
    ("instance/v1", "images_list_200_backup-image", Some(1)),
];

#[tokio::test]
async fn what_real_lists_show_of_things_beside_servers_is_read() {
    let Some(folder) = folder() else { return };
    let cloud = Cloud::start(|world| {
        for (api, name, total) in SHELVES {
            let path = folder.join(format!("recorded__GET_{name}.json"));
            let body = std::fs::read_to_string(path).expect("there");
            let list = name.trim_start_matches("block-").trim_start_matches("instance-");
            let list = list.split('_').next().expect("a word");
            let path = format!("/{api}/zones/fr-par-1/{list}");
            world.record(Recording { total, ..Recording::new(path, body) });
        }
    })
    .await;
    let cx = context("2026-08-20T00:00:00Z".parse().expect("a time"));
    let provider = cloud.provider();
    let found = provider.assets(&cx, &identity(), &Location::new("fr-par-1")).await;
    assert!(found.unread.is_empty(), "{found:?}");
    let mut told: Vec<String> = found
        .got
        .iter()
        .map(|asset| {
            let user = match &asset.user {
                User::Machine(id) => format!("of {id}"),
                User::Other(words) => words.clone(),
                User::Nobody { of } => format!("nobody's, once {of:?}"),
                User::Unknown(gap) => format!("unknown: {gap}"),
            };
            let size = asset.size_gib.map_or("-".to_owned(), |size| size.to_string());
            format!("{} {} {size} {user}", asset.kind.name(), &asset.id.native[..8])
        })
        .collect();
    told.sort();
    assert_eq!(
        told,
        [
            // What the image of a backup stands on was not among the recorded snapshots.
            "image ad8ba66e - nobody's, once Some(\"7cb549a0-c903-42d1-a1ca-047ddaa7ae73\")",
            "ip 0699afa9 - nobody's, once None",
            "ip 67093c1b - of fafdc93e-6a59-440e-8b13-bc175b33c2e1",
            "snapshot 0b68a4f1 18.63 volume 64d01d8f-7971-4fd7-86a9-a07d5a43e411, which it is of",
            "snapshot 14d62abc 18.63 nobody's, once Some(\"79eab6ea-9abe-4c66-82c5-6e59145fee17\")",
            "snapshot 18a00189 18.63 volume 64d01d8f-7971-4fd7-86a9-a07d5a43e411, which it is of",
            "snapshot fd8c231c 18.63 nobody's, once Some(\"79eab6ea-9abe-4c66-82c5-6e59145fee17\")",
            "volume 53c4c972 9.31 nobody's, once None",
            "volume 5b58e6ef 9.31 nobody's, once None",
            "volume e88dd05e 1.86 nobody's, once None",
        ]
    );
    let volumes = found.got.iter().filter(|asset| asset.kind == AssetKind::Volume);
    for volume in volumes {
        assert!(volume.created_at.value().is_some(), "{volume:?}");
    }
}
