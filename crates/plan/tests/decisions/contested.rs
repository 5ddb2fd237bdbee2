//! Tugs of war, controllers' replacements, machines that appear after a stop.

use chrono::TimeDelta;
use reaper_model::{ActionResult, Fact, Ignorance, Instance, Phase};
use reaper_plan::{APPEARED_AFTER_STOP, Planned};

use crate::build::{absent, known, machine, older_than, rule, tags};
use crate::scene::{NEVER, Ran, Scene, minutes, natives};
use reaper_model::document::WantedAction;

/// Noticed, waited for, acted upon, and a day later started by somebody, three hours ago.
fn stopped_and_started(scene: &mut Scene) -> Ran {
    scene.run();
    scene.wait("3d");
    let ran = scene.run();
    scene.wait("1d");
    scene.start("i-1");
    scene.wait("3h");
    ran
}

#[test]
fn fl_048_the_second_restart_makes_it_contested() {
    let mut scene = Scene::of_alice();
    assert_eq!(stopped_and_started(&mut scene).acted.len(), 1);
    assert_eq!(stopped_and_started(&mut scene).acted.len(), 1);
    let contested = scene.run();
    assert_eq!(
        contested.mails(),
        ["contested alice@example.org", "contested gpu-team@example.org"]
    );
    assert_eq!(scene.case("i-1").map(|case| case.phase), Some(Phase::Contested));
    assert!(contested.decision("i-1").why.starts_with("contested: started again"));
    for day in 0..40 {
        let ran = scene.run();
        assert!(ran.acted.is_empty() && ran.sent.is_empty(), "day {day}");
        if day % 10 == 0 {
            scene.start("i-1");
        }
        scene.wait("1d");
    }
}

#[test]
fn fl_048_a_tag_or_an_edited_rule_ends_the_tug_of_war() {
    let mut scene = Scene::of_alice();
    stopped_and_started(&mut scene);
    stopped_and_started(&mut scene);
    scene.run();
    let contested = scene.clone();

    scene.machine("i-1").tags = tags(&[("owner", "alice"), ("project", "atlas")]);
    assert_eq!(scene.run().mails(), ["stop alice@example.org"]);
    scene.wait("3d");
    assert_eq!(scene.run().acted.len(), 1, "after a whole period of its own");

    let mut scene = contested;
    scene.policy.rules[0] = rule("forgotten", older_than("1h"), WantedAction::Stop, "3d");
    assert_eq!(scene.run().mails(), ["stop alice@example.org"]);
}

#[test]
fn two_rules_do_not_get_two_stops_each() {
    let mut scene = Scene::of_alice();
    scene.policy.rules.push(rule("forgotten-too", older_than("2h"), WantedAction::Stop, "3d"));
    stopped_and_started(&mut scene);
    let remembered = scene.remembered("i-1");
    assert_eq!(remembered.acts.len(), 1);
    let other = remembered.cases.get("forgotten-too").map(|case| case.ground.clone());
    scene.run();
    scene.wait("3d");
    // The second stop is booked on the other rule.
    scene.acted("i-1", ActionResult::Confirmed, "13h");
    let act = scene.remembered("i-1").acts.last_mut().expect("one");
    act.rule = "forgotten-too".to_owned();
    let cases = &scene.remembered("i-1").cases;
    let ground = other.unwrap_or_else(|| cases["forgotten-too"].ground.clone());
    scene.remembered("i-1").acts.last_mut().expect("one").ground = ground;
    let ran = scene.run();
    assert!(ran.acted.is_empty());
    assert!(scene.remembered("i-1").cases.values().all(|case| case.phase == Phase::Contested));
}

#[test]
fn fl_048_actions_that_did_not_work_are_no_tug_of_war() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    for _ in 0..5 {
        scene.acted("i-1", ActionResult::Refused, "1d");
    }
    assert_eq!(scene.run().acted.len(), 1);
}

/// A machine that looks like `i-1` and was created so many minutes after the scene's time.
fn twin(scene: &Scene, after: TimeDelta) -> Instance {
    let mut twin = machine("i-2", "alice");
    twin.name = known("notebook-i-1".to_owned());
    twin.created_at = known(scene.now + after);
    twin.running_since = known(scene.now + after);
    twin
}

/// `i-1` was stopped just now.
fn stopped() -> Scene {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    assert_eq!(scene.run().acted.len(), 1);
    scene.routing.remind_every = NEVER;
    scene
}

#[test]
fn fl_043_a_twin_is_taken_for_a_controllers_and_left_alone() {
    let mut scene = stopped();
    let twin = twin(&scene, minutes(15));
    scene.machines.push(twin);
    for day in 0..25 {
        scene.wait("1d");
        let ran = scene.run();
        assert!(ran.acted.is_empty(), "day {day}");
        assert!(ran.mails().iter().all(|mail| mail == "found alice@example.org"), "day {day}");
        let decision = ran.decision("i-2");
        assert_eq!(decision.planned, Planned::Report);
        assert!(
            decision.why.contains("replaced by a controller: it looks like i-1"),
            "{decision:?}"
        );
    }
}

