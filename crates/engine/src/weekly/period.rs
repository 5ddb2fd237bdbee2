//! Which due time is to be answered, and the period of that report. From the log alone: late,
//! doubled and dropped runs come to one report a week, and periods join without gap or overlap.

use chrono::{DateTime, Utc};
use reaper_ledger::state::Step;
use reaper_ledger::{Message, ReportIntent, ReportKey, State};
use reaper_timetable::{Timetable, due};

/// A report that is due, or of which some recipients still have to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    /// The due time that it answers.
    pub(crate) due: DateTime<Utc>,
    /// The start, exclusive: what the run of the report before did at that instant was told there.
    pub(crate) from: DateTime<Utc>,
    /// The end, inclusive.
    pub(crate) until: DateTime<Utc>,
    /// How many due times it covers.
    pub(crate) covers: u32,
    /// Whether no report is known to have gone out before.
    pub(crate) first: bool,
}

/// The report to be sent at `now`; `None` where the last due time is answered.
pub(crate) fn period(timetable: &Timetable, state: &State, now: DateTime<Utc>) -> Option<Period> {
    // A due time is answered when everybody was tried and nobody is left to try again.
    let last = timetable.last_at_or_before(now)?;
    if state.report_made() >= Some(last) && !of(state, last).any(|(_, told)| is_open(told)) {
        return None;
    }
    let delivered = delivered_before(state, last);
    let missed = match delivered {
        Some((key, _)) => due(timetable, Some(key.due), now).map_or(0, |due| due.missed),
        None => 0,
    };
    // Whoever was tried first has fixed the period.
    let fixed = of(state, last).find(|(_, told)| told.intent.whole).map(|(_, told)| &told.intent);
    let (from, until) = match (fixed, delivered) {
        (Some(intent), _) => (intent.from, intent.until),
        (None, Some((_, told))) => (told.intent.until, now),
        (None, None) => (week_before(timetable, last), now),
    };
    Some(Period { due: last, from, until, covers: missed + 1, first: delivered.is_none() })
}

/// Whether a report still has to go to a recipient: in the run that makes it to everybody, later to
/// those who were tried and did not get it.
pub(crate) fn is_due_to(state: &State, due: DateTime<Utc>, to: &str) -> bool {
    let key = ReportKey { due, to: to.to_owned() };
    match state.report(&key) {
        Some(told) => is_open(told),
        None => state.report_made() < Some(due),
    }
}

/// Whether it may be tried again. What was perhaps sent is not sent again: one report a week.
fn is_open(told: &Message<ReportIntent>) -> bool {
    matches!(told.step, Step::Intended | Step::Rejected { permanent: false })
}

fn of(
    state: &State,
    due: DateTime<Utc>,
) -> impl Iterator<Item = (&ReportKey, &Message<ReportIntent>)> {
    state.reports().filter(move |(key, _)| key.due == due)
}

/// The newest whole report that somebody has, of those for an earlier due time.
fn delivered_before(
    state: &State,
    due: DateTime<Utc>,
) -> Option<(&ReportKey, &Message<ReportIntent>)> {
    let before = state.reports().filter(|(key, _)| key.due < due);
    before.filter(|(_, told)| told.intent.whole && is_there(told)).last()
}

fn is_there(told: &Message<ReportIntent>) -> bool {
    matches!(told.step, Step::Accepted | Step::PossiblySent)
}

/// The due time before a due time: where the period of a first report begins.
fn week_before(timetable: &Timetable, due: DateTime<Utc>) -> DateTime<Utc> {
    let just_before = due - chrono::TimeDelta::seconds(1);
    timetable.last_at_or_before(just_before).unwrap_or(due)
}
