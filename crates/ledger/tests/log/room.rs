//! How much is kept of one machine's bill, and what is told where that is not enough.

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use reaper_ledger::meter::READINGS;
use reaper_ledger::{
    Commit, Digest, Entry, Header, Meter, Metered, Policy, State, Store, View, Writer,
};
use reaper_model::{Billed, MachineType, Noted, Reading};

use crate::support::{day, hour, look, machine, open, place, reading};

/// Looks at one machine, one an hour, straight into a state; and every reading that they recorded.
#[derive(Default)]
struct Looks {
    state: State,
    recorded: Vec<Metered>,
    next: u64,
}

impl Looks {
    /// The next look shows the machine with this reading, or does not show it.
    fn look(&mut self, reading: Option<Reading>) {
        let at = self.now();
        let listing =
            self.state.sight(&place("111122223333"), true, reading.as_ref().map(|_| "i-1"));
        let read: Vec<_> = reading.into_iter().map(|reading| (machine("i-1"), reading)).collect();
        let entries: Vec<Entry> =
            std::iter::once(listing).chain(self.state.meter_entries(at, &read)).collect();
        self.recorded.extend(entries.iter().filter_map(|entry| {
            let Entry::Metered { confirmed, absent, reading, .. } = entry else { return None };
            let (confirmed, absent) = (*confirmed, *absent);
            Some(Metered { at, confirmed, absent, reading: reading.clone() })
        }));
        self.next += 1;
        let (previous, writer) = (Digest::NONE, Writer::new("run"));
        let header = Header { number: self.next, previous, at, writer };
        self.state.fold(&Commit { header, entries }).expect("follows");
    }

    /// The next look shows the machine with this reading, and with a tag that it never had before.
    fn flap(&mut self, mut reading: Reading) {
        reading.tags.insert("step".to_owned(), self.next.to_string());
        self.look(Some(reading));
    }

    /// When the next look is.
    fn now(&self) -> DateTime<Utc> {
        hour(i64::try_from(self.next).expect("few"))
    }

    fn meter(&self) -> &Meter {
        self.state.meter(&machine("i-1")).expect("was read")
    }
}

/// What a reading says of the bill: all that a sum can follow from.
type Bill = (Billed, Option<Noted>, bool, bool, MachineType);

/// From when that holds, until when what was before was confirmed, since when the machine was away.
type Times = (DateTime<Utc>, Option<DateTime<Utc>>, Option<DateTime<Utc>>);

/// What readings say of the bill and when, without those that say what the one before says.
fn bills(readings: &[Metered]) -> Vec<(Times, Bill)> {
    let mut bills: Vec<(Times, Bill)> = Vec::new();
    for Metered { at, confirmed, absent, reading } in readings {
        let Reading { billed, price, committed, uncertain, machine_type, .. } = reading.clone();
        let bill = (billed, price, committed, uncertain, machine_type);
        let repeats = bills.last().is_some_and(|(_, last)| *last == bill);
        if !repeats || absent.is_some() {
            bills.push(((*at, *confirmed, *absent), bill));
        }
    }
    bills
}

/// Tags that change with every run take no room for ever, and the money in between stays: what is
/// given up are the oldest changes that cost nothing.
#[test]
fn tags_that_never_rest_are_bounded_and_lose_no_money() {
    let mut looks = Looks::default();
    looks.flap(reading("3.50 EUR"));
    looks.flap(reading("4 EUR"));
    looks.look(None);
    for _ in 0..READINGS + 200 {
        looks.flap(reading("4 EUR"));
    }
    assert_eq!((looks.recorded.len(), looks.meter().readings.len()), (READINGS + 202, READINGS));
    let gap = (hour(3), Some(hour(1)), Some(hour(2)));
    let bills_kept = bills(&looks.meter().readings);
    let last = bills_kept.last().map(|(times, _)| *times);
    assert_eq!(last, Some(gap), "the absence is still told");
    assert_eq!(bills_kept, bills(&looks.recorded));
    assert_eq!(looks.meter().last(), looks.recorded.last());
    assert_eq!(looks.meter().cut, None);
}

/// Where every change costs, the oldest goes, and that is not kept quiet: what is missing is no 0.
#[test]
fn fl_123_what_is_given_up_although_it_cost_is_told() {
    let mut looks = Looks::default();
    let price =
        |looks: &Looks| reading(if looks.next.is_multiple_of(2) { "5 EUR" } else { "6 EUR" });
    for _ in 0..READINGS {
        looks.look(Some(price(&looks)));
    }
    assert_eq!((looks.meter().readings.len(), looks.meter().cut), (READINGS, None));
    for _ in 0..100 {
        looks.look(Some(price(&looks)));
    }
    assert_eq!((looks.meter().readings.len(), looks.meter().cut), (READINGS, Some(hour(100))));
    assert_eq!(looks.meter().readings, looks.recorded[100..]);

    // What costs nothing goes first again, and takes nothing with it; but the newest stays.
    let last = price(&looks);
    looks.look(Some(last.clone()));
    let cut = Some(hour(101));
    assert_eq!(looks.meter().cut, cut);
    for _ in 0..50 {
        looks.flap(last.clone());
        assert_eq!(looks.meter().last(), looks.recorded.last());
    }
    let meter = looks.meter();
    assert_eq!((meter.readings.len(), meter.cut), (READINGS, Some(hour(102))));
    assert_eq!(bills(&meter.readings), bills(&looks.recorded)[102..]);
}

