//! Rules that ask for idleness: what is measured when, and that only evidence of right now stops a
//! machine.

use std::sync::Arc;

use reaper_engine::Sensors;
use reaper_model::document::{Cause, IdleVerdict, Verdict, WantedAction};
use reaper_model::{ActionResult, Class, Instance, Meter, Span, State};
use reaper_policy::{Conditions, IdleSpec, RuleSpec};

use crate::build::{machines, span};
use crate::house::{House, Says};
use crate::meters::{Load, Meters};
use crate::script::put;

const WINDOW: Span = Span::from_secs(6 * 3600);

/// A house whose only rule is idleness, and its meters.
fn house(machines: Vec<Instance>) -> (House, Arc<Meters>) {
    let mut house = House::new(machines);
    house.settings.policy.rules = vec![idle_rule()];
    let meters = Arc::new(Meters::default());
    house.sensors = Arc::new(Sensors {
        clouds: true,
        always: false,
        sources: vec![Arc::<Meters>::clone(&meters)],
    });
    (house, meters)
}

fn idle_rule() -> RuleSpec {
    let when = Conditions { idle: Some(IdleSpec::over(WINDOW)), ..Conditions::default() };
    RuleSpec {
        name: "idle".to_owned(),
        when,
        except: None,
        action: WantedAction::Stop,
        notice: span("12h"),
    }
}

/// `i-1` idles, `i-2` works; the owners have been told and the period is over.
async fn due() -> (House, Arc<Meters>) {
    let (mut house, meters) = house(machines(2));
    meters.say("i-1", Load::Nothing);
    meters.say("i-2", Load::Works(93.0));
    house.run().await;
    house.wait("13h");
    house.cloud.forget_calls();
    meters.asked();
    meters.met();
    (house, meters)
}

