//! The world's clock, which only tests and the demo move, and times written relative to it.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::Span;
use serde::Deserialize;

/// The clock of a world: when it began, and what time it is now, both UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "ClockFile")]
pub struct Clock {
    start: DateTime<Utc>,
    now: DateTime<Utc>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockFile {
    start: DateTime<Utc>,
}

impl From<ClockFile> for Clock {
    fn from(file: ClockFile) -> Self {
        Self::starting(file.start)
    }
}

impl Clock {
    /// A clock that stands at `start`.
    pub const fn starting(start: DateTime<Utc>) -> Self {
        Self { start, now: start }
    }

    /// When the world began; relative times count from here, so that machines age when the clock
    /// moves.
    pub const fn start(&self) -> DateTime<Utc> {
        self.start
    }

    /// What time it is in the world.
    pub const fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Sets the time, forwards or backwards.
    pub fn set(&mut self, now: DateTime<Utc>) {
        self.now = now;
    }

    /// The time that `when` stands for.
    pub fn resolve(&self, when: When) -> DateTime<Utc> {
        match when {
            When::At(time) => time,
            When::Relative(offset) => {
                self.start.checked_add_signed(offset).unwrap_or(DateTime::<Utc>::MIN_UTC)
            }
        }
    }
}

impl Default for Clock {
    /// Midnight at the start of 2026: a world without a clock is the same on every day.
    fn default() -> Self {
        Self::starting(DateTime::from_timestamp_nanos(1_767_225_600_000_000_000))
    }
}

/// A point in time as world files write it: `720h` (so long before the world began), `+90s` (so
/// long after) or an RFC 3339 time.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum When {
    /// A fixed time, UTC.
    At(DateTime<Utc>),
    /// Counted from the start of the world; negative is before.
    Relative(TimeDelta),
}

impl When {
    /// So long before the world began.
    pub fn ago(span: Span) -> Self {
        Self::Relative(-span.delta())
    }

    /// So long after the world began.
    pub fn later(span: Span) -> Self {
        Self::Relative(span.delta())
    }
}

impl fmt::Debug for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(time) => write!(f, "{}", time.to_rfc3339()),
            Self::Relative(offset) => write!(f, "{:+}s", offset.num_seconds()),
        }
    }
}

/// The text is neither a duration nor a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time: write 720h (ago), +90s (to come) or an RFC 3339 time")]
pub struct ParseWhenError(String);

impl FromStr for When {
    type Err = ParseWhenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseWhenError(text.to_owned());
        if let Some(later) = text.strip_prefix('+') {
            return later.parse().map(Self::later).map_err(|_| fail());
        }
        if let Ok(ago) = text.parse() {
            return Ok(Self::ago(ago));
        }
        DateTime::parse_from_rfc3339(text).map(|time| Self::At(time.to_utc())).map_err(|_| fail())
    }
}

impl TryFrom<String> for When {
    type Error = ParseWhenError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_times_count_from_the_start_and_not_from_now() {
        let mut clock = Clock::default();
        let launched: When = "720h".parse().expect("a duration");
        let before = clock.resolve(launched);
        assert_eq!((clock.now() - before).num_hours(), 720);
        clock.set(clock.start() + TimeDelta::hours(5));
        assert_eq!(clock.resolve(launched), before);
        let later: When = "+90s".parse().expect("a duration to come");
        assert_eq!((clock.resolve(later) - clock.start()).num_seconds(), 90);
    }

    #[test]
    fn fixed_times_are_read_in_any_offset() {
        let when: When = "2026-11-30T10:00:00+01:00".parse().expect("a time");
        assert_eq!(Clock::default().resolve(when).to_rfc3339(), "2026-11-30T09:00:00+00:00");
        assert!("yesterday".parse::<When>().is_err());
    }
}
