//! What surrounds the servers and could not be read: no group, no restart and no missing server is
//! claimed then.

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Instance};
use reaper_provider::ErrorKind;
use reaper_simcloud::scaleway::{Action, Group, Recording, ScalewayWorld, Server};
use reaper_simcloud::{Effect, Fault};
use serde_json::{Value, json};

use crate::common::{Cloud, ORGANIZATION, PROJECT, SERVERS, ZONE, now};
use crate::faults::deny;

const GROUPS: &str = "GET /autoscaling/v1alpha2/zones/{zone}/groups";
const MEMBERS: &str = "GET /autoscaling/v1alpha2/zones/{zone}/servers";
const EVENTS: &str = "GET /audit-trail/v1alpha1/regions/{region}/events";

fn server(id: &str) -> Server {
    Server::new(ORGANIZATION, ZONE, id, "L4-1-24G").created("500h".parse().expect("a time"))
}

fn group(id: &str, servers: &[&str]) -> Group {
    Group {
        id: id.into(),
        name: id.into(),
        project: ORGANIZATION.into(),
        zone: ZONE.into(),
        servers: servers.iter().map(|id| (*id).to_owned()).collect(),
    }
}

/// Three servers, the first two each in a group.
fn grouped(world: &mut ScalewayWorld) {
    for id in ["a", "b", "c"] {
        world.add_server(server(id)).expect("new");
    }
    world.groups.extend([group("first", &["a"]), group("second", &["b"])]);
}

fn answer(status: u16, body: &Value) -> Effect {
    let content_type = "application/json".to_owned();
    Effect::Answer { status, body: body.to_string(), content_type }
}

fn not_found() -> Effect {
    answer(404, &json!({ "type": "not_found", "message": "resource is not found" }))
}

/// What is said of the managers of all machines: a name, `none`, or the kind of the gap.
fn managers(machines: &[Instance]) -> Vec<String> {
    let word = |machine: &Instance| match &machine.manager {
        Fact::Known { value, .. } => value.name.clone(),
        Fact::Absent { .. } => "none".to_owned(),
        Fact::Unknown(gap) => {
            assert!(machine.stop.objections.contains(&gap.why), "{:?}", machine.stop);
            format!("{:?}", gap.kind)
        }
    };
    machines.iter().map(word).collect()
}

async fn managers_with(fault: Fault) -> Vec<String> {
    let mut cloud = Cloud::start(grouped).await;
    cloud.settings.limits.attempts = 1;
    cloud.sim.add_fault(fault);
    managers(&cloud.list(ZONE).await.complete())
}

#[tokio::test]
async fn a_member_and_a_group_on_a_second_page_are_found() {
    let cloud = Cloud::start(|world| {
        grouped(world);
        let others: Vec<String> = (0..100).map(|number| format!("other-{number}")).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).chain(["c"]).collect();
        world.groups.insert(0, group("long", &others));
        let more = (0..100).map(|number| group(&format!("empty-{number}"), &[]));
        world.groups.splice(1..1, more);
    })
    .await;
    assert_eq!(managers(&cloud.list(ZONE).await.complete()), ["first", "second", "long"]);
    assert_eq!(cloud.requests().of(GROUPS).len(), 2);
}

#[tokio::test]
async fn a_group_that_is_gone_takes_nobody_elses_members_along() {
    let gone = Fault::always(not_found()).at(MEMBERS).first(1);
    assert_eq!(managers_with(gone).await, ["none", "second", "none"]);
    let no_product = Fault::always(not_found()).at(GROUPS);
    assert_eq!(managers_with(no_product).await, ["none", "none", "none"]);
}

