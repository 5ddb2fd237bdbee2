//! What watches a run from outside: a heartbeat that falls silent holds nothing up, the brake is no
//! failure of the guard, and `apply` is watched and told of like a run.

use std::collections::BTreeSet;
use std::process::Stdio;

use reaper_simcloud::{Effect, Fault};
use serde_json::Value;
use tokio::time::{Duration, Instant, sleep};

use super::{Heard, Listener, SECRET, at, house};
use crate::acting::{Stage, ran, send};
use crate::support::{Reaper, Sim, machine};

/// Longer than any run takes that was asked to end.
const GRACE: Duration = Duration::from_secs(7);

/// A run that is asked to end once the listener has heard so many requests; with its document.
async fn interrupted(house: &Reaper, listener: &Listener, heard: usize) -> Value {
    // The wall clock: mails and machines are of no matter here.
    let mut command = house.command(&["run", "--format", "json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    listener.has_heard(heard).await;
    // It waits for an answer that never comes.
    sleep(Duration::from_millis(500)).await;
    let began = Instant::now();
    send("TERM", child.id());
    let ran = ran(child.wait_with_output().expect("it ends"));
    assert!(began.elapsed() < GRACE, "{:?}: {}", began.elapsed(), ran.stderr);
    assert!(ran.stderr.contains("heartbeat may not have been heard"), "{}", ran.stderr);
    ran.exits(4).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_065_a_heartbeat_that_is_silent_keeps_no_report_back() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let rest = Listener::start(204);
    // Silent from the start on.
    let silent = Listener::falling_silent(204, 0);
    let house = house(&sim, &rest, SECRET).env("HEARTBEAT_URL", &silent.url("/beat"));
    let document = interrupted(&house, &silent, 1).await;
    assert_eq!(document["interrupted"], true);

    // It falls silent while the run waits for a cloud.
    let once = Listener::falling_silent(204, 1);
    let house = super::house(&sim, &rest, SECRET).env("HEARTBEAT_URL", &once.url("/beat"));
    sim.cloud.add_fault(Fault::always(Effect::Silence).at("DescribeInstances"));
    let document = interrupted(&house, &once, 1).await;
    assert_eq!(document["interrupted"], true);
    let paths: Vec<String> = once.heard().into_iter().map(|heard| heard.path).collect();
    let begins = |number: usize, text: &str| paths.get(number).is_some_and(|p| p.starts_with(text));
    assert!(begins(0, "/beat/start?") && begins(1, "/beat/fail?"), "{paths:?}");
}

/// Three machines of nobody, ten days old.
fn world() -> String {
    let one = |number: u8| {
        format!(
            "[[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\n\
             id = \"i-0a{number}\"\ntype = \"p3.2xlarge\"\nlaunched = \"240h\"\n"
        )
    };
    format!("${{aws}}\n{}{}{}", one(1), one(2), one(3))
}

const CONFIG: &str = r#"
${aws}
${mail}
[notify.webhook]
url = { env = "WEBHOOK_URL" }
secrets = [{ env = "WEBHOOK_SECRET" }]
send = ["stops"]
[notify.heartbeat]
url = { env = "HEARTBEAT_URL" }
[notify.prometheus]
textfile = "reaper.prom"
[owners]
fallback = "gpu-team@example.org"
[limits]
max_actions = 2
max_share = "100%"
[[rule]]
name = "ownerless"
when = { owner = ["absent"], older_than = "2h" }
action = "stop"
notice = "3d"
"#;

/// Found and noticed, and the clock at the announced hour: three are due, and two may be stopped.
async fn due(listener: &Listener) -> Stage {
    let mut stage = Stage::new("2026-12-01T08:00:00Z", &world(), CONFIG).await;
    stage.reaper = stage
        .reaper
        .env("WEBHOOK_URL", &listener.url("/webhook"))
        .env("WEBHOOK_SECRET", SECRET)
        .env("HEARTBEAT_URL", &listener.url("/beat"));
    stage.run("reaper run --enforce").exits(0);
    stage.at("2026-12-04T08:00:00Z");
    stage
}

/// What the figures say of the last success.
fn last_success(stage: &Stage) -> Option<i64> {
    let figures = std::fs::read_to_string(stage.reaper.path().join("reaper.prom")).ok()?;
    let name = "reaper_run_last_success_timestamp_seconds ";
    figures.lines().find_map(|line| line.strip_prefix(name)?.parse().ok())
}

/// Where the last word of the heartbeat went, and what it was.
fn last_beat(listener: &Listener) -> (String, String) {
    let heard = listener.heard();
    let last: &Heard = at(&heard, "/beat").pop().expect("it was heard");
    let path = last.path.split('?').next().unwrap_or_default();
    (path.to_owned(), last.text.clone())
}

fn said(path: &str, text: &str) -> (String, String) {
    (path.to_owned(), text.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_128_a_guard_that_the_brake_holds_is_at_work() {
    let listener = Listener::start(204);
    let mut stage = due(&listener).await;
    stage.run("reaper run --enforce").exits(3);
    let held = said("/beat", "exit 3: refused, findings; held by the brake");
    assert_eq!(last_beat(&listener), held);
    assert_eq!(last_success(&stage), Some(stage.now().timestamp()));
    let before = stage.now().timestamp();

    // Held or not: one that could not read everything has failed.
    stage.at("2026-12-04T09:00:00Z");
    stage.cloud.add_fault(Fault::always(Effect::Silence).at("DescribeInstances"));
    stage.run("reaper run --enforce --timeout 3s");
    let (path, text) = last_beat(&listener);
    assert_eq!(path, "/beat/fail", "{text}");
    assert_eq!(last_success(&stage), Some(before), "as the last run said");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_carried_out_is_watched_and_its_stops_are_told() {
    let listener = Listener::start(204);
    let mut stage = due(&listener).await;
    stage.run("reaper plan --out plan.json --expect 3").exits(0);
    let told = listener.heard().len();
    assert_eq!(at(&listener.heard(), "/webhook").len(), 0);

    let document = stage.run("reaper apply plan.json --expect 3 --format json").exits(0).json();
    let heard = listener.heard();
    let paths: Vec<&str> =
        heard[told..].iter().filter_map(|heard| heard.path.split('?').next()).collect();
    assert_eq!(paths, ["/beat/start", "/webhook", "/webhook", "/webhook", "/beat"]);
    let told = at(&heard, "/webhook").into_iter().map(|message| {
        assert_eq!(message.body["type"], "reaper.stops");
        message.body["data"]["stopped"][0]["id"].as_str().map(str::to_owned)
    });
    let told: BTreeSet<String> = told.collect::<Option<_>>().expect("machines");
    assert_eq!(told.len(), 3, "{told:?}");
    let mails = document["mails"].as_array().expect("a list");
    assert_eq!(mails.len(), 3, "{mails:?}");
    for mail in mails {
        assert_eq!((&mail["to"], &mail["status"]), (&"webhook".into(), &"accepted".into()));
    }
    assert_eq!(last_success(&stage), Some(stage.now().timestamp()));

    // The next run has nothing to add.
    stage.at("2026-12-04T10:00:00Z");
    stage.run("reaper run --enforce").exits(0);
    assert_eq!(at(&listener.heard(), "/webhook").len(), 3);
}
