//! One server read alone: the same as in a listing, and never from memory.

use reaper_model::{Fact, Fingerprint, Guard, Ignorance, Instance};
use reaper_provider::ErrorKind;
use reaper_simcloud::scaleway::{Action, Group, ScalewayWorld, Server};
use reaper_simcloud::{Effect, Fault};

use crate::common::{Cloud, ORGANIZATION, PROJECT, ZONE, now};
use crate::faults::deny;

const SERVER: &str = "GET /instance/v1/zones/{zone}/servers/{id}";
const GROUPS: &str = "GET /autoscaling/v1alpha2/zones/{zone}/groups";
const EVENTS: &str = "GET /audit-trail/v1alpha1/regions/{region}/events";

fn server(id: &str) -> Server {
    Server::new(ORGANIZATION, ZONE, id, "L4-1-24G").created("99h".parse().expect("a time"))
}

/// Powered off, and on again.
fn restarted(server: &str, off: &str, on: &str) -> [Action; 2] {
    let action = |action: &str, at: &str| Action {
        server: server.to_owned(),
        action: action.to_owned(),
        at: at.parse().expect("a time"),
        status: 202,
    };
    [action("poweroff", off), action("poweron", on)]
}

/// One of everything that a stop depends on.
fn fleet(world: &mut ScalewayWorld) {
    let scratch = Server { scratch_gb: 1600, addresses: vec!["ip-1".into()], ..server("scratch") };
    let kapsule = server("kapsule").tag("kapsule=494bb9c0").tag("pool-name=gpu");
    for server in [
        server("plain").tag("owner=alice").tag("reaper-keep"),
        server("restarted"),
        server("member"),
        Server { protected: true, ..server("protected") },
        Server { rescue: true, dynamic_address: true, ..server("rescue") },
        server("standby").state("stopped in place", "stopped in place"),
        server("off").state("stopped", ""),
        server("moving").state("stopping", "stopping"),
        server("odd").state("HIBERNATING_DEEP", ""),
        scratch,
        kapsule,
    ] {
        world.add_server(server).expect("new");
    }
    world.actions.extend(restarted("restarted", "90h", "5h"));
    let group = Group {
        id: "g".into(),
        name: "training".into(),
        project: ORGANIZATION.into(),
        zone: ZONE.into(),
        servers: vec!["member".into()],
    };
    world.groups.push(group);
}

/// All that is said of a machine, but for the call that said it.
fn told(machine: &Instance) -> String {
    format!("{machine:#?}").replace("scaleway:GetServer", "scaleway:ListServers")
}

