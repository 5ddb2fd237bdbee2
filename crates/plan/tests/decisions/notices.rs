//! Who is told, how often, under which key.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use reaper_model::document::OwnerStatus;
use reaper_model::{Fact, Ignorance, InstanceId, Phase};
use reaper_plan::{How, Instead, Planned};
use reaper_policy::{Directory, Employment, Person};

use crate::build::{absent, forgotten, id, machine, monday, ownerless, policy, tags};
use crate::scene::{Answer, Look, Scene, mail, natives};

#[test]
fn fl_138_what_was_merely_found_goes_into_the_mail_that_announces_a_stop() {
    let mut scene = Scene::new(vec![machine("i-1", "alice"), machine("i-2", "alice")]);
    scene.machine("i-2").stop.saves = false;
    let ran = scene.run();
    assert_eq!(ran.mails(), ["stop alice@example.org"]);
    assert_eq!(natives(&ran.sent[0]), ["i-1", "i-2"]);
    // It counts as told: nothing more before the interval.
    scene.wait("1d");
    assert_eq!(scene.run().mails(), Vec::<String>::new());
    scene.wait("2d");
    let acted: Vec<_> = scene.run().acted.into_iter().map(|id| id.native).collect();
    assert_eq!(acted, ["i-1"], "nobody was promised more");
}

#[test]
fn fl_138_one_mail_over_all_clouds_and_no_second_before_the_interval() {
    let mut machines = Vec::new();
    for (provider, location) in [
        ("aws", "eu-west-1"),
        ("aws", "us-east-1"),
        ("lambda", "us-west-1"),
        ("scaleway", "fr-par-2"),
        ("scaleway", "nl-ams-1"),
    ] {
        let mut instance = machine("i-1", "alice");
        instance.id =
            InstanceId { provider: provider.into(), location: location.into(), ..id("i-1") };
        machines.push(instance);
    }
    let mut scene = Scene::new(machines);
    scene.machines.push(machine("i-2", "bob"));
    scene.enforces = false;
    let first = scene.run();
    assert_eq!(first.mails(), ["found alice@example.org", "found bob@example.org"]);
    let topics = &first.sent[0].topics;
    assert_eq!(topics.len(), 5, "hers, and only hers");
    assert!(topics.is_sorted());
    for day in 1..7 {
        scene.wait("1d");
        assert_eq!(scene.run().mails(), Vec::<String>::new(), "day {day}");
    }
    scene.wait("1d");
    let reminder = scene.run();
    assert_eq!(reminder.mails(), ["found alice@example.org", "found bob@example.org"]);
    assert_ne!(reminder.sent[0].key, first.sent[0].key);
}

