//! Whether a machine idles, by what was measured of it. Only a window that is covered up to now, for
//! every accelerator of the machine's type, with no value at or above the threshold, is idle;
//! whatever is missing, contradicts itself or cannot be leaves the question open.
//!
//! | module | holds |
//! | --- | --- |
//! | `readings` | series made readings: what cannot be is dropped, doubles count once |
//! | `cards` | the accelerators as each source shows them, and what contradicts what |
//! | `cause` | empty, held or starved; what CPU and network alone suggest |
//! | `suspects` | sources that show nothing but zeros |

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use reaper_model::document::{Cause, IdleVerdict, WantedAction};
use reaper_model::{Fact, Ignorance, Instance, Measured, Span, Unknown};
use rust_decimal::Decimal;

use crate::answer::rough;
use crate::spec::IdleSpec;
use crate::subject::stamp;

mod cards;
mod cause;
mod readings;
mod suspects;

pub use suspects::Suspects;

use cards::{Sources, Standing};
use cause::Signs;
use readings::{Frame, Readings};

/// What was found out about the use of a machine's accelerators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idleness {
    /// The verdict. Only `idle` is a ground of an action.
    pub verdict: IdleVerdict,
    /// Why it idles; `None` also where nothing tells.
    pub cause: Option<Cause>,
    /// Highest value of an accelerator's work in the window, percent. Rounded, but never to the
    /// other side of the threshold.
    pub peak: Option<Decimal>,
    /// Share of the window for which there are samples of the accelerator with the fewest, percent.
    pub coverage: Option<Decimal>,
    /// Accelerators that stayed below the threshold, and how many the machine's type has.
    pub idle_gpus: Option<(u32, u32)>,
    /// Who measured.
    pub source: Option<String>,
    /// The evidence in one sentence; `None` where nothing was measured.
    pub summary: Option<String>,
    /// What is missing where the verdict is unknown.
    pub gap: Option<Unknown>,
    /// What was left out of account.
    pub notes: Vec<String>,
    /// The time that was looked at.
    pub window: Span,
    /// It has not been up for the whole window, so it is not idle whatever was measured.
    pub newborn: Option<Span>,
    /// What CPU, network and disks alone suggest, where no source sees the accelerators. Enough for
    /// a report, with low confidence; never for an action.
    pub suggests: Option<IdleVerdict>,
    /// Whether memory is held, whatever the cause that is shown.
    pub(crate) held: bool,
}

impl Idleness {
    fn open(window: Span, gap: Unknown) -> Self {
        Self {
            verdict: IdleVerdict::Unknown,
            cause: None,
            peak: None,
            coverage: None,
            idle_gpus: None,
            source: None,
            summary: None,
            gap: Some(gap),
            notes: Vec::new(),
            window,
            newborn: None,
            suggests: None,
            held: false,
        }
    }

    /// The strongest action for its cause. What waits and holds memory is both.
    pub fn strongest(&self, spec: &IdleSpec) -> WantedAction {
        let held = if self.held { spec.held } else { WantedAction::Terminate };
        spec.strongest(self.cause).min(held)
    }
}

/// Judges what was measured of one machine over the window that ends at `now`.
pub fn idleness(
    instance: &Instance,
    measured: Option<&Measured>,
    spec: &IdleSpec,
    now: DateTime<Utc>,
) -> Idleness {
    judged(instance, measured, spec, now, &BTreeSet::new())
}

/// The same without believing these sources.
pub(crate) fn judged(
    instance: &Instance,
    measured: Option<&Measured>,
    spec: &IdleSpec,
    now: DateTime<Utc>,
    suspects: &BTreeSet<&str>,
) -> Idleness {
    let mut idleness = weighed(instance, measured, spec, now, suspects);
    if idleness.verdict != IdleVerdict::Busy
        && let Some(start) = instance.up_since().value()
    {
        let up = Span::between(*start, now);
        if up < spec.window {
            idleness.verdict = IdleVerdict::Unknown;
            idleness.cause = None;
            idleness.suggests = None;
            idleness.newborn = Some(up);
            let why = format!("up for {}, which is less than {}", rough(up), spec.window);
            idleness.summary = idleness.summary.as_ref().map(|_| why.clone());
            idleness.gap = Some(Unknown::new(Ignorance::NotOffered, why));
        }
    }
    idleness
}

