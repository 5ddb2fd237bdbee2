//! A week of measurements, card by card and hour by hour. Only a source that accounts for every card
//! that the machine's type has, over most of the week, tells anything; values that cannot be are left
//! out, and where two sources contradict each other nothing is known.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Gauge, Measured, Sample, Series};
use rust_decimal::prelude::ToPrimitive as _;

use crate::models::Gear;
use crate::question::Week;

/// How long a week is, in hours.
const HOURS: usize = 168;
/// How much of the week has to be measured.
const COVERAGE: f64 = 0.8;
/// A card that never gets above this share, percent, does not work.
pub(crate) const AT_REST: f64 = 2.0;
/// Memory in use above this, GiB, is somebody's; below it is what a driver keeps for itself.
const HELD_GIB: f64 = 1.0;
/// How far apart the means of two sources may be, percent points.
const CONTRADICTION: f64 = 25.0;
/// Memory above this share of a card's own cannot be.
const MOST_MEMORY: f64 = 1.1;

/// What a week says of a machine's cards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// The cards, as many as the machine has.
    pub(crate) cards: Vec<CardWeek>,
    /// Who measured how much the cards work.
    pub(crate) source: String,
    /// The share of the week that was measured of the card that was measured least: 0 to 1.
    pub(crate) coverage: f64,
    /// MIG slices over all cards.
    pub(crate) slices: usize,
    /// Whether the power that the cards drew is all that was measured of their work.
    pub(crate) power_alone: bool,
}

/// What a week says of one card. Of its MIG slices the sum: no smaller than what the card did,
/// whether a source counts a slice's work in shares of the slice or of the card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CardWeek {
    /// Work on average, percent.
    pub(crate) mean: f64,
    /// The busiest hour, percent.
    pub(crate) busiest: f64,
    /// The highest value of all, percent.
    pub(crate) peak: f64,
    /// The hours in which it worked.
    pub(crate) at_work: BTreeSet<usize>,
    /// The most memory that was in use, GiB; `None` where too little was measured.
    pub(crate) memory_gib: Option<f64>,
}

impl CardWeek {
    /// Whether it worked at all.
    pub(crate) fn worked(&self) -> bool {
        self.peak > AT_REST
    }

    /// Whether somebody needs it: it worked, or somebody's data lay in its memory.
    pub(crate) fn in_use(&self) -> bool {
        self.worked() || self.memory_gib.is_some_and(|gib| gib > HELD_GIB)
    }
}

impl Seen {
    /// What the week says; `None` where it does not say enough. What was measured before `since`,
    /// the machine's last start, may be of another type and does not count.
    pub(crate) fn of(
        week: Week<'_>,
        gear: &Gear,
        since: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let until = now;
        let from = until - TimeDelta::hours(168);
        let frame = Frame { from, counts_from: since.map_or(from, |since| since.max(from)), until };
        let count = usize::try_from(gear.cards).ok()?;
        let limit = gear.card.memory_gib.to_f64()? * MOST_MEMORY;
        let means = by_source(week.mean, count, limit, frame);
        let peaks = by_source(week.peak, count, limit, frame);
        let whole: Vec<Self> = means
            .iter()
            .filter_map(|(source, means)| {
                Self::from_source(source, means, peaks.get(source)?, count)
            })
            .collect();
        let busiest = whole.iter().max_by(|a, b| a.mean().total_cmp(&b.mean()))?;
        let contradicted = whole.iter().any(|seen| busiest.mean() - seen.mean() > CONTRADICTION);
        let mut seen = busiest.clone();
        if seen.cards.iter().any(|card| card.memory_gib.is_none()) {
            let elsewhere = whole_memory(&means, &peaks, count);
            // Two sources may name the cards differently: each card then counts as the fullest.
            for card in &mut seen.cards {
                card.memory_gib = elsewhere;
            }
        }
        (!contradicted).then_some(seen)
    }

    /// How much all cards together work on average, percent.
    pub(crate) fn mean(&self) -> f64 {
        mean(self.cards.iter().map(|card| card.mean))
    }

    /// How many cards somebody needs.
    pub(crate) fn in_use(&self) -> usize {
        self.cards.iter().filter(|card| card.in_use()).count()
    }

    /// Whether any card worked at all.
    pub(crate) fn worked(&self) -> bool {
        self.cards.iter().any(CardWeek::worked)
    }

