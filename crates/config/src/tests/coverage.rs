//! Budgets that could do nothing: currencies that do not come together, nobody who would hear.

use std::cell::RefCell;
use std::path::Path;

use reaper_model::Currency;

use super::budgets::{budget, only, warned};
use super::support::{ACCOUNT, PROVIDERS, accepted, lookup, read, read_in, refused};
use crate::{Account, Config, Environment, parse};

const FALLBACK: &str = "[owners]\nfallback = \"gpu-team@example.org\"\n";
const MAIL: &str = "[notify.email]\nfrom = \"reaper@example.org\"\nreport_to = \"a@example.org\"\n\
                    [notify.email.smtp]\nhost = \"smtp.example.org\"\n";

#[test]
fn fl_121_a_budget_that_can_alert_nobody_is_refused_by_name() {
    let bare = "[[budget]]\nname = \"all-gpu\"\nlimit = \"5000 USD\"\n";
    insta::assert_snapshot!(refused(bare), @r#"
    error: budget `all-gpu` can alert nobody: there is neither `recipients` nor `owners.fallback`
     --> reaper.toml:1:1
      |
    1 | [[budget]]
      | ^^^^^^^^^^
      |
      = help: write for example recipients = ["finance@example.org"]
    "#);
    insta::assert_snapshot!(
        refused(&format!("{bare}recipients = [\"finance@money.invalid\"]\n")), @r#"
    error: budget `all-gpu` can alert nobody: `finance@money.invalid` is at a domain that never exists, and there is no `owners.fallback`
     --> reaper.toml:4:14
      |
    4 | recipients = ["finance@money.invalid"]
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write for example recipients = ["finance@example.org"]
    "#);
    let undeliverable = "[owners]\nfallback = \"team@invalid\"\n";
    insta::assert_snapshot!(refused(&format!("{undeliverable}{bare}")), @r#"
    error: budget `all-gpu` can alert nobody: `owners.fallback` is at a domain that never exists
     --> reaper.toml:3:1
      |
    3 | [[budget]]
      | ^^^^^^^^^^
      |
      = help: write for example recipients = ["finance@example.org"]
    "#);
    insta::assert_snapshot!(refused(&format!("{bare}recipients = []\n")), @"
    error: budget `all-gpu`: `recipients` is an empty list
     --> reaper.toml:4:14
      |
    4 | recipients = []
      |              ^^
      |
      = help: it would match nothing or everything; write a value or remove the key
    ");
    insta::assert_snapshot!(refused(&format!("{bare}recipients = [\"finance\"]\n")), @r#"
    error: budget `all-gpu`: `recipients`: `finance` is no mail address
     --> reaper.toml:4:15
      |
    4 | recipients = ["finance"]
      |               ^^^^^^^^^
      |
      = help: write for example "gpu-team@example.org"
    "#);
    // A slip in the fallback is one problem, not one of every budget besides.
    let slip = refused(&format!("[owners]\nfallback = \"gpu-team\"\n{bare}"));
    assert_eq!(slip.matches("error:").count(), 1, "{slip}");
    assert!(slip.contains("is no mail address"), "{slip}");
}

/// With a directory in which bob has left.
pub(super) fn with_people(text: &str) -> Result<Config, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let people = "owner,email,team,status\nalice,alice@example.org,vision,active\n\
                  bob,bob@example.org,speech,departed\n";
    std::fs::write(folder.path().join("owners.csv"), people).expect("written");
    let (owners, rest) = text.split_once('\n').expect("two lines");
    let text = format!("[owners]\ndirectory = \"owners.csv\"\n{owners}\n{rest}\n{ACCOUNT}");
    read_in(folder.path(), &text).map_err(|error| error.to_string())
}

#[test]
fn fl_121_who_has_left_hears_no_alarm() {
    let bare = "[[budget]]\nname = \"b\"\nlimit = \"5000 USD\"\n";
    let alone = format!("\n{bare}recipients = \"Bob@example.org\"\n");
    insta::assert_snapshot!(with_people(&alone).expect_err("refused"), @r#"
    error: budget `b` can alert nobody: `Bob@example.org` has left, the directory says, and there is no `owners.fallback`
     --> reaper.toml:7:14
      |
    7 | recipients = "Bob@example.org"
      |              ^^^^^^^^^^^^^^^^^
      |
      = help: write for example recipients = ["finance@example.org"]
    "#);
    let both = format!("\n{bare}recipients = [\"bob@example.org\", \"alice@example.org\"]\n");
    let config = with_people(&both).expect("accepted");
    assert_eq!(only(&config).recipients, ["alice@example.org"]);
    insta::assert_snapshot!(warned(&config).join("\n"), @"config-budget-recipient-lost: budget `b`: `recipients`: `bob@example.org` has left, the directory says, so nothing is sent there");
    let caught =
        format!("fallback = \"gpu-team@example.org\"\n{bare}recipients = \"bob@example.org\"\n");
    let config = with_people(&caught).expect("accepted");
    assert_eq!(only(&config).recipients, Vec::<String>::new());
    assert_eq!(config.recipients_of(only(&config)), ["gpu-team@example.org"]);
    assert_eq!(warned(&config).len(), 1);
    let gone = format!("fallback = \"bob@example.org\"\n{bare}");
    let shown = with_people(&gone).expect_err("refused");
    assert!(shown.contains("`owners.fallback` has left, the directory says"), "{shown}");
}

#[test]
fn fl_121_without_a_mail_server_no_alarm_is_heard() {
    let config = accepted(&budget(""));
    let problems = config.can_alert().expect_err("nobody hears it");
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @"reaper.toml: budget `b` can alert nobody: there is no [notify.email] (name a sender and a mail server)");
    assert!(accepted(&format!("{}{MAIL}", budget(""))).can_alert().is_ok());
    assert!(read(ACCOUNT).expect("accepted").can_alert().is_ok(), "no budget, no alarm");
}

/// Four clouds, the budget in between.
fn clouds(before: &str, budget: &str) -> Result<Config, String> {
    let accounts =
        [("research", "aws"), ("burst", "lambda"), ("lab", "ovhcloud"), ("poc", "scaleway")].map(
            |(name, provider)| {
                format!("[[account]]\nname = \"{name}\"\nprovider = \"{provider}\"\n")
            },
        );
    let text =
        format!("{before}{FALLBACK}[[budget]]\nname = \"b\"\n{budget}\n{}", accounts.concat());
    read(&text).map_err(|error| error.to_string())
}

const USD: &str = "[fx]\nUSD = { rate = \"0.92\", as_of = 2026-11-28 }\n";

#[test]
fn fl_107_a_budget_over_two_currencies_without_a_rate_is_refused() {
    insta::assert_snapshot!(clouds("", "limit = \"5000 EUR\"").expect_err("refused"), @r#"
    error: budget `b` is in EUR and counts USD (account `research`) without a rate
     --> reaper.toml:5:9
      |
    5 | limit = "5000 EUR"
      |         ^^^^^^^^^^
      |
      = help: write a dated rate of USD to EUR below [fx], or narrow its `scope`
    "#);
    insta::assert_snapshot!(clouds("", "limit = \"5000 GBP\"").expect_err("refused"), @r#"
    error: budget `b` is in GBP and counts EUR (account `lab`) and USD (account `research`) without a rate
     --> reaper.toml:5:9
      |
    5 | limit = "5000 GBP"
      |         ^^^^^^^^^^
      |
      = help: write a dated rate of GBP to EUR and of USD to EUR below [fx], or narrow its `scope`
    "#);
    for (before, budget) in [
        (USD, "limit = \"5000 EUR\""),
        // The rate leads both ways.
        (USD, "limit = \"5000 USD\""),
        ("", "limit = \"5000 EUR\"\nscope = { provider = [\"ovhcloud\", \"scaleway\"] }"),
        ("", "limit = \"5000 USD\"\nscope = { provider = [\"aws\", \"lambda\"] }"),
        ("", "limit = \"5000 USD\"\nscope = { account = \"burst\" }"),
        ("currency = \"CHF\"\n", "limit = \"5000 USD\"\nscope = { account = \"research\" }"),
    ] {
        let read = clouds(before, budget);
        assert!(read.is_ok(), "{before}{budget}: {read:?}");
    }
    // A limit in another currency than the report's needs a rate too, and so does the report's own
    // where it is neither.
    let shown = clouds(USD, "limit = \"5000 GBP\"").expect_err("refused");
    assert!(shown.contains("write a dated rate of GBP to EUR below [fx]"), "{shown}");
    let francs = format!("currency = \"CHF\"\n{USD}");
    let shown = clouds(&francs, "limit = \"5000 USD\"").expect_err("refused");
    assert!(
        shown.contains("b` is in USD and counts EUR (account `lab`) without a rate"),
        "{shown}"
    );
    assert!(shown.contains("of EUR to CHF below"), "{shown}");
}

#[test]
fn fl_107_what_else_a_machine_may_be_charged_in() {
    let price = |rest: &str| {
        format!("[[price]]\nprovider = \"scaleway\"\ntype = \"H100-1-80G\"\nhourly = \"3 {rest}\n")
    };
    let poc = "limit = \"5000 EUR\"\nscope = { account = \"poc\" }";
    let shown = clouds(&price("PLN\""), poc).expect_err("refused");
    assert!(
        shown.contains("counts PLN ([[price]] of `H100-1-80G` at scaleway) without a rate"),
        "{shown}"
    );
    let zones = |zone: &str| {
        let text = format!(
            "{FALLBACK}{}[[budget]]\nname = \"b\"\nlimit = \"5000 EUR\"\n[[account]]\nname = \"poc\"\n\
             provider = \"scaleway\"\nzones = [\"{zone}\"]\n",
            price("PLN\"\nlocation = \"fr-par-2\"")
        );
        read(&text)
    };
    assert!(zones("fr-par-2").is_err());
    assert!(zones("nl-ams-1").is_ok(), "no machine there has that price");
    let lab = |subsidiary: &str, limit: &str| {
        let text = format!(
            "{FALLBACK}[[budget]]\nname = \"b\"\nlimit = \"1 {limit}\"\n[[account]]\nname = \"lab\"\n\
             provider = \"ovhcloud\"\nsubsidiary = \"{subsidiary}\"\n"
        );
        read(&text)
    };
    assert!(lab("GB", "GBP").is_ok());
    let shown = lab("GB", "EUR").expect_err("refused").to_string();
    assert!(shown.contains("is in EUR and counts GBP (account `lab`)"), "{shown}");
    // Where only the provider can say, the run must.
    assert!(lab("WE", "EUR").is_ok());
}

#[test]
fn fl_107_where_the_machines_are_can_say_what_they_are_charged_in() {
    let china = |limit: &str| {
        read(&format!(
            "{FALLBACK}[[budget]]\nname = \"b\"\nlimit = \"1 {limit}\"\n{ACCOUNT}\
             regions = [\"cn-north-1\"]\n"
        ))
    };
    assert!(china("CNY").is_ok());
    let shown = china("USD").expect_err("refused").to_string();
    assert!(shown.contains("is in USD and counts CNY (account `research`)"), "{shown}");
}

#[test]
fn fl_107_each_account_is_asked_once_and_only_for_budgets() {
    let asked = RefCell::new(Vec::new());
    let currency = |account: &Account| {
        asked.borrow_mut().push(account.name.to_string());
        Some(Currency::USD)
    };
    let env = Environment { lookup: &lookup, providers: &PROVIDERS, currency: &currency };
    let parsed = |text: &str| parse(None, Path::new("/nowhere"), text, &env);
    parsed(ACCOUNT).expect("accepted");
    assert!(asked.take().is_empty(), "there is no budget");
    let two = [budget(""), "[[budget]]\nname = \"c\"\nlimit = \"1 USD\"\n".to_owned()];
    parsed(&format!("{FALLBACK}{}{ACCOUNT}", two.concat())).expect("accepted");
    assert_eq!(asked.take(), ["research"]);
}

#[test]
fn fl_107_a_slip_in_the_rates_is_no_second_problem_of_the_budget() {
    for before in [
        "[fx]\nUSD = { rate = \"x\", as_of = 2026-11-28 }\n",
        "[fx]\nUSD = { rate = \"0.92\" }\n",
        "currency = \"ERU\"\n",
    ] {
        let shown = clouds(before, "limit = \"5000 EUR\"").expect_err("refused");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    }
}
