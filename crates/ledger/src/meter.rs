//! Meters: what the looks at a machine said of its bill. A commit names only the machines whose
//! bill reads otherwise than at the look before, or that were away in between, and the places
//! where all others read as before. A listing alone reads nothing: of a run that ends between the
//! two nobody concludes that a bill went on.
//!
//! A meter outlives its machine: what is gone has still cost something this month.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{InstanceId, Reading};
use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Place};
use crate::fold::Contradiction;
use crate::state::{State, is_at};

/// How long the meter of a machine that is gone is kept, and how far back that of one that is
/// there reaches: over the month before, also where that ended late.
pub const METERS: TimeDelta = TimeDelta::days(100);

/// Readings that are kept of one machine: tags that change with every run must not grow for ever.
pub const READINGS: usize = 2_000;

/// How much later than a run a look may be without being told: clocks differ by some minutes.
pub const AHEAD: TimeDelta = TimeDelta::minutes(10);

/// What is known of one machine's bill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meter {
    /// Each differs from the one before, or comes after an absence; oldest first, never none.
    pub readings: Vec<Metered>,
    /// When the machine was last read: until then the last reading is known to hold.
    pub seen: DateTime<Utc>,
    /// When a complete listing first did not show it after that, or the provider denied it; until
    /// it is read again.
    pub absent: Option<DateTime<Utc>>,
    /// What was before this time was given up for want of room, and cost otherwise than what is
    /// left; `None`: nothing was. What is forgotten for its age is not meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<DateTime<Utc>>,
}

/// One reading, and what is known of the time between it and the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metered {
    /// When the look was.
    pub at: DateTime<Utc>,
    /// Until when the reading before was last seen to hold; `None`: there was none before.
    pub confirmed: Option<DateTime<Utc>>,
    /// When, between `confirmed` and `at`, the machine was first not there. What lies between the
    /// two was then not seen billed on both sides, even where both readings are equal.
    pub absent: Option<DateTime<Utc>>,
    /// What the look said.
    pub reading: Reading,
}

impl Meter {
    /// The newest reading.
    pub fn last(&self) -> Option<&Metered> {
        self.readings.last()
    }

    /// When the machine was last looked for, whether it was there or not.
    fn looked(&self) -> DateTime<Utc> {
        self.absent.map_or(self.seen, |absent| absent.max(self.seen))
    }

    /// Whether a look at the time `at` is older than what is known.
    fn knows_later(&self, at: DateTime<Utc>) -> bool {
        self.looked() > at
    }

    /// Whether `metered` can come next.
    fn fits(&self, metered: &Metered) -> bool {
        let last = self.last().map_or(self.seen, |last| last.at);
        let confirmed = metered.confirmed.is_some_and(|at| last <= at && at <= metered.at);
        confirmed && !self.knows_later(metered.at)
    }

    /// The machine was not there; not of a listing that is older than the last look.
    pub(crate) fn miss(&mut self, at: DateTime<Utc>) {
        if self.absent.is_none() && at > self.seen {
            self.absent = Some(at);
        }
    }

    fn read(&mut self, metered: Metered) {
        self.seen = metered.at;
        self.absent = None;
        self.readings.push(metered);
        while self.readings.len() > READINGS {
            self.give_up_one();
        }
    }

    /// Gives up the oldest reading that says of the bill and its owner what the one before it says:
    /// its tags alone are lost. Where there is none, one that says so of the bill; where there is
    /// none either, the oldest, and notes that.
    fn give_up_one(&mut self) {
        let costs_nothing = self
            .repetition(|one, other| costs_alike(one, other) && owned_alike(one, other))
            .or_else(|| self.repetition(costs_alike));
        self.readings.remove(costs_nothing.unwrap_or(0));
        if costs_nothing.is_none() {
            self.cut = self.readings.first().map(|first| first.at);
        }
    }

    /// The oldest reading that is `alike` the one before it, with no absence between the two. The
    /// newest is none: it is what holds, and what the next look is held against.
    fn repetition(&self, alike: impl Fn(&Reading, &Reading) -> bool) -> Option<usize> {
        let (_newest, older) = self.readings.split_last()?;
        let before = older.windows(2).position(|pair| {
            matches!(pair, [before, after]
                if after.absent.is_none() && alike(&before.reading, &after.reading))
        })?;
        Some(before + 1)
    }

    /// Forgets what had ended before the horizon, but not what held at it: since when that runs is
    /// still of use. False when nothing is left that anybody needs.
    pub(crate) fn forget(&mut self, horizon: DateTime<Utc>) -> bool {
        let held = self.readings.iter().rposition(|reading| reading.at <= horizon);
        self.readings.drain(..held.unwrap_or(0));
        self.seen >= horizon
    }

    /// As much of it as decides what can come next.
    pub(crate) fn tip(&self) -> Self {
        let last = self.readings.len().saturating_sub(1);
        Self { readings: self.readings[last..].to_vec(), ..*self }
    }
}

