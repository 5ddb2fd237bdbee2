//! From a finding to a due action: what counts, what begins anew, what proves nothing.

use chrono::TimeDelta;
use reaper_model::document::{Verdict, WantedAction};
use reaper_model::{Phase, State, Verb};
use reaper_plan::{Planned, Way};
use reaper_policy::Conditions;

use crate::build::{
    absent, forgotten, known, machine, monday, older_than, ownerless, policy, rule, span, tags,
    time, unread,
};
use crate::scene::{Answer, Look, Scene, minutes, stops};

#[test]
fn fl_157_first_the_mail_then_the_whole_period_then_the_stop() {
    let mut scene = Scene::of_alice();
    let first = scene.run();
    assert_eq!(first.mails(), ["stop alice@example.org"]);
    assert_eq!(first.sent[0].topics[0].about.due_at, Some(time("2026-12-03T09:00:00Z")));
    assert_eq!(first.decision("i-1").planned, Planned::Report);
    assert!(first.acted.is_empty());

    scene.wait("2d23h59m59s");
    let early = scene.run();
    assert!(early.acted.is_empty() && early.sent.is_empty());
    assert_eq!(early.decision("i-1").why, "will be stopped when it is due");

    scene.wait("1s");
    let due = scene.run();
    assert_eq!(due.acted.len(), 1);
    assert_eq!(due.decision("i-1").planned, Planned::Stop);
    assert_eq!(due.after.plan.steps[0].noticed_at, monday());
    assert!(due.sent.is_empty(), "nobody is reminded of what is being done");
}

#[test]
fn fl_157_without_an_accepted_notice_nothing_is_ever_done() {
    for answer in [Answer::Later, Answer::Never, Answer::Silence] {
        let mut scene = Scene::of_alice();
        scene.routing.fallback = None;
        scene.answers.insert("alice@example.org".to_owned(), answer);
        for _ in 0..30 {
            let ran = scene.run();
            assert!(ran.acted.is_empty(), "{answer:?}");
            assert!(ran.after.plan.steps.is_empty(), "{answer:?}");
            scene.wait("1d");
        }
    }
}

#[test]
fn fl_157_a_finding_that_went_away_and_came_back_starts_anew() {
    let mut scene = Scene::of_alice();
    scene.run();
    scene.wait("2d");
    scene.machine("i-1").tags = tags(&[("owner", "alice"), ("reaper-keep", "true")]);
    scene.run();
    assert_eq!(scene.case("i-1"), None);
    scene.wait("1h");
    scene.machine("i-1").tags = tags(&[("owner", "alice")]);
    let back = scene.run();
    assert_eq!(back.mails(), ["stop alice@example.org"]);
    scene.wait("2d");
    assert!(scene.run().acted.is_empty(), "three days after the first notice");
    scene.wait("1d");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn fl_002_what_is_in_its_grace_has_no_case() {
    let mut scene = Scene::new(vec![machine("i-1", "")]);
    scene.policy = policy(vec![ownerless()]);
    let launched = scene.now - minutes(2);
    scene.machine("i-1").created_at = known(launched);
    scene.machine("i-1").running_since = known(launched);
    scene.machine("i-1").tags = absent();
    let fresh = scene.run();
    assert!(fresh.sent.is_empty() && fresh.before.cases.is_empty());
    assert_eq!(fresh.decision("i-1").planned, Planned::None);
    assert!(fresh.decision("i-1").why.contains("grace until 2026-11-30 10:58 UTC"));
    scene.wait("1h59m");
    assert_eq!(scene.run().mails(), ["stop gpu-team@example.org"]);
}

#[test]
fn fl_010_another_machine_of_the_same_name_inherits_nothing() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    let mut other = machine("i-2", "alice");
    other.name = known("notebook-i-1".to_owned());
    other.created_at = known(scene.now - minutes(5));
    other.running_since = known(scene.now - minutes(5));
    scene.machines = vec![other];
    let ran = scene.run();
    assert!(ran.acted.is_empty() && ran.after.plan.steps.is_empty());
    assert_eq!(ran.decision("i-2").planned, Planned::None);
}

