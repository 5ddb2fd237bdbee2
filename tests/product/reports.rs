//! `reaper report`: documents of before, shown again in every format, or sent.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::acting::Stage;
use crate::schema::validates;
use crate::support::{Ran, Reaper};

/// The document of a demo, and a folder with it.
fn demo() -> (Reaper, Value) {
    let json = Reaper::new().run(&["demo", "--format", "json", "-q"]).exits(0).stdout;
    let document = serde_json::from_str(&json).expect("a document");
    (Reaper::new().file("demo.json", &json), document)
}

#[test]
fn a_document_of_before_is_shown_in_every_format_and_without_a_configuration() {
    let (reaper, document) = demo();
    for (format, begins, has) in [
        ("table", "", "notebook-test"),
        ("markdown", "#", "notebook-test"),
        ("html", "<!doctype html>", "notebook-test"),
        ("csv", "", "notebook-test"),
        ("junit", "<?xml", "notebook-test"),
        ("json", "{", "notebook-test"),
    ] {
        let ran = reaper.run(&["report", "--from", "demo.json", "--format", format]).exits(0);
        let shown = ran.stdout.trim_start_matches('\u{feff}').to_lowercase();
        assert!(shown.starts_with(begins) && shown.contains(has), "{format}: {shown}");
        assert_eq!(ran.stderr, "", "{format}");
        if format == "json" {
            assert_eq!(ran.json(), document, "as it was");
        }
    }
    // What machines have cost day by day is in no document.
    reaper.run(&["report", "--from", "demo.json", "--format", "focus-csv"]).exits(2);
}

