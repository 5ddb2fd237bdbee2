//! The accelerators as each source shows them: which are proven idle, which work, and which sources
//! contradict each other.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::document::IdleVerdict;
use reaper_model::{Gauge, Span};
use rust_decimal::Decimal;

use super::readings::{Frame, Reading, Readings};
use super::{Idleness, beside, moment, whole};
use crate::spec::IdleSpec;

/// Two values of the same thing that lie on both sides of the threshold and further apart than so
/// many points contradict each other. Nearer ones differ by how they are measured: a board draws
/// some power without work, and a kernel that fills a tenth of the engines is one that runs.
const MARGIN: Decimal = Decimal::from_parts(25, 0, 0, false, 0);

/// What one source says of the machine's accelerators.
pub(super) struct View<'a> {
    name: &'a str,
    cards: Vec<Card<'a>>,
    needed: u32,
    below: Decimal,
}

/// One accelerator as one source shows it.
struct Card<'a> {
    gpu: Option<&'a str>,
    peak: Decimal,
    best: Evidence,
}

/// The evidence on which an accelerator's idleness rests.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    peak: Decimal,
    coverage: Decimal,
    last: DateTime<Utc>,
    step: Span,
    /// Whether it is of work itself, not of the power that it draws.
    direct: bool,
    covers: bool,
    fresh: bool,
}

impl Evidence {
    fn of(reading: &Reading<'_>, frame: &Frame) -> Self {
        Self {
            peak: reading.peak,
            coverage: reading.coverage,
            last: reading.last,
            step: reading.step,
            direct: reading.of.gauge != Gauge::GpuPower,
            covers: reading.covers(frame),
            fresh: reading.is_fresh(frame),
        }
    }

    /// Of several slices: as high as the highest, as complete as the least complete.
    fn with(self, other: Self) -> Self {
        Self {
            peak: self.peak.max(other.peak),
            coverage: self.coverage.min(other.coverage),
            last: self.last.min(other.last),
            step: self.step.max(other.step),
            direct: self.direct && other.direct,
            covers: self.covers && other.covers,
            fresh: self.fresh && other.fresh,
        }
    }
}

/// What all sources together come to.
pub(super) enum Standing<'s, 'a> {
    /// They cannot both be right.
    Contradiction(String),
    /// It works.
    Busy(Busy<'s, 'a>),
    /// This source proves that it does not.
    Idle(&'s View<'a>),
    /// Neither; why, if a source sees its accelerators.
    Open(Option<String>),
}

/// The highest value that shows work, and the source that has it.
pub(super) struct Busy<'s, 'a> {
    top: Reading<'a>,
    view: &'s View<'a>,
}

/// Every source that measures the work of accelerators.
pub(super) struct Sources<'s, 'a> {
    readings: &'s Readings<'a>,
    views: Vec<View<'a>>,
    below: Decimal,
}

impl<'s, 'a> Sources<'s, 'a> {
    pub(super) fn of(readings: &'s Readings<'a>, spec: &IdleSpec, needed: u32) -> Self {
        let mut found: BTreeMap<&'a str, BTreeSet<Option<&'a str>>> = BTreeMap::new();
        for reading in readings.work() {
            found.entry(reading.of.source).or_default().insert(reading.of.gpu);
        }
        let views = found
            .into_iter()
            .map(|(name, gpus)| View {
                name,
                cards: gpus.into_iter().filter_map(|gpu| card(readings, name, gpu)).collect(),
                needed,
                below: spec.below,
            })
            .collect();
        Self { readings, views, below: spec.below }
    }

    pub(super) fn standing(&self) -> Standing<'_, 'a> {
        if let Some(why) = self.contradiction() {
            return Standing::Contradiction(why);
        }
        if let Some(busy) = self.busy() {
            return Standing::Busy(busy);
        }
        let proofs = self.views.iter().filter(|view| view.is_idle());
        match proofs.max_by_key(|view| (view.is_direct(), view.coverage())) {
            Some(view) => Standing::Idle(view),
            None => Standing::Open(self.why_open()),
        }
    }

