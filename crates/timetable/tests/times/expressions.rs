//! What is understood, and what is refused with what to write instead.

use chrono_tz::Tz;
use reaper_timetable::Timetable;

use crate::build::{PARIS, shown, table};

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let refused = Timetable::parse(text, Tz::UTC).expect_err(text).to_string();
    for part in parts {
        assert!(refused.contains(part), "{text}: {refused}");
    }
}

/// The days of a week from Sunday 1 to Saturday 7 November 2026.
fn week(weekdays: &str) -> Vec<String> {
    let table = table(&format!("0 7 * * {weekdays}"), Tz::UTC);
    let times = shown(&table, "2026-10-31T12:00:00Z", "2026-11-07T12:00:00Z");
    times.iter().map(|time| time[..3].to_owned()).collect()
}

#[test]
fn fl_126_a_weekday_by_number_is_refused_wherever_it_stands() {
    for text in ["1", "0", "7", "1-5", "Mon,3", "Mon-5", "*/2", "Mon#1", "5L", "Fri/2", "?", "L"] {
        refused(&format!("0 7 * * {text}"), &["weekday"]);
    }
    for text in ["0", "1", "7", "1-5", "Mon,3", "Mon-5"] {
        refused(&format!("0 7 * * {text}"), &["is a number", "Mon-Fri"]);
    }
    refused("0 7 * * Mond", &["`Mond` is no weekday", "Mon, Mon-Fri"]);
    refused("0 7 * * ,Mon", &["weekday"]);
}

#[test]
fn fl_126_weekdays_by_name_are_the_days_that_they_say() {
    for day in ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] {
        assert_eq!(week(day), [day]);
        assert_eq!(week(&day.to_uppercase()), [day]);
    }
    assert_eq!(week("Monday"), ["Mon"]);
    assert_eq!(week("Mon-Fri"), ["Mon", "Tue", "Wed", "Thu", "Fri"]);
    assert_eq!(week("Thu,Mon"), ["Mon", "Thu"]);
    assert_eq!(week("Fri-Mon"), ["Sun", "Mon", "Fri", "Sat"]);
    assert_eq!(week("Mon-Sun"), week("*"));
    assert_eq!(week("*").len(), 7);
}

#[test]
fn there_are_exactly_five_fields() {
    refused("7 * * Mon", &["has 4 fields", "0 7 * * Mon"]);
    refused("0 0 7 * * Mon", &["has 6 fields", "no seconds"]);
    refused("0 0 7 * * Mon 2026", &["has 7 fields", "no years"]);
    refused("", &["has 0 fields"]);
    for text in ["@weekly", "@daily", "@reboot", " @hourly "] {
        refused(text, &[text.trim(), "0 7 * * Mon"]);
    }
    assert_eq!(table(" 0  7 * *\tMon ", Tz::UTC).expression(), "0 7 * * Mon");
    assert_eq!(table("0 7 * * Mon", PARIS).to_string(), "0 7 * * Mon (Europe/Paris)");
}

#[test]
fn numbers_are_within_their_field() {
    refused("60 7 * * *", &["`60` is no minute", "0 to 59"]);
    refused("0 24 * * *", &["`24` is no hour", "0 to 23"]);
    refused("0 7 0 * *", &["`0` is no day of the month", "1 to 31"]);
    refused("0 7 32 * *", &["`32` is no day of the month"]);
    refused("0 7 1 13 *", &["`13` is no month", "Jan to Dec"]);
    refused("0 7 1 Janvier *", &["`Janvier` is no month"]);
    refused("x 7 * * *", &["`x` is no minute"]);
    refused("+5 7 * * *", &["`+5` is no minute"]);
    refused("0 7 ? * *", &["`?` is no day of the month"]);
    refused("0 7 L * *", &["`L` is no day of the month"]);
}

#[test]
fn steps_and_ranges_are_those_of_cron() {
    let hours = |text: &str| {
        let table = table(text, Tz::UTC);
        let times = shown(&table, "2026-11-01T23:59:00Z", "2026-11-02T23:59:00Z");
        times.iter().map(|time| time[7..12].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(hours("0 */6 * * *"), ["00:00", "06:00", "12:00", "18:00"]);
    assert_eq!(hours("0 */7 * * *"), ["00:00", "07:00", "14:00", "21:00"]);
    assert_eq!(hours("0 8-18/5 * * *"), ["08:00", "13:00", "18:00"]);
    assert_eq!(hours("5,35 7,20-21 * * *"), ["07:05", "07:35", "20:05", "20:35", "21:05", "21:35"]);
    assert_eq!(hours("*/15 7 * * *"), ["07:00", "07:15", "07:30", "07:45"]);
    assert_eq!(hours("* * * * *").len(), 24 * 60);
    refused("5/15 7 * * *", &["no end", "5-59/15"]);
    refused("*/0 7 * * *", &["step `0`", "1 to 59"]);
    refused("*/60 7 * * *", &["step `60`"]);
    refused("*/ 7 * * *", &["step ``"]);
    refused("0 22-6 * * *", &["runs backwards", "22-23,0-6"]);
    refused("0 7 1 Nov-Feb *", &["runs backwards", "11-12,1-2"]);
    refused("0 7- * * *", &["`` is no hour"]);
}

#[test]
fn months_are_numbers_or_names() {
    let next = |text: &str| {
        let times = shown(&table(text, Tz::UTC), "2026-11-01T00:00:00Z", "2027-12-31T00:00:00Z");
        times.len()
    };
    for text in ["0 7 1 1,2 *", "0 7 1 Jan,Feb *", "0 7 1 January-february *", "0 7 1 01-02 *"] {
        assert_eq!(next(text), 2, "{text}");
    }
    // February and May to November of 2027, and the one of 2026 that has begun.
    assert_eq!(next("0 7 1 */3 *"), 4);
}

#[test]
fn a_day_of_the_month_together_with_a_weekday_is_refused() {
    for text in ["0 7 1 * Mon", "0 7 1-7 * Mon", "0 7 */2 * Mon-Fri"] {
        refused(text, &["the day of the month is", "some programs"]);
    }
}

#[test]
fn what_never_comes_is_refused() {
    for text in ["0 7 30 2 *", "0 7 31 Feb,Apr,Jun *", "0 7 30,31 2 *"] {
        refused(text, &["never comes"]);
    }
    let leap = shown(&table("0 7 29 2 *", Tz::UTC), "2026-11-01T00:00:00Z", "2033-01-01T00:00:00Z");
    assert_eq!(leap, ["Tue 29 07:00 +00:00", "Sun 29 07:00 +00:00"]);
}
