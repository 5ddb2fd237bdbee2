//! Owners' own rules: tags by which a machine is stopped, and what makes no rule.

use reaper_model::document::{Verdict, WantedAction};
use reaper_model::{Fact, Gauge, Ignorance, Instance, Span, Tag, Tags};
use reaper_policy::{Answer, Policy, PolicySpec};

use crate::build::{hours, known, machine, now, time, unread};
use crate::meters::{all_at, flat, idle_rule, judge_measured, measured, says};

/// Its owner, and these.
fn tagged(tags: &[(&str, &str)]) -> Instance {
    machine(&[&[("owner", "alice")], tags].concat())
}

fn rules(instance: &Instance) -> (Vec<String>, Vec<String>) {
    let judgement = judge_measured(PolicySpec::default(), instance, None, now());
    let own = judgement.own.iter().map(|own| format!("{} by {}", own.rule.when, own.consent));
    (own.collect(), judgement.notes)
}

#[test]
fn an_owner_has_an_idle_machine_stopped_by_a_tag() {
    let instance = tagged(&[("Idle_Stop", "2h")]);
    let judge = |value| {
        judge_measured(PolicySpec::default(), &instance, Some(&measured(all_at(value))), now())
    };
    let idle = judge(0.0);
    assert_eq!(idle.verdict, Verdict::Orphan);
    let (answer, action, text) = says(&idle, "idle-stop").expect("its own rule");
    assert_eq!((answer, action), (Answer::Yes, WantedAction::Stop));
    assert!(text.contains("in the last 2h"), "{text}");
    assert_eq!(idle.own[0].consent, "tag Idle_Stop=\"2h\"");
    assert_eq!(idle.idleness.expect("was judged").window, hours(2));
    assert_eq!(judge(40.0).verdict, Verdict::Ok);
    // The same evidence, the same causes.
    let held = all_at(0.0).into_iter().chain([flat(Gauge::GpuMemory, 0, 30.0)]);
    let held = judge_measured(PolicySpec::default(), &instance, Some(&measured(held)), now());
    assert_eq!(held.wanted, Some(WantedAction::Report));
    let unmeasured = judge_measured(PolicySpec::default(), &instance, None, now());
    assert_eq!(unmeasured.verdict, Verdict::Unjudged);
    let kept = tagged(&[("idle-stop", "2h"), ("reaper-keep", "")]);
    let zeros = measured(all_at(0.0));
    let kept = judge_measured(PolicySpec::default(), &kept, Some(&zeros), now());
    assert_eq!(kept.verdict, Verdict::Protected);
}

#[test]
fn a_tag_that_no_known_owner_answers_for_only_reports() {
    let zeros = measured(all_at(0.0));
    let hours = ("working-hours", "Tue-Fri 08:00-19:00");
    let judge = |owner: &[(&str, &str)], tag| {
        let instance = machine(&[owner, &[tag]].concat());
        judge_measured(PolicySpec::default(), &instance, Some(&zeros), now())
    };
    for (tag, rule) in [(("idle-stop", "2h"), "idle-stop"), (hours, "working-hours")] {
        for (owner, status) in [
            (&[][..], "absent"),
            (&[("owner", "")][..], "empty"),
            (&[("owner", "alice"), ("Owner", "bob")][..], "conflicting"),
        ] {
            let judgement = judge(owner, tag);
            assert_eq!(judgement.verdict, Verdict::Orphan, "{}", judgement.why);
            assert_eq!(judgement.wanted, Some(WantedAction::Report), "{status}");
            let (answer, action, text) = says(&judgement, rule).expect("its own rule");
            assert_eq!((answer, action), (Answer::Yes, WantedAction::Report));
            let (key, value) = tag;
            let why = format!(
                "; only reported: tag {key}={value:?} is nobody's consent (owner {status})"
            );
            assert!(text.ends_with(&why) && judgement.why.contains(&why), "{text}");
        }
        assert_eq!(judge(&[("owner", "alice")], tag).wanted, Some(WantedAction::Stop));
    }
    // A rule of the configuration asks nobody, and a report needs no consent.
    let instance = machine(&[("idle-stop", "2h")]);
    let idle = idle_rule(reaper_policy::IdleSpec::default());
    let both = judge_measured(idle, &instance, Some(&zeros), now());
    assert_eq!(says(&both, "idle").expect("asked").1, WantedAction::Stop);
    let held = all_at(0.0).into_iter().chain([flat(Gauge::GpuMemory, 0, 30.0)]);
    let held = judge_measured(PolicySpec::default(), &instance, Some(&measured(held)), now());
    assert!(!held.why.contains("consent"), "{}", held.why);
}

