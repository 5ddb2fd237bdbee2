//! What clocks show in a zone: local times that do not exist, local times that come twice, and when
//! the clocks are changed.

use chrono::{
    DateTime, LocalResult, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Timelike as _, Utc,
};
use chrono_tz::Tz;

/// No zone has ever been further from UTC.
const FURTHEST: TimeDelta = TimeDelta::hours(16);
/// How far clocks can be turned back, with a little more: Alaska's were by a day and an hour.
pub(crate) const FURTHEST_BACK: TimeDelta = TimeDelta::hours(26);

/// What clocks show.
pub(crate) fn shown(zone: Tz, at: DateTime<Utc>) -> NaiveDateTime {
    zone.from_utc_datetime(&at.naive_utc()).naive_local()
}

/// What clocks show less UTC.
pub(crate) fn offset(zone: Tz, at: DateTime<Utc>) -> TimeDelta {
    let seconds = zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc();
    TimeDelta::seconds(i64::from(seconds))
}

/// Without fractions of a second.
pub(crate) fn whole_second(at: DateTime<Utc>) -> DateTime<Utc> {
    at.with_nanosecond(0).unwrap_or(at)
}

/// When clocks first show a local time; where they jump over it, when they land.
pub(crate) fn first_shown(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => time.to_utc(),
        LocalResult::None => {
            let about = local.and_utc();
            first(about - FURTHEST, about + FURTHEST, |at| shown(zone, at) >= local)
        }
    }
}

/// The first change of the clocks after `from`, not later than `until`.
pub(crate) fn change_after(
    zone: Tz,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let before = offset(zone, from);
    let mut low = from;
    while low < until {
        let high = (low + TimeDelta::days(1)).min(until);
        if offset(zone, high) != before {
            return Some(first(low, high, |at| offset(zone, at) != before));
        }
        low = high;
    }
    None
}

/// The last change of the clocks up to `until`, later than `from`.
pub(crate) fn change_before(
    zone: Tz,
    until: DateTime<Utc>,
    from: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let after = offset(zone, until);
    let mut high = until;
    while high > from {
        let low = (high - TimeDelta::days(1)).max(from);
        if offset(zone, low) != after {
            return Some(first(low, high, |at| offset(zone, at) == after));
        }
        high = low;
    }
    None
}

/// The first second after `low`, at most `high`, from which on something holds.
fn first(
    mut low: DateTime<Utc>,
    mut high: DateTime<Utc>,
    holds: impl Fn(DateTime<Utc>) -> bool,
) -> DateTime<Utc> {
    while high - low > TimeDelta::seconds(1) {
        let middle = low + TimeDelta::seconds((high - low).num_seconds() / 2);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
