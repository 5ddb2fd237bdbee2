//! What stands in the XML, read back by another parser, and what no text from outside can do to it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use reaper_model::AuditDocument;
use reaper_model::document::Verdict;

use super::junit;
use crate::fixture;

fn written(doc: &AuditDocument) -> String {
    let mut out = Vec::new();
    junit(doc, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// A case as a CI system reads it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Case {
    suite: String,
    name: String,
    class: String,
    /// `failure`, `error`, `skipped`, or empty.
    status: String,
    message: String,
}

fn attributes(tag: &BytesStart<'_>) -> BTreeMap<String, String> {
    tag.attributes()
        .map(|attribute| {
            let attribute = attribute.expect("well formed");
            let name = attribute.key.as_ref().to_owned();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0);
            (name, value.expect("unescapes").into_owned())
        })
        .collect()
}

fn read(text: &str) -> Vec<Case> {
    let mut reader = Reader::from_str(text);
    let (mut suite, mut cases) = (BTreeMap::new(), Vec::<Case>::new());
    let mut counts = BTreeMap::new();
    loop {
        match reader.read_event().expect("well formed") {
            Event::Start(tag) | Event::Empty(tag) => {
                let found = attributes(&tag);
                match tag.name().as_ref() {
                    "testsuites" => counts = found,
                    "testsuite" => suite = found,
                    "testcase" => cases.push(Case {
                        suite: suite["name"].clone(),
                        name: found["name"].clone(),
                        class: found["classname"].clone(),
                        ..Case::default()
                    }),
                    status @ ("failure" | "error" | "skipped") => {
                        let case = cases.last_mut().expect("a case");
                        case.status = status.to_owned();
                        case.message = found["message"].clone();
                    }
                    _ => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let of = |status| cases.iter().filter(|case| case.status == status).count().to_string();
    assert_eq!(counts["tests"], cases.len().to_string());
    assert_eq!((&counts["failures"], &counts["errors"]), (&of("failure"), &of("error")));
    assert_eq!(counts["skipped"], of("skipped"));
    cases
}

#[test]
fn a_run_with_everything() {
    insta::assert_snapshot!(written(&fixture::weekly()));
}

#[test]
fn each_verdict_has_its_colour() {
    let doc = fixture::weekly();
    let cases = read(&written(&doc));
    for machine in doc.instances.iter().filter(|machine| machine.native_id != "i-0eeee4444eeee4444")
    {
        let case = cases
            .iter()
            .find(|case| case.name.contains(&machine.native_id))
            .expect("a case of its own");
        let status = match machine.verdict {
            Verdict::Ok => "",
            Verdict::Orphan => "failure",
            Verdict::Unjudged => "error",
            Verdict::Exempt | Verdict::Protected | Verdict::Managed => "skipped",
        };
        assert_eq!(case.status, status, "{}", machine.id);
        assert_eq!(case.suite, case.class);
    }
    let status = |suite: &str, name: &str| {
        let case = cases.iter().find(|case| case.suite == suite && case.name == name);
        case.expect("a case").status.clone()
    };
    assert_eq!(status("aws/research/eu-west-1", "scope was read in full"), "");
    assert_eq!(status("aws/research/eu-west-3", "scope was read in full"), "error");
    assert_eq!(status("scaleway/poc/fr-par-2", "scope was read in full"), "error");
    assert_eq!(status("lambda/burst", "scope was read in full"), "error");
    assert_eq!(status("aws/research/ap-east-1", "scope was read in full"), "skipped");
    assert_eq!(status("budgets", "all-gpu"), "failure");
    assert_eq!(status("budgets", "team-atlas"), "failure");
    assert_eq!(status("budgets", "lab"), "error");
    assert_eq!(status("budgets", "inference"), "");
}

#[test]
fn a_metric_that_nobody_measures_makes_no_pipeline_red() {
    let mut doc = fixture::mixed();
    doc.outcome = reaper_model::Outcome::new([reaper_model::Class::Findings], false);
    let cases = read(&written(&doc));
    let unjudged = cases.iter().find(|case| case.name.contains("i-0ffff0000ffff0000"));
    assert_eq!(unjudged.map(|case| case.status.as_str()), Some("skipped"));
}

#[test]
fn fl_128_an_old_picture_is_an_error_of_the_run() {
    let mut doc = fixture::weekly();
    doc.last_complete_run = Some(fixture::time("2026-11-18T08:00:00+01:00"));
    let cases = read(&written(&doc));
    assert_eq!(
        (cases[1].suite.as_str(), cases[1].status.as_str(), cases[1].message.as_str()),
        ("run", "error", "THE LAST COMPLETE RUN WAS 12 DAYS AGO")
    );
}

#[test]
fn the_names_in_a_suite_differ_and_the_bytes_do_not() {
    let doc = fixture::fleet(200);
    let cases = read(&written(&doc));
    let names: std::collections::BTreeSet<_> =
        cases.iter().map(|case| (&case.suite, &case.name)).collect();
    assert_eq!(names.len(), cases.len());
    assert_eq!(written(&doc), written(&doc));
}

#[test]
fn what_was_left_behind_is_never_red_and_bounded() {
    let cases = read(&written(&fixture::littered(fixture::mixed(), 5_000)));
    let left: Vec<&Case> = cases.iter().filter(|case| case.suite == "leftovers").collect();
    assert_eq!(left.len(), 1_001);
    assert!(left.iter().all(|case| case.status == "skipped"));
    assert_eq!(left[0].message, "190.00 EUR a month, unused for 41d 2h");
    assert_eq!(left[1_000].name, "… and 4,000 more");
}

#[test]
fn five_thousand_orphans_stay_below_what_ci_systems_take() {
    let text = written(&fixture::fleet(5_000));
    assert!(text.len() < 10_000_000, "{}", text.len());
    assert_eq!(read(&text).iter().filter(|case| case.status == "failure").count(), 5_003);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fl_133_any_text_stays_in_its_place(text in fixture::any_text()) {
        let doc = fixture::weekly_with_text(&text);
        let written = written(&doc);
        prop_assert!(!written.contains(|c: char| c.is_control() && c != '\n'));
        let forbidden = written.contains(['\u{fffe}', '\u{ffff}']);
        prop_assert!(!forbidden);
        let orphans = doc.instances.iter().filter(|machine| machine.verdict == Verdict::Orphan);
        let cases = read(&written);
        let failed = cases.iter().filter(|case| case.status == "failure" && case.suite != "budgets");
        prop_assert_eq!(failed.count(), orphans.count());
        for line in written.lines() {
            prop_assert!(!line.trim_start().starts_with("::"));
        }
    }
}
