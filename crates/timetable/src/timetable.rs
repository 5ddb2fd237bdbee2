//! An expression in a time zone. The crate `cron` walks through local times; here they become
//! instants, also where clocks are changed:
//!
//! - At certain hours (`30 2 * * *`, `0 */2 * * *`) each local time counts once. One that comes twice
//!   counts when it comes first, one that clocks jump over when they land; what lands together
//!   counts once.
//! - In every hour (`15 * * * *`) it is what clocks show that counts, each time that they show it:
//!   the hour that clocks jump over does not come, the one that comes twice comes twice. So it comes
//!   after every 60 real minutes in such nights as well; where clocks are changed by half an hour,
//!   once half an hour sooner or later.

use std::fmt;

use chrono::{DateTime, Datelike as _, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use cron::Schedule;

use crate::expression::{self, BadExpression, Expression};
use crate::zone;

/// The years that the crate `cron` knows.
const FIRST_YEAR: i32 = 1970;
const LAST_YEAR: i32 = 2100;

const SECOND: TimeDelta = TimeDelta::seconds(1);

/// When something is due, up to the year 2100.
#[derive(Debug, Clone)]
pub struct Timetable {
    text: String,
    zone: Tz,
    schedule: Schedule,
    is_hourly: bool,
}

impl Timetable {
    /// Reads five fields: minute, hour, day of the month, month, weekday; weekdays by name.
    ///
    /// # Errors
    ///
    /// If it is not understood, never comes, or would be read differently elsewhere.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, BadExpression> {
        let Expression { text, schedule, is_hourly } = expression::read(text)?;
        Ok(Self { text, zone, schedule, is_hourly })
    }

    /// The five fields, one blank between them.
    pub fn expression(&self) -> &str {
        &self.text
    }

    /// The zone whose clocks count.
    pub fn zone(&self) -> Tz {
        self.zone
    }

    /// The first due time after an instant.
    pub fn next_after(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let at = within(at);
        if self.is_hourly { self.next_shown(at) } else { self.next_named(at) }
    }

    /// The last due time that is not after an instant.
    pub fn last_at_or_before(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let at = within(at);
        if self.is_hourly { self.last_shown(at) } else { self.last_named(at) }
    }

    /// The due times after `from`, in order.
    pub fn after(&self, from: DateTime<Utc>) -> impl Iterator<Item = DateTime<Utc>> {
        let next = move |at: &DateTime<Utc>| self.next_after(*at);
        std::iter::successors(self.next_after(from), next)
    }

    /// How many due times there are after `from` and not after `until`.
    pub fn between(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> usize {
        self.after(from).take_while(|at| *at <= until).count()
    }

    fn next_named(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // What clocks will show later, or jump over, is never before what they show now.
        let mut local = self.local_from(zone::shown(self.zone, at))?;
        loop {
            let time = zone::first_shown(self.zone, local);
            if time > at {
                return Some(time);
            }
            local = self.local_from(local + SECOND)?;
        }
    }

    fn last_named(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // Clocks that were turned back have shown later times than now.
        let turned = zone::change_before(self.zone, at, at - zone::FURTHEST_BACK);
        let before = turned.map(|turned| zone::shown(self.zone, turned - SECOND));
        let shown = zone::shown(self.zone, at);
        let mut local = self.local_up_to(before.map_or(shown, |before| before.max(shown)))?;
        loop {
            let time = zone::first_shown(self.zone, local);
            if time <= at {
                return Some(time);
            }
            local = self.local_up_to(local - SECOND)?;
        }
    }

    fn next_shown(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut from = at + SECOND;
        loop {
            let offset = zone::offset(self.zone, from);
            let time = (self.local_from(from.naive_utc() + offset)? - offset).and_utc();
            match zone::change_after(self.zone, from, time) {
                Some(change) => from = change,
                None => return Some(time),
            }
        }
    }

    fn last_shown(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut until = at;
        loop {
            let offset = zone::offset(self.zone, until);
            let time = (self.local_up_to(until.naive_utc() + offset)? - offset).and_utc();
            match zone::change_before(self.zone, until, time) {
                Some(change) => until = change - SECOND,
                None => return Some(time),
            }
        }
    }

    /// The first local time that fits, from `local` on.
    fn local_from(&self, local: NaiveDateTime) -> Option<NaiveDateTime> {
        let begin = DateTime::UNIX_EPOCH.naive_utc();
        let before = (local.max(begin) - SECOND).and_utc();
        let next = self.schedule.after(&before).next();
        next.map(|next| next.naive_utc())
    }

    /// The last local time that fits, up to `local`.
    fn local_up_to(&self, local: NaiveDateTime) -> Option<NaiveDateTime> {
        if local.year() < FIRST_YEAR {
            return None;
        }
        // From a year that the crate does not know it would not begin at the end of the last one.
        let end = DateTime::UNIX_EPOCH.naive_utc().with_year(LAST_YEAR + 1)? - SECOND;
        let after = (local.min(end) + SECOND).and_utc();
        let last = self.schedule.after(&after).next_back();
        last.map(|last| last.naive_utc())
    }
}

/// A whole second, not so far from the years with due times that nothing can be added to it.
fn within(at: DateTime<Utc>) -> DateTime<Utc> {
    let year = |year| DateTime::UNIX_EPOCH.with_year(year).unwrap_or(at);
    zone::whole_second(at.clamp(year(FIRST_YEAR - 2), year(LAST_YEAR + 2)))
}

impl PartialEq for Timetable {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.zone == other.zone
    }
}

impl Eq for Timetable {}

impl fmt::Display for Timetable {
    /// `0 7 * * Mon (Europe/Amsterdam)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.zone)
    }
}
