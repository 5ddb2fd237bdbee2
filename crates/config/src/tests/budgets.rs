//! `[[budget]]`: what is understood and what is refused.

use std::path::Path;

use proptest::prelude::*;
use reaper_model::{BudgetSpec, OnLimit};

use super::coverage::with_people;
use super::support::{ACCOUNT, accepted, read, read_in, refused};
use crate::{Config, InitAccount, init_template};

const FALLBACK: &str = "[owners]\nfallback = \"gpu-team@example.org\"\n";

/// A budget in dollars, as the account of these tests is charged.
pub(super) fn budget(rest: &str) -> String {
    format!(
        "[[budget]]\nname = \"b\"\nlimit = \"5000 USD\"\nrecipients = \"a@example.org\"\n{rest}\n"
    )
}

pub(super) fn only(config: &Config) -> &BudgetSpec {
    let [budget] = &config.budgets[..] else { panic!("one budget: {:?}", config.budgets) };
    budget
}

fn points(budget: &BudgetSpec) -> [Vec<String>; 2] {
    [&budget.thresholds, &budget.forecast]
        .map(|list| list.iter().map(ToString::to_string).collect())
}

fn settings(config: &Config) -> String {
    let budgets = config.effective().iter().filter(|s| s.key.starts_with("budget."));
    let line = |s: &crate::Setting| {
        format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" })
    };
    budgets.map(line).collect::<Vec<_>>().join("\n")
}

/// The codes of warnings about budgets, with their texts.
pub(super) fn warned(config: &Config) -> Vec<String> {
    let budgets =
        config.warnings.iter().filter(|warning| warning.code.starts_with("config-budget"));
    budgets.map(|w| format!("{}: {}: {}", w.code, w.subject, w.text)).collect()
}

