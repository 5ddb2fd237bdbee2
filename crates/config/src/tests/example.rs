//! The commented example, the schema and what `init` writes agree with the parser.

use serde_json::{Value, json};

use super::support::{ACCOUNT, PROVIDERS, read, read_parts};
use crate::keys::{self, Kind, Table};
use crate::{EXAMPLE, InitAccount, init_template, schema};

fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(entries) => entries.into_iter().map(to_json).collect(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(key, value)| (key, to_json(value))).collect()
        }
    }
}

fn schema_accepts(text: &str) -> Result<(), String> {
    let table: toml::Table = text.parse().expect("TOML");
    let validator = jsonschema::validator_for(&schema(&PROVIDERS)).expect("a schema");
    validator
        .validate(&to_json(toml::Value::Table(table)))
        .map_err(|error| format!("{}: {error}", error.instance_path()))
}

/// The example with every commented setting switched on, but for those that need other files and
/// variables.
fn everything() -> String {
    let switch_on = |line: &'static str| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let key = bare.split_once(" = ").map(|(key, _)| key);
        let is_key =
            key.is_some_and(|key| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        let needs_more = ["ca_bundle", "directory", "LAMBDA_API_KEY", "save-checkpoints"]
            .iter()
            .any(|w| bare.contains(w));
        if (is_key || bare.starts_with('[')) && !needs_more { bare } else { line }
    };
    EXAMPLE.lines().map(switch_on).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_is_accepted_as_it_is() {
    let config = read(EXAMPLE).expect("accepted");
    assert_eq!(config.accounts.len(), 4);
    assert_eq!(config.policy.rules.len(), 3);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
}

#[test]
fn the_example_with_everything_switched_on_is_accepted() {
    let text = everything();
    let config = read(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(config.prices.len(), 1);
    assert_eq!(config.rates.len(), 1);
    assert_eq!(config.policy.exemptions.len(), 1);
    assert_eq!(config.pace.len(), 1);
    assert_eq!(config.budgets.len(), 1);
    assert!(config.schedules.len() == 2 && config.schedules.iter().all(|s| !s.is_default));
    assert!(config.can_alert().is_ok());
    assert!(config.email.is_some_and(|email| email.smtp.login.is_some()));
    let channels = config.channels;
    assert!(channels.slack.is_some() && channels.heartbeat.is_some());
    assert!(channels.webhook.is_some_and(|webhook| webhook.secrets.len() == 1));
    assert!(channels.prometheus.is_some());
    schema_accepts(&text).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_example_shows_every_key() {
    fn walk(table: &Table, missing: &mut Vec<String>) {
        for key in table.keys.iter().filter(|key| key.only.is_empty()) {
            if !EXAMPLE.contains(key.name) {
                missing.push(format!("{}.{}", table.path, key.name));
            }
            if let Kind::Table(below) | Kind::Tables(below) = &key.kind {
                walk(below, missing);
            }
        }
    }
    let mut missing = Vec::new();
    walk(&keys::file(&PROVIDERS), &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

/// Whether it has keys that it cannot be without: then its defaults are in force only where it is.
fn is_left_out(table: &Table) -> bool {
    !table.path.is_empty() && table.keys.iter().any(|key| key.required)
}

/// The documented defaults, by path, of this table and those below it that are kept.
fn defaults(table: &Table, path: &str, keep: fn(&Table) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for key in &table.keys {
        let path =
            if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
        found.extend(key.default.map(|default| (path.clone(), default.to_owned())));
        if let Kind::Table(below) = &key.kind
            && keep(below)
        {
            found.extend(defaults(below, &path, keep));
        }
    }
    found
}

#[test]
fn fl_155_defaults_in_force_documented_and_in_the_example_are_the_same() {
    let documented_below = |keep: fn(&Table) -> bool| {
        let keys = keys::file(&PROVIDERS);
        let mut found = defaults(&keys, "", keep);
        found.sort();
        found
    };
    let documented = documented_below(|table| !is_left_out(table));

    let bare = read(ACCOUNT).expect("accepted");
    let mut in_force: Vec<_> = bare
        .effective()
        .iter()
        .filter(|setting| setting.is_default && !setting.key.starts_with("account."))
        .map(|setting| (setting.key.clone(), setting.value.clone()))
        .collect();
    in_force.sort();
    assert_eq!(in_force, documented);

    let example = read(EXAMPLE).expect("accepted");
    for (key, value) in &documented {
        let stated = example.effective().iter().find(|setting| setting.key == *key);
        assert_eq!(
            stated.map(|setting| (&setting.value, setting.is_default)),
            Some((value, false))
        );
    }
    let everything = read(&everything()).expect("accepted");
    let optional = documented_below(|table| table.path != "hooks.before_stop");
    let mail = optional.iter().filter(|(key, _)| key.starts_with("notify."));
    for (key, value) in mail.clone() {
        let stated = everything.effective().iter().find(|setting| setting.key == *key);
        assert_eq!(stated.map(|setting| &setting.value), Some(value), "{key}");
    }
    assert_eq!(mail.count(), 8);
    let keys = keys::file(&PROVIDERS);
    let budgets = keys.key("budget").and_then(|key| key.kind.table()).expect("budgets");
    for key in budgets.keys.iter().filter(|key| key.default.is_some()) {
        let path = format!("budget.all-gpu.{}", key.name);
        let stated = everything.effective().iter().find(|setting| setting.key == path);
        assert_eq!(stated.map(|setting| setting.value.as_str()), key.default, "{path}");
    }
    let rule = read_parts("[[rule]]\nname = \"r\"\nwhen = { expired = true }\n").expect("accepted");
    let rules = keys.key("rule").and_then(|key| key.kind.table()).expect("rules");
    for key in rules.keys.iter().filter(|key| key.default.is_some()) {
        let path = format!("rule.r.{}", key.name);
        let stated = rule.effective().iter().find(|setting| setting.key == path);
        assert_eq!(stated.map(|setting| setting.value.as_str()), key.default, "{path}");
    }
}

#[test]
fn the_schema_takes_what_the_parser_takes_and_refuses_what_it_refuses() {
    schema_accepts(EXAMPLE).unwrap_or_else(|error| panic!("{error}"));
    for wrong in [
        "protcet = 1",
        "launch_grace = \"90\"",
        "launch_grace = 90",
        "state = { url = 1 }",
        "limits = { max_share = \"20\" }",
        "limits = { max_share = 0.2 }",
        "limits = { max_actions = -1 }",
        "hooks = { before_stop = { command = \"sync\" } }",
        "hooks = { before_stop = { command = [] } }",
        "hooks = { before_stop = {} }",
        "notify = { slack = {} }",
        "notify = { slack = { webhook = \"https://hooks.example.org/x\" } }",
        "notify = { slack = { webhook = { env = \"SLACK_WEBHOOK\" }, send = [] } }",
        "notify = { slack = { webhook = { env = \"SLACK_WEBHOOK\" }, send = \"notices\" } }",
        "notify = { webhook = { url = { env = \"REAPER_WEBHOOK_URL\" } } }",
        "notify = { webhook = { url = { env = \"REAPER_WEBHOOK_URL\" }, secrets = [] } }",
        "notify = { webhook = { url = { env = \"REAPER_WEBHOOK_URL\" }, secrets = [\"whsec_x\"] } }",
        "notify = { heartbeat = { timeout = \"10s\" } }",
        "notify = { heartbeat = { url = { env = \"HEARTBEAT_URL\" }, timeout = 10 } }",
        "notify = { prometheus = {} }",
        "notify = { prometheus = { textfile = \" \" } }",
        "notify = { email = { from = \"a@example.org\" } }",
        "notify = { email = { from = \"a@example.org\", smtp = { host = \"h\" }, max_size = \"10 MB\" } }",
        "notify = { email = { from = \"a@example.org\", smtp = { host = \"h\", tls = \"ssl\" } } }",
        "currency = \" \"",
        "[[rule]]\nname = \"r\"\nwhen = {}",
        "[[rule]]\nname = \"r\"\nwhen = { owner = [] }",
        "[[rule]]\nname = \"r\"\nwhen = { owner = \"unreadable\" }",
        "[[price]]\nprovider = \"aws\"\ntype = \"t\"\nhourly = \"80\"",
        "[[exempt]]\nreason = \"r\"\nmatch = { name = \"a\" }",
        "[pace]\nazure = { per_second = 1 }",
        "[[schedule]]\njob = \"audit\"\ncron = \"0 7 * * Mon\"",
        "[[schedule]]\njob = \"run\"",
        "[[schedule]]\njob = \"run\"\ncron = \"0 7 * * Mon\"\njitter = 60",
        "[[budget]]\nname = \"b\"\nlimit = \"5000\"\nrecipients = \"a@example.org\"",
        "[[budget]]\nname = \"b\"\nlimit = \"1 USD\"\nrecipients = []",
        "[[budget]]\nname = \"b\"\nlimit = \"1 USD\"\nrecipients = \"a@example.org\"\nthresholds = []",
        "[[budget]]\nname = \"b\"\nlimit = \"1 USD\"\nrecipients = \"a@example.org\"\nforecast = 0.8",
        "[[budget]]\nname = \"b\"\nlimit = \"1 USD\"\nrecipients = \"a@example.org\"\nscope = { region = \"a\" }",
        "[[budget]]\nname = \"b\"\nlimit = \"1 USD\"\nrecipients = \"a@example.org\"\nscope = { provider = \"azure\" }",
    ] {
        let text = format!("{wrong}\n{ACCOUNT}");
        assert!(read(&text).is_err(), "the parser takes {wrong}");
        assert!(schema_accepts(&text).is_err(), "the schema takes {wrong}");
    }
    assert_eq!(schema(&PROVIDERS)["properties"]["launch_grace"]["default"], json!("15m"));
}

#[test]
fn init_writes_a_file_that_is_accepted() {
    let account = |name: &str, provider: &str| InitAccount {
        name: name.to_owned(),
        provider: provider.to_owned(),
        expect_account: None,
        options: Vec::new(),
        note: Some("found in the environment".to_owned()),
    };
    let mut lab = account("lab \"one\"", "ovhcloud");
    lab.options = vec![("project".to_owned(), "0123456789abcdef0123456789abcdef".to_owned())];
    let mut aws = account("research", "aws");
    aws.expect_account = Some("020222070707".to_owned());
    let text = init_template(&[aws, lab, account("burst", "lambda")]);
    let config = read(&text).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> = config.accounts.iter().map(|account| account.name.to_string()).collect();
    assert_eq!(names, ["research", "lab \"one\"", "burst"]);
    assert_eq!(config.accounts[0].expect_account.as_deref(), Some("020222070707"));
    assert_eq!(config.policy.rules.len(), 3);
    let written =
        &text[text.find("# found").expect("notes")..text.find("# Whose").expect("a tail")];
    insta::assert_snapshot!(written, @r#"
    # found in the environment
    [[account]]
    name = "research"
    provider = "aws"
    expect_account = "020222070707"
    # regions = ["eu-west-1"]          # default: every enabled region
    # assume_role = "arn:aws:iam::111122223333:role/reaper"
    # endpoint_url = "http://127.0.0.1:5000"
    # allow_terminate = false          # any provider: consent to end machines for good, data included
    # allow_local_data_loss = false    # any provider: consent to stops that erase local disks

    # found in the environment
    [[account]]
    name = "lab \"one\""
    provider = "ovhcloud"
    # endpoint = "ovh-eu"                # ovh-eu, ovh-ca, ovh-us
    project = "0123456789abcdef0123456789abcdef"

    # found in the environment
    [[account]]
    name = "burst"
    provider = "lambda"
    # expect_account = "ssh-key:ops-2026"   # Lambda shows no account id: an SSH key of this name must exist
    # credentials = { api_key = { env = "LAMBDA_API_KEY" } }
    # allow_terminate = false          # Lambda cannot stop: without this, `stop` is only reported
    "#);
}

#[test]
fn init_without_accounts_is_refused_until_one_is_filled_in() {
    let error = read(&init_template(&[])).expect_err("no account");
    assert_eq!(error.problems.len(), 1, "{error}");
    assert_eq!(error.problems[0].message, "there is no [[account]]");
}
