//! Which alerts are due.

use reaper_budget::{Against, DueAlert, How, Past, Standing, ToldAlert, alert};
use reaper_model::{BudgetSpec, Money};
use rust_decimal::Decimal;

use crate::build::{Scene, budget, number, time};

const NOW: &str = "2026-11-12T08:00:00Z";

/// So much of 100 EUR is spent, and the month will come to `forecast`.
fn standing(spent: &str, forecast: Option<&str>, spec: &BudgetSpec) -> Standing {
    let money = |text: &str| Money { amount: number(text), currency: spec.limit.currency };
    let reached = |amount: &str, thresholds: &[Decimal]| {
        reaper_budget::percent::reached(number(amount), spec.limit.amount, thresholds)
    };
    Standing {
        spent: money(spent),
        reached: reached(spent, &spec.thresholds),
        forecast: forecast.map(money),
        forecast_reached: forecast
            .map_or_else(Vec::new, |forecast| reached(forecast, &spec.forecast)),
        ..Scene::new(Vec::new(), NOW).stand(spec)
    }
}

fn past(told: &[ToldAlert]) -> Past<'_> {
    Past {
        period: "2026-11",
        told,
        rearmed: &[],
        fallback: Some("gpu-team@example.org"),
        channels: &[],
        zone: chrono_tz::UTC,
        now: time(NOW),
    }
}

fn told(covers: &[&str], how: How) -> ToldAlert {
    ToldAlert {
        budget: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        against: "actual".to_owned(),
        limit: "100 EUR".to_owned(),
        to: "finance@example.org".to_owned(),
        covers: covers.iter().map(|text| (*text).to_owned()).collect(),
        how,
    }
}

fn forecast(covers: &[&str], how: How) -> ToldAlert {
    ToldAlert { against: "forecast".to_owned(), ..told(covers, how) }
}

fn keys(due: &[DueAlert]) -> Vec<String> {
    due.iter()
        .map(|due| {
            let against = due.against.name();
            format!("{against}/{} to {}: {}", due.threshold, due.to, due.covers.join(" "))
        })
        .collect()
}

fn due(spent: &str, past: &Past<'_>) -> Vec<String> {
    let spec = budget("100 EUR");
    keys(&alert::due(&spec, &standing(spent, None, &spec), past))
}

#[test]
fn two_thresholds_at_once_are_one_mail_that_names_both() {
    assert_eq!(due("49.99", &past(&[])), [""; 0]);
    assert_eq!(due("50", &past(&[])), ["actual/50% to finance@example.org: 50%"]);
    assert_eq!(due("85", &past(&[])), ["actual/80% to finance@example.org: 50% 80%"]);
}

#[test]
fn fl_114_what_was_accepted_is_never_told_again_in_its_period() {
    let accepted = [told(&["50%"], How::Accepted(time("2026-11-05T00:00:00Z")))];
    assert_eq!(due("79", &past(&accepted)), [""; 0]);
    assert_eq!(due("86", &past(&accepted)), ["actual/80% to finance@example.org: 80%"]);
    let both = [told(&["50%", "80%"], How::Accepted(time("2026-11-12T07:00:00Z")))];
    assert_eq!(due("99", &past(&both)), [""; 0]);
    let next = Past { period: "2026-12", ..past(&both) };
    assert_eq!(due("50", &next), ["actual/50% to finance@example.org: 50%"], "a new month");
}

#[test]
fn fl_119_what_was_not_taken_is_due_again_under_the_same_key() {
    let again = ["actual/80% to finance@example.org: 50% 80%"];
    for how in [How::Intended, How::Rejected { permanent: false }] {
        assert_eq!(due("85", &past(&[told(&["50%", "80%"], how)])), again, "{how:?}");
    }
    let lately = How::PossiblySent(time("2026-11-12T07:00:00Z"));
    assert_eq!(due("85", &past(&[told(&["50%", "80%"], lately)])), [""; 0]);
    let yesterday = How::PossiblySent(time("2026-11-11T07:00:00Z"));
    assert_eq!(due("85", &past(&[told(&["50%", "80%"], yesterday)])), again);
}

#[test]
fn a_limit_that_was_raised_or_lowered_is_another_alert() {
    let accepted = [told(&["50%", "80%"], How::Accepted(time("2026-11-05T00:00:00Z")))];
    let spec = budget("120 EUR");
    let alerts = alert::due(&spec, &standing("96", None, &spec), &past(&accepted));
    assert_eq!(keys(&alerts), ["actual/80% to finance@example.org: 50% 80%"]);
    assert_eq!(alerts[0].limit, "120 EUR");
    let same = budget("100.00 EUR");
    assert_eq!(keys(&alert::due(&same, &standing("96", None, &same), &past(&accepted))), [""; 0]);
}

#[test]
fn fl_121_whom_the_server_refuses_for_good_is_replaced_by_the_fallback() {
    let refused = [told(&["50%"], How::Rejected { permanent: true })];
    let spec = budget("100 EUR");
    let alerts = alert::due(&spec, &standing("60", None, &spec), &past(&refused));
    assert_eq!(keys(&alerts), ["actual/50% to gpu-team@example.org: 50%"]);
    assert_eq!(alerts[0].instead_of.as_deref(), Some("finance@example.org"));
    let mut nobody = budget("100 EUR");
    nobody.recipients.clear();
    let alerts = alert::due(&nobody, &standing("60", None, &nobody), &past(&[]));
    assert_eq!(keys(&alerts), ["actual/50% to gpu-team@example.org: 50%"]);
    assert_eq!(alerts[0].instead_of, None);
}

