//! Changes of the world at a request, faults of single calls, and what the log says of changes.

use reaper_simcloud::{Change, Effect, Fault, Trigger};

use crate::client::{EC2, exchange, request};
use crate::rig::{RIGS, Rig};
use crate::small_world::ec2;

const AWS: Rig = RIGS[0];

#[tokio::test]
async fn fl_003_the_world_can_change_between_a_listing_and_the_read_after_it() {
    for rig in RIGS {
        let cloud = rig.start("").await;
        let id = rig.id;
        let read = match rig.provider {
            "aws" => "DescribeInstances",
            "ovhcloud" => "GET /cloud/project/{project}/instance/{instance}",
            "scaleway" => "GET /instance/v1/zones/{zone}/servers/{id}",
            _ => "GET /api/v1/instances/{id}",
        };
        let tampering = Trigger::before(read).of_provider(rig.provider).naming(id);
        cloud.on_request(tampering, move |world| assert!(world.remove(id)));
        assert_eq!(rig.listed(&cloud).await, [id], "the listing is from before");
        assert_eq!(rig.state(&cloud).await, "gone", "{}", rig.provider);
    }
}

#[tokio::test]
async fn a_change_waits_for_the_nth_request_and_happens_once() {
    let cloud = AWS.start("").await;
    let rename = |name: &'static str| {
        move |world: &mut reaper_simcloud::World| {
            let machine = world.aws.instance_mut(AWS.account, "eu-west-1", AWS.id).expect("there");
            name.clone_into(&mut machine.state);
        }
    };
    cloud.on_request(Trigger::after("DescribeInstances").nth(2), rename("after"));
    cloud.on_request(Trigger::before("DescribeInstances").nth(4), rename("before"));
    for expected in ["running", "running", "after", "before", "before"] {
        assert_eq!(AWS.state(&cloud).await, expected);
    }
}

#[tokio::test]
async fn fl_046_faults_hit_the_call_that_acts_and_no_other() {
    for rig in RIGS {
        let cloud = rig.start("").await;
        let busy =
            Effect::Answer { status: 503, body: String::new(), content_type: "text/plain".into() };
        cloud.add_fault(Fault::always(busy).at(rig.action).on(rig.id).first(2));
        for expected in [503, 503] {
            assert_eq!(rig.act(&cloud).await, expected, "{}", rig.provider);
            assert_eq!(rig.state(&cloud).await, rig.running);
        }
        assert!((200..300).contains(&rig.act(&cloud).await));
        assert_eq!(rig.state(&cloud).await, rig.ended);
    }
}

#[tokio::test]
async fn a_fault_of_another_machine_is_not_ones_own() {
    let cloud = AWS.start("").await;
    cloud.add_fault(Fault::always(Effect::Hangup).on("i-0b"));
    assert_eq!(AWS.act(&cloud).await, 200);
}

#[tokio::test]
async fn what_was_carried_out_can_be_answered_otherwise_or_not_at_all() {
    for rig in RIGS {
        let cloud = rig.start("").await;
        let body = "<html>Bad gateway</html>".to_owned();
        let masked = Effect::Masked { status: 502, body, content_type: "text/html".to_owned() };
        cloud.add_fault(Fault::always(masked).at(rig.action));
        assert_eq!(rig.act(&cloud).await, 502);
        assert_eq!(rig.state(&cloud).await, rig.ended, "{}", rig.provider);
    }
    let cloud = AWS.start("").await;
    cloud.add_fault(Fault::always(Effect::Dropped).at("StopInstances"));
    let stop = request(Some(EC2), &ec2(&format!("StopInstances&InstanceId.1={}", AWS.id)));
    assert!(exchange(cloud.addr(), &stop).await.unwrap_or_default().is_empty());
    assert_eq!(AWS.state(&cloud).await, "stopped");
}

#[tokio::test]
async fn the_log_says_exactly_what_was_to_be_changed() {
    for rig in RIGS {
        let cloud = rig.start("").await;
        rig.listed(&cloud).await;
        rig.state(&cloud).await;
        rig.act(&cloud).await;
        let expected = Change {
            provider: rig.provider,
            account: rig.account.to_owned(),
            action: rig.action.to_owned(),
            ids: vec![rig.id.to_owned()],
        };
        let requests = cloud.requests();
        assert_eq!(requests.changes(), [expected]);
        let line = format!("{} {} {} {}", rig.provider, rig.account, rig.action, rig.id);
        assert_eq!(requests.changes()[0].to_string(), line);
        assert_eq!(requests.of(rig.action).len(), 1, "found by what it does");
    }
}
