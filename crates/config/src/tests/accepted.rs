//! What a configuration means.

use std::path::Path;

use reaper_model::document::WantedAction;
use reaper_model::{Location, Span, Unit};

use super::support::{ACCOUNT, PROVIDERS, accepted, currency, lookup, read};
use crate::{Environment, Mode, Pace, parse};

#[test]
fn one_account_is_enough() {
    let config = read(ACCOUNT).expect("accepted");
    assert_eq!(config.timezone, chrono_tz::UTC);
    assert_eq!(config.currency.as_str(), "EUR");
    assert_eq!(config.mode, None);
    assert_eq!(config.attempts, 4);
    assert_eq!(config.timeouts.call, Span::from_secs(30));
    assert_eq!(config.policy.launch_grace, Span::from_secs(900));
    assert_eq!(config.warnings.len(), 1);
    assert_eq!(config.warnings[0].code, "config-no-rules");
}

#[test]
fn an_embedded_text_has_no_path_and_a_digest() {
    let env = Environment { lookup: &lookup, providers: &PROVIDERS, currency: &currency };
    let config = parse(None, Path::new(""), ACCOUNT, &env).expect("accepted");
    assert_eq!(config.path, None);
    assert!(config.digest.starts_with("sha256:") && config.digest.len() == 71);
    let error = parse(None, Path::new(""), "a = 1", &env).expect_err("refused");
    assert_eq!(error.problems[0].file, "<embedded>");
}

#[test]
fn accounts_keep_their_order_and_their_settings() {
    let config = read(
        "[[account]]\nname = \"poc\"\nprovider = \"scaleway\"\nzones = [\"fr-par-2\"]\nproject_ids = [\"a\", \"b\"]\n\
         [[account]]\nname = \"aws\"\nprovider = \"aws\"\nregions = \"eu-west-1\"\nassume_role = \"arn:x\"\nimds = true\n\
         expect_account = \" 020222070707 \"\nendpoint_url = \"http://127.0.0.1:5000\"\n\
         [pace.aws]\nper_second = 5\npage_size = 100\n",
    )
    .expect("accepted");
    let [poc, aws] = &config.accounts[..] else { panic!("two accounts") };
    assert_eq!(poc.locations, [Location::new("fr-par-2")]);
    assert_eq!(poc.lists["project_ids"], ["a", "b"]);
    assert_eq!(aws.locations, [Location::new("eu-west-1")]);
    assert_eq!(aws.options["assume_role"], "arn:x");
    assert_eq!(aws.options["imds"], "true");
    assert_eq!(aws.expect_account.as_deref(), Some("020222070707"));
    let pace = Pace { per_second: Some(5), in_flight: None, page_size: Some(100) };
    assert_eq!(config.pace_of(&aws.provider), pace);
    assert_eq!(config.pace_of(&poc.provider), Pace::default());
}

#[test]
fn rules_and_exemptions_are_read() {
    let config = accepted(
        "mode = \"report\"\ntimezone = \"Europe/Amsterdam\"\nplaceholders = \"none\"\n\
         [[rule]]\nname = \"o\"\naction = \"stop\"\nnotice = \"7d12h\"\n\
         when = { owner = \"absent\", tag = { env = [\"dev\", \"test\"] }, type = \"p5.*\" }\n\
         except = { account = \"res*\" }\n\
         [[exempt]]\nmatch = { id = \" i-0abc \" }\nreason = \"demo\"\nuntil = 2026-12-24\n",
    );
    assert_eq!(config.mode, Some(Mode::Report));
    let rule = &config.policy.rules[0];
    assert_eq!(rule.action, WantedAction::Stop);
    assert_eq!(rule.notice, Span::from_secs(648_000));
    assert_eq!(rule.when.tag["env"].len(), 2);
    assert_eq!(rule.when.older_than, None);
    assert!(rule.except.is_some());
    let exemption = &config.policy.exemptions[0];
    assert!(exemption.matches.id[0].matches("i-0abc"));
    assert_eq!(exemption.until.to_rfc3339(), "2026-12-24T23:00:00+00:00");
    assert_eq!(exemption.until_text, "2026-12-24");
}

#[test]
fn fl_005_a_match_may_come_from_the_environment() {
    let config = accepted(
        "[[rule]]\nname = \"o\"\nwhen = { name = { env = \"TEAM\" }, tag = { env = { env = \"TEAM\" } } }\n",
    );
    assert_eq!(config.policy.rules[0].when.name[0].as_str(), "atlas-");
    assert_eq!(config.policy.rules[0].when.tag["env"][0].as_str(), "atlas-");
}

