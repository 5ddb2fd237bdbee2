//! The closer look at candidates: guards and spot requests.

use reaper_model::{Fact, Guard, Ignorance, Location, Purchase};
use reaper_provider::Provider;

use crate::open;
use crate::support::{OWNED, Server, context, list, machine, ok, page, refuse};

#[tokio::test]
async fn details_are_read_for_candidates_and_one_failure_spoils_one_machine() {
    let spot = "<instanceLifecycle>spot</instanceLifecycle>";
    let server =
        Server::start(move |request| match (request.action(), request.get("InstanceId")) {
            ("DescribeInstances", _) => page(
                &[
                    machine("i-1", "g5.xlarge", &format!("{spot}{OWNED}")),
                    machine("i-2", "g5.xlarge", OWNED),
                ],
                "",
            ),
            ("DescribeSpotInstanceRequests", _) => ok(
                "DescribeSpotInstanceRequests",
                "<spotInstanceRequestSet><item><instanceId>i-1</instanceId><type>one-time</type>\
             <state>active</state></item></spotInstanceRequestSet>",
            ),
            ("DescribeInstanceAttribute", "i-1") => {
                let guarded = request.get("Attribute") == "disableApiStop";
                let name = request.get("Attribute");
                let body = format!("<{name}><value>{guarded}</value></{name}>");
                ok("DescribeInstanceAttribute", &body)
            }
            _ => refuse(403, "UnauthorizedOperation"),
        })
        .await;
    let provider = open(server.settings());
    let (machines, ..) = list(&provider, "eu-west-1").await;
    let candidates: Vec<_> = machines.iter().collect();
    let details = provider.details(&context(), &Location::new("eu-west-1"), &candidates).await;
    assert_eq!(details[0].guards.value(), Some(&vec![Guard::Stop]));
    let persistent = match &details[0].purchase {
        Some(Purchase::Spot { persistent }) => persistent.value(),
        other => panic!("not spot: {other:?}"),
    };
    assert_eq!(persistent, Some(&false));
    assert_eq!(details[1].guards.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    assert_eq!(details[1].purchase, None);
}

#[tokio::test]
async fn spot_requests_that_may_not_be_read_leave_a_gap_that_names_the_permission() {
    let spot = "<instanceLifecycle>spot</instanceLifecycle>";
    let server = Server::start(move |request| match request.action() {
        "DescribeInstances" => page(&[machine("i-1", "g5.xlarge", &format!("{spot}{OWNED}"))], ""),
        "DescribeInstanceAttribute" => {
            let name = request.get("Attribute");
            ok("DescribeInstanceAttribute", &format!("<{name}><value>false</value></{name}>"))
        }
        _ => refuse(403, "UnauthorizedOperation"),
    })
    .await;
    let provider = open(server.settings());
    let (machines, ..) = list(&provider, "eu-west-1").await;
    let candidates: Vec<_> = machines.iter().collect();
    let details = provider.details(&context(), &Location::new("eu-west-1"), &candidates).await;
    let Some(Purchase::Spot { persistent: Fact::Unknown(gap) }) = &details[0].purchase else {
        panic!("not an unknown kind of spot: {:?}", details[0].purchase);
    };
    assert_eq!(gap.kind, Ignorance::ReadFailed);
    let missing = "permission ec2:DescribeSpotInstanceRequests is missing";
    assert!(gap.why.contains(missing), "{gap}");
    let stop = details[0].stop.as_ref().expect("a stop depends on it");
    assert!(stop.objections.iter().any(|objection| objection.contains(missing)), "{stop:?}");
    assert!(matches!(details[0].guards, Fact::Absent { .. }), "the rest is read");
}

#[tokio::test]
async fn details_of_fifty_machines_do_not_wait_for_a_pace() {
    let server = Server::start(|request| {
        let name = request.get("Attribute");
        if request.action() == "DescribeInstanceAttribute" {
            let body = format!("<{name}><value>false</value></{name}>");
            return ok("DescribeInstanceAttribute", &body);
        }
        let fleet: Vec<String> =
            (0..50).map(|at| machine(&format!("i-{at}"), "g5.xlarge", OWNED)).collect();
        page(&fleet, "")
    })
    .await;
    let provider = open(server.settings());
    let (machines, ..) = list(&provider, "eu-west-1").await;
    let candidates: Vec<_> = machines.iter().collect();
    let begin = tokio::time::Instant::now();
    let details = provider.details(&context(), &Location::new("eu-west-1"), &candidates).await;
    assert!(details.iter().all(|detail| matches!(detail.guards, Fact::Absent { .. })));
    assert_eq!(server.count("DescribeInstanceAttribute"), 100);
    // An even pace of 20 a second would take five seconds.
    assert!(begin.elapsed() < std::time::Duration::from_secs(4), "{:?}", begin.elapsed());
}
