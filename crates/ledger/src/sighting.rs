//! Listings as deltas. A run lists every machine, a commit names only those that came or went: ten
//! thousand machines that stay cost nothing, every day for a year.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::InstanceId;

use crate::entry::{Account, Entry, Place};
use crate::fold::Contradiction;
use crate::state::{Absence, Listed, Machine, State, is_at};

/// Complete listings in a row that must not show a machine before it is forgotten. Providers show
/// a fresh machine late, and lose one for a moment.
pub const ABSENCES_TO_FORGET: u32 = 2;

impl State {
    /// The entry that records a listing of `place` which showed the native ids `seen`.
    pub fn sight<'a>(
        &self,
        place: &Place,
        complete: bool,
        seen: impl IntoIterator<Item = &'a str>,
    ) -> Entry {
        let seen: BTreeSet<&str> = seen.into_iter().collect();
        let count = u64::try_from(seen.len()).unwrap_or(u64::MAX);
        let (mut absent, mut unread, mut present) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (id, machine) in self.machines_at(place) {
            let native = id.native.as_str();
            if seen.contains(native) {
                if machine.absence.is_none() {
                    present.insert(native);
                }
            } else if complete {
                absent.push(native.to_owned());
            } else if machine.absence.is_none() {
                unread.push(native.to_owned());
            }
        }
        let appeared = seen.difference(&present).map(|&native| native.to_owned()).collect();
        Entry::Seen { place: place.clone(), complete, count, appeared, absent, unread }
    }

    /// The entries that record one listing of a whole `account`, all its locations at once, which
    /// showed the machines `seen`: one for each location that has machines now or is known from
    /// before. A machine of another account was seen too, but says nothing of its neighbours.
    pub fn sight_all<'a>(
        &self,
        account: &Account,
        complete: bool,
        seen: impl IntoIterator<Item = &'a InstanceId>,
    ) -> Vec<Entry> {
        let known = self.places.keys().filter(|place| place.account() == *account);
        let mut places: BTreeMap<Place, Vec<&str>> =
            known.map(|place| (place.clone(), Vec::new())).collect();
        for id in seen {
            places.entry(Place::of(id)).or_default().push(&id.native);
        }
        let sight = |(place, seen): (Place, Vec<&str>)| {
            self.sight(&place, complete && place.account() == *account, seen)
        };
        places.into_iter().map(sight).collect()
    }

    /// Folds what [`State::sight`] made.
    pub(crate) fn fold_seen(&mut self, at: DateTime<Utc>, seen: &Sighting<'_>) -> Folded {
        let Sighting { place, complete, count, appeared, absent, unread } = *seen;
        if !complete && !absent.is_empty() {
            return Err(Contradiction::AbsentInPartial(place.clone()));
        }
        for native in appeared {
            let machine = self
                .machines
                .entry(place.machine(native.as_str()))
                .or_insert_with(|| Machine::first_seen(at));
            machine.absence = None;
        }
        let missing: BTreeSet<&str> = absent.iter().chain(unread).map(String::as_str).collect();
        let here = self.machines.range_mut(place.machine("")..);
        for (id, machine) in here.take_while(|(id, _)| is_at(id, place)) {
            if machine.absence.is_none() && !missing.contains(id.native.as_str()) {
                machine.last_seen = machine.last_seen.max(at);
            }
        }
        for native in absent {
            let id = place.machine(native.as_str());
            if let Some(meter) = self.meters.get_mut(&id) {
                meter.miss(at);
            }
            let Some(machine) = self.machines.get_mut(&id) else { continue };
            machine.miss(at);
            let missed = machine.absence.as_ref().map_or(0, |absence| absence.listings);
            if missed >= ABSENCES_TO_FORGET && machine.open_action.is_none() {
                self.machines.remove(&id);
            }
        }
        let listed = self.places.entry(place.clone()).or_insert(Listed { at, complete: None });
        listed.at = listed.at.max(at);
        if complete && listed.complete.is_none_or(|(before, _)| before <= at) {
            listed.complete = Some((at, count));
        }
        Ok(())
    }
}

type Folded = Result<(), Contradiction>;

/// The fields of [`Entry::Seen`].
#[derive(Clone, Copy)]
pub(crate) struct Sighting<'a> {
    pub(crate) place: &'a Place,
    pub(crate) complete: bool,
    pub(crate) count: u64,
    pub(crate) appeared: &'a [String],
    pub(crate) absent: &'a [String],
    pub(crate) unread: &'a [String],
}

impl Machine {
    fn first_seen(at: DateTime<Utc>) -> Self {
        Self {
            first_seen: at,
            last_seen: at,
            absence: None,
            cases: BTreeMap::new(),
            open_action: None,
            actions: Vec::new(),
        }
    }

    /// Counts a complete listing without this machine, unless it is older than what is known: a
    /// slow run must not count its old listing after a newer one.
    fn miss(&mut self, at: DateTime<Utc>) {
        match &mut self.absence {
            None if at > self.last_seen => {
                self.absence = Some(Absence { since: at, last: at, listings: 1 });
            }
            Some(absence) if at > absence.last => {
                absence.last = at;
                absence.listings += 1;
            }
            None | Some(_) => {}
        }
    }
}
