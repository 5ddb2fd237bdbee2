//! Bills beside estimates.

use chrono_tz::Tz;
use reaper_budget::{AccountBill, Missing, reconcile};
use reaper_model::document::Basis;
use reaper_model::{Bill, BillKind, BillLine};

use crate::build::{Machine, Scene, all_pieces, billed, budget, number, time};

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
    let bill = AccountBill { account: "research".into(), provider: "aws".into(), bill: Ok(bill) };
    Scene { bills: vec![bill], ..Scene::new(vec![machine], now) }
}

#[test]
fn a_bill_that_agrees_changes_nothing() {
    let lines =
        vec![line(BillKind::Compute, Some("216 EUR")), line(BillKind::Other, Some("30 EUR"))];
    let scene = scene("2026-11-11T00:00:00Z", bill("2026-11-10T00:00:00Z", lines));
    let pieces = all_pieces(&scene.machines, scene.now);
    let reconciled = reconcile(scene.bills[0].bill.as_ref().expect("a bill"), &pieces, Tz::UTC);
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
    let reconciled = reconcile(&bill("2026-11-10T00:00:00Z", lines), &[], Tz::UTC);
    assert_eq!(reconciled.percent(), None);
    assert_eq!(reconciled.without_amount, 1);
    let excess: Vec<String> = reconciled.excess().map(|money| money.to_string()).collect();
    assert_eq!(excess, ["10.00 EUR", "10.00 USD"]);
}