#[test]
fn a_budget_that_nobody_can_be_told_of_stays_due() {
    let finance = told(&["50%"], How::Rejected { permanent: true });
    let fallback = ToldAlert { to: "gpu-team@example.org".to_owned(), ..finance.clone() };
    let spec = budget("100 EUR");
    let refused = [finance, fallback];
    let alerts = alert::due(&spec, &standing("60", None, &spec), &past(&refused));
    assert_eq!(
        keys(&alerts),
        ["actual/50% to finance@example.org: 50%", "actual/50% to gpu-team@example.org: 50%"],
        "both are tried again"
    );
    let alone = Past { fallback: None, ..past(&refused[..1]) };
    assert_eq!(due("85", &alone), ["actual/80% to finance@example.org: 50% 80%"]);
}

#[test]
fn a_forecast_that_falls_because_a_place_was_not_read_has_not_fallen() {
    let spec = budget("100 EUR");
    let before = [forecast(&["100%"], How::Accepted(time("2026-11-10T00:00:00Z")))];
    let mut low = standing("20", Some("50"), &spec);
    assert_eq!(alert::fallen(&spec, &low, &past(&before)), ["100%"]);
    low.missing.push(reaper_budget::Missing::Unread("r-2 timed out".to_owned()));
    assert_eq!(alert::fallen(&spec, &low, &past(&before)), [""; 0]);
}

#[test]
fn each_recipient_is_told_once() {
    let mut spec = budget("100 EUR");
    spec.recipients.push("boss@example.org".to_owned());
    spec.recipients.push("Finance@example.org".to_owned());
    let accepted = [told(&["50%"], How::Accepted(time("2026-11-05T00:00:00Z")))];
    let alerts = alert::due(&spec, &standing("60", None, &spec), &past(&accepted));
    assert_eq!(keys(&alerts), ["actual/50% to boss@example.org: 50%"]);
}

#[test]
fn a_forecast_is_told_once_until_it_has_fallen_and_at_most_once_a_day() {
    let spec = budget("100 EUR");
    let over = standing("20", Some("130"), &spec);
    let alerts = |past: &Past<'_>| keys(&alert::due(&spec, &over, past));
    assert_eq!(alerts(&past(&[])), ["forecast/100% to finance@example.org: 100%"]);
    let before = [forecast(&["100%"], How::Accepted(time("2026-11-10T00:00:00Z")))];
    assert_eq!(alerts(&past(&before)), [""; 0]);
    let fell = [("all-gpu".to_owned(), "100%".to_owned(), time("2026-11-11T00:00:00Z"))];
    let rearmed = Past { rearmed: &fell, ..past(&before) };
    assert_eq!(alerts(&rearmed), ["forecast/100%@2026-11-12 to finance@example.org: 100%"]);
    let twice =
        [before[0].clone(), forecast(&["100%"], How::Accepted(time("2026-11-12T01:00:00Z")))];
    let fell = [("all-gpu".to_owned(), "100%".to_owned(), time("2026-11-12T02:00:00Z"))];
    assert_eq!(alerts(&Past { rearmed: &fell, ..past(&twice) }), [""; 0], "not twice a day");
}

#[test]
fn a_forecast_has_fallen_when_it_is_five_points_below() {
    let spec = budget("100 EUR");
    let before = [forecast(&["100%"], How::Accepted(time("2026-11-10T00:00:00Z")))];
    let fallen = |amount: &str, past: &Past<'_>| {
        alert::fallen(&spec, &standing("20", Some(amount), &spec), past)
    };
    assert_eq!(fallen("95", &past(&before)), [""; 0]);
    assert_eq!(fallen("94.99", &past(&before)), ["100%"]);
    assert_eq!(fallen("94.99", &past(&[])), [""; 0], "nobody was told");
    let fell = [("all-gpu".to_owned(), "100%".to_owned(), time("2026-11-11T00:00:00Z"))];
    assert_eq!(fallen("94", &Past { rearmed: &fell, ..past(&before) }), [""; 0], "known already");
    assert_eq!(alert::fallen(&spec, &standing("20", None, &spec), &past(&before)), [""; 0]);
}

#[test]
fn fl_122_a_forecast_never_fires_the_actual_thresholds() {
    let spec = budget("100 EUR");
    let alerts = alert::due(&spec, &standing("20", Some("500"), &spec), &past(&[]));
    assert!(alerts.iter().all(|due| due.against == Against::Forecast), "{alerts:?}");
}

#[test]
fn of_a_month_that_is_over_only_its_own_budgets_are_told_of() {
    let spec = budget("100 EUR");
    let late = |spec: &BudgetSpec, spent: &str, told: &[ToldAlert]| {
        keys(&alert::due_late(spec, &standing(spent, Some("500"), spec), &past(told)))
    };
    let at = time("2026-11-05T00:00:00Z");
    let accepted = [told(&["50%"], How::Accepted(at))];
    assert_eq!(late(&spec, "79", &accepted), [""; 0]);
    assert_eq!(late(&spec, "85", &accepted), ["actual/80% to finance@example.org: 80%"]);
    assert_eq!(late(&budget("90 EUR"), "85", &accepted), [""; 0], "another limit since");
    let mut more = budget("100 EUR");
    more.recipients.push("cto@example.org".to_owned());
    assert_eq!(late(&more, "79", &accepted), [""; 0], "somebody new since");
    let refused = [told(&["50%", "80%"], How::Rejected { permanent: false })];
    // The bill that made it so is not there any more.
    assert_eq!(late(&spec, "20", &refused), ["actual/80% to finance@example.org: 50% 80%"]);
}
