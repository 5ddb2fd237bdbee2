//! What is charged beside servers: who uses it, since when nobody does, what it costs, and what could
//! not be read.

use reaper_model::{Asset, AssetKind, Assets, Fact, Ignorance, Location, User};
use reaper_provider::Provider;
use reaper_simcloud::scaleway::{Image, Ip, ScalewayWorld, Server, Snapshot, Volume};
use reaper_simcloud::{Effect, Fault, When};
use serde_json::{Value, json};

use crate::common::{Cloud, ORGANIZATION, PROJECT, ZONE, context, identity, now};
use crate::faults::deny;

const BLOCK_VOLUMES: &str = "GET /block/v1/zones/{zone}/volumes";
const BLOCK_SNAPSHOTS: &str = "GET /block/v1/zones/{zone}/snapshots";
const IPS: &str = "GET /instance/v1/zones/{zone}/ips";

fn ago(text: &str) -> When {
    text.parse().expect("a time")
}

fn volume(id: &str, kind: &str) -> Volume {
    Volume {
        organization: ORGANIZATION.to_owned(),
        project: None,
        zone: ZONE.to_owned(),
        id: id.to_owned(),
        name: format!("volume-{id}"),
        kind: kind.to_owned(),
        gb: 100,
        created: ago("720h"),
        detached: None,
        server: None,
        tags: Vec::new(),
    }
}

fn snapshot(id: &str, kind: &str, volume: Option<&str>) -> Snapshot {
    Snapshot {
        organization: ORGANIZATION.to_owned(),
        project: None,
        zone: ZONE.to_owned(),
        id: id.to_owned(),
        name: String::new(),
        kind: kind.to_owned(),
        gb: 50,
        volume: volume.map(str::to_owned),
        created: ago("240h"),
    }
}

fn image(id: &str, snapshots: &[&str], server: Option<&str>) -> Image {
    Image {
        organization: ORGANIZATION.to_owned(),
        project: None,
        zone: ZONE.to_owned(),
        id: id.to_owned(),
        name: format!("image-{id}"),
        snapshots: snapshots.iter().map(|id| (*id).to_owned()).collect(),
        server: server.map(str::to_owned),
        public: false,
        created: ago("240h"),
    }
}

fn ip(id: &str, kind: &str) -> Ip {
    Ip {
        organization: ORGANIZATION.to_owned(),
        project: None,
        zone: ZONE.to_owned(),
        id: id.to_owned(),
        address: "203.0.113.21".to_owned(),
        kind: kind.to_owned(),
        tags: Vec::new(),
    }
}

fn server(id: &str) -> Server {
    Server::new(ORGANIZATION, ZONE, id, "L40S-1-48G").created(ago("720h"))
}

async fn read_with(provider: &dyn Provider) -> Assets {
    provider.assets(&context(now()), &identity(), &Location::new(ZONE)).await
}

async fn read(cloud: &Cloud) -> Assets {
    read_with(cloud.provider().as_ref()).await
}

fn find<'a>(assets: &'a Assets, id: &str) -> &'a Asset {
    assets.got.iter().find(|asset| asset.id.native == id).expect("there")
}

fn user(assets: &Assets, id: &str) -> User {
    find(assets, id).user.clone()
}

fn nobody() -> User {
    User::Nobody { of: None }
}

fn of(server: &str) -> User {
    User::Machine(server.to_owned())
}

fn other(words: &str) -> User {
    User::Other(words.to_owned())
}

/// What a month costs, or why it is not known.
fn cost(assets: &Assets, id: &str) -> String {
    match &find(assets, id).per_month {
        Fact::Known { value, .. } => value.to_string(),
        Fact::Absent { .. } => "none".to_owned(),
        Fact::Unknown(gap) => gap.to_string(),
    }
}

fn day(fact: &Fact<chrono::DateTime<chrono::Utc>>) -> Option<String> {
    fact.value().map(|time| time.format("%Y-%m-%d %H:%M").to_string())
}

fn answer(body: &Value) -> Effect {
    let content_type = "application/json".to_owned();
    Effect::Answer { status: 200, body: body.to_string(), content_type }
}

fn broken() -> Effect {
    let content_type = "text/html".to_owned();
    Effect::Answer { status: 500, body: "<html>".to_owned(), content_type }
}

