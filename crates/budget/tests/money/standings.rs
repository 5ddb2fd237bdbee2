//! How budgets stand.

use reaper_budget::{Exchange, Missing, Standing, Unread, by_owner, percent};
use reaper_model::document::{Basis, BudgetStatus};
use reaper_model::{BudgetScope, BudgetSpec, Currency, Reading, Totals};
use rust_decimal::Decimal;

use crate::build::{Machine, Scene, all_pieces, billed, budget, id, number, rates, time};

const FIRST: &str = "2026-11-01T00:00:00Z";

/// One machine since the first of the month.
fn one(hourly: Option<&str>, now: &str) -> Scene {
    let reading = billed(Some(FIRST), hourly);
    let machine = Machine::seen("aws", &[(FIRST, reading.clone()), (now, reading)]);
    Scene::new(vec![machine], now)
}

fn shown(standing: &Standing, spec: &BudgetSpec) -> String {
    percent::shown(standing.spent.amount, spec.limit.amount)
}

#[test]
fn fl_117_reached_at_the_threshold_and_exceeded_only_above_the_limit() {
    for (limit, reached, status, print) in [
        ("100.01 EUR", 1, BudgetStatus::Warn, "79.9"),
        ("100 EUR", 2, BudgetStatus::Warn, "80.0"),
        ("160 EUR", 1, BudgetStatus::Warn, "50.0"),
        ("160.01 EUR", 0, BudgetStatus::Ok, "49.9"),
        ("80 EUR", 2, BudgetStatus::Warn, "100.0"),
        ("79.99 EUR", 2, BudgetStatus::Over, "100.0"),
    ] {
        let mut spec = budget(limit);
        spec.forecast = Vec::new();
        let standing = one(Some("1 EUR"), "2026-11-04T08:00:00Z").stand(&spec);
        assert_eq!(standing.spent.to_string(), "80.00 EUR");
        assert_eq!(standing.reached.len(), reached, "{limit}");
        assert_eq!(standing.status(spec.limit), status, "{limit}");
        assert_eq!(shown(&standing, &spec), print, "{limit}");
    }
}

#[test]
fn a_machine_that_was_just_started_is_in_the_forecast_at_once() {
    let mut scene = one(None, "2026-11-11T00:00:00Z");
    let slow = billed(Some(FIRST), Some("4.1666666666666666666666666667 EUR"));
    let dear = billed(Some("2026-11-11T00:00:00Z"), Some("98 EUR"));
    scene.machines = vec![
        Machine::at("aws", "slow", [(time(FIRST), slow.clone()), (scene.now, slow)]),
        Machine::at("aws", "dear", [(scene.now, dear)]),
    ];
    let standing = scene.stand(&budget("100000 EUR"));
    assert_eq!(standing.spent.to_string(), "1,000.00 EUR");
    // 20 days are left: what is spent, 480 h of the dear one and 480 h of the slow one.
    assert_eq!(standing.forecast.expect("late enough").to_string(), "50,040.00 EUR");
    assert_eq!(standing.run_rate.expect("late enough").to_string(), "3,000.00 EUR");
    scene.stops.insert(id("aws", "dear"), time("2026-11-12T00:00:00Z"));
    let standing = scene.stand(&budget("100000 EUR"));
    assert_eq!(standing.forecast_if_stopped.expect("so").to_string(), "5,352.00 EUR");
    assert_eq!(standing.forecast.expect("so").to_string(), "50,040.00 EUR");
}

#[test]
fn fl_122_no_forecast_in_the_first_hours_and_none_of_it_among_the_actual() {
    let standing = one(Some("1000 EUR"), "2026-11-01T00:00:30Z").stand(&budget("100 EUR"));
    assert_eq!((standing.forecast, standing.run_rate), (None, None));
    assert!(standing.forecast_reached.is_empty() && standing.reached.is_empty());
    let standing = one(Some("1 EUR"), "2026-11-01T06:00:00Z").stand(&budget("100 EUR"));
    assert_eq!(standing.forecast.expect("six hours have passed").to_string(), "720.00 EUR");
    assert_eq!(standing.run_rate, None, "three days have not");
    assert_eq!(standing.forecast_reached, [Decimal::ONE_HUNDRED]);
    assert!(standing.reached.is_empty(), "a forecast reaches no threshold of the spending");
    assert_eq!(standing.status(budget("100 EUR").limit), BudgetStatus::ForecastOver);
}

#[test]
fn fl_103_a_type_without_a_price_makes_it_at_least_and_never_ok() {
    let mut scene = one(Some("1 EUR"), "2026-11-02T00:00:00Z");
    let unpriced = billed(Some(FIRST), None);
    for native in ["x", "y"] {
        let looks = [(time(FIRST), unpriced.clone()), (scene.now, unpriced.clone())];
        scene.machines.push(Machine::at("aws", native, looks));
    }
    let standing = scene.stand(&budget("10000 EUR"));
    assert_eq!(standing.spent.to_string(), "24.00 EUR");
    assert_eq!(standing.missing, [Missing::Unpriced("p4d.24xlarge".into(), 2)]);
    assert_eq!(standing.status(budget("10000 EUR").limit), BudgetStatus::Incomplete);
}

