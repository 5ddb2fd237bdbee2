//! One machine read alone, as it is read before an action and after it.

use reaper_model::{Fact, Guard, Ignorance, Instance, InstanceId, Meter, ProviderName, State};
use reaper_provider::{ErrorKind, Provider, ProviderError};

use crate::open;
use crate::support::{
    Answer, OWNED, Request, Server, context, identity, list, machine, ok, page, refuse,
};

fn id(native: &str) -> InstanceId {
    InstanceId {
        provider: ProviderName::new("aws"),
        account: identity().account,
        location: "eu-west-1".into(),
        native: native.to_owned(),
    }
}

async fn read(server: &Server, native: &str) -> Result<Instance, ProviderError> {
    open(server.settings()).read(&context(), &identity(), &id(native)).await
}

/// No protection of any kind.
fn unprotected(request: &Request) -> Answer {
    let name = request.get("Attribute");
    ok("DescribeInstanceAttribute", &format!("<{name}><value>false</value></{name}>"))
}

#[tokio::test]
async fn fl_003_what_changed_since_the_listing_is_seen_by_the_read() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstances" if request.get("InstanceId.1").is_empty() => {
            page(&[machine("i-1", "g5.xlarge", OWNED)], "")
        }
        "DescribeInstances" => {
            let keep = "<tagSet><item><key>reaper-keep</key><value/></item></tagSet>";
            page(&[machine("i-1", "g5.xlarge", keep)], "")
        }
        _ => {
            let name = request.get("Attribute");
            ok("DescribeInstanceAttribute", &format!("<{name}><value>true</value></{name}>"))
        }
    })
    .await;
    let provider = open(server.settings());
    let (listed, ..) = list(&provider, "eu-west-1").await;
    let machine = provider.read(&context(), &identity(), &listed[0].id).await.expect("read");
    assert_eq!(machine.id, listed[0].id);
    let tags = machine.tags.value().expect("read");
    assert_eq!((tags.exact("reaper-keep"), tags.exact("owner")), (Some(""), None));
    assert_eq!(machine.guards.value(), Some(&vec![Guard::Stop, Guard::Terminate]));

    let asked = &server.requests()[1];
    assert_eq!(asked.get("InstanceId.1"), "i-1");
    assert_eq!(asked.get("IncludeManagedResources"), "true");
    assert_eq!(asked.get("MaxResults"), "", "EC2 refuses it together with ids");
}

#[tokio::test]
async fn fl_001_tags_that_the_read_left_out_are_read_again() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstances" => page(&[machine("i-1", "g5.xlarge", "")], ""),
        "DescribeTags" => ok(
            "DescribeTags",
            "<tagSet><item><resourceId>i-1</resourceId><resourceType>instance</resourceType>\
             <key>reaper-keep</key><value>true</value></item></tagSet>",
        ),
        _ => unprotected(request),
    })
    .await;
    let machine = read(&server, "i-1").await.expect("read");
    let tags = machine.tags.value().expect("read again");
    assert_eq!(tags.exact("reaper-keep"), Some("true"));
    assert!(matches!(machine.guards, Fact::Absent { .. }));
}

#[tokio::test]
async fn what_the_closer_look_could_not_read_is_unknown_and_the_rest_is_told() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstances" => page(&[machine("i-1", "g5.xlarge", OWNED)], ""),
        _ => refuse(403, "UnauthorizedOperation"),
    })
    .await;
    let machine = read(&server, "i-1").await.expect("read");
    let gap = machine.guards.gap().expect("not read");
    assert_eq!(gap.kind, Ignorance::ReadFailed);
    assert!(gap.why.contains("ec2:DescribeInstanceAttribute"), "{gap}");
}

#[tokio::test]
async fn fl_045_a_machine_that_is_gone_is_not_found_and_a_ghost_has_ended() {
    let server = Server::start(|request| match request.get("InstanceId.1") {
        "i-gone" => refuse(400, "InvalidInstanceID.NotFound"),
        ghost => {
            let state = "<instanceState><code>16</code><name>running</name></instanceState>";
            let ended = "<instanceState><code>48</code><name>terminated</name></instanceState>";
            page(&[machine(ghost, "g5.xlarge", "").replace(state, ended)], "")
        }
    })
    .await;
    let error = read(&server, "i-gone").await.expect_err("gone");
    assert_eq!(error.kind, ErrorKind::NotFound);
    let ghost = read(&server, "i-1").await.expect("a ghost");
    assert_eq!((ghost.state, ghost.meter), (State::Ended, Meter::Ended));
    assert_eq!(server.requests().len(), 2, "nothing further is asked of a ghost");
}

#[tokio::test]
async fn an_answer_without_the_machine_does_not_say_that_it_is_gone() {
    for machines in [Vec::new(), vec![machine("i-2", "g5.xlarge", OWNED)]] {
        let server = Server::start(move |_| page(&machines, "")).await;
        let error = read(&server, "i-1").await.expect_err("not in the answer");
        assert_eq!(error.kind, ErrorKind::Inconsistent);
    }
}

#[tokio::test]
async fn a_machine_whose_type_has_lost_its_accelerators_is_shown_with_that_type() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstances" => page(&[machine("i-1", "m5.large", OWNED)], ""),
        _ => unprotected(request),
    })
    .await;
    let machine = read(&server, "i-1").await.expect("read");
    assert_eq!(machine.machine_type.as_str(), "m5.large");
    assert!(matches!(machine.gpu, Fact::Absent { .. }));
}

#[tokio::test]
async fn fl_059_a_read_in_a_region_that_is_not_enabled_says_so() {
    let server = Server::start(|request| match request.action() {
        "DescribeRegions" => ok(
            "DescribeRegions",
            "<regionInfo><item><regionName>eu-west-1</regionName>\
             <optInStatus>not-opted-in</optInStatus></item></regionInfo>",
        ),
        _ => refuse(401, "AuthFailure"),
    })
    .await;
    let error = read(&server, "i-1").await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::NotEnabled);
}
