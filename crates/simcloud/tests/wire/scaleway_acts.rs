//! Scaleway: actions, what each leaves behind, and how they are refused.

use reaper_simcloud::{SimCloud, World};
use serde_json::{Value, json};

use crate::rig::{RIGS, Rig, scaleway};

const SCW: Rig = RIGS[2];

fn path() -> String {
    format!("/scaleway/instance/v1/zones/fr-par-2/servers/{}", SCW.id)
}

async fn act(cloud: &SimCloud, body: &str) -> (u16, Value) {
    scaleway(cloud, &format!("POST {}/action", path()), body).await
}

async fn read(cloud: &SimCloud) -> Value {
    let (status, body) = scaleway(cloud, &format!("GET {}", path()), "").await;
    if status == 200 { body["server"].clone() } else { json!({ "state": status }) }
}

#[tokio::test]
async fn fl_050_every_action_has_its_own_way_and_end() {
    for (before, action, way, end) in [
        ("running", "poweroff", json!(["stopping", "stopping"]), json!("stopped")),
        ("stopped in place", "poweroff", json!(["stopping", "stopping"]), json!("stopped")),
        (
            "running",
            "stop_in_place",
            json!(["stopping", "stopping in place"]),
            json!("stopped in place"),
        ),
        ("running", "terminate", json!(["stopping", "terminating"]), json!(404)),
        ("running", "reboot", json!(["stopping", "rebooting"]), json!("running")),
        ("stopped", "poweron", json!(["starting", "allocating node"]), json!("running")),
    ] {
        let cloud = SCW.start(&format!("state = \"{before}\"\nact = {{ reads = 1 }}")).await;
        let (status, task) = act(&cloud, &json!({ "action": action }).to_string()).await;
        assert_eq!(status, 202, "{action}");
        assert_eq!(task["task"]["description"], "fake task");
        assert_eq!(task["task"]["status"], "pending");
        let under_way = read(&cloud).await;
        assert_eq!(json!([under_way["state"], under_way["state_detail"]]), way, "{action}");
        assert_eq!(read(&cloud).await["state"], end, "{action}");
    }
}

#[tokio::test]
async fn without_an_action_the_server_is_powered_on() {
    for body in ["", "{}", r#"{"actoin": "poweroff"}"#] {
        let cloud = SCW.start("state = \"stopped in place\"").await;
        assert_eq!(act(&cloud, body).await.0, 202, "{body}");
        assert_eq!(read(&cloud).await["state"], "running", "{body}");
        assert_eq!(cloud.requests().changes()[0].action, "poweron");
    }
}

#[tokio::test]
async fn fl_053_a_poweroff_erases_scratch_and_gives_the_lent_address_back() {
    let more = "scratch_gb = 1600\naddresses = [\"ip-1\"]\ndynamic_address = true";
    for (action, volumes, addresses) in [("poweroff", 1, 1), ("stop_in_place", 2, 2)] {
        let cloud = SCW.start(more).await;
        assert_eq!(act(&cloud, &json!({ "action": action }).to_string()).await.0, 202);
        let server = read(&cloud).await;
        let count = |field: &str| server[field].as_array().map(Vec::len);
        assert_eq!(server["volumes"].as_object().map(serde_json::Map::len), Some(volumes));
        assert_eq!(count("public_ips"), Some(addresses), "{action}");
        assert_eq!(server["dynamic_ip_required"], true);
    }
}

