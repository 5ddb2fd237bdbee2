//! What the rest of the week costs if nobody switches the machine off: for machines that were judged
//! idle, and for notebooks, which people leave on over the weekend.

use chrono::{DateTime, Datelike as _, Days, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Purchase, Span};
use rust_decimal::Decimal;

use crate::adviser::Case;
use crate::notebook;
use crate::question::Advice;
use crate::text;

pub(crate) fn advise(case: &Case<'_>) -> Option<Advice> {
    let question = case.question;
    let instance = question.instance;
    let by_the_hour = matches!(instance.purchase, Purchase::OnDemand | Purchase::Spot { .. });
    let sign = question.idle || notebook::sign(instance).is_some();
    if !by_the_hour || !sign || question.switched_off {
        return None;
    }
    let hourly = question.price.value()?.hourly();
    let end = end_of_week(question.now, question.zone)?;
    let seconds = Span::between(question.now, end.to_utc()).as_secs();
    let hours = Decimal::from(seconds) / Decimal::from(3600);
    let text = format!(
        "If nobody switches it off, it runs for another {} hours this week, until {}: {} at {} {} per \
         hour.",
        hours.round_dp(1).normalize(),
        text::time(end),
        hourly.times(hours),
        hourly.with_digits(6).all_digits(),
        hourly.currency,
    );
    let (kind, confidence) = (AdviceKind::Hours, Confidence::High);
    Some(Advice { kind, text, saves_per_month: None, confidence })
}

/// The first moment of the next Monday; where clocks jump over midnight, when they land.
fn end_of_week(now: DateTime<Utc>, zone: Tz) -> Option<DateTime<Tz>> {
    let today = now.with_timezone(&zone).date_naive();
    let left = 7 - u64::from(today.weekday().num_days_from_monday());
    let midnight = today.checked_add_days(Days::new(left))?.and_time(NaiveTime::MIN);
    let quarters = (0..96).map(|quarter| midnight + TimeDelta::minutes(15 * quarter));
    quarters.into_iter().find_map(|local| local.and_local_timezone(zone).earliest())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(now: &str, zone: Tz) -> String {
        let now = DateTime::parse_from_rfc3339(now).expect("a time").to_utc();
        text::time(end_of_week(now, zone).expect("a Monday"))
    }

    #[test]
    fn a_week_ends_at_the_zone_s_own_midnight() {
        let amsterdam = chrono_tz::Europe::Amsterdam;
        assert_eq!(end("2026-12-04T17:00:00Z", amsterdam), "Mon 7 Dec 2026, 00:00 +01:00");
        assert_eq!(end("2026-12-06T22:59:59Z", amsterdam), "Mon 7 Dec 2026, 00:00 +01:00");
        assert_eq!(end("2026-12-06T23:00:00Z", amsterdam), "Mon 14 Dec 2026, 00:00 +01:00");
        assert_eq!(end("2026-10-24T12:00:00Z", amsterdam), "Mon 26 Oct 2026, 00:00 +01:00");
    }

    #[test]
    fn where_clocks_jump_over_midnight_the_week_ends_when_they_land() {
        let tehran = chrono_tz::Asia::Tehran;
        assert_eq!(end("2021-03-21T12:00:00Z", tehran), "Mon 22 Mar 2021, 01:00 +04:30");
    }
}
