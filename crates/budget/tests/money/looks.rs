//! From looks to billed time: what is counted, and what is in doubt.

use chrono_tz::Tz;
use reaper_budget::{DoubtWhy, amount, charges};
use reaper_model::Reading;

use crate::build::{Machine, all_pieces, billed, idle, monthly, number, time};

/// Hours and doubts of one machine over all time.
fn hours(machine: &Machine, now: &str) -> (String, Vec<DoubtWhy>) {
    let (machines, now) = ([machine.clone()], time(now));
    let pieces = all_pieces(&machines, now);
    let long_ago = time("2020-01-01T00:00:00Z");
    let counted = pieces.iter().map(|piece| amount(piece, long_ago, now, Tz::UTC).hours());
    let sum: rust_decimal::Decimal = counted.sum();
    let doubts = pieces.iter().flat_map(|piece| piece.doubt.iter().map(|doubt| doubt.why));
    (sum.normalize().to_string(), doubts.collect())
}

const T00: &str = "2026-11-10T00:00:00Z";
const T06: &str = "2026-11-10T06:00:00Z";
const T09: &str = "2026-11-10T09:00:00Z";
const T12: &str = "2026-11-10T12:00:00Z";
const T18: &str = "2026-11-10T18:00:00Z";
const T24: &str = "2026-11-11T00:00:00Z";

fn up(start: Option<&str>) -> Reading {
    billed(start, Some("1 EUR"))
}

#[test]
fn what_ran_before_the_first_look_is_counted_by_the_providers_start() {
    let machine = Machine::seen("aws", &[(T12, up(Some(T00)))]);
    assert_eq!(hours(&machine, T12), ("12".into(), vec![]));
}

#[test]
fn without_a_start_it_counts_from_the_first_look_and_says_so() {
    let machine = Machine::seen("aws", &[(T06, up(None)), (T12, up(None))]);
    assert_eq!(hours(&machine, T12), ("6".into(), vec![DoubtWhy::Start]));
}

#[test]
fn a_gap_between_two_looks_that_read_alike_is_counted() {
    let machine = Machine::seen("aws", &[(T00, up(Some(T00))), (T24, up(Some(T00)))]);
    assert_eq!(machine.looks.len(), 1, "what reads alike is remembered once");
    assert_eq!(hours(&machine, T24), ("24".into(), vec![]));
}

#[test]
fn a_stop_and_a_start_between_two_looks_are_counted_as_far_as_they_were_seen() {
    let machine =
        Machine::seen("aws", &[(T00, up(Some(T00))), (T06, up(Some(T00))), (T18, up(Some(T12)))]);
    assert_eq!(hours(&machine, T18), ("12".into(), vec![DoubtWhy::End]));
}

#[test]
fn a_stop_of_which_the_provider_tells_the_time_is_exact() {
    let machine = Machine::seen("aws", &[(T00, up(Some(T00))), (T12, idle(Some(T09)))]);
    assert_eq!(hours(&machine, T24), ("9".into(), vec![]));
}

#[test]
fn a_stop_of_which_nobody_tells_the_time_counts_to_the_last_look() {
    let machine =
        Machine::seen("scaleway", &[(T00, up(Some(T00))), (T06, up(Some(T00))), (T12, idle(None))]);
    assert_eq!(hours(&machine, T24), ("6".into(), vec![DoubtWhy::End]));
}

#[test]
fn a_stop_told_for_before_the_last_look_does_not_take_back_what_was_seen() {
    let machine =
        Machine::seen("aws", &[(T00, up(Some(T00))), (T06, up(Some(T00))), (T12, idle(Some(T00)))]);
    assert_eq!(hours(&machine, T24), ("6".into(), vec![]));
}

#[test]
fn a_start_after_a_stop_is_proven_or_counted_from_the_look() {
    let proven =
        Machine::seen("aws", &[(T00, idle(None)), (T06, idle(None)), (T12, up(Some(T09)))]);
    assert_eq!(hours(&proven, T12), ("3".into(), vec![]));
    // Counted from the creation, as where no last start is shown: that says nothing of the stop.
    let creation =
        Machine::seen("ovhcloud", &[(T00, idle(None)), (T06, idle(None)), (T12, up(Some(T00)))]);
    let later = Machine { seen: time(T18), ..creation };
    assert_eq!(hours(&later, T18), ("6".into(), vec![DoubtWhy::Start]));
}

