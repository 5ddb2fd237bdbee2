//! Budgets in whole runs: what is counted from run to run, who is alerted, and that nobody is
//! alerted twice or not at all.

use std::pin::pin;

use chrono::TimeDelta;
use reaper_budget::Exchange;
use reaper_engine::RunError;
use reaper_model::document::{AlertStatus, BudgetStatus, BudgetView, MailKind, MailStatus};
use reaper_model::{BudgetScope, BudgetSpec, Class, Currency, Meter, OnLimit, Rate, State};

use crate::build::{id, machine, machine_in, machines, monday, money};
use crate::house::{FALLBACK, House, killed_after, until};
use crate::letters::{Letter, Says};
use crate::script::Listings;

const FINANCE: &str = "finance@example.org";
const MANY: usize = 5_000;

fn budget(limit: &str) -> BudgetSpec {
    BudgetSpec {
        name: "all-gpu".to_owned(),
        limit: money(limit),
        scope: BudgetScope::default(),
        thresholds: vec![50.into(), 80.into()],
        forecast: Vec::new(),
        recipients: vec![FINANCE.to_owned()],
        on_limit: OnLimit::Report,
    }
}

/// A house whose machine has cost 840 EUR this month, with 3.50 EUR for each further hour, and whose
/// owner is not written to.
fn house(limit: &str) -> House {
    let mut house = House::new(machines(1));
    house.settings.policy.rules[0].action = reaper_model::document::WantedAction::Report;
    house.orders.enforces = false;
    house.orders.acts = false;
    house.settings.budgets = vec![budget(limit)];
    house
}

fn alerts(house: &House) -> Vec<Letter> {
    house.letters.got().into_iter().filter(|letter| letter.alert.is_some()).collect()
}

fn told(house: &House) -> Vec<String> {
    let alerts = alerts(house);
    alerts.into_iter().map(|letter| letter.alert.expect("an alert")).collect()
}

fn view(ran: &reaper_engine::Ran) -> &BudgetView {
    ran.document.budgets.first().expect("a budget")
}

#[tokio::test(start_paused = true)]
async fn fl_114_hourly_runs_alert_of_each_threshold_once() {
    let mut house = house("1063 EUR");
    let mut percents = Vec::new();
    for _ in 0..14 {
        let ran = house.run().await;
        percents.push(view(&ran).percent.clone());
        house.wait("1h");
    }
    assert_eq!((percents[0].as_str(), percents[13].as_str()), ("79.0", "83.3"));
    assert_eq!(
        told(&house),
        ["all-gpu/2026-11/actual/50%/1063 EUR", "all-gpu/2026-11/actual/80%/1063 EUR"]
    );
    // The level is shown although there is nothing new.
    let ran = house.run().await;
    let view = view(&ran);
    assert_eq!((view.reached.len(), view.new.len(), view.alert), (2, 0, AlertStatus::None));
    house.wait("3h");
    let ran = house.run().await;
    assert_eq!(view_of(&ran), ("2026-12", "0.6"), "a new month, all over again");
    assert_eq!(told(&house).len(), 2);
}

fn view_of(ran: &reaper_engine::Ran) -> (&str, &str) {
    let view = view(ran);
    (&view.period, &view.percent)
}

#[tokio::test(start_paused = true)]
async fn two_thresholds_at_once_are_one_mail_with_the_money_in_it() {
    let house = house("1000 EUR");
    let ran = house.run().await;
    let alerts = alerts(&house);
    assert_eq!(alerts.len(), 1);
    assert_eq!((alerts[0].to.as_str(), alerts[0].intended), (FINANCE, true));
    for words in ["840.00", "1,000.00 EUR", "50 %", "80 %"] {
        let said = alerts[0].subject.contains(words) || alerts[0].text.contains(words);
        assert!(said, "{words}: {}\n{}", alerts[0].subject, alerts[0].text);
    }
    let view = view(&ran);
    assert_eq!((view.new.join(" "), view.alert), ("50% 80%".to_owned(), AlertStatus::Sent));
    assert_eq!(view.spent.to_string(), "840.00 EUR");
    let mail = ran.document.mails.iter().find(|mail| mail.kind == MailKind::Alert);
    assert_eq!(mail.map(|mail| mail.status), Some(MailStatus::Accepted));
}

