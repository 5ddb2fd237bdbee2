//! The clock table: in whose month an hour is spent. One machine at 1 EUR an hour, billed by the
//! second, from `start` to `end`; of it the time (h:mm:ss) that a run at `now` counts in its month.

use reaper_budget::{Month, amount};

use crate::build::{Machine, all_pieces, billed, idle, number, time, zone};

struct Case {
    what: &'static str,
    zone: &'static str,
    start: &'static str,
    /// `-`: it goes on.
    end: &'static str,
    now: &'static str,
    /// First day of the month that the run counts.
    month: &'static str,
    hours: &'static str,
}

const fn case(
    what: &'static str,
    zone: &'static str,
    [start, end, now]: [&'static str; 3],
    month: &'static str,
    hours: &'static str,
) -> Case {
    Case { what, zone, start, end, now, month, hours }
}

const UTC: &str = "UTC";
const PARIS: &str = "Europe/Paris";
const NEW_YORK: &str = "America/New_York";
const KATHMANDU: &str = "Asia/Kathmandu";
const TOKYO: &str = "Asia/Tokyo";
const LORD_HOWE: &str = "Australia/Lord_Howe";
const ON: &str = "-";

#[rustfmt::skip]
const TABLE: &[Case] = &[
    case("a whole November", UTC, ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-11-30T23:59:59Z"], "2026-11-01", "719:59:59"),
    case("the first second of December has nothing of it", UTC, ["2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z"], "2026-12-01", "0:00:00"),
    case("one second into the month, an hour old", UTC, ["2026-11-30T23:00:00Z", ON, "2026-12-01T00:00:01Z"], "2026-12-01", "0:00:01"),
    case("the last second of the month", UTC, ["2026-11-30T23:00:00Z", ON, "2026-11-30T23:59:59Z"], "2026-11-01", "0:59:59"),
    case("exactly midnight", UTC, ["2026-11-30T23:00:00Z", ON, "2026-12-01T00:00:00Z"], "2026-12-01", "0:00:00"),
    case("started at midnight", UTC, ["2026-12-01T00:00:00Z", ON, "2026-12-01T06:00:00Z"], "2026-12-01", "6:00:00"),
    case("a run a minute later counts a minute more", UTC, ["2026-12-01T00:00:00Z", ON, "2026-12-01T06:01:00Z"], "2026-12-01", "6:01:00"),
    case("a missed week is counted", UTC, ["2026-11-10T00:00:00Z", ON, "2026-11-20T00:00:00Z"], "2026-11-01", "240:00:00"),
    case("two months old, only this one counts", UTC, ["2026-09-15T00:00:00Z", ON, "2026-11-02T00:00:00Z"], "2026-11-01", "24:00:00"),
    case("ended last month", UTC, ["2026-10-01T00:00:00Z", "2026-10-31T23:59:59Z", "2026-11-02T00:00:00Z"], "2026-11-01", "0:00:00"),
    case("ended in the first hour", UTC, ["2026-10-01T00:00:00Z", "2026-11-01T01:00:00Z", "2026-11-02T00:00:00Z"], "2026-11-01", "1:00:00"),
    case("the turn of the year", UTC, ["2026-12-31T12:00:00Z", ON, "2027-01-01T12:00:00Z"], "2027-01-01", "12:00:00"),
    case("the last day of the year", UTC, ["2026-12-31T12:00:00Z", ON, "2026-12-31T18:00:00Z"], "2026-12-01", "6:00:00"),
    case("a leap February has 696 hours", UTC, ["2028-01-15T00:00:00Z", "2028-03-01T00:00:00Z", "2028-02-29T23:59:59Z"], "2028-02-01", "695:59:59"),
    case("on the leap day", UTC, ["2028-02-28T00:00:00Z", ON, "2028-02-29T12:00:00Z"], "2028-02-01", "36:00:00"),
    case("after the leap day", UTC, ["2028-02-29T00:00:00Z", ON, "2028-03-01T12:00:00Z"], "2028-03-01", "12:00:00"),
    case("a common February", UTC, ["2026-01-15T00:00:00Z", ON, "2026-02-28T23:00:00Z"], "2026-02-01", "671:00:00"),
    case("a century that leaps", UTC, ["2000-02-28T00:00:00Z", ON, "2000-02-29T12:00:00Z"], "2000-02-01", "36:00:00"),

    case("Paris begins November an hour before UTC", PARIS, ["2026-10-31T00:00:00Z", ON, "2026-10-31T23:30:00Z"], "2026-11-01", "0:30:00"),
    case("and October ends there", PARIS, ["2026-10-31T00:00:00Z", ON, "2026-10-31T22:59:59Z"], "2026-10-01", "22:59:59"),
    case("summer: two hours before", PARIS, ["2026-06-30T20:00:00Z", ON, "2026-06-30T23:00:00Z"], "2026-07-01", "1:00:00"),
    case("March in Paris has 743 hours", PARIS, ["2026-02-01T00:00:00Z", ON, "2026-03-31T21:59:59Z"], "2026-03-01", "742:59:59"),
    case("October in Paris has 745 hours", PARIS, ["2026-09-01T00:00:00Z", ON, "2026-10-31T22:59:59Z"], "2026-10-01", "744:59:59"),
    case("through the hour that does not exist", PARIS, ["2026-03-29T00:00:00Z", ON, "2026-03-29T02:00:00Z"], "2026-03-01", "2:00:00"),
    case("through the hour that comes twice", PARIS, ["2026-10-25T00:00:00Z", ON, "2026-10-25T02:00:00Z"], "2026-10-01", "2:00:00"),
    case("in the second 02:10", PARIS, ["2026-10-25T00:10:00Z", ON, "2026-10-25T01:10:00Z"], "2026-10-01", "1:00:00"),

    case("New York begins November four hours after UTC", NEW_YORK, ["2026-11-01T00:00:00Z", ON, "2026-11-01T03:59:59Z"], "2026-10-01", "3:59:59"),
    case("and counts from there", NEW_YORK, ["2026-11-01T00:00:00Z", ON, "2026-11-01T05:00:00Z"], "2026-11-01", "1:00:00"),
    case("the day its clocks go back", NEW_YORK, ["2026-11-01T04:00:00Z", ON, "2026-11-02T05:00:00Z"], "2026-11-01", "25:00:00"),
    case("November there has 721 hours", NEW_YORK, ["2026-10-01T00:00:00Z", ON, "2026-12-01T04:59:59Z"], "2026-11-01", "720:59:59"),
    case("March there has 743", NEW_YORK, ["2026-02-01T00:00:00Z", ON, "2026-04-01T03:59:59Z"], "2026-03-01", "742:59:59"),

    case("Kathmandu is 5 h 45 min ahead", KATHMANDU, ["2026-11-30T18:00:00Z", ON, "2026-11-30T18:14:59Z"], "2026-11-01", "0:14:59"),
    case("and begins December in the middle of an hour", KATHMANDU, ["2026-11-30T18:00:00Z", ON, "2026-11-30T18:30:00Z"], "2026-12-01", "0:15:00"),
    case("exactly then", KATHMANDU, ["2026-11-30T18:00:00Z", ON, "2026-11-30T18:15:00Z"], "2026-12-01", "0:00:00"),

    case("fl_118 three hours belong to January in Tokyo", TOKYO, ["2026-01-31T12:00:00Z", "2026-01-31T18:00:00Z", "2026-01-31T14:59:59Z"], "2026-01-01", "2:59:59"),
    case("fl_118 and three to February", TOKYO, ["2026-01-31T12:00:00Z", "2026-01-31T18:00:00Z", "2026-01-31T18:00:00Z"], "2026-02-01", "3:00:00"),
    case("fl_118 at 15:01Z it is February there", TOKYO, ["2026-01-31T12:00:00Z", ON, "2026-01-31T15:01:00Z"], "2026-02-01", "0:01:00"),
    case("Tokyo's new year", TOKYO, ["2026-12-31T00:00:00Z", ON, "2026-12-31T16:00:00Z"], "2027-01-01", "1:00:00"),

    case("Lord Howe moves its clocks by half an hour", LORD_HOWE, ["2026-09-01T00:00:00Z", ON, "2026-10-31T12:59:59Z"], "2026-10-01", "743:29:59"),
    case("and its April has 720.5 hours", LORD_HOWE, ["2026-03-01T00:00:00Z", ON, "2026-04-30T13:29:59Z"], "2026-04-01", "720:29:59"),
    case("a zone far to the west", "Pacific/Pago_Pago", ["2026-11-30T00:00:00Z", ON, "2026-12-01T10:59:59Z"], "2026-11-01", "34:59:59"),
    case("a zone far to the east", "Pacific/Kiritimati", ["2026-11-30T00:00:00Z", ON, "2026-11-30T10:00:01Z"], "2026-12-01", "0:00:01"),
    case("a month that begins in a gap", "America/Asuncion", ["2017-10-01T00:00:00Z", ON, "2017-10-01T05:00:00Z"], "2017-10-01", "1:00:00"),
];

#[test]
fn every_hour_is_spent_in_its_month() {
    assert!(TABLE.len() >= 40, "{}", TABLE.len());
    for Case { what, zone: name, start, end, now, month, hours } in TABLE {
        let zone = zone(name);
        let now = time(now);
        let mut looks = vec![(time(start), billed(Some(start), Some("1 EUR")))];
        if *end == ON || now < time(end) {
            looks.push((now, billed(Some(start), Some("1 EUR"))));
        } else {
            looks.push((now, idle(Some(end))));
        }
        let machines = [Machine::at("aws", "i-1", looks)];
        let period = Month::holding(now, zone);
        let pieces = all_pieces(&machines, now);
        let spent = pieces.iter().map(|piece| amount(piece, period.start, now, zone));
        let counted: u64 = spent.map(|amount| amount.seconds).sum();
        let shown = format!("{}:{:02}:{:02}", counted / 3600, counted / 60 % 60, counted % 60);
        assert_eq!(shown, *hours, "{what}");
        let first = period.start.with_timezone(&zone).date_naive();
        assert_eq!(first.to_string(), *month, "{what}");
        assert!(pieces.iter().all(|piece| piece.doubt.is_empty()), "{what}: nothing is in doubt");
    }
}

#[test]
fn the_golden_month_on_an_a100() {
    let start = "2026-11-01T00:00:00Z";
    let machines = [Machine::seen(
        "aws",
        &[
            (start, billed(Some(start), Some("3.50 EUR"))),
            ("2026-12-01T00:00:00Z", idle(Some("2026-12-01T00:00:00Z"))),
        ],
    )];
    let now = time("2026-12-01T00:00:00Z");
    let pieces = all_pieces(&machines, now);
    let november = Month::holding(time(start), zone(UTC));
    let spent: Vec<_> = pieces
        .iter()
        .map(|piece| amount(piece, november.start, november.end, november.zone))
        .collect();
    assert_eq!(spent.len(), 1);
    assert_eq!(spent[0].hours(), number("720"));
    assert_eq!(spent[0].money.expect("priced").to_string(), "2,520.00 EUR");
}
