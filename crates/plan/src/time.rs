//! Arithmetic with times that cannot overflow, and times as shown to people.

use chrono::{DateTime, Utc};
use reaper_model::Span;

/// So much later; at the end of time at the latest.
pub(crate) fn after(time: DateTime<Utc>, span: Span) -> DateTime<Utc> {
    time.checked_add_signed(span.delta()).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// The same time, or the next that a mail can name to the minute.
pub(crate) fn full_minute(time: DateTime<Utc>) -> DateTime<Utc> {
    let seconds = time.timestamp() + i64::from(time.timestamp_subsec_nanos() > 0);
    let missing = (60 - seconds.rem_euclid(60)) % 60;
    DateTime::from_timestamp(seconds + missing, 0).unwrap_or(time)
}

/// UTC, to the minute.
pub(crate) fn stamp(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promised_time_is_never_before_the_period_has_ended() {
        for (exact, promised) in [
            ("2026-12-04T09:00:00Z", "2026-12-04T09:00:00Z"),
            ("2026-12-04T09:00:00.000000001Z", "2026-12-04T09:01:00Z"),
            ("2026-12-04T09:00:01Z", "2026-12-04T09:01:00Z"),
            ("2026-12-04T08:59:59.999Z", "2026-12-04T09:00:00Z"),
            ("1969-12-31T23:59:30Z", "1970-01-01T00:00:00Z"),
        ] {
            let time = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
            assert_eq!(full_minute(time(exact)), time(promised), "{exact}");
        }
        assert_eq!(full_minute(DateTime::<Utc>::MAX_UTC), DateTime::<Utc>::MAX_UTC);
    }

    #[test]
    fn a_period_without_end_does_not_overflow() {
        let now = "2026-12-04T09:00:00Z".parse().expect("a time");
        assert_eq!(after(now, Span::from_secs(u64::MAX)), DateTime::<Utc>::MAX_UTC);
    }
}
