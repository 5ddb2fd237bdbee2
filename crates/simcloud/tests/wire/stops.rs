//! `StopInstances` and `TerminateInstances`: what they leave, and how they refuse.

use reaper_simcloud::{SimCloud, World};

use crate::client::{ACCOUNT, Answer, EC2, Signer, call};
use crate::small_world::ec2;

/// One ordinary machine `i-0a`, and one `i-0b` of which `more` is said.
async fn start(more: &str) -> SimCloud {
    let text = format!(
        "clock = {{ start = \"2026-11-30T09:00:00Z\" }}\n\
         [[aws.account]]\nid = \"{ACCOUNT}\"\naccess_keys = [\"AKIAEXAMPLE\"]\n\
         denied = [\"ec2:StopInstances@us-east-1\"]\n\
         [[aws.instance]]\naccount = \"{ACCOUNT}\"\nregion = \"eu-west-1\"\nid = \"i-0a\"\n\
         type = \"g5.xlarge\"\nlaunched = \"720h\"\npublic_ip = \"203.0.113.7\"\n\
         volumes = [{{ id = \"vol-1\" }}]\n\
         [[aws.instance]]\naccount = \"{ACCOUNT}\"\nregion = \"eu-west-1\"\nid = \"i-0b\"\n\
         type = \"g5.xlarge\"\nlaunched = \"720h\"\n{more}\n"
    );
    let world = World::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    SimCloud::start(world).await.expect("a free port")
}

async fn ask(cloud: &SimCloud, action: &str) -> Answer {
    call(cloud.addr(), EC2, &ec2(action)).await
}

async fn state(cloud: &SimCloud, id: &str) -> String {
    let asked = format!("DescribeInstances&IncludeManagedResources=true&InstanceId.1={id}");
    ask(cloud, &asked).await.text("name")
}

#[tokio::test]
async fn a_stop_tells_both_states_and_leaves_a_dated_reason() {
    let cloud = start("").await;
    let stopped = ask(&cloud, "StopInstances&InstanceId.1=i-0a").await;
    assert!(stopped.body.contains(
        "<currentState><code>64</code><name>stopping</name></currentState>\
         <previousState><code>16</code><name>running</name></previousState>"
    ));
    let read = ask(&cloud, "DescribeInstances&InstanceId.1=i-0a").await;
    assert_eq!(read.text("name"), "stopped");
    assert_eq!(read.texts("reason"), ["User initiated (2026-11-30 09:00:00 GMT)"]);
    assert!(read.body.contains("<code>Client.UserInitiatedShutdown</code>"));
    assert!(!read.has("ipAddress"), "lent for the time it runs");
    assert_eq!(read.text("volumeId"), "vol-1");
    assert_eq!(state(&cloud, "i-0b").await, "running");
}

#[tokio::test]
async fn fl_045_a_stop_of_what_stops_or_has_stopped_is_no_error() {
    let cloud = start("act = { reads = 1 }").await;
    for states in [["stopping", "running"], ["stopping", "stopping"], ["stopped", "stopped"]] {
        let answer = ask(&cloud, "StopInstances&InstanceId.1=i-0b").await;
        assert_eq!((answer.status, answer.texts("name")), (200, states.map(str::to_owned).into()));
        if states == ["stopping", "stopping"] {
            assert_eq!(state(&cloud, "i-0b").await, "stopping");
        }
    }
}

#[tokio::test]
async fn fl_037_fl_039_fl_040_one_machine_that_cannot_be_stopped_fails_the_whole_call() {
    for (more, id, status, code) in [
        ("", "i-0c", 400, "InvalidInstanceID.NotFound"),
        ("", "0c", 400, "InvalidInstanceID.Malformed"),
        // It never ran.
        ("state = \"pending\"", "i-0b", 400, "IncorrectInstanceState"),
        ("state = \"terminated\"", "i-0b", 400, "IncorrectInstanceState"),
        ("state = \"shutting-down\"", "i-0b", 400, "IncorrectInstanceState"),
        (
            "spot = { kind = \"one-time\", request = \"sir-1\" }",
            "i-0b",
            400,
            "UnsupportedOperation",
        ),
        (
            "spot = { kind = \"persistent\", request = \"sir-1\", state = \"cancelled\" }",
            "i-0b",
            400,
            "UnsupportedOperation",
        ),
        ("root_device = \"instance-store\"", "i-0b", 400, "UnsupportedOperation"),
        ("disable_api_stop = true", "i-0b", 400, "OperationNotPermitted"),
        ("operator = { principal = \"eks.amazonaws.com\" }", "i-0b", 403, "UnauthorizedOperation"),
    ] {
        let cloud = start(more).await;
        let asked = format!("StopInstances&InstanceId.1=i-0a&InstanceId.2={id}");
        let refused = ask(&cloud, &asked).await;
        assert_eq!((refused.status, refused.text("Code").as_str()), (status, code), "{more}");
        assert_eq!(state(&cloud, "i-0a").await, "running", "{more}");
    }
}

