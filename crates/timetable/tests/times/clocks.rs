//! Nights in which clocks are changed, forwards and backwards.

use chrono_tz::Tz;

use crate::build::{PARIS, shown, shown_backwards, table, time};

#[track_caller]
fn comes(text: &str, zone: Tz, span: (&str, &str), expected: &[&str]) {
    let table = table(text, zone);
    assert_eq!(shown(&table, span.0, span.1), expected, "forwards");
    assert_eq!(shown_backwards(&table, span.0, span.1), expected, "backwards");
    assert_eq!(table.between(time(span.0), time(span.1)), expected.len());
}

/// Paris: 02:00 → 03:00 on 29 March 2026.
const SPRING: (&str, &str) = ("2026-03-28T22:59:00Z", "2026-03-29T03:00:00Z");
/// Paris: 03:00 → 02:00 on 25 October 2026.
const AUTUMN: (&str, &str) = ("2026-10-24T21:59:00Z", "2026-10-25T03:00:00Z");

#[test]
fn fl_125_a_time_that_comes_twice_counts_once_when_it_first_comes() {
    comes("0 2 * * *", PARIS, AUTUMN, &["Sun 25 02:00 +02:00"]);
    comes("30 2 * * Sun", PARIS, AUTUMN, &["Sun 25 02:30 +02:00"]);
    let quarters = [
        "Sun 25 02:00 +02:00",
        "Sun 25 02:15 +02:00",
        "Sun 25 02:30 +02:00",
        "Sun 25 02:45 +02:00",
    ];
    comes("*/15 2 * * *", PARIS, AUTUMN, &quarters);
    let even = ["Sun 25 00:00 +02:00", "Sun 25 02:00 +02:00", "Sun 25 04:00 +01:00"];
    comes("0 */2 * * *", PARIS, AUTUMN, &even);
}

#[test]
fn fl_125_a_time_that_does_not_exist_comes_when_clocks_land() {
    comes("0 2 * * *", PARIS, SPRING, &["Sun 29 03:00 +02:00"]);
    comes("30 2 * * Sun", PARIS, SPRING, &["Sun 29 03:00 +02:00"]);
    comes("*/15 2 * * *", PARIS, SPRING, &["Sun 29 03:00 +02:00"]);
    // What lands together comes once.
    comes("30 2,3 * * *", PARIS, SPRING, &["Sun 29 03:00 +02:00", "Sun 29 03:30 +02:00"]);
    comes("0 2,3 * * *", PARIS, SPRING, &["Sun 29 03:00 +02:00"]);
    let even = ["Sun 29 00:00 +01:00", "Sun 29 03:00 +02:00", "Sun 29 04:00 +02:00"];
    comes("0 */2 * * *", PARIS, SPRING, &even);
}

#[test]
fn fl_125_hourly_is_every_real_hour_once() {
    let autumn = [
        "Sun 25 00:15 +02:00",
        "Sun 25 01:15 +02:00",
        "Sun 25 02:15 +02:00",
        "Sun 25 02:15 +01:00",
        "Sun 25 03:15 +01:00",
    ];
    comes("15 * * * *", PARIS, AUTUMN, &autumn);
    comes("15 0-23 * * *", PARIS, AUTUMN, &autumn);
    let spring = [
        "Sun 29 00:15 +01:00",
        "Sun 29 01:15 +01:00",
        "Sun 29 03:15 +02:00",
        "Sun 29 04:15 +02:00",
    ];
    comes("15 * * * *", PARIS, SPRING, &spring);
    let table = table("15 * * * *", PARIS);
    let year: Vec<_> = table
        .after(time("2026-01-01T00:00:00Z"))
        .take_while(|at| *at < time("2027-01-01T00:00:00Z"))
        .collect();
    assert_eq!(year.len(), 8_760);
    assert!(year.windows(2).all(|pair| (pair[1] - pair[0]).num_minutes() == 60));
}