#[test]
fn a_machine_that_is_not_seen_any_more_counts_to_the_last_look() {
    let mut machine = Machine::seen("lambda", &[(T00, up(Some(T00))), (T06, up(Some(T00)))]);
    machine.gone = Some(time(T12));
    assert_eq!(hours(&machine, T24), ("6".into(), vec![DoubtWhy::Unseen]));
    let machines = [machine];
    let pieces = all_pieces(&machines, time(T24));
    let doubt = pieces[0].doubt[0];
    assert!(doubt.touches(time(T09), time(T12)));
    assert!(!doubt.touches(time(T12), time(T24)), "a listing has shown that it was gone by then");
}

#[test]
fn an_absence_in_between_is_bridged_by_the_providers_start_alone() {
    let away = |start| {
        let mut machine = Machine::seen("aws", &[(T00, up(start)), (T06, up(start))]);
        machine.looks.push((time(T18), Some(time(T06)), Some(time(T12)), up(start)));
        machine.seen = time(T24);
        machine
    };
    assert_eq!(hours(&away(Some(T00)), T24), ("24".into(), vec![]));
    assert_eq!(hours(&away(None), T24), ("12".into(), vec![DoubtWhy::Start, DoubtWhy::End]));
}

#[test]
fn fl_105_a_new_price_counts_from_the_look_that_showed_it() {
    let machines = [Machine::seen(
        "aws",
        &[
            (T00, billed(Some(T00), Some("1 EUR"))),
            (T12, billed(Some(T00), Some("2 EUR"))),
            (T24, billed(Some(T00), Some("2 EUR"))),
        ],
    )];
    let pieces = all_pieces(&machines, time(T24));
    let spent: Vec<String> = pieces
        .iter()
        .filter_map(|piece| amount(piece, time(T00), time(T24), Tz::UTC).money)
        .map(|money| money.to_string())
        .collect();
    assert_eq!(spent, ["12.00 EUR", "24.00 EUR"]);
}

#[test]
fn fl_104_a_type_without_a_price_today_keeps_the_price_noted_when_it_ran() {
    let machines = [Machine::seen(
        "aws",
        &[(T00, billed(Some(T00), Some("5 EUR"))), (T12, billed(Some(T00), None))],
    )];
    let pieces = all_pieces(&machines, time(T24));
    let spent: Vec<_> = pieces
        .iter()
        .map(|piece| amount(piece, time(T00), time(T24), Tz::UTC).money.map(|m| m.to_string()))
        .collect();
    assert_eq!(spent, [Some("60.00 EUR".to_owned()), None]);
}

#[test]
fn fl_112_two_starts_in_one_hour_are_two_hours() {
    let ten = "2026-11-10T00:10:00Z";
    let forty = "2026-11-10T00:40:00Z";
    let render = |reading: Reading| Reading { machine_type: "RENDER-S".into(), ..reading };
    let machine = Machine::seen(
        "scaleway",
        &[
            (T00, render(up(Some(T00)))),
            ("2026-11-10T00:20:00Z", render(idle(Some(ten)))),
            (forty, render(up(Some("2026-11-10T00:30:00Z")))),
            ("2026-11-10T00:50:00Z", render(idle(Some(forty)))),
        ],
    );
    assert_eq!(hours(&machine, T06), ("2".into(), vec![]));
    let machine_by_minute =
        Machine::seen("scaleway", &[(T00, up(Some(T00))), (ten, idle(Some(ten)))]);
    assert_eq!(hours(&machine_by_minute, T06).0, (number("10") / number("60")).to_string());
}

