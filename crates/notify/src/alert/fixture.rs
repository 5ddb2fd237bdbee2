//! An alert for the tests: two thresholds at once, a machine of nobody, one without a price, one that
//! is gone.

use chrono_tz::Europe::Amsterdam;
use reaper_model::document::{
    AlertStatus, Basis, BillStatus, BillView, BudgetStatus, BudgetView, Verdict,
};
use reaper_model::{InstanceId, Money, OnLimit, Verb};

use super::view::{Against, Alert, Row, Stop, Why};

fn money(text: &str) -> Money {
    text.parse().expect("an amount")
}

fn id(text: &str) -> InstanceId {
    text.parse().expect("an id")
}

pub(super) fn budget() -> BudgetView {
    let time = |text: &str| text.parse().expect("a time");
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    BudgetView {
        name: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        from: time("2026-11-01T00:00:00+01:00"),
        until: time("2026-12-01T00:00:00+01:00"),
        limit: money("5000 EUR"),
        spent: money("4212 EUR"),
        basis: Basis::Estimate,
        at_least: false,
        why: Vec::new(),
        percent: "84.2".to_owned(),
        status: BudgetStatus::Warn,
        forecast: Some(money("5890 EUR")),
        forecast_if_stopped: Some(money("4905.50 EUR")),
        run_rate: Some(money("4357.24 EUR")),
        forecast_why: None,
        thresholds: texts(&["50%", "80%"]),
        reached: texts(&["50%", "80%"]),
        forecast_reached: texts(&["100%"]),
        new: texts(&["50%", "80%"]),
        alert: AlertStatus::Due,
        at_todays_rates: None,
        on_limit: OnLimit::Report,
    }
}

pub(super) fn machines() -> Vec<Row> {
    let notebook = Row {
        id: id("aws/111122223333/eu-west-1/i-0abcdef1234567890"),
        account: "research".into(),
        name: Some("notebook-test".to_owned()),
        machine_type: "p4d.24xlarge".into(),
        owner: None,
        month_to_date: Some(money("2436 EUR")),
        hourly: Some(money("3.50 EUR")),
        verdict: Some(Verdict::Orphan),
    };
    let gone = Row {
        id: id("lambda/ssh-key:ops-2026/us-west-1/0920582c7ff041399e34823a0be62549"),
        account: "burst".into(),
        name: Some("sweep-07".to_owned()),
        machine_type: "gpu_1x_h100_sxm5".into(),
        owner: Some("alice".to_owned()),
        month_to_date: Some(money("1776 EUR")),
        hourly: None,
        verdict: None,
    };
    let unpriced = Row {
        id: id("scaleway/org/fr-par-2/f47ac10b-58cc-4372-a567-0e02b2c3d479"),
        account: "poc".into(),
        name: None,
        machine_type: "L40S-9-48G".into(),
        owner: Some("chen@example.org".to_owned()),
        month_to_date: None,
        hourly: None,
        verdict: Some(Verdict::Ok),
    };
    vec![notebook, gone, unpriced]
}

pub(super) fn stops() -> Vec<Stop> {
    vec![Stop {
        id: id("aws/111122223333/eu-west-1/i-0abcdef1234567890"),
        name: Some("notebook-test".to_owned()),
        verb: Verb::Stop,
        due: Some("2026-11-30T12:00:00Z".parse().expect("a time")),
        saves: Some(money("38.50 EUR")),
    }]
}

pub(super) fn bills() -> Vec<BillView> {
    let read = BillView {
        account: "research".into(),
        provider: "aws".into(),
        status: BillStatus::Read,
        why: None,
        from: Some("2026-11-01T00:00:00+00:00".parse().expect("a time")),
        until: Some("2026-11-29T00:00:00+00:00".parse().expect("a time")),
        age_hours: Some("32.0".to_owned()),
        billed: vec![money("500 USD")],
        other: Vec::new(),
        estimated: vec![money("500 USD")],
        difference: vec![money("0 USD")],
        difference_percent: Some("0.0".to_owned()),
    };
    let failed = BillView {
        account: "poc".into(),
        provider: "scaleway".into(),
        status: BillStatus::Failed,
        why: Some("HTTP 403".to_owned()),
        from: None,
        until: None,
        age_hours: None,
        ..read.clone()
    };
    vec![read, failed]
}

/// Hands out the alert, which borrows what it shows.
pub(super) fn with(test: impl FnOnce(&mut Alert<'_>)) {
    let (budget, machines, stops, bills) = (budget(), machines(), stops(), bills());
    let covers = budget.new.clone();
    test(&mut Alert {
        key: "alert-1.finance".parse().expect("a key"),
        thread: "budget-all-gpu.2026-11".parse().expect("a key"),
        id: "all-gpu/2026-11/actual/80%/5000 EUR",
        to: "finance@example.org".parse().expect("an address"),
        at: "2026-11-30T08:00:00Z".parse().expect("a time"),
        zone: Amsterdam,
        contact: Some("gpu-team@example.org"),
        budget: &budget,
        scope: None,
        covers: &covers,
        against: Against::Actual,
        why: Why::Recipient,
        repeat: None,
        machines: &machines,
        stops: &stops,
        bills: &bills,
    });
}