/// A server with its volumes and addresses, and all kinds of what nobody uses.
fn everything(world: &mut ScalewayWorld) {
    let mut used = server("s-1");
    used.scratch_gb = 1_600;
    used.addresses = vec!["ip-used".to_owned()];
    world.add_server(used).expect("new");
    let detached = Volume { detached: Some(ago("48h")), ..volume("b-detached", "sbs_5k") };
    let attached = Volume { server: Some("s-1".to_owned()), ..volume("b-attached", "sbs_15k") };
    world.storage.volumes.extend([
        detached,
        volume("b-never", "sbs_5k"),
        attached,
        Volume { tags: vec!["owner=alice".to_owned()], ..volume("l-free", "l_ssd") },
        Volume { zone: "fr-par-1".to_owned(), ..volume("b-elsewhere", "sbs_5k") },
    ]);
    world.storage.snapshots.extend([
        snapshot("bs-kept", "sbs", Some("b-detached")),
        snapshot("bs-left", "sbs", Some("b-gone")),
        snapshot("bs-image", "sbs", None),
        snapshot("ls-kept", "l_ssd", Some("l-free")),
        snapshot("ls-left", "l_ssd", Some("l-gone")),
    ]);
    world.storage.images.extend([
        image("i-backup", &["bs-image"], Some("s-1")),
        image("i-left", &["bs-image", "bs-left"], Some("s-gone")),
        image("i-local", &["ls-left"], None),
        Image { public: true, ..image("i-everybodys", &[], None) },
    ]);
    world.storage.ips.extend([ip("ip-free", "routed_ipv4"), ip("ip-6", "routed_ipv6")]);
}