#[test]
fn a_document_may_come_from_another_command() {
    let (reaper, document) = demo();
    let mut child = reaper
        .command(&["report", "--from", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("piped");
    write!(stdin, "{document}").expect("it reads all of it");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let shown: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(shown, document);
}

#[test]
fn what_is_no_document_is_refused() {
    let (reaper, document) = demo();
    let mut newer = document;
    newer["schema"] = "reaper.audit/9".into();
    let reaper = reaper
        .file("rubbish.json", "\u{1b}[31m{]")
        .file("empty.json", "")
        .file("other.json", "{\"schema\":\"reaper.check/1\"}")
        .file("newer.json", &newer.to_string());
    for (name, part) in [
        ("rubbish.json", "is not a document that this version understands"),
        ("empty.json", "is not a document that this version understands"),
        ("other.json", "is not a document that this version understands"),
        ("newer.json", "\"reaper.audit/9\", which is not reaper.audit/1"),
        ("nowhere.json", "cannot read nowhere.json"),
        (".", "cannot read ."),
        // Standard input is empty here.
        ("-", "is not a document that this version understands"),
    ] {
        let ran = reaper.run(&["report", "--from", name, "--format", "json"]).exits(2);
        assert!(ran.stderr.contains(part), "{name}: {}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{name}: {}", ran.stderr);
        assert_eq!(ran.json()["outcome"]["class"], "config", "{name}");
    }
}

/// A machine of nobody, ten days old.
const WORLD: &str = "${aws}\n[[aws.instance]]\naccount = \"111122223333\"\n\
                     region = \"eu-west-1\"\nid = \"i-0a1\"\ntype = \"p3.2xlarge\"\n\
                     launched = \"240h\"\ntags = { Name = \"one\" }\n";

const CONFIG: &str = "${aws}\n${mail}\nreport_to = [\"team@example.org\", \"boss@example.org\"]\n\
                      [owners]\nfallback = \"gpu-team@example.org\"\n\
                      [[rule]]\nname = \"ownerless\"\n\
                      when = { owner = [\"absent\"], older_than = \"2h\" }\n\
                      action = \"report\"\n";

/// A Tuesday.
const NOW: &str = "2026-12-01T08:00:00Z";

/// One whose first run has sent its weekly report.
async fn told() -> (Stage, Value) {
    let mut stage = Stage::new(NOW, WORLD, CONFIG).await;
    let ran = stage.run("reaper report").exits(2);
    assert!(ran.stderr.contains("no weekly report was made yet"), "{}", ran.stderr);
    let document = stage.run("reaper run --format json").exits(0).json();
    let mails = stage.mails();
    let mut to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    to.sort_unstable();
    assert_eq!(to.iter().filter(|to| **to != "gpu-team@example.org").count(), 2, "{to:?}");
    (stage, document)
}

/// To whom, and what became of it.
fn outcomes(ran: &Ran) -> Vec<(String, String)> {
    let document = ran.json();
    let mails = document["mails"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    mails.iter().map(|mail| (text(&mail["to"]), text(&mail["status"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_of_the_last_week_is_shown_again_from_the_state() {
    let (mut stage, document) = told().await;
    assert!(document["report"].is_object(), "{document}");
    let state = stage.state();
    let asked = stage.cloud.requests().len();
    // Days later, and nothing is asked of any cloud.
    stage.at("2026-12-04T08:00:00Z");
    let again = stage.run("reaper report --format json").exits(0).json();
    validates("audit", &again);
    for part in ["report", "instances", "budgets", "totals", "scopes", "run_id", "now"] {
        assert_eq!(again[part], document[part], "{part}");
    }
    let table = stage.run("reaper report").exits(0);
    assert!(table.stdout.contains("i-0a1"), "{}", table.stdout);
    let page = stage.run("reaper report --format html --output page.html").exits(0);
    assert_eq!(page.stdout, "");
    let page = std::fs::read_to_string(stage.reaper.path().join("page.html")).expect("a page");
    assert!(page.contains("i-0a1"));
    assert_eq!(stage.cloud.requests().len(), asked);
    assert_eq!(stage.state(), state, "nothing is written");
    assert!(stage.mails().is_empty(), "nothing is sent without --send");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_121_what_became_of_each_mail_of_a_report_is_said() {
    let (mut stage, _) = told().await;
    let line = "reaper report --send --format json";
    let ran = stage.run(line).exits(0);
    let both = ["team@example.org", "boss@example.org"];
    assert_eq!(outcomes(&ran), both.map(|to| (to.to_owned(), "accepted".to_owned())));
    assert_eq!(stage.mails().len(), 2);

    stage.refuse_mail("nobody@example.org", "550 5.1.1 no such user");
    let state = stage.state();
    let line = format!("{line} --to nobody@example.org --to late@example.org");
    let ran = stage.run(&line).exits(6);
    validates("audit", &ran.json());
    let expected = [("nobody@example.org", "rejected"), ("late@example.org", "accepted")];
    assert_eq!(outcomes(&ran), expected.map(|(to, what)| (to.to_owned(), what.to_owned())));
    for part in ["report to nobody@example.org rejected: ", "report to late@example.org accepted"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(ran.stderr.contains("550"), "with the server's words: {}", ran.stderr);
    let mails = stage.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!(mail.to, "late@example.org");
    assert!(mail.text.contains("i-0a1"), "{}", mail.text);
    assert_eq!(stage.state(), state, "what is sent by hand is no matter of the state");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_document_can_be_sent_and_nothing_is_sent_to_what_is_no_address() {
    let mut stage = Stage::new(NOW, WORLD, CONFIG).await;
    stage.run("reaper audit --format json --output audit.json").exits(0);
    stage.run("reaper report --from audit.json --send --to me@example.org -q").exits(0);
    let mails = stage.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.text.contains("i-0a1"), "{}", mail.text);
    for (line, part) in [
        ("reaper report --from audit.json --send --to me@example.org --to broken.@", "broken.@"),
        ("reaper report --from audit.json --to me@example.org", "--send"),
    ] {
        let ran = stage.run(line).exits(2);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    assert!(stage.mails().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_false_clock_sends_no_report_to_anybody_else() {
    let stage = Stage::new(NOW, WORLD, CONFIG).await;
    stage.run("reaper audit --format json --output audit.json").exits(0);
    stage.run("sed -i 's/host = \"127.0.0.1\"/host = \"smtp.example.org\"/' reaper.toml").exits(0);
    let line = "reaper report --from audit.json --send --to me@example.org";
    for line in [line.to_owned(), format!("env -u REAPER_NOW {line} --now {NOW}")] {
        let ran = stage.run(&line).exits(3);
        let part = "the mail server `smtp.example.org` does not lead to this machine";
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    let shown = stage.run("reaper report --from audit.json --format json").exits(0);
    assert_eq!(shown.json()["mails"], json!([]), "showing needs no clock");
}
