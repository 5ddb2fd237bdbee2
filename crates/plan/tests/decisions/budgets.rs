//! A budget that is used up ends the notice periods of those who were told that it can.

use reaper_model::Phase;
use reaper_plan::Decisions;

use crate::build::{id, machine};
use crate::scene::{Look, Scene};

fn planned(decisions: &Decisions) -> usize {
    decisions.plan.steps.len()
}

fn limited() -> Scene {
    let mut scene = Scene::new(vec![machine("i-1", "alice")]);
    scene.may_hasten.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    scene
}

#[test]
fn a_used_up_budget_ends_the_period_of_an_accepted_notice_that_says_so() {
    let mut scene = limited();
    scene.run();
    scene.wait("6h");
    assert_eq!(planned(&scene.decide()), 0, "the period runs");
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    let decided = scene.decide();
    assert_eq!(planned(&decided), 1);
    let step = &decided.plan.steps[0];
    assert!(step.noticed_at < step.due_at && step.due_at == scene.now);
    scene.record(&decided);
    let due = scene.now;
    scene.enforces = false;
    scene.wait("1h");
    let later = scene.decide();
    assert_eq!(later.plan.steps[0].due_at, due, "it ended when the budget was used up, and once");
    assert!(later.cases.is_empty(), "{:?}", later.cases);
}

#[test]
fn no_action_before_notice_however_much_is_spent() {
    let mut scene = limited();
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    assert_eq!(planned(&scene.decide()), 0, "nobody was told");
    scene.answers.insert("alice@example.org".to_owned(), crate::scene::Answer::Later);
    scene.run();
    scene.wait("1d");
    let decided = scene.decide();
    assert_eq!(planned(&decided), 0, "nobody has accepted it");
    assert_eq!(decided.decision("i-1").case.as_ref().map(|case| case.phase), Some(Phase::New));
}

#[test]
fn who_was_not_told_that_a_budget_can_end_the_period_has_all_of_it() {
    let mut scene = Scene::new(vec![machine("i-1", "alice")]);
    scene.run();
    scene.may_hasten.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    scene.wait("2d");
    assert_eq!(planned(&scene.decide()), 0);
    scene.wait("1d");
    assert_eq!(planned(&scene.decide()), 1, "the whole period is over");
}

#[test]
fn a_machine_that_no_budget_counts_keeps_its_period() {
    let mut scene = limited();
    scene.machines.push(machine("i-2", "bob"));
    scene.run();
    scene.wait("7h");
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    let decided = scene.decide();
    let stopped: Vec<_> = decided.plan.steps.iter().map(|step| step.id.native.as_str()).collect();
    assert_eq!(stopped, ["i-1"]);
}

#[test]
fn six_hours_lie_between_a_notice_and_a_stop_however_much_is_spent() {
    let mut scene = limited();
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    scene.run();
    scene.wait("5h59m");
    assert_eq!(planned(&scene.decide()), 0);
    scene.wait("1m");
    assert_eq!(planned(&scene.decide()), 1);
}

#[test]
fn a_budget_that_the_notice_did_not_name_ends_nothing() {
    let mut scene = limited();
    scene.run();
    scene.wait("1d");
    scene.hastened.insert(id("i-1"), vec!["tiny (10.00 EUR a month)".to_owned()]);
    assert_eq!(planned(&scene.decide()), 0);
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    let decided = scene.decide();
    assert_eq!(decided.plan.steps[0].hastened_by, ["all-gpu"]);
}

#[test]
fn a_termination_has_its_whole_period() {
    let mut scene = limited();
    scene.stop_way = Some(crate::scene::terminates());
    scene.machine("i-1").stop.kind = reaper_model::StopKind::Terminate;
    scene.hastened.insert(id("i-1"), vec!["all-gpu".to_owned()]);
    let ran = scene.run();
    assert!(ran.sent[0].topics[0].about.hasten.is_empty(), "nor is anything else announced");
    scene.wait("2d");
    assert_eq!(planned(&scene.decide()), 0);
    scene.wait("1d");
    assert_eq!(planned(&scene.decide()), 1);
}