#[test]
fn fl_109_a_monthly_plan_is_paid_once_a_month_whatever_is_looked_at() {
    let plan = |start| monthly(start, "800 EUR");
    let start = "2026-10-20T00:00:00Z";
    let renamed = Reading { name: Some("other".to_owned()), ..plan(start) };
    let machines = [Machine::seen(
        "ovhcloud",
        &[
            ("2026-10-21T00:00:00Z", plan(start)),
            ("2026-10-25T00:00:00Z", renamed.clone()),
            ("2026-11-10T00:00:00Z", plan(start)),
            ("2026-11-20T00:00:00Z", renamed),
        ],
    )];
    let now = time("2026-11-20T00:00:00Z");
    let pieces = all_pieces(&machines, now);
    assert_eq!(pieces.len(), 4);
    let sum = |from: &str, until: &str| {
        let paid = pieces.iter().map(|piece| amount(piece, time(from), time(until), Tz::UTC));
        paid.map(|amount| amount.renewals).sum::<u32>()
    };
    assert_eq!(sum("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"), 1);
    assert_eq!(sum("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"), 1);
    let charged = charges(&pieces, time("2026-10-01T00:00:00Z"), now, Tz::UTC);
    let days: Vec<String> = charged.iter().map(|charge| charge.day.to_string()).collect();
    assert_eq!(days, ["2026-10-20", "2026-11-01"]);
    assert!(charged.iter().all(|charge| charge.money.expect("priced").to_string() == "800.00 EUR"));
}

#[test]
fn a_committed_machine_has_hours_and_no_money() {
    let reserved = Reading { committed: true, ..up(Some(T00)) };
    let machines = [Machine::seen("aws", &[(T12, reserved)])];
    let pieces = all_pieces(&machines, time(T12));
    let spent = amount(&pieces[0], time(T00), time(T12), Tz::UTC);
    assert_eq!((spent.hours(), spent.money), (number("12"), None));
}

#[test]
fn a_run_that_began_and_ended_between_two_looks_is_in_doubt() {
    let stopped_anew = Machine::seen(
        "aws",
        &[(T00, idle(Some(T00))), (T06, idle(Some(T00))), (T12, idle(Some(T09)))],
    );
    assert_eq!(hours(&stopped_anew, T24), ("0".into(), vec![DoubtWhy::Start; 2]));
    let never_seen_up = Machine::seen("aws", &[(T12, idle(Some(T09)))]);
    assert_eq!(hours(&never_seen_up, T24), ("0".into(), vec![DoubtWhy::Start]));
    let down_all_the_time = Machine::seen("aws", &[(T00, idle(Some(T00))), (T12, idle(Some(T00)))]);
    assert_eq!(hours(&down_all_the_time, T24).1.len(), 1, "what was before the first look");
}

#[test]
fn fl_109_a_monthly_plan_is_not_paid_again_when_the_machine_comes_back() {
    let mut machine =
        Machine::seen("lambda", &[(T00, monthly(T00, "800 USD")), (T06, monthly(T00, "800 USD"))]);
    let back = Reading { billed: reaper_model::Billed::Since(None), ..monthly(T00, "800 USD") };
    machine.looks.push((time(T18), Some(time(T06)), Some(time(T12)), back));
    machine.seen = time(T24);
    let machines = [machine];
    let pieces = all_pieces(&machines, time(T24));
    let paid: u32 = pieces
        .iter()
        .map(|piece| amount(piece, time("2026-11-01T00:00:00Z"), time(T24), Tz::UTC).renewals)
        .sum();
    assert_eq!(paid, 1);
}

#[test]
fn what_was_seen_in_the_future_is_in_doubt() {
    let machine = Machine::seen("aws", &[(T00, up(Some(T00))), (T24, up(Some(T00)))]);
    let early = hours(&machine, T12);
    assert_eq!(early, ("12".into(), vec![DoubtWhy::Unseen]));
}

#[test]
fn what_was_given_up_for_want_of_room_is_not_counted_at_a_later_price() {
    let mut machine = Machine::seen("aws", &[(T12, up(Some(T00))), (T18, up(Some(T00)))]);
    machine.cut = Some(time(T12));
    assert_eq!(hours(&machine, T18), ("6".into(), vec![DoubtWhy::Start]));
}

#[test]
fn a_stop_of_our_own_is_an_end_that_is_known() {
    let mut stopped =
        Machine::seen("scaleway", &[(T00, up(Some(T00))), (T06, up(Some(T00))), (T12, idle(None))]);
    stopped.stopped = vec![time(T09)];
    assert_eq!(hours(&stopped, T24), ("9".into(), vec![]));
    let mut terminated = Machine::seen("lambda", &[(T00, up(Some(T00))), (T06, up(Some(T00)))]);
    (terminated.stopped, terminated.gone) = (vec![time(T09)], Some(time(T12)));
    assert_eq!(hours(&terminated, T24), ("9".into(), vec![]));
}