    /// The source that comes nearest to a proof.
    pub(super) fn best(&self) -> Option<&View<'a>> {
        self.views.iter().max_by_key(|view| {
            let covered = view.accounted().filter(|card| card.best.covers).count();
            (covered, view.accounted().count(), view.coverage())
        })
    }

    /// A low value that covers the window and a high one of the same accelerator, or a source that
    /// proves idleness and another one that shows work.
    fn contradiction(&self) -> Option<String> {
        let work: Vec<&Reading<'a>> = self.readings.work().collect();
        let frame = &self.readings.frame;
        let proves = |name: &str| self.views.iter().any(|view| view.name == name && view.is_idle());
        let mut found: Vec<(&Reading<'a>, &Reading<'a>)> = Vec::new();
        for low in work.iter().filter(|low| low.peak < self.below && low.covers(frame)) {
            for high in work.iter().filter(|high| high.peak >= self.below) {
                let (one, other) = (&low.of, &high.of);
                let same = one.gpu == other.gpu && one.slice == other.slice;
                let elsewhere = one.source != other.source && proves(one.source);
                if high.peak - low.peak > MARGIN && (same || elsewhere) {
                    found.push((low, high));
                }
            }
        }
        let (low, high) =
            found.into_iter().max_by_key(|(low, high)| (high.peak - low.peak, high.of, low.of))?;
        let told = |reading: &Reading<'_>| {
            let of = reading.of;
            let (gauge, source) = (of.gauge, of.source);
            format!(
                "{gauge}{} at most {} % ({source})",
                named(of.gpu, of.slice),
                beside(reading.peak, self.below)
            )
        };
        Some(format!("metrics contradict: {} and {}", told(low), told(high)))
    }

    /// The highest value that shows work. Power alone shows it where nothing better does.
    fn busy(&self) -> Option<Busy<'_, 'a>> {
        let proven = self.views.iter().any(|view| view.is_idle() && view.is_direct());
        let shows = |reading: &&Reading<'a>| {
            let of = reading.of;
            let weaker = || {
                self.views.iter().filter(|view| view.name == of.source).any(|view| {
                    let mut cards = view.cards.iter();
                    cards.any(|card| card.gpu == of.gpu && card.best.direct && card.best.covers)
                })
            };
            reading.peak >= self.below && (of.gauge != Gauge::GpuPower || !(proven || weaker()))
        };
        let shown = self.readings.work().filter(shows);
        let top = *shown.max_by_key(|reading| (reading.peak, reading.of))?;
        let view = self.views.iter().find(|view| view.name == top.of.source)?;
        Some(Busy { top, view })
    }

    fn why_open(&self) -> Option<String> {
        let frame = &self.readings.frame;
        let Some(best) = self.best() else {
            let seen: BTreeSet<String> = self
                .readings
                .all
                .iter()
                .filter(|reading| reading.of.gauge.per_gpu())
                .map(|reading| reading.of.gauge.to_string())
                .collect();
            let seen: Vec<String> = seen.into_iter().collect();
            return if seen.is_empty() {
                None
            } else if self.readings.sliced.is_empty() {
                Some(format!("no source shows whether its GPUs work, only {}", seen.join(", ")))
            } else {
                let why = "its GPUs are split (MIG), and no source shows their engines' activity";
                Some(why.to_owned())
            };
        };
        let (name, needed) = (best.name, best.needed);
        let (window, asked) = (frame.spec.window, frame.spec.coverage.normalize());
        let seen = best.accounted().count();
        let evidence = || best.cards.iter().map(|card| &card.best);
        Some(if seen == 0 {
            format!("{name} does not tell its {needed} GPUs apart")
        } else if seen < needed as usize {
            format!("only {seen} of {needed} GPUs are measured ({name})")
        } else if let Some(stale) =
            evidence().filter(|found| !found.fresh).map(|found| found.last).min()
        {
            format!("no samples since {} ({name})", moment(stale, frame.now))
        } else if let Some(step) =
            evidence().map(|found| found.step).max().filter(|step| *step > window)
        {
            format!("one value of {name} stands for {step}, and {window} are asked about")
        } else if !self.readings.sliced.is_empty() && best.coverage().is_zero() {
            format!("its GPUs are split (MIG), and {name} does not show every slice's engine")
        } else {
            format!(
                "not enough data ({} % of the samples of the last {window}, {asked} % are asked \
                 for, source {name})",
                whole(best.coverage())
            )
        })
    }
}

/// One accelerator of one source; `None` if nothing tells whether it works.
fn card<'a>(readings: &Readings<'a>, source: &'a str, gpu: Option<&'a str>) -> Option<Card<'a>> {
    let frame = &readings.frame;
    let own = |reading: &&Reading<'a>| reading.of.source == source && reading.of.gpu == gpu;
    let mut found: Vec<Evidence> = readings
        .work()
        .filter(own)
        .filter(|reading| reading.of.slice.is_none())
        .map(|reading| Evidence::of(reading, frame))
        .collect();
    let engines: Vec<&Reading<'a>> = readings
        .work()
        .filter(own)
        .filter(|reading| reading.of.slice.is_some() && reading.of.gauge == Gauge::GpuEngine)
        .collect();
    let sliced =
        engines.iter().map(|reading| Evidence::of(reading, frame)).reduce(Evidence::with).map(
            |all| {
                // A slice whose engine nobody measures may work.
                let slices = readings.slices(source, gpu).map_or(0, BTreeSet::len);
                let whole = engines.len() == slices;
                let coverage = if whole { all.coverage } else { Decimal::ZERO };
                Evidence { covers: all.covers && whole, coverage, ..all }
            },
        );
    if readings.is_split(source, gpu) {
        // Counters of the whole of a split accelerator may stand still while its slices work, so
        // they prove no more than its slices do.
        let (covers, coverage) =
            sliced.map_or((false, Decimal::ZERO), |all| (all.covers, all.coverage));
        for whole in &mut found {
            whole.covers &= covers;
            whole.coverage = whole.coverage.min(coverage);
        }
    }
    found.extend(sliced);
    let best = *found.iter().max_by_key(|found| (found.covers, found.direct, found.coverage))?;
    let peak = found.iter().filter(|found| found.direct || !best.direct).map(|found| found.peak);
    Some(Card { gpu, peak: peak.max().unwrap_or(best.peak), best })
}