fn weighed(
    instance: &Instance,
    measured: Option<&Measured>,
    spec: &IdleSpec,
    now: DateTime<Utc>,
    suspects: &BTreeSet<&str>,
) -> Idleness {
    let needed = match needed(instance) {
        Ok(needed) => needed,
        Err(gap) => return Idleness::open(spec.window, gap),
    };
    let Some(measured) = measured else {
        return Idleness::open(spec.window, nobody());
    };
    let frame = Frame { now, spec: *spec };
    let readings = Readings::of(measured, &frame, suspects, memory_of_one(instance, needed));
    let unread = measured.gaps.iter().find(|gap| gap.kind == Ignorance::ReadFailed);
    let sources = Sources::of(&readings, spec, needed);
    let mut idleness = match sources.standing() {
        Standing::Contradiction(why) => {
            Idleness::open(spec.window, Unknown::new(Ignorance::Unusable, why))
        }
        Standing::Busy(busy) => busy.told(spec, needed),
        Standing::Idle(source) => {
            let signs = Signs::of(&readings, needed);
            let mut idleness = source.told(spec, needed);
            idleness.cause = signs.cause();
            idleness.held = signs.held();
            let words = signs.words();
            idleness.summary = idleness.summary.map(|summary| format!("{summary}; {words}"));
            idleness
        }
        Standing::Open(why) => open(&frame, &readings, measured, &sources, why),
    };
    if let Some(gap) = unread
        && idleness.verdict != IdleVerdict::Busy
    {
        // What could not be read might contradict what was.
        let why = match &idleness.gap {
            Some(open) if open.why != gap.why => format!("{gap}; {open}"),
            _ => gap.why.clone(),
        };
        idleness.verdict = IdleVerdict::Unknown;
        idleness.cause = None;
        idleness.gap = Some(Unknown::new(Ignorance::ReadFailed, why));
    }
    if idleness.verdict == IdleVerdict::Unknown && !measured.series.is_empty() {
        idleness.summary = idleness.gap.as_ref().map(|gap| gap.why.clone());
    }
    idleness.notes.extend(readings.notes);
    idleness
}

/// Why it cannot be told where neither work nor idleness is proven.
fn open(
    frame: &Frame,
    readings: &Readings<'_>,
    measured: &Measured,
    sources: &Sources<'_, '_>,
    why: Option<String>,
) -> Idleness {
    let window = frame.spec.window;
    let mut open = if let Some(suspect) = readings.suspect {
        let mut text = format!(
            "metrics suspicious: {suspect} shows exactly 0 on every GPU of every machine it measures"
        );
        text.extend(why.map(|why| format!("; {why}")));
        Idleness::open(window, Unknown::new(Ignorance::Unusable, text))
    } else if let Some(why) = why {
        Idleness::open(window, Unknown::new(Ignorance::Unusable, why))
    } else if let Some(silent) = silent(measured) {
        let why = format!("no samples of its GPUs in the last {window} ({silent})");
        Idleness::open(window, Unknown::new(Ignorance::NotOffered, why))
    } else if let Some(host) = cause::host(readings, &frame.spec) {
        let why = format!("no source sees its GPUs; {}", host.words);
        let mut idleness = Idleness::open(window, Unknown::new(Ignorance::NotOffered, why));
        idleness.suggests = host.suggests;
        idleness.source = Some(host.source);
        return idleness;
    } else {
        Idleness::open(window, measured.gaps.first().cloned().unwrap_or_else(nobody))
    };
    if let Some(best) = sources.best() {
        open.peak = best.peak();
        open.coverage = Some(best.coverage());
        open.idle_gpus = best.idle_gpus();
        open.source = Some(best.name().to_owned());
    }
    open
}

/// A source that knows the machine's accelerators and has no sample of the window.
fn silent(measured: &Measured) -> Option<&str> {
    let mut series = measured.series.iter().filter(|series| series.gauge.shows_work());
    series.next().map(|series| series.source.as_str())
}

fn nobody() -> Unknown {
    Unknown::new(Ignorance::NotOffered, "no source measures it")
}

/// How many accelerators must be accounted for: as many as the machine's type has, whatever number
/// is measured. A part of one counts as one.
fn needed(instance: &Instance) -> Result<u32, Unknown> {
    let gpu = match &instance.gpu {
        Fact::Known { value, .. } => value,
        Fact::Absent { .. } => {
            return Err(Unknown::new(Ignorance::NotOffered, "it has no GPU"));
        }
        Fact::Unknown(gap) => {
            let why = format!("how many GPUs it has is not known: {gap}");
            return Err(Unknown::new(gap.kind, why));
        }
    };
    u32::try_from(gpu.count.ceil()).ok().filter(|count| *count > 0).ok_or_else(|| {
        Unknown::new(Ignorance::Unusable, format!("a number of {} GPUs cannot be", gpu.count))
    })
}

/// Memory of one accelerator, GiB, where it is known.
fn memory_of_one(instance: &Instance, needed: u32) -> Option<Decimal> {
    let memory = instance.gpu.value()?.memory_gib?;
    memory.checked_div(Decimal::from(needed)).filter(|memory| *memory > Decimal::ZERO)
}

/// A percentage for people, on the side of the threshold on which it lies.
fn beside(value: Decimal, below: Decimal) -> Decimal {
    use rust_decimal::RoundingStrategy::{ToPositiveInfinity, ToZero};
    let strategy = if value < below { ToPositiveInfinity } else { ToZero };
    (1..6)
        .map(|scale| value.round_dp_with_strategy(scale, strategy))
        .find(|rounded| (*rounded < below) == (value < below))
        .unwrap_or(value)
        .normalize()
}

/// A share for people: whole percents, never more than it is.
fn whole(share: Decimal) -> Decimal {
    share.trunc().normalize()
}

/// A time for people: of the clock's day its hour alone.
fn moment(time: DateTime<Utc>, now: DateTime<Utc>) -> String {
    if time.date_naive() == now.date_naive() {
        time.format("%H:%M UTC").to_string()
    } else {
        stamp(time)
    }
}
