//! The calendar month in a named time zone, as an exact interval of UTC.

use chrono::{DateTime, Datelike, LocalResult, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// One calendar month: from its first instant to the first of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    /// First instant, inclusive.
    pub start: DateTime<Utc>,
    /// First instant of the next month, exclusive.
    pub end: DateTime<Utc>,
    /// The zone whose calendar it is.
    pub zone: Tz,
}

impl Month {
    /// The month that holds `time` in `zone`.
    pub fn holding(time: DateTime<Utc>, zone: Tz) -> Self {
        let local = time.with_timezone(&zone).date_naive();
        let (year, month) = (local.year(), local.month());
        let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        Self {
            start: first_instant(year, month, zone),
            end: first_instant(next.0, next.1, zone),
            zone,
        }
    }
}

/// The first instant of a month. Where clocks jump over midnight, the day begins when they land.
fn first_instant(year: i32, month: u32, zone: Tz) -> DateTime<Utc> {
    let midnight = NaiveDate::from_ymd_opt(year, month, 1)
        .map_or(NaiveDateTime::MAX, |day| day.and_time(chrono::NaiveTime::MIN));
    let mut local = midnight;
    // No zone has ever jumped by more than a day.
    for _ in 0..=24 * 4 {
        match zone.from_local_datetime(&local) {
            LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => return time.to_utc(),
            LocalResult::None => local += TimeDelta::minutes(15),
        }
    }
    Utc.from_utc_datetime(&midnight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
    }

    fn hours(time: DateTime<Utc>, zone: Tz) -> i64 {
        let month = Month::holding(time, zone);
        (month.end - month.start).num_hours()
    }

    #[test]
    fn fl_118_the_month_is_that_of_the_zone() {
        let january = Month::holding(time("2026-01-31T14:59:00Z"), chrono_tz::Asia::Tokyo);
        let february = Month::holding(time("2026-01-31T15:01:00Z"), chrono_tz::Asia::Tokyo);
        assert_eq!(january.end, time("2026-01-31T15:00:00Z"));
        assert_eq!(february.start, january.end);
    }

    #[test]
    fn months_with_a_clock_change_have_743_or_745_hours() {
        let paris = chrono_tz::Europe::Paris;
        assert_eq!(hours(time("2026-03-15T00:00:00Z"), paris), 743);
        assert_eq!(hours(time("2026-10-15T00:00:00Z"), paris), 745);
        assert_eq!(hours(time("2026-12-31T23:30:00Z"), paris), 744, "January there");
    }

    #[test]
    fn a_month_that_begins_in_a_gap_begins_when_the_clocks_land() {
        // Asunción turned its clocks from 00:00 to 01:00 on 1 October 2017.
        let month = Month::holding(time("2017-10-15T00:00:00Z"), chrono_tz::America::Asuncion);
        assert_eq!(month.start, time("2017-10-01T04:00:00Z"));
    }
}