#[tokio::test(start_paused = true)]
async fn fl_119_an_alert_that_is_not_taken_stays_due_and_is_sent_once() {
    let mut house = house("1000 EUR");
    house.letters.says(FINANCE, [Says::Later]);
    let ran = house.run().await;
    assert_eq!(view(&ran).alert, AlertStatus::Due);
    assert!(ran.document.outcome.classes.contains(&Class::Undelivered));
    house.wait("1h");
    let ran = house.run().await;
    assert_eq!(view(&ran).alert, AlertStatus::Sent);
    house.wait("1h");
    house.run().await;
    let alerts = alerts(&house);
    assert_eq!(alerts.len(), 2);
    assert_eq!(alerts[0].key, alerts[1].key, "the same alert has the same key");
}

#[tokio::test(start_paused = true)]
async fn fl_119_what_was_possibly_taken_is_said_so_and_not_repeated_every_hour() {
    let mut house = house("1000 EUR");
    house.letters.says(FINANCE, [Says::Perhaps]);
    assert_eq!(view(&house.run().await).alert, AlertStatus::PossiblySent);
    house.wait("1h");
    assert_eq!(view(&house.run().await).alert, AlertStatus::None);
    assert_eq!(alerts(&house).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn fl_121_a_recipient_who_is_refused_for_good_is_replaced_in_the_same_run() {
    let house = house("1000 EUR");
    house.letters.says(FINANCE, [Says::Nobody]);
    let ran = house.run().await;
    let to: Vec<String> = alerts(&house).into_iter().map(|letter| letter.to).collect();
    assert_eq!(to, [FINANCE, FALLBACK]);
    assert!(ran.document.outcome.classes.contains(&Class::Undelivered));
}

#[tokio::test(start_paused = true)]
async fn fl_115_without_a_history_the_alert_says_that_it_may_be_a_second_one() {
    let mut first = house("1000 EUR");
    let ran = first.run().await;
    assert!(ran.document.warnings.iter().any(|warning| warning.code == "no-alert-history"));
    let alert = alerts(&first).remove(0);
    assert!(alert.text.contains("may"), "{}", alert.text);
    // The state was lost: the same key again, and once.
    let mut second = house("1000 EUR");
    second.now = first.now + TimeDelta::hours(2);
    second.run().await;
    second.wait("1h");
    second.run().await;
    let again = alerts(&second);
    assert_eq!(again.len(), 1);
    assert_eq!((&again[0].key, &again[0].alert), (&alert.key, &alert.alert));
    first.settings.budgets[0].thresholds.push(84.into());
    first.wait("1h");
    let ran = first.run().await;
    assert!(ran.document.warnings.iter().all(|warning| warning.code != "no-alert-history"));
}

#[tokio::test(start_paused = true)]
async fn threshold_once_wherever_a_run_is_killed() {
    for polls in 0..MANY {
        let mut house = house("1000 EUR");
        let ended = killed_after(house.attempt(), polls).await;
        house.wait("12h");
        house.run().await;
        house.wait("1h");
        house.run().await;
        let alerts = alerts(&house);
        assert!((1..=2).contains(&alerts.len()), "killed after {polls} polls: {alerts:?}");
        for alert in &alerts {
            assert!(alert.intended, "killed after {polls} polls: sent without an intent");
            assert_eq!(alert.key, alerts[0].key, "a second copy is known as one");
        }
        if ended {
            assert_eq!(alerts.len(), 1, "alerted once");
            assert!(polls > 30, "the run was killed in {polls} places only");
            return;
        }
    }
    panic!("no run came to its end");
}

#[tokio::test(start_paused = true)]
async fn threshold_once_with_two_runners() {
    let mut house = house("1000 EUR");
    house.letters.says(FINANCE, [Says::Nothing]);
    {
        // The first waits for its mail server, and has the accounts.
        let mut first = pin!(house.attempt());
        until(first.as_mut(), || !alerts(&house).is_empty()).await;
        assert!(matches!(house.attempt().await, Err(RunError::Locked(_))));
        assert_eq!(alerts(&house).len(), 1);
    }
    // It has died since.
    house.wait("12h");
    house.run().await;
    house.run().await;
    let alerts = alerts(&house);
    assert_eq!(alerts.len(), 2, "{alerts:?}");
    assert_eq!(alerts[0].key, alerts[1].key);
}

#[tokio::test(start_paused = true)]
async fn a_raised_limit_is_another_budget_and_a_dry_run_tells_nobody() {
    let mut house = house("1000 EUR");
    let dry = house.dry().await;
    assert_eq!(view(&dry).alert, AlertStatus::Due);
    assert!(house.letters.got().is_empty());
    house.run().await;
    house.settings.budgets[0].limit = money("1050 EUR");
    house.wait("1h");
    house.run().await;
    assert_eq!(
        told(&house),
        ["all-gpu/2026-11/actual/80%/1000 EUR", "all-gpu/2026-11/actual/80%/1050 EUR"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_changes_between_runs_is_counted_as_it_was_seen() {
    let mut house = house("100000 EUR");
    house.run().await;
    house.wait("2h");
    // Stopped at an unknown time within the next hour: counted until the last look.
    house.run().await;
    house.wait("1h");
    house.cloud.edit("i-1", |machine| {
        (machine.state, machine.meter) = (State::Stopped, Meter::StoppedFree);
    });
    let ran = house.run().await;
    assert_eq!(view(&ran).spent.to_string(), "847.00 EUR");
    assert!(view(&ran).why.iter().any(|why| why.contains("does not tell the end")), "{ran:?}");
    house.wait("5h");
    let ran = house.run().await;
    assert_eq!(view(&ran).spent.to_string(), "847.00 EUR");
    assert_eq!(ran.charges.len(), 11, "one a day");
}

#[tokio::test(start_paused = true)]
async fn fl_123_a_place_that_was_not_read_makes_the_budget_a_lower_bound() {
    let mut house = House::new(vec![machine("i-1"), machine_in("r-2", "i-2")]);
    house.settings.budgets = vec![budget("5000 EUR")];
    house.run().await;
    house.wait("36h");
    // Since the first of December everything has been seen.
    let ran = house.run().await;
    assert_eq!(view(&ran).status, BudgetStatus::Ok, "{:?}", view(&ran).why);
    assert!(!view(&ran).at_least);
    house.cloud.listings("r-2", Some(Listings::BreakOff(0)));
    house.wait("1h");
    let ran = house.run().await;
    let unread = view(&ran);
    assert_eq!((unread.status, unread.at_least), (BudgetStatus::Incomplete, true));
    assert!(unread.why.iter().any(|why| why.contains("r-2")), "{:?}", unread.why);
    // 22 h of one, and of the other the 21 h until it was last seen.
    assert_eq!(unread.spent.to_string(), "150.50 EUR");
}

#[tokio::test(start_paused = true)]
async fn fl_108_rates_are_those_of_the_months_first_use() {
    let rate = |usd: &str, day: i64| Rate {
        from: Currency::EUR,
        to: Currency::USD,
        rate: usd.parse().expect("a number"),
        as_of: (monday() + TimeDelta::days(day)).date_naive(),
    };
    let mut house = house("1600 USD");
    house.settings.exchange = Exchange::new(Currency::USD, [rate("1.05", 0)]);
    let ran = house.run().await;
    assert_eq!(view(&ran).spent.to_string(), "882.00 USD");
    house.settings.exchange = Exchange::new(Currency::USD, [rate("2.00", 1)]);
    house.wait("1h");
    let ran = house.run().await;
    let moved = view(&ran);
    assert_eq!(moved.spent.to_string(), "885.68 USD");
    assert_eq!(
        moved.at_todays_rates.map(|money| money.to_string()).as_deref(),
        Some("1,687.00 USD")
    );
    assert_eq!(moved.reached, ["50%"], "the rate alone crosses nothing");
    assert!(moved.why.iter().any(|why| why.contains("1 EUR = 1.05 USD")), "{:?}", moved.why);
    assert_eq!(told(&house), ["all-gpu/2026-11/actual/50%/1600 USD"]);
    // A slip that is put right has the date of what it puts right.
    house.settings.exchange = Exchange::new(Currency::USD, [rate("1.10", 0)]);
    let ran = house.run().await;
    assert_eq!(view(&ran).spent.to_string(), "927.85 USD");
}

/// A house that enforces, with a history that reaches into the month before, on 1 December.
async fn december(limit: &str) -> House {
    let mut house = House::new(machines(2));
    house.settings.budgets = vec![BudgetSpec { on_limit: OnLimit::StopOrphans, ..budget(limit) }];
    let ran = house.run().await;
    assert_eq!(ran.acted_on(), [""; 0]);
    house.wait("24h");
    house
}

trait ActedOn {
    fn acted_on(&self) -> Vec<String>;
}

impl ActedOn for reaper_engine::Ran {
    fn acted_on(&self) -> Vec<String> {
        let acted = self.document.instances.iter().filter(|view| view.action.result.is_some());
        let mut ids: Vec<String> = acted.map(|view| view.id.clone()).collect();
        ids.sort();
        ids
    }
}

#[tokio::test(start_paused = true)]
async fn a_used_up_budget_ends_notice_periods_that_were_announced_to_end_so() {
    let house = december("63 EUR").await;
    let notice = house.letters.got().remove(0);
    assert!(notice.text.contains("all-gpu"), "{}", notice.text);
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(ran.acted_on().len(), 2, "{:?}", view(&ran));
    assert_eq!(view(&ran).spent.to_string(), "63.00 EUR");
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_not_used_up_or_not_known_in_full_ends_nothing() {
    let house = december("63.01 EUR").await;
    assert!(house.run().await.acted_on().is_empty(), "a cent is left");
    let house = december("10 EUR").await;
    house.cloud.region("r-2");
    house.cloud.listings("r-2", Some(Listings::BreakOff(0)));
    let ran = house.run().await;
    assert!(view(&ran).at_least && ran.acted_on().is_empty(), "a lower bound");
    let mut house = december("10 EUR").await;
    house.settings.budgets[0].limit = money("100 EUR");
    house.settings.budgets[0].forecast = vec![100.into()];
    let ran = house.run().await;
    assert!(!view(&ran).forecast_reached.is_empty() && ran.acted_on().is_empty(), "a forecast");
}

#[tokio::test(start_paused = true)]
async fn a_used_up_budget_stops_nothing_that_is_protected_or_newly_found() {
    let house = december("10 EUR").await;
    house.cloud.edit("i-1", |machine| {
        machine.tags = crate::build::tags(&[("owner", "alice"), ("reaper-keep", "")]);
    });
    let mut young = machine("i-3");
    young.running_since = crate::build::known(house.now - TimeDelta::hours(5));
    house.cloud.add(young);
    let ran = house.run().await;
    assert_eq!(ran.acted_on(), [id("i-2").to_string()]);
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_clock_goes_on_while_it_works_sees_what_runs() {
    let mut house = house("5000 EUR");
    house.disk.slow(700);
    house.run().await;
    house.wait("36h");
    let ran = house.run().await;
    let budget = view(&ran);
    assert_eq!((budget.at_least, budget.status), (false, BudgetStatus::Ok), "{:?}", budget.why);
    let forecast = budget.forecast.expect("a day has passed");
    assert!(forecast.amount > 2_000.into(), "the machine is taken to run on: {forecast}");
}

#[tokio::test(start_paused = true)]
async fn threshold_once_what_a_month_has_reached_after_its_last_run_is_told_in_the_next() {
    let mut house = house("1063 EUR");
    house.wait("1h");
    house.run().await;
    house.letters.says(FINANCE, [Says::Later, Says::Later]);
    // 80 % is reached at noon; the next run is one of December.
    house.wait("20h");
    let ran = house.run().await;
    assert_eq!(view_of(&ran).0, "2026-12");
    assert!(ran.document.outcome.classes.contains(&Class::Undelivered), "it is not lost either");
    house.wait("1h");
    house.run().await;
    house.wait("1h");
    house.run().await;
    let told = told(&house);
    assert_eq!(told.last().map(String::as_str), Some("all-gpu/2026-11/actual/80%/1063 EUR"));
    let late = told.iter().filter(|alert| alert.contains("80%")).count();
    assert_eq!(late, 3, "refused twice at most, and taken once: {told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_about_to_be_told_of_a_month_is_told_as_it_was_however_often_it_is_tried() {
    let rate = |usd: &str| Rate {
        from: Currency::EUR,
        to: Currency::USD,
        rate: usd.parse().expect("a number"),
        as_of: monday().date_naive(),
    };
    let mut house = house("1200 USD");
    house.settings.exchange = Exchange::new(Currency::USD, [rate("1.20")]);
    house.letters.says(FINANCE, [Says::Later, Says::Later, Says::Later]);
    house.run().await;
    // The month is over, and a rate that was put right makes less of it.
    house.settings.exchange = Exchange::new(Currency::USD, [rate("1.00")]);
    for wait in ["15h", "1h", "1h"] {
        house.wait(wait);
        house.run().await;
    }
    let alerts = alerts(&house);
    assert_eq!(alerts.len(), 4, "refused three times, then taken");
    for alert in alerts {
        assert!(alert.text.contains("1,008.00 USD"), "{}", alert.text);
    }
}

#[tokio::test(start_paused = true)]
async fn fl_123_an_account_that_was_not_asked_makes_the_budget_a_lower_bound() {
    let mut house = house("5000 EUR");
    house.settings.configured =
        vec![("aws".into(), "research".into()), ("scaleway".into(), "poc".into())];
    let why = view(&house.run().await).why.join("; ");
    assert!(why.contains("poc (scaleway): not asked"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_a_used_up_budget_made_due_can_be_applied() {
    let house = december("63 EUR").await;
    let plan = house.dry().await.plan;
    assert_eq!(plan.steps.len(), 2);
    assert_eq!(plan.steps[0].hastened_by, ["all-gpu (63.00 EUR a month)"]);
    let ran = house.apply(plan.clone()).await;
    assert_eq!(ran.acted_on().len(), 2, "{:?}", ran.document.warnings);
    let mut other = december("63 EUR").await;
    let plan = other.dry().await.plan;
    other.settings.budgets[0].limit = money("630 EUR");
    other.apply(plan).await;
    assert_eq!(other.cloud.acts(), [""; 0], "the budget is another one by now");
}

#[tokio::test(start_paused = true)]
async fn dry_is_dry_a_run_that_only_looks_records_no_reading() {
    let house = house("1000 EUR");
    let before = house.disk.everything().await;
    let ran = house.dry().await;
    assert_eq!(view(&ran).spent.to_string(), "840.00 EUR");
    assert_eq!(house.disk.everything().await, before);
    house.run().await;
    assert_eq!(house.state().await.meters().count(), 1);
}
