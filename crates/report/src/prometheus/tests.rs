//! The figures are read by the official Python client, and the alert rules name figures that exist.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::fixture;

fn run() -> RunFigures {
    RunFigures {
        finished_at: "2026-11-30T08:00:12Z".parse().expect("a time"),
        duration_ms: 12_345,
        last_success: Some("2026-11-29T08:00:00Z".parse().expect("a time")),
    }
}

fn written(doc: &AuditDocument) -> String {
    let mut out = Vec::new();
    prometheus(doc, &run(), &mut out).expect("written");
    String::from_utf8(out).expect("UTF-8")
}

/// Name, labels and value of every sample, as the official client reads them.
const READ: &str = r"
import json, sys
from prometheus_client.parser import text_string_to_metric_families as read
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps([[f.name, f.type, f.documentation, s.labels, s.value]
                  for f in read(text) for s in f.samples]))
";

#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn python() -> String {
    std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"))
}

fn piped(script: &str, text: &str) -> Value {
    let mut child = Command::new(python())
        .args(["-B", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn samples(text: &str) -> Vec<Value> {
    piped(READ, text).as_array().expect("a list").clone()
}

#[test]
fn the_official_client_reads_every_figure() {
    let mut doc = fixture::budgeted();
    doc.instances[0].action.result = Some(ActionResult::Confirmed);
    let text = written(&doc);
    let read = samples(&text);
    let lines = text.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(read.len(), lines);
    let names: BTreeSet<&str> = read.iter().filter_map(|sample| sample[0].as_str()).collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        [
            "reaper_budget_forecast",
            "reaper_budget_limit",
            "reaper_budget_spend",
            "reaper_budget_used_ratio",
            "reaper_build_info",
            "reaper_fleet_cost_per_hour",
            "reaper_instances",
            "reaper_leftovers",
            "reaper_leftovers_per_month",
            "reaper_machines_unmeasured",
            "reaper_orphan_cost_per_hour",
            "reaper_run_complete",
            "reaper_run_duration_seconds",
            "reaper_run_last_completion_timestamp_seconds",
            "reaper_run_last_success_timestamp_seconds",
            "reaper_scope_up",
            "reaper_stops",
        ]
    );
    assert!(read.iter().all(|sample| sample[1] == "gauge" && sample[2] != ""));
    insta::assert_snapshot!(text, @r#"
    # HELP reaper_run_last_success_timestamp_seconds When a run last did its work: exit code 0 or 10, or held by the brake.
    # TYPE reaper_run_last_success_timestamp_seconds gauge
    reaper_run_last_success_timestamp_seconds 1795939200
    # HELP reaper_run_last_completion_timestamp_seconds When the run ended that these figures are of, however it ended.
    # TYPE reaper_run_last_completion_timestamp_seconds gauge
    reaper_run_last_completion_timestamp_seconds 1796025612
    # HELP reaper_run_duration_seconds How long that run took.
    # TYPE reaper_run_duration_seconds gauge
    reaper_run_duration_seconds 12.345
    # HELP reaper_run_complete 1 if every place was read in full; else all sums are lower bounds.
    # TYPE reaper_run_complete gauge
    reaper_run_complete 0
    # HELP reaper_scope_up 1 if all places of the account that were asked for were read in full.
    # TYPE reaper_scope_up gauge
    reaper_scope_up{provider="aws",account="research"} 0
    reaper_scope_up{provider="lambda",account="burst"} 0
    reaper_scope_up{provider="ovhcloud",account="lab"} 1
    reaper_scope_up{provider="scaleway",account="poc"} 0
    # HELP reaper_instances Machines that were seen, by verdict.
    # TYPE reaper_instances gauge
    reaper_instances{provider="aws",verdict="ok"} 0
    reaper_instances{provider="aws",verdict="orphan"} 2
    reaper_instances{provider="aws",verdict="exempt"} 1
    reaper_instances{provider="aws",verdict="protected"} 1
    reaper_instances{provider="aws",verdict="managed"} 1
    reaper_instances{provider="aws",verdict="unjudged"} 1
    reaper_instances{provider="lambda",verdict="ok"} 0
    reaper_instances{provider="lambda",verdict="orphan"} 1
    reaper_instances{provider="lambda",verdict="exempt"} 0
    reaper_instances{provider="lambda",verdict="protected"} 0
    reaper_instances{provider="lambda",verdict="managed"} 0
    reaper_instances{provider="lambda",verdict="unjudged"} 0
    reaper_instances{provider="ovhcloud",verdict="ok"} 0
    reaper_instances{provider="ovhcloud",verdict="orphan"} 1
    reaper_instances{provider="ovhcloud",verdict="exempt"} 0
    reaper_instances{provider="ovhcloud",verdict="protected"} 0
    reaper_instances{provider="ovhcloud",verdict="managed"} 0
    reaper_instances{provider="ovhcloud",verdict="unjudged"} 0
    reaper_instances{provider="scaleway",verdict="ok"} 1
    reaper_instances{provider="scaleway",verdict="orphan"} 1
    reaper_instances{provider="scaleway",verdict="exempt"} 0
    reaper_instances{provider="scaleway",verdict="protected"} 0
    reaper_instances{provider="scaleway",verdict="managed"} 0
    reaper_instances{provider="scaleway",verdict="unjudged"} 0
    # HELP reaper_fleet_cost_per_hour List price of an hour of all billed machines with a known price.
    # TYPE reaper_fleet_cost_per_hour gauge
    reaper_fleet_cost_per_hour{provider="aws",currency="EUR"} 45.3
    reaper_fleet_cost_per_hour{provider="lambda",currency="USD"} 3.29
    reaper_fleet_cost_per_hour{provider="ovhcloud",currency="EUR"} 2
    reaper_fleet_cost_per_hour{provider="scaleway",currency="EUR"} 8
    # HELP reaper_orphan_cost_per_hour List price of an hour of the billed machines that look forgotten.
    # TYPE reaper_orphan_cost_per_hour gauge
    reaper_orphan_cost_per_hour{provider="aws",currency="EUR"} 3.5
    reaper_orphan_cost_per_hour{provider="lambda",currency="USD"} 3.29
    reaper_orphan_cost_per_hour{provider="ovhcloud",currency="EUR"} 2
    reaper_orphan_cost_per_hour{provider="scaleway",currency="EUR"} 2
    # HELP reaper_leftovers Volumes, addresses, snapshots, images and file systems that nobody uses.
    # TYPE reaper_leftovers gauge
    reaper_leftovers 5
    # HELP reaper_leftovers_per_month What a month of all leftovers with a known price costs.
    # TYPE reaper_leftovers_per_month gauge
    reaper_leftovers_per_month{currency="EUR"} 221.65
    reaper_leftovers_per_month{currency="USD"} 240
    # HELP reaper_machines_unmeasured Machines of which it was to be measured whether they idle, and is not known.
    # TYPE reaper_machines_unmeasured gauge
    reaper_machines_unmeasured 1
    # HELP reaper_budget_limit The limit of the calendar month.
    # TYPE reaper_budget_limit gauge
    reaper_budget_limit{budget="inference",currency="EUR"} 10000
    reaper_budget_limit{budget="all-gpu",currency="EUR"} 5000
    reaper_budget_limit{budget="team-atlas",currency="EUR"} 2000
    reaper_budget_limit{budget="burst",currency="USD"} 10000
    reaper_budget_limit{budget="lab",currency="EUR"} 1000
    reaper_budget_limit{budget="transatlantic",currency="EUR"} 1000
    # HELP reaper_budget_spend Spent since the start of the month, in the limit's currency.
    # TYPE reaper_budget_spend gauge
    reaper_budget_spend{budget="inference",basis="estimate"} 4200
    reaper_budget_spend{budget="all-gpu",basis="mixed"} 4212
    reaper_budget_spend{budget="team-atlas",basis="billed"} 2084.4
    reaper_budget_spend{budget="burst",basis="estimate"} 1240
    reaper_budget_spend{budget="lab",basis="estimate"} 420
    reaper_budget_spend{budget="transatlantic",basis="estimate"} 799.95
    # HELP reaper_budget_forecast What the month will have cost, in the limit's currency.
    # TYPE reaper_budget_forecast gauge
    reaper_budget_forecast{budget="inference",method="fleet"} 4380
    reaper_budget_forecast{budget="inference",method="run-rate"} 4337.93
    reaper_budget_forecast{budget="all-gpu",method="fleet"} 5890
    reaper_budget_forecast{budget="all-gpu",method="if-stopped"} 4905.5
    reaper_budget_forecast{budget="all-gpu",method="run-rate"} 4357.24
    reaper_budget_forecast{budget="team-atlas",method="fleet"} 2160.1
    reaper_budget_forecast{budget="team-atlas",method="if-stopped"} 2160.1
    reaper_budget_forecast{budget="burst",method="fleet"} 48040
    reaper_budget_forecast{budget="burst",method="if-stopped"} 4960
    reaper_budget_forecast{budget="transatlantic",method="fleet"} 820
    # HELP reaper_budget_used_ratio Spent, as a share of the limit.
    # TYPE reaper_budget_used_ratio gauge
    reaper_budget_used_ratio{budget="inference",basis="estimate"} 0.42
    reaper_budget_used_ratio{budget="all-gpu",basis="mixed"} 0.8424
    reaper_budget_used_ratio{budget="team-atlas",basis="billed"} 1.0422
    reaper_budget_used_ratio{budget="burst",basis="estimate"} 0.124
    reaper_budget_used_ratio{budget="lab",basis="estimate"} 0.42
    reaper_budget_used_ratio{budget="transatlantic",basis="estimate"} 0.79995
    # HELP reaper_stops Stops and terminations of that run, by how they ended.
    # TYPE reaper_stops gauge
    reaper_stops{result="confirmed"} 1
    reaper_stops{result="unconfirmed"} 0
    reaper_stops{result="refused"} 0
    reaper_stops{result="already-gone"} 0
    reaper_stops{result="skipped-changed"} 0
    # HELP reaper_build_info The version that ran; always 1.
    # TYPE reaper_build_info gauge
    reaper_build_info{version="0.1.0"} 1
    "#);
}

#[test]
fn no_label_holds_a_person_or_a_machine() {
    let doc = fixture::budgeted();
    let text = written(&doc);
    for machine in &doc.instances {
        assert!(!text.contains(&machine.native_id));
        let owner = machine.owner.id.iter().chain(&machine.owner.email);
        assert!(owner.into_iter().all(|owner| !text.contains(owner.as_str())));
    }
}

#[test]
fn partial_is_loud_in_the_figures() {
    let text = written(&fixture::mixed());
    assert!(text.contains("\nreaper_run_complete 0\n"), "{text}");
    assert!(text.contains("reaper_scope_up{provider=\"lambda\",account=\"burst\"} 0\n"), "{text}");
    let text = written(&fixture::nothing_found());
    assert!(text.contains("\nreaper_run_complete 1\n"), "{text}");
    let mut broken_off = fixture::nothing_found();
    broken_off.interrupted = true;
    assert!(written(&broken_off).contains("\nreaper_run_complete 0\n"));
}

#[test]
fn what_is_not_known_has_no_figure() {
    let mut out = Vec::new();
    let run = RunFigures { last_success: None, ..run() };
    prometheus(&fixture::nothing_found(), &run, &mut out).expect("written");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(!text.contains("last_success"), "{text}");
    assert!(!text.contains("reaper_budget"), "{text}");
}

#[test]
fn a_failed_run_keeps_the_time_of_the_last_success() {
    let earlier = written(&fixture::nothing_found());
    assert_eq!(last_success(&earlier), run().last_success);
    for text in
        ["", "reaper_run_last_success_timestamp_seconds", "nonsense", &format!("{LAST_SUCCESS} x")]
    {
        assert_eq!(last_success(text), None, "{text}");
    }
}

#[test]
fn fl_147_hostile_names_stay_in_their_label() {
    for doc in [
        fixture::budgeted_with_text("a\"} 1\nevil 2 \\ \u{1b}[31m"),
        fixture::nasty(),
        fixture::budgeted_with_text(&"\\\"".repeat(5_000)),
    ] {
        let text = written(&doc);
        let read = samples(&text);
        assert!(
            read.iter()
                .all(|sample| sample[0].as_str().is_some_and(|name| name.starts_with("reaper_")))
        );
        assert!(!text.contains('\u{1b}'));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_name_gives_lines_of_the_format(text in fixture::any_text()) {
        let written = written(&fixture::budgeted_with_text(&text));
        for line in written.lines() {
            prop_assert!(line.starts_with("# ") || line.starts_with("reaper_"), "{}", line);
        }
    }
}

/// Name, expression and the like of every rule.
const RULES: &str = r"
import json, sys, yaml
print(json.dumps([rule for group in yaml.safe_load(sys.stdin)['groups'] for rule in group['rules']]))
";

#[test]
fn fl_128_the_alert_rules_are_yaml_and_name_figures_that_exist() {
    let rules = piped(RULES, include_str!("../../../../config/ci/prometheus-rules.yml"));
    let rules = rules.as_array().expect("a list");
    let text = written(&fixture::budgeted());
    let alerts: Vec<&str> = rules.iter().filter_map(|rule| rule["alert"].as_str()).collect();
    assert_eq!(alerts, ["ReaperNoSuccess", "ReaperBudget"]);
    for rule in rules {
        let expr = rule["expr"].as_str().expect("an expression");
        let figures: Vec<&str> = expr
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|word| word.starts_with("reaper_"))
            .collect();
        assert!(!figures.is_empty(), "{expr}");
        for figure in figures {
            assert!(text.contains(&format!("# TYPE {figure} gauge")), "{figure}");
        }
        assert!(rule["annotations"]["summary"].is_string());
    }
    assert!(rules[0]["expr"].as_str().is_some_and(|expr| expr.contains("8 * 86400")));
    assert!(rules[1]["expr"].as_str().is_some_and(|expr| expr.ends_with("> 0.8")));
}