#[test]
fn fl_043_what_differs_or_comes_later_is_no_twin() {
    type Edit = fn(&mut Instance);
    let later: Edit = |twin| {
        let created = *twin.created_at.value().expect("known") + minutes(1);
        twin.created_at = known(created);
    };
    let edits: [(&str, Edit); 5] = [
        ("later", later),
        ("other type", |twin| twin.machine_type = "g5.xlarge".into()),
        ("other tags", |twin| twin.tags = tags(&[("owner", "bob")])),
        ("other account", |twin| twin.id.account = "444455556666".into()),
        ("other name", |twin| twin.name = known("another".to_owned())),
    ];
    for (what, edit) in edits {
        let mut scene = stopped();
        let mut twin = twin(&scene, minutes(15));
        edit(&mut twin);
        scene.machines.push(twin);
        scene.wait("1d");
        let ran = scene.run();
        assert!(ran.mails().iter().any(|mail| mail.starts_with("stop ")), "{what}");
        scene.wait("3d");
        assert_eq!(scene.run().acted.len(), 1, "{what}");
    }
}

#[test]
fn fl_043_a_nameless_twin_is_a_twin_too_and_follows_no_name() {
    let mut nameless = machine("i-1", "alice");
    nameless.name = absent();
    let mut scene = Scene::due(vec![nameless.clone()]);
    assert_eq!(scene.run().acted.len(), 1);
    nameless.id.native = "i-2".to_owned();
    nameless.created_at = known(scene.now + minutes(1));
    nameless.running_since = known(scene.now + minutes(1));
    let mut other = nameless.clone();
    other.id.native = "i-3".to_owned();
    other.machine_type = "g5.xlarge".into();
    scene.machines.extend([nameless, other]);
    scene.wait("1d");
    let ran = scene.run();
    assert_eq!(ran.decision("i-2").appeared_after, None);
    assert!(ran.decision("i-2").why.contains("it looks like i-1"), "{:?}", ran.decision("i-2"));
    let told: Vec<_> = ran.sent.iter().map(|mail| (mail.step.name(), natives(mail))).collect();
    assert_eq!(told, [("stop", vec!["i-2", "i-3"])], "fl_138: one mail");
    let promised: Vec<_> =
        ran.sent[0].topics.iter().map(|topic| topic.about.verb.is_some()).collect();
    assert_eq!(promised, [false, true], "what was merely found is promised nothing");
    scene.wait("3d");
    let acted: Vec<_> = scene.run().acted.into_iter().map(|id| id.native).collect();
    assert_eq!(acted, ["i-3"]);
}

#[test]
fn fl_044_a_machine_of_the_same_name_is_shown_even_in_its_grace() {
    let mut scene = stopped();
    let stop = scene.memory.stops[0].clone();
    let mut rogue = twin(&scene, minutes(30));
    rogue.machine_type = "g5.xlarge".into();
    scene.machines.push(rogue);
    scene.wait("35m");
    scene.partial.insert(scene.machines[1].id.clone());
    assert!(scene.decide().notices.is_empty(), "its place was not read whole");
    scene.partial.clear();
    let ran = scene.run();
    assert_eq!(ran.decision("i-2").planned, Planned::None, "in its grace");
    assert_eq!(ran.decision("i-2").appeared_after.as_ref(), Some(&stop));
    assert_eq!(ran.mails(), ["found alice@example.org"]);
    let about = &ran.sent[0].topics[0].about;
    assert_eq!((about.rule.as_str(), about.since), (APPEARED_AFTER_STOP, stop.at));
    scene.wait("5m");
    assert!(scene.run().sent.is_empty(), "told once");
}

#[test]
fn fl_044_where_no_creation_is_shown_the_first_sight_counts() {
    let mut scene = stopped();
    let mut old = twin(&scene, minutes(0));
    old.created_at = Fact::unknown(Ignorance::NotOffered, "not shown");
    old.id.native = "i-3".to_owned();
    let mut new = old.clone();
    new.id.native = "i-4".to_owned();
    scene.machines.extend([old, new]);
    let mut before = scene.memory.machines.values().next().cloned().expect("i-1");
    before.first_seen = scene.now - TimeDelta::days(3);
    before.acts.clear();
    scene.memory.machines.insert(scene.machines[1].id.clone(), before);
    scene.wait("10m");
    let ran = scene.run();
    assert_eq!(ran.decision("i-3").appeared_after, None);
    assert!(ran.decision("i-4").appeared_after.is_some());
}