#[tokio::test]
async fn refusals_are_those_of_the_real_api() {
    for (more, action, status, kind) in [
        ("protected = true", "poweroff", 400, "precondition_failed"),
        ("protected = true", "terminate", 400, "precondition_failed"),
        ("state = \"stopped\"", "poweroff", 400, "invalid_request_error"),
        ("state = \"starting\"", "poweroff", 400, "invalid_request_error"),
        ("state = \"stopping\"", "poweroff", 400, "invalid_request_error"),
        ("", "poweron", 400, "invalid_request_error"),
        ("", "explode", 400, "invalid_arguments"),
        ("state = \"locked\"", "poweroff", 423, "locked"),
    ] {
        let cloud = SCW.start(more).await;
        let before = read(&cloud).await;
        let (found, body) = act(&cloud, &json!({ "action": action }).to_string()).await;
        assert_eq!((found, body["type"].as_str()), (status, Some(kind)), "{more} {action}");
        assert_eq!(read(&cloud).await, before, "{more} {action}");
    }
    let cloud = SCW.start("").await;
    assert_eq!(act(&cloud, "poweroff").await.0, 400, "no JSON");
    let nobody = format!("POST {}/action", path()).replace(SCW.id, "nobody");
    assert_eq!(scaleway(&cloud, &nobody, r#"{"action":"poweroff"}"#).await.0, 404);
    let elsewhere = format!("POST {}/action", path()).replace("fr-par-2", "fr-par-1");
    assert_eq!(scaleway(&cloud, &elsewhere, r#"{"action":"poweroff"}"#).await.0, 404);
}

#[tokio::test]
async fn fl_047_a_key_that_may_only_read_changes_nothing() {
    let cloud = SCW.start("").await;
    cloud.edit(|world: &mut World| {
        let organization = world.scaleway.organization_mut(SCW.account).expect("there");
        organization.read_only = vec!["instance".to_owned()];
    });
    let refused = act(&cloud, r#"{"action":"poweroff"}"#).await;
    assert_eq!((refused.0, &refused.1["type"]), (403, &json!("permissions_denied")));
    assert_eq!(refused.1["details"][0]["action"], "write");
    let refused = scaleway(&cloud, &format!("PATCH {}", path()), r#"{"tags":[]}"#).await;
    assert_eq!(refused.0, 403);
    assert_eq!(read(&cloud).await["state"], "running");
}

#[tokio::test]
async fn a_patch_replaces_the_tags_and_leaves_the_rest() {
    let cloud = SCW.start("tags = [\"owner=alice\"]\nprotected = true").await;
    let patch = format!("PATCH {}", path());
    let tags = r#"{"tags":["owner=alice","reaper-keep=2026-12-24"]}"#;
    let (status, body) = scaleway(&cloud, &patch, tags).await;
    assert_eq!(status, 200);
    assert_eq!(body["server"]["tags"], json!(["owner=alice", "reaper-keep=2026-12-24"]));
    let server = read(&cloud).await;
    assert_eq!(server, body["server"]);
    assert_eq!((&server["protected"], &server["state"]), (&json!(true), &json!("running")));
    assert_eq!(scaleway(&cloud, &patch, "tags").await.0, 400);
    assert_eq!(scaleway(&cloud, &patch, "{}").await.1["server"], server);
    let change = cloud.requests().changes()[0].clone();
    assert_eq!(
        (change.action.as_str(), change.ids),
        ("PATCH /instance/v1/zones/{zone}/servers/{id}", vec![SCW.id.to_owned()],)
    );
}

#[tokio::test]
async fn actions_go_on_record_with_their_answer() {
    let cloud = SCW.start("").await;
    act(&cloud, r#"{"action":"poweroff"}"#).await;
    act(&cloud, r#"{"action":"poweroff"}"#).await;
    cloud.edit(|world| world.restart(SCW.id));
    let trail = format!(
        "GET /scaleway/audit-trail/v1alpha1/regions/fr-par/events?organization_id={}",
        SCW.account
    );
    let (_, body) = scaleway(&cloud, &trail, "").await;
    let events = body["events"].as_array().expect("events");
    let seen: Vec<_> =
        events.iter().map(|it| (&it["request_body"]["action"], &it["status_code"])).collect();
    let (off, on) = (json!("poweroff"), json!("poweron"));
    assert_eq!(seen, [(&off, &json!(202)), (&off, &json!(400)), (&on, &json!(202))]);
}

/// What a list of things shows: `id of server`, or `id` for nobody's.
async fn things(cloud: &SimCloud, api: &str, list: &str) -> Vec<String> {
    let path = format!("GET /scaleway/{api}/v1/zones/fr-par-2/{list}");
    let (status, body) = scaleway(cloud, &path, "").await;
    assert_eq!(status, 200, "{body}");
    let things = body[list].as_array().expect("a list");
    let told = things.iter().map(|thing| {
        let id = thing["id"].as_str().expect("an id");
        let server = thing["server"]["id"].as_str();
        match server.or_else(|| thing["references"][0]["product_resource_id"].as_str()) {
            Some(server) => format!("{id} of {server}"),
            None => id.to_owned(),
        }
    });
    told.collect()
}

#[tokio::test]
async fn fl_055_a_terminated_server_leaves_its_block_volume_and_its_address() {
    let cloud = SCW.start("scratch_gb = 1600\naddresses = [\"ip-1\"]").await;
    let id = SCW.id;
    let root = format!("{id}-root");
    assert_eq!(things(&cloud, "block", "volumes").await, [format!("{root} of {id}")]);
    let scratch = things(&cloud, "instance", "volumes").await;
    assert_eq!(scratch, [format!("{id}-scratch of {id}")]);
    assert_eq!(things(&cloud, "instance", "ips").await, [format!("ip-1 of {id}")]);

    assert_eq!(act(&cloud, r#"{"action": "terminate"}"#).await.0, 202);
    assert_eq!(things(&cloud, "block", "volumes").await, [root]);
    assert_eq!(things(&cloud, "instance", "volumes").await, [""; 0], "scratch went with it");
    assert_eq!(things(&cloud, "instance", "ips").await, ["ip-1"]);
    let (_, body) = scaleway(&cloud, "GET /scaleway/block/v1/zones/fr-par-2/volumes", "").await;
    assert_eq!(body["volumes"][0]["status"], "available");
    assert!(body["volumes"][0]["last_detached_at"].is_string(), "{body}");
}
