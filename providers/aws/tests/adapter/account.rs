//! Who the account is and where it is asked: homes, regions, roles, clocks, impossible settings.

use reaper_aws::AwsProvider;
use reaper_model::Location;
use reaper_provider::{AccountSettings, Delivery, ErrorKind, Provider, Surroundings};

use crate::open;
use crate::support::{
    Answer, OWNED, Request, Server, context, list, machine, ok, page, refuse, refuse_sts, settings,
};

const REGIONS: &str = "<regionInfo><item><regionName>eu-west-1</regionName>\
    <optInStatus>opt-in-not-required</optInStatus></item>\
    <item><regionName>me-south-1</regionName><optInStatus>not-opted-in</optInStatus></item>\
    </regionInfo>";

const ROLE: &str = "arn:aws:iam::444455556666:role/reaper";

const CALLER: &str = "<GetCallerIdentityResult><Account>444455556666</Account>\
    <Arn>arn:aws:sts::444455556666:assumed-role/reaper-audit/reaper</Arn></GetCallerIdentityResult>";

const SESSION: &str = "<AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>\
    <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
    <Expiration>2100-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult>";

#[tokio::test]
async fn fl_059_a_region_that_is_not_enabled_is_told_apart_from_refused_credentials() {
    let server = Server::start(|request| match request.action() {
        "DescribeRegions" => ok("DescribeRegions", REGIONS),
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
async fn fl_080_two_regions_with_one_refusal_say_the_same_also_of_a_wrong_clock() {
    let server = Server::start(|request| {
        let skewed = |Answer(status, _, body)| {
            Answer(status, "date: Fri, 01 Jan 2100 00:00:00 GMT\r\n".to_owned(), body)
        };
        match request.action() {
            "GetCallerIdentity" => skewed(refuse_sts(403, "InvalidClientTokenId")),
            "DescribeTags" => skewed(refuse(401, "AuthFailure")),
            _ if request.region == "eu-west-1" => {
                skewed(page(&[machine("i-1", "g5.xlarge", "")], ""))
            }
            _ => skewed(refuse(401, "AuthFailure")),
        }
    })
    .await;
    let provider = open(server.settings());
    // The SDK has seen the clock in this region and signs rightly now: the refusal is the same.
    let (machines, ..) = list(&provider, "eu-west-1").await;
    let why = machines[0].tags.gap().expect("refused").to_string();
    let error = list(&provider, "eu-west-2").await.1.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::ClockSkew);
    assert!(why.contains(&error.kind.words()), "{why}");

    let error = provider.identity(&context()).await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected, "the code speaks of the key alone");
    assert!(error.detail.contains("besides, the local clock is about "), "{error}");
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

/// Answers only in regions that are enabled: everything but `me-south-1`.
fn enabled_regions(request: &Request) -> Answer {
    let me_south = request.region == "me-south-1";
    match request.action() {
        "GetCallerIdentity" if me_south => refuse_sts(403, "InvalidClientTokenId"),
        _ if me_south => refuse(401, "AuthFailure"),
        "GetCallerIdentity" => ok("GetCallerIdentity", CALLER),
        "DescribeRegions" => ok("DescribeRegions", REGIONS),
        _ => page(&[machine("i-1", "g5.xlarge", OWNED)], ""),
    }
}

#[tokio::test]
async fn fl_056_a_first_region_that_is_not_enabled_does_not_hide_the_account() {
    let server = Server::start(enabled_regions).await;
    let mut settings = server.settings();
    settings.locations = ["me-south-1", "eu-west-1"].map(Location::new).to_vec();
    let provider = open(settings.clone());
    let identity = provider.identity(&context()).await.expect("eu-west-1 answers");
    assert_eq!(identity.account.as_str(), "444455556666");
    let coverage = provider.coverage(&context()).await.expect("eu-west-1 answers");
    assert_eq!(coverage.locations, [Location::new("eu-west-1")]);
    assert_eq!(coverage.skipped[0].location, Location::new("me-south-1"));
    let regions: Vec<String> = server.requests().into_iter().map(|one| one.region).collect();
    assert_eq!(regions, ["me-south-1", "eu-west-1", "eu-west-1"], "the answering one stays home");

    // Without the list of regions, the bad one fails alone.
    settings.options.insert("name_uncovered_regions".to_owned(), "false".to_owned());
    let provider = open(settings);
    provider.identity(&context()).await.expect("eu-west-1 answers");
    let error = list(&provider, "me-south-1").await.1.expect_err("not enabled");
    assert_eq!(error.kind, ErrorKind::NotEnabled);
    assert_eq!(list(&provider, "eu-west-1").await.0.len(), 1);
}

#[tokio::test]
async fn fl_056_the_regions_are_asked_elsewhere_when_the_home_is_refused() {
    let server = Server::start(enabled_regions).await;
    let mut settings = server.settings();
    settings.locations = vec![Location::new("me-south-1")];
    let coverage = open(settings).coverage(&context()).await.expect("us-east-1 answers");
    assert!(coverage.locations.is_empty());
    assert_eq!(coverage.skipped[0].location, Location::new("me-south-1"));
}

#[tokio::test]
async fn fl_059_keys_that_every_region_refuses_are_refused() {
    let server = Server::start(|_| refuse_sts(403, "InvalidClientTokenId")).await;
    let mut settings = server.settings();
    settings.locations = ["eu-west-1", "eu-west-2"].map(Location::new).to_vec();
    let error = open(settings).identity(&context()).await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    let regions: Vec<String> = server.requests().into_iter().map(|one| one.region).collect();
    assert_eq!(regions, ["eu-west-1", "eu-west-2", "us-east-1"]);
}

#[tokio::test]
async fn fl_056_a_role_is_assumed_anew_in_the_region_that_answers() {
    let server = Server::start(|request| match (request.region.as_str(), request.action()) {
        ("me-south-1", _) => refuse_sts(403, "InvalidClientTokenId"),
        (_, "AssumeRole") => ok("AssumeRole", SESSION),
        _ => enabled_regions(request),
    })
    .await;
    let mut settings = server.settings();
    settings.locations = ["me-south-1", "eu-west-1"].map(Location::new).to_vec();
    settings.options.insert("assume_role".to_owned(), ROLE.to_owned());
    let (provider, cx) = (open(settings), context());
    provider.identity(&cx).await.expect("eu-west-1 answers");
    assert_eq!(cx.requests.sent(), 3, "refused, assumed, asked");
    assert_eq!(list(&provider, "eu-west-1").await.1, Ok(()));
    assert_eq!(server.count("AssumeRole"), 2, "once where it was refused, once for all");
}

#[tokio::test]
async fn settings_that_cannot_be_are_refused_before_anything_is_sent() {
    let server = Server::start(|_| refuse(500, "InternalError")).await;
    let problem = |change: &dyn Fn(&mut AccountSettings)| {
        let mut settings = server.settings();
        change(&mut settings);
        AwsProvider::open(settings, Surroundings::NONE).expect_err("refused").problem
    };
    let region = problem(&|settings| settings.locations.push(Location::new("EU-West-1")));
    assert!(region.contains("write it as \"eu-west-1\""), "{region}");
    let role = problem(&|settings| {
        settings.options.insert("assume_role".to_owned(), "reaper".to_owned());
    });
    assert!(role.contains("arn:aws:iam::"), "{role}");
    let pin = problem(&|settings| settings.expect_account = Some("research".to_owned()));
    assert!(pin.contains("12 digits"), "{pin}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn one_role_is_assumed_for_all_regions_and_its_request_is_counted() {
    let server = Server::start(|request| match request.action() {
        "AssumeRole" => ok("AssumeRole", SESSION),
        "GetCallerIdentity" => ok("GetCallerIdentity", CALLER),
        _ => page(&[], ""),
    })
    .await;
    let mut settings = server.settings();
    settings.options.insert("assume_role".to_owned(), ROLE.to_owned());
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
    let server = Server::start(|_| refuse_sts(403, "AccessDenied")).await;
    let mut settings = server.settings();
    settings.options.insert("assume_role".to_owned(), ROLE.to_owned());
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
