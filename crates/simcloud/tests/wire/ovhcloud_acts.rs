//! OVHcloud: shelving ends the bill, stopping does not, and how both are refused.

use serde_json::Value;

use crate::rig::{RIGS, Rig, ovh};

const OVH: Rig = RIGS[1];

fn target(call: &str) -> String {
    format!("POST /ovhcloud/1.0/cloud/project/{}/instance/{}/{call}", OVH.account, OVH.id)
}

#[tokio::test]
async fn a_shelved_machine_passes_two_states_on_its_way() {
    let cloud = OVH.start("act = { reads = 2 }").await;
    assert_eq!(ovh(&cloud, &target("shelve")).await, (200, Value::Null), "void");
    for expected in ["SHELVING", "SHELVED", "SHELVED_OFFLOADED", "SHELVED_OFFLOADED"] {
        assert_eq!(OVH.state(&cloud).await, expected);
    }
}

#[tokio::test]
async fn a_stop_only_turns_the_machine_off_and_a_shelve_after_it_works() {
    let cloud = OVH.start("").await;
    assert_eq!(ovh(&cloud, &target("stop")).await.0, 200);
    assert_eq!(OVH.state(&cloud).await, "SHUTOFF");
    assert_eq!(ovh(&cloud, &target("stop")).await.0, 409);
    assert_eq!(ovh(&cloud, &target("shelve")).await.0, 200);
    assert_eq!(OVH.state(&cloud).await, "SHELVED_OFFLOADED");
    let actions: Vec<_> =
        cloud.requests().changes().into_iter().map(|change| change.action).collect();
    assert_eq!(actions, ["stop", "stop", "shelve"], "a test can see who calls the wrong one");
}

#[tokio::test]
async fn fl_047_a_missing_right_is_named() {
    let cloud = OVH.start("").await;
    let project = |world: &mut reaper_simcloud::World| {
        let project = world.ovhcloud.project_mut(OVH.account).expect("there");
        project.denied = vec!["instance/shelve".to_owned()];
    };
    cloud.edit(project);
    let (status, body) = ovh(&cloud, &target("shelve")).await;
    let right = &body["details"]["unauthorizedActionsByIAM"];
    assert_eq!((status, right.as_str()), (403, Some("publicCloudProject:apiovh:instance/shelve")));
    assert_eq!(OVH.state(&cloud).await, "ACTIVE");
}

#[tokio::test]
async fn a_machine_that_is_locked_or_in_another_state_conflicts() {
    for more in [
        "locked = true",
        "status = \"SHELVED_OFFLOADED\"",
        "status = \"SHELVING\"",
        "status = \"BUILD\"",
        "status = \"RESCUED\"",
        "status = \"ERROR\"",
    ] {
        let cloud = OVH.start(more).await;
        let before = OVH.state(&cloud).await;
        let (status, body) = ovh(&cloud, &target("shelve")).await;
        assert_eq!((status, body["class"].as_str()), (409, Some("Client::Conflict")), "{more}");
        assert_eq!(OVH.state(&cloud).await, before);
    }
}

#[tokio::test]
async fn nothing_else_can_be_done_to_a_machine() {
    let cloud = OVH.start("").await;
    let delete = target("x").replace("POST", "DELETE").replace("/x", "");
    assert_eq!(ovh(&cloud, &delete).await.0, 404);
    assert_eq!(ovh(&cloud, &target("reboot")).await.0, 404);
    let nobody = target("shelve").replace(OVH.id, "nobody");
    assert_eq!(ovh(&cloud, &nobody).await.0, 404);
    let other = target("shelve").replace(OVH.account, "1c7a5e91d3f84b26a8e15d70b94f6c32");
    assert_eq!(ovh(&cloud, &other).await.0, 404);
    assert_eq!(OVH.state(&cloud).await, "ACTIVE");
    assert_eq!(cloud.requests().changes().len(), 4, "tried is logged");
}