    /// Whether two cards ever worked in the same hour.
    pub(crate) fn together(&self) -> bool {
        let mut hours = BTreeSet::new();
        self.cards.iter().flat_map(|card| &card.at_work).any(|hour| !hours.insert(*hour))
    }

    /// The most memory that was in use on one card; `None` unless known of each.
    pub(crate) fn fullest_gib(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.cards.iter().map(|card| card.memory_gib).collect();
        all?.into_iter().reduce(f64::max)
    }

    fn from_source(source: &str, means: &Cards, peaks: &Cards, count: usize) -> Option<Self> {
        if means.len() != count || peaks.len() != count {
            return None;
        }
        let mut cards = Vec::new();
        let (mut coverage, mut slices, mut power_alone) = (1.0_f64, 0, false);
        for (name, card) in means {
            let highest = peaks.get(name)?;
            let (mean_hours, peak_hours) = (card.work(), highest.work());
            let covered = share(&mean_hours).min(share(&peak_hours));
            if covered < COVERAGE {
                return None;
            }
            coverage = coverage.min(covered);
            slices += card.slices().len();
            power_alone |= card.power_alone();
            let values = || mean_hours.iter().flatten().map(|hour| hour.value);
            let top =
                |hours: &Hours| hours.iter().flatten().map(|hour| hour.highest).fold(0.0, f64::max);
            let at_work = |hour: &Option<Hour>| hour.is_some_and(|hour| hour.value > AT_REST);
            let places = mean_hours.iter().enumerate().filter(|(_, hour)| at_work(hour));
            cards.push(CardWeek {
                mean: mean(values()),
                busiest: values().fold(0.0, f64::max),
                peak: top(&mean_hours).max(top(&peak_hours)),
                at_work: places.map(|(place, _)| place).collect(),
                memory_gib: fullest(card, highest),
            });
        }
        Some(Self { cards, source: source.to_owned(), coverage, slices, power_alone })
    }
}

/// Which samples count, and where hours begin.
#[derive(Debug, Clone, Copy)]
struct Frame {
    from: DateTime<Utc>,
    counts_from: DateTime<Utc>,
    until: DateTime<Utc>,
}

/// What was measured in one hour.
#[derive(Debug, Clone, Copy)]
struct Hour {
    /// How much of it, seconds.
    seconds: f64,
    /// On average.
    value: f64,
    /// At its highest.
    highest: f64,
}

type Hours = Vec<Option<Hour>>;
type Cards = BTreeMap<String, Raw>;

/// The samples of one card by one source.
#[derive(Debug, Clone, Default)]
struct Raw {
    series: BTreeMap<(Gauge, Option<String>), Hours>,
}

impl Raw {
    /// How much it worked: of several gauges, and of the card and the sum of its slices, the most.
    fn work(&self) -> Hours {
        let gauges = [Gauge::GpuUtilisation, Gauge::GpuEngine, Gauge::GpuPower];
        let all = gauges.into_iter().flat_map(|gauge| [self.whole(gauge), self.sum(gauge)]);
        all.flatten().reduce(|one, other| join(&one, &other, f64::max)).unwrap_or_default()
    }

    fn memory(&self) -> Hours {
        let all = [self.whole(Gauge::GpuMemory), self.sum(Gauge::GpuMemory)];
        all.into_iter().flatten().reduce(|a, b| join(&a, &b, f64::max)).unwrap_or_default()
    }

    fn whole(&self, gauge: Gauge) -> Option<Hours> {
        self.series.get(&(gauge, None)).cloned()
    }

    fn sum(&self, gauge: Gauge) -> Option<Hours> {
        let slices = self.series.iter().filter(|((of, slice), _)| *of == gauge && slice.is_some());
        slices.map(|(_, hours)| hours.clone()).reduce(|one, other| join(&one, &other, |a, b| a + b))
    }

    fn slices(&self) -> BTreeSet<&str> {
        self.series.keys().filter_map(|(_, slice)| slice.as_deref()).collect()
    }

    fn power_alone(&self) -> bool {
        let mut work = self.series.keys().filter(|(gauge, _)| gauge.shows_work());
        work.all(|(gauge, _)| *gauge == Gauge::GpuPower)
    }
}