#[test]
fn a_name_a_limit_and_somebody_to_tell_are_enough() {
    let config =
        accepted(&format!("{FALLBACK}[[budget]]\nname = \"all-gpu\"\nlimit = \"5000.50 USD\"\n"));
    let budget = only(&config);
    assert_eq!(
        (budget.name.as_str(), budget.limit.to_string()),
        ("all-gpu", "5,000.50 USD".into())
    );
    assert_eq!(budget.scope, reaper_model::BudgetScope::default());
    assert_eq!(points(budget), [vec!["50", "80"], vec!["100"]]);
    assert_eq!(budget.recipients, Vec::<String>::new());
    assert_eq!(config.recipients_of(budget), ["gpu-team@example.org"]);
    assert_eq!(budget.on_limit, OnLimit::Report);
    assert_eq!(warned(&config), Vec::<String>::new());
    insta::assert_snapshot!(settings(&config), @r#"
    budget.all-gpu.thresholds = ["50%", "80%"] (default)
    budget.all-gpu.forecast = ["100%"] (default)
    budget.all-gpu.recipients = ["gpu-team@example.org"] (default)
    budget.all-gpu.on_limit = report (default)
    "#);
    assert!(read(ACCOUNT).expect("accepted").budgets.is_empty());
}

#[test]
fn everything_that_can_be_said_of_a_budget_is_heard() {
    let folder = tempfile::tempdir().expect("a folder");
    let people = "owner,email,team,status\nalice,alice@example.org,Vision,active\n";
    std::fs::write(folder.path().join("owners.csv"), people).expect("written");
    let text = format!(
        "[owners]\ndirectory = \"owners.csv\"\n\
         [[budget]]\nname = \"vision_2026.q4\"\nlimit = \"0.005 USD\"\n\
         thresholds = [\"80%\", \"49.99 %\", \"150%\"]\nforecast = []\n\
         recipients = [\"a@example.org\", \"b@elsewhere.example\", \"a@example.org\"]\n\
         on_limit = \"stop-orphans\"\n\
         [budget.scope]\nprovider = [\"aws\", \"aws\"]\naccount = \" research \"\n\
         owner = [\"Alice\"]\nteam = \"vision\"\ntag = {{ project = \"atlas\", Env = \"dev\" }}\n\
         {ACCOUNT}"
    );
    let config = read_in(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
    let budget = only(&config);
    assert_eq!(budget.limit.all_digits(), "0.005");
    assert_eq!(points(budget), [vec!["49.99", "80", "150"], vec![]]);
    assert_eq!(budget.recipients, ["a@example.org", "b@elsewhere.example"]);
    assert_eq!(config.recipients_of(budget), budget.recipients);
    assert_eq!(budget.on_limit, OnLimit::StopOrphans);
    assert!(budget.scope.asks_of_machines());
    assert_eq!(
        budget.scope.to_string(),
        "provider aws, and account research, and owner Alice, and team vision, and tag Env dev, \
         and tag project atlas"
    );
    assert_eq!(config.accounts_of(budget).count(), 1);
    assert_eq!(warned(&config), Vec::<String>::new());
    insta::assert_snapshot!(settings(&config), @r#"
    budget.vision_2026.q4.thresholds = ["49.99%", "80%", "150%"]
    budget.vision_2026.q4.forecast = []
    budget.vision_2026.q4.recipients = ["a@example.org", "b@elsewhere.example"]
    budget.vision_2026.q4.on_limit = stop-orphans
    "#);
}

#[test]
fn budgets_keep_their_order_and_may_overlap() {
    let one = |name: &str| budget("").replace("\"b\"", &format!("\"{name}\""));
    let config = accepted(&format!("{}{}{}", one("z"), one("a"), one("A")));
    let names: Vec<&str> = config.budgets.iter().map(|budget| budget.name.as_str()).collect();
    assert_eq!(names, ["z", "a", "A"]);
}

#[test]
fn fl_117_thresholds_are_percentages_exactly_as_written() {
    let of =
        |list: &str| points(only(&accepted(&budget(&format!("thresholds = {list}")))))[0].clone();
    assert_eq!(of("\"80%\""), ["80"]);
    assert_eq!(
        of("[\"100%\", \"79.995%\", \"50.0%\", \"49.99%\"]"),
        ["49.99", "50", "79.995", "100"]
    );
    assert_eq!(of("[\"1000%\", \"0.01%\"]"), ["0.01", "1000"]);
    for (list, words) in [
        ("[50]", "budget `b`: `thresholds` has no %"),
        ("0.8", "write \"80%\", or \"0.8%\" if so little is meant"),
        ("[\"50%\", \"80\"]", "`thresholds`: `80` has no %; write for example"),
        ("[\"0%\"]", "`0%` is not a threshold above 0% and up to 1000%"),
        ("[\"-5%\"]", "is not a threshold above 0%"),
        ("[\"1000.001%\"]", "is not a threshold above 0%"),
        ("[\"half%\"]", "is not a share"),
        ("[\"8e1%\"]", "is not a share"),
        ("[\"\"]", "`thresholds` is blank"),
        ("[[\"50%\"]]", "is one text, not a list"),
        ("[]", "budget `b`: `thresholds` is an empty list"),
        ("[\"50%\", \"80%\", \"50.00%\"]", "`thresholds`: `50%` is listed twice"),
    ] {
        let shown = refused(&budget(&format!("thresholds = {list}")));
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    }
    insta::assert_snapshot!(refused(&budget("forecast = [\"100%\", \"100.0%\"]")), @r#"
    error: budget `b`: `forecast`: `100%` is listed twice
     --> reaper.toml:5:21
      |
    5 | forecast = ["100%", "100.0%"]
      |                     ^^^^^^^^
      |
      = help: keep one of them
    "#);
    insta::assert_snapshot!(refused(&budget("thresholds = [\"50%\", 80]")), @r#"
    error: budget `b`: `thresholds` has no %
     --> reaper.toml:5:22
      |
    5 | thresholds = ["50%", 80]
      |                      ^^
      |
      = help: write "80%"
    "#);
}

#[test]
fn what_is_no_budget_is_refused() {
    insta::assert_snapshot!(refused("[[budget]]\n"), @r#"
    error: budget 1 needs `name`
     --> reaper.toml:1:1
      |
    1 | [[budget]]
      | ^^^^^^^^^^
      |
      = help: Unique name: letters, digits, `-`, `_` and `.`.

    error: budget 1 needs `limit`
     --> reaper.toml:1:1
      |
    1 | [[budget]]
      | ^^^^^^^^^^
      |
      = help: The limit per calendar month of `timezone`.

    error: budget 1 can alert nobody: there is neither `recipients` nor `owners.fallback`
     --> reaper.toml:1:1
      |
    1 | [[budget]]
      | ^^^^^^^^^^
      |
      = help: write for example recipients = ["finance@example.org"]
    "#);
    insta::assert_snapshot!(refused(&budget("limits = \"1 USD\"\non_limit = \"stop\"")), @r#"
    error: `limits` is not a key of [[budget]]
     --> reaper.toml:5:1
      |
    5 | limits = "1 USD"
      | ^^^^^^
      |
      = help: `limits` belongs into the top level

    error: `stop` is not a value of `on_limit`
     --> reaper.toml:6:12
      |
    6 | on_limit = "stop"
      |            ^^^^^^
      |
      = help: valid: report, stop-orphans
    "#);
    insta::assert_snapshot!(refused(&budget("").replace("\"b\"", "\"all gpu\"")), @r#"
    error: a budget cannot be called `all gpu`
     --> reaper.toml:2:8
      |
    2 | name = "all gpu"
      |        ^^^^^^^^^
      |
      = help: letters from a to z, digits, - _ and . are possible, at most 64 of them
    "#);
    insta::assert_snapshot!(refused(&budget("").replace("\"5000 USD\"", "5000")), @r#"
    error: budget `b`: `limit` has no currency
     --> reaper.toml:3:9
      |
    3 | limit = 5000
      |         ^^^^
      |
      = help: write for example "5000 EUR"
    "#);
    let long = "a".repeat(65);
    for (from, to, words) in [
        ("\"b\"", "\"\"", "`name` is blank"),
        ("\"b\"", "\"größe\"", "a budget cannot be called `größe`"),
        ("\"b\"", "\"a/b\"", "a budget cannot be called `a/b`"),
        ("\"b\"", long.as_str(), "cannot be called"),
        ("\"b\"", "1", "quote it"),
        ("\"5000 USD\"", "\"5000\"", "`5000` has no currency: write for example \"5000 EUR\""),
        ("\"5000 USD\"", "\"0 USD\"", "budget `b`: `limit` must be above zero"),
        ("\"5000 USD\"", "\"-1 USD\"", "`-1 USD` is negative"),
        ("\"5000 USD\"", "\"5,000 USD\"", "is not an amount"),
        ("\"5000 USD\"", "\"5000 DSU\"", "`DSU` is not a currency in use"),
        ("\"5000 USD\"", "\"1000000001 USD\"", "is more than anything costs"),
    ] {
        let to = if to == long { format!("\"{long}\"") } else { to.to_owned() };
        let shown = refused(&budget("").replace(from, &to));
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    }
    let twice = refused(&format!("{}{}", budget(""), budget("")));
    assert!(twice.contains("there are two budgets `b`"), "{twice}");
    assert!(refused("[budget]\nname = \"b\"").contains("write [[budget]] above each of them"));
}

#[test]
fn fl_150_a_scope_that_is_no_scope_is_refused() {
    for (scope, words) in [
        ("{ provider = \"azure\" }", "`azure` is not a value of `provider`"),
        ("{ provider = [\"lamda\"] }", "did you mean `lambda`?"),
        ("{ provider = [] }", "budget `b`: `provider` is an empty list"),
        ("{ account = [] }", "budget `b`: `account` is an empty list"),
        ("{ account = \"res*\" }", "no account is called `res*`"),
        ("{ owner = \"\" }", "budget `b`: `owner` is blank"),
        ("{ owner = [\"alice\", \" \"] }", "budget `b`: `owner` is blank"),
        ("{ owner = { env = \"NOT_SET\" } }", "`NOT_SET` is not set"),
        ("{ team = \"vision\" }", "budget `b`: `team` needs `owners.directory`"),
        ("{ tag = {} }", "budget `b`: `tag` names no tag"),
        ("{ tag = { project = \"\" } }", "budget `b`: `project` is blank"),
        ("{ tag = { project = [\"a\", \"b\"] } }", "is one text, not a list"),
        ("{ tag = { \" \" = \"a\" } }", "budget `b`: a tag key is blank"),
        ("{ tag = { project = \"a\", Project = \"b\" } }", "the tag `project` is named twice"),
        ("{ location = \"eu-west-1\" }", "`location` belongs into"),
        ("{ owners = \"alice\" }", "`owners` belongs into the top level"),
        ("[\"aws\"]", "`scope` is a table"),
    ] {
        let shown = refused(&budget(&format!("scope = {scope}")));
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    }
    insta::assert_snapshot!(refused(&budget("scope = { account = [\"research\", \"reserch\"] }")), @r#"
    error: budget `b`: no account is called `reserch`
     --> reaper.toml:5:34
      |
    5 | scope = { account = ["research", "reserch"] }
      |                                  ^^^^^^^^^
      |
      = help: did you mean `research`?
    "#);
}

#[test]
fn a_scope_that_nothing_fits_is_pointed_out() {
    let config = accepted(&budget("scope = { provider = \"lambda\" }"));
    assert_eq!(config.accounts_of(only(&config)).count(), 0);
    insta::assert_snapshot!(warned(&config).join("\n"), @"config-budget-counts-nothing: budget `b`: no configured account is in its `scope`, so nothing ever counts");
    let empty = |scope: &str| {
        let text = format!("\n{}", budget(&format!("scope = {scope}")));
        warned(&with_people(&text).expect("accepted")).join("\n")
    };
    assert_eq!(empty("{ owner = [\"ALICE\", \"bob@example.org\"], team = \"Speech\" }"), "");
    insta::assert_snapshot!(empty("{ owner = \"alcie\" }"), @"config-budget-owner-unknown: budget `b`: `owner`: the directory does not list `alcie`; did you mean `alice`?");
    insta::assert_snapshot!(empty("{ team = [\"vison\", \"robots\"] }"), @"
    config-budget-team-unknown: budget `b`: `team`: nobody in the directory is of `vison`; did you mean `vision`?
    config-budget-team-unknown: budget `b`: `team`: nobody in the directory is of `robots`
    ");
}

#[test]
fn stops_at_the_limit_are_forbidden_while_reporting() {
    let stops = budget("on_limit = \"stop-orphans\"");
    assert_eq!(warned(&accepted(&stops)), Vec::<String>::new());
    let config = accepted(&format!("mode = \"report\"\n{stops}"));
    assert_eq!(only(&config).on_limit, OnLimit::StopOrphans);
    insta::assert_snapshot!(warned(&config).join("\n"), @r#"config-budget-stops-nothing: budget `b`: `on_limit` is "stop-orphans", and mode = "report" forbids every stop"#);
}

#[test]
fn the_budget_of_the_readme_is_accepted_and_states_the_defaults() {
    let readme = include_str!("../../../../README.md");
    let (_, section) = readme.split_once("\n### Budgets\n").expect("a section");
    let (_, block) = section.split_once("```toml\n").expect("a block");
    let (block, _) = block.split_once("```").expect("its end");
    let usd = "[fx]\nUSD = { rate = \"0.92\", as_of = 2026-11-28 }\n";
    let shown = accepted(&format!("{usd}{block}"));
    let bare = "[[budget]]\nname = \"all-gpu\"\nlimit = \"5000 EUR\"\n\
                recipients = [\"finance@example.org\"]\n";
    assert_eq!(only(&shown), only(&accepted(&format!("{usd}{bare}"))));
}

#[test]
fn a_written_file_has_no_budget_but_shows_one() {
    let account = InitAccount {
        name: "research".to_owned(),
        provider: "aws".to_owned(),
        expect_account: None,
        options: Vec::new(),
        note: None,
    };
    let text = init_template(&[account]);
    assert!(text.contains("# [[budget]]\n"));
    assert!(read(&text).expect("accepted").budgets.is_empty());
}

/// A budget as it would be written by hand.
fn written(budget: &BudgetSpec) -> String {
    let list = |entries: Vec<String>| {
        let quoted: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
        format!("[{}]", quoted.join(", "))
    };
    let [thresholds, forecast] = points(budget)
        .map(|points| list(points.into_iter().map(|point| format!("{point}%")).collect()));
    let scope = &budget.scope;
    let mut keys: Vec<String> = [("owner", &scope.owners), ("team", &scope.teams)]
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(key, entries)| format!("{key} = {}", list(entries.clone())))
        .collect();
    let providers: Vec<String> = scope.providers.iter().map(ToString::to_string).collect();
    let accounts: Vec<String> = scope.accounts.iter().map(ToString::to_string).collect();
    for (key, entries) in [("provider", providers), ("account", accounts)] {
        if !entries.is_empty() {
            keys.push(format!("{key} = {}", list(entries)));
        }
    }
    if !scope.tags.is_empty() {
        let tags: Vec<String> =
            scope.tags.iter().map(|(key, value)| format!("{key:?} = {value:?}")).collect();
        keys.push(format!("tag = {{ {} }}", tags.join(", ")));
    }
    format!(
        "[[budget]]\nname = {:?}\nlimit = \"{} {}\"\nscope = {{ {} }}\nthresholds = {thresholds}\n\
         forecast = {forecast}\nrecipients = {}\non_limit = {:?}\n",
        budget.name,
        budget.limit.amount,
        budget.limit.currency,
        keys.join(", "),
        list(budget.recipients.clone()),
        budget.on_limit.name(),
    )
}

fn percents(least: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[0-9]{1,4}(\\.[0-9]{1,4})? ?%", least..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fl_117_whatever_is_accepted_survives(
        name in "[A-Za-z0-9._-]{1,64}",
        limit in "[0-9]{1,9}(\\.[0-9]{1,6})? USD",
        thresholds in percents(1),
        forecast in percents(0),
        provider in prop::option::of(prop::sample::select(vec!["aws", "lambda"])),
        account in any::<bool>(),
        owner in prop::collection::vec("[a-zA-Z@. ]{1,12}", 0..3),
        tag in prop::collection::btree_map("[a-zA-Z:_/]{1,8}", "[ -~&&[^\"\\\\]]{1,8}", 0..3),
        stops in any::<bool>(),
    ) {
        let mut keys = Vec::new();
        keys.extend(provider.map(|provider| format!("provider = {provider:?}")));
        keys.extend(account.then(|| "account = \"research\"".to_owned()));
        keys.extend((!owner.is_empty()).then(|| format!("owner = {owner:?}")));
        if !tag.is_empty() {
            let tags: Vec<String> = tag.iter().map(|(key, value)| format!("{key:?} = {value:?}")).collect();
            keys.push(format!("tag = {{ {} }}", tags.join(", ")));
        }
        let text = format!(
            "[[budget]]\nname = {name:?}\nlimit = {limit:?}\nthresholds = {thresholds:?}\n\
             forecast = {forecast:?}\nscope = {{ {} }}\nrecipients = [\"a@example.org\"]\n\
             on_limit = {:?}\n{ACCOUNT}",
            keys.join(", "),
            if stops { "stop-orphans" } else { "report" },
        );
        match read_in(Path::new("/nowhere"), &text) {
            Err(error) => {
                // Each problem names the budget or the very words that are wrong, and its place.
                for problem in error.problems {
                    prop_assert!(problem.position.is_some(), "{problem}");
                }
            }
            Ok(config) => {
                let budget = only(&config);
                prop_assert_eq!(&budget.name, &name);
                prop_assert_eq!(Ok(budget.limit), limit.parse());
                for (points, count) in [(&budget.thresholds, thresholds.len()), (&budget.forecast, forecast.len())] {
                    prop_assert_eq!(points.len(), count);
                    prop_assert!(points.is_sorted_by(|one, other| one < other), "{points:?}");
                    prop_assert!(points.iter().all(|point| *point > 0.into() && *point <= 1000.into()));
                }
                let again = read_in(Path::new("/nowhere"), &format!("{}{ACCOUNT}", written(budget)));
                let again = again.unwrap_or_else(|error| panic!("{error}"));
                prop_assert_eq!(only(&again), budget);
            }
        }
    }
}
