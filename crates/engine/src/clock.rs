//! The clock of a run: the wall clock as it stood at the start, going on evenly, or a time that the
//! command line fixed.

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

/// What time it is. One clock serves a whole run, so that its records are in order whatever
/// happens to the wall clock meanwhile.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// Stands still.
    Fixed(DateTime<Utc>),
    /// Goes on from `start`, which was at `since`.
    Running {
        /// The wall clock when the run began (UTC).
        start: DateTime<Utc>,
        /// The same moment, monotonic.
        since: Instant,
    },
}

impl Clock {
    /// A clock that starts now and goes on.
    pub fn running(start: DateTime<Utc>) -> Self {
        Self::Running { start, since: Instant::now() }
    }

    /// The time (UTC).
    pub fn now(&self) -> DateTime<Utc> {
        match self {
            Self::Fixed(now) => *now,
            Self::Running { start, since } => {
                let elapsed = TimeDelta::from_std(since.elapsed()).unwrap_or(TimeDelta::MAX);
                start.checked_add_signed(elapsed).unwrap_or(DateTime::<Utc>::MAX_UTC)
            }
        }
    }
}
