//! The GitHub workflow, run: what it does in each of its modes, and that what was approved is what
//! is applied.

use serde_json::Value;

use super::hosted::{Hosted, Step, step};
use super::release::Release;
use super::yaml;
use crate::acting::Stage;

const WORLD: &str = r#"
${aws}
[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0a1"
type = "p3.2xlarge"
launched = "240h"
tags = { Name = "one" }

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0b2"
type = "p3.2xlarge"
launched = "240h"
tags = { Name = "two" }

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0c3"
type = "p3.2xlarge"
launched = "+10h"
tags = { Name = "three" }
"#;

const CONFIG: &str = r#"
${aws}
${mail}
[owners]
domain = "example.org"
fallback = "gpu-team@example.org"
[limits]
max_actions = 0
max_share = "100%"
[[rule]]
name = "ownerless"
when = { owner = ["absent"], older_than = "2h" }
action = "stop"
notice = "3d"
"#;

/// A stage whose state lies where every runner finds it, as a bucket does.
pub(super) async fn stage(limits: &str) -> Stage {
    let config = CONFIG.replace("max_actions = 0", limits);
    let stage = Stage::new("2026-12-01T08:00:00Z", WORLD, &config).await;
    let path = stage.reaper.path().join("reaper.toml");
    let text = std::fs::read_to_string(&path).expect("a configuration");
    let state = format!("file:{}/state", stage.reaper.path().display());
    std::fs::write(&path, text.replace("file:state", &state)).expect("a configuration");
    stage
}

#[track_caller]
fn succeeded(steps: &[Step]) {
    let failed = steps.iter().find(|step| step.code != 0);
    assert!(failed.is_none(), "{failed:#?}");
}

fn workflow() -> Value {
    yaml::document("github/reaper.yml")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_approved_is_what_is_applied() {
    let (mut stage, release, workflow) =
        (stage("max_actions = 0").await, Release::serve(), workflow());
    let mut hosted = Hosted::new(&release);
    hosted.set("REAPER_MODE", "gate");

    // Found: notices, and nothing to approve.
    let steps = hosted.job(&stage, &workflow, "run").expect("it is run");
    succeeded(&steps);
    assert_eq!(step(&steps, "Run").outputs["will-stop"], "0");
    assert!(steps.iter().all(|step| step.name != "Plan what waits for an approval"));
    assert!(hosted.job(&stage, &workflow, "apply").is_none(), "nothing waits");
    let notices = stage.mails();
    let notices = notices.iter().filter(|mail| mail.subject.contains("will be stopped"));
    assert_eq!(notices.count(), 1);

    // The third is found in the evening, and is due later than the others.
    stage.at("2026-12-01T20:30:00Z");
    succeeded(&hosted.job(&stage, &workflow, "run").expect("it is run"));

    // Due: the brake holds, the plan names both.
    stage.at("2026-12-04T08:00:00Z");
    let steps = hosted.job(&stage, &workflow, "run").expect("it is run");
    succeeded(&steps);
    assert_eq!(step(&steps, "Run").outputs["exit-code"], "3");
    let planned = step(&steps, "Plan what waits for an approval");
    assert_eq!(planned.outputs["will-stop"], "2");
    assert!(planned.summary.contains("would stop 2 of 3 machines"), "{}", planned.summary);
    assert_eq!(stage.calls(), []);

    // An environment that GitHub made by itself approves nothing.
    let steps = hosted.job(&stage, &workflow, "apply").expect("something waits");
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].code, 3, "{steps:#?}");
    assert_eq!(stage.calls(), []);

    let reviewed = ("vars.REAPER_REVIEWED".to_owned(), "yes".to_owned());
    hosted.environments.insert("reaper-apply", [reviewed].into());
    // Approved in the evening, when the third is due as well.
    stage.at("2026-12-04T21:00:00Z");
    let steps = hosted.job(&stage, &workflow, "apply").expect("something waits");
    succeeded(&steps);
    let calls: Vec<String> = stage.calls().iter().map(|call| format!("{call:?}")).collect();
    assert_eq!(calls.len(), 2, "{calls:#?}");
    for id in ["i-0a1", "i-0b2"] {
        assert!(calls.iter().any(|call| call.contains(id)), "{id}: {calls:#?}");
    }
    let applied = step(&steps, "Apply");
    assert!(applied.summary.starts_with("## reaper: stopped 2 of"), "{}", applied.summary);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_mode_nothing_is_promised_and_nothing_stopped() {
    let (mut stage, release) = (stage("max_actions = 10").await, Release::serve());
    for now in ["2026-12-01T08:00:00Z", "2026-12-04T08:00:00Z", "2026-12-08T08:00:00Z"] {
        stage.at(now);
        let mut hosted = Hosted::new(&release);
        let steps = hosted.job(&stage, &workflow(), "run").expect("it is run");
        succeeded(&steps);
        assert!(step(&steps, "Run").summary.starts_with("## reaper: "));
        assert!(hosted.job(&stage, &workflow(), "apply").is_none());
    }
    assert_eq!(stage.calls(), []);
    let mails = stage.mails();
    assert!(
        !mails.is_empty() && mails.iter().all(|mail| !mail.subject.contains("will be stopped"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn enforcing_stops_what_is_due_without_a_plan() {
    let (mut stage, release) = (stage("max_actions = 10").await, Release::serve());
    for (now, calls) in [("2026-12-01T08:00:00Z", 0), ("2026-12-04T08:00:00Z", 2)] {
        stage.at(now);
        let mut hosted = Hosted::new(&release);
        hosted.set("REAPER_MODE", "enforce");
        succeeded(&hosted.job(&stage, &workflow(), "run").expect("it is run"));
        assert!(hosted.job(&stage, &workflow(), "apply").is_none());
        assert_eq!(stage.calls().len(), calls, "{now}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_mode_or_a_wrong_archive_ends_the_job() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    let mut hosted = Hosted::new(&release);
    hosted.set("REAPER_MODE", "Enforce; reaper run --enforce");
    let steps = hosted.job(&stage, &workflow(), "run").expect("it is run");
    let last = steps.last().expect("steps");
    assert_eq!((last.name.as_str(), last.code), ("Run", 2));

    for (name, value) in [
        ("REAPER_SHA256", "0".repeat(64)),
        ("REAPER_SHA256", String::new()),
        ("REAPER_URL", release.url.replace("https:", "http:")),
        ("REAPER_URL", release.url.replace("reaper.tar", "other.tar")),
    ] {
        let mut hosted = Hosted::new(&release);
        hosted.set(name, &value);
        let steps = hosted.job(&stage, &workflow(), "run").expect("it is run");
        assert_eq!(steps.len(), 1, "{name}={value}: {steps:#?}");
        assert_ne!(steps[0].code, 0);
    }
}
