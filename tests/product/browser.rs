//! The page of `--format html` in a browser: that it loads nothing, can be read by everybody on a
//! screen, a phone and paper, and that its tables sort and filter, with 5,000 machines as well.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Reaper, optional, variable};

/// What a browser sees of a page.
fn seen(page: &Path, options: &[&str]) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/browser/page.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(page)
        .args(options)
        .env("REAPER_TEST_NODE", variable("REAPER_TEST_NODE"))
        .output()
        .expect("node starts: tests/run says what to install");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{said}"))
}

/// What holds of every page however it is looked at.
fn is_sound(seen: &Value) {
    let views = seen["views"].as_array().expect("a list");
    assert_eq!(views.len(), 4);
    for view in views {
        assert_eq!(view["overflow"], 0, "the page itself never scrolls sideways: {view}");
        assert_eq!(view["faults"], serde_json::json!([]), "{view}");
        let dark = view["paper"] == "rgb(18, 23, 30)";
        assert_eq!(dark, view["scheme"] == "dark", "{view}");
    }
    let uses = [&seen["used"], &seen["unscripted"], &seen["printed"]];
    for look in views.iter().chain(uses) {
        assert_eq!(look["trouble"], serde_json::json!([]), "no complaint and no request: {look}");
    }
    assert_eq!(seen["printed"]["nav"], 0, "no menu on paper");
    assert!(seen["printed"]["bytes"].as_u64() > Some(1_000));
    let unscripted = &seen["unscripted"];
    assert_eq!(unscripted["rows"], seen["used"]["rows"], "without a script all rows are there");
    assert_eq!((&unscripted["filter"], &unscripted["buttons"]), (&0.into(), &0.into()));
}

/// Unit and value of each row; what is not known is `None`.
fn amounts(column: &Value) -> Vec<Option<(String, f64)>> {
    let list = |key: &str| column[key].as_array().expect("a list").clone();
    let amount = |(unit, value): (Value, Value)| {
        Some((unit.as_str()?.to_owned(), value.as_str()?.parse().expect("a number")))
    };
    list("units").into_iter().zip(list("values")).map(amount).collect()
}

/// Known before unknown, each currency for itself, and in it as `first` says.
fn is_sorted(column: &Value, first: fn(f64, f64) -> bool) {
    let amounts = amounts(column);
    for pair in amounts.windows(2) {
        match (&pair[0], &pair[1]) {
            (Some((left, a)), Some((right, b))) => {
                assert!(left < right || (left == right && !first(*b, *a)), "{pair:?}");
            }
            (None, Some(_)) => panic!("unknown before known: {pair:?}"),
            (_, None) => {}
        }
    }
    assert!(amounts.iter().flatten().count() > 1, "there is something to sort");
}

/// What holds of every table of machines when it is used.
fn is_useful(seen: &Value) {
    let used = &seen["used"];
    assert_eq!(used["dearest"]["order"], "descending");
    is_sorted(&used["dearest"], |a, b| a > b);
    assert_eq!(used["cheapest"]["order"], "ascending", "by keyboard");
    is_sorted(&used["cheapest"], |a, b| a < b);
    assert_eq!(used["named"]["order"], "ascending");
    assert_eq!(used["nothing"]["rows"], 0);
    assert_eq!(used["all"]["rows"], used["rows"]);
    let orphans = used["orphans"]["rows"].as_u64().expect("a number");
    assert!(orphans > 0 && orphans <= used["rows"].as_u64().expect("a number"));
    assert!(used["found"]["rows"].as_u64() > Some(0), "a name is found in capitals too: {used}");
}

#[test]
fn the_page_of_the_demo_is_sound_and_useful() {
    let reaper = Reaper::new();
    reaper.run(&["demo", "--format", "html", "--output", "page.html"]).exits(0);
    let page = reaper.path().join("page.html");
    // A switch for who wants to look at it.
    let folder = optional("REAPER_TEST_PICTURES");
    let pictures: Vec<&str> =
        folder.iter().flat_map(|folder| ["--pictures", folder.as_str()]).collect();
    let seen = seen(&page, &[&["--axe"], &pictures[..]].concat());
    is_sound(&seen);
    is_useful(&seen);
    let text = std::fs::read_to_string(page).expect("the page");
    assert!(text.contains("notebook-test") && text.contains("2,520.00 EUR"));
}

