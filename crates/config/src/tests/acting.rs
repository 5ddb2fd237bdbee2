//! What acting needs: the state, the brake, time limits, consents, hooks, and people to tell.

use std::path::{Path, PathBuf};

use reaper_model::Span;

use super::support::{ACCOUNT, accepted, read, read_in, refused};

const MAIL: &str = "[notify.email]\nfrom = \"reaper@example.org\"\nreport_to = \"a@example.org\"\n\
                    [notify.email.smtp]\nhost = \"smtp.example.org\"\n";

#[test]
fn defaults_are_careful() {
    let config = read(ACCOUNT).expect("accepted");
    assert_eq!(config.state.url, "file:reaper-state");
    assert_eq!(config.state.base, Path::new("/nowhere"));
    assert_eq!(config.limits.max_actions, 10);
    assert_eq!(config.limits.max_share.to_string(), "20%");
    assert_eq!(config.limits.max_hourly_value.to_string(), "200.00 EUR");
    assert!(!config.accounts[0].allow_terminate && !config.accounts[0].allow_local_data_loss);
    assert_eq!(config.hooks.before_stop, None);
    assert!(config.email.is_none());
    assert_eq!(config.timeouts.plan, Span::from_secs(86_400));
    assert_eq!(config.policy.rules.len(), 0);
}

#[test]
fn fl_157_the_notice_period_has_a_documented_default_and_none_is_pointed_out() {
    let rule = |rest: &str| {
        let text = format!("[[rule]]\nname = \"r\"\nwhen = {{ expired = true }}\n{rest}\n");
        accepted(&text)
    };
    let usual = rule("action = \"stop\"");
    assert_eq!(usual.policy.rules[0].notice, Span::from_secs(3 * 86_400));
    assert!(usual.warnings.is_empty(), "{:?}", usual.warnings);
    assert!(rule("notice = \"0s\"").warnings.is_empty());
    let [warning] = &rule("action = \"stop\"\nnotice = \"0s\"").warnings[..] else {
        panic!("one warning")
    };
    assert_eq!((warning.code, warning.subject.as_str()), ("config-no-notice", "rule `r`"));
}

#[test]
fn consents_are_each_accounts_own() {
    let config = read(
        "[[account]]\nname = \"burst\"\nprovider = \"lambda\"\nallow_terminate = true\n\
         [[account]]\nname = \"poc\"\nprovider = \"scaleway\"\nallow_local_data_loss = true\n",
    )
    .expect("accepted");
    let [burst, poc] = &config.accounts[..] else { panic!("two accounts") };
    assert!(burst.allow_terminate && !burst.allow_local_data_loss);
    assert!(!poc.allow_terminate && poc.allow_local_data_loss);
    assert!(burst.options.is_empty());
    let listed = |key: &str| {
        let setting = config.effective().iter().find(|setting| setting.key == key);
        setting.map(|setting| (setting.value.as_str(), setting.is_default))
    };
    assert_eq!(listed("account.burst.allow_terminate"), Some(("true", false)));
    assert_eq!(listed("account.poc.allow_terminate"), Some(("false", true)));
}

#[test]
fn the_state_lies_beside_the_file_or_in_a_bucket() {
    for url in [
        "file:state",
        "file:/var/lib/reaper",
        "file:///var/lib/reaper",
        "s3://b/p",
        "gs://b",
        "az://c/p",
    ] {
        let config = accepted(&format!("[state]\nurl = \"{url}\"\n"));
        assert_eq!(config.state.url, url);
    }
    let relative = read_in(Path::new(""), ACCOUNT).expect("accepted");
    assert!(relative.state.base.is_absolute(), "{:?}", relative.state);
}