#[tokio::test]
async fn a_server_that_did_not_change_is_read_as_it_was_listed() {
    let cloud = Cloud::start(fleet).await;
    let provider = cloud.provider();
    let listed = cloud.list_with(provider.as_ref(), ZONE, now()).await.complete();
    assert_eq!(listed.len(), 11);
    for before in &listed {
        // Also by an adapter that has listed nothing.
        for provider in [&provider, &cloud.provider()] {
            let alone = cloud.read_with(provider.as_ref(), &before.id.native).await.expect("there");
            assert_eq!(told(&alone), told(before));
            let changes = Fingerprint::of(before, "").changes(&Fingerprint::of(&alone, ""));
            assert_eq!(changes, [""; 0]);
        }
    }
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn whatever_changed_since_the_listing_is_seen() {
    let cloud = Cloud::start(fleet).await;
    let provider = cloud.provider();
    let listed = cloud.list_with(provider.as_ref(), ZONE, now()).await.complete();
    {
        let world = &mut cloud.sim.world().scaleway;
        world.server_mut("plain").expect("there").tags.push("reaper_keep=true".into());
        world.server_mut("scratch").expect("there").protected = true;
        world.server_mut("standby").expect("there").state = "running".into();
        world.server_mut("kapsule").expect("there").machine_type = "DEV1-S".into();
        world.actions.extend(restarted("restarted", "3h", "2h"));
        world.groups[0].servers.push("rescue".into());
        world.remove_server("member").expect("there");
    }
    let changes = async |id: &str| {
        let before = listed.iter().find(|it| it.id.native == id).expect("listed");
        let alone = cloud.read_with(provider.as_ref(), id).await.expect("there");
        Fingerprint::of(before, "").changes(&Fingerprint::of(&alone, "")).join("; ")
    };
    for (id, what) in [
        ("plain", "its tags changed"),
        ("scratch", "its protection changed"),
        ("standby", "its state changed"),
        ("kapsule", "its type changed"),
        ("restarted", "it was started again"),
        ("rescue", "its controller changed"),
    ] {
        let found = changes(id).await;
        assert!(found.starts_with(what), "{id}: {found}");
    }
    let gone = cloud.read_with(provider.as_ref(), "member").await.expect_err("gone");
    assert_eq!(gone.kind, ErrorKind::NotFound);
    let bare = cloud.read("kapsule").await.expect("there");
    assert!(matches!(bare.gpu, Fact::Absent { .. }));
    let guarded = cloud.read("scratch").await.expect("there");
    assert_eq!(guarded.guards.value(), Some(&vec![Guard::Stop, Guard::Terminate]));
}

#[tokio::test]
async fn evidence_that_cannot_be_read_again_is_missing() {
    for (operation, product) in [(GROUPS, "autoscaling"), (EVENTS, "audit-trail")] {
        let mut cloud = Cloud::start(fleet).await;
        cloud.settings.limits.attempts = 1;
        let broken = Effect::Answer { status: 500, body: String::new(), content_type: "x".into() };
        cloud.sim.add_fault(Fault::always(broken).at(operation));
        let machine = cloud.read("plain").await.expect("the server itself is there");
        let gap = [machine.manager.gap(), machine.running_since.gap()];
        let kinds: Vec<_> = gap.into_iter().flatten().map(|gap| gap.kind).collect();
        assert!(kinds.contains(&Ignorance::ReadFailed), "{product}: {kinds:?}");
    }
    let cloud = Cloud::start(|world| {
        fleet(world);
        deny(world, "autoscaling");
    })
    .await;
    let machine = cloud.read("plain").await.expect("there");
    assert_eq!(machine.stop.objections.len(), 1, "{:?}", machine.stop);
}

#[tokio::test]
async fn the_past_of_one_server_is_asked_for_alone() {
    let cloud = Cloud::start(fleet).await;
    cloud.read("restarted").await.expect("there");
    let requests = cloud.requests();
    let [events] = requests.of(EVENTS)[..] else { panic!("one page: {requests:?}") };
    assert!(events.target.contains("resource_id=restarted"), "{}", events.target);
    assert_eq!(requests.of(SERVER).len(), 1);
}

#[tokio::test]
async fn a_404_that_is_not_the_apis_own_does_not_say_that_a_server_is_gone() {
    let cloud = Cloud::start(fleet).await;
    let page = Effect::Answer { status: 404, body: "<p>nothing".into(), content_type: "x".into() };
    cloud.sim.add_fault(Fault::always(page).at(SERVER));
    assert_eq!(cloud.read("plain").await.expect_err("no answer").kind, ErrorKind::Protocol);
    // An id never climbs out of its place in the path.
    let error = cloud.read("../servers").await.expect_err("no such server");
    assert!(matches!(error.kind, ErrorKind::NotFound | ErrorKind::Protocol), "{error}");
}

#[tokio::test]
async fn another_server_than_the_one_asked_for_is_none() {
    let other = serde_json::json!({ "id": "b" });
    let cloud = Cloud::start(|world| {
        world.add_server(server("a").patch(&other)).expect("new");
    })
    .await;
    assert_eq!(cloud.read("a").await.expect_err("b").kind, ErrorKind::Inconsistent);
}

#[tokio::test]
async fn fl_018_a_server_of_a_project_that_is_not_configured_is_none_of_ours() {
    let mut cloud = Cloud::start(|world| {
        world.add_server(server("a")).expect("new");
        world.add_server(Server { project: Some(PROJECT.into()), ..server("b") }).expect("new");
    })
    .await;
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.into()]);
    assert_eq!(cloud.read("a").await.expect_err("elsewhere").kind, ErrorKind::Invalid);
    assert_eq!(cloud.read("b").await.expect("ours").id.native, "b");
}
