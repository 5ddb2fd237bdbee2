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

/// Sources that are not believed, by the window over which they say nothing but zero. Each judgement
/// heeds those of its own window: a counter that froze twelve hours ago has worked within a week, and
/// proves nothing of the last six hours all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suspects(BTreeMap<Span, BTreeSet<String>>);

impl Suspects {
    /// For each of the windows up to `now`, the sources that measured at least three machines in it
    /// and show exactly 0 in every sample of every accelerator. They are to be handed to the
    /// [`Subject`](crate::Subject::with_suspects) of each machine, and to be pointed out.
    pub fn of<'a>(
        machines: impl IntoIterator<Item = (&'a Instance, &'a Measured)>,
        windows: &BTreeSet<Span>,
        now: DateTime<Utc>,
    ) -> Self {
        let machines: Vec<(&Instance, &Measured)> = machines.into_iter().collect();
        let over = |window: &Span| (*window, suspicious(machines.iter().copied(), *window, now));
        Self(windows.iter().map(over).collect())
    }

    /// The sources that are not believed over this window. Over one that was not looked at (a tag
    /// set meanwhile asks for it) no source is that is doubted over any.
    pub fn over(&self, window: Span) -> BTreeSet<&str> {
        match self.0.get(&window) {
            Some(sources) => sources.iter().map(String::as_str).collect(),
            None => self.0.values().flatten().map(String::as_str).collect(),
        }
    }

    /// Every source that is doubted, once, with the longest window over which it is.
    pub fn sources(&self) -> BTreeMap<&str, Span> {
        let each = self.0.iter().flat_map(|(window, sources)| {
            sources.iter().map(move |source| (source.as_str(), *window))
        });
        // Longer windows come later.
        each.collect()
    }
}

fn suspicious<'a>(
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