#[tokio::test(start_paused = true)]
async fn the_idle_machine_is_stopped_and_no_other() {
    let (house, meters) = due().await;
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1"]);
    let view = ran.machine("i-1");
    assert_eq!(view.utilisation.verdict, IdleVerdict::Idle);
    assert_eq!(view.utilisation.cause, Some(Cause::Empty));
    assert_eq!(view.utilisation.idle_gpus.as_deref(), Some("8 of 8"));
    let summary = view.utilisation.summary.as_deref().expect("measured");
    assert!(summary.starts_with("8 of 8 GPUs never above 0.4 % in the last 6h"), "{summary}");
    assert_eq!(ran.machine("i-2").utilisation.verdict, IdleVerdict::Busy);
    assert_eq!(ran.machine("i-2").verdict, Verdict::Ok);
    assert_eq!(meters.met(), [(2, true)]);
}

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_measures_again_up_to_now() {
    let (house, meters) = due().await;
    // Between the listing and the call a training run begins.
    meters.change(1, "i-1", Load::Works(88.0));
    let ran = house.run().await;
    assert_eq!(ran.planned(), ["i-1"], "when it was planned, it idled");
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged));
    assert!(ran.why("i-1").starts_with("not touched: "), "{}", ran.why("i-1"));
    let asked = meters.asked();
    let about: Vec<usize> = asked.iter().map(|(_, machines)| machines.len()).collect();
    assert_eq!(about, [2, 1], "all of them, then the one alone");
    for (window, _) in asked {
        assert_eq!(window.length(), WINDOW);
        assert!(window.until >= house.now, "the window ends now, not at the last evaluation");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_never_acts_on_evidence_that_fails_at_the_last_moment() {
    for load in [Load::Dark, Load::Fails] {
        let (house, meters) = due().await;
        meters.change(1, "i-1", load);
        let ran = house.run().await;
        assert_eq!(ran.planned(), ["i-1"]);
        assert_eq!(house.cloud.acts(), [""; 0], "{load:?}");
        assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged), "{load:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_never_acts_without_measurements() {
    let (house, meters) = due().await;
    meters.say("i-1", Load::Dark);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    let view = ran.machine("i-1");
    assert_eq!((view.verdict, view.utilisation.verdict), (Verdict::Unjudged, IdleVerdict::Unknown));
    assert_eq!(ran.document.totals.unmeasured, 1);
    assert!(!ran.has(Class::Incomplete), "that nobody measures is how the world is");
}

#[tokio::test(start_paused = true)]
async fn fl_101_a_source_that_fails_is_said_and_other_rules_still_apply() {
    let (mut house, meters) = due().await;
    let mut spec = crate::build::forgotten();
    spec.rules.push(idle_rule());
    house.settings.policy.rules = spec.rules;
    meters.say("i-1", Load::Fails);
    let ran = house.run().await;
    let view = ran.machine("i-1");
    assert_eq!(view.verdict, Verdict::Orphan, "by its age");
    assert_eq!(view.utilisation.verdict, IdleVerdict::Unknown);
    assert!(ran.has(Class::Incomplete));
    let said = ran.document.warnings.iter().find(|warning| warning.code == "metrics-unread");
    let text = &said.expect("a warning").text;
    assert_eq!(text, "utilisation not available for 1 machine: meters: 503 from the server");
}

#[tokio::test(start_paused = true)]
async fn fl_096_a_fleet_at_exactly_zero_is_suspicious_and_nothing_is_stopped() {
    let (mut house, meters) = house(machines(4));
    for native in ["i-1", "i-2", "i-3", "i-4"] {
        meters.say(native, Load::Zero);
    }
    for _ in 0..2 {
        let ran = house.run().await;
        assert_eq!(ran.plan.steps, []);
        assert!(ran.document.warnings.iter().any(|one| one.code == "metrics-suspicious"));
        assert!(ran.document.instances.iter().all(|one| one.verdict == Verdict::Unjudged));
        house.wait("13h");
    }
    assert_eq!(house.cloud.acts(), [""; 0]);
    // One that works proves that the source can say something else.
    meters.say("i-4", Load::Works(40.0));
    let ran = house.run().await;
    let idle = ran.document.instances.iter().filter(|one| one.verdict == Verdict::Orphan);
    assert_eq!(idle.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn fl_096_a_tag_with_a_longer_window_does_not_lift_the_doubt() {
    for tag in [None, Some(("idle-stop", "7d"))] {
        let mut fleet = machines(3);
        let owner = ("owner", "alice");
        fleet[0].tags =
            crate::build::tags(&[Some(owner), tag].into_iter().flatten().collect::<Vec<_>>());
        let (mut house, meters) = house(fleet);
        for native in ["i-1", "i-2", "i-3"] {
            meters.say(native, Load::Frozen(12));
        }
        for _ in 0..2 {
            let ran = house.run().await;
            assert_eq!(ran.plan.steps, [], "{tag:?}");
            let [said] = ran.warnings("metrics-suspicious")[..] else { panic!("once") };
            assert!(said.contains("of all its machines in the last 6h"), "{said}");
            for native in ["i-1", "i-2", "i-3"] {
                assert_eq!(ran.machine(native).verdict, Verdict::Unjudged, "{tag:?}");
            }
            house.wait("13h");
            meters.asked();
        }
        assert_eq!(house.cloud.acts(), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_nobody_measured_the_cpus_of_is_only_reported() {
    let (mut house, meters) = house(machines(1));
    meters.say("i-1", Load::Blind);
    for _ in 0..3 {
        let ran = house.run().await;
        let view = ran.machine("i-1");
        assert_eq!((view.utilisation.verdict, view.utilisation.cause), (IdleVerdict::Idle, None));
        let summary = view.utilisation.summary.as_deref().expect("measured");
        assert!(summary.ends_with("; its CPUs were not measured"), "{summary}");
        assert_eq!(view.verdict, Verdict::Orphan);
        assert_eq!(view.action.wanted, Some(WantedAction::Report));
        house.wait("13h");
    }
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn where_a_plan_is_applied_names_prove_nobody() {
    let (house, meters) = due().await;
    let plan = house.dry().await.plan;
    assert_eq!(meters.met(), [(2, true)]);
    house.apply(plan).await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(meters.met(), [(1, false)], "only the machine of the plan was read");
}

#[tokio::test(start_paused = true)]
async fn what_holds_its_memory_is_only_reported() {
    let (mut house, meters) = house(machines(1));
    meters.say("i-1", Load::Holds);
    for _ in 0..3 {
        let ran = house.run().await;
        let view = ran.machine("i-1");
        assert_eq!(view.utilisation.cause, Some(Cause::Held));
        assert_eq!(view.verdict, Verdict::Orphan);
        assert_eq!(view.action.wanted, Some(WantedAction::Report));
        house.wait("13h");
    }
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_where_no_rule_asks_and_never_of_machines_that_are_down() {
    let (mut house, meters) = house(machines(2));
    house.settings.policy = crate::build::forgotten();
    house.run().await;
    assert!(meters.asked().is_empty());

    let mut fleet = machines(2);
    put(&mut fleet[1], State::Stopped, Meter::StoppedBilled);
    let (house, meters) = self::house(fleet);
    meters.say("i-1", Load::Works(50.0));
    house.run().await;
    let asked: Vec<Vec<String>> = meters.asked().into_iter().map(|(_, names)| names).collect();
    assert_eq!(asked, [["i-1"]]);
}

#[tokio::test(start_paused = true)]
async fn the_owners_tag_is_the_notice() {
    let mut fleet = machines(2);
    fleet[0].tags = crate::build::tags(&[("owner", "alice"), ("idle-stop", "2h")]);
    let (mut house, meters) = house(fleet);
    house.settings.policy.rules.clear();
    meters.say("i-1", Load::Nothing);
    meters.say("i-2", Load::Nothing);
    // No mail server, no notice: the owner has said so beforehand, and for this machine alone.
    house.settings.routing.can_mail = false;
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
    let step = &ran.plan.steps[0];
    assert_eq!((step.rule.as_str(), step.due_at), ("idle-stop", house.now));
    assert_eq!(ran.document.mails, []);
}

#[tokio::test(start_paused = true)]
async fn a_tag_without_a_known_owner_stops_nothing() {
    let mut fleet = machines(1);
    fleet[0].tags = crate::build::tags(&[("idle-stop", "2h")]);
    let (mut house, meters) = house(fleet);
    house.settings.policy.rules.clear();
    meters.say("i-1", Load::Nothing);
    for _ in 0..2 {
        let ran = house.run().await;
        assert_eq!(ran.plan.steps, []);
        assert!(ran.machine("i-1").why.contains("is nobody's consent (owner absent)"));
        house.wait("4d");
    }
    assert_eq!(house.cloud.acts(), [""; 0]);
}
