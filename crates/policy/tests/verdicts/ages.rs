//! Ages, grace and expiry (field cases of kinds A, C and M).

use chrono::TimeDelta;
use reaper_model::document::Verdict;
use reaper_model::{Fact, Ignorance, State};
use reaper_policy::{Conditions, PolicySpec};

use crate::build::{judge, judge_at, known, machine, now, ownerless, rule, time};

fn launched(ago: TimeDelta) -> reaper_model::Instance {
    let mut instance = machine(&[]);
    instance.created_at = known(now() - ago);
    instance.running_since = known(now() - ago);
    instance
}

#[test]
fn fl_002_a_fresh_machine_is_in_grace_and_says_until_when() {
    let fresh = judge(ownerless(), &launched(TimeDelta::seconds(90)));
    assert_eq!(fresh.verdict, Verdict::Ok);
    assert_eq!(fresh.why, "in grace until 2026-11-30 10:58 UTC");
    assert_eq!(judge(ownerless(), &launched(TimeDelta::minutes(121))).verdict, Verdict::Orphan);
}

#[test]
fn fl_002_rules_without_an_age_leave_fresh_machines_alone() {
    let when = Conditions { missing_tags: vec!["project".to_owned()], ..Conditions::default() };
    let spec = PolicySpec { rules: vec![rule("missing-tags", when)], ..PolicySpec::default() };
    assert_eq!(judge(spec.clone(), &launched(TimeDelta::minutes(10))).verdict, Verdict::Ok);
    assert_eq!(judge(spec, &launched(TimeDelta::minutes(16))).verdict, Verdict::Orphan);
}

#[test]
fn fl_009_a_missing_launch_time_never_satisfies_an_age_rule() {
    let mut instance = machine(&[]);
    instance.created_at = Fact::unknown(Ignorance::Unusable, "launch time 0001-01-01");
    instance.running_since = Fact::unknown(Ignorance::Unusable, "launch time 0001-01-01");
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.why.contains("age unknown"), "{}", judgement.why);
}

#[test]
fn a_start_that_could_not_be_read_is_not_replaced_by_the_creation() {
    let mut instance = machine(&[]);
    instance.running_since = Fact::unknown(Ignorance::ReadFailed, "denied");
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Unjudged);
    instance.running_since = Fact::unknown(Ignorance::NotOffered, "not shown");
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Orphan);
    assert!(judgement.why.contains("created 10d ago"), "{}", judgement.why);
}

#[test]
fn a_short_age_does_not_undercut_the_grace_of_an_action() {
    let mut spec = ownerless();
    spec.rules[0].when.older_than = Some(reaper_model::Span::from_secs(60));
    let fresh = launched(TimeDelta::minutes(5));
    assert_eq!(judge(spec.clone(), &fresh).verdict, Verdict::Ok);
    spec.rules[0].action = reaper_model::document::WantedAction::Report;
    assert_eq!(judge(spec, &fresh).verdict, Verdict::Orphan, "a report harms nobody");
}

#[test]
fn fl_012_a_restart_starts_the_age_anew() {
    let mut instance = machine(&[]);
    instance.running_since = known(now() - TimeDelta::minutes(20));
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Ok);
}

fn expired() -> PolicySpec {
    let when = Conditions { expired: Some(true), ..Conditions::default() };
    PolicySpec { rules: vec![rule("expired", when)], ..PolicySpec::default() }
}

#[test]
fn fl_034_an_expiry_that_cannot_be_read_neither_expires_nor_protects() {
    let verdict = |value: &str| judge(expired(), &machine(&[("expires", value)]));
    assert_eq!(verdict("2026-11-29").verdict, Verdict::Orphan);
    assert_eq!(verdict("2026-11-30").verdict, Verdict::Ok, "through the end of that day");
    assert_eq!(verdict("7d").verdict, Verdict::Orphan, "launched ten days ago");
    assert_eq!(verdict("forever").verdict, Verdict::Ok);
    assert_eq!(verdict("").verdict, Verdict::Ok);
    for invalid in ["31/12/2025", "2026-02-30", "1767225600000", "soon"] {
        let judgement = verdict(invalid);
        assert_eq!(judgement.verdict, Verdict::Unjudged, "{invalid}");
        assert!(judgement.why.contains("invalid expiry"), "{}", judgement.why);
        assert!(judgement.why.contains("7d or 4h"), "the forms are told: {}", judgement.why);
    }
}

#[test]
fn fl_131_one_machines_zone_says_nothing_about_the_next() {
    let tokyo = machine(&[("expires", "2026-11-30T18:00+09:00")]);
    let plain = machine(&[("expires", "2026-11-29")]);
    let policy = reaper_policy::Policy::new(expired());
    let account = "research".into();
    let judge = |instance| policy.judge(&reaper_policy::Subject::new(instance, &account, now()));
    let alone = judge(&plain);
    assert_eq!(judge(&tokyo).verdict, Verdict::Orphan);
    assert_eq!(judge(&plain), alone);
}

#[test]
fn fl_125_ages_are_elapsed_time() {
    let mut instance = machine(&[]);
    // The first 02:10 of the night on which Paris turns its clocks back.
    instance.created_at = known(time("2026-10-25T02:10:00+02:00"));
    instance.running_since = known(time("2026-10-25T02:10:00+02:00"));
    let judgement = judge_at(ownerless(), &instance, time("2026-10-25T02:00:00+01:00"));
    assert_eq!(judgement.why, "in grace until 2026-10-25 02:10 UTC", "50 of 120 minutes old");
}

#[test]
fn fl_040_a_booting_machine_is_judged_next_run() {
    let mut instance = machine(&[]);
    instance.state = State::Pending;
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.why.contains("next run"), "{}", judgement.why);
}
