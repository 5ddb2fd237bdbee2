//! Which due time is to be answered, and the period of that report. From the log alone: late,
//! doubled and dropped runs come to one report a week, and the periods of each recipient join without
//! gap or overlap.

use chrono::{DateTime, TimeDelta, Utc};
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

/// The report to be sent at `now`; `None` where the last due time is answered: everybody was tried,
/// and nobody is left to try again. `whole` are those who get all of it now; of those who no longer
/// do nobody waits for an answer.
pub(crate) fn period(
    timetable: &Timetable,
    state: &State,
    whole: &[&str],
    now: DateTime<Utc>,
) -> Option<Period> {
    let last = timetable.last_at_or_before(now)?;
    let of_last = || state.reports().filter(move |(key, _)| key.due == last);
    let waits = |key: &ReportKey, told: &Message<ReportIntent>| {
        is_open(told) && (!told.intent.whole || whole.contains(&key.to.as_str()))
    };
    if state.is_report_made(last) && !of_last().any(|(key, told)| waits(key, told)) {
        return None;
    }
    let delivered = delivered(state, last, |_| true);
    // Whoever was tried first has fixed the end.
    let until = of_last().map(|(_, told)| told.intent.until).next().unwrap_or(now);
    Some(spanned(timetable, last, until, delivered))
}

/// The same report for one who gets all of it: where another has missed one, periods differ.
pub(crate) fn period_of(timetable: &Timetable, state: &State, period: &Period, to: &str) -> Period {
    if state.reports().all(|(key, _)| key.to != to) {
        // New among the recipients: what the others get.
        return *period;
    }
    let delivered = delivered(state, period.due, |key| key.to == to);
    if delivered.is_none() {
        return *period;
    }
    spanned(timetable, period.due, period.until, delivered)
}

fn spanned(
    timetable: &Timetable,
    last: DateTime<Utc>,
    until: DateTime<Utc>,
    delivered: Option<(&ReportKey, &Message<ReportIntent>)>,
) -> Period {
    let (from, missed) = match delivered {
        Some((key, told)) => {
            let missed = due(timetable, Some(key.due), last).map_or(0, |due| due.missed);
            (told.intent.until, missed)
        }
        None => (week_before(timetable, last), 0),
    };
    Period { due: last, from, until, covers: missed + 1, first: delivered.is_none() }
}

/// Whether a report still has to go to a recipient: in the run that makes it to everybody, later to
/// those who were tried and did not get it.
pub(crate) fn is_due_to(state: &State, due: DateTime<Utc>, to: &str) -> bool {
    let key = ReportKey { due, to: to.to_owned() };
    match state.report(&key) {
        Some(told) => is_open(told),
        None => !state.is_report_made(due),
    }
}

/// Whether it may be tried again. What the other side may well have is not sent again; of what a
/// killed run has left without an answer nobody knows, so it goes out once more under the same key.
fn is_open(told: &Message<ReportIntent>) -> bool {
    matches!(told.step, Step::Intended | Step::Rejected { permanent: false })
}

/// The newest whole report for an earlier due time that one of these recipients has.
fn delivered(
    state: &State,
    due: DateTime<Utc>,
    of: impl Fn(&ReportKey) -> bool,
) -> Option<(&ReportKey, &Message<ReportIntent>)> {
    let before = state.reports().filter(|(key, _)| key.due < due && of(key));
    before
        .filter(|(_, told)| {
            told.intent.whole && matches!(told.step, Step::Accepted | Step::PossiblySent)
        })
        .last()
}

/// The due time before a due time: where the period of a first report begins.
fn week_before(timetable: &Timetable, due: DateTime<Utc>) -> DateTime<Utc> {
    timetable.last_at_or_before(due - TimeDelta::seconds(1)).unwrap_or(due)
}
