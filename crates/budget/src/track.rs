//! What is remembered of one machine's bill: looks, oldest first. A look is remembered where it
//! differs from the one before.

use chrono::{DateTime, Utc};
use reaper_model::{InstanceId, Reading};

/// One look that told something new.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// When (UTC).
    pub at: DateTime<Utc>,
    /// Until when the look before was last seen to hold; `None` where there is none before.
    pub confirmed: Option<DateTime<Utc>>,
    /// When, between the two, a complete listing first did not show the machine.
    pub absent: Option<DateTime<Utc>>,
    /// What it said.
    pub reading: &'a Reading,
}

/// All looks at one machine.
#[derive(Debug, Clone)]
pub struct Track<'a> {
    /// The machine.
    pub id: &'a InstanceId,
    /// The looks, oldest first.
    pub looks: Vec<Look<'a>>,
    /// When it was last seen: until then the last look holds.
    pub seen: DateTime<Utc>,
    /// What was before this was given up for want of room; the looks before are missing.
    pub cut: Option<DateTime<Utc>>,
    /// When we have stopped or terminated it ourselves, with a success that the provider has
    /// confirmed since.
    pub stopped: Vec<DateTime<Utc>>,
    /// The first complete listing since then that did not show it, if there is one.
    pub gone: Option<DateTime<Utc>>,
}

impl Track<'_> {
    /// When we ended it ourselves between two times.
    pub(crate) fn ended_by_us(
        &self,
        after: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        self.stopped.iter().copied().filter(|at| *at > after && *at <= until).min()
    }

    /// Until when the look at `place` is known to hold: never before the look itself.
    pub(crate) fn held(&self, place: usize) -> Option<DateTime<Utc>> {
        let look = self.looks.get(place)?;
        Some(match self.looks.get(place + 1) {
            None => self.seen.max(look.at),
            Some(next) => next.confirmed.unwrap_or(look.at).min(next.at).max(look.at),
        })
    }
}
