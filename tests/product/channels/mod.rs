//! Channels besides mail, seen from outside: the binary, a simulated cloud, and a server on this
//! machine that hears everything.

mod clock;
mod listener;
mod pulse;

use serde_json::Value;

use crate::support::{OWNERLESS, Ran, Reaper, Sim, machine};
use listener::{Heard, Listener};

/// In every address, and in nothing that anybody reads.
const CANARY: &str = "hunter2-canary-path";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const CHANNELS: &str = "[notify.slack]\nwebhook = { env = \"SLACK_WEBHOOK\" }\n\
    [notify.webhook]\nurl = { env = \"WEBHOOK_URL\" }\nsecrets = [{ env = \"WEBHOOK_SECRET\" }]\n\
    [notify.heartbeat]\nurl = { env = \"HEARTBEAT_URL\" }\n\
    [notify.prometheus]\ntextfile = \"reaper.prom\"\n";

/// A folder with a configuration that has every channel, and the keys of its cloud.
fn house(sim: &Sim, listener: &Listener, secret: &str) -> Reaper {
    let tail = format!("state = {{ url = \"file:state\" }}\n{OWNERLESS}{CHANNELS}");
    let (state, rest) = tail.split_once('\n').expect("two lines");
    let config = sim.config(&["eu-west-1"], rest).replacen('\n', &format!("\n{state}\n"), 1);
    Reaper::with_config(&config)
        .env("AKIARESEARCH", "AKIARESEARCH")
        .env("SECRET", "canary-secret-4711")
        .env("SLACK_WEBHOOK", &listener.url(&format!("/slack/{CANARY}")))
        .env("WEBHOOK_URL", &listener.url(&format!("/webhook/{CANARY}")))
        .env("WEBHOOK_SECRET", secret)
        .env("HEARTBEAT_URL", &listener.url(&format!("/beat/{CANARY}")))
}

fn gives_nothing_away(ran: &Ran) {
    let said = ran.all();
    assert!(!said.contains(CANARY) && !said.contains("MfKQ9r8GKYqrTwj"), "{said}");
}

/// What came to an address that begins so.
fn at<'h>(heard: &'h [Heard], path: &str) -> Vec<&'h Heard> {
    heard.iter().filter(|heard| heard.path.starts_with(path)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_to_every_channel_once_and_watched_from_outside() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let listener = Listener::start(204);
    let house = house(&sim, &listener, SECRET);
    let run = |now: &str| {
        let mut command = house.command(&["run", "-vv", "--format", "json", "--now", now]);
        let output = command.output().expect("the binary starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        let ran = Ran { code: output.status.code().expect("a code"), stdout, stderr };
        gives_nothing_away(&ran);
        ran
    };
    // Monday 30 November 2026, after seven o'clock.
    let first = run("2026-11-30T09:00:00Z").exits(0).json();
    let heard = listener.heard();
    let told: Vec<(&str, &str)> = first["mails"]
        .as_array()
        .expect("mails")
        .iter()
        .filter(|mail| mail["kind"] == "report")
        .filter_map(|mail| Some((mail["to"].as_str()?, mail["status"].as_str()?)))
        .collect();
    assert_eq!(told, [("slack", "accepted"), ("webhook", "accepted")]);
    let [slack] = at(&heard, "/slack/")[..] else { panic!("one message: {heard:?}") };
    assert!(slack.body["text"].as_str().is_some_and(|text| text.starts_with("reaper: 1 machine")));
    let [webhook] = at(&heard, "/webhook/")[..] else { panic!("one message: {heard:?}") };
    assert_eq!(webhook.body["type"], "reaper.report");
    assert_eq!(webhook.body["data"]["instances"][0]["native_id"], "i-1");
    let beats = at(&heard, "/beat/");
    let paths: Vec<&str> = beats.iter().filter_map(|beat| beat.path.split('?').next()).collect();
    assert_eq!(paths, [format!("/beat/{CANARY}/start"), format!("/beat/{CANARY}")]);
    let runs: Vec<&str> = beats.iter().filter_map(|beat| beat.path.split("?rid=").nth(1)).collect();
    assert_eq!((runs.len(), runs[0]), (2, runs[1]));
    let figures = std::fs::read_to_string(house.path().join("reaper.prom")).expect("figures");
    assert!(
        figures.contains("reaper_instances{provider=\"aws\",verdict=\"orphan\"} 1\n"),
        "{figures}"
    );

    // The same week again: nothing is told twice, and the run is watched all the same.
    run("2026-11-30T15:00:00Z").exits(0);
    let heard = listener.heard();
    assert_eq!((at(&heard, "/slack/").len(), at(&heard, "/webhook/").len()), (1, 1));
    assert_eq!(at(&heard, "/beat/").len(), 4);

    // A dry run tells nobody anything.
    let dry = house.run(&["run", "--dry-run", "--now", "2026-12-07T09:00:00Z"]).exits(0);
    gives_nothing_away(&dry);
    let heard = listener.heard();
    assert_eq!((at(&heard, "/slack/").len(), at(&heard, "/webhook/").len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_never_leave_a_channel_that_refuses_everything() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let listener = Listener::start(404);
    let house = house(&sim, &listener, SECRET);
    // Mondays: what is refused for good is tried with the next report only.
    for (format, day) in [("table", "11-30"), ("json", "12-07"), ("markdown", "12-14")] {
        let now = format!("2026-{day}T09:00:00Z");
        let ran = house.run(&["run", "-vv", "--format", format, "--now", &now]);
        gives_nothing_away(&ran);
        // A heartbeat that nobody hears changes nothing; a report that nobody took does.
        assert_eq!(ran.code, 6, "{}", ran.all());
        assert!(ran.stderr.contains("heartbeat may not have been heard"), "{}", ran.stderr);
    }
    assert!(!listener.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn check_refuses_a_secret_that_is_no_key_and_lists_the_channels() {
    let sim = Sim::aws(&machine("i-1", "eu-west-1", "")).await;
    let listener = Listener::start(204);
    let wrong = house(&sim, &listener, "whsec_hunter2").run(&["check", "--offline"]).exits(2);
    assert!(
        wrong.stderr.contains("[notify.webhook]: secret 1: a secret is `whsec_`"),
        "{}",
        wrong.stderr
    );
    assert!(!wrong.all().contains("hunter2"), "{}", wrong.all());
    let right = house(&sim, &listener, SECRET);
    let ran = right.run(&["check", "--offline", "--format", "json"]).exits(0);
    gives_nothing_away(&ran);
    let document: Value = ran.json();
    let settings = document["settings"].as_array().expect("settings");
    for key in [
        "notify.slack.send",
        "notify.webhook.send",
        "notify.heartbeat.timeout",
        "notify.prometheus.textfile",
    ] {
        assert!(settings.iter().any(|setting| setting["key"] == key), "{key}");
    }
    assert!(listener.heard().is_empty(), "a check sends nothing");
}