#[test]
fn half_an_hour_on_lord_howe() {
    let howe = Tz::Australia__Lord_Howe;
    // 02:00 → 02:30 on 4 October 2026; 02:00 → 01:30 on 5 April 2026.
    let spring = ("2026-10-03T13:31:00Z", "2026-10-03T17:00:00Z");
    comes("15 2 * * *", howe, spring, &["Sun 04 02:30 +11:00"]);
    comes(
        "0 * * * *",
        howe,
        spring,
        &["Sun 04 01:00 +10:30", "Sun 04 03:00 +11:00", "Sun 04 04:00 +11:00"],
    );
    let autumn = ("2026-04-04T13:01:00Z", "2026-04-04T16:40:00Z");
    comes("45 1 * * *", howe, autumn, &["Sun 05 01:45 +11:00"]);
    comes(
        "45 * * * *",
        howe,
        autumn,
        &[
            "Sun 05 00:45 +11:00",
            "Sun 05 01:45 +11:00",
            "Sun 05 01:45 +10:30",
            "Sun 05 02:45 +10:30",
        ],
    );
}

#[test]
fn clocks_changed_at_midnight_in_sao_paulo() {
    let sao_paulo = Tz::America__Sao_Paulo;
    // 00:00 → 01:00 on 15 October 2017; 00:00 → 23:00 of the day before on 18 February 2018.
    let spring = ("2017-10-14T04:00:00Z", "2017-10-16T03:00:00Z");
    comes("0 0 * * *", sao_paulo, spring, &["Sun 15 01:00 -02:00", "Mon 16 00:00 -02:00"]);
    comes("0 0 * * Sun", sao_paulo, spring, &["Sun 15 01:00 -02:00"]);
    let autumn = ("2018-02-17T04:00:00Z", "2018-02-19T03:00:00Z");
    comes("30 23 * * *", sao_paulo, autumn, &["Sat 17 23:30 -02:00", "Sun 18 23:30 -03:00"]);
    comes("0 0 * * *", sao_paulo, autumn, &["Sun 18 00:00 -03:00", "Mon 19 00:00 -03:00"]);
}

#[test]
fn a_day_that_was_left_out_in_apia() {
    // Friday 30 December 2011 did not exist there.
    let span = ("2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z");
    let apia = Tz::Pacific__Apia;
    comes(
        "0 7 * * *",
        apia,
        span,
        &[
            "Thu 29 07:00 -10:00",
            "Sat 31 00:00 +14:00",
            "Sat 31 07:00 +14:00",
            "Sun 01 07:00 +14:00",
        ],
    );
    comes("0 7 * * Fri", apia, span, &["Sat 31 00:00 +14:00"]);
    comes("0 7 30 12 *", apia, span, &["Sat 31 00:00 +14:00"]);
}

#[test]
fn an_instant_is_after_itself_for_nobody() {
    let table = table("0 7 * * Mon", PARIS);
    let monday = time("2026-11-30T06:00:00Z");
    let nearly = monday - chrono::TimeDelta::nanoseconds(1);
    assert_eq!(table.next_after(nearly), Some(monday));
    assert_eq!(table.next_after(monday), Some(time("2026-12-07T06:00:00Z")));
    assert_eq!(table.last_at_or_before(monday), Some(monday));
    assert_eq!(table.last_at_or_before(nearly), Some(time("2026-11-23T06:00:00Z")));
    assert_eq!(table.between(nearly, monday), 1);
    assert_eq!(table.between(monday, monday), 0);
}

#[test]
fn before_1970_and_after_2100_there_is_nothing() {
    for text in ["0 7 * * Mon", "15 * * * *"] {
        let table = table(text, PARIS);
        assert!(
            table.next_after(time("1900-01-01T00:00:00Z")) > Some(time("1969-12-31T00:00:00Z"))
        );
        assert_eq!(table.last_at_or_before(time("1900-01-01T00:00:00Z")), None);
        assert_eq!(table.next_after(time("2101-06-01T00:00:00Z")), None);
        assert!(
            table.last_at_or_before(time("2200-01-01T00:00:00Z"))
                > Some(time("2100-12-01T00:00:00Z"))
        );
        for edge in
            [chrono::DateTime::<chrono::Utc>::MIN_UTC, chrono::DateTime::<chrono::Utc>::MAX_UTC]
        {
            table.next_after(edge);
            table.last_at_or_before(edge);
        }
    }
}
