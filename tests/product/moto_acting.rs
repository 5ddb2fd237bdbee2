//! From finding to action on clouds that others wrote: machines at moto's EC2, the state in moto's
//! S3, mails to a real SMTP server, and boto3 to see what became of the machines.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::schema::validates;
use crate::support::{MailServer, Moto, Ran, Reaper, found};

/// Of the seeded fleet, those that nobody owns and that a stop helps.
const ORPHANS: [&str; 6] = ["p4d", "inferentia", "gaudi", "radeon", "fpga", "far-away"];
/// One more of them, which somebody comes to need.
const KEPT: &str = "trainium";
const FALLBACK: &str = "gpu-team@example.org";
/// Waits, once, until somebody opens the gate, after saying that it waits.
const HOOK: &str = "[ -e opened ] && exit; echo waiting > waits; cat gate; touch opened";

/// Machines, mails, state and the command.
struct Place {
    moto: Moto,
    mails: MailServer,
    reaper: Reaper,
    first_day: DateTime<Utc>,
}

impl Place {
    fn new() -> Self {
        let (moto, mails) = (Moto::seeded(), MailServer::start(&json!({})));
        moto.boto3("bucket", &["reaper-state"]);
        let first_day = moto.seeded["now"].as_str().and_then(|now| now.parse().ok());
        let reaper = Reaper::with_config(&config(&moto.url, mails.port))
            .env("AWS_ACCESS_KEY_ID", "AKIATEST")
            .env("AWS_SECRET_ACCESS_KEY", "canary-secret-4711")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ENDPOINT_URL_S3", &moto.url)
            .env("PATH", "/usr/bin:/bin")
            .env("USER", "alice");
        Self { moto, mails, reaper, first_day: first_day.expect("a time") }
    }

    fn id(&self, name: &str) -> &str {
        self.moto.seeded["machines"][name].as_str().expect("a seeded machine")
    }

    /// The arguments of a command so long after the first day.
    fn arguments<'a>(&self, line: &'a str, after: TimeDelta, now: &'a mut String) -> Vec<&'a str> {
        *now = (self.first_day + after).to_rfc3339_opts(SecondsFormat::Secs, true);
        line.split(' ').chain(["--format", "json", "--now", now]).collect()
    }

    fn run(&self, line: &str, after: TimeDelta) -> Ran {
        self.reaper.run(&self.arguments(line, after, &mut String::new()))
    }

    /// The state of every machine, as boto3 sees it.
    fn states(&self) -> BTreeMap<String, String> {
        serde_json::from_value(self.moto.boto3("states", &[])).expect("words by id")
    }

    /// A machine in us-east-1 as boto3 sees it.
    fn seen(&self, name: &str) -> Value {
        self.moto.boto3("seen", &["us-east-1", self.id(name)])
    }

    /// Of this fleet, the machines that the mails since the last time announce to be stopped, and
    /// those that they only report; sorted.
    fn told(&mut self) -> [Vec<String>; 2] {
        let mails = self.mails.mails();
        // One machine a section.
        let sections: Vec<&str> =
            mails.iter().flat_map(|mail| mail.text.split("\n--- ").skip(1)).collect();
        let named = |announced: bool| {
            let ours = |text: &&&str| text.contains("will be stopped") == announced;
            let text = sections.iter().filter(ours).copied().collect::<Vec<_>>().join("\n");
            let machines = self.moto.seeded["machines"].as_object().expect("names to ids");
            let ids = machines.values().filter_map(Value::as_str);
            sorted(ids.filter(|id| text.contains(id)).map(str::to_owned))
        };
        let told = [named(true), named(false)];
        assert!(mails.iter().all(|mail| mail.to == FALLBACK), "{mails:?}");
        assert!(mails.len() <= 1, "fl_138: one mail a run: {mails:?}");
        told
    }

    /// Starts a command that comes to wait in its hook, and returns when it does.
    fn waiting(&self, line: &str, after: TimeDelta) -> JoinHandle<Output> {
        let waits = self.reaper.path().join("waits");
        for pipe in ["waits", "gate"] {
            let made = Command::new("mkfifo").arg(self.reaper.path().join(pipe)).status();
            assert!(made.expect("mkfifo starts").success());
        }
        let mut now = String::new();
        let mut command = self.reaper.command(&self.arguments(line, after, &mut now));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("the binary starts");
        let pipe = waits.clone();
        let running = std::thread::spawn(move || {
            let output = child.wait_with_output().expect("it ends");
            // Should it end without ever having waited, nobody need wait for that.
            drop(OpenOptions::new().read(true).write(true).open(pipe));
            output
        });
        match std::fs::read_to_string(waits).expect("a pipe").as_str() {
            "waiting\n" => running,
            _ => panic!("it has ended: {:?}", running.join()),
        }
    }
}

fn config(url: &str, port: u16) -> String {
    format!(
        r#"
version = 1
state = {{ url = "s3://reaper-state/team-a" }}
timeouts = {{ confirm = "20s", poll = "1s" }}

[[account]]
name = "research"
provider = "aws"
expect_account = "123456789012"
regions = ["us-east-1", "ap-southeast-2"]
endpoint_url = "{url}"
allow_local_data_loss = true

[[price]] # of this region no catalogue knows it
provider = "aws"
type = "g4dn.12xlarge"
hourly = "4 USD"

[owners]
domain = "example.org"
fallback = "{FALLBACK}"

[limits]
max_actions = 20
max_share = "100%"
max_hourly_value = "10000 USD"

[hooks]
before_stop = {{ command = ["/bin/sh", "-c", "{HOOK}"], timeout = "5m" }}

[notify.email]
report_to = []
from = "reaper@example.org"
smtp = {{ host = "127.0.0.1", port = {port}, tls = "none" }}

[[rule]]
name = "ownerless"
when = {{ owner = ["absent"], older_than = "2h" }}
action = "stop"
notice = "3d"
"#
    )
}

