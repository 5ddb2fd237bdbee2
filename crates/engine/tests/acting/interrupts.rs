//! A run that is told to end: nothing new is begun, what was begun is waited for a few seconds, and
//! what is not known then stays open for the next run to read.

use std::time::Duration;

use reaper_model::{ActionResult, Class, Meter, State};
use reaper_provider::ErrorKind;
use tokio::time::Instant;

use crate::build::{id, machines};
use crate::cloud::{act, read};
use crate::house::{House, Says, results};
use crate::script::{Answer, Next, put, refuses, shows};

const GRACE: Duration = Duration::from_secs(7);

#[tokio::test(start_paused = true)]
async fn an_interrupt_before_the_second_of_three_steps_begins_no_other() {
    let mut house = House::due(machines(3)).await;
    house.cloud.raise_at(act("i-1"), 1);
    let begun = Instant::now();
    let ran = house.run().await;
    assert!(begun.elapsed() <= GRACE, "{:?}", begun.elapsed());
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert!(!house.cloud.calls().contains(&read("i-2")));
    assert!(ran.document.interrupted && ran.has(Class::Incomplete));
    for native in ["i-2", "i-3"] {
        assert_eq!(ran.result(native), None);
        assert_eq!(ran.why(native), "not done: the run was interrupted before it");
    }
    house.wait("1h");
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-2", "i-3"], "the next run does the rest");
    assert!(!ran.document.interrupted);
    assert_eq!(results(&house.state().await, "i-1"), [ActionResult::Confirmed]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_during_a_call_leaves_it_open_and_the_next_run_reads() {
    for worked in [true, false] {
        let mut house = House::due(machines(2)).await;
        house.cloud.raise_at(act("i-1"), 1);
        house.cloud.answers("i-1", vec![Answer::never()]);
        let begun = Instant::now();
        let ran = house.run().await;
        assert!(begun.elapsed() <= GRACE, "{:?}", begun.elapsed());
        assert_eq!(house.cloud.acts(), ["i-1"]);
        assert_eq!(ran.result("i-1"), None, "nobody knows");
        assert!(ran.why("i-1").contains("the next one will read it"), "{}", ran.why("i-1"));
        let machine = house.state().await.machine(&id("i-1")).cloned().expect("is remembered");
        assert!(machine.open_action.is_some());

        house.wait("1h");
        if worked {
            house.cloud.edit("i-1", |machine| put(machine, State::Stopped, Meter::StoppedFree));
        }
        let ran = house.run().await;
        house.cloud.keeps_the_laws();
        let state = house.state().await;
        if worked {
            assert_eq!(house.cloud.acts(), ["i-1", "i-2"], "a second call");
            assert_eq!(results(&state, "i-1"), [ActionResult::Confirmed]);
        } else {
            assert_eq!(house.cloud.acts(), ["i-1", "i-1", "i-2"]);
            assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
            let both = [ActionResult::Refused, ActionResult::Confirmed];
            assert_eq!(results(&state, "i-1"), both);
        }
        assert_eq!(state.stops().iter().filter(|stop| stop.id == id("i-1")).count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_while_it_goes_down_ends_the_wait_however_short_the_polls() {
    for poll in [100, 1_000, 5_000, 60_000] {
        let mut house = House::due(machines(1)).await;
        house.settings.act.poll = Duration::from_millis(poll);
        let stays = vec![shows(State::Stopping, Meter::Running)];
        house.cloud.answers("i-1", vec![Answer::yes(stays)]);
        // Once before the call, then the third look at a machine on its way down.
        house.cloud.raise_at(read("i-1"), if poll > 5_000 { 2 } else { 4 });
        let begun = Instant::now();
        let ran = house.run().await;
        let waited = Duration::from_millis(if poll > 5_000 { 0 } else { 2 * poll });
        assert!(begun.elapsed() <= waited + GRACE, "polls of {poll} ms: {:?}", begun.elapsed());
        assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
        assert!(ran.document.interrupted);

        house.cloud.edit("i-1", |machine| put(machine, State::Stopped, Meter::StoppedFree));
        house.wait("1h");
        house.run().await;
        assert_eq!(house.cloud.acts(), ["i-1"], "a second call");
        assert_eq!(results(&house.state().await, "i-1"), [ActionResult::Confirmed]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_reads_that_hang() {
    // Before the call: nothing was begun. After a failed call: what it did is not known.
    let house = House::due(machines(2)).await;
    house.cloud.raise_at(read("i-1"), 1);
    house.cloud.next("i-1", vec![Next::Hangs]);
    let begun = Instant::now();
    let ran = house.run().await;
    assert!(begun.elapsed() <= GRACE, "{:?}", begun.elapsed());
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.result("i-1"), None);

    let mut house = House::due(machines(2)).await;
    house.cloud.raise_at(read("i-1"), 2);
    let failed = Answer::no(refuses(ErrorKind::ServerFault)).then(vec![Next::Hangs]);
    house.cloud.answers("i-1", vec![failed]);
    let begun = Instant::now();
    let ran = house.run().await;
    assert!(begun.elapsed() <= GRACE, "{:?}", begun.elapsed());
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed), "{}", ran.why("i-1"));
    house.wait("1h");
    house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-1", "i-2"]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_during_the_wait_for_another_attempt_makes_none() {
    let house = House::due(machines(1)).await;
    let busy = refuses(ErrorKind::Throttled).with_retry_after(Some(Duration::from_mins(5)));
    house.cloud.answers("i-1", vec![Answer::no(busy)]);
    // The read after the failure.
    house.cloud.raise_at(read("i-1"), 2);
    let begun = Instant::now();
    let ran = house.run().await;
    assert!(begun.elapsed() <= GRACE, "{:?}", begun.elapsed());
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
}
