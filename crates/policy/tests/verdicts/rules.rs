//! Selecting conditions, exceptions, several rules.

use reaper_model::document::{Verdict, WantedAction};
use reaper_policy::{Answer, Conditions, Pattern, PolicySpec};

use crate::build::{hours, judge, machine, ownerless, rule, unread};

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().map(|text| text.parse().expect("valid")).collect()
}

fn one(when: Conditions) -> PolicySpec {
    PolicySpec { rules: vec![rule("r", when)], ..PolicySpec::default() }
}

fn project(value: &str) -> PolicySpec {
    let tag = [("project".to_owned(), patterns(&[value]))].into();
    one(Conditions { tag, ..Conditions::default() })
}

#[test]
fn fl_004_a_neighbouring_project_is_not_a_target() {
    for neighbour in ["atlas-next", "my-atlas", "Atlas2"] {
        let judgement = judge(project("atlas"), &machine(&[("project", neighbour)]));
        assert_eq!(judgement.verdict, Verdict::Ok, "{neighbour}");
    }
    assert_eq!(judge(project("atlas"), &machine(&[("Project", "atlas")])).verdict, Verdict::Orphan);
}

#[test]
fn two_spellings_never_widen_a_target() {
    let instance = machine(&[("Project", "atlas"), ("project", "zeus")]);
    assert_eq!(judge(project("atlas"), &instance).verdict, Verdict::Unjudged);
}

#[test]
fn fl_024_the_one_without_the_required_tag_is_found() {
    let spec =
        one(Conditions { missing_tags: vec!["expires".to_owned()], ..Conditions::default() });
    let tagged = machine(&[("owner", "alice"), ("expires", "2027-01-01")]);
    assert_eq!(judge(spec.clone(), &tagged).verdict, Verdict::Ok);
    let judgement = judge(spec, &machine(&[("owner", "alice")]));
    assert_eq!(judgement.rules[0].reason, "tag-absent");
}

#[test]
fn every_selecting_condition_must_hold() {
    let all = Conditions {
        account: patterns(&["research"]),
        provider: patterns(&["aws"]),
        location: patterns(&["eu-*"]),
        id: patterns(&["i-0abc"]),
        name: patterns(&["notebook-*"]),
        machine_type: patterns(&["{p4d,p5}.*"]),
        gpu: patterns(&["A100"]),
        state: patterns(&["RUNNING"]),
        ..Conditions::default()
    };
    assert_eq!(judge(one(all.clone()), &machine(&[])).verdict, Verdict::Orphan);
    let elsewhere = Conditions { location: patterns(&["us-*"]), ..all };
    assert_eq!(judge(one(elsewhere), &machine(&[])).verdict, Verdict::Ok);
}

#[test]
fn an_unknown_gpu_is_neither_matched_nor_excused() {
    let mut instance = machine(&[]);
    instance.gpu = unread();
    let spec = one(Conditions { gpu: patterns(&["A100"]), ..Conditions::default() });
    let judgement = judge(spec, &instance);
    assert_eq!(judgement.rules[0].answer, Answer::Unknown);
    assert!(judgement.evidence_unread);
}

#[test]
fn an_exception_excuses_and_an_unknown_exception_leaves_it_open() {
    let mut spec = ownerless();
    spec.rules[0].except =
        Some(Conditions { name: patterns(&["notebook-*"]), ..Conditions::default() });
    let mut instance = machine(&[]);
    assert_eq!(judge(spec.clone(), &instance).verdict, Verdict::Ok);
    instance.name = unread();
    assert_eq!(judge(spec, &instance).verdict, Verdict::Unjudged);
}

#[test]
fn the_strongest_action_of_the_rules_that_say_yes_counts() {
    let mut spec = ownerless();
    let mut report =
        rule("old", Conditions { older_than: Some(hours(24)), ..Conditions::default() });
    report.action = WantedAction::Report;
    spec.rules.insert(0, report);
    let judgement = judge(spec, &machine(&[]));
    assert_eq!(judgement.wanted, Some(WantedAction::Stop));
    assert_eq!(
        judgement.why,
        "old: up for 10d (rule: over 1d) · \
         ownerless: owner absent: no tag owner; up for 10d (rule: over 2h)"
    );
}
