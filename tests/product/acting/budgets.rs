//! Budgets, seen from outside: the binary, simulated clouds and a real mail server over days.

use serde_json::Value;

use super::Stage;
use super::stage::Post;
use crate::schema::validates;
use crate::support::Mail;

const RUN: &str = "reaper run --format json";
const AUDIT: &str = "reaper audit --format json";

/// One machine at 3 EUR an hour, which is Alice's, and a budget of so much.
async fn stage(now: &str, launched: &str, budget: &str) -> Stage {
    let world = format!(
        "${{aws}}\n[[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\n\
         id = \"i-0a1\"\ntype = \"p3.2xlarge\"\nlaunched = \"{launched}\"\n\
         tags = {{ Name = \"one\", owner = \"alice\", project = \"atlas\" }}\n"
    );
    let config = format!(
        "currency = \"EUR\"\nfx = {{ USD = {{ rate = \"0.92\", as_of = 2026-11-28 }} }}\n\
         ${{aws}}\n${{mail}}\n\
         [owners]\ndomain = \"example.org\"\nfallback = \"gpu-team@example.org\"\n\
         [limits]\nmax_share = \"100%\"\n\
         [[rule]]\nname = \"no-project\"\nwhen = {{ missing_tags = [\"project\"] }}\n\
         action = \"stop\"\nnotice = \"30d\"\n\
         [[budget]]\nname = \"all-gpu\"\nrecipients = [\"finance@example.org\"]\n{budget}\n"
    );
    Stage::new(now, &world, &config).await
}

fn budget(document: &Value) -> &Value {
    &document["budgets"][0]
}

