//! The adapter over the real wire against a scripted EC2: paging, missing tags, unknown types,
//! refusals, roles.

#![expect(clippy::expect_used, reason = "a test says by panic what it found")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use reaper_aws::AwsProvider;
use reaper_model::{Fact, Guard, Ignorance, Location, Purchase};
use reaper_provider::{AccountSettings, Delivery, ErrorKind, Identity, Provider, Sink};
use support::{Answer, OWNED, Server, context, list, machine, ok, page, refuse, settings};

fn open(settings: AccountSettings) -> AwsProvider {
    AwsProvider::open(settings).expect("opens")
}

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
async fn fl_059_a_region_that_is_not_enabled_is_told_apart_from_refused_credentials() {
    let server = Server::start(|request| match request.action() {
        "DescribeRegions" => ok(
            "DescribeRegions",
            "<regionInfo><item><regionName>eu-west-1</regionName>\
             <optInStatus>opt-in-not-required</optInStatus></item>\
             <item><regionName>me-south-1</regionName><optInStatus>not-opted-in</optInStatus>\
             </item></regionInfo>",
        ),
        _ => refuse(401, "AuthFailure"),
    })
    .await;
    let provider = open(server.settings());
    let kind = |ended: Result<(), reaper_provider::ProviderError>| ended.expect_err("refused").kind;
    assert_eq!(kind(list(&provider, "me-south-1").await.1), ErrorKind::NotEnabled);
    assert_eq!(kind(list(&provider, "eu-west-1").await.1), ErrorKind::CredentialsRejected);
    assert_eq!(server.count("DescribeRegions"), 1);
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
async fn fl_080_a_wrong_clock_is_named_and_not_a_wrong_key() {
    let server = Server::start(|_| {
        let Answer(status, _, body) = refuse(401, "AuthFailure");
        Answer(status, "date: Fri, 01 Jan 2100 00:00:00 GMT\r\n".to_owned(), body)
    })
    .await;
    let (_, ended, _) = list(&open(server.settings()), "eu-west-1").await;
    let error = ended.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::ClockSkew);
    assert!(error.detail.starts_with("local clock is about "), "{error}");
}

#[tokio::test]
async fn fl_056_a_dead_endpoint_is_unreachable_and_named() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("an address").to_string();
    drop(socket);
    let (_, ended, requests) = list(&open(settings(&format!("http://{address}"))), "b").await;
    let error = ended.expect_err("nobody listens");
    assert_eq!((error.kind.clone(), requests), (ErrorKind::Unreachable, 2));
    assert!(error.detail.starts_with(&address), "{error}");
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

const CALLER: &str = "<GetCallerIdentityResult><Account>444455556666</Account>\
    <Arn>arn:aws:sts::444455556666:assumed-role/reaper-audit/reaper</Arn></GetCallerIdentityResult>";

#[tokio::test]
async fn one_role_is_assumed_for_all_regions_and_its_request_is_counted() {
    let server = Server::start(|request| match request.action() {
        "AssumeRole" => ok(
            "AssumeRole",
            "<AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>\
             <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
             <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>",
        ),
        "GetCallerIdentity" => ok("GetCallerIdentity", CALLER),
        _ => page(&[], ""),
    })
    .await;
    let mut settings = server.settings();
    settings.options.insert("assume_role".to_owned(), "arn:aws:iam::4:role/reaper".to_owned());
    settings.options.insert("external_id".to_owned(), "shake".to_owned());
    let provider = open(settings);
    let cx = context();
    let identity = provider.identity(&cx).await.expect("answers");
    assert_eq!(identity.account.as_str(), "444455556666");
    assert_eq!(cx.requests.sent(), 2);
    for region in ["eu-west-1", "us-east-1"] {
        assert_eq!(list(&provider, region).await.1, Ok(()));
    }
    assert_eq!(server.count("AssumeRole"), 1);
    assert_eq!(server.requests()[0].get("ExternalId"), "shake");
}

#[tokio::test]
async fn fl_060_a_role_that_cannot_be_assumed_names_the_permission() {
    let server = Server::start(|_| {
        let body = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
                    <Message>not for you</Message></Error><RequestId>req-7</RequestId>\
                    </ErrorResponse>";
        Answer(403, String::new(), body.to_owned())
    })
    .await;
    let mut settings = server.settings();
    settings.options.insert("assume_role".to_owned(), "arn:aws:iam::4:role/reaper".to_owned());
    let error = open(settings).identity(&context()).await.expect_err("denied");
    assert_eq!(error.kind, ErrorKind::Denied { permission: "sts:AssumeRole".to_owned() });
    assert_eq!(server.count("AssumeRole"), 1, "a denial is not repeated");
}

#[tokio::test]
async fn fl_084_a_profile_that_is_not_there_is_said_at_once() {
    let server = Server::start(|_| refuse(500, "InternalError")).await;
    let mut settings = server.settings();
    settings.credentials.clear();
    settings.options.insert("profile".to_owned(), "reaper-no-such-profile".to_owned());
    let error = open(settings).identity(&context()).await.expect_err("no credentials");
    assert_eq!((error.kind, error.delivery), (ErrorKind::NoCredentials, Delivery::NotSent));
    assert!(server.requests().is_empty());
}

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
