//! What is refused, and in which words.

use super::support::{read, refused};

fn rule(rest: &str) -> String {
    format!("[[rule]]\nname = \"r\"\n{rest}\n")
}

#[test]
fn fl_150_a_misspelt_table_and_a_key_at_the_wrong_level() {
    insta::assert_snapshot!(refused("notice = \"3d\"\n[protcet]\ntag = \"keep\"\n"), @r#"
    error: `notice` is not a key of the top level
     --> reaper.toml:1:1
      |
    1 | notice = "3d"
      | ^^^^^^
      |
      = help: `notice` belongs into [[rule]]

    error: `protcet` is not a key of the top level
     --> reaper.toml:2:2
      |
    2 | [protcet]
      |  ^^^^^^^
      |
      = help: did you mean `protect`?
    "#);
}

#[test]
fn fl_150_all_problems_are_found_at_once() {
    insta::assert_snapshot!(read(
        "currency = \"ERU\"\ntimezone = \"Europe/Amsterdm\"\nlaunch_grace = 15\n\
         [[account]]\nname = \"a\"\nprovider = \"aws\"\nzones = [\"x\"]\nproject_ids = []\n\
         [[account]]\nname = \"a\"\nprovider = \"scalewy\"\n\
         [[rule]]\nname = \"r\"\nwhen = { older_then = \"2h\", owner = [\"abesnt\"] }\n"
    ).expect_err("refused"), @r#"
    error: `ERU` is not a currency in use
     --> reaper.toml:1:12
      |
    1 | currency = "ERU"
      |            ^^^^^
      |
      = help: did you mean `EUR`?

    error: `Europe/Amsterdm` is no time zone
     --> reaper.toml:2:12
      |
    2 | timezone = "Europe/Amsterdm"
      |            ^^^^^^^^^^^^^^^^^
      |
      = help: did you mean "Europe/Amsterdam"?

    error: `launch_grace` has no unit
     --> reaper.toml:3:16
      |
    3 | launch_grace = 15
      |                ^^
      |
      = help: write a duration with its unit, such as "15h" or "3d"

    error: `zones` is no key of an account at aws
     --> reaper.toml:7:1
      |
    7 | zones = ["x"]
      | ^^^^^
      |
      = help: write `regions`

    error: `project_ids` is no key of an account at aws
     --> reaper.toml:8:1
      |
    8 | project_ids = []
      | ^^^^^^^^^^^
      |
      = help: it belongs to scaleway

    error: `scalewy` is not a value of `provider`
      --> reaper.toml:11:12
       |
    11 | provider = "scalewy"
       |            ^^^^^^^^^
       |
       = help: did you mean `scaleway`? Valid: aws, ovhcloud, scaleway, lambda

    error: `older_then` is not a key of `when` of a [[rule]]
      --> reaper.toml:14:10
       |
    14 | when = { older_then = "2h", owner = ["abesnt"] }
       |          ^^^^^^^^^^
       |
       = help: did you mean `older_than`?

    error: `abesnt` is not a value of `owner`
      --> reaper.toml:14:38
       |
    14 | when = { older_then = "2h", owner = ["abesnt"] }
       |                                      ^^^^^^^^
       |
       = help: did you mean `absent`? Valid: absent, empty, unknown, departed, conflicting, known
    "#);
}

#[test]
fn fl_150_a_duplicate_key_is_refused() {
    insta::assert_snapshot!(refused("[protect]\ntag = \"a\"\ntag = \"b\"\n"), @r#"
    error: duplicate key
     --> reaper.toml:3:1
      |
    3 | tag = "b"
      | ^^^
    "#);
}

#[test]
fn fl_153_ids_that_look_like_numbers_are_to_be_quoted() {
    let account = |id: &str| {
        let text =
            format!("[[account]]\nname = \"a\"\nprovider = \"aws\"\nexpect_account = {id}\n");
        read(&text).expect_err("refused").to_string()
    };
    insta::assert_snapshot!(account("020222070707"), @r#"
    error: unexpected leading zero, expected nothing
     --> reaper.toml:4:18
      |
    4 | expect_account = 020222070707
      |                  ^^^^^^^^^^^^
      |
      = help: quote it: "020222070707"; a number cannot begin with 0, and an id is text
    "#);
    insta::assert_snapshot!(account("111122223333"), @r#"
    error: account `a`: `expect_account` is text
     --> reaper.toml:4:18
      |
    4 | expect_account = 111122223333
      |                  ^^^^^^^^^^^^
      |
      = help: quote it: "111122223333"
    "#);
    for id in ["1e5", "no", "12:30", "2026-11-28", "true", "12:30:00"] {
        let shown = account(id);
        assert!(shown.contains("quote it") && shown.contains(&format!("\"{id}\"")), "{shown}");
    }
}

#[test]
fn fl_005_a_match_that_is_empty_or_becomes_empty_is_refused() {
    insta::assert_snapshot!(refused(&rule("when = { name = { env = \"NOT_SET\" } }")), @r#"
    error: rule `r`: `name`: the environment variable `NOT_SET` is not set
     --> reaper.toml:3:17
      |
    3 | when = { name = { env = "NOT_SET" } }
      |                 ^^^^^^^^^^^^^^^^^^^
    "#);
    for (when, words) in [
        ("{}", "no conditions"),
        ("{ name = \"\" }", "rule `r`: `name` is blank"),
        ("{ name = [] }", "`name` is an empty list"),
        ("{ name = [\"a\", \" \"] }", "`name` is blank"),
        ("{ name = { env = \"BLANK\" } }", "the environment variable `BLANK` is blank"),
        ("{ missing_tags = [] }", "`missing_tags` is an empty list"),
        ("{ tag = {} }", "names no tag"),
        ("{ tag = { project = \"\" } }", "`project` is blank"),
        ("{ owner = [] }", "`owner` is an empty list"),
    ] {
        let shown = refused(&rule(&format!("when = {when}")));
        assert!(shown.contains(words), "{shown}");
    }
    assert!(refused(&rule("when = { expired = true }\nexcept = {}")).contains("no conditions"));
    assert!(
        refused("[[exempt]]\nmatch = {}\nreason = \"x\"\nuntil = 2026-12-24\n")
            .contains("exemption 1: no conditions")
    );
}

#[test]
fn fl_005_a_pattern_for_everything_is_no_ground_to_stop() {
    insta::assert_snapshot!(
        refused(&rule("when = { name = \"*\", provider = [\"aws\", \"**\"] }\naction = \"stop\"")), @r#"
    error: rule `r`: `when` matches every machine, to stop
     --> reaper.toml:3:8
      |
    3 | when = { name = "*", provider = ["aws", "**"] }
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: name what shall be found; a pattern `*` alone is allowed for `report` only
    "#);
    let any_owner = "when = { owner = [\"absent\", \"unknown\", \"departed\", \"conflicting\", \
                     \"known\"], older_than = \"0s\" }\naction = \"stop\"";
    assert!(refused(&rule(any_owner)).contains("matches every machine"));
    assert!(
        refused(&rule("when = { name = \".*\" }\naction = \"stop\""))
            .contains("regular expression")
    );
    assert!(
        refused(&rule("when = { name = \"*\" }\naction = \"terminate\"")).contains("terminate")
    );
}

#[test]
fn missing_evidence_cannot_be_asked_for() {
    insta::assert_snapshot!(refused(&rule("when = { owner = [\"unreadable\"] }")), @r#"
    error: rule `r`: `unreadable` cannot be asked for
     --> reaper.toml:3:18
      |
    3 | when = { owner = ["unreadable"] }
      |                  ^^^^^^^^^^^^^^
      |
      = help: missing evidence is never a ground; such machines are listed as unjudged
    "#);
}

#[test]
fn fl_155_durations_nobody_could_mean() {
    for text in ["\"-90d\"", "\"90\"", "\"P90D\"", "\"time.Now()\"", "90", "1.5", "true", "\"\""] {
        let shown = refused(&rule(&format!("when = {{ older_than = {text} }}")));
        assert!(shown.contains("older_than"), "{shown}");
    }
    insta::assert_snapshot!(refused(&rule("when = { older_than = 90 }")), @r#"
    error: rule `r`: `older_than` has no unit
     --> reaper.toml:3:23
      |
    3 | when = { older_than = 90 }
      |                       ^^
      |
      = help: write a duration with its unit, such as "90h" or "3d"
    "#);
    assert!(refused("[timeouts]\ncall = \"0s\"").contains("must be longer"));
    assert!(refused("[timeouts]\ncall = \"10m\"").contains("out of order"));
}

#[test]
fn fl_109_a_price_has_a_unit_and_a_currency() {
    let price =
        |rest: &str| refused(&format!("[[price]]\nprovider = \"aws\"\ntype = \"t\"\n{rest}\n"));
    assert!(price("").contains("price 1 has no amount"));
    assert!(price("hourly = \"1 EUR\"\nmonthly = \"2 EUR\"").contains("both hourly and monthly"));
    assert!(price("hourly = \"0 EUR\"").contains("an unknown price is left out, never 0"));
    assert!(price("hourly = \"80\"").contains("has no currency"));
    assert!(price("hourly = \"80 ERU\"").contains("did you mean `EUR`?"));
    insta::assert_snapshot!(price("hourly = 80"), @r#"
    error: price 1: `hourly` has no currency
     --> reaper.toml:4:10
      |
    4 | hourly = 80
      |          ^^
      |
      = help: write for example "80 EUR"
    "#);
    let twice =
        "hourly = \"1 EUR\"\n[[price]]\nprovider = \"aws\"\ntype = \"t\"\nhourly = \"2 EUR\"";
    assert!(price(twice).contains("two prices for t at aws"));
}

#[test]
fn rates_are_dated_foreign_and_above_zero() {
    for (fx, words) in [
        ("USD = { rate = \"0.92\" }", "needs `as_of`"),
        ("USD = { rate = \"0\", as_of = 2026-11-28 }", "not a number above zero"),
        ("USD = { rate = \"0,92\", as_of = 2026-11-28 }", "not a number above zero"),
        ("USD = { rate = \"0.92\", as_of = 2026-11-28T10:00:00Z }", "is not a date"),
        ("EUR = { rate = \"1\", as_of = 2026-11-28 }", "the currency of the report itself"),
        ("usd = { rate = \"1\", as_of = 2026-11-28 }", "three capital letters"),
        ("USD = \"0.92\"", "`USD` is a table"),
    ] {
        let shown = refused(&format!("[fx]\n{fx}\n"));
        assert!(shown.contains(&words.replace("`USD`", "`fx.USD`")), "{shown}");
    }
}

#[test]
fn an_exemption_ends() {
    let shown = refused("[[exempt]]\nmatch = { name = \"a\" }\nreason = \"r\"\n");
    assert!(shown.contains("exemption 1 needs `until`"), "{shown}");
    let shown = refused("[[exempt]]\nmatch = { name = \"a\" }\nreason = \"r\"\nuntil = \"soon\"\n");
    assert!(shown.contains("neither a date nor a timestamp"), "{shown}");
}

#[test]
fn names_are_unique_and_known() {
    let two = format!("{}{}", rule("when = { expired = true }"), rule("when = { expired = true }"));
    assert!(refused(&two).contains("two rules `r`"));
    let reserved = rule("when = { expired = true }").replace("\"r\"", "\"appeared-after-stop\"");
    assert!(refused(&reserved).contains("cannot be called `appeared-after-stop`"));
    let shown = refused(&rule("when = { account = \"reserch\" }"));
    assert!(shown.contains("did you mean `research`?"), "{shown}");
    let shown = refused(&rule("when = { provider = \"azure\" }"));
    assert!(shown.contains("there are: aws, ovhcloud, scaleway, lambda"), "{shown}");
    let twin = "[[account]]\nname = \"twin\"\nprovider = \"aws\"\n";
    assert!(refused(twin).contains("accounts `twin` and `research` cover the same"));
    let region = "[[account]]\nname = \"b\"\nprovider = \"aws\"\nregions = [\"x\", \"x\"]\n";
    assert!(refused(region).contains("`x` is listed twice"));
}

#[test]
fn one_slip_is_one_problem() {
    let problems = |text: &str| read(text).expect_err("refused").problems.len();
    let account = "[[account]]\nname = \"a\"\nprovider = \"scalewy\"\nzones = [\"z\"]\nproject_ids = [\"p\"]\n";
    assert_eq!(problems(&format!("{account}{}", rule("when = { account = \"a\" }"))), 1);
}

#[test]
fn keys_of_another_provider_are_refused_also_among_credentials() {
    let text = "[[account]]\nname = \"b\"\nprovider = \"lambda\"\n\
                credentials = { secret_key = { env = \"SCW_SECRET_KEY\" } }\n";
    let shown = refused(text);
    assert!(shown.contains("`secret_key` is no key of an account at lambda"), "{shown}");
    assert!(shown.contains("it belongs to scaleway"), "{shown}");
}

#[test]
fn there_must_be_an_account() {
    insta::assert_snapshot!(read("").expect_err("refused"), @r#"
    error: there is no [[account]]
    --> reaper.toml
     = help: without one there is nothing to look at; `reaper init` writes a file
    "#);
    assert!(read("account = []").is_err());
    assert!(
        read("[account]\nname = \"a\"").expect_err("refused").to_string().contains("[[account]]")
    );
}

#[test]
fn the_rest_of_the_single_values() {
    for (text, words) in [
        ("version = 2", "`version` must be 1"),
        ("mode = \"enforced\"", "did you mean `enforce`?"),
        ("currency = \"eur\"", "three capital letters"),
        ("[retries]\nattempts = 0", "from 1 to 20"),
        ("[retries]\nattempts = \"4\"", "without quotes"),
        ("[pace]\nlamda = {}", "did you mean `lambda`?"),
        ("[owners]\nname_pattern = \"^[a-z]+--\"", "no group (?P<owner>"),
        ("[owners]\nname_pattern = \"(\"", "not a valid pattern"),
        ("[owners]\ndomain = \"@example.org\"", "is no domain"),
        ("[owners]\nfallback = \"nobody\"", "is no mail address"),
        ("[owners]\nmap = { \"aws/a/x\" = 1 }", "quote it"),
        ("[protect]\ntypes = [\"[p5\"]", "not a valid pattern"),
        ("placeholders = [\"\"]", "is blank"),
        (
            "[[account]]\nname = \"b\"\nprovider = \"aws\"\nendpoint_url = \"localhost:1\"",
            "neither http",
        ),
        ("[[account]]\nprovider = \"aws\"", "account 1 needs `name`"),
        (
            "[[account]]\nname = \"b\"\nprovider = \"aws\"\nallow_terminate = \"true\"",
            "neither true nor false",
        ),
    ] {
        let shown = refused(text);
        assert!(shown.contains(words), "{shown}");
    }
}
