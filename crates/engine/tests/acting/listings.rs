//! Listings that broke off, fell, left somebody out, came from elsewhere or were never begun.

use std::collections::BTreeSet;
use std::time::Duration;

use reaper_engine::Limits;
use reaper_ledger::{Place, State};
use reaper_model::document::ScopeStatus;
use reaper_model::{Class, Phase};
use reaper_provider::ErrorKind;

use crate::build::{id, machine, machine_in, machines};
use crate::cloud::Call;
use crate::house::{House, Says};
use crate::script::Listings;

fn place() -> Place {
    Place::of(&id("any"))
}

fn remembered(state: &State) -> usize {
    state.machines().count()
}

#[tokio::test(start_paused = true)]
async fn partial_is_loud_and_nothing_is_done_or_forgotten_there() {
    for broken in [
        Listings::BreakOff(2),
        Listings::BreakOff(0),
        Listings::Refused(ErrorKind::Denied { permission: "test:List".to_owned() }),
    ] {
        let mut fleet = machines(3);
        fleet.push(machine_in("r-2", "i-9"));
        let mut house = House::due(fleet).await;
        let before = house.state().await;
        house.cloud.listings("r-1", Some(broken.clone()));
        for _ in 0..3 {
            let ran = house.run().await;
            assert!(ran.has(Class::Incomplete), "{broken:?}");
            assert_eq!(house.cloud.acts(), ["i-9"], "{broken:?}: the other region is acted in");
            let said = ran.warnings("not-read");
            assert!(
                said.len() == 1
                    && said[0].contains("earlier runs: 3;")
                    && said[0].contains("not gone"),
                "{said:?}"
            );
            let after = house.state().await;
            for native in ["i-1", "i-2", "i-3"] {
                let (before, after) = (before.machine(&id(native)), after.machine(&id(native)));
                let after = after.expect("is not forgotten");
                assert_eq!(before.map(|machine| &machine.cases), Some(&after.cases));
                assert_eq!(after.absence, None, "{broken:?}: not seen is not absent");
            }
            let complete = |state: &State| state.listed(&place()).and_then(|seen| seen.complete);
            assert_eq!(complete(&before), complete(&after));
            house.wait("24h");
        }
        // Read to its end again, all is as if nothing had been.
        house.cloud.listings("r-1", None);
        house.run().await;
        house.cloud.keeps_the_laws();
        assert_eq!(house.cloud.acts(), ["i-9", "i-1", "i-2", "i-3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn fl_015_an_inventory_that_fell_is_said_and_believed_only_when_told_to() {
    let mut house = House::due(machines(10)).await;
    for number in 3..=10 {
        house.cloud.hide(&format!("i-{number}"), true);
    }
    for _ in 0..2 {
        let ran = house.run().await;
        assert_eq!(house.cloud.acts(), [""; 0], "nothing is stopped there");
        let said = ran.warnings("inventory-fell");
        assert!(said.len() == 1 && said[0].contains("fell from 10 to 2"), "{said:?}");
        assert!(ran.has(Class::Incomplete));
        let state = house.state().await;
        assert_eq!(remembered(&state), 10);
        assert!(state.machines().all(|(_, machine)| machine.absence.is_none()));
        house.wait("24h");
    }
    house.orders.accept_drop = true;
    let ran = house.run().await;
    assert_eq!(ran.warnings("inventory-fell"), [""; 0]);
    assert!(!ran.has(Class::Incomplete));
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"]);
    let state = house.state().await;
    let absent = state.machines().filter(|(_, machine)| machine.absence.is_some()).count();
    assert_eq!(absent, 8, "now they count as not seen once");

    // Said once: from now on two machines are the whole.
    house.orders.accept_drop = false;
    house.wait("24h");
    let ran = house.run().await;
    assert_eq!(ran.warnings("inventory-fell"), [""; 0]);
    assert_eq!(remembered(&house.state().await), 2);
}

#[tokio::test(start_paused = true)]
async fn fl_019_not_seen_once_is_not_gone() {
    let mut house = House::new(machines(2));
    house.run().await;
    let before = house.state().await.machine(&id("i-1")).cloned().expect("is remembered");
    house.cloud.hide("i-1", true);
    house.wait("24h");
    house.run().await;
    let missed = house.state().await.machine(&id("i-1")).cloned().expect("is not forgotten");
    assert_eq!(missed.absence.map(|absence| absence.listings), Some(1));
    assert_eq!(missed.cases, before.cases, "its case goes on");

    house.cloud.hide("i-1", false);
    house.wait("24h");
    house.run().await;
    assert_eq!(house.letters.got().len(), 1, "it was told of already");
    house.wait("25h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"], "its notice still counts");
}

#[tokio::test(start_paused = true)]
async fn fl_019_absent_from_two_complete_listings_is_gone_and_coming_back_starts_anew() {
    let mut house = House::new(machines(2));
    house.run().await;
    house.cloud.hide("i-1", true);
    for _ in 0..2 {
        house.wait("24h");
        house.run().await;
    }
    assert_eq!(house.state().await.machine(&id("i-1")), None);
    house.cloud.hide("i-1", false);
    house.wait("25h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-2"], "whoever came back has a whole period again");
    let state = house.state().await;
    let case = &state.machine(&id("i-1")).expect("is there again").cases["forgotten"];
    assert_eq!(case.phase, Phase::Noticed);
    assert_eq!(case.since, house.now);
}

#[tokio::test(start_paused = true)]
async fn a_run_over_some_accounts_concludes_nothing_from_an_absence() {
    let mut house = House::new(machines(2));
    house.run().await;
    house.settings.all_accounts = false;
    house.cloud.hide("i-1", true);
    for _ in 0..3 {
        house.wait("1h");
        house.run().await;
    }
    let state = house.state().await;
    let machine = state.machine(&id("i-1")).expect("another account may have shown it");
    assert_eq!(machine.absence, None);
}

/// Regions listed before the run's time was over, in order.
fn listed(house: &House) -> Vec<String> {
    let region = |call| match call {
        Call::List(region) => Some(region),
        Call::Read(_) | Call::Act { .. } => None,
    };
    house.cloud.calls().into_iter().filter_map(region).collect()
}

#[tokio::test(start_paused = true)]
async fn fl_066_what_was_not_reached_comes_first_next_time() {
    let regions = ["r-1", "r-2", "r-3", "r-4", "r-5"];
    let fleet = regions.iter().map(|region| machine_in(region, &format!("i-{region}"))).collect();
    let mut house = House::new(fleet);
    house.cloud.listing_takes(Duration::from_mins(1));
    house.limits = Limits { run: Duration::from_secs(130), scopes_at_once: 1, ..Limits::default() };
    let mut complete = BTreeSet::new();
    for run in 1..=4 {
        house.cloud.forget_calls();
        let ran = house.run().await;
        assert!(ran.has(Class::Incomplete));
        assert_eq!(listed(&house).len(), 3, "two to the end, the third broken off");
        let scopes = &ran.document.scopes;
        let unreached = scopes
            .iter()
            .filter(|scope| scope.why.as_deref().is_some_and(|why| why.contains("not reached")));
        assert_eq!(unreached.count(), 2, "they are said");
        if run == 2 {
            assert_eq!(listed(&house)[..2], ["r-4", "r-5"], "it begins with what was left over");
        }
        let whole = scopes.iter().filter(|scope| scope.status == ScopeStatus::Complete);
        complete.extend(whole.filter_map(|scope| Some(scope.location.as_ref()?.to_string())));
        house.wait("24h");
    }
    assert_eq!(complete.len(), 5, "in the end all were read: {complete:?}");
}

#[tokio::test(start_paused = true)]
async fn fl_066_a_place_that_never_ends_does_not_hold_up_the_others() {
    let regions = ["r-1", "r-2", "r-3"];
    let fleet = regions.iter().map(|region| machine_in(region, &format!("i-{region}"))).collect();
    let mut house = House::new(fleet);
    // Each region takes longer than a whole run.
    house.cloud.listing_takes(Duration::from_mins(5));
    house.limits = Limits { run: Duration::from_mins(2), scopes_at_once: 1, ..Limits::default() };
    for _ in 0..3 {
        house.run().await;
        house.wait("24h");
    }
    assert_eq!(listed(&house), regions, "each gets its turn");
}

#[tokio::test(start_paused = true)]
async fn fl_077_another_account_takes_nothing_away_from_the_first() {
    let mut house = House::new(machines(8));
    house.pin = None;
    house.run().await;
    let before = house.state().await;
    house.cloud.switch_account("444455556666");
    for _ in 0..3 {
        house.wait("24h");
        let ran = house.run().await;
        let said = ran.warnings("not-read");
        assert!(
            said.len() == 1
                && said[0].contains("aws/111122223333/r-1")
                && said[0].contains("earlier runs: 8;")
                && said[0].contains("not gone"),
            "{said:?}"
        );
    }
    let after = house.state().await;
    assert!(before.machines().eq(after.machines()), "the history stays as it was");
}

#[tokio::test(start_paused = true)]
async fn a_region_that_is_new_takes_part_at_once() {
    let mut house = House::due(machines(1)).await;
    house.cloud.region("r-2");
    house.cloud.add(machine_in("r-2", "i-2"));
    house.cloud.add(machine("i-3"));
    house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1"], "the new ones are told of first");
    house.wait("73h");
    house.run().await;
    let mut acts = house.cloud.acts();
    acts.sort_unstable();
    assert_eq!(acts, ["i-1", "i-2", "i-3"]);
}