fn alerts(stage: &mut Stage) -> Vec<Mail> {
    let alert = |mail: &Mail| mail.subject.starts_with("Budget");
    stage.mails().into_iter().filter(alert).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn threshold_once_from_79_to_86_percent_in_hourly_runs() {
    let limit = "limit = \"408 EUR\"\nforecast = []";
    let mut stage = stage("2026-12-05T12:00:00Z", "108h", limit).await;
    let mut mails = Vec::new();
    for hour in 12..24 {
        stage.at(&format!("2026-12-05T{hour}:00:00Z"));
        let ran = stage.run(RUN).exits(0);
        validates("audit", &ran.json());
        mails.extend(alerts(&mut stage));
    }
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects.len(), 2, "{subjects:#?}");
    assert!(subjects[0].contains("50 %") && subjects[1].contains("80 %"), "{subjects:#?}");
    assert_ne!(mails[0].id, mails[1].id);
    let document = stage.run(AUDIT).exits(0).json();
    assert_eq!(budget(&document)["percent"], "87.5");
    assert_eq!(budget(&document)["alert"], "none");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_json_is_as_the_contract_says() {
    let stage = stage("2026-12-05T12:00:00Z", "108h", "limit = \"600 EUR\"").await;
    let document = stage.run(RUN).exits(0).json();
    let budget = budget(&document);
    let money = |amount: &str| serde_json::json!({ "amount": amount, "currency": "EUR" });
    assert_eq!(budget["name"], "all-gpu");
    assert_eq!(budget["limit"], money("600.00"));
    // Launched 108 h before noon on the 5th, all of it in December.
    assert_eq!(budget["spent"], money("324.00"));
    assert_eq!(budget["basis"], "estimate");
    assert_eq!(budget["percent"], "54.0");
    // 636 h of December are left.
    assert_eq!(budget["forecast"], money("2232.00"));
    assert_eq!(budget["reached"], serde_json::json!(["50%"]));
    assert_eq!(budget["new"], serde_json::json!(["50%", "forecast 100%"]));
    assert_eq!(budget["alert"], "sent");
    assert_eq!(budget["at_least"], true, "the first run has no history");
    let kinds: Vec<&Value> =
        document["mails"].as_array().expect("a list").iter().map(|mail| &mail["kind"]).collect();
    assert_eq!(kinds, ["alert", "alert"]);
    let history = stage.run("reaper history").exits(0).stdout;
    for words in ["50%", "finance@example.org", "i-0a1"] {
        assert!(history.contains(words), "{words}: {history}");
    }
    assert_eq!(document["spend"][0]["owner"], "alice");
    assert_eq!(document["spend"][0]["spent"][0], money("324.00"));
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_118_the_month_turns_in_the_budgets_zone() {
    let zone = "limit = \"20 EUR\"\nthresholds = [\"50%\"]\nforecast = []";
    let mut stage = stage("2026-01-31T14:59:00Z", "179m", zone).await;
    let path = stage.reaper.path().join("reaper.toml");
    let text = std::fs::read_to_string(&path).expect("a configuration");
    let text = text.replace("currency = \"EUR\"", "currency = \"EUR\"\ntimezone = \"Asia/Tokyo\"");
    std::fs::write(&path, text).expect("a configuration");
    let of = |document: &Value| {
        let budget = budget(document);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&budget["period"]), text(&budget["spent"]["amount"]))
    };
    // Since 12:00Z: 179 minutes.
    assert_eq!(of(&stage.run(RUN).exits(0).json()), ("2026-01".into(), "8.95".into()));
    stage.at("2026-01-31T15:01:00Z");
    assert_eq!(of(&stage.run(RUN).exits(0).json()), ("2026-02".into(), "0.05".into()));
    stage.at("2026-01-31T18:20:00Z");
    assert_eq!(of(&stage.run(RUN).exits(0).json()), ("2026-02".into(), "10.00".into()));
    let mails = alerts(&mut stage);
    assert_eq!(mails.len(), 1, "{mails:#?}");
    assert!(mails[0].subject.contains("February 2026"), "{}", mails[0].subject);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_119_a_mail_server_that_is_down_loses_no_alert() {
    let limit = "limit = \"380 EUR\"\nforecast = []";
    let mut stage = stage("2026-12-05T12:00:00Z", "108h", limit).await;
    stage.serve_mail(Post::Down);
    let ran = stage.run(RUN).exits(6);
    assert!(ran.stderr.contains("finance@example.org"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Budget all-gpu"), "{}", ran.stderr);
    assert_eq!(budget(&ran.json())["alert"], "due");
    stage.at("2026-12-05T13:00:00Z");
    stage.serve_mail(Post::Up);
    assert_eq!(budget(&stage.run(RUN).exits(0).json())["alert"], "sent");
    stage.at("2026-12-05T14:00:00Z");
    stage.run(RUN).exits(0);
    assert_eq!(alerts(&mut stage).len(), 1);
    stage.at("2026-12-31T14:00:00Z");
    stage.serve_mail(Post::Cut);
    let path = stage.reaper.path().join("reaper.toml");
    let text = std::fs::read_to_string(&path).expect("a configuration");
    std::fs::write(&path, text.replace("380 EUR", "390 EUR")).expect("a configuration");
    let ran = stage.run(RUN).exits(6);
    assert_eq!(budget(&ran.json())["alert"], "possibly-sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_decides_the_exit_code_where_that_is_asked() {
    let stage = stage("2026-12-05T12:00:00Z", "108h", "limit = \"600 EUR\"").await;
    stage.run("reaper audit --fail-on budget:all-gpu").exits(10);
    let ran = stage.run("reaper audit --fail-on budget:all-gpus").exits(2);
    assert!(ran.stderr.contains("all-gpu"), "{}", ran.stderr);
    assert!(stage.cloud.requests().changing().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_month_has_cost_is_exported_day_by_day() {
    let stage = stage("2026-12-05T12:00:00Z", "108h", "limit = \"600 EUR\"").await;
    let ran = stage.run("reaper audit --format focus-csv").exits(0);
    let mut lines = ran.stdout.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let place = names.iter().position(|name| *name == "BilledCost").expect("a column");
    let costs: Vec<&str> = lines.map(|line| line.split(',').nth(place).expect("a cell")).collect();
    assert_eq!(costs, ["72", "72", "72", "72", "36"]);
    let ran = stage.run("reaper check --offline --format focus-csv").exits(2);
    assert!(ran.stderr.contains("focus-csv"), "{}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_budget_stops_what_was_told_that_it_can() {
    let limit = "limit = \"300 EUR\"\non_limit = \"stop-orphans\"\nforecast = []";
    let mut stage = stage("2026-11-30T22:00:00Z", "1h", limit).await;
    stage.cloud.edit(|world| {
        let instance = world.aws.instance_mut("111122223333", "eu-west-1", "i-0a1");
        instance.expect("is there").tags.remove("project");
    });
    stage.run("reaper run --enforce --format json").exits(0);
    let notice = stage.mails().into_iter().find(|mail| mail.to == "alice@example.org");
    let notice = notice.expect("a notice").text;
    assert!(notice.contains("all-gpu"), "{notice}");
    // Of a notice of 30 days four have passed. 99 h of December are 297 EUR.
    for (now, calls) in [("2026-12-05T03:00:00Z", 0), ("2026-12-05T04:00:00Z", 1)] {
        stage.at(now);
        stage.run("reaper run --enforce --format json").exits(0);
        assert_eq!(stage.calls().len(), calls, "{now}");
    }
}
