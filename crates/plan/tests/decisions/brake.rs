//! The mass-stop brake: figures at and above each bound, and what somebody may allow.

use reaper_model::{Currency, Rate};
use reaper_plan::{Limits, Planned};

use crate::build::{id, machine, money};
use crate::scene::Scene;

/// So many due machines, and as many that are not.
fn due(count: usize, others: usize) -> Scene {
    let machines = (0..count).map(|number| machine(&format!("i-{number:03}"), "alice"));
    let mut scene = Scene::due(machines.collect());
    let others = (0..others).map(|number| {
        let mut other = machine(&format!("j-{number:03}"), "bob");
        other.running_since = crate::build::known(scene.now);
        other
    });
    scene.machines.extend(others.collect::<Vec<_>>());
    scene
}

#[test]
fn fl_152_over_the_number_nothing_at_all_is_done() {
    let mut scene = due(4, 0);
    scene.limits.max_actions = 4;
    assert_eq!(scene.clone().run().acted.len(), 4, "at the bound, not over it");
    scene.limits.max_actions = 3;
    let ran = scene.run();
    assert!(ran.acted.is_empty(), "never the first three");
    let brake = &ran.after.plan.brake;
    assert_eq!(brake.held[0], "4 actions are due, limits.max_actions is 3");
    assert!(brake.held[1].contains("--expect 4"), "{:?}", brake.held);
    assert_eq!(ran.after.plan.steps.len(), 4, "all of them are listed");
    for number in 0..4 {
        let decision = ran.decision(&format!("i-{number:03}"));
        assert_eq!(decision.planned, Planned::Stop);
        assert!(decision.why.ends_with("held by the brake"), "{}", decision.why);
    }
}

#[test]
fn fl_152_over_the_share_nothing_at_all_is_done() {
    let mut scene = due(2, 8);
    scene.limits.max_share = 20.into();
    assert_eq!(scene.clone().run().acted.len(), 2, "exactly a fifth");
    scene.machines.pop();
    let brake = scene.decide().plan.brake;
    assert_eq!((brake.actions, brake.machines), (2, 9));
    assert_eq!(brake.held[0], "2 of 9 machines are to be acted upon, limits.max_share is 20 %");
    assert!(scene.run().acted.is_empty());
    // A bound between whole percents holds to the last digit.
    scene.limits.max_share = "22.22".parse().expect("a number");
    assert!(scene.decide().plan.brake.holds());
    scene.limits.max_share = "22.23".parse().expect("a number");
    assert!(!scene.decide().plan.brake.holds());
}

#[test]
fn machines_that_have_ended_make_no_share_smaller() {
    let mut scene = due(1, 4);
    scene.limits.max_share = 20.into();
    assert!(!scene.decide().plan.brake.holds());
    let ghost = scene.machine("j-000");
    (ghost.state, ghost.meter) = (reaper_model::State::Ended, reaper_model::Meter::Ended);
    assert!(scene.decide().plan.brake.holds());
}

#[test]
fn fl_152_over_the_hourly_value_nothing_at_all_is_done() {
    let mut scene = due(3, 0);
    scene.limits.max_hourly_value = money("10.50 EUR");
    assert_eq!(scene.clone().run().acted.len(), 3, "exactly three times 3.50");
    scene.limits.max_hourly_value = money("10.49 EUR");
    assert_eq!(
        scene.decide().plan.brake.held[0],
        "the machines cost 10.50 EUR an hour, limits.max_hourly_value is 10.49 EUR"
    );
    assert!(scene.run().acted.is_empty());
}

#[test]
fn an_upper_bound_counts_in_full() {
    let mut scene = due(1, 0);
    scene.hourly.insert(id("i-000"), None);
    scene.bound = Some(money("40 EUR"));
    scene.limits.max_hourly_value = money("39 EUR");
    assert!(scene.decide().plan.brake.holds());
}

