//! Runs that meet, and runs that are ended: real processes.

use tokio::time::{Duration, Instant};

use super::Stage;
use super::stage::ran;
use super::story::send;

/// Two machines of nobody, ten days old.
const WORLD: &str = r#"
${aws}
[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0a1"
type = "p3.2xlarge"
launched = "240h"
[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0a2"
type = "p3.2xlarge"
launched = "240h"
"#;

const CONFIG: &str = r#"
${aws}
${mail}
[owners]
fallback = "gpu-team@example.org"
[limits]
max_share = "100%"
[[rule]]
name = "ownerless"
when = { owner = ["absent"], older_than = "2h" }
action = "stop"
notice = "3d"
"#;

const ENFORCE: &str = "reaper run --enforce --format json";

/// Found and noticed, and the clock at the announced hour.
async fn due() -> Stage {
    let mut stage = Stage::new("2026-12-01T08:00:00Z", WORLD, CONFIG).await;
    assert_eq!(stage.run(ENFORCE).code, 0);
    assert_eq!(stage.mails().len(), 1);
    stage.at("2026-12-04T08:00:00Z");
    stage
}

/// What goes wrong at the calls that act on this machine.
fn at_the_stop(stage: &Stage, id: &str, effect: reaper_simcloud::Effect) {
    let fault = reaper_simcloud::Fault::always(effect).at("StopInstances").on(id);
    stage.cloud.add_fault(fault);
}

fn stops(requests: &reaper_simcloud::Requests, id: &str) -> usize {
    let of = requests.of("StopInstances");
    of.iter().filter(|entry| entry.call.ids.iter().any(|named| named == id)).count()
}

/// Invariant 5 for two processes that begin together.
#[tokio::test(flavor = "multi_thread")]
async fn one_run_acts() {
    let mut stage = due().await;
    let both = [stage.spawn(ENFORCE), stage.spawn(ENFORCE)];
    let [one, other] = both.map(|child| ran(child.wait_with_output().expect("it ends")));
    let mut codes = [one.code, other.code];
    codes.sort_unstable();
    // One that comes when the other has ended finds nothing left to do.
    assert!(matches!(codes, [0, 7 | 0]), "{}\n{}", one.all(), other.all());
    let mut called: Vec<_> = stage.calls().into_iter().flat_map(|call| call.ids).collect();
    called.sort();
    assert_eq!(called, ["i-0a1", "i-0a2"], "each is called once");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_132_a_second_run_leaves_quickly_and_an_audit_may_look() {
    let mut stage = due().await;
    at_the_stop(&stage, "i-0a1", reaper_simcloud::Effect::Delay { ms: 3_000 });
    let first = stage.spawn(ENFORCE);
    stage.cloud.wait_until(|requests| stops(requests, "i-0a1") == 1).await;

    let began = Instant::now();
    let second = stage.run(ENFORCE);
    assert!(began.elapsed() < Duration::from_secs(3), "it does not wait for the first");
    assert_eq!(second.code, 7, "{}", second.all());
    assert_eq!(second.json()["outcome"]["class"], "locked");
    assert!(second.stderr.contains("another run is active"), "{}", second.stderr);
    let audit = stage.run("reaper audit --format json").exits(0);
    assert_eq!(audit.json()["totals"]["orphans"], 2);

    let first = ran(first.wait_with_output().expect("it ends")).exits(0);
    assert_eq!(first.json()["instances"][0]["action"]["result"], "confirmed");
    assert_eq!(stage.calls().len(), 2, "one call a machine");
    assert!(stage.mails().is_empty(), "nobody is told twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_132_the_hold_of_a_killed_run_ends_and_not_before() {
    let mut stage = due().await;
    at_the_stop(&stage, "i-0a1", reaper_simcloud::Effect::Silence);
    let killed = stage.spawn(ENFORCE);
    stage.cloud.wait_until(|requests| stops(requests, "i-0a1") == 1).await;
    send("KILL", killed.id());
    assert_eq!(ran(killed.wait_with_output().expect("it ends")).code, -1);
    stage.cloud.edit(|world| world.faults.clear());
    stage.calls();

    stage.at("2026-12-04T08:29:59Z");
    assert_eq!(stage.run(ENFORCE).code, 7, "its lease is 30 minutes");
    assert_eq!(stage.calls(), []);
    stage.at("2026-12-04T08:30:00Z");
    let next = stage.run(ENFORCE).exits(0).json();
    assert_eq!(stage.calls().len(), 2);
    assert!(
        next["instances"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|machine| { machine["action"]["result"] == "confirmed" })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_065_a_cancelled_run_ends_within_seven_seconds_with_its_report_on_disk() {
    for signal in ["TERM", "INT"] {
        let mut stage = due().await;
        at_the_stop(&stage, "i-0a2", reaper_simcloud::Effect::Silence);
        let run = stage.spawn(ENFORCE);
        stage.cloud.wait_until(|requests| stops(requests, "i-0a2") == 1).await;
        let began = Instant::now();
        send(signal, run.id());
        let run = ran(run.wait_with_output().expect("it ends"));
        assert!(began.elapsed() < Duration::from_secs(7), "{signal}: {:?}", began.elapsed());
        assert_eq!(run.code, 5, "{}", run.all());

        let files = std::fs::read_dir(stage.reaper.path()).expect("the folder");
        let names = files.map(|entry| entry.expect("readable").path());
        let kept = names.filter(|path| path.to_string_lossy().contains("reaper-report-"));
        let kept: Vec<_> = kept.collect();
        let [kept] = kept.as_slice() else { panic!("{signal}: {kept:?}") };
        let kept = std::fs::read_to_string(kept).expect("readable");
        let kept: serde_json::Value = serde_json::from_str(&kept).expect("a document");
        assert_eq!(kept["interrupted"], true);
        assert_eq!(kept, run.json(), "the same on standard output");

        stage.cloud.edit(|world| world.faults.clear());
        stage.calls();
        stage.at("2026-12-04T09:00:00Z");
        stage.run(ENFORCE).exits(0);
        let called: Vec<_> = stage.calls().into_iter().flat_map(|call| call.ids).collect();
        assert_eq!(called, ["i-0a2"], "{signal}: the next run completes the rest");
        assert!(stage.mails().is_empty(), "{signal}: without another mail");
    }
}
