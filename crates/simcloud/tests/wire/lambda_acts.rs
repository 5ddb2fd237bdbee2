//! Lambda: a machine is terminated, or it is not; there is nothing between.

use serde_json::{Value, json};

use crate::rig::{RIGS, Rig, lambda};

const LAMBDA: Rig = RIGS[3];
const TERMINATE: &str = "POST /lambda/api/v1/instance-operations/terminate";

fn body() -> String {
    json!({ "instance_ids": [LAMBDA.id] }).to_string()
}

#[tokio::test]
async fn a_terminated_machine_is_answered_terminating_and_then_not_there() {
    let cloud = LAMBDA.start("").await;
    let (status, answer) = lambda(&cloud, TERMINATE, &body()).await;
    let shown = &answer["data"]["terminated_instances"][0];
    assert_eq!(
        (status, &shown["id"], &shown["status"]),
        (200, &json!(LAMBDA.id), &json!("terminating"),)
    );
    let (status, gone) =
        lambda(&cloud, &format!("GET /lambda/api/v1/instances/{}", LAMBDA.id), "").await;
    assert_eq!((status, &gone["error"]["code"]), (404, &json!("global/object-does-not-exist")));
}

#[tokio::test]
async fn it_can_linger_as_terminated() {
    let cloud = LAMBDA.start("lingers = true\nact = { reads = 1 }").await;
    lambda(&cloud, TERMINATE, &body()).await;
    for expected in ["terminating", "terminated", "terminated"] {
        assert_eq!(LAMBDA.state(&cloud).await, expected);
    }
}

#[tokio::test]
async fn fl_045_a_second_terminate_is_an_unknown_error() {
    let cloud = LAMBDA.start("act = { outcome = \"stuck\" }").await;
    assert_eq!(lambda(&cloud, TERMINATE, &body()).await.0, 200);
    let (status, again) = lambda(&cloud, TERMINATE, &body()).await;
    assert_eq!((status, &again["error"]["code"]), (400, &json!("global/unknown")));
}

#[tokio::test]
async fn machines_that_are_reserved_or_not_available_are_refused() {
    for (more, reason) in [
        ("reserved = true", Value::Null),
        ("status = \"booting\"", json!("vm-has-not-launched")),
        ("unavailable = \"vm-action-in-progress\"", json!("vm-action-in-progress")),
    ] {
        let cloud = LAMBDA.start(more).await;
        let before = LAMBDA.state(&cloud).await;
        let target = format!("GET /lambda/api/v1/instances/{}", LAMBDA.id);
        let (_, shown) = lambda(&cloud, &target, "").await;
        assert_eq!(shown["data"]["actions"]["terminate"]["reason_code"], reason, "{more}");
        let (status, refused) = lambda(&cloud, TERMINATE, &body()).await;
        assert_eq!((status, &refused["error"]["code"]), (409, &json!("global/conflict")), "{more}");
        assert_eq!(LAMBDA.state(&cloud).await, before, "{more}");
    }
}

#[tokio::test]
async fn fl_047_a_key_can_lack_the_right_to_terminate() {
    let cloud = LAMBDA.start("").await;
    cloud.edit(|world| {
        let account = world.lambda.account_mut("burst").expect("there");
        account.denied = vec!["instance-operations/terminate".to_owned()];
    });
    let (status, refused) = lambda(&cloud, TERMINATE, &body()).await;
    assert_eq!((status, &refused["error"]["code"]), (403, &json!("global/forbidden")));
    assert_eq!(LAMBDA.state(&cloud).await, "active");
}

#[tokio::test]
async fn fl_051_there_is_no_stop() {
    let cloud = LAMBDA.start("").await;
    let stop = TERMINATE.replace("terminate", "stop");
    assert_eq!(lambda(&cloud, &stop, &body()).await.0, 404);
    let nobody = json!({ "instance_ids": ["ffffffffffffffffffffffffffffffff"] }).to_string();
    assert_eq!(lambda(&cloud, TERMINATE, &nobody).await.0, 404);
    assert_eq!(lambda(&cloud, TERMINATE, "terminate").await.0, 400);
    assert_eq!(LAMBDA.state(&cloud).await, "active");
}
