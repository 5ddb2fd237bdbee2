//! `reaper schedule` as a process: what it makes up for, what its jobs tell, how it ends. It goes by
//! the wall clock, so nothing here waits for a time to come.

use std::process::Child;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::Value;
use tokio::time::{Duration, sleep};

use super::Stage;
use super::stage::ran;
use super::story::send;
use crate::support::Ran;

/// A machine of nobody, ten days old, and an account without any.
const WORLD: &str = "${ovhcloud}\n${scaleway}\n[[scaleway.server]]\n\
                     organization = \"11111111-1111-4111-8111-000000000001\"\nzone = \"fr-par-2\"\n\
                     id = \"b6a1f7d2-4e0c-4b8d-9a35-2f7c61e08d14\"\nname = \"poc\"\n\
                     type = \"L40S-1-48G\"\ncreated = \"240h\"\n";

/// In which nothing is found and no budget speaks.
const QUIET: &str = "${scaleway}\n${mail}\nreport_to = [\"gpu-team@example.org\"]\n[owners]\nfallback = \"gpu-team@example.org\"\n\
                     [limits]\nmax_share = \"100%\"\n\
                     [[rule]]\nname = \"ownerless\"\n\
                     when = { owner = [\"absent\"], older_than = \"9999h\" }\n\
                     action = \"stop\"\nnotice = \"3d\"\n\
                     [[budget]]\nname = \"all-gpu\"\nlimit = \"99999 EUR\"\nforecast = []\n\
                     recipients = [\"finance@example.org\"]\n";

/// A report that is not due but on leap days.
const SELDOM: &str = "[[schedule]]\njob = \"report\"\ncron = \"0 7 29 2 *\"\n";

/// Without the variable that stops its clock.
const SCHEDULE: &str = "env -u REAPER_NOW reaper schedule --health health.json";

/// The wall clock.
#[expect(clippy::disallowed_methods, reason = "a schedule goes by the wall clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// One whose last run was two days ago and had nothing to say; since then there is.
async fn two_days_later(schedules: &str) -> Stage {
    let before = text(now() - TimeDelta::days(2));
    let mut stage = Stage::new(&before, WORLD, &format!("{QUIET}{schedules}")).await;
    stage.run("reaper run").exits(0);
    stage.mails();
    let path = stage.reaper.path().join("reaper.toml");
    let config = std::fs::read_to_string(&path).expect("a configuration");
    let config = config.replace("9999h", "2h").replace("99999 EUR", "0.01 EUR");
    std::fs::write(path, config).expect("a configuration");
    stage.at(&text(now()));
    stage
}

/// An entry for every full hour.
fn hourly(job: &str) -> String {
    format!("[[schedule]]\njob = \"{job}\"\ncron = \"0 * * * *\"\n")
}

/// The health file, as soon as it shows what is waited for.
async fn health(stage: &Stage, child: &mut Child, shows: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..600 {
        let read = std::fs::read_to_string(stage.reaper.path().join("health.json"));
        if let Some(health) = read.ok().and_then(|text| serde_json::from_str(&text).ok())
            && shows(&health)
        {
            return health;
        }
        assert!(child.try_wait().expect("a child").is_none(), "it has ended by itself");
        sleep(Duration::from_millis(100)).await;
    }
    panic!("nothing of it within a minute");
}

/// Ends it as a service manager does.
fn ended(child: Child) -> Ran {
    send("TERM", child.id());
    ran(child.wait_with_output().expect("it ends"))
}

