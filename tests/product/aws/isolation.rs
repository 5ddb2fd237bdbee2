//! Failures stay where they are (field cases of kind F and G), and invariants `partial_is_loud`
//! and `dry_is_dry`.

use std::time::{Duration, Instant};

use crate::aws::{classes, machine as find, scope};
use crate::support::{OWNERLESS, Sim, machine};

/// A world with a fault in one region and an orphan in each of three.
async fn three_regions(fault: &str) -> Sim {
    let world = format!(
        "clock = {{ start = \"{}\" }}\n{fault}\n[[aws.account]]\nid = \"{}\"\n\
         access_keys = [\"AKIARESEARCH\"]\n{}{}{}",
        crate::support::NOW,
        crate::support::ACCOUNT,
        machine("i-a", "eu-west-1", ""),
        machine("i-b", "eu-west-2", ""),
        machine("i-c", "eu-west-3", ""),
    );
    Sim::world(&world).await
}

const REGIONS: [&str; 3] = ["eu-west-1", "eu-west-2", "eu-west-3"];

fn fault(operation: &str, then: &str) -> String {
    format!(
        "[[fault]]\nprovider = \"aws\"\nlocation = \"eu-west-2\"\noperation = \"{operation}\"\nthen = {then}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_056_one_dead_region_hides_no_other() {
    let sim = three_regions(&fault("DescribeInstances", "\"hangup\"")).await;
    let ran = sim.audit(&REGIONS, OWNERLESS).await.exits(4);
    let document = ran.json();
    assert_eq!(document["totals"]["orphans"], 2);
    let dead = scope(&document, "eu-west-2");
    assert_eq!(dead["status"], "failed");
    assert!(dead["why"].as_str().expect("words").contains("ec2:DescribeInstances"), "{dead}");
    classes(&ran, &["incomplete", "findings"]);
    assert!(ran.stderr.contains("eu-west-2"), "the end names it: {}", ran.stderr);
}

/// Two machines on two pages, the second of which the provider cannot give.
async fn half_a_listing() -> Sim {
    let mut world = format!(
        "clock = {{ start = \"{}\" }}\n[[fault]]\noperation = \"DescribeInstances\"\nskip = 1\n\
         then = {{ answer = {{ status = 500, body = \"<html><h1>Oops</h1></html>\" }} }}\n\
         [[aws.account]]\nid = \"{}\"\naccess_keys = [\"AKIARESEARCH\"]\n\
         [[aws.quirk]]\noperation = \"DescribeInstances\"\npage_limit = 1\n",
        crate::support::NOW,
        crate::support::ACCOUNT,
    );
    for id in ["i-1", "i-2"] {
        world.push_str(&machine(id, "eu-west-1", "tags = { owner = \"alice\" }"));
    }
    Sim::world(&world).await
}

/// Invariant 8: what was not read whole is never clean, in any format, and what was read counts.
#[tokio::test(flavor = "multi_thread")]
async fn partial_is_loud() {
    let tail = format!("{OWNERLESS}[retries]\nattempts = 2\n");
    let ran = half_a_listing().await.audit(&["eu-west-1"], &tail).await.exits(4);
    let document = ran.json();
    assert_eq!(scope(&document, "eu-west-1")["status"], "partial");
    assert_eq!(document["totals"]["instances"], 1);
    classes(&ran, &["incomplete"]);
    assert!(!ran.stdout.contains("<html>") && !ran.stderr.contains("<html>"));
    for format in ["table", "markdown"] {
        let sim = half_a_listing().await;
        let config = sim.config(&["eu-west-1"], &tail);
        let ran = sim.run(&config, &["audit", "--format", format]).await.exits(4);
        let first = ran.stdout.lines().take(8).collect::<Vec<_>>().join("\n");
        assert!(first.contains("could not be read"), "{format} says it at the top:\n{first}");
        assert!(ran.stdout.contains("at least"), "{format}: {}", ran.stdout);
    }
}

/// Invariant 7: an audit, a check and an explanation send no changing request and write no state.
#[tokio::test(flavor = "multi_thread")]
async fn dry_is_dry() {
    let sim = three_regions("").await;
    let config = sim.config(&REGIONS, OWNERLESS);
    for arguments in
        [&["audit"][..], &["check"], &["explain", "i-a"], &["audit", "--fail-on", "findings"]]
    {
        sim.run(&config, arguments).await;
    }
    let requests = sim.cloud.requests();
    assert!(requests.len() >= 12, "they did ask: {}", requests.len());
    assert!(requests.changing().is_empty(), "{:?}", requests.changing());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_059_a_region_that_is_not_enabled_is_skipped_and_said() {
    let sim = Sim::aws(&machine("i-a", "eu-west-1", "tags = { owner = \"alice\" }")).await;
    let ran = sim.audit(&["eu-west-1", "me-south-1"], OWNERLESS).await.exits(0);
    let document = ran.json();
    assert_eq!(scope(&document, "me-south-1")["status"], "skipped");
    assert!(scope(&document, "me-south-1")["why"].is_string());
    classes(&ran, &["clean"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_permission_is_named() {
    let world = format!(
        "denied = [\"ec2:DescribeInstances@eu-west-2\"]\n{}",
        machine("i-a", "eu-west-1", "")
    );
    let sim = Sim::aws(&world).await;
    let ran = sim.audit(&["eu-west-1", "eu-west-2"], OWNERLESS).await.exits(4);
    let why = scope(&ran.json(), "eu-west-2")["why"].as_str().expect("words").to_owned();
    assert!(why.contains("permission ec2:DescribeInstances"), "{why}");
    let config = sim.config(&["eu-west-1", "eu-west-2"], OWNERLESS);
    let check = sim.run(&config, &["check"]).await.exits(4);
    assert!(
        check.stdout.contains("MISSING for an audit: ec2:DescribeInstances"),
        "{}",
        check.stdout
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_067_throttling_is_waited_out_and_told_apart_from_denial() {
    let throttled =
        fault("DescribeInstances", "{ throttle = {} }").replace("then", "first = 2\nthen");
    let sim = three_regions(&throttled).await;
    let ran = sim.audit(&REGIONS, OWNERLESS).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 3);

    let sim = three_regions(&fault("DescribeInstances", "{ throttle = {} }")).await;
    let tail = format!("{OWNERLESS}[retries]\nattempts = 2\n");
    let ran = sim.audit(&REGIONS, &tail).await.exits(4);
    let why = scope(&ran.json(), "eu-west-2")["why"].as_str().expect("words").to_owned();
    assert!(why.contains("throttled"), "{why}");
    let asked = sim.cloud.requests().of("DescribeInstances").len();
    assert!(asked <= 2 + 2, "fl_074: the documented bound holds: {asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_region_ends_with_its_time_limit() {
    let sim = three_regions(&fault("DescribeInstances", "\"silence\"")).await;
    let tail = format!("{OWNERLESS}[timeouts]\ncall = \"1s\"\nscope = \"2s\"\nrun = \"1m\"\n");
    #[expect(clippy::disallowed_methods, reason = "measures how long the real command takes")]
    let started = Instant::now();
    let ran = sim.audit(&REGIONS, &tail).await.exits(4);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let document = ran.json();
    assert_eq!(document["totals"]["orphans"], 2);
    assert_eq!(scope(&document, "eu-west-2")["status"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_066_what_the_run_had_no_time_for_is_said() {
    let sim = three_regions(&fault("DescribeInstances", "\"silence\"")).await;
    let config = sim.config(&REGIONS, OWNERLESS);
    let ran = sim.run(&config, &["audit", "--format", "json", "--timeout", "2s"]).await.exits(4);
    let why = scope(&ran.json(), "eu-west-2")["why"].as_str().expect("words").to_owned();
    assert!(why.contains("in time"), "{why}");
    // Listed in time; what the run had no time to ask of it is open, and said.
    assert_eq!(find(&ran.json(), "i-a")["verdict"], "unjudged");
    assert!(ran.stderr.contains("--timeout"), "{}", ran.stderr);
}

/// Invariant 10 with a failing call at the highest log level.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_never_leave_a_failing_run() {
    let sim =
        three_regions(&fault("DescribeInstances", "{ answer = { status = 403, body = \"no\" } }"))
            .await;
    let config = sim.config(&REGIONS, OWNERLESS);
    let ran = sim.run(&config, &["audit", "-vv"]).await.exits(4);
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains("canary-secret-4711"), "{text}");
        assert!(!text.contains("Signature="), "{text}");
    }
}