#[test]
fn fl_015_nothing_is_concluded_from_a_place_that_was_not_read_whole() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    let case = scene.case("i-1");
    scene.partial = scene.machines.iter().map(|machine| machine.id.clone()).collect();
    let ran = scene.run();
    assert!(ran.acted.is_empty() && ran.before.cases.is_empty() && ran.sent.is_empty());
    assert_eq!(scene.case("i-1"), case);
    assert!(ran.decision("i-1").why.contains("not read whole"));
    // Nor is anything forgiven: once it is read again, the old promise counts.
    scene.partial.clear();
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn fl_019_a_machine_that_is_not_listed_keeps_its_case() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    let listed = std::mem::take(&mut scene.machines);
    let ran = scene.run();
    assert!(ran.before.cases.is_empty() && ran.before.machines.is_empty());
    scene.machines = listed;
    let back = scene.run();
    assert_eq!((back.sent.len(), back.acted.len()), (0, 1), "noticed once, and due since");
}

#[test]
fn fl_020_the_listed_state_decides_and_a_restart_gets_its_own_notice() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    assert_eq!(scene.run().acted.len(), 1);
    scene.wait("1d");
    scene.start("i-1");
    assert!(scene.run().sent.is_empty(), "started just now");
    scene.wait("3h");
    let again = scene.run();
    assert_eq!(again.mails(), ["stop alice@example.org"]);
    assert!(again.acted.is_empty());
    scene.wait("3d");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn fl_020_after_an_action_the_old_notice_is_used_up() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    assert_eq!(scene.run().acted.len(), 1);
    // A provider that shows no starts, and no run that saw the machine off.
    scene.start("i-1");
    scene.machine("i-1").running_since = absent();
    scene.wait("1d");
    let ran = scene.run();
    assert!(ran.acted.is_empty(), "{:?}", ran.after.plan.steps);
    assert_eq!(ran.mails(), ["stop alice@example.org"]);
}

#[test]
fn a_restart_while_the_period_runs_starts_it_anew() {
    let mut scene = Scene::of_alice();
    scene.run();
    scene.wait("2d");
    scene.start("i-1");
    // A weekly job may see the machine again only when it is old enough.
    scene.wait("5d");
    let ran = scene.run();
    assert_eq!(ran.mails(), ["stop alice@example.org"]);
    assert!(ran.acted.is_empty());
}

#[test]
fn fl_040_a_machine_that_boots_is_left_to_the_next_run() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    let case = scene.case("i-1");
    scene.machine("i-1").state = State::Pending;
    let ran = scene.run();
    assert_eq!(scene.judge(&scene.machines[0]).verdict, Verdict::Unjudged);
    assert!(ran.acted.is_empty());
    assert!(ran.decision("i-1").why.contains("will be judged next run"));
    assert_eq!(scene.case("i-1"), case);
}

#[test]
fn evidence_that_cannot_be_read_moves_no_case() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    let case = scene.case("i-1");
    scene.machine("i-1").running_since = unread();
    let ran = scene.run();
    assert!(ran.acted.is_empty() && ran.sent.is_empty() && ran.before.cases.is_empty());
    assert_eq!(ran.decision("i-1").planned, Planned::None);
    assert_eq!(ran.decision("i-1").case, case);
}

#[test]
fn a_rule_that_cannot_be_answered_keeps_its_case_beside_one_that_can() {
    let named =
        Conditions { name: vec!["notebook-*".parse().expect("a pattern")], ..older_than("2h") };
    let mut scene = Scene::of_alice();
    scene.policy.rules.push(rule("named", named, WantedAction::Stop, "3d"));
    scene.run();
    assert_eq!(scene.remembered("i-1").cases.len(), 2);
    scene.wait("1d");
    scene.machine("i-1").name = unread();
    let ran = scene.run();
    assert!(ran.before.cases.is_empty(), "{:?}", ran.before.cases);
    scene.machine("i-1").name = known("database".to_owned());
    scene.run();
    let left: Vec<_> = scene.remembered("i-1").cases.keys().cloned().collect();
    assert_eq!(left, ["forgotten"]);
}

