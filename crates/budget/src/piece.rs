//! From looks to billed time: which stretches are known to have been billed, under which reading,
//! and where it cannot be told. Time is counted where it was seen billed on both sides, or where
//! the provider's own times prove it; of the rest a [`Doubt`] says that the sum is a lower bound.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Billed, InstanceId, Reading, Unit};

use crate::rounding::Rounding;
use crate::track::{Look, Track};

/// A stretch of billed time under one reading. Pieces of one run follow each other without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The machine.
    pub id: &'a InstanceId,
    /// What held.
    pub reading: &'a Reading,
    /// When its run began: the provider rounds from there.
    pub run_start: DateTime<Utc>,
    /// From when, inclusive.
    pub from: DateTime<Utc>,
    /// Until when, exclusive.
    pub until: DateTime<Utc>,
    /// Whether it goes on: the last look of all showed it billed.
    pub open: bool,
    /// How the provider rounds.
    pub rounding: Rounding,
    /// Until when the machine was under a monthly plan before, if it was: a month is paid once,
    /// however often the machine comes and goes in it.
    pub plan_before: Option<DateTime<Utc>>,
    /// Time around it that may have been billed, and is not counted.
    pub doubt: Vec<Doubt>,
}

/// Time that may have been billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// Why it cannot be told.
    pub why: DoubtWhy,
    /// From when.
    pub from: DateTime<Utc>,
    /// Until when.
    pub until: DateTime<Utc>,
}

/// Why it cannot be told whether time was billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DoubtWhy {
    /// The provider does not tell when it was started.
    Start,
    /// The provider does not tell when it ended, or was stopped.
    End,
    /// It was not seen by the last look.
    Unseen,
}

impl Doubt {
    /// Whether it touches a span of time.
    pub fn touches(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> bool {
        self.from < until && self.until > from
    }
}

/// Clocks of different runners may differ by this.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(10);

/// The billed time of one machine up to `now`.
pub fn pieces<'a>(track: &Track<'a>, now: DateTime<Utc>) -> Vec<Piece<'a>> {
    let mut course = Course { track, pieces: Vec::new(), going: None, idle: None };
    for (place, look) in track.looks.iter().enumerate() {
        let Some(held) = track.held(place) else { continue };
        match look.reading.billed {
            Billed::Since(start) => course.billed(look, start, held),
            Billed::NotSince(end) => course.idle(look, end, held),
        }
    }
    course.end(now)
}

struct Course<'t, 'a> {
    track: &'t Track<'a>,
    pieces: Vec<Piece<'a>>,
    /// The run that the last look showed.
    going: Option<Going>,
    /// Until when the last look was known to hold, if it showed the machine not billed.
    idle: Option<DateTime<Utc>>,
}

/// A run that goes on.
struct Going {
    /// Its start by the provider.
    start: Option<DateTime<Utc>>,
    /// Until when it is known to go on.
    held: DateTime<Utc>,
}

