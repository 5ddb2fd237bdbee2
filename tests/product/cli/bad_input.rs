//! Mistakes in configuration and usage: exit 2, before the first call, naming the place and what
//! would be right.

use crate::support::{Ran, Reaper};

/// Nothing listens there: a call would show up as another exit code.
const NOWHERE: &str = "http://127.0.0.1:1";

fn account() -> String {
    format!("[[account]]\nname = \"a\"\nprovider = \"aws\"\nendpoint_url = \"{NOWHERE}\"\n")
}

fn rule() -> &'static str {
    "[[rule]]\nname = \"r\"\nwhen = { owner = [\"absent\"] }\naction = \"stop\"\n"
}

/// Audits with `head`, one account and `tail` in the configuration; it must be refused.
#[track_caller]
fn refused(head: &str, tail: &str) -> Ran {
    let text = format!("version = 1\n{head}\n{}\n{tail}", account());
    let ran = Reaper::with_config(&text).run(&["audit"]).exits(2);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    ran
}

#[test]
fn fl_150_a_misspelt_key_is_refused_with_the_nearest_one() {
    let ran = refused("", "[protcet]\ntag = \"reaper-keep\"\n");
    assert!(ran.stderr.contains("reaper.toml:8:2"), "{}", ran.stderr);
    assert!(ran.stderr.contains("protect"), "{}", ran.stderr);
}

#[test]
fn fl_150_a_key_at_the_wrong_level_or_twice_is_refused() {
    assert!(refused("notice = \"3d\"", "").stderr.contains("rule"));
    refused("timezone = \"UTC\"\ntimezone = \"UTC\"", "");
}

#[test]
fn fl_153_an_account_number_is_kept_as_text() {
    let ran = refused("", "expect_account = 020222070707\n");
    assert!(ran.stderr.contains("quote"), "{}", ran.stderr);
    let ran = refused("", "expect_account = 111122223333\n");
    assert!(ran.stderr.contains("\"111122223333\""), "{}", ran.stderr);
}

#[test]
fn fl_154_a_file_that_is_not_there_is_never_a_set_of_defaults() {
    let ran = Reaper::new().run(&["audit", "--config", "policy.toml"]).exits(2);
    assert!(ran.stderr.contains("policy.toml"), "{}", ran.stderr);
    let ran = Reaper::new().run(&["audit"]).exits(2);
    assert!(ran.stderr.contains("reaper init"), "{}", ran.stderr);
}

#[test]
fn fl_155_a_duration_needs_a_unit() {
    let ran = refused("", "[timeouts]\ncall = \"90\"\n");
    assert!(ran.stderr.contains("7d12h"), "the accepted forms are told: {}", ran.stderr);
}

#[test]
fn fl_005_an_empty_match_is_refused_with_its_rule() {
    for when in [
        "{ name = \"\" }",
        "{ name = \" \" }",
        "{}",
        "{ name = \"*\" }",
        "{ name = { env = \"UNSET\" } }",
    ] {
        let rule = format!("[[rule]]\nname = \"everything\"\nwhen = {when}\naction = \"stop\"\n");
        let ran = refused("", &rule);
        assert!(ran.stderr.contains("everything") || ran.stderr.contains("name"), "{}", ran.stderr);
    }
}

#[test]
fn fl_109_a_price_without_unit_or_currency_is_refused() {
    let price =
        |line: &str| format!("[[price]]\nprovider = \"aws\"\ntype = \"p9x.192xlarge\"\n{line}\n");
    refused("", &price(""));
    let ran = refused("", &price("hourly = \"80\""));
    assert!(ran.stderr.contains("80 EUR"), "{}", ran.stderr);
}

#[test]
fn fl_102_a_threshold_of_idleness_without_its_unit_is_refused() {
    let rule = |idle: &str| {
        format!(
            "[[rule]]\nname = \"quiet\"\nwhen = {{ idle = {{ {idle} }} }}\naction = \"report\"\n"
        )
    };
    for (idle, said) in [
        ("below = 0.05, for = \"6h\"", "has no %"),
        ("below = \"0.05\", for = \"6h\"", "has no %"),
        ("below = \"5%\", for = 6", "has no unit"),
        ("below = \"5%\", for = \"6\"", "a unit is missing"),
        ("below = \"5%\", coverage = 80", "has no %"),
        ("belwo = \"5%\"", "did you mean `below`?"),
    ] {
        let ran = refused("", &rule(idle));
        assert!(ran.stderr.contains(said), "{idle}: {}", ran.stderr);
    }
}

#[test]
fn several_mistakes_are_told_at_once() {
    let ran = refused("timezone = \"Mars/Olympus\"\ncurrency = \"EURO\"", "");
    assert!(ran.stderr.contains("Mars/Olympus") && ran.stderr.contains("EURO"), "{}", ran.stderr);
}

#[test]
fn an_unknown_account_on_the_command_line_is_refused() {
    let text = format!("version = 1\n{}{}", account().replace("\"a\"", "\"research\""), rule());
    let ran = Reaper::with_config(&text).run(&["audit", "--account", "reserch"]).exits(2);
    assert!(ran.stderr.contains("research"), "{}", ran.stderr);
}

#[test]
fn fl_084_without_credentials_it_is_refused_within_ten_seconds() {
    let text = format!("version = 1\n{}{}", account(), rule());
    #[expect(clippy::disallowed_methods, reason = "measures how long the real command takes")]
    let started = std::time::Instant::now();
    let ran = Reaper::with_config(&text).run(&["audit", "--format", "json"]);
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    assert_eq!(ran.code, 2, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("AWS_ACCESS_KEY_ID"), "the sources are told: {}", ran.stderr);
    assert_eq!(ran.json()["outcome"]["class"], "config");
}

#[test]
fn usage_errors_are_a_document_in_json_mode() {
    let ran = Reaper::new().run(&["audit", "--format", "json", "--frobnicate"]).exits(2);
    assert_eq!(ran.json()["outcome"]["exit_code"], 2);
    assert_eq!(ran.json()["schema"], "reaper.error/1");
}

#[test]
fn an_output_that_cannot_be_written_costs_no_call() {
    let text = format!("version = 1\n{}{}", account(), rule());
    let ran = Reaper::with_config(&text)
        .env("AWS_ACCESS_KEY_ID", "AKIATEST")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .run(&["audit", "--output", "no/such/folder/report.json"])
        .exits(2);
    assert!(ran.stderr.contains("no/such/folder"), "{}", ran.stderr);
}