#[tokio::test]
async fn fl_055_what_servers_have_and_what_nobody_has_comes_from_both_apis() {
    let cloud = Cloud::start(everything).await;
    let found = read(&cloud).await;
    assert!(found.unread.is_empty(), "{found:?}");
    let count = |kind| found.got.iter().filter(|asset| asset.kind == kind).count();
    assert_eq!(count(AssetKind::Volume), 6);
    assert_eq!(count(AssetKind::Snapshot), 5);
    assert_eq!((count(AssetKind::Image), count(AssetKind::Ip)), (3, 2));

    // The machine's own, under the ids that its listing names.
    let machines = cloud.list(ZONE).await.complete();
    for id in ["s-1-root", "ip-used"] {
        assert_eq!(user(&found, id), of("s-1"), "{id}");
        assert!(machines[0].attached.iter().any(|held| held.id == id), "{id}");
    }
    assert_eq!(user(&found, "s-1-scratch"), of("s-1"));
    assert_eq!(user(&found, "b-attached"), of("s-1"));
    assert_eq!(cost(&found, "b-attached"), "12.92 EUR");

    let detached = find(&found, "b-detached");
    assert_eq!((&detached.user, cost(&found, "b-detached").as_str()), (&nobody(), "8.61 EUR"));
    assert_eq!(day(&detached.detached_at).as_deref(), Some("2025-12-30 00:00"));
    assert_eq!(detached.size_gib.map(|size| size.to_string()).as_deref(), Some("93.13"));
    assert_eq!(detached.id.to_string(), format!("scaleway/{ORGANIZATION}/{ZONE}/b-detached"));
    let never = find(&found, "b-never");
    assert_eq!((&never.user, &never.detached_at), (&nobody(), &never.created_at), "since it is");

    let local = find(&found, "l-free");
    assert_eq!(local.user, nobody());
    assert_eq!(cost(&found, "l-free"), "Scaleway's API does not tell what local storage costs");
    assert_eq!(local.detached_at.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    assert_eq!(day(&local.created_at).as_deref(), Some("2025-12-02 00:00"));
    assert_eq!(local.tags.value().and_then(|tags| tags.exact("owner")), Some("alice"));

    assert_eq!(user(&found, "ip-free"), nobody());
    assert_eq!(cost(&found, "ip-free"), "2.92 EUR");
    let address = find(&found, "ip-free").name.value().map(String::as_str);
    assert_eq!(address, Some("203.0.113.21"));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn snapshots_and_images_are_nobodys_only_without_their_parents() {
    let found = read(&Cloud::start(everything).await).await;
    assert_eq!(user(&found, "bs-kept"), other("volume b-detached, which it is of"));
    assert_eq!(user(&found, "ls-kept"), other("volume l-free, which it is of"));
    // Its volume is gone, and an image stands on it.
    assert_eq!(user(&found, "bs-left"), other("image i-left, which stands on it"));
    assert_eq!(user(&found, "ls-left"), other("image i-local, which stands on it"));
    assert_eq!(user(&found, "i-backup"), other("server s-1, which it is a backup of"));
    assert_eq!(user(&found, "i-left"), User::Nobody { of: Some("s-gone".to_owned()) });
    assert_eq!(user(&found, "i-local"), nobody());
    assert_eq!(
        (cost(&found, "bs-left"), cost(&found, "i-left")),
        ("1.46 EUR".into(), "2.92 EUR".into())
    );
    let size = find(&found, "i-left").size_gib.map(|size| size.to_string());
    assert_eq!(size.as_deref(), Some("93.14"));
    assert_eq!(cost(&found, "i-local"), "Scaleway's API does not tell what local storage costs");

    let without_images = Cloud::start(|world| {
        everything(world);
        world.storage.images.clear();
    })
    .await;
    let found = read(&without_images).await;
    assert_eq!(user(&found, "bs-left"), nobody(), "a block snapshot forgets its volume");
    assert_eq!(user(&found, "ls-left"), User::Nobody { of: Some("l-gone".to_owned()) });
}

#[tokio::test]
async fn an_empty_zone_costs_six_calls_and_pages_are_counted() {
    let cloud = Cloud::start(|_| ()).await;
    assert_eq!(read(&cloud).await, Assets::default());
    assert_eq!(cloud.requests().len(), 6, "no servers and no prices");

    let many = Cloud::start(|world| {
        for number in 0..250 {
            world.storage.volumes.push(volume(&format!("b-{number}"), "sbs_5k"));
            world.storage.volumes.push(volume(&format!("l-{number}"), "l_ssd"));
        }
    })
    .await;
    let found = read(&many).await;
    assert_eq!((found.got.len(), found.unread.len()), (500, 0));
    assert_eq!(many.requests().of(BLOCK_VOLUMES).len(), 3);
}

#[tokio::test]
async fn a_kind_that_is_denied_or_broken_spoils_no_other() {
    let cloud = Cloud::start(|world| {
        everything(world);
        deny(world, "block");
    })
    .await;
    let found = read(&cloud).await;
    let unread: Vec<AssetKind> = found.unread.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(unread, [AssetKind::Volume, AssetKind::Snapshot]);
    for (_, gap) in &found.unread {
        assert_eq!(gap.kind, Ignorance::NotOffered);
        assert!(gap.why.contains("permission BlockStorageReadOnly is missing"), "{gap}");
    }
    assert_eq!(user(&found, "l-free"), nobody());
    assert_eq!(user(&found, "ip-free"), nobody());
    // Its volume may be one of those that were not read.
    assert!(matches!(user(&found, "ls-left"), User::Other(_)), "an image stands on it");
    assert_eq!(cost(&found, "i-left"), "the snapshots that the image stands on were not all read");

    let mut cloud = Cloud::start(|world| {
        everything(world);
        world.storage.images.clear();
    })
    .await;
    cloud.settings.limits.attempts = 1;
    cloud.sim.add_fault(Fault::always(broken()).at(BLOCK_VOLUMES));
    let found = read(&cloud).await;
    let [(AssetKind::Volume, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert_eq!(gap.kind, Ignorance::ReadFailed);
    let User::Unknown(gap) = user(&found, "ls-left") else { panic!("{found:?}") };
    assert_eq!(gap.kind, Ignorance::ReadFailed, "it may be a block volume's");
    assert_eq!(user(&found, "bs-left"), nobody(), "Scaleway says so itself");

    let mut cloud = Cloud::start(everything).await;
    cloud.settings.limits.attempts = 1;
    cloud.sim.add_fault(Fault::always(broken()).at("GET /instance/v1/zones/{zone}/servers"));
    let found = read(&cloud).await;
    assert!(matches!(user(&found, "i-left"), User::Unknown(_)), "{found:?}");
    assert!(found.unread.is_empty(), "the images themselves were read");
}

#[tokio::test]
async fn without_images_no_snapshot_is_surely_nobodys_and_without_types_none_has_a_price() {
    let mut cloud = Cloud::start(everything).await;
    cloud.settings.limits.attempts = 1;
    cloud.sim.add_fault(Fault::always(broken()).at("GET /instance/v1/zones/{zone}/images"));
    cloud.sim.add_fault(Fault::always(broken()).at("GET /block/v1/zones/{zone}/volume-types"));
    let found = read(&cloud).await;
    assert!(matches!(user(&found, "bs-left"), User::Unknown(_)), "{found:?}");
    assert_eq!(user(&found, "bs-kept"), other("volume b-detached, which it is of"));
    assert_eq!(user(&found, "b-detached"), nobody());
    let gap = find(&found, "b-detached").per_month.gap().map(|gap| gap.kind);
    assert_eq!(gap, Some(Ignorance::ReadFailed));
}

#[tokio::test]
async fn a_project_that_is_gone_hides_no_other() {
    let mut cloud = Cloud::start(|world| {
        everything(world);
        let other = Volume { project: Some(PROJECT.to_owned()), ..volume("b-project", "sbs_5k") };
        world.storage.volumes.push(other);
    })
    .await;
    let gone = "22222222-2222-4222-8222-000000000099".to_owned();
    cloud.settings.lists.insert("project_ids".to_owned(), vec![gone, PROJECT.to_owned()]);
    let found = read(&cloud).await;
    let ids: Vec<&str> = found.got.iter().map(|asset| asset.id.native.as_str()).collect();
    assert_eq!(ids, ["b-project"], "of the configured projects alone");
    let unread: Vec<AssetKind> = found.unread.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(unread, [AssetKind::Volume, AssetKind::Snapshot], "{found:?}");
}

#[tokio::test]
async fn a_zone_without_the_product_has_nothing() {
    let cloud = Cloud::start(|world| {
        world.zones.remove(ZONE);
    })
    .await;
    assert_eq!(read(&cloud).await, Assets::default());
}

#[tokio::test]
async fn fl_013_a_list_that_does_not_add_up_is_not_whole() {
    let cloud = Cloud::start(|_| ()).await;
    let volumes = json!({ "volumes": [{ "id": "b-1", "references": [] }], "total_count": 3 });
    let effect = answer(&volumes);
    cloud.sim.add_fault(Fault::always(effect).at(BLOCK_VOLUMES).first(1));
    let empty = answer(&json!({ "volumes": [], "total_count": 3 }));
    cloud.sim.add_fault(Fault::always(empty).at(BLOCK_VOLUMES));
    let found = read(&cloud).await;
    assert_eq!(found.got.len(), 1);
    let [(AssetKind::Volume, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert!(gap.why.contains("3 block volumes announced, 1 listed"), "{gap}");
}

#[tokio::test]
async fn fl_087_fl_088_odd_entries_spoil_only_themselves_and_are_nobodys_leftovers() {
    let cloud = Cloud::start(|_| ()).await;
    let server = json!({ "product_resource_type": "instance_server", "product_resource_id": "s" });
    let ended = json!({ "product_resource_type": "instance_server", "product_resource_id": "s",
        "status": "detached" });
    let kubernetes = json!({ "product_resource_type": "k8s_node", "product_resource_id": "n" });
    let volumes = json!({ "total_count": 9, "volumes": [
        { "id": "silent" },
        { "id": "null", "references": null, "last_detached_at": null, "size": null },
        { "id": "odd", "references": [7], "created_at": "soon", "tags": 7, "name": 7 },
        { "id": "busy", "references": [], "status": "in_use" },
        { "id": "ended", "references": [ended], "last_detached_at": "2126-01-01T00:00:00Z" },
        { "id": "other", "references": [kubernetes] },
        { "id": "two", "references": [server, kubernetes] },
        { "id": "leaving", "references": [], "status": "deleting" },
        { "id": null },
    ]});
    cloud.sim.add_fault(Fault::always(answer(&volumes)).at(BLOCK_VOLUMES));
    let ips = json!({ "ips": [
        { "id": "ip-silent", "state": "detached" },
        { "id": "ip-busy", "state": "attached", "server": null },
        { "id": "ip-odd", "state": "attached", "server": {} },
        { "id": "ip-free", "state": "detached", "server": null },
    ]});
    cloud.sim.add_fault(Fault::always(answer(&ips)).at(IPS).first(1));
    cloud.sim.add_fault(Fault::always(answer(&json!({ "ips": [] }))).at(IPS));
    let snapshots = json!({ "total_count": 2, "snapshots": [
        { "id": "bs-silent", "references": [] },
        { "id": "bs-free", "references": [], "parent_volume": null },
    ]});
    cloud.sim.add_fault(Fault::always(answer(&snapshots)).at(BLOCK_SNAPSHOTS));
    let found = read(&cloud).await;
    let [(AssetKind::Volume, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert_eq!(gap.why, "1 block volumes have no readable id");
    for id in ["silent", "null", "odd", "busy", "ip-silent", "ip-busy", "ip-odd", "bs-silent"] {
        assert!(matches!(user(&found, id), User::Unknown(_)), "{id}");
    }
    for id in ["ended", "ip-free", "bs-free"] {
        assert_eq!(user(&found, id), nobody(), "{id}");
    }
    assert_eq!(user(&found, "other"), other("k8s node n"));
    assert_eq!(user(&found, "two"), other("instance server s, k8s node n"));
    assert!(!found.got.iter().any(|asset| asset.id.native == "leaving"));
    let odd = find(&found, "odd");
    for kind in [odd.name.gap(), odd.created_at.gap(), odd.tags.gap(), odd.per_month.gap()] {
        assert_eq!(kind.map(|gap| gap.kind), Some(Ignorance::Unusable), "{odd:?}");
    }
    let ended = find(&found, "ended").detached_at.gap().map(|gap| gap.kind);
    assert_eq!(ended, Some(Ignorance::Unusable), "a date of the future");
    let shape = answer(&json!({ "ips": [] }));
    let cloud = Cloud::start(|_| ()).await;
    cloud.sim.add_fault(Fault::always(shape).at(BLOCK_VOLUMES));
    let found = read(&cloud).await;
    let [(AssetKind::Volume, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert_eq!(gap.kind, Ignorance::ReadFailed, "an object of another shape is no empty zone");
}