#[tokio::test]
async fn groups_that_could_not_be_read_are_no_absence_and_what_was_read_is_kept() {
    let broken = Fault::always(answer(500, &json!({}))).at(GROUPS);
    assert_eq!(managers_with(broken).await, ["ReadFailed"; 3]);
    let broken = Fault::always(answer(500, &json!({}))).at(MEMBERS).nth(2);
    assert_eq!(managers_with(broken).await, ["first", "ReadFailed", "ReadFailed"]);
    let shapeless = Fault::always(answer(200, &json!({ "groups": [] }))).at(GROUPS);
    assert_eq!(managers_with(shapeless).await, ["ReadFailed"; 3]);
    let odd_cursor = json!({ "servers": [], "next_page_token": 2 });
    let odd_cursor = Fault::always(answer(200, &odd_cursor)).at(MEMBERS).first(1);
    assert_eq!(managers_with(odd_cursor).await, ["ReadFailed"; 3]);
}

#[tokio::test]
async fn a_group_or_member_without_readable_id_may_be_anybodys() {
    let body = json!({ "group_summaries": [{ "id": null }, { "id": "second" }] });
    let nameless = Fault::always(answer(200, &body)).at(GROUPS);
    assert_eq!(managers_with(nameless).await, ["Unusable", "second", "Unusable"]);
    let body = json!({ "servers": [{ "server_id": 7 }, { "server_id": "a" }] });
    let nameless = Fault::always(answer(200, &body)).at(MEMBERS).first(1);
    assert_eq!(managers_with(nameless).await, ["first", "second", "Unusable"]);
}

#[tokio::test]
async fn a_machine_of_no_readable_project_may_be_in_a_group_that_nobody_asked_for() {
    let mut cloud = Cloud::start(|world| {
        grouped(world);
        for (id, project) in [("d", Value::Null), ("e", json!(7)), ("f", json!(""))] {
            let server = server(id).patch(&json!({ "project": project }));
            world.add_server(server).expect("new");
        }
    })
    .await;
    let expected = ["first", "second", "none", "Unusable", "Unusable", "Unusable"];
    assert_eq!(managers(&cloud.list(ZONE).await.complete()), expected);
    // The list of one project says which project it is.
    cloud.settings.lists.insert("project_ids".into(), vec![ORGANIZATION.into()]);
    assert_eq!(managers(&cloud.list(ZONE).await.complete())[3], "none");
}

#[tokio::test]
async fn a_right_that_is_missing_in_one_project_hides_no_member_of_another() {
    let cloud = Cloud::start(|world| {
        grouped(world);
        let foreign = json!({ "project": "00000000-0000-4000-8000-000000000000" });
        world.add_server(server("d").patch(&foreign)).expect("new");
    })
    .await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.warnings, ["groups-unread"]);
    let expected = ["first", "second", "NotOffered", "NotOffered"];
    assert_eq!(managers(&listed.complete()), expected);
}

fn action(server: &str, action: &str, at: &str) -> Action {
    Action {
        server: server.into(),
        action: action.into(),
        at: at.parse().expect("a time"),
        status: 202,
    }
}

/// What is said of the last start of a machine: hours ago, or the kind of the gap.
fn start(machine: &Instance) -> String {
    let hours = |at: &DateTime<Utc>| (now() - *at).num_hours().to_string();
    let gap = machine.running_since.gap().map(|gap| format!("{:?}", gap.kind));
    machine.running_since.value().map(hours).or(gap).unwrap_or_default()
}