#[test]
fn a_pattern_that_matches_everything_may_be_reported_on() {
    let config = accepted("[[rule]]\nname = \"all\"\nwhen = { name = \"*\" }\n");
    assert_eq!(config.policy.rules[0].action, WantedAction::Report);
    let config = accepted(
        "[[exempt]]\nmatch = { name = \"*\" }\nreason = \"frozen\"\nuntil = \"2026-12-24\"\n",
    );
    assert!(config.warnings.iter().any(|warning| warning.code == "config-exempts-everything"));
}

#[test]
fn fl_107_rates_and_prices_are_exact() {
    let config = accepted(
        "[fx]\nUSD = { rate = 0.92, as_of = 2026-11-28 }\nCHF = { rate = \"1.07\", as_of = \"2026-11-27\" }\n\
         [[price]]\nprovider = \"aws\"\ntype = \"p9x.192xlarge\"\nhourly = \"80.005 USD\"\n\
         [[price]]\nprovider = \"ovhcloud\"\ntype = \"t\"\nlocation = \"GRA11\"\nmonthly = \"800 EUR\"\n",
    );
    let rates: Vec<_> = config
        .rates
        .iter()
        .map(|rate| format!("{} {} {}", rate.from, rate.rate, rate.as_of))
        .collect();
    assert_eq!(rates, ["CHF 1.07 2026-11-27", "USD 0.92 2026-11-28"]);
    assert_eq!(config.prices[0].money.all_digits(), "80.005");
    assert_eq!(config.prices[0].unit, Unit::Hour);
    assert_eq!(config.prices[1].unit, Unit::Month);
    assert_eq!(config.prices[1].money.to_string(), "800.00 EUR");
}

#[test]
fn fl_155_every_duration_in_force_is_listed() {
    let config = accepted(
        "launch_grace = \"1h\"\n[timeouts]\ncall = \"90s\"\n\
         [[rule]]\nname = \"a\"\nwhen = { expired = true }\n\
         [[rule]]\nname = \"b\"\nwhen = { older_than = \"90d\" }\nnotice = \"168h\"\n",
    );
    let listed: Vec<String> = config
        .effective()
        .iter()
        .map(|s| format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r#"
    version = 1 (default)
    timezone = UTC (default)
    currency = EUR (default)
    launch_grace = 1h
    placeholders = [] (default)
    expiry_tag = expires (default)
    idle_stop_tag = idle-stop (default)
    working_hours_tag = working-hours (default)
    leftovers = true (default)
    state.url = file:reaper-state (default)
    account.research.allow_terminate = false (default)
    account.research.allow_local_data_loss = false (default)
    owners.tags = ["owner"] (default)
    protect.tag = reaper-keep (default)
    rule.a.action = report (default)
    rule.a.when.older_than = 1h (default)
    rule.a.notice = 3d (default)
    rule.b.action = report (default)
    rule.b.when.older_than = 90d
    rule.b.notice = 7d
    limits.max_actions = 10 (default)
    limits.max_share = 20% (default)
    limits.max_hourly_value = 200 EUR (default)
    timeouts.call = 1m30s
    timeouts.scope = 5m (default)
    timeouts.run = 30m (default)
    timeouts.confirm = 10m (default)
    timeouts.poll = 5s (default)
    timeouts.mail = 1m (default)
    timeouts.stop_grace = 7s (default)
    timeouts.plan = 1d (default)
    timeouts.lease = 30m (default)
    retries.attempts = 4 (default)
    metrics.clouds = true (default)
    metrics.probe = true (default)
    "#);
}

#[test]
fn an_unencrypted_endpoint_elsewhere_is_pointed_out() {
    let account = |url: &str| {
        let text = format!(
            "{ACCOUNT}endpoint_url = \"{url}\"\n[[rule]]\nname = \"r\"\nwhen = {{ expired = true }}\n"
        );
        read(&text).expect("accepted").warnings
    };
    for near in
        ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1", "https://example.org"]
    {
        assert!(account(near).is_empty(), "{near}");
    }
    let [warning] = &account("http://example.org")[..] else { panic!("one warning") };
    assert_eq!(
        (warning.code, warning.subject.as_str()),
        ("config-plain-http", "account `research`")
    );
}