/// Whether two readings cost the same, to the same account, whatever name, owner and tags they
/// show.
fn costs_alike(one: &Reading, other: &Reading) -> bool {
    let cost = |reading: &Reading| {
        let Reading { billed, price, committed, uncertain, .. } = *reading;
        (billed, price, committed, uncertain)
    };
    cost(one) == cost(other)
        && (&one.account, &one.machine_type) == (&other.account, &other.machine_type)
}

/// Whether two readings show the same owners, or both do not know them.
fn owned_alike(one: &Reading, other: &Reading) -> bool {
    (one.blind, &one.owners, &one.team) == (other.blind, &other.owners, &other.team)
}

impl State {
    /// Since when bills are read: what had ended before is in no meter.
    pub fn metered_since(&self) -> Option<DateTime<Utc>> {
        self.metered_since
    }

    /// What is known of a machine's bill.
    pub fn meter(&self, id: &InstanceId) -> Option<&Meter> {
        self.meters.get(id)
    }

    /// All meters, also of machines that are gone, in the order of their ids.
    pub fn meters(&self) -> impl Iterator<Item = (&InstanceId, &Meter)> {
        self.meters.iter()
    }

    /// How many meters know of a look that is later than `at` by more than [`AHEAD`]: a runner
    /// whose clock was fast has made it. Until that time has come nothing new is read into them.
    pub fn meters_ahead(&self, at: DateTime<Utc>) -> usize {
        let ahead = |meter: &&Meter| meter.looked().signed_duration_since(at) > AHEAD;
        self.meters.values().filter(ahead).count()
    }

    /// The entries that record what a look at the time `at` read, of machines that
    /// [`State::sight`] has recorded before or records in the same commit. Of those that read as
    /// before, only their places; nothing of one of which a later look is known. One that several
    /// accounts show is read as before if one of them says so, else as the first of them says.
    pub fn meter_entries(
        &self,
        at: DateTime<Utc>,
        readings: &[(InstanceId, Reading)],
    ) -> Vec<Entry> {
        let mut by_machine: BTreeMap<&InstanceId, Vec<&Reading>> = BTreeMap::new();
        for (id, reading) in readings {
            by_machine.entry(id).or_default().push(reading);
        }
        let entry = |(id, readings): (&InstanceId, Vec<&Reading>)| {
            let before = self.meters.get(id);
            let goes_on = before.is_some_and(|meter| {
                let last = meter.last().map(|last| &last.reading);
                meter.knows_later(at)
                    || meter.absent.is_none() && readings.iter().any(|&now| last == Some(now))
            });
            let reading = readings.first().filter(|_| !goes_on)?;
            Some(Entry::Metered {
                id: id.clone(),
                confirmed: before.map(|meter| meter.seen),
                absent: before.and_then(|meter| meter.absent),
                reading: (*reading).clone(),
            })
        };
        let mut places: BTreeMap<Place, Vec<String>> = BTreeMap::new();
        for id in by_machine.keys().filter(|id| self.goes_on(id)) {
            places.entry(Place::of(id)).or_default();
        }
        for (place, unread) in &mut places {
            let here = self.machines_at(place).map(|(id, _)| id);
            let missing = here.filter(|id| !by_machine.contains_key(id) && self.goes_on(id));
            unread.extend(missing.map(|id| id.native.clone()));
        }
        let begins = self.metered_since.is_none();
        let read = (begins || !places.is_empty()).then_some(Entry::MetersRead { places });
        read.into_iter().chain(by_machine.into_iter().filter_map(entry)).collect()
    }

    /// Whether a machine is there and has a meter that says so too.
    fn goes_on(&self, id: &InstanceId) -> bool {
        let there = self.machines.get(id).is_some_and(|machine| machine.absence.is_none());
        there && self.meters.get(id).is_some_and(|meter| meter.absent.is_none())
    }

    /// Folds the places of [`State::meter_entries`].
    pub(crate) fn fold_meters_read(
        &mut self,
        at: DateTime<Utc>,
        places: &BTreeMap<Place, Vec<String>>,
    ) {
        self.metered_since.get_or_insert(at);
        for (place, unread) in places {
            let unread: BTreeSet<&str> = unread.iter().map(String::as_str).collect();
            let here = self.meters.range_mut(place.machine("")..);
            for (id, meter) in here.take_while(|(id, _)| is_at(id, place)) {
                let there = self.machines.get(id).is_some_and(|machine| machine.absence.is_none());
                if there && meter.absent.is_none() && !unread.contains(id.native.as_str()) {
                    meter.seen = meter.seen.max(at);
                }
            }
        }
    }

    /// Folds what [`State::meter_entries`] made.
    pub(crate) fn fold_metered(
        &mut self,
        id: &InstanceId,
        metered: Metered,
    ) -> Result<(), Contradiction> {
        match self.meters.entry(id.clone()) {
            btree_map::Entry::Vacant(free) => {
                let seen = metered.at;
                free.insert(Meter { readings: vec![metered], seen, absent: None, cut: None });
            }
            btree_map::Entry::Occupied(mut meter) if meter.get().fits(&metered) => {
                meter.get_mut().read(metered);
            }
            btree_map::Entry::Occupied(_) => return Err(Contradiction::Reading(id.clone())),
        }
        Ok(())
    }
}
