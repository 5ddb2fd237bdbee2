//! Sources that are not believed: a counter that froze says exactly zero of everybody, and so would
//! make a whole fleet idle.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{Instance, InstanceId, Measured, Span};

/// Fewer idle machines are no wonder.
const ENOUGH: usize = 3;

/// What one source says of all machines.
#[derive(Default)]
struct Seen<'a> {
    machines: BTreeSet<&'a InstanceId>,
    works: bool,
}

/// Sources that measured at least three machines in the window up to `now` and show exactly 0 in
/// every sample of every accelerator. They are to be handed to the
/// [`Subject`](crate::Subject::with_suspects) of each machine, and to be pointed out.
pub fn suspicious<'a>(
    machines: impl IntoIterator<Item = (&'a Instance, &'a Measured)>,
    window: Span,
    now: DateTime<Utc>,
) -> BTreeSet<String> {
    let from = now.checked_sub_signed(window.delta()).unwrap_or(DateTime::<Utc>::MIN_UTC);
    let mut sources: BTreeMap<&str, Seen<'a>> = BTreeMap::new();
    for (instance, measured) in machines {
        for series in measured.series.iter().filter(|series| series.gauge.shows_work()) {
            // What cannot be is no sign of life.
            let mut shown = series
                .samples
                .iter()
                .filter(|sample| sample.at >= from && sample.at <= now)
                .filter(|sample| (0.0..=100.0).contains(&sample.value))
                .peekable();
            if shown.peek().is_none() {
                continue;
            }
            let seen = sources.entry(series.source.as_str()).or_default();
            seen.machines.insert(&instance.id);
            seen.works |= shown.any(|sample| sample.value > 0.0);
        }
    }
    sources
        .into_iter()
        .filter(|(_, seen)| !seen.works && seen.machines.len() >= ENOUGH)
        .map(|(source, _)| source.to_owned())
        .collect()
}