#[test]
fn a_due_case_that_is_held_is_told_again_with_the_same_time() {
    let mut scene = Scene::due(vec![machine("i-1", "alice")]);
    scene.limits.max_actions = 0;
    assert_eq!(scene.run().mails(), Vec::<String>::new());
    let due = scene.case("i-1").and_then(|case| case.due_at);
    scene.wait("4d");
    let reminder = scene.run();
    assert_eq!(reminder.mails(), ["stop alice@example.org"]);
    assert_eq!(reminder.sent[0].topics[0].about.due_at, due);
    assert_eq!(scene.case("i-1").and_then(|case| case.due_at), due, "nothing is put off");
    scene.limits.max_actions = 1;
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn no_reminder_follows_in_the_run_that_told() {
    let mut scene = Scene::of_alice();
    scene.enforces = false;
    scene.routing.remind_every = reaper_model::Span::ZERO;
    let ran = scene.run();
    assert_eq!((ran.sent.len(), ran.after.notices.len()), (1, 0));
    scene.wait("1s");
    assert_eq!(scene.run().sent.len(), 1, "each run reminds");
}

#[test]
fn nobody_is_reminded_of_what_is_being_done() {
    let mut scene = Scene::of_alice();
    scene.run();
    scene.wait("8d");
    let ran = scene.run();
    assert_eq!((ran.sent.len(), ran.acted.len()), (0, 1));
}

#[test]
fn a_notice_keeps_its_key_until_it_is_taken() {
    let mut scene = Scene::of_alice();
    let mut keys = BTreeSet::new();
    for answer in [Answer::Later, Answer::Silence, Answer::Later] {
        scene.answers.insert("alice@example.org".to_owned(), answer);
        let ran = scene.run();
        assert_eq!(ran.mails(), ["stop alice@example.org"], "due again");
        keys.insert(ran.sent[0].key.clone());
        scene.wait("1d");
    }
    assert_eq!(keys.len(), 1, "{keys:?}");
    let key = keys.first().expect("one").clone();
    let digits = key.strip_prefix("stop-").expect("names its step");
    assert!(digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    // Another machine in it makes it another mail.
    scene.machines.push(machine("i-2", "alice"));
    assert_ne!(scene.decide().notices[0].key, key);
}

#[test]
fn a_mail_without_an_answer_is_repeated_as_it_was_and_the_rest_goes_into_another() {
    let mut scene = Scene::new(vec![machine("i-1", "alice"), machine("i-2", "alice")]);
    scene.answers.insert("alice@example.org".to_owned(), Answer::Silence);
    let first = scene.run().sent.remove(0);
    for how in [How::Intended, How::PossiblySent(scene.now)] {
        let mut scene = scene.clone();
        scene.memory.notices[0].how = how;
        scene.machines.insert(0, machine("i-0", "alice"));
        scene.wait("1d");
        let notices = scene.decide().notices;
        let told: Vec<_> = notices.iter().map(natives).collect();
        assert_eq!(told, [vec!["i-1", "i-2"], vec!["i-0"]], "{how:?}");
        assert_eq!(notices[0].key, first.key, "{how:?}");
        assert_ne!(notices[1].key, first.key, "{how:?}");
        // It announces no time before the period that it begins.
        let due = notices[0].topics[0].about.due_at;
        assert_eq!(due, Some(monday() + TimeDelta::days(4)), "{how:?}");
    }
}

#[test]
fn of_two_mails_without_an_answer_no_machine_is_told_twice() {
    let mut scene = Scene::new(vec![machine("i-1", "alice"), machine("i-2", "alice")]);
    scene.answers.insert("alice@example.org".to_owned(), Answer::Silence);
    let both = scene.run().sent.remove(0);
    // What no longer holds makes another mail of what is left.
    scene.machine("i-2").tags = tags(&[("owner", "alice"), ("reaper-keep", "true")]);
    let one = scene.run().sent.remove(0);
    assert_eq!(natives(&one), ["i-1"]);
    assert_ne!(one.key, both.key);
    scene.wait("1h");
    scene.machine("i-2").tags = tags(&[("owner", "alice")]);
    // The case of i-2 is another one now: only the second mail still holds.
    let notices = scene.decide().notices;
    let told: Vec<_> = notices.iter().map(natives).collect();
    assert_eq!(told, [["i-1"], ["i-2"]]);
    assert_eq!(notices[0].key, one.key);
    assert!(notices[1].key != both.key && notices[1].key != one.key);
    // Two open mails about one machine, as two runs side by side could leave them.
    let mut twice = scene.memory.notices.last().expect("the second").clone();
    twice.key = "stop-ffffffffffffffff".to_owned();
    scene.memory.notices.push(twice);
    let notices = scene.decide().notices;
    let told: Vec<_> = notices.iter().map(natives).collect();
    assert_eq!(told, [["i-1"], ["i-2"]]);
}

#[test]
fn one_mailbox_has_one_key_however_it_is_spelled() {
    let lower = Scene::new(vec![machine("i-1", "alice@example.org")]).decide();
    let mut mixed = Scene::new(vec![machine("i-1", "Alice@Example.ORG"), machine("i-2", "bob")]);
    mixed.machines.push({
        let mut third = machine("i-3", "alice@example.org");
        third.tags = tags(&[("owner", "ALICE@example.org")]);
        third
    });
    let mixed = mixed.decide();
    assert_eq!(mixed.notices.len(), 2, "{:?}", mixed.notices);
    let mut alone = Scene::new(vec![machine("i-1", "Alice@Example.ORG")]);
    alone.routing.allowed_domains = vec!["EXAMPLE.org".to_owned()];
    assert_eq!(alone.decide().notices[0].key, lower.notices[0].key);
}

#[test]
fn fl_026_contradicting_owners_go_to_the_fallback_and_to_no_stop() {
    let mut scene = Scene::of_alice();
    for order in [["Owner", "owner"], ["owner", "Owner"]] {
        let values = if order[0] == "Owner" { ["a", "b"] } else { ["b", "a"] };
        scene.machine("i-1").tags = tags(&[(order[0], values[0]), (order[1], values[1])]);
        let decisions = scene.decide();
        let mails: Vec<_> = decisions.notices.iter().map(mail).collect();
        assert_eq!(mails, ["found gpu-team@example.org"]);
        let instead = decisions.notices[0].topics[0].instead.clone();
        assert_eq!(instead, Some(Instead::Owner(OwnerStatus::Conflicting)));
        assert!(decisions.decision("i-1").why.contains("different owners"));
    }
    scene.run();
    scene.wait("30d");
    assert!(scene.run().acted.is_empty());
}

#[test]
fn fl_030_a_bare_name_is_completed_or_goes_to_the_fallback() {
    let mut scene = Scene::new(vec![machine("i-1", "r.example")]);
    assert_eq!(mail(&scene.decide().notices[0]), "stop r.example@example.org");
    scene.policy.owners.domain = None;
    let notice = scene.decide().notices.remove(0);
    assert_eq!(mail(&notice), "stop gpu-team@example.org");
    assert_eq!(notice.topics[0].instead, Some(Instead::NoAddress));
}

#[test]
fn fl_031_where_nobody_can_be_told_nothing_is_done() {
    let mut scene = Scene::new(vec![machine("i-1", "")]);
    scene.routing.fallback = None;
    for _ in 0..5 {
        let ran = scene.run();
        assert!(ran.sent.is_empty() && ran.acted.is_empty());
        assert_eq!(ran.decision("i-1").planned, Planned::Report);
        assert!(ran.decision("i-1").why.starts_with("nobody can be told"));
        scene.wait("2d");
    }
    scene.routing.fallback = Some("gpu-team@example.org".to_owned());
    assert_eq!(scene.run().mails(), ["stop gpu-team@example.org"]);

    let mut scene = Scene::of_alice();
    scene.routing.can_mail = false;
    let ran = scene.run();
    assert!(ran.sent.is_empty());
    assert!(ran.decision("i-1").why.contains("[notify.email]"));
}

#[test]
fn fl_033_an_address_refused_for_good_goes_to_the_fallback_in_the_same_run() {
    let mut scene = Scene::of_alice();
    scene.answers.insert("alice@example.org".to_owned(), Answer::Later);
    let ran = scene.run();
    assert_eq!(mail(&ran.after.notices[0]), "stop alice@example.org", "451 proves nothing");

    scene.answers.insert("alice@example.org".to_owned(), Answer::Never);
    let ran = scene.run();
    let escalated: Vec<_> = ran.after.notices.iter().map(mail).collect();
    assert_eq!(escalated, ["stop gpu-team@example.org"]);
    assert_eq!(ran.after.notices[0].topics[0].instead, Some(Instead::Rejected));
    for notice in &ran.after.notices {
        scene.send(notice);
    }
    assert_eq!(scene.decide().notices, []);
    scene.wait("3d");
    assert_eq!(scene.run().acted.len(), 1);
}

#[test]
fn fl_033_an_owner_who_left_is_not_written_to() {
    let mut scene = Scene::of_alice();
    let person = |status| Person {
        owner: "alice".to_owned(),
        email: Some("alice@example.org".to_owned()),
        team: None,
        status,
    };
    for (status, to) in [
        (Employment::Departed, "stop gpu-team@example.org"),
        (Employment::Active, "stop alice@example.org"),
    ] {
        scene.policy.owners.directory = Some(Directory::new(vec![person(status)]).0);
        assert_eq!(mail(&scene.decide().notices[0]), to);
    }
}

#[test]
fn an_address_in_another_domain_is_not_written_to() {
    let mut scene = Scene::new(vec![machine("i-1", "alice@example.net")]);
    let notice = scene.decide().notices.remove(0);
    assert_eq!(mail(&notice), "stop gpu-team@example.org");
    assert_eq!(notice.topics[0].instead, Some(Instead::OutsideDomains));
    for owner in ["alice@sub.example.org", "alice@badexample.org", "alice@example.org.evil.net"] {
        scene.machines = vec![machine("i-1", owner)];
        assert_eq!(scene.decide().notices[0].to, "gpu-team@example.org", "{owner}");
    }
    scene.routing.allowed_domains.clear();
    scene.machines = vec![machine("i-1", "alice")];
    assert_eq!(scene.decide().notices[0].to, "gpu-team@example.org", "none listed: none allowed");
}

#[test]
fn fl_035_machines_of_a_provider_without_tags_are_put_to_the_fallback_once() {
    let machines = (0..10).map(|number| {
        let mut instance = machine(&format!("i-{number}"), "");
        instance.id.provider = "ovhcloud".into();
        instance.tags = Fact::unknown(Ignorance::NotOffered, "the provider gives no tags");
        instance
    });
    let mut scene = Scene::new(machines.collect());
    scene.policy = policy(vec![ownerless()]);
    let ran = scene.run();
    assert!(ran.sent.is_empty() && ran.after.plan.steps.is_empty(), "no ground to act on");

    scene.policy = forgotten();
    let ran = scene.run();
    assert_eq!(ran.mails(), ["stop gpu-team@example.org"]);
    assert_eq!(ran.sent[0].topics.len(), 10);
    let instead = Some(Instead::Owner(OwnerStatus::Unreadable));
    assert!(ran.sent[0].topics.iter().all(|topic| topic.instead == instead));
    assert!(scene.run().sent.is_empty());
}

#[test]
fn the_fallback_is_told_why_of_each_machine() {
    let mut scene = Scene::new(vec![
        machine("i-1", "gpu-team"),
        machine("i-2", ""),
        machine("i-3", "alice@example.net"),
    ]);
    scene.machine("i-2").tags = absent();
    let notices = scene.decide().notices;
    assert_eq!(notices.len(), 1, "one mailbox, one mail");
    let why: Vec<_> = notices[0]
        .topics
        .iter()
        .map(|topic| topic.instead.as_ref().map_or(String::new(), ToString::to_string))
        .collect();
    assert_eq!(
        why,
        ["", "it has no owner", "its owner's address lies outside the allowed domains"]
    );
}

#[test]
fn a_fallback_that_refuses_is_tried_again_and_nothing_is_done() {
    let mut scene = Scene::new(vec![machine("i-1", "")]);
    scene.answers.insert("gpu-team@example.org".to_owned(), Answer::Never);
    for _ in 0..5 {
        assert_eq!(scene.run().mails(), ["stop gpu-team@example.org"]);
        assert_eq!(scene.case("i-1").map(|case| case.phase), Some(Phase::New));
        scene.wait("1d");
    }
}
