//! Bills beside estimates.

use reaper_budget::{AccountBill, Exchange, Missing, Unbilled, reconcile};
use reaper_model::document::Basis;
use reaper_model::{Bill, BillKind, BillLine, Currency};

use crate::build::{
    Machine, Scene, all_pieces, billed, budget, monthly, number, rates, time, zone,
};

const FIRST: &str = "2026-11-01T00:00:00Z";

fn line(kind: BillKind, amount: Option<&str>) -> BillLine {
    BillLine {
        kind,
        native: None,
        machine_type: None,
        location: None,
        hours: None,
        amount: amount.map(|amount| amount.parse().expect("money")),
    }
}

fn bill(until: &str, lines: Vec<BillLine>) -> Bill {
    Bill {
        provider: "aws".into(),
        account: "111122223333".into(),
        from: time(FIRST),
        until: time(until),
        lines,
        notes: Vec::new(),
    }
}

fn scene(now: &str, bill: Bill) -> Scene {
    let reading = billed(Some(FIRST), Some("1 EUR"));
    let machine = Machine::seen("aws", &[(FIRST, reading.clone()), (now, reading)]);
    let bill = AccountBill {
        account: "research".into(),
        provider: "aws".into(),
        shared: false,
        bill: Ok(bill),
    };
    Scene { bills: vec![bill], ..Scene::new(vec![machine], now) }
}

#[test]
fn a_bill_that_agrees_changes_nothing() {
    let lines =
        vec![line(BillKind::Compute, Some("216 EUR")), line(BillKind::Other, Some("30 EUR"))];
    let scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    let pieces = all_pieces(&scene.machines, scene.now);
    let reconciled =
        reconcile(scene.bills[0].bill.as_ref().expect("a bill"), &pieces, &scene.exchange);
    assert_eq!(reconciled.percent(), Some(number("0")));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "240.00 EUR", "its disks are no machine's time");
    assert_eq!(standing.basis, Basis::Estimate);
}

#[test]
fn what_a_provider_rounds_is_no_difference() {
    let lines = vec![line(BillKind::Compute, Some("216.004 EUR"))];
    let scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(
        (standing.spent.to_string().as_str(), standing.basis),
        ("240.00 EUR", Basis::Estimate)
    );
}

#[test]
fn what_a_bill_has_more_than_was_seen_counts_and_nothing_is_added_up_twice() {
    let lines = vec![line(BillKind::Compute, Some("316 EUR"))];
    let scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "340.00 EUR");
    assert_eq!(standing.estimated.to_string(), "240.00 EUR");
    assert_eq!(standing.basis, Basis::Mixed);
    let mut of_alice = budget("1000 EUR");
    of_alice.scope.owners = vec!["alice".to_owned()];
    let standing = scene.stand(&of_alice);
    assert_eq!(standing.spent.to_string(), "240.00 EUR", "nobody knows whose the rest was");
    assert_eq!(standing.basis, Basis::Estimate);
}

#[test]
fn fl_120_a_bill_that_lags_behind_holds_no_alert_back() {
    let lines = vec![line(BillKind::Compute, Some("10 EUR"))];
    let scene = scene("2026-11-04T13:00:00Z", bill("2026-11-03T00:00:00Z", lines));
    let standing = scene.stand(&budget("100 EUR"));
    assert_eq!(standing.spent.to_string(), "85.00 EUR");
    assert_eq!(standing.reached, [number("50"), number("80")]);
    assert_eq!(standing.basis, Basis::Estimate);
}

#[test]
fn fl_110_one_account_has_one_bill() {
    let mut scene = scene(
        "2026-11-11T00:00:00Z",
        bill("2026-11-10T00:00:00Z", vec![line(BillKind::Compute, Some("1000 EUR"))]),
    );
    // The same account listed in three regions is still asked for one bill.
    let reading = billed(Some(FIRST), Some("1 EUR"));
    let mut other =
        Machine::seen("aws", &[(FIRST, reading.clone()), ("2026-11-11T00:00:00Z", reading)]);
    other.id.location = "elsewhere".into();
    scene.machines.push(other);
    let standing = scene.stand(&budget("10000 EUR"));
    // 2 × 240 h were seen; of the 1,000 billed until the 10th, 2 × 216 were.
    assert_eq!(standing.spent.to_string(), "1,048.00 EUR");
}

#[test]
fn a_bill_of_another_month_is_no_part_of_this_one() {
    let lines = vec![line(BillKind::Compute, Some("500 EUR"))];
    let mut scene = scene("2026-11-30T16:00:00Z", bill("2026-11-30T00:00:00Z", lines));
    scene.zone = chrono_tz::Asia::Tokyo;
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "1.00 EUR", "in Tokyo it is December");
}

#[test]
fn a_bill_tells_what_ended_unseen() {
    let lines = || vec![line(BillKind::Compute, Some("216 EUR"))];
    let mut scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines()));
    scene.history = time("2026-11-05T00:00:00Z");
    assert!(scene.stand(&budget("1000 EUR")).missing.is_empty());
    scene.bills.clear();
    assert_eq!(scene.stand(&budget("1000 EUR")).missing, [Missing::NoHistory(scene.history)]);
}

