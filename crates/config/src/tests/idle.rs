//! Idleness in rules, working hours, and the tags of owners' own rules.

use reaper_model::Span;
use reaper_model::document::WantedAction;
use reaper_policy::IdleSpec;
use rust_decimal::Decimal;

use super::support::{accepted, refused};

fn rule(when: &str) -> String {
    format!("[[rule]]\nname = \"quiet\"\naction = \"stop\"\nwhen = {{ {when} }}\n")
}

fn idle(keys: &str) -> IdleSpec {
    let config = accepted(&rule(&format!("idle = {{ {keys} }}")));
    config.policy.rules[0].when.idle.expect("is asked")
}

#[test]
fn idleness_has_documented_defaults() {
    assert_eq!(idle(""), IdleSpec::default());
    assert_eq!(idle("below = \"5%\", for = \"6h\", coverage = \"80%\""), IdleSpec::default());
    let config = accepted(&rule("idle = { for = \"2h\" }"));
    let listed: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.key.contains(".idle."))
        .map(|setting| format!("{} = {} {}", setting.key, setting.value, setting.is_default))
        .collect();
    assert_eq!(
        listed,
        [
            "rule.quiet.when.idle.below = 5% true",
            "rule.quiet.when.idle.for = 2h false",
            "rule.quiet.when.idle.coverage = 80% true",
            "rule.quiet.when.idle.empty = stop true",
            "rule.quiet.when.idle.held = report true",
            "rule.quiet.when.idle.starved = report true",
            "rule.quiet.when.idle.unclear = report true",
        ]
    );
}

#[test]
fn fl_102_shares_and_percents_are_told_apart() {
    assert_eq!(idle("below = \"0.05%\"").below, Decimal::new(5, 2));
    assert_eq!(idle("below = \"5%\"").below, Decimal::new(5, 0));
    insta::assert_snapshot!(refused(&rule("idle = { below = 0.05 }")), @r#"
    error: rule `quiet`: `below` has no %
     --> reaper.toml:4:27
      |
    4 | when = { idle = { below = 0.05 } }
      |                           ^^^^
      |
      = help: write "5%", or "0.05%" if so little is meant
    "#);
    let unsigned = refused(&rule("idle = { below = \"0.05\" }"));
    assert!(unsigned.contains("`0.05` has no %"), "{unsigned}");
    let nothing = refused(&rule("idle = { below = \"0%\" }"));
    assert!(nothing.contains("above 0%"), "{nothing}");
}

#[test]
fn windows_and_coverage_have_bounds() {
    assert_eq!(idle("for = \"5m\"").window, Span::from_secs(300));
    assert_eq!(idle("for = \"7d\", coverage = \"50%\"").coverage, Decimal::new(50, 0));
    for (keys, said) in [
        ("for = \"4m\"", "is not between 5m and 7d"),
        ("for = \"8d\"", "is not between 5m and 7d"),
        ("for = 6", "has no unit"),
        ("coverage = \"49%\"", "is less than 50%"),
        ("coverage = 0.8", "has no %"),
        ("held = \"shelve\"", "is not a value of `held`"),
        ("window = \"6h\"", "is not a key of `idle`"),
    ] {
        let text = refused(&rule(&format!("idle = {{ {keys} }}")));
        assert!(text.contains(said), "{keys}: {text}");
    }
}

#[test]
fn each_cause_has_its_strongest_action() {
    let spec =
        idle("empty = \"terminate\", held = \"stop\", starved = \"stop\", unclear = \"stop\"");
    assert_eq!(spec.empty, WantedAction::Terminate);
    assert_eq!([spec.held, spec.starved, spec.unclear], [WantedAction::Stop; 3]);
}

#[test]
fn an_idle_rule_names_what_shall_be_found_and_an_hour_does_not() {
    accepted(&rule("idle = {}"));
    accepted(&rule("outside_hours = \"Mon-Fri 08:00-19:00\", account = \"research\""));
    for when in
        ["outside_hours = \"Mon-Fri 08:00-19:00\"", "outside_hours = \"20:00-06:00\", name = \"*\""]
    {
        let text = refused(&rule(when));
        assert!(text.contains("`when` matches every machine, to stop"), "{when}: {text}");
    }
}

#[test]
fn working_hours_are_of_the_configured_zone() {
    let zone = "timezone = \"Europe/Amsterdam\"\n";
    let hours = |text: &str| {
        let text = format!("{zone}{}", rule(&format!("idle = {{}}, outside_hours = \"{text}\"")));
        accepted(&text).policy.rules[0].when.outside_hours.expect("is asked").to_string()
    };
    assert_eq!(hours("Mon-Fri 08:00-19:00"), "Mon-Fri 08:00-19:00 Europe/Amsterdam");
    assert_eq!(hours("Mon-Fri 08:00-19:00 Asia/Tokyo"), "Mon-Fri 08:00-19:00 Asia/Tokyo");
    let vague = refused(&rule("idle = {}, outside_hours = \"Mon-Fri 8-19\""));
    assert!(vague.contains("`8` is no time of a day; write for example"), "{vague}");
}

#[test]
fn tags_of_owners_have_keys_of_their_own() {
    let usual = accepted("");
    assert_eq!(usual.policy.idle_stop_tag, "idle-stop");
    assert_eq!(usual.policy.working_hours_tag, "working-hours");
    let own = accepted("idle_stop_tag = \"auto-off\"\nworking_hours_tag = \"office\"\n");
    assert_eq!(own.policy.idle_stop_tag, "auto-off");
    assert_eq!(own.policy.working_hours_tag, "office");
    for text in [
        "idle_stop_tag = \"Reaper_Keep\"\n",
        "idle_stop_tag = \"expires\"\n",
        "working_hours_tag = \"idle.stop\"\n",
    ] {
        let refused = refused(text);
        assert!(refused.contains("has another meaning already"), "{refused}");
    }
}

#[test]
fn names_of_owners_rules_are_reserved() {
    for name in ["idle-stop", "working-hours", "appeared-after-stop"] {
        let text = format!("[[rule]]\nname = \"{name}\"\nwhen = {{ expired = true }}\n");
        let refused = refused(&text);
        assert!(refused.contains("a rule cannot be called"), "{refused}");
    }
}

#[test]
fn exemptions_do_not_ask_for_idleness() {
    let text = "[[exempt]]\nmatch = { idle = {} }\nreason = \"r\"\nuntil = 2026-12-24\n";
    let refused = refused(text);
    assert!(refused.contains("`idle` is not a key of"), "{refused}");
}