#[test]
fn fl_123_a_place_that_was_not_read_makes_it_at_least_and_thresholds_still_count() {
    let mut scene = one(Some("1 EUR"), "2026-11-03T00:00:00Z");
    let unread = |account: &str| Unread {
        provider: "scaleway".into(),
        account: account.into(),
        what: format!("{account} fr-par-2: timed out"),
    };
    scene.unread = vec![unread("poc")];
    let standing = scene.stand(&budget("96 EUR"));
    assert!(standing.at_least());
    assert_eq!(standing.reached, [number("50")]);
    assert_eq!(standing.status(budget("96 EUR").limit), BudgetStatus::Warn);
    assert_eq!(standing.missing, [Missing::Unread("poc fr-par-2: timed out".into())]);
    let mut elsewhere = budget("1000000 EUR");
    elsewhere.scope.accounts = vec!["research".into()];
    assert_eq!(scene.stand(&elsewhere).status(elsewhere.limit), BudgetStatus::Ok);
}

#[test]
fn what_ended_before_the_first_run_is_not_known() {
    let mut scene = one(Some("1 EUR"), "2026-11-10T00:00:00Z");
    scene.history = time("2026-11-05T00:00:00Z");
    let standing = scene.stand(&budget("100000 EUR"));
    assert_eq!(standing.missing, [Missing::NoHistory(scene.history)]);
    scene.history = time("2026-10-05T00:00:00Z");
    assert!(scene.stand(&budget("100000 EUR")).missing.is_empty());
}

#[test]
fn money_is_honest_fl_107_no_currency_is_taken_for_another() {
    let mut scene = one(Some("1 USD"), "2026-11-02T00:00:00Z");
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "0.00 EUR");
    assert_eq!(standing.missing, [Missing::Unconverted(Currency::USD)]);
    assert_eq!(standing.status(budget("1000 EUR").limit), BudgetStatus::Incomplete);
    (scene.exchange, scene.today) = (rates("0.90"), rates("0.90"));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "21.60 EUR");
    assert!(standing.missing.is_empty());
    assert_eq!(scene.stand(&budget("1000 USD")).spent.to_string(), "24.00 USD");
}

#[test]
fn fl_108_a_rate_that_moved_crosses_nothing_and_is_told_apart() {
    let mut scene = one(Some("1 USD"), "2026-11-03T00:00:00Z");
    (scene.exchange, scene.today) = (rates("1.00"), rates("1.15"));
    let standing = scene.stand(&budget("100 EUR"));
    assert_eq!(standing.spent.to_string(), "48.00 EUR");
    assert!(standing.reached.is_empty(), "50 % would be crossed by the rate alone");
    assert_eq!(standing.at_todays_rates.expect("they differ").to_string(), "55.20 EUR");
    scene.today = rates("1.00");
    assert_eq!(scene.stand(&budget("100 EUR")).at_todays_rates, None);
}

#[test]
fn a_scope_counts_what_fits_all_its_conditions() {
    let mut scene = one(None, "2026-11-02T00:00:00Z");
    let mut machine =
        |provider: &str, native: &str, hourly: &str, change: &dyn Fn(&mut Reading)| {
            let mut reading = billed(Some(FIRST), Some(hourly));
            change(&mut reading);
            let looks = [(time(FIRST), reading.clone()), (time("2026-11-02T00:00:00Z"), reading)];
            scene.machines.push(Machine::at(provider, native, looks));
        };
    machine("aws", "a", "1 EUR", &|_| {});
    machine("lambda", "b", "2 EUR", &|reading| reading.account = "burst".into());
    machine("aws", "c", "4 EUR", &|reading| reading.owners = Vec::new());
    machine("aws", "d", "8 EUR", &|reading| {
        reading.tags = [("Project".to_owned(), "atlas".to_owned())].into();
        reading.team = Some("Vision".to_owned());
    });
    scene.machines.remove(0);
    let spent = |scope: BudgetScope| {
        let spec = BudgetSpec { scope, ..budget("100000 EUR") };
        scene.stand(&spec).spent.amount / number("24")
    };
    let all = BudgetScope::default;
    assert_eq!(spent(all()), number("15"));
    assert_eq!(spent(BudgetScope { providers: vec!["lambda".into()], ..all() }), number("2"));
    assert_eq!(spent(BudgetScope { accounts: vec!["burst".into()], ..all() }), number("2"));
    assert_eq!(spent(BudgetScope { owners: vec!["ALICE".to_owned()], ..all() }), number("11"));
    assert_eq!(spent(BudgetScope { teams: vec!["vision".to_owned()], ..all() }), number("8"));
    let tags = [("project".to_owned(), "atlas".to_owned())].into();
    assert_eq!(spent(BudgetScope { tags, ..all() }), number("8"));
    let both =
        BudgetScope { providers: vec!["lambda".into()], teams: vec!["vision".to_owned()], ..all() };
    assert_eq!(spent(both), Decimal::ZERO);
}

