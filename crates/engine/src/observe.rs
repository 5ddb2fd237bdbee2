//! What the listings of a run say to the memory of earlier ones: who was seen, who was not, and
//! where so much is missing that nothing may be concluded from it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_ledger::{Account as LedgerAccount, Entry, Place, State};
use reaper_model::{InstanceId, Listing, State as MachineState, Verb};

use crate::collect::{Inventory, ScopeRead};

/// What is to be recorded of the listings.
#[derive(Debug, Default)]
pub struct Observed {
    /// The records.
    pub entries: Vec<Entry>,
    /// Places that lost most of their machines since they were last read whole.
    pub fallen: Vec<Fallen>,
    /// Places known from earlier runs that this one did not read to the end.
    pub unread: Vec<Place>,
    /// Machines whose place was read to the end and did not fall.
    whole: BTreeSet<Place>,
}

impl Observed {
    /// Of machines that were read alone: each of them is there.
    pub fn all_of<'a>(machines: impl IntoIterator<Item = &'a InstanceId>) -> Self {
        Self { whole: machines.into_iter().map(Place::of).collect(), ..Self::default() }
    }

    /// Whether something may be concluded at a machine's place.
    pub fn is_whole(&self, id: &InstanceId) -> bool {
        self.whole.contains(&Place::of(id))
    }
}

/// A place that lost most of its machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallen {
    /// The place.
    pub place: Place,
    /// How many machines the last complete listing showed.
    pub before: u64,
    /// How many this one shows.
    pub now: u64,
}

/// How far listings are believed.
#[derive(Debug, Clone, Copy)]
pub struct Belief {
    /// However much is missing in them.
    pub accept_drop: bool,
    /// All configured accounts were asked. If not, a machine that is not listed may be one that
    /// another configured account would have shown at the same place.
    pub all_accounts: bool,
}

/// Holds the listings against what is known.
pub fn observe(state: &State, inventory: &Inventory, belief: Belief) -> Observed {
    let mut observed = Observed::default();
    let mut read = BTreeSet::new();
    let Listings { places, accounts } = Listings::of(inventory);
    let by_place = places.iter().filter(|(_, seen)| seen.begun).map(|(place, seen)| {
        state.sight(place, seen.complete, seen.ids.iter().map(|id| id.native.as_str()))
    });
    let by_account = accounts.iter().filter(|(_, seen)| seen.begun).flat_map(|(account, seen)| {
        state.sight_all(account, seen.complete, seen.ids.iter().copied())
    });
    for entry in by_place.chain(by_account) {
        observed.take(state, entry, belief, &mut read);
    }
    let known = state.places().map(|(place, _)| place);
    observed.unread = known.filter(|place| !read.contains(*place)).cloned().collect();
    observed
}

/// How many machines of a place we have ended, and seen to have ended, since a time.
fn ended_since(state: &State, place: &Place, at: DateTime<Utc>) -> u64 {
    let ended = state.stops().iter().filter(|stop| {
        stop.verb == Verb::Terminate && stop.at >= at && Place::of(&stop.id) == *place
    });
    ended.count().try_into().unwrap_or(u64::MAX)
}

/// What was seen of one place or account, through however many configured accounts.
#[derive(Default)]
struct Seen<'a> {
    complete: bool,
    /// Whether anybody was asked. If not, nothing is recorded, so that the place keeps its turn in
    /// the order of those that have waited longest.
    begun: bool,
    ids: Vec<&'a InstanceId>,
}

/// The listings by what one call covers: a place, or a whole account.
#[derive(Default)]
struct Listings<'a> {
    places: BTreeMap<Place, Seen<'a>>,
    accounts: BTreeMap<LedgerAccount, Seen<'a>>,
}

impl<'a> Listings<'a> {
    fn of(inventory: &'a Inventory) -> Self {
        let mut listings = Self::default();
        for read in &inventory.scopes {
            let whole = || Seen { complete: true, begun: false, ids: Vec::new() };
            let seen = if read.covers_all {
                let (provider, account) =
                    (read.scope.provider.clone(), read.scope.provider_account.clone());
                let account = LedgerAccount { provider, account };
                listings.accounts.entry(account).or_insert_with(whole)
            } else {
                listings.places.entry(Place::from(&read.scope)).or_insert_with(whole)
            };
            seen.add(read);
        }
        listings
    }
}

impl<'a> Seen<'a> {
    fn add(&mut self, read: &'a ScopeRead) {
        self.complete &= matches!(read.listing, Listing::Complete(_));
        self.begun |= read.begun;
        // What has ended is listed for a while; it is not there any more.
        let there =
            read.listing.got().iter().filter(|machine| {
                !matches!(machine.state, MachineState::Ended | MachineState::Ending)
            });
        self.ids.extend(there.map(|machine| &machine.id));
    }
}

impl Observed {
    fn take(&mut self, state: &State, entry: Entry, belief: Belief, read: &mut BTreeSet<Place>) {
        let Entry::Seen { place, complete, count, appeared, absent, unread } = entry else {
            return;
        };
        let before = state.listed(&place).and_then(|listed| listed.complete);
        // What we have ended ourselves since then is no loss.
        let before = before.map(|(at, count)| count.saturating_sub(ended_since(state, &place, at)));
        let fell = complete
            && !belief.accept_drop
            && before.is_some_and(|before| reaper_plan::fell_sharply(before, count));
        if let (true, Some(before)) = (fell, before) {
            self.fallen.push(Fallen { place: place.clone(), before, now: count });
        }
        if complete {
            read.insert(place.clone());
        }
        if complete && !fell {
            self.whole.insert(place.clone());
        }
        let entry = if complete && !fell && belief.all_accounts {
            Entry::Seen { place, complete, count, appeared, absent, unread }
        } else {
            // Recorded as one that was not read to its end: what is missing in it is not absent.
            let unread = unread.into_iter().chain(absent).collect();
            Entry::Seen { place, complete: false, count, appeared, absent: Vec::new(), unread }
        };
        self.entries.push(entry);
    }
}
