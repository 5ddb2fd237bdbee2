//! Short cuts.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_timetable::Timetable;

pub(crate) const PARIS: Tz = Tz::Europe__Paris;

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

pub(crate) fn table(text: &str, zone: Tz) -> Timetable {
    Timetable::parse(text, zone).expect("understood")
}

/// The due times after one instant and not after another, as clocks in the zone show them.
pub(crate) fn shown(table: &Timetable, after: &str, until: &str) -> Vec<String> {
    let until = time(until);
    table
        .after(time(after))
        .take_while(|at| *at <= until)
        .map(|at| at.with_timezone(&table.zone()).format("%a %d %H:%M %:z").to_string())
        .collect()
}

/// The same, backwards from the second to the first.
pub(crate) fn shown_backwards(table: &Timetable, after: &str, until: &str) -> Vec<String> {
    let (after, mut at) = (time(after), time(until));
    let mut times = Vec::new();
    while let Some(last) = table.last_at_or_before(at).filter(|last| *last > after) {
        times.push(last.with_timezone(&table.zone()).format("%a %d %H:%M %:z").to_string());
        at = last - chrono::TimeDelta::seconds(1);
    }
    times.reverse();
    times
}