#[test]
fn an_idle_machine_is_stopped_outside_its_working_hours() {
    let instance = tagged(&[("working-hours", "Mon-Fri 08:00-19:00 Europe/Amsterdam")]);
    let zeros = measured(all_at(0.0));
    // Monday 10:00 there.
    let within = judge_measured(PolicySpec::default(), &instance, Some(&zeros), now());
    assert_eq!(within.verdict, Verdict::Ok);
    let sunday = tagged(&[("working-hours", "Tue-Fri 08:00-19:00")]);
    let outside = judge_measured(PolicySpec::default(), &sunday, Some(&zeros), now());
    assert_eq!(outside.verdict, Verdict::Orphan);
    let (_, action, text) = says(&outside, "working-hours").expect("its own rule");
    assert_eq!(action, WantedAction::Stop);
    assert!(text.starts_with("Mon 09:00 is outside Tue-Fri 08:00-19:00 UTC; 8 of 8"), "{text}");
    let busy = measured(all_at(30.0));
    let busy = judge_measured(PolicySpec::default(), &sunday, Some(&busy), now());
    assert_eq!(busy.verdict, Verdict::Ok, "work goes on after hours");
    // Where the tag names no zone, the configuration's counts: 19:30 UTC is 20:30 there.
    let zoned = PolicySpec { timezone: chrono_tz::Europe::Amsterdam, ..PolicySpec::default() };
    let office = tagged(&[("working-hours", "Mon-Fri 08:00-19:00")]);
    let evening = time("2026-11-30T19:30:00Z");
    let says_at_evening = |spec| {
        says(&judge_measured(spec, &office, None, evening), "working-hours").expect("asked").0
    };
    assert_eq!(says_at_evening(zoned), Answer::Unknown, "outside, and not measured");
    assert_eq!(
        says_at_evening(PolicySpec::default()),
        Answer::No,
        "outside for half an hour: the hour in which it idles lies outside, all of it"
    );
    let just = judge_measured(in_utc(), &office, Some(&zeros), time("2026-11-30T19:59:00Z"));
    let (answer, _, text) = says(&just, "working-hours").expect("asked");
    assert_eq!(answer, Answer::No);
    assert!(text.contains("Mon 19:59 is not long enough outside Mon-Fri 08:00-19:00"), "{text}");
}

fn in_utc() -> PolicySpec {
    PolicySpec { timezone: chrono_tz::UTC, ..PolicySpec::default() }
}

#[test]
fn what_is_not_understood_makes_no_rule_and_is_said() {
    for value in ["soon", "2", "", "29m", "8d", "true"] {
        let (own, notes) = rules(&tagged(&[("idle-stop", value)]));
        assert!(own.is_empty(), "{own:?}");
        assert!(notes[0].contains("makes no rule"), "{notes:?}");
    }
    let (own, notes) = rules(&tagged(&[("working-hours", "9 to 5")]));
    assert!(own.is_empty() && notes[0].contains("is no working hours"), "{notes:?}");
    for never in ["never", "False", " OFF "] {
        assert_eq!(rules(&tagged(&[("idle-stop", never)])), (vec![], vec![]));
    }
    for (value, window) in [("30m", "30m"), ("7d", "7d"), (" 90m ", "1h30m")] {
        let (own, _) = rules(&tagged(&[("idle-stop", value)]));
        assert!(own[0].contains(&format!("for {window} with")), "{own:?}");
    }
}

#[test]
fn tags_that_conflict_make_no_rule() {
    let (own, notes) = rules(&tagged(&[("idle-stop", "2h"), ("Idle_Stop", "4h")]));
    assert!(own.is_empty());
    assert_eq!(notes, ["conflicting tags Idle_Stop=\"4h\" and idle-stop=\"2h\" make no rule"]);
    let (own, _) = rules(&tagged(&[("idle-stop", "2h"), ("Idle_Stop", "never")]));
    assert!(own.is_empty());
    let (own, notes) = rules(&tagged(&[("idle-stop", "2h"), ("Idle_Stop", "120m")]));
    assert_eq!((own.len(), notes.len()), (1, 0), "one thing in two spellings");
}

#[test]
fn unread_tags_make_no_rule() {
    let mut instance = tagged(&[("idle-stop", "2h")]);
    instance.tags = unread();
    let zeros = measured(all_at(0.0));
    let judgement = judge_measured(PolicySpec::default(), &instance, Some(&zeros), now());
    assert!(judgement.own.is_empty());
    instance.tags = Fact::unknown(Ignorance::NotOffered, "no tags there");
    assert_eq!(rules(&instance), (vec![], vec![]));
}

#[test]
fn tags_have_the_configured_keys() {
    let spec = PolicySpec { idle_stop_tag: "auto.off".to_owned(), ..PolicySpec::default() };
    let judge = |key: &str| judge_measured(spec.clone(), &tagged(&[(key, "2h")]), None, now()).own;
    assert_eq!((judge("Auto-Off").len(), judge("idle-stop").len()), (1, 0));
}

#[test]
fn the_longest_window_that_anybody_asks_about_is_measured() {
    let none = Policy::new(PolicySpec::default());
    assert_eq!(none.idle_window([&tagged(&[])], now()), None);
    let tagged_machines =
        [tagged(&[("idle-stop", "3h")]), tagged(&[("working-hours", "08:00-19:00")]), tagged(&[])];
    assert_eq!(none.idle_window(&tagged_machines, now()), Some(hours(3)));
    let mut spec = idle_rule(reaper_policy::IdleSpec::default());
    let except = idle_rule(reaper_policy::IdleSpec::over(Span::from_secs(86_400)));
    assert_eq!(Policy::new(spec.clone()).idle_window(&tagged_machines, now()), Some(hours(6)));
    spec.rules[0].except = Some(except.rules[0].when.clone());
    let asking = Policy::new(spec);
    assert_eq!(asking.idle_window(&tagged_machines, now()), Some(hours(24)));
    let windows = [hours(1), hours(3), hours(6), hours(24)];
    assert_eq!(asking.idle_windows(&tagged_machines, now()), windows.into());
    // The rules ask about every machine; with none there is nothing to be measured.
    let mut unread_tags = tagged(&[]);
    unread_tags.tags = known(Tags::new(vec![Tag::pair("idle-stop", "later")]));
    assert_eq!(none.idle_window([&unread_tags], now()), None);
}