/// Hour by hour; an hour that only one of them has is that one's.
fn join(one: &Hours, other: &Hours, with: fn(f64, f64) -> f64) -> Hours {
    let both = |pair: (&Option<Hour>, &Option<Hour>)| match pair {
        (Some(a), Some(b)) => Some(Hour {
            seconds: a.seconds.max(b.seconds),
            value: with(a.value, b.value),
            highest: with(a.highest, b.highest),
        }),
        (one, other) => one.or(*other),
    };
    one.iter().zip(other).map(both).collect()
}

/// The series of a machine's accelerators by who measured them, and by card.
fn by_source(
    measured: &Measured,
    count: usize,
    most_memory: f64,
    frame: Frame,
) -> BTreeMap<String, Cards> {
    let mut sources: BTreeMap<String, Cards> = BTreeMap::new();
    for series in measured.series.iter().filter(|series| series.gauge.per_gpu()) {
        let card = match &series.gpu {
            Some(gpu) => gpu.clone(),
            None if count == 1 => String::new(),
            // It accounts for no single card.
            None => continue,
        };
        let limit = match series.gauge {
            Gauge::GpuMemory => most_memory,
            gauge if gauge.shows_work() => 100.0,
            _ => continue,
        };
        let cards = sources.entry(series.source.as_str().to_owned()).or_default();
        let raw = cards.entry(card).or_default();
        let hours = hours(series, limit, frame);
        let known = raw.series.entry((series.gauge, series.slice.clone())).or_default();
        *known = if known.is_empty() { hours } else { join(known, &hours, f64::max) };
    }
    sources
}

/// The hours of a series, of values that can be.
fn hours(series: &Series, limit: f64, frame: Frame) -> Hours {
    let possible = |sample: &&Sample| (0.0..=limit).contains(&sample.value);
    let mut once: BTreeMap<DateTime<Utc>, f64> = BTreeMap::new();
    for sample in series.samples.iter().filter(possible) {
        let known = once.entry(sample.at).or_insert(sample.value);
        *known = known.max(sample.value);
    }
    let mut hours: Hours = vec![None; HOURS];
    for (at, value) in once {
        let end = at
            .checked_add_signed(series.step.delta())
            .map_or(frame.until, |end| end.min(frame.until));
        let mut start = at.max(frame.counts_from);
        while start < end {
            let Ok(place) = usize::try_from((start - frame.from).num_hours()) else { break };
            let Some(hour) = hours.get_mut(place) else { break };
            let next = frame.from + TimeDelta::hours((start - frame.from).num_hours() + 1);
            let stop = next.min(end);
            add(hour, value, (stop - start).as_seconds_f64());
            start = stop;
        }
    }
    hours
}

fn add(hour: &mut Option<Hour>, value: f64, seconds: f64) {
    let known = hour.unwrap_or(Hour { seconds: 0.0, value: 0.0, highest: value });
    let both = known.seconds + seconds;
    *hour = Some(Hour {
        seconds: both,
        value: (known.value * known.seconds + value * seconds) / both,
        highest: known.highest.max(value),
    });
}

/// The share of the week that was measured. An hour counts once, however often it was measured.
fn share(hours: &Hours) -> f64 {
    let seconds = hours.iter().flatten().map(|hour| hour.seconds.min(3600.0)).sum::<f64>();
    seconds / (168.0 * 3600.0)
}

/// The most memory that a card had in use, if enough of the week was measured.
fn fullest(means: &Raw, peaks: &Raw) -> Option<f64> {
    let all = join_all(&means.memory(), &peaks.memory());
    (share(&all) >= COVERAGE)
        .then(|| all.iter().flatten().map(|hour| hour.highest).fold(0.0, f64::max))
}

fn join_all(one: &Hours, other: &Hours) -> Hours {
    match (one.is_empty(), other.is_empty()) {
        (_, true) => one.clone(),
        (true, false) => other.clone(),
        (false, false) => join(one, other, f64::max),
    }
}

/// The fullest of all cards by any source that tells the memory of each.
fn whole_memory(
    means: &BTreeMap<String, Cards>,
    peaks: &BTreeMap<String, Cards>,
    count: usize,
) -> Option<f64> {
    let nothing = Raw::default();
    let told = means.iter().filter_map(|(source, cards)| {
        let highest = peaks.get(source);
        let of = |name: &String| highest.and_then(|cards| cards.get(name)).unwrap_or(&nothing);
        let all: Option<Vec<f64>> =
            cards.iter().map(|(name, card)| fullest(card, of(name))).collect();
        all.filter(|all| all.len() == count)?.into_iter().reduce(f64::max)
    });
    told.reduce(f64::max)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