fn idle(health: &Value) -> bool {
    health["last"].is_object() && health["running"].is_null()
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_127_a_schedule_makes_up_at_its_start_for_what_was_missed_and_ends_when_asked() {
    let stage = two_days_later(&(hourly("run") + SELDOM)).await;
    let began = now();
    let mut child = stage.spawn(SCHEDULE);
    let health = health(&stage, &mut child, idle).await;
    assert_eq!(health["schema"], "reaper.health/1");
    assert_eq!((&health["last"]["job"], &health["last"]["exit_code"]), (&"run".into(), &0.into()));
    let at = |value: &Value| value.as_str().and_then(|text| text.parse::<DateTime<Utc>>().ok());
    let due = at(&health["last"]["due_at"]).expect("a time");
    assert!(due <= began + TimeDelta::hours(1) && due > began - TimeDelta::hours(1), "{due}");
    assert_eq!(at(&health["next"]["at"]), Some(due + TimeDelta::hours(1)));
    let ran = ended(child).exits(0);
    assert!(ran.stderr.contains("times before it were missed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the schedule has ended"), "{}", ran.stderr);
    assert!(ran.stdout.contains("poc"), "the run is shown: {}", ran.stdout);
    let runs = ran.stderr.matches("run ended with exit code 0").count();
    assert!((1..=2).contains(&runs), "once, or twice at the turn of the hour: {}", ran.stderr);

    // Started again it has nothing to make up for.
    let _ = std::fs::remove_file(stage.reaper.path().join("health.json"));
    let mut child = stage.spawn(SCHEDULE);
    let waiting = self::health(&stage, &mut child, |health| health["next"].is_object()).await;
    let ran = ended(child).exits(0);
    if at(&waiting["now"]) < Some(due + TimeDelta::hours(1)) {
        assert!(waiting["last"].is_null() && waiting["running"].is_null(), "{waiting}");
        assert!(!ran.stderr.contains("begins"), "{}", ran.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_127_a_run_of_some_accounts_or_without_enforcing_has_not_done_the_job() {
    for (by_hand, enforce, begins) in [
        ("run --account poc", "", true),
        ("run", "", false),
        ("run", " --enforce", true),
        ("run --enforce", " --enforce", false),
    ] {
        // It was due two hours ago, and is not again today.
        let due = (now() - TimeDelta::hours(2)).format("%M %H").to_string();
        let job = format!("[[schedule]]\njob = \"run\"\ncron = \"{due} * * *\"\n{SELDOM}");
        let stage = two_days_later(&format!("${{ovhcloud}}\n{job}")).await;
        stage.run(&format!("env -u REAPER_NOW reaper {by_hand}")).exits(0);
        let mut child = stage.spawn(&format!("{SCHEDULE}{enforce}"));
        let shows = |health: &Value| health["next"].is_object() || health["running"].is_object();
        health(&stage, &mut child, shows).await;
        let ran = ended(child);
        let began = ran.stderr.contains("schedule: run of ");
        assert_eq!(began, begins, "{by_hand}, {enforce}: {}", ran.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_tell_what_they_are_for() {
    let jobs = [("run", SELDOM, 2), ("budget", SELDOM, 1), ("report", "", 2)];
    for (job, besides, count) in jobs {
        let mut stage = two_days_later(&(hourly(job) + besides)).await;
        let mut child = stage.spawn(SCHEDULE);
        let health = health(&stage, &mut child, idle).await;
        assert_eq!(
            (&health["last"]["job"], &health["last"]["exit_code"]),
            (&job.into(), &0.into())
        );
        ended(child).exits(0);
        let mails = stage.mails();
        let told: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
        assert_eq!(told.len(), count, "{job}: {told:?}");
        let alerts = told.iter().filter(|subject| subject.starts_with("Budget")).count();
        assert_eq!(alerts, 1, "{job}: {told:?}");
        assert!(stage.calls().is_empty(), "{job} stops nothing without --enforce");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_goes_by_the_wall_clock_and_promises_only_what_it_may() {
    let refused = async |config: &str, line: &str, code: i32, part: &str| {
        let stage = Stage::new(&text(now()), WORLD, config).await;
        let ran = stage.run(line).exits(code);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    };
    let (run, bare) = (hourly("run"), "${scaleway}\n");
    let with_run = format!("{bare}{run}");
    refused(&with_run, "reaper schedule", 2, "REAPER_NOW").await;
    refused(bare, SCHEDULE, 2, "[[schedule]]").await;
    let report_only = format!("mode = \"report\"\n{with_run}");
    refused(&report_only, &format!("{SCHEDULE} --enforce"), 3, "report").await;
    let onto_itself = SCHEDULE.replace("health.json", "reaper.toml");
    refused(&with_run, &onto_itself, 2, "the configuration file").await;
}
