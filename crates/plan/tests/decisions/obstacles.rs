//! What keeps a due machine from being acted upon.

use reaper_model::document::WantedAction;
use reaper_model::{ActionResult, Meter, Phase, Purchase, State, StopKind, Verb};
use reaper_plan::Planned;

use crate::build::{absent, machine, money};
use crate::scene::{Look, Scene, minutes, terminates};

/// One machine, due.
fn due() -> Scene {
    Scene::due(vec![machine("i-1", "alice")])
}

#[test]
fn fl_041_a_machine_stuck_on_its_way_down_is_said_and_not_stopped_again() {
    let mut scene = due();
    scene.acted("i-1", ActionResult::Unconfirmed, "1m");
    for meter in [Meter::Running, Meter::StoppedFree, Meter::StoppedBilled] {
        let mut scene = scene.clone();
        let instance = scene.machine("i-1");
        (instance.state, instance.meter) = (State::Stopping, meter);
        instance.provider_state = "stopping".to_owned();
        for _ in 0..3 {
            scene.wait("1d");
            let ran = scene.run();
            assert!(ran.acted.is_empty() && ran.sent.is_empty(), "{meter:?}");
            let said = "stuck in `stopping` since 2026-12-03 08:59 UTC, may still be billed";
            assert_eq!(ran.decision("i-1").trouble.as_deref(), Some(said), "{meter:?}");
        }
    }
    let instance = scene.machine("i-1");
    (instance.state, instance.meter) = (State::Stopped, Meter::StoppedFree);
    assert_eq!(scene.decide().decision("i-1").trouble, None, "it went down in the end");
}

#[test]
fn an_action_that_did_not_work_is_tried_again_by_the_next_run() {
    for result in [ActionResult::Unconfirmed, ActionResult::Refused] {
        let mut scene = due();
        scene.acted("i-1", result, "1m");
        assert_eq!(scene.run().acted.len(), 1, "{result:?}");
    }
}

#[test]
fn an_action_without_a_result_is_not_repeated() {
    let mut scene = due();
    scene.remembered("i-1").open_action = Some(scene.now - minutes(5));
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert_eq!(ran.decision("i-1").why, "an action of 2026-12-03 08:55 UTC has no result yet");
}

#[test]
fn fl_048_a_machine_is_acted_upon_at_most_once_in_twelve_hours() {
    let mut scene = due();
    scene.acted("i-1", ActionResult::Confirmed, "11h59m");
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert!(ran.decision("i-1").why.contains("left alone until 2026-12-03 09:01 UTC"));
    scene.wait("1m");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn a_machine_between_two_states_is_left_to_the_next_run() {
    for state in [State::Restarting, State::Stopping] {
        let mut scene = due();
        scene.machine("i-1").state = state;
        let decisions = scene.decide();
        assert!(decisions.plan.steps.is_empty(), "{state}");
        assert_eq!(decisions.decision("i-1").planned, Planned::Report, "{state}");
        assert_eq!(decisions.decision("i-1").trouble, None, "{state}");
    }
}

#[test]
fn a_machine_that_is_off_and_billed_is_acted_upon() {
    let mut scene = Scene::new(vec![machine("i-1", "alice")]);
    let instance = scene.machine("i-1");
    (instance.state, instance.meter) = (State::Stopped, Meter::StoppedBilled);
    instance.running_since = absent();
    scene.run();
    scene.wait("3d");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn fl_053_what_is_not_allowed_is_reported_with_the_reason() {
    let mut scene = Scene::of_alice();
    scene.forbidden = Some("a stop would erase local disks: needs allow_local_data_loss");
    assert_eq!(scene.run().mails(), ["found alice@example.org"], "no promise of a stop");
    scene.wait("5d");
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert_eq!(
        ran.decision("i-1").why,
        "report only: a stop would erase local disks: needs allow_local_data_loss"
    );
    // Consent does not shorten anybody's notice.
    scene.forbidden = None;
    let ran = scene.run();
    assert_eq!(ran.mails(), ["stop alice@example.org"]);
    assert!(ran.acted.is_empty());
}

#[test]
fn a_promise_that_may_not_be_kept_today_is_kept_in_mind() {
    let mut scene = due();
    scene.forbidden = Some("the account is not pinned");
    assert!(scene.run().acted.is_empty());
    assert_eq!(scene.case("i-1").map(|case| case.phase), Some(Phase::New));
    scene.forbidden = None;
    let ran = scene.run();
    assert_eq!((ran.sent.len(), ran.acted.len()), (0, 1));
}

#[test]
fn where_nothing_is_saved_nothing_is_done() {
    let mut scene = Scene::of_alice();
    scene.machine("i-1").stop.saves = false;
    scene.machine("i-1").purchase = Purchase::Monthly;
    assert_eq!(scene.run().mails(), ["found alice@example.org"]);
    scene.wait("5d");
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert_eq!(ran.decision("i-1").why, "report only: an action would save nothing");
}

#[test]
fn fl_103_a_machine_without_a_price_is_not_a_free_one() {
    let mut scene = due();
    scene.hourly.insert(scene.machines[0].id.clone(), None);
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert!(ran.decision("i-1").why.ends_with("add a [[price]] for p4d.24xlarge"));
    assert_eq!(scene.case("i-1").map(|case| case.phase), Some(Phase::New));

    let mut known_to_somebody = scene.clone();
    known_to_somebody.expect = Some(1);
    assert_eq!(known_to_somebody.run().acted.len(), 1);

    scene.bound = Some(money("40 EUR"));
    assert_eq!(scene.run().acted.len(), 1, "an upper bound is enough for the brake");
}

#[test]
fn a_rule_that_asks_for_a_stop_never_terminates_what_can_be_stopped() {
    let mut scene = Scene::of_alice();
    scene.allow_terminate = true;
    scene.machine("i-1").stop.kind = StopKind::Terminate;
    scene.run();
    scene.wait("3d");
    let step = scene.decide().plan.steps.remove(0);
    assert_eq!(step.verb, Verb::Terminate, "where there is no stop, with consent");
    scene.allow_terminate = false;
    assert!(scene.decide().plan.steps.is_empty());

    // Even if the caller hands in the wrong way.
    let mut scene = due();
    scene.stop_way = Some(terminates());
    assert!(scene.decide().plan.steps.is_empty());
    scene.policy.rules[0].action = WantedAction::Stop;
    assert!(scene.run().decision("i-1").why.contains("asks for a stop"));
}