/// Whose the money was outlasts the tags as well.
#[test]
fn a_change_of_owner_outlasts_changes_of_tags() {
    let mut looks = Looks::default();
    let bob = Reading { owners: vec!["bob".to_owned()], ..reading("4 EUR") };
    looks.flap(reading("4 EUR"));
    looks.flap(bob.clone());
    for _ in 0..READINGS + 200 {
        looks.flap(bob.clone());
    }
    looks.flap(reading("4 EUR"));
    let mut owners: Vec<_> = looks
        .meter()
        .readings
        .iter()
        .map(|read| (read.reading.owners[0].as_str(), read.at))
        .collect();
    owners.dedup_by_key(|(owner, _)| *owner);
    let back = hour(i64::try_from(READINGS).expect("small") + 202);
    assert_eq!(owners, [("alice", hour(0)), ("bob", hour(1)), ("alice", back)]);

    // Only where there is nothing else does it go, before any money does.
    for _ in 0..READINGS {
        let owner = format!("owner-{}", looks.next);
        looks.look(Some(Reading { owners: vec![owner], ..reading("4 EUR") }));
    }
    assert_eq!((looks.meter().readings.len(), looks.meter().cut), (READINGS, None));
    assert_eq!(bills(&looks.meter().readings), bills(&looks.recorded));
}

/// That something was given up is known to the next run, after compaction as well; of a machine
/// that has lost nothing a snapshot says no word of it, as those of before do not.
#[tokio::test]
async fn fl_115_what_was_given_up_is_known_after_restart_and_compaction() {
    let store = Store::memory();
    let mut ledger = open(&store, "run").await;
    let other = reading("1 EUR");
    for run in 0..=i64::try_from(READINGS).expect("small") {
        let price = reading(if run % 2 == 0 { "5 EUR" } else { "6 EUR" });
        look(&mut ledger, hour(run), true, &[("i-1", &price), ("i-2", &other)]).await;
    }
    let policy = Policy { snapshot_every: 1, ..Policy::default() };
    let done = ledger.compact(day(99), &policy).await.expect("compacted");
    assert!(done.snapshot.is_some());
    let view = View::read(&store).await.expect("readable");
    assert_eq!(view.state(), ledger.state());
    let cuts: Vec<_> = view.state().meters().map(|(_, meter)| meter.cut).collect();
    assert_eq!(cuts, [Some(hour(1)), None]);

    let snapshot = serde_json::to_value(view.state()).expect("serialises");
    let said = |place: usize| snapshot["meters"][place][1].get("cut").is_some();
    assert_eq!((said(0), said(1)), (true, false));
    let read: State = serde_json::from_value(snapshot).expect("reads back");
    assert_eq!(&read, view.state());
}

/// A look of an invented history: the machine as it is, or its absence.
#[derive(Debug, Clone)]
enum Shown {
    Away,
    As { price: u8, billed: bool, uncertain: bool, owner: u8 },
}

/// How often in a row.
fn times() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(1_u8), 1 => 2..12_u8]
}

fn shown() -> impl Strategy<Value = Shown> {
    let machine = (1..3_u8, prop::bool::weighted(0.8), any::<bool>(), 0..2_u8);
    let machine = machine.prop_map(|(price, billed, uncertain, owner)| Shown::As {
        price,
        billed,
        uncertain,
        owner,
    });
    prop_oneof![1 => Just(Shown::Away), 6 => machine]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Giving up what costs nothing changes nothing of what was billed, at which price, and when;
    /// and where that does not make room, all from the cut on is there.
    #[test]
    fn what_is_given_up_costs_nothing_or_is_told(
        pattern in prop::collection::vec((shown(), times()), 1..8)
    ) {
        let mut looks = Looks::default();
        while looks.recorded.len() < READINGS + 1_000 {
            looks.flap(reading("9 EUR"));
            for (shown, times) in &pattern {
                for _ in 0..*times {
                    match shown {
                        Shown::Away => looks.look(None),
                        Shown::As { price, billed, uncertain, owner } => {
                            let mut now = reading(&format!("{price} EUR"));
                            if !billed {
                                now.billed = Billed::NotSince(None);
                            }
                            now.owners = vec![format!("owner-{owner}")];
                            now.uncertain = *uncertain;
                            looks.flap(now);
                        }
                    }
                }
            }
        }
        let meter = looks.meter();
        prop_assert_eq!(meter.readings.len(), READINGS);
        prop_assert_eq!(meter.last(), looks.recorded.last());
        let (kept, all) = (bills(&meter.readings), bills(&looks.recorded));
        match meter.cut {
            None => prop_assert_eq!(kept, all),
            Some(cut) => {
                let from = all.partition_point(|(times, _)| times.0 < cut);
                prop_assert!(from > 0 && all.len() >= READINGS);
                prop_assert_eq!(&kept[..], &all[from..]);
                prop_assert_eq!(kept[0].0.0, cut);
            }
        }
    }
}
