//! What beats a rule that says yes: keep tag, types, guards, exemptions, controllers.

use reaper_model::document::Verdict;
use reaper_model::{Fact, Guard, Manager, Meter, State};
use reaper_policy::{Conditions, Exemption, PolicySpec};

use crate::build::{judge, known, machine, ownerless, time, unread};

#[test]
fn fl_007_the_keep_tag_protects_in_any_spelling_and_value_but_false() {
    for key in ["reaper-keep", "Reaper-Keep", "REAPER-KEEP", "reaper_keep", "reaper.keep "] {
        let judgement = judge(ownerless(), &machine(&[(key, "")]));
        assert_eq!(judgement.verdict, Verdict::Protected, "{key}");
        assert_eq!(judgement.notes.is_empty(), key == "reaper-keep", "odd spellings are noted");
    }
    for value in ["", "true", "yes", "no", "0", "2027-01-01", "whatever", "31/12/2020", "27-01-31"]
    {
        let judgement = judge(ownerless(), &machine(&[("reaper-keep", value)]));
        assert_eq!(judgement.verdict, Verdict::Protected, "{value}");
    }
    for value in ["false", " False\u{200b}"] {
        let judgement = judge(ownerless(), &machine(&[("reaper-keep", value)]));
        assert_eq!(judgement.verdict, Verdict::Orphan, "{value:?}");
    }
}

#[test]
fn a_date_protects_until_it_is_over_everywhere() {
    let instance = machine(&[("reaper-keep", "2026-11-29")]);
    let at = |text| crate::build::judge_at(ownerless(), &instance, time(text)).verdict;
    assert_eq!(at("2026-11-30T11:59:00Z"), Verdict::Protected);
    assert_eq!(at("2026-11-30T12:00:00Z"), Verdict::Orphan);
}

#[test]
fn fl_007_one_protecting_spelling_is_enough() {
    let instance = machine(&[("reaper-keep", "false"), ("Reaper-Keep", "")]);
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Protected);
}

fn exemption(name: &str, until: &str) -> Exemption {
    let pattern = name.parse().expect("valid");
    Exemption {
        matches: Conditions { name: vec![pattern], ..Conditions::default() },
        owner: Some("alice".to_owned()),
        reason: "customer demo".to_owned(),
        until: time(until),
        until_text: until[..10].to_owned(),
    }
}

#[test]
fn fl_008_a_lapsed_entry_does_not_beat_a_valid_one() {
    let spec = PolicySpec {
        exemptions: vec![
            exemption("notebook-*", "2024-12-25T00:00:00Z"),
            exemption("*-test", "2027-12-01T00:00:00Z"),
        ],
        ..ownerless()
    };
    let judgement = judge(spec, &machine(&[("reaper-keep", "2024-12-25")]));
    assert_eq!(judgement.verdict, Verdict::Exempt);
    assert!(judgement.why.contains("until 2027-12-01 (customer demo)"), "{}", judgement.why);
    assert_eq!(judgement.named_by, [0, 1], "the lapsed one is known too");
    let notes = judgement.notes.join("\n");
    assert!(notes.contains("reaper-keep=\"2024-12-25\" has lapsed"), "{notes}");
}

#[test]
fn an_exemption_that_may_apply_leaves_it_open() {
    let mut instance = machine(&[]);
    instance.name = unread();
    let spec =
        PolicySpec { exemptions: vec![exemption("x", "2027-12-01T00:00:00Z")], ..ownerless() };
    let judgement = judge(spec, &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged, "neither an orphan nor shown as exempt");
    assert!(judgement.evidence_unread);
}

#[test]
fn fl_039_stop_protection_at_the_provider_is_said() {
    let mut instance = machine(&[]);
    instance.guards = known(vec![Guard::Stop]);
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Protected);
    assert!(judgement.why.contains("at the provider"), "{}", judgement.why);
    instance.guards = known(vec![Guard::Terminate]);
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Orphan, "does not block a stop");
    instance.stop.kind = reaper_model::StopKind::Terminate;
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Protected, "but an end");
    instance.guards = unread();
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.evidence_unread);
}

#[test]
fn protected_types_match_without_case() {
    let mut spec = ownerless();
    spec.protect.types = vec!["P4D.*".parse().expect("valid")];
    assert_eq!(judge(spec, &machine(&[])).verdict, Verdict::Protected);
}

#[test]
fn managed_left_alone() {
    let mut instance = machine(&[]);
    instance.manager = known(Manager {
        kind: "autoscaling-group".to_owned(),
        name: "trainers".to_owned(),
        advice: "lower its desired capacity".to_owned(),
    });
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Managed, "whatever the rules say");
    assert!(judgement.why.contains("autoscaling-group trainers"), "{}", judgement.why);
    instance.manager = unread();
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Unjudged);
}

#[test]
fn fl_091_ended_and_free_machines_are_no_orphans() {
    let mut instance = machine(&[]);
    for (state, meter) in [
        (State::Ended, Meter::Ended),
        (State::Ending, Meter::Ended),
        (State::Stopped, Meter::StoppedFree),
    ] {
        (instance.state, instance.meter) = (state, meter);
        assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Ok, "{state}");
    }
    (instance.state, instance.meter) = (State::Stopped, Meter::StoppedBilled);
    assert_eq!(judge(ownerless(), &instance).verdict, Verdict::Orphan, "looks off and is billed");
}

#[test]
fn fl_086_an_unknown_state_is_flagged_and_never_an_orphan() {
    let mut instance = machine(&[]);
    (instance.state, instance.meter) = (State::Unknown, Meter::Unknown);
    instance.provider_state = "HIBERNATING_DEEP".to_owned();
    let judgement = judge(ownerless(), &instance);
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.why.contains("HIBERNATING_DEEP"), "{}", judgement.why);
}

#[test]
fn no_tags_offered_means_no_keep_tag() {
    let mut instance = machine(&[]);
    instance.tags = Fact::unknown(reaper_model::Ignorance::NotOffered, "none");
    assert_eq!(judge(ownerless(), &instance).protection, reaper_policy::Protection::None);
}