#[test]
fn what_nobody_answers_for_is_a_row_of_its_own() {
    let now = time("2026-11-02T00:00:00Z");
    let machine = |native: &str, owners: &[&str], hourly: Option<&str>| {
        let owners = owners.iter().map(|owner| (*owner).to_owned()).collect();
        let reading = Reading { owners, ..billed(Some(FIRST), hourly) };
        Machine::at("aws", native, [(time(FIRST), reading.clone()), (now, reading)])
    };
    let machines = [
        machine("a", &["alice"], Some("1 EUR")),
        machine("b", &[], Some("3 EUR")),
        machine("c", &["alice"], None),
    ];
    let pieces = all_pieces(&machines, now);
    let month = reaper_budget::Month::holding(now, chrono_tz::UTC);
    let rows =
        by_owner(&pieces, &month, now, &Exchange::new(Currency::EUR, []), &Totals::default());
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            let sums: Vec<String> = row.spent.iter().map(ToString::to_string).collect();
            format!("{:?} {} of {}, {}", row.owner, sums.join(" "), row.machines, row.unpriced)
        })
        .collect();
    assert_eq!(shown, ["None 72.00 EUR of 1, 0", "Some(\"alice\") 24.00 EUR of 2, 1"]);
    assert_eq!(rows.len(), 2);
}

#[test]
fn nothing_at_all_is_ok() {
    let standing = Scene::new(Vec::new(), "2026-11-20T00:00:00Z").stand(&budget("10 EUR"));
    assert_eq!(standing.status(budget("10 EUR").limit), BudgetStatus::Ok);
    assert_eq!(standing.basis, Basis::Estimate);
    assert_eq!(standing.forecast.expect("late enough").to_string(), "0.00 EUR");
}

#[test]
fn what_is_missing_and_would_change_nothing_leaves_the_budget_ok() {
    // Seen until 48 EUR, and gone at some time in the next six hours.
    let mut scene = one(Some("1 EUR"), "2026-11-03T00:00:00Z");
    scene.machines[0].gone = Some(time("2026-11-03T06:00:00Z"));
    scene.now = time("2026-11-04T00:00:00Z");
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.status(budget("1000 EUR").limit), BudgetStatus::Ok);
    assert_eq!((standing.missing.len(), standing.notes.len()), (0, 1), "{standing:?}");
    // Of 100 EUR the half may have been reached.
    let close = scene.stand(&budget("100 EUR"));
    assert_eq!((close.missing.len(), close.notes.len()), (1, 0));
    assert_eq!(close.status(budget("100 EUR").limit), BudgetStatus::Incomplete);
}

#[test]
fn unknown_never_acts_a_state_that_nobody_knows_is_counted_and_said() {
    let mut scene = one(Some("1 EUR"), "2026-11-02T00:00:00Z");
    let reading = Reading { uncertain: true, ..billed(Some(FIRST), Some("1 EUR")) };
    scene.machines =
        vec![Machine::seen("aws", &[(FIRST, reading.clone()), ("2026-11-02T00:00:00Z", reading)])];
    let standing = scene.stand(&budget("20 EUR"));
    assert_eq!(standing.spent.to_string(), "24.00 EUR");
    assert_eq!(standing.missing, [Missing::Uncertain(1)]);
}

#[test]
fn tags_that_could_not_be_read_may_belong_to_any_budget_that_asks_for_them() {
    let mut scene = one(None, "2026-11-02T00:00:00Z");
    let reading = Reading { blind: true, owners: Vec::new(), ..billed(Some(FIRST), Some("1 EUR")) };
    scene.machines =
        vec![Machine::seen("aws", &[(FIRST, reading.clone()), ("2026-11-02T00:00:00Z", reading)])];
    let mut of_alice = budget("1000 EUR");
    of_alice.scope.owners = vec!["alice".to_owned()];
    assert_eq!(scene.stand(&of_alice).missing, [Missing::Blind(1)]);
    assert!(scene.stand(&budget("1000 EUR")).missing.is_empty());
}

#[test]
fn a_month_that_is_over_has_no_forecast_and_counts_to_its_end() {
    let mut scene = one(Some("1 EUR"), "2026-12-02T00:00:00Z");
    let now = scene.now;
    let pieces = all_pieces(&scene.machines, now);
    let november = reaper_budget::Month::holding(time(FIRST), chrono_tz::UTC);
    scene.now = time(FIRST);
    let standing = reaper_budget::stand(
        &budget("1000 EUR"),
        &reaper_budget::Books {
            pieces: &pieces,
            bills: &[],
            unread: &[],
            accounts: &[],
            history: chrono::DateTime::<chrono::Utc>::MIN_UTC,
            stops: &std::collections::BTreeMap::new(),
            exchange: &scene.exchange,
            today: &scene.today,
            recounted: false,
            month: november,
            now,
        },
    );
    assert_eq!(standing.spent.to_string(), "720.00 EUR");
    assert_eq!((standing.forecast, standing.run_rate), (None, None));
}