fn sorted(ids: impl Iterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

/// Native ids of what the document has with this value in its `action`, sorted.
fn those_with(document: &Value, key: &str, value: &str) -> Vec<String> {
    let machines = document["instances"].as_array().expect("a list").iter();
    let with = machines.filter(|machine| machine["action"][key] == value);
    sorted(with.map(|machine| machine["native_id"].as_str().expect("an id").to_owned()))
}

#[test]
fn fl_132_noticed_kept_and_stopped_once_with_the_state_in_a_bucket() {
    let mut place = Place::new();
    let before = place.states();
    let orphans = sorted(ORPHANS.iter().map(|name| place.id(name).to_owned()));
    let (kept, spot) = (place.id(KEPT).to_owned(), place.id("spot").to_owned());

    // The first day: mails, and nothing else. One-time spot cannot be stopped.
    let ran = place.run("run --enforce", TimeDelta::zero()).exits(0);
    validates("audit", &ran.json());
    assert_eq!(those_with(&ran.json(), "planned", "stop"), [""; 0]);
    let noticed = sorted(orphans.iter().chain([&kept]).cloned());
    assert_eq!(place.told(), [noticed, vec![spot]]);
    assert_eq!(place.states(), before);

    // Somebody needs one of them for another week.
    let tags = place.seen(KEPT)["tags"].clone();
    let until = (place.first_day + TimeDelta::days(10)).date_naive().to_string();
    let keep = format!("keep {kept} --until {until} --reason evaluation");
    let done = place.run(&keep, TimeDelta::hours(1)).exits(0).json();
    assert_eq!(done["tag"], "set");
    let mut expected = tags.clone();
    expected["reaper-keep"] = json!(until);
    assert_eq!(place.seen(KEPT)["tags"], expected, "and all others stay");

    // Before the hour nothing happens, and nobody is told twice.
    let ran = place.run("run --enforce", TimeDelta::hours(71)).exits(0);
    assert_eq!(those_with(&ran.json(), "planned", "stop"), [""; 0]);
    assert_eq!(place.told(), [[""; 0]; 2]);
    assert_eq!(place.states(), before);

    // After it, exactly what is planned is stopped, by one of two runs.
    let due = TimeDelta::hours(73);
    let planned = place.run("plan", due).exits(0).json();
    assert_eq!(those_with(&planned, "planned", "stop"), orphans);
    assert_eq!(place.states(), before);
    let running = place.waiting("run --enforce", due);
    let second = place.run("run --enforce", due).exits(7);
    assert!(second.stderr.contains("another run"), "{}", second.stderr);
    place.run("audit", due).exits(0);
    assert_eq!(place.states(), before, "all wait for the first hook");
    std::fs::write(place.reaper.path().join("gate"), "go on").expect("a pipe");
    let output = running.join().expect("it ended");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    validates("audit", &document);
    assert_eq!(those_with(&document, "result", "confirmed"), orphans);
    let mut after = before.clone();
    after.extend(orphans.iter().map(|id| (id.clone(), "stopped".to_owned())));
    assert_eq!(place.states(), after, "these and no others");

    // What is protected at EC2 and what is kept still runs, and nobody took its protection away.
    let protected = place.seen("stop-protected");
    assert_eq!(
        (&protected["state"], &protected["stop_protection"]),
        (&json!("running"), &json!(true))
    );
    assert_eq!(found(&document, &kept)["verdict"], "exempt");

    // The log in the bucket is whole, and tells of each stop once.
    let verified = place.run("history --verify", due).exits(0).json();
    validates("history", &verified);
    assert_ne!(verified["verified"], Value::Null);
    let history = place.run("history", due).exits(0).json();
    for id in &orphans {
        let records = history["records"].as_array().expect("a list").iter();
        let of_it = |record: &&Value| {
            record["kind"] == "action"
                && record["machine"].as_str().is_some_and(|machine| machine.ends_with(id.as_str()))
        };
        assert_eq!(records.filter(of_it).count(), 2, "{id}: an intent and its outcome");
    }

    // An hour later there is nothing left to do.
    let ran = place.run("run --enforce", due + TimeDelta::hours(1)).exits(0);
    assert_eq!(those_with(&ran.json(), "planned", "stop"), [""; 0]);
    assert_eq!(place.states(), after);

    // No longer needed: the tag goes, the others stay, and its notice begins anew.
    let unkeep = format!("unkeep {kept}");
    let done = place.run(&unkeep, due + TimeDelta::hours(2)).exits(0).json();
    assert_eq!(done["tag"], "removed");
    assert_eq!(place.seen(KEPT)["tags"], tags);
    let ran = place.run("run --enforce", due + TimeDelta::hours(3)).exits(0);
    assert_eq!(found(&ran.json(), &kept)["case"]["state"], "noticed");
    assert_eq!(place.told(), [vec![kept], vec![]]);
    assert_eq!(place.states(), after);
}