#[test]
fn what_was_told_while_reporting_counts_for_no_action() {
    let mut scene = Scene::of_alice();
    scene.enforces = false;
    assert_eq!(scene.run().mails(), ["found alice@example.org"]);
    scene.wait("6d");
    scene.enforces = true;
    let first = scene.run();
    assert_eq!(first.mails(), ["stop alice@example.org"]);
    assert!(first.acted.is_empty());
    scene.wait("2d23h");
    assert!(scene.run().acted.is_empty());
    scene.wait("1h");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn a_new_owner_gets_the_whole_period() {
    let mut scene = Scene::of_alice();
    scene.run();
    scene.wait("2d");
    scene.machine("i-1").tags = tags(&[("owner", "bob")]);
    let handed = scene.run();
    assert_eq!(handed.mails(), ["stop bob@example.org"]);
    scene.wait("2d");
    assert!(scene.run().acted.is_empty());
    scene.wait("1d");
    let due = scene.run();
    assert_eq!(due.acted.len(), 1);
    assert_eq!(due.after.plan.steps[0].noticed_at, monday() + TimeDelta::days(2));
}

#[test]
fn of_several_owners_the_last_one_told_counts() {
    let mut scene = Scene::new(vec![machine("i-1", "alice, bob")]);
    scene.answers.insert("bob@example.org".to_owned(), Answer::Later);
    assert_eq!(scene.run().mails(), ["stop alice@example.org", "stop bob@example.org"]);
    scene.wait("1d");
    scene.answers.clear();
    let second = scene.run();
    assert_eq!(second.mails(), ["stop bob@example.org"]);
    assert_eq!(scene.case("i-1").map(|case| case.phase), Some(Phase::Noticed));
    scene.wait("2d23h");
    assert!(scene.run().acted.is_empty());
    scene.wait("1h");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn a_notice_that_is_taken_late_is_due_late() {
    let mut scene = Scene::of_alice();
    let notice = scene.decide().notices.remove(0);
    scene.record(&scene.decide());
    scene.wait("5h30s");
    scene.send(&notice);
    scene.wait("2d23h");
    assert!(scene.run().acted.is_empty(), "after the announced time, before three days are over");
    scene.wait("1h");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn an_edited_rule_gives_notice_of_what_it_now_asks_for() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    scene.allow_terminate = true;
    scene.policy.rules[0].action = WantedAction::Terminate;
    let ran = scene.run();
    assert!(ran.acted.is_empty(), "nobody was told of a termination");
    assert_eq!(ran.mails(), ["stop alice@example.org"]);
    scene.wait("3d");
    assert_eq!(scene.run().after.plan.steps[0].verb, Verb::Terminate);

    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    scene.policy.rules[0].notice = span("7d");
    assert!(scene.run().acted.is_empty(), "a longer notice holds for what is told already");
}

#[test]
fn fl_157_who_was_told_of_a_stop_was_not_told_of_a_termination() {
    // In the period and after it.
    for wait in ["1d", "3d"] {
        let mut scene = Scene::of_alice();
        scene.policy.rules[0].action = WantedAction::Terminate;
        let first = scene.run();
        assert_eq!(first.sent[0].topics[0].about.verb, Some(Verb::Stop), "nobody has consented");
        scene.wait(wait);
        scene.allow_terminate = true;
        let second = scene.run();
        assert!(second.acted.is_empty(), "{wait}");
        assert_eq!(second.mails(), ["stop alice@example.org"], "{wait}");
        assert_ne!(second.sent[0].key, first.sent[0].key, "{wait}");
        let about = &second.sent[0].topics[0].about;
        assert_eq!((about.verb, about.data_loss), (Some(Verb::Terminate), true), "{wait}");
        assert_eq!(about.due_at, Some(scene.now + TimeDelta::days(3)), "{wait}");
        let told = scene.now;
        scene.wait("2d23h59m");
        assert!(scene.run().acted.is_empty(), "{wait}");
        scene.wait("1m");
        let due = scene.run();
        assert_eq!(due.acted.len(), 1, "{wait}");
        let step = &due.after.plan.steps[0];
        assert_eq!((step.verb, step.noticed_at), (Verb::Terminate, told), "{wait}");
    }
}

#[test]
fn who_was_told_of_a_termination_was_told_of_a_stop() {
    let mut scene = Scene::of_alice();
    scene.allow_terminate = true;
    scene.policy.rules[0].action = WantedAction::Terminate;
    scene.run();
    scene.wait("3d");
    scene.allow_terminate = false;
    let ran = scene.run();
    assert_eq!((ran.sent.len(), ran.acted.len()), (0, 1));
    assert_eq!(ran.after.plan.steps[0].verb, Verb::Stop);
}

#[test]
fn fl_157_who_was_not_told_that_disks_are_erased_gets_a_whole_period() {
    let erasing = Way { erases_disks: true, ..stops() };
    let mut scene = Scene::of_alice();
    let first = scene.run();
    assert!(!first.sent[0].topics[0].about.data_loss);
    scene.wait("3d");
    scene.stop_way = Some(erasing);
    let second = scene.run();
    assert!(second.acted.is_empty());
    assert_eq!(second.mails(), ["stop alice@example.org"]);
    assert_ne!(second.sent[0].key, first.sent[0].key);
    assert!(second.sent[0].topics[0].about.data_loss);
    scene.wait("3d");
    // Less than was announced may be done.
    let mut milder = scene.clone();
    milder.stop_way = Some(stops());
    assert_eq!((milder.run().acted.len(), scene.run().acted.len()), (1, 1));
}

#[test]
fn a_mail_without_an_answer_that_announced_less_is_not_repeated() {
    let mut scene = Scene::of_alice();
    scene.answers.insert("alice@example.org".to_owned(), Answer::Silence);
    let first = scene.run();
    scene.stop_way = Some(Way { erases_disks: true, ..stops() });
    let second = scene.run();
    assert_eq!(second.mails(), ["stop alice@example.org"]);
    assert_ne!(second.sent[0].key, first.sent[0].key);
}

#[test]
fn of_two_due_rules_the_stronger_leads() {
    let mut scene = Scene::of_alice();
    scene.allow_terminate = true;
    scene.policy.rules.push(rule("old", older_than("9d"), WantedAction::Terminate, "5d"));
    scene.run();
    scene.wait("3d");
    let decisions = scene.decide();
    assert_eq!(decisions.plan.steps[0].rule, "forgotten");
    assert_eq!(decisions.plan.steps[0].verb, Verb::Stop, "nobody else's period is over");
    scene.wait("2d");
    let decisions = scene.decide();
    assert_eq!(decisions.plan.steps.len(), 1);
    assert_eq!(decisions.plan.steps[0].rule, "old");
    assert_eq!(decisions.decision("i-1").planned, Planned::Terminate);
    assert_eq!(decisions.plan.steps[0].loses, ["everything on its disks"]);
}

#[test]
fn a_rule_that_asks_for_a_report_leads_to_nothing_else() {
    let mut scene = Scene::of_alice();
    scene.policy = forgotten();
    scene.policy.rules[0].action = WantedAction::Report;
    for _ in 0..10 {
        let ran = scene.run();
        assert!(ran.acted.is_empty() && ran.mails().iter().all(|mail| mail.starts_with("found")));
        assert_eq!(ran.decision("i-1").planned, Planned::Report);
        scene.wait("1d");
    }
}
