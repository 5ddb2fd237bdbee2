//! Listings: paging, missing tags, unknown types, unreadable fields, throttling.

use std::sync::atomic::{AtomicUsize, Ordering};

use reaper_model::{Fact, Ignorance, Location};
use reaper_provider::{ErrorKind, Identity, Provider, Sink};

use crate::open;
use crate::support::{Answer, OWNED, Server, context, list, machine, ok, page, refuse};

#[tokio::test]
async fn fl_001_tags_that_a_listing_left_out_are_read_again() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstances" => {
            page(&[machine("i-1", "p4d.24xlarge", ""), machine("i-2", "g5.xlarge", OWNED)], "")
        }
        "DescribeTags" => ok(
            "DescribeTags",
            "<tagSet><item><resourceId>i-1</resourceId><resourceType>instance</resourceType>\
             <key>owner</key><value>bob</value></item></tagSet>",
        ),
        _ => refuse(400, "InvalidAction"),
    })
    .await;
    let (machines, ended, requests) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!(ended, Ok(()));
    let owner = |at: usize| machines[at].tags.value().and_then(|tags| tags.exact("owner"));
    assert_eq!((owner(0), owner(1)), (Some("bob"), Some("alice@example.org")));
    assert_eq!(requests, 2);
    let asked = server.requests();
    assert_eq!(asked[1].get("Filter.1.Value.1"), "i-1");
    assert_eq!(asked[1].get("Filter.1.Value.2"), "", "only the machine without tags");
}