#[test]
fn a_line_without_an_amount_and_two_currencies_give_no_percentage() {
    let lines = vec![
        line(BillKind::Compute, Some("10 EUR")),
        line(BillKind::Compute, Some("10 USD")),
        line(BillKind::Compute, None),
    ];
    let reconciled =
        reconcile(&bill("2026-11-10T00:00:00Z", lines), &[], &Exchange::new(Currency::EUR, []));
    assert_eq!(reconciled.percent(), None);
    assert_eq!(reconciled.without_amount, 1);
    let excess: Vec<String> = reconciled.excess().map(|money| money.to_string()).collect();
    assert_eq!(excess, ["10.00 EUR", "10.00 USD"]);
}

#[test]
fn a_monthly_plan_on_the_bill_is_the_one_that_was_counted_in_every_zone() {
    for name in ["UTC", "Europe/Amsterdam", "Asia/Kathmandu", "America/New_York"] {
        let plan = monthly("2026-09-03T10:00:00Z", "800 EUR");
        let now = "2026-11-11T00:00:00Z";
        let machine = Machine::seen("aws", &[("2026-09-04T00:00:00Z", plan.clone()), (now, plan)]);
        let lines = vec![line(BillKind::Compute, Some("800 EUR"))];
        let mut scene = scene(now, bill("2026-11-10T00:00:00Z", lines));
        scene.machines = vec![machine];
        scene.zone = zone(name);
        let standing = scene.stand(&budget("10000 EUR"));
        assert_eq!(standing.spent.to_string(), "800.00 EUR", "{name}");
        assert_eq!(standing.basis, Basis::Estimate, "{name}");
    }
}

#[test]
fn money_is_honest_a_bill_in_another_currency_is_not_added_to_the_estimate() {
    // 240 EUR were estimated until the tenth; the bill says 240 USD.
    let lines = || vec![line(BillKind::Compute, Some("240 USD"))];
    let mut scene = scene("2026-11-11T00:00:00Z", bill("2026-11-11T00:00:00Z", lines()));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "240.00 EUR", "without a rate nothing is compared");
    (scene.exchange, scene.today) = (rates("0.90"), rates("0.90"));
    assert_eq!(scene.stand(&budget("1000 EUR")).spent.to_string(), "240.00 EUR");
    (scene.exchange, scene.today) = (rates("1.10"), rates("1.10"));
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "264.00 EUR", "what it has more at the rate");
}

#[test]
fn a_bill_that_fails_or_is_incomplete_leaves_the_budget_not_ok() {
    let lines = vec![line(BillKind::Compute, Some("216 EUR")), line(BillKind::Compute, None)];
    let mut scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    assert!(matches!(&scene.stand(&budget("1000 EUR")).missing[..], [Missing::Unbilled(_)]));
    let failed = |denied| Err(Unbilled { denied, why: "HTTP 503".to_owned() });
    scene.bills[0].bill = failed(false);
    assert!(matches!(&scene.stand(&budget("1000 EUR")).missing[..], [Missing::Unbilled(_)]));
    scene.bills[0].bill = failed(true);
    assert!(scene.stand(&budget("1000 EUR")).missing.is_empty(), "it was never told");
}

#[test]
fn a_bill_tells_nothing_of_owners_and_nothing_where_accounts_share_it() {
    let lines = || vec![line(BillKind::Compute, Some("316 EUR"))];
    let mut scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines()));
    scene.history = time("2026-11-05T00:00:00Z");
    let mut of_alice = budget("1000 EUR");
    of_alice.scope.owners = vec!["alice".to_owned()];
    assert_eq!(scene.stand(&of_alice).missing, [Missing::NoHistory(scene.history)]);
    scene.bills[0].shared = true;
    let standing = scene.stand(&budget("1000 EUR"));
    assert_eq!(standing.spent.to_string(), "240.00 EUR");
    assert_eq!(standing.missing, [Missing::NoHistory(scene.history)]);
}

#[test]
fn west_of_utc_the_next_months_bill_is_not_this_months() {
    let lines = vec![line(BillKind::Compute, Some("1 EUR"))];
    let mut scene = scene("2026-12-01T00:30:00Z", bill("2026-12-01T00:30:00Z", lines));
    if let Ok(bill) = &mut scene.bills[0].bill {
        bill.from = time("2026-12-01T00:00:00Z");
    }
    scene.zone = zone("America/Los_Angeles");
    let standing = scene.stand(&budget("100000 EUR"));
    assert!(matches!(&standing.missing[..], [Missing::Unbilled(_)]), "{:?}", standing.missing);
}

#[test]
fn fl_107_a_bill_in_a_currency_without_a_rate_is_told() {
    let lines = vec![line(BillKind::Compute, Some("500 USD"))];
    let mut scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    let missing = scene.stand(&budget("1000 EUR")).missing;
    assert_eq!(missing, [Missing::Unconverted(Currency::USD)]);
    if let Ok(bill) = &mut scene.bills[0].bill {
        (bill.until, bill.lines) = (bill.from, Vec::new());
    }
    assert!(matches!(&scene.stand(&budget("1000 EUR")).missing[..], [Missing::Unbilled(_)]));
}