impl<'a> View<'a> {
    pub(super) const fn name(&self) -> &'a str {
        self.name
    }

    /// Cards that account for an accelerator. One that is not told from its neighbours accounts for
    /// none of several.
    fn accounted(&self) -> impl Iterator<Item = &Card<'a>> {
        self.cards.iter().filter(|card| card.gpu.is_some() || self.needed == 1)
    }

    fn is_complete(&self) -> bool {
        self.accounted().count() >= self.needed as usize
    }

    /// Whether every accelerator of the type is there, and every one that is there was idle.
    fn is_idle(&self) -> bool {
        self.is_complete() && self.cards.iter().all(|card| self.is_card_idle(card))
    }

    fn is_card_idle(&self, card: &Card<'_>) -> bool {
        card.best.covers && card.peak < self.below
    }

    fn is_direct(&self) -> bool {
        self.cards.iter().all(|card| card.best.direct)
    }

    /// Of the accelerator with the fewest samples; nothing of one that is not there.
    pub(super) fn coverage(&self) -> Decimal {
        let least = self.accounted().map(|card| card.best.coverage).min();
        least.filter(|_| self.is_complete()).unwrap_or_default()
    }

    pub(super) fn peak(&self) -> Option<Decimal> {
        let peak = self.cards.iter().map(|card| card.peak).max()?;
        Some(beside(peak, self.below))
    }

    /// How many of the type's accelerators are proven idle.
    pub(super) fn idle_gpus(&self) -> Option<(u32, u32)> {
        let idle = self.accounted().filter(|card| self.is_card_idle(card)).count();
        let idle = u32::try_from(idle).ok()?.min(self.needed);
        (self.accounted().count() > 0).then_some((idle, self.needed))
    }

    fn facts(&self, verdict: IdleVerdict, peak: Option<Decimal>, spec: &IdleSpec) -> Idleness {
        Idleness {
            verdict,
            cause: None,
            peak,
            coverage: Some(self.coverage()),
            idle_gpus: self.idle_gpus(),
            source: Some(self.name.to_owned()),
            summary: None,
            gap: None,
            notes: Vec::new(),
            window: spec.window,
            newborn: None,
            suggests: None,
            held: false,
        }
    }

    /// The proof of idleness.
    pub(super) fn told(&self, spec: &IdleSpec, needed: u32) -> Idleness {
        let mut idleness = self.facts(IdleVerdict::Idle, self.peak(), spec);
        let gpus = match needed {
            1 => "its GPU".to_owned(),
            several => format!("{several} of {several} GPUs"),
        };
        let share = if self.is_direct() { "" } else { " of their power" };
        idleness.summary = Some(format!(
            "{gpus} never above {} %{share} in the last {}, {} % of samples present, source {}",
            idleness.peak.unwrap_or_default(),
            spec.window,
            whole(self.coverage()),
            self.name
        ));
        idleness
    }
}

impl Busy<'_, '_> {
    pub(super) fn told(&self, spec: &IdleSpec, needed: u32) -> Idleness {
        let Reading { of, peak, mean, .. } = self.top;
        let peak = beside(peak, spec.below);
        let mut idleness = self.view.facts(IdleVerdict::Busy, Some(peak), spec);
        // A source may show more accelerators than the type has: one works all the same.
        idleness.idle_gpus =
            idleness.idle_gpus.map(|(idle, all)| (idle.min(all.saturating_sub(1)), all));
        let idle = match idleness.idle_gpus {
            Some((idle, all)) if all > 1 && idle > 0 => format!(", {idle} of {all} GPUs idle"),
            _ => String::new(),
        };
        let gpu = match of.gpu {
            Some(_) if needed > 1 => named(of.gpu, of.slice),
            _ => String::new(),
        };
        idleness.summary = Some(format!(
            "{}{gpu} up to {peak} % (mean {} %) in the last {}{idle}, source {}",
            of.gauge,
            mean.round_dp(1).normalize(),
            spec.window,
            self.view.name
        ));
        idleness
    }
}

/// ` of GPU 3`, ` of GPU 3 slice 1`.
fn named(gpu: Option<&str>, slice: Option<&str>) -> String {
    let gpu = gpu.map_or(String::new(), |gpu| format!(" of GPU {gpu}"));
    let slice = slice.map_or(String::new(), |slice| format!(" slice {slice}"));
    gpu + &slice
}
