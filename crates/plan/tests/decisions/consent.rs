//! Owners' own rules: the tag stands for the notice, and every other guard stays.

use reaper_model::document::WantedAction;
use reaper_model::{Phase, StopKind};
use reaper_plan::{Flaw, Planned, lint};
use reaper_policy::{Conditions, IdleSpec};

use crate::build::{known, machine, monday, rule, span, tags};
use crate::scene::{Ran, Scene, mail, quiet, terminates};

const CONSENT: &str = "tag idle-stop=\"2h\"";

/// Alice's machine with this tag, without any rule of the configuration.
fn tagged(value: &str) -> Scene {
    let mut instance = machine("i-1", "alice");
    instance.tags = tags(&[("owner", "alice"), ("idle-stop", value)]);
    let mut scene = Scene::new(vec![instance]);
    scene.policy.rules.clear();
    scene
}

/// One run at which the machine was measured to be idle.
fn run(scene: &mut Scene) -> Ran {
    scene.measured = Some(quiet(scene.now, "5m", 0.3));
    scene.run()
}

#[test]
fn the_owners_tag_stands_for_the_notice() {
    let mut scene = tagged("2h");
    let ran = run(&mut scene);
    assert_eq!(ran.mails(), [""; 0], "nobody is announced what they have asked for");
    assert_eq!(ran.acted.len(), 1);
    let [step] = &ran.after.plan.steps[..] else { panic!("one step") };
    assert_eq!((step.rule.as_str(), step.notice.as_str()), ("idle-stop", CONSENT));
    assert_eq!((step.noticed_at, step.due_at), (monday(), monday()));
    assert!(step.reasons[0].starts_with("idle-stop: 8 of 8 GPUs never above"), "{step:?}");
    assert_eq!(
        step.reasons[1],
        format!("its owner asks for it by {CONSENT}, which stands for the notice")
    );
    assert_eq!(lint(&ran.after.plan, Some(scene.now)), [Flaw::Digest; 0]);
    let decision = ran.decision("i-1");
    assert_eq!(decision.planned, Planned::Stop);
    assert_eq!(decision.why, format!("its owner asks for it by {CONSENT}"));
    let case = decision.case.as_ref().expect("a case");
    assert_eq!((case.phase, case.notice.as_deref()), (Phase::Due, Some(CONSENT)));
}

#[test]
fn without_the_evidence_or_the_tag_nothing_is_done() {
    for value in ["never", "soon", "4w"] {
        assert!(run(&mut tagged(value)).acted.is_empty(), "{value}");
    }
    let mut unmeasured = tagged("2h");
    assert!(unmeasured.run().acted.is_empty());
    let mut held = tagged("2h");
    held.measured = Some(quiet(held.now, "5m", 30.0));
    let ran = held.run();
    assert!(ran.acted.is_empty());
    let why = &ran.decision("i-1").why;
    assert_eq!(why, "report only: rule \"idle-stop\" only reports what is idle-held");
    assert_eq!(ran.mails(), ["found alice@example.org"]);
}

#[test]
fn every_other_guard_stays() {
    let mut kept = tagged("2h");
    kept.machine("i-1").tags = tags(&[("idle-stop", "2h"), ("reaper-keep", "true")]);
    assert!(run(&mut kept).acted.is_empty(), "the keep tag");

    let mut braked = tagged("2h");
    braked.limits.max_actions = 0;
    let ran = run(&mut braked);
    assert!(ran.acted.is_empty() && ran.after.plan.brake.holds(), "the brake");
    assert_eq!(ran.mails(), [""; 0], "what the brake holds is promised to nobody");

    let mut unpinned = tagged("2h");
    unpinned.forbidden = Some("the account is not pinned");
    let ran = run(&mut unpinned);
    assert!(ran.acted.is_empty(), "the pin");
    assert_eq!(ran.mails(), ["found alice@example.org"]);

    let mut disputed = tagged("2h");
    disputed.machine("i-1").tags =
        tags(&[("owner", "alice"), ("Owner", "bob"), ("idle-stop", "2h")]);
    assert!(run(&mut disputed).acted.is_empty(), "two owners");

    let mut unread = tagged("2h");
    unread.partial.insert(unread.machines[0].id.clone());
    assert!(run(&mut unread).acted.is_empty(), "a place that was not read whole");
}

