//! Listings of a whole account at once: machines keep their own location.

use chrono::{DateTime, Utc};
use reaper_ledger::{Account, Decision, Entry, Ledger, Place, Store};
use reaper_model::InstanceId;

use crate::support::{day, list_at, open, place};

fn account() -> Account {
    place("project").account()
}

fn at(location: &str) -> Place {
    Place { location: location.into(), ..place("project") }
}

async fn list_all(ledger: &mut Ledger, at: DateTime<Utc>, complete: bool, seen: &[InstanceId]) {
    let sight = |state: &reaper_ledger::State| {
        Decision::Write(state.sight_all(&account(), complete, seen), ())
    };
    ledger.append(at, sight).await.expect("recorded");
}

fn absences(ledger: &Ledger, id: &InstanceId) -> Option<u32> {
    let machine = ledger.state().machine(id)?;
    Some(machine.absence.as_ref().map_or(0, |absence| absence.listings))
}

fn counted(ledger: &Ledger, location: &str) -> Option<(DateTime<Utc>, u64)> {
    ledger.state().listed(&at(location)).and_then(|listed| listed.complete)
}

#[tokio::test]
async fn machines_of_one_listing_are_known_at_their_own_locations() {
    let mut ledger = open(&Store::memory(), "run").await;
    let seen = [at("GRA11").machine("a"), at("SBG5").machine("b"), at("GRA11").machine("c")];
    list_all(&mut ledger, day(0), true, &seen).await;
    let known: Vec<_> = ledger.state().machines().map(|(id, _)| id.clone()).collect();
    assert_eq!(known, [seen[0].clone(), seen[2].clone(), seen[1].clone()]);
    assert_eq!(counted(&ledger, "GRA11"), Some((day(0), 2)));
    assert_eq!(counted(&ledger, "SBG5"), Some((day(0), 1)));
    // Nothing new takes one small entry a location, and nothing else.
    let entries = ledger.state().sight_all(&account(), true, &seen);
    assert_eq!(entries.len(), 2);
    let none_new =
        |entry: &Entry| matches!(entry, Entry::Seen { appeared, .. } if appeared.is_empty());
    assert!(entries.iter().all(none_new), "{entries:?}");
}

/// The same native id elsewhere is another machine, and the one that it was is absent.
#[tokio::test]
async fn a_machine_that_moves_is_new_there_and_absent_here() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (here, there) = (at("GRA11").machine("a"), at("SBG5").machine("a"));
    list_all(&mut ledger, day(0), true, std::slice::from_ref(&here)).await;
    list_all(&mut ledger, day(1), true, std::slice::from_ref(&there)).await;
    assert_eq!((absences(&ledger, &here), absences(&ledger, &there)), (Some(1), Some(0)));
    let first_seen = ledger.state().machine(&there).map(|machine| machine.first_seen);
    assert_eq!(first_seen, Some(day(1)));
    list_all(&mut ledger, day(2), true, std::slice::from_ref(&there)).await;
    assert_eq!(absences(&ledger, &here), None);
}

#[tokio::test]
async fn fl_019_a_location_that_becomes_empty_is_concluded_from() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (stays, goes) = (at("GRA11").machine("a"), at("SBG5").machine("b"));
    list_all(&mut ledger, day(0), true, &[stays.clone(), goes.clone()]).await;
    list_all(&mut ledger, day(1), true, std::slice::from_ref(&stays)).await;
    assert_eq!(absences(&ledger, &goes), Some(1));
    assert_eq!(counted(&ledger, "SBG5"), Some((day(1), 0)));
    // Everything may be gone at once.
    list_all(&mut ledger, day(2), true, &[]).await;
    assert_eq!((absences(&ledger, &goes), absences(&ledger, &stays)), (None, Some(1)));
    assert_eq!(counted(&ledger, "GRA11"), Some((day(2), 0)));
}

/// Invariant `partial_is_loud` over all locations.
#[tokio::test]
async fn partial_is_loud_in_every_location() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (seen, unread) = (at("GRA11").machine("a"), at("SBG5").machine("b"));
    list_all(&mut ledger, day(0), true, &[seen.clone(), unread.clone()]).await;
    let fresh = at("BHS5").machine("c");
    for today in 1..5 {
        list_all(&mut ledger, day(today), false, &[seen.clone(), fresh.clone()]).await;
    }
    for id in [&seen, &unread, &fresh] {
        assert_eq!(absences(&ledger, id), Some(0), "{id}");
    }
    let last_seen = |id| ledger.state().machine(id).map(|machine| machine.last_seen);
    assert_eq!((last_seen(&seen), last_seen(&unread)), (Some(day(4)), Some(day(0))));
    assert_eq!(counted(&ledger, "GRA11"), Some((day(0), 1)), "the last complete one");
    assert_eq!(counted(&ledger, "BHS5"), None, "never read to the end");
}

/// A listing concludes for its own account alone, also where a machine of another one slips in.
#[tokio::test]
async fn fl_077_nothing_is_concluded_for_another_account() {
    let mut ledger = open(&Store::memory(), "run").await;
    let other = Place { location: "GRA11".into(), ..place("other") };
    list_at(&mut ledger, day(0), &other, true, &["x", "y"]).await;
    let ours = at("GRA11").machine("a");
    list_all(&mut ledger, day(1), true, &[ours.clone(), other.machine("x")]).await;
    list_all(&mut ledger, day(2), true, std::slice::from_ref(&ours)).await;
    for native in ["x", "y"] {
        assert_eq!(absences(&ledger, &other.machine(native)), Some(0), "{native}");
    }
}