#[tokio::test]
async fn fl_001_no_tags_confirmed_and_tags_unread_are_different_things() {
    let empty = machine("i-1", "p4d.24xlarge", "<tagSet/>");
    let confirmed = Server::start(move |request| match request.action() {
        "DescribeTags" => ok("DescribeTags", "<tagSet/>"),
        _ => page(std::slice::from_ref(&empty), ""),
    })
    .await;
    let (machines, ..) = list(&open(confirmed.settings()), "eu-west-1").await;
    assert!(matches!(machines[0].tags, Fact::Absent { .. }));

    let failing = Server::start(|request| match request.action() {
        "DescribeTags" => refuse(503, "ServiceUnavailable"),
        _ => page(&[machine("i-1", "p4d.24xlarge", "")], ""),
    })
    .await;
    let (machines, ended, _) = list(&open(failing.settings()), "eu-west-1").await;
    assert_eq!(ended, Ok(()));
    assert_eq!(machines[0].tags.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    assert!(!machines[0].stop.objections.is_empty(), "a controller may own it");
}

#[tokio::test]
async fn fl_014_empty_pages_with_a_token_do_not_end_a_listing() {
    let server = Server::start(|request| match request.get("NextToken") {
        "" => page(&[], "a"),
        "a" => {
            let machines = ["i-1", "i-2", "i-3"].map(|id| machine(id, "g5.xlarge", OWNED));
            page(&machines, "b")
        }
        _ => page(&[], ""),
    })
    .await;
    let (machines, ended, requests) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!((machines.len(), ended, requests), (3, Ok(()), 3));
    let first = &server.requests()[0];
    assert_eq!(first.get("IncludeManagedResources"), "true");
    assert_eq!(first.get("MaxResults"), "1000");
}

#[tokio::test]
async fn fl_014_a_token_repeated_for_ever_ends_as_contradiction() {
    let server =
        Server::start(|_| page(&[machine("i-1", "g5.xlarge", OWNED)], "round-and-round")).await;
    let (machines, ended, requests) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!(ended.map_err(|error| error.kind), Err(ErrorKind::Inconsistent));
    assert_eq!((machines.len(), requests), (1, 2), "what was read is kept, once");
}

#[tokio::test]
async fn fl_022_a_new_family_is_described_by_aws_or_assumed_to_be_a_gpu() {
    let kinds = ["g99x.48xlarge", "m99.large", "m5.large"];
    let listing = move || page(&kinds.map(|kind| machine(kind, kind, OWNED)), "");
    let server = Server::start(move |request| match request.action() {
        "DescribeInstanceTypes" => ok(
            "DescribeInstanceTypes",
            "<instanceTypeSet><item><instanceType>m99.large</instanceType></item>\
             <item><instanceType>g99x.48xlarge</instanceType><gpuInfo><gpus><item>\
             <name>X900</name><manufacturer>NVIDIA</manufacturer><count>8</count></item></gpus>\
             <totalGpuMemoryInMiB>2457600</totalGpuMemoryInMiB></gpuInfo></item>\
             </instanceTypeSet>",
        ),
        _ => listing(),
    })
    .await;
    let provider = open(server.settings());
    let (machines, ..) = list(&provider, "eu-west-1").await;
    assert_eq!(machines.len(), 1);
    let gpu = machines[0].gpu.value().expect("described");
    assert_eq!((gpu.model.as_str(), gpu.count.to_string().as_str()), ("X900", "8"));
    assert!(machines[0].local_storage.value().is_none());
    let (_, _, requests) = list(&provider, "eu-west-2").await;
    assert_eq!(requests, 1, "what was learnt holds for all regions");

    let server = Server::start(move |request| match request.action() {
        "DescribeInstanceTypes" => refuse(403, "UnauthorizedOperation"),
        _ => listing(),
    })
    .await;
    let (machines, ended, _) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!(ended, Ok(()));
    let types: Vec<&str> = machines.iter().map(|one| one.machine_type.as_str()).collect();
    assert_eq!(types, ["g99x.48xlarge", "m99.large"], "nothing unknown is left out");
    let why = machines[0].gpu.gap().expect("unknown").to_string();
    assert!(why.starts_with("unknown type, assumed billable GPU"), "{why}");
    assert!(machines[0].running_since.value().is_some());
}

#[tokio::test]
async fn fl_009_an_unreadable_launch_time_spoils_one_machine_and_not_its_page() {
    let broken = machine("i-1", "g5.xlarge", OWNED)
        .replace("<launchTime>2026-11-01T10:00:00.000Z</launchTime>", "<launchTime/>");
    let server =
        Server::start(move |_| page(&[broken.clone(), machine("i-2", "g5.xlarge", OWNED)], ""))
            .await;
    let (machines, ended, _) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!(ended, Ok(()));
    assert_eq!(machines[0].unreadable, ["launch time"]);
    assert!(machines[1].running_since.value().is_some());
}

#[tokio::test]
async fn a_big_fleet_without_accelerators_costs_two_pages() {
    let server = Server::start(|request| match request.action() {
        "DescribeInstanceTypes" => ok(
            "DescribeInstanceTypes",
            "<instanceTypeSet><item><instanceType>q7.large</instanceType><fpgaInfo><fpgas><item>\
             <name>V9</name><count>1</count></item></fpgas></fpgaInfo></item></instanceTypeSet>",
        ),
        _ if request.get("Filter.1.Name") == "instance-type" => {
            assert!(request.form.values().any(|value| value == "q7.large"));
            page(&[machine("i-q", "q7.large", OWNED), machine("i-0", "g5.xlarge", OWNED)], "")
        }
        _ => {
            let mut fleet: Vec<String> =
                (1..1000).map(|at| machine(&format!("i-cpu-{at}"), "m5.large", OWNED)).collect();
            fleet.push(machine("i-0", "g5.xlarge", OWNED));
            page(&fleet, "more")
        }
    })
    .await;
    let (machines, ended, requests) = list(&open(server.settings()), "eu-west-1").await;
    assert_eq!(ended, Ok(()));
    let ids: Vec<&str> = machines.iter().map(|one| one.id.native.as_str()).collect();
    assert_eq!(ids, ["i-0", "i-q"], "each once");
    assert_eq!((server.count("DescribeInstances"), requests), (2, 3));
}

#[tokio::test]
async fn without_the_types_a_big_listing_goes_on_unfiltered_and_says_so() {
    let server = Server::start(|request| match (request.action(), request.get("NextToken")) {
        ("DescribeInstanceTypes", _) => refuse(403, "UnauthorizedOperation"),
        (_, "") => {
            let fleet: Vec<String> =
                (0..1000).map(|at| machine(&format!("i-cpu-{at}"), "m5.large", OWNED)).collect();
            page(&fleet, "a")
        }
        (_, "a") => page(&[machine("i-cpu", "m5.large", OWNED)], "b"),
        _ => page(&[machine("i-0", "g5.xlarge", OWNED)], ""),
    })
    .await;
    let (provider, cx) = (open(server.settings()), context());
    let identity = Identity { account: "111122223333".into(), login: "test".to_owned() };
    let mut sink = Sink::new(&|_| ());
    let ended = provider.list(&cx, &identity, &Location::new("eu-west-1"), &mut sink).await;
    assert_eq!((ended, sink.machines().len()), (Ok(()), 1));
    assert_eq!(server.count("DescribeInstanceTypes"), 1, "asked once");
    let codes: Vec<String> = sink.take_warnings().into_iter().map(|one| one.code).collect();
    assert_eq!(codes, ["types-unread"]);
}

#[tokio::test]
async fn fl_074_one_throttled_region_does_not_eat_the_retries_of_another() {
    let once = AtomicUsize::new(0);
    let server = Server::start(move |request| match request.region.as_str() {
        "eu-west-1" => refuse(503, "RequestLimitExceeded"),
        _ if once.fetch_add(1, Ordering::Relaxed) == 0 => refuse(503, "RequestLimitExceeded"),
        _ => page(&[machine("i-1", "g5.xlarge", OWNED)], ""),
    })
    .await;
    let provider = open(server.settings());
    let (throttled, served) =
        tokio::join!(list(&provider, "eu-west-1"), list(&provider, "eu-west-2"));
    let error = throttled.1.expect_err("throttled");
    assert_eq!((error.kind, throttled.2), (ErrorKind::Throttled, 2));
    assert_eq!(error.request_id.as_deref(), Some("req-9"));
    assert_eq!((served.0.len(), served.1, served.2), (1, Ok(()), 2));
}

#[tokio::test]
async fn an_html_page_is_a_fault_of_the_server_or_unreadable() {
    for (status, kind) in [(502, ErrorKind::ServerFault), (200, ErrorKind::Protocol)] {
        let server = Server::start(move |_| {
            Answer(status, String::new(), "<html><body>Bad gateway</body></html>".to_owned())
        })
        .await;
        let (_, ended, _) = list(&open(server.settings()), "eu-west-1").await;
        assert_eq!(ended.expect_err("no XML of EC2").kind, kind);
    }
}