#[tokio::test]
async fn a_start_that_could_not_be_read_is_not_replaced_by_the_creation() {
    let build = |world: &mut ScalewayWorld| world.add_server(server("a")).expect("new");
    for (status, expected) in [(500, "ReadFailed"), (400, "ReadFailed"), (404, "NotOffered")] {
        let mut cloud = Cloud::start(build).await;
        cloud.settings.limits.attempts = 1;
        cloud.sim.add_fault(Fault::always(answer(status, &json!({}))).at(EVENTS));
        let machines = cloud.list(ZONE).await.complete();
        assert_eq!(start(&machines[0]), expected, "{status}");
        assert_eq!(machines[0].up_since().value().is_some(), status == 404);
    }
    let cloud = Cloud::start(|world| {
        build(world);
        deny(world, "audit-trail");
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(start(&machines[0]), "NotOffered");
    assert_eq!(machines[0].up_since(), &machines[0].created_at);
}

#[tokio::test]
async fn a_machine_that_runs_after_a_power_off_was_started_nobody_knows_when() {
    let cloud = Cloud::start(|world| {
        world.add_server(server("a")).expect("new");
        world.add_server(server("b").state("stopping", "")).expect("new");
        world.actions = vec![action("a", "poweroff", "20h"), action("b", "poweroff", "1h")];
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!([start(&machines[0]), start(&machines[1])], ["Unusable", "NotOffered"]);
    assert!(machines[0].up_since().value().is_none());
    let why = machines[0].running_since.gap().map(|gap| gap.why.clone()).unwrap_or_default();
    assert!(why.starts_with("it was powered off since it was made"), "{why}");
    // The run that the power-off ends began before it.
    assert_eq!(machines[1].up_since(), &machines[1].created_at);
}

#[tokio::test]
async fn what_lies_beyond_the_last_page_of_events_that_is_read_is_not_known() {
    let cloud = Cloud::start(|world| {
        for id in ["closed", "open"] {
            world.add_server(server(id)).expect("new");
        }
        let young = server("young").created("100h".parse().expect("a time"));
        world.add_server(young).expect("new");
        world.actions = vec![action("open", "poweron", "450h")];
        world.actions.extend((0..1000).map(|_| action("closed", "reboot", "200h")));
        world.actions.push(action("closed", "poweroff", "50h"));
        world.actions.push(action("closed", "poweron", "40h"));
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(cloud.requests().of(EVENTS).len(), 10);
    let mut seen: Vec<_> =
        machines.iter().map(|it| format!("{} {}", it.id.native, start(it))).collect();
    seen.sort();
    // All events since the young one was made were read.
    assert_eq!(seen, ["closed 40", "open Unusable", "young NotOffered"]);
}

#[tokio::test]
async fn fl_013_a_listing_without_a_total_is_made_twice_and_then_incomplete() {
    let body = json!({ "servers": [{
        "id": "a", "commercial_type": "L4-1-24G", "state": "running", "project": PROJECT,
    }] });
    let path = format!("/instance/v1/zones/{ZONE}/servers");
    let cloud = Cloud::start(|world| {
        world.record(Recording::new(path, body.to_string()));
    })
    .await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::Inconsistent);
    assert!(listed.error().detail.contains("no total"), "{}", listed.error());
    assert_eq!(listed.machines.len(), 1);
    assert!(cloud.requests().of(SERVERS).len() >= 2);
}

#[tokio::test]
async fn fl_022_a_product_list_without_gpu_fields_hides_no_gpu_machine() {
    let mut types = serde_json::Map::new();
    types.insert("L4-1-24G".into(), json!({ "gpu": null, "hourly_price": 0.7875 }));
    types.insert("B1-1".into(), json!({ "gpu": 0, "gpu_info": { "gpu_name": "B1" } }));
    types.insert("PRO2-XXS".into(), json!({ "gpu": 0, "gpu_info": null }));
    let path = format!("/instance/v1/zones/{ZONE}/products/servers");
    let cloud = Cloud::start(|world| {
        let body = json!({ "servers": types }).to_string();
        world.record(Recording { total: Some(3), ..Recording::new(path, body) });
        for (id, kind) in [("a", "L4-1-24G"), ("b", "B1-1"), ("c", "PRO2-XXS")] {
            world.add_server(Server::new(ORGANIZATION, ZONE, id, kind)).expect("new");
        }
    })
    .await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.warnings, ["gpu-differs", "gpu-differs"]);
    let machines = listed.complete();
    assert_eq!(machines.iter().map(|it| it.id.native.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(machines[0].gpu.value().map(|gpu| gpu.model.as_str()), Some("L4"));
    assert_eq!(machines[1].gpu.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
}
