//! What is to be done now, whatever the runs in between were: late, doubled, dropped.

use chrono::{DateTime, Utc};

use crate::timetable::Timetable;

/// How many missed due times are counted at most.
pub const MOST_COUNTED: u32 = 10_000;

/// A due time that is to be answered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The due time: the last that has come.
    pub at: DateTime<Utc>,
    /// How many others have come since `last` and were never answered, at most [`MOST_COUNTED`].
    /// They are answered by this one.
    pub missed: u32,
}

/// The due time that is to be answered at `now`; `None` if the last one that has come was answered.
/// `last` is the due time, or the instant, for which this was last done: `None` lets the last one
/// that has come be due, and misses nothing.
pub fn due(timetable: &Timetable, last: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Due> {
    let at = timetable.last_at_or_before(now)?;
    let Some(last) = last else { return Some(Due { at, missed: 0 }) };
    if at <= last {
        return None;
    }
    let others = timetable.after(last).take_while(|other| *other < at);
    let missed = (0..MOST_COUNTED).zip(others).count();
    // Never more than `MOST_COUNTED`, which is a u32.
    Some(Due { at, missed: u32::try_from(missed).unwrap_or(MOST_COUNTED) })
}