#[tokio::test]
async fn fl_047_who_may_look_may_not_be_allowed_to_stop() {
    let cloud = start("").await;
    let elsewhere = Signer { region: "us-east-1", ..EC2 };
    let asked = ec2("StopInstances&InstanceId.1=i-0a");
    let refused = call(cloud.addr(), elsewhere, &asked).await;
    assert_eq!((refused.status, refused.text("Code").as_str()), (403, "UnauthorizedOperation"));
    assert!(refused.text("Message").contains("ec2:StopInstances"));
    assert_eq!(call(cloud.addr(), elsewhere, &ec2("DescribeInstances")).await.status, 200);
}

#[tokio::test]
async fn a_dry_run_stops_nothing_and_is_no_change() {
    let cloud = start("").await;
    let probe = ask(&cloud, "StopInstances&DryRun=true&InstanceId.1=i-0a").await;
    assert_eq!((probe.status, probe.text("Code").as_str()), (412, "DryRunOperation"));
    assert_eq!(state(&cloud, "i-0a").await, "running");
    assert!(cloud.requests().changes().is_empty());
}

#[tokio::test]
async fn a_persistent_spot_request_is_disabled_by_a_stop_and_replaces_what_is_terminated() {
    let spot = "spot = { kind = \"persistent\", request = \"sir-1\" }";
    let cloud = start(spot).await;
    let request = "DescribeSpotInstanceRequests&SpotInstanceRequestId.1=sir-1";
    assert_eq!(ask(&cloud, request).await.text("state"), "active");
    assert_eq!(ask(&cloud, "StopInstances&InstanceId.1=i-0b").await.status, 200);
    assert_eq!(ask(&cloud, request).await.text("state"), "disabled");

    let cloud = start(spot).await;
    assert_eq!(ask(&cloud, "TerminateInstances&InstanceId.1=i-0b").await.status, 200);
    let listed = ask(&cloud, "DescribeInstances").await;
    assert_eq!(listed.texts("instanceId"), ["i-0a", "i-0b", "i-0b-1"]);
    assert_eq!(listed.texts("name"), ["running", "terminated", "running"]);
}

#[tokio::test]
async fn a_terminated_machine_is_shown_as_that_and_a_second_time_is_no_error() {
    let cloud = start("").await;
    for states in [["shutting-down", "running"], ["terminated", "terminated"]] {
        let answer = ask(&cloud, "TerminateInstances&InstanceId.1=i-0b").await;
        assert_eq!((answer.status, answer.texts("name")), (200, states.map(str::to_owned).into()));
    }
    assert_eq!(state(&cloud, "i-0b").await, "terminated");
    assert!(!cloud.edit(|world| world.restart("i-0b")), "there is no way back");
}

#[tokio::test]
async fn either_protection_refuses_a_termination_and_saves_its_own_zone_alone() {
    for protection in ["disable_api_stop = true", "disable_api_termination = true"] {
        for (zone, neighbour) in [("eu-west-1a", "running"), ("eu-west-1b", "terminated")] {
            let cloud = start(&format!("{protection}\nzone = \"{zone}\"")).await;
            let asked = "TerminateInstances&InstanceId.1=i-0a&InstanceId.2=i-0b";
            let refused = ask(&cloud, asked).await;
            assert_eq!(refused.text("Code"), "OperationNotPermitted");
            assert_eq!(state(&cloud, "i-0a").await, neighbour, "{protection} {zone}");
            assert_eq!(state(&cloud, "i-0b").await, "running");
        }
    }
}
