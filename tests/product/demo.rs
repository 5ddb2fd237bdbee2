//! `reaper demo`: what a newcomer sees first.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::schema::validates;
use crate::support::{Reaper, variable};

/// The demo's document without wall time, the one thing that may differ.
fn document(reaper: &Reaper) -> Value {
    let mut document = reaper.run(&["demo", "--format", "json"]).exits(0).json();
    for scope in document["scopes"].as_array_mut().expect("a list") {
        scope["seconds"] = 0.into();
    }
    document
}

#[test]
fn the_forgotten_a100_has_cost_2520_euro() {
    let ran = Reaper::new().run(&["demo"]).exits(0);
    assert!(ran.stdout.contains("2,520.00 EUR"), "{}", ran.stdout);
    assert!(ran.stdout.contains("notebook-test"), "{}", ran.stdout);
}

#[test]
fn the_demo_is_a_complete_document() {
    let document = Reaper::new().run(&["demo", "--format", "json", "-q"]).exits(0).json();
    validates("audit", &document);
    let machines = document["instances"].as_array().expect("a list");
    let forgotten = machines
        .iter()
        .find(|machine| machine["name"] == "notebook-test")
        .expect("the forgotten notebook");
    assert_eq!(forgotten["verdict"], "orphan");
    assert_eq!(forgotten["age_hours"], "720.0");
    assert_eq!(forgotten["cost"]["since_start"]["amount"], "2520.00");
    assert_eq!(forgotten["cost"]["since_start"]["currency"], "EUR");
}

#[test]
fn four_clouds_are_shown_and_what_looks_off_but_is_billed() {
    let document = Reaper::new().run(&["demo", "--format", "json", "-q"]).exits(0).json();
    let machines = document["instances"].as_array().expect("a list");
    for provider in ["aws", "scaleway", "ovhcloud", "lambda"] {
        let mut own = machines.iter().filter(|machine| machine["provider"] == provider);
        assert!(own.any(|machine| machine["verdict"] == "orphan"), "{provider}");
    }
    let mut off: Vec<&str> = machines
        .iter()
        .filter(|machine| machine["stopped_but_billed"] == true)
        .filter_map(|machine| machine["provider_state"].as_str())
        .collect();
    off.sort_unstable();
    assert_eq!(off, ["SHUTOFF", "stopped in place"]);
}

#[test]
fn the_same_demo_twice_gives_the_same_bytes() {
    assert_eq!(document(&Reaper::new()), document(&Reaper::new()));
}

#[test]
fn the_demo_does_not_depend_on_the_environment() {
    let proxy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    proxy.set_nonblocking(true).expect("a socket that does not wait");
    let address = format!("http://{}", proxy.local_addr().expect("an address"));
    let hostile = [
        ("HTTP_PROXY", address.as_str()),
        ("HTTPS_PROXY", &address),
        ("ALL_PROXY", &address),
        ("http_proxy", &address),
        ("https_proxy", &address),
        ("all_proxy", &address),
        ("AWS_DEFAULT_REGION", "bogus"),
        ("AWS_USE_FIPS_ENDPOINT", "true"),
        ("AWS_USE_DUALSTACK_ENDPOINT", "true"),
        ("AWS_ENDPOINT_URL", &address),
        ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"),
        ("AWS_PROFILE", "nosuch"),
        ("AWS_CONFIG_FILE", "/nope"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/nope"),
        ("AWS_ACCESS_KEY_ID", "AKIASOMEBODYELSE"),
        ("AWS_SECRET_ACCESS_KEY", "somebody-elses"),
        ("AWS_SESSION_TOKEN", "somebody-elses"),
    ];
    let calm = document(&Reaper::new());
    for region in ["bogus", ""] {
        let reaper = Reaper::new().env("AWS_REGION", region);
        let reaper = hostile.iter().fold(reaper, |reaper, (name, value)| reaper.env(name, value));
        assert_eq!(document(&reaper), calm, "AWS_REGION={region:?}");
    }
    let asked = proxy.accept().map_err(|error| error.kind());
    assert_eq!(asked.map(|_| ()), Err(ErrorKind::WouldBlock), "the proxy was asked");
}

/// The mails of a folder, as Python's own mail reader understands them.
fn mails(folder: &Path) -> Vec<(PathBuf, Value)> {
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("readable").path()).collect();
    paths.sort();
    let output = Command::new(variable("REAPER_TEST_PYTHON"))
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/python/read_mails.py"))
        .args(&paths)
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mails = said.lines().map(|line| serde_json::from_str(line).expect("one JSON line"));
    paths.iter().cloned().zip(mails).collect()
}

#[test]
fn weeks_of_the_demo_end_with_a_weekly_report_and_its_mails() {
    let reaper = Reaper::new();
    let line = ["demo", "--weeks", "2", "--mails", "mails", "--format", "json"];
    let ran = reaper.run(&line).exits(0);
    assert!(ran.stderr.contains("the mails of that time are in mails"), "{}", ran.stderr);
    let document = ran.json();
    validates("audit", &document);
    let report = &document["report"];
    for part in ["stopped", "gone", "kept", "saved"] {
        assert!(report[part].as_array().is_some_and(|list| !list.is_empty()), "{part}: {report}");
    }
    // A week for each, up to the one that the report is about.
    let trend = report["trend"].as_array().expect("a list");
    assert!(trend.len() >= 2, "{report}");
    assert!(trend.windows(2).all(|pair| pair[0]["until"] == pair[1]["from"]), "{report}");
    assert_eq!((&report["covers"], &report["first"]), (&1.into(), &false.into()));

    let mails = mails(&reaper.path().join("mails"));
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let reports: Vec<&Value> = mails
        .iter()
        .filter(|(path, _)| name(path).is_some_and(|name| name.starts_with("report-")))
        .map(|(_, mail)| mail)
        .collect();
    assert!(reports.iter().any(|mail| mail["to"] == "gpu-team@example.org"), "{reports:?}");
    for (path, mail) in &mails {
        assert!(path.extension().is_some_and(|extension| extension == "eml"), "{path:?}");
        assert_eq!(mail["defects"], serde_json::json!([]), "{path:?}");
        assert!(mail["text"].as_str().is_some_and(|text| text.len() > 100), "{path:?}");
        let types = mail["types"].as_array().expect("a list");
        assert!(types.contains(&"text/html".into()), "{path:?}: {types:?}");
    }
}