#[test]
fn currencies_are_converted_where_a_rate_says_how_and_shares_add_up_where_not() {
    let mut scene = due(2, 0);
    scene.hourly.insert(id("i-001"), Some(money("100 USD")));
    scene.limits.max_hourly_value = money("95 EUR");
    let held = scene.decide().plan.brake.held;
    assert_eq!(
        held[0],
        "the machines cost 3.50 EUR and 100.00 USD an hour, limits.max_hourly_value is 95.00 EUR, \
         and without a rate their shares of it add up"
    );
    scene.rates.push(Rate {
        from: Currency::USD,
        to: Currency::EUR,
        rate: "0.9".parse().expect("a number"),
        as_of: "2026-11-28".parse().expect("a day"),
    });
    let brake = scene.decide().plan.brake;
    assert_eq!(brake.hourly, [money("93.50 EUR")]);
    assert!(!brake.holds());
    // A bound in the foreign currency is converted too: 95 USD are 85.50 EUR.
    scene.limits.max_hourly_value = money("95 USD");
    assert!(scene.decide().plan.brake.holds());
}

#[test]
fn no_currency_gets_the_whole_limit_for_itself() {
    let mut scene = due(3, 0);
    scene.hourly.insert(id("i-001"), Some(money("40 USD")));
    scene.hourly.insert(id("i-002"), Some(money("50 CHF")));
    scene.limits.max_hourly_value = money("93.50 EUR");
    assert_eq!(scene.clone().run().acted.len(), 3, "exactly the whole");
    scene.limits.max_hourly_value = money("93.49 EUR");
    assert!(scene.run().acted.is_empty(), "each of the three is well below it");
    // The bound's own currency may be one without a rate.
    scene.limits.max_hourly_value = money("93.49 GBP");
    assert!(scene.decide().plan.brake.holds());
}

#[test]
fn without_bounds_nothing_is_held_and_a_machine_without_a_price_is_none_the_freer() {
    let mut scene = due(4, 0);
    scene.hourly.insert(id("i-000"), None);
    scene.hourly.insert(id("i-001"), Some(money("1000000 USD")));
    scene.limits = Limits::unbounded(Currency::EUR);
    let plan = scene.decide().plan;
    assert_eq!(plan.brake.held, Vec::<String>::new());
    assert_eq!(plan.steps.len(), 3, "what has no price still waits for somebody who expects it");
    scene.expect = Some(99);
    let plan = scene.decide().plan;
    assert_eq!((plan.steps.len(), plan.brake.holds()), (4, false));
}

#[test]
fn a_step_carries_what_the_brake_counts() {
    let mut scene = due(2, 0);
    scene.hourly.insert(id("i-000"), None);
    scene.bound = Some(money("40 EUR"));
    let plan = scene.decide().plan;
    let values: Vec<_> = plan.steps.iter().map(|step| (step.hourly, step.value)).collect();
    let cheap = Some(money("3.50 EUR"));
    assert_eq!(values, [(None, Some(money("40 EUR"))), (cheap, cheap)], "dearest first");
    assert_eq!(plan.brake.hourly, [money("43.50 EUR")]);
}

#[test]
fn exactly_the_number_that_somebody_looked_at_passes() {
    let mut scene = due(4, 0);
    scene.limits.max_actions = 1;
    scene.limits.max_share = 1.into();
    scene.limits.max_hourly_value = money("1 EUR");
    for expect in [0, 3, 5] {
        scene.expect = Some(expect);
        let held = scene.decide().plan.brake.held;
        assert_eq!(held.len(), 4, "{held:?}");
        assert_eq!(held[3], format!("--expect said {expect}, and 4 are due"));
        assert!(scene.clone().run().acted.is_empty());
    }
    scene.expect = Some(4);
    assert_eq!(scene.decide().plan.brake.held, Vec::<String>::new());
    assert_eq!(scene.run().acted.len(), 4);
}

#[test]
fn a_wrong_expectation_holds_nothing_that_is_within_the_bounds() {
    let mut scene = due(2, 0);
    scene.expect = Some(5);
    assert_eq!(scene.run().acted.len(), 2);
}

#[test]
fn fl_103_machines_without_a_price_pass_only_if_all_actions_are_expected() {
    let mut scene = due(2, 0);
    scene.hourly.insert(id("i-000"), None);
    scene.expect = Some(1);
    let held = scene.decide().plan.brake.held;
    assert!(held[0].starts_with("what 1 of the machines cost is not known"), "{held:?}");
    assert!(scene.clone().run().acted.is_empty());
    scene.expect = Some(2);
    assert_eq!(scene.run().acted.len(), 2);
}