#[test]
fn a_tag_is_the_consent_of_a_known_owner_alone() {
    for owner in [&[][..], &[("owner", "")][..], &[("owner", "alice"), ("Owner", "bob")][..]] {
        let mut scene = tagged("2h");
        scene.machine("i-1").tags = tags(&[owner, &[("idle-stop", "2h")]].concat());
        for _ in 0..3 {
            let ran = run(&mut scene);
            assert!(ran.acted.is_empty() && ran.after.plan.steps.is_empty(), "{owner:?}");
            let decision = ran.decision("i-1");
            assert_eq!(decision.planned, Planned::Report);
            let start = format!("report only: {CONSENT} is nobody's consent (owner ");
            assert!(decision.why.starts_with(&start), "{}", decision.why);
            scene.wait("4d");
        }
    }
}

#[test]
fn consent_to_a_stop_is_none_to_lost_data() {
    let mut scene = tagged("2h");
    scene.allow_terminate = true;
    scene.machine("i-1").stop.kind = StopKind::Terminate;
    let ran = run(&mut scene);
    assert!(ran.acted.is_empty());
    let why = &ran.decision("i-1").why;
    assert!(why.contains("agrees to a stop, and ec2:TerminateInstances destroys data"), "{why}");
    let mut scene = tagged("2h");
    scene.stop_way = Some(reaper_plan::Way { verb: reaper_model::Verb::Stop, ..terminates() });
    assert!(run(&mut scene).acted.is_empty(), "local disks");
}

#[test]
fn what_is_started_again_is_stopped_again_after_a_rest() {
    let mut scene = tagged("2h");
    for day in 0..4 {
        assert_eq!(run(&mut scene).acted.len(), 1, "day {day}");
        scene.wait("4h");
        scene.start("i-1");
        scene.wait("3h");
        let ran = run(&mut scene);
        assert!(ran.acted.is_empty(), "not twice within twelve hours");
        assert!(ran.decision("i-1").why.contains("left alone until"));
        assert_eq!(ran.mails(), [""; 0]);
        scene.wait("17h");
    }
}

#[test]
fn a_run_that_only_reports_says_what_it_found() {
    let mut scene = tagged("2h");
    scene.enforces = false;
    let ran = run(&mut scene);
    assert!(ran.acted.is_empty());
    assert_eq!(ran.mails(), ["found alice@example.org"]);
    assert_eq!(ran.after.plan.steps.len(), 1, "the plan says what an enforcing run would do");
    scene.wait("1h");
    assert_eq!(run(&mut scene).mails(), [""; 0]);
    assert_eq!(run(&mut scene).after.cases, vec![], "a case that is due stays as it is");
}

#[test]
fn a_rule_of_the_configuration_keeps_its_notice() {
    let mut scene = tagged("never");
    let when = Conditions { idle: Some(IdleSpec::default()), ..Conditions::default() };
    scene.policy.rules = vec![rule("idle", when, WantedAction::Stop, "12h")];
    let ran = run(&mut scene);
    assert!(ran.acted.is_empty());
    assert_eq!(ran.sent.iter().map(mail).collect::<Vec<_>>(), ["stop alice@example.org"]);
    scene.wait("12h");
    assert_eq!(run(&mut scene).acted.len(), 1);
    // Beside the owner's own rule it is told of when that one does not act.
    let mut both = tagged("2h");
    both.policy.rules = scene.policy.rules.clone();
    let ran = run(&mut both);
    assert_eq!((ran.acted.len(), ran.mails()), (1, vec![]));
    let [step] = &ran.after.plan.steps[..] else { panic!("one step") };
    assert_eq!(step.rule, "idle-stop");
}

#[test]
fn a_rule_is_told_of_no_more_than_its_evidence_carries() {
    let mut scene = tagged("never");
    let when = Conditions { idle: Some(IdleSpec::default()), ..Conditions::default() };
    scene.policy.rules = vec![rule("idle", when, WantedAction::Stop, "12h")];
    scene.measured = Some(quiet(scene.now, "5m", 30.0));
    let ran = scene.run();
    assert_eq!(ran.mails(), ["found alice@example.org"], "held: nothing is promised");
    // Later the memory is given back: then it is announced, with the whole period.
    scene.wait("1d");
    assert_eq!(run(&mut scene).mails(), ["stop alice@example.org"]);
    scene.wait("11h");
    assert!(run(&mut scene).acted.is_empty());
    scene.wait("1h");
    let ran = run(&mut scene);
    assert_eq!(ran.acted.len(), 1);
    // A tag says more than was found out: the machine's ground is another one then.
    scene.start("i-1");
    scene.machine("i-1").running_since = known(scene.now - span("1d").delta());
    assert!(run(&mut scene).acted.is_empty(), "a new notice first");
}