/// A name that would run as a script, end the table, or be a formula.
const HOSTILE: &str = "=</th></table><script>document.title=1</script><img src=x onerror=alert(1)>";

/// The document of the demo with 5,000 orphans in it, each with an id, a name and costs of its own.
fn fleet(reaper: &Reaper) -> Value {
    let mut document = reaper.run(&["demo", "--format", "json", "-q"]).exits(0).json();
    let machines = document["instances"].as_array_mut().expect("a list");
    let priced = |machine: &&Value| machine["verdict"] == "orphan" && !machine["cost"].is_null();
    let forgotten = machines.iter().find(priced).expect("an orphan").clone();
    let many = (0..5_000).map(|number| {
        let mut machine = forgotten.clone();
        let name = if number % 100 == 0 { HOSTILE } else { "notebook" };
        machine["name"] = format!("{name} {number}").into();
        machine["native_id"] = format!("i-{number:017x}").into();
        machine["id"] = format!("aws/111122223333/eu-west-1/i-{number:017x}").into();
        let month = format!("{}.00", 100 + number * 37 % 4_000);
        machine["cost"]["per_month_if_left"]["amount"] = month.into();
        machine
    });
    *machines = many.collect();
    document["totals"]["instances"] = 5_000.into();
    document["totals"]["orphans"] = 5_000.into();
    document
}

#[test]
fn fl_133_five_thousand_machines_stay_usable_whatever_they_are_called() {
    let reaper = Reaper::new();
    let fleet = fleet(&reaper).to_string();
    let reaper = reaper.file("fleet.json", &fleet);
    let show = |format: &str| {
        let arguments = ["report", "--from", "fleet.json", "--format", format];
        reaper.run(&arguments).exits(0).stdout
    };
    let page = show("html");
    assert!(page.len() < 6_000_000, "{}", page.len());
    let path = reaper.path().join("page.html");
    std::fs::write(&path, page).expect("a file");
    let seen = seen(&path, &[]);
    is_sound(&seen);
    is_useful(&seen);
    let used = &seen["used"];
    assert_eq!((&used["rows"], &used["shown"]), (&5_000.into(), &200.into()));
    assert_eq!(used["orphans"]["told"], "200 of 5,000 shown");
    assert!(used["sorted_ms"].as_u64() < Some(15_000), "{}", used["sorted_ms"]);

    let csv = show("csv");
    assert_eq!(csv.matches("\r\n").count(), 5_001);
    assert_eq!(csv.matches(",'=</th></table><script>").count(), 50, "no formula");
    assert_eq!(show("junit").matches("<failure ").count(), 5_000 + budgets(&fleet));
    let markdown = show("markdown");
    assert!(markdown.len() <= 900_000 && markdown.contains(" of 5,000 shown"));
    assert!(!markdown.contains("<script"));
}

/// How many budgets have reached a threshold.
fn budgets(document: &str) -> usize {
    let document: Value = serde_json::from_str(document).expect("a document");
    let budgets = document["budgets"].as_array().expect("a list");
    budgets.iter().filter(|budget| budget["reached"] != serde_json::json!([])).count()
}

#[test]
fn formats_of_a_run_are_refused_where_there_is_none_to_show() {
    for format in ["html", "csv", "junit"] {
        for command in [&["check", "--offline"][..], &["history"], &["explain", "x"], &["init"]] {
            let arguments = [command, &["--format", format]].concat();
            let ran = Reaper::new().run(&arguments).exits(2);
            let wanted = format!("--format {format} shows what a run has found");
            assert!(ran.stderr.contains(&wanted), "{}", ran.stderr);
            assert_eq!(ran.stdout, "");
        }
    }
}