#[test]
fn what_is_no_place_for_the_state_is_refused() {
    for (url, words) in [
        ("reaper-state", "begins with none of"),
        ("S3://bucket", "begins with none of"),
        ("s3:bucket", "begins with none of"),
        ("https://example.org", "begins with none of"),
        ("memory:", "begins with none of"),
        ("file:", "names no folder"),
        ("file://host/x", "names no folder"),
        ("s3://", "names no bucket"),
        ("s3:///prefix", "names no bucket"),
        ("s3://k:s@b/x", "has a login or a query"),
        ("s3://b:9000/x", "has a login or a port"),
        ("s3://b/x?region=y", "has a login or a query"),
    ] {
        let shown = refused(&format!("[state]\nurl = \"{url}\"\n"));
        assert!(shown.contains(words), "{shown}");
    }
    insta::assert_snapshot!(refused("[state]\nurl = \"reaper-state\"\n"), @r#"
    error: [state]: `url` begins with none of file:, s3://, gs:// and az://
     --> reaper.toml:2:7
      |
    2 | url = "reaper-state"
      |       ^^^^^^^^^^^^^^
      |
      = help: write "file:reaper-state" or "s3://bucket/prefix"; credentials come from the environment
    "#);
    assert!(refused("[state]\nurl = \" \"").contains("is blank"));
    assert!(refused("[state]\nuri = \"file:x\"").contains("did you mean `url`?"));
}

#[test]
fn the_brake_is_exact_and_in_the_currency_of_the_report() {
    let config =
        accepted("currency = \"USD\"\n[limits]\nmax_actions = 0\nmax_share = \"12.5 %\"\n");
    assert_eq!(config.limits.max_actions, 0);
    assert_eq!(config.limits.max_share.points().to_string(), "12.5");
    assert_eq!(config.limits.max_hourly_value.to_string(), "200.00 USD");
    let config = accepted("[limits]\nmax_hourly_value = \"0.005 CHF\"\n");
    assert_eq!(config.limits.max_hourly_value.all_digits(), "0.005");
    assert_eq!(config.limits.max_hourly_value.currency.as_str(), "CHF");
}

#[test]
fn fl_121_a_brake_that_says_nothing_clear_is_refused() {
    for (line, words) in [
        ("max_share = 20", "write \"20%\""),
        ("max_share = 0.2", "`max_share` has no %"),
        ("max_share = \"20\"", "has no %"),
        ("max_share = \"0%\"", "above 0% and up to 100%"),
        ("max_share = \"101%\"", "above 0% and up to 100%"),
        ("max_share = \"-5%\"", "above 0% and up to 100%"),
        ("max_share = \"a few%\"", "is not a share"),
        ("max_actions = -1", "must be a whole number from 0"),
        ("max_actions = \"10\"", "without quotes"),
        ("max_hourly_value = 200", "has no currency"),
        ("max_hourly_value = \"0 EUR\"", "mode = \"report\""),
        ("max_hourly_value = \"200 ERU\"", "did you mean `EUR`?"),
        ("max_action = 10", "did you mean `max_actions`?"),
    ] {
        let shown = refused(&format!("[limits]\n{line}\n"));
        assert!(shown.contains(words), "{shown}");
    }
    insta::assert_snapshot!(refused("[limits]\nmax_share = 20\n"), @r#"
    error: [limits]: `max_share` has no %
     --> reaper.toml:2:13
      |
    2 | max_share = 20
      |             ^^
      |
      = help: write "20%"
    "#);
}

#[test]
fn a_lease_lasts_at_least_as_long_as_the_run() {
    let timeouts = |text: &str| accepted(&format!("[timeouts]\n{text}\n")).timeouts;
    assert_eq!(timeouts("run = \"20m\"").lease, Span::from_secs(1800));
    assert_eq!(timeouts("run = \"2h\"").lease, Span::from_secs(7200));
    assert_eq!(timeouts("lease = \"45m\"").lease, Span::from_secs(2700));
    insta::assert_snapshot!(refused("[timeouts]\nlease = \"20m\"\n"), @r#"
    error: [timeouts]: `lease` 20m is shorter than the run, 30m
     --> reaper.toml:2:9
      |
    2 | lease = "20m"
      |         ^^^^^
      |
      = help: another run could take over an account while this one still acts
    "#);
}

#[test]
fn fl_155_the_time_limits_of_acting_have_units_and_an_order() {
    for key in ["confirm", "poll", "mail", "stop_grace", "plan", "lease"] {
        assert!(refused(&format!("[timeouts]\n{key} = 90\n")).contains("has no unit"), "{key}");
        let none = refused(&format!("[timeouts]\n{key} = \"0s\"\n"));
        assert!(none.contains("must be longer than nothing"), "{none}");
    }
    let shown = refused("[timeouts]\nconfirm = \"4s\"\n");
    assert!(shown.contains("`poll` 5s is longer than confirm, 4s"), "{shown}");
}

#[test]
fn a_hook_is_a_program_beside_the_file_or_one_in_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("save-checkpoints"), "").expect("written");
    let hook = |line: &str| {
        let text = format!("[hooks]\nbefore_stop = {line}\n{ACCOUNT}");
        let config = read_in(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        let timeout = config.effective().iter().find(|s| s.key == "hooks.before_stop.timeout");
        assert_eq!(timeout.map(|setting| setting.value.as_str()), Some("10m"));
        config.hooks.before_stop.expect("a hook")
    };
    let beside = hook("{ command = [\"./save-checkpoints\", \"--all\"] }");
    assert_eq!(beside.program, folder.path().join("./save-checkpoints"));
    assert_eq!(beside.arguments, ["--all"]);
    assert_eq!(beside.folder, folder.path());
    assert_eq!(beside.timeout, Span::from_secs(600));
    assert_eq!(hook("{ command = [\"sync\"], timeout = \"600s\" }").program, PathBuf::from("sync"));
}

#[test]
fn a_hook_that_cannot_run_is_refused() {
    for (line, words) in [
        ("{ command = \"./save --all\" }", "there is no shell"),
        ("{ command = [] }", "needs `command`"),
        ("{}", "[hooks.before_stop] needs `command`"),
        ("{ command = [\"\"] }", "`command` is blank"),
        ("{ command = [\"sync\", \" \"] }", "`command` is blank"),
        ("{ command = [1] }", "quote it"),
        ("{ command = [\"sync\"], timeout = 10 }", "has no unit"),
        ("{ command = [\"sync\"], timout = \"1m\" }", "did you mean `timeout`?"),
        ("[\"sync\"]", "is a table"),
    ] {
        let shown = refused(&format!("[hooks]\nbefore_stop = {line}\n"));
        assert!(shown.contains(words), "{shown}");
    }
    insta::assert_snapshot!(
        refused("[hooks]\nbefore_stop = { command = [\"./save-checkpoints\"] }\n"), @r#"
    error: [hooks.before_stop]: `command`: there is no file `/nowhere/./save-checkpoints`
     --> reaper.toml:2:28
      |
    2 | before_stop = { command = ["./save-checkpoints"] }
      |                            ^^^^^^^^^^^^^^^^^^^^
      |
      = help: a relative path is relative to this configuration file
    "#);
    assert!(refused("[hooks]\nbefore_stp = {}\n").contains("did you mean `before_stop`?"));
}

#[test]
fn fl_031_acting_needs_somebody_to_tell() {
    let said = |text: &str| {
        let problems = accepted(text).can_enforce().expect_err("refused");
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(said("mode = \"report\""), @r#"
    reaper.toml: mode = "report" forbids acting (remove the key, or leave out --enforce)
    reaper.toml: there is no [notify.email], so no owner can be told before a stop (name a sender and a mail server)
    reaper.toml: there is no owners.fallback, so nobody is told about a machine without an owner (write for example fallback = "gpu-team@example.org" below [owners])
    "#);
    insta::assert_snapshot!(said(MAIL), @r#"reaper.toml: there is no owners.fallback, so nobody is told about a machine without an owner (write for example fallback = "gpu-team@example.org" below [owners])"#);
    insta::assert_snapshot!(said("[owners]\nfallback = \"gpu-team@example.org\""), @"reaper.toml: there is no [notify.email], so no owner can be told before a stop (name a sender and a mail server)");
    let whole =
        format!("mode = \"enforce\"\n[owners]\nfallback = \"gpu-team@example.org\"\n{MAIL}");
    assert!(accepted(&whole).can_enforce().is_ok());
    assert!(accepted(whole.trim_start_matches("mode = \"enforce\"\n")).can_enforce().is_ok());
}