impl<'a> Course<'_, 'a> {
    fn billed(&mut self, look: &Look<'a>, start: Option<DateTime<Utc>>, held: DateTime<Utc>) {
        let Look { at, reading, absent, .. } = *look;
        // A provider's clock may be ahead of ours.
        let told = start.map(|start| start.min(at));
        let Some(going) = self.going.take() else {
            let idle = self.idle.take();
            // The price of the looks that were given up is not known any more.
            let cut = idle.is_none() && self.pieces.is_empty() && self.track.cut.is_some();
            let proven = told.filter(|told| !cut && idle.is_none_or(|idle| *told > idle));
            let from = proven.unwrap_or(at);
            let doubt = Doubt {
                why: DoubtWhy::Start,
                from: idle.unwrap_or(DateTime::<Utc>::MIN_UTC),
                until: from,
            };
            self.begin(reading, from, held, proven.is_none().then_some(doubt));
            self.going = Some(Going { start, held });
            return;
        };
        let restarted = told.filter(|told| start != going.start && *told > going.held);
        // Away in between, and nobody says that it ran on.
        let unproven = (absent.is_some() && start.is_none()).then_some(at);
        if let Some(from) = restarted.or(unproven) {
            let doubt = Doubt { why: DoubtWhy::End, from: going.held, until: from };
            self.close(going.held, Some(doubt));
            self.begin(reading, from, held, None);
        } else {
            let run_start = self.pieces.last().map_or(at, |last| last.run_start);
            self.close(at, None);
            self.push(reading, run_start, at, held);
        }
        self.going = Some(Going { start: start.or(going.start), held });
    }

    fn idle(&mut self, look: &Look<'a>, end: Option<DateTime<Utc>>, held: DateTime<Utc>) {
        let at = look.at;
        if let Some(end) =
            end.filter(|end| self.going.is_none() && self.idle.is_none_or(|idle| *end > idle))
        {
            // It ran and ended between two looks, or before the first: nobody tells since when.
            let end = end.min(at);
            let from = self.idle.unwrap_or(DateTime::<Utc>::MIN_UTC);
            let doubt = Doubt { why: DoubtWhy::Start, from, until: end };
            self.begin(look.reading, end, end, Some(doubt));
        }
        if let Some(going) = self.going.take() {
            // It was seen billed until `held`, and is not since `at`.
            let ended = end
                .or_else(|| self.track.ended_by_us(going.held, at))
                .map(|end| end.max(going.held).min(at));
            let doubt = Doubt { why: DoubtWhy::End, from: going.held, until: at };
            self.close(ended.unwrap_or(going.held), ended.is_none().then_some(doubt));
        }
        self.idle = Some(held);
    }

    fn end(mut self, now: DateTime<Utc>) -> Vec<Piece<'a>> {
        if let Some(going) = self.going.take() {
            // Seen in what is the future here: some runner's clock is ahead, and how long it has
            // run by ours nobody can say.
            let ahead = going.held - now > CLOCKS_DIFFER;
            if going.held >= now {
                let unseen = Doubt { why: DoubtWhy::Unseen, from: now, until: going.held };
                self.close(now, ahead.then_some(unseen));
                if let Some(last) = self.pieces.last_mut() {
                    last.open = true;
                }
            } else if let Some(end) =
                self.track.gone.and_then(|gone| self.track.ended_by_us(going.held, gone))
            {
                self.close(end, None);
            } else {
                let until = self.track.gone.unwrap_or(now);
                let doubt = Doubt { why: DoubtWhy::Unseen, from: going.held, until };
                self.close(going.held, Some(doubt));
            }
        }
        self.pieces
    }

    fn begin(
        &mut self,
        reading: &'a Reading,
        from: DateTime<Utc>,
        held: DateTime<Utc>,
        doubt: Option<Doubt>,
    ) {
        self.push(reading, from, from, held);
        if let Some(last) = self.pieces.last_mut() {
            last.doubt.extend(doubt);
        }
    }

    fn push(
        &mut self,
        reading: &'a Reading,
        run_start: DateTime<Utc>,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
    ) {
        let id = self.track.id;
        let rounding = Rounding::of(&id.provider, &reading.machine_type);
        let (open, doubt) = (false, Vec::new());
        let plans = self.pieces.iter().rev().filter(|piece| is_monthly(piece.reading));
        let plan_before = plans.map(|piece| piece.until).next();
        self.pieces.push(Piece {
            id,
            reading,
            run_start,
            from,
            until,
            open,
            rounding,
            plan_before,
            doubt,
        });
    }

    fn close(&mut self, until: DateTime<Utc>, doubt: Option<Doubt>) {
        if let Some(last) = self.pieces.last_mut() {
            last.until = until.max(last.from);
            last.doubt.extend(doubt);
        }
    }
}

pub(crate) fn is_monthly(reading: &Reading) -> bool {
    reading.price.is_some_and(|price| price.unit == Unit::Month)
}
