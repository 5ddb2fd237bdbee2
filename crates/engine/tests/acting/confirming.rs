//! A saving is booked when the provider itself shows a state in which the bill has ended.

use std::time::Duration;

use reaper_model::{ActionResult, Class, Meter, Phase, State, StopKind};
use reaper_provider::{Consents, ErrorKind};
use tokio::time::Instant;

use crate::build::{id, machine, machines, money};
use crate::cloud::Call;
use crate::house::{House, Says, results};
use crate::script::{Answer, Next, put, refuses, shows};

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_by_a_state_in_which_the_bill_has_ended() {
    let never_enough = [
        (State::Running, Meter::Running),
        (State::Stopping, Meter::Running),
        (State::Stopping, Meter::StoppedFree),
        (State::Stopped, Meter::StoppedBilled),
        (State::Stopped, Meter::Running),
        (State::Stopped, Meter::Unknown),
        (State::Failed, Meter::Running),
        (State::Unknown, Meter::StoppedFree),
        (State::Ending, Meter::Ended),
        (State::Ended, Meter::Running),
    ];
    for (state, meter) in never_enough {
        let house = House::due(machines(1)).await;
        house.cloud.answers("i-1", vec![Answer::yes(vec![shows(state, meter)])]);
        let begun = Instant::now();
        let ran = house.run().await;
        let what = format!("{state}, {meter:?}");
        assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed), "{what}");
        assert!(ran.has(Class::ActionFailed), "{what}");
        assert!(ran.why("i-1").contains("not confirmed"), "{what}: {}", ran.why("i-1"));
        let took = begun.elapsed();
        assert!(took > Duration::from_secs(590) && took <= Duration::from_mins(10), "{took:?}");
        let ledger = house.state().await;
        assert_eq!(ledger.stops(), [], "{what}: no saving is booked");
        let remembered = ledger.machine(&id("i-1")).expect("is remembered");
        assert_eq!(remembered.cases["forgotten"].phase, Phase::Due, "{what}: its case goes on");
        assert_eq!(house.cloud.acts(), ["i-1"], "{what}");
    }
    for (state, meter) in [(State::Stopped, Meter::StoppedFree), (State::Ended, Meter::Ended)] {
        let house = House::due(machines(1)).await;
        let then = vec![shows(State::Stopping, Meter::Running), shows(state, meter)];
        house.cloud.answers("i-1", vec![Answer::yes(then)]);
        let ran = house.run().await;
        assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed), "{state}, {meter:?}");
        assert_eq!(house.state().await.stops().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_or_when_the_machine_is_gone() {
    let house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![Answer::yes(vec![Next::Gone])]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
    assert!(ran.why("i-1").contains("gone"), "{}", ran.why("i-1"));
}

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_a_terminated_machine_that_is_only_stopped_is_not_done() {
    let mut rented = machine("i-1");
    rented.stop.kind = StopKind::Terminate;
    let mut house = House::new(vec![rented]);
    house.consents = Consents { terminate: true, local_data_loss: false };
    house.become_due().await;
    let stopped = vec![shows(State::Stopped, Meter::StoppedFree)];
    house.cloud.answers("i-1", vec![Answer::yes(stopped)]);
    let ran = house.run().await;
    let Some(Call::Act { verb, .. }) =
        house.cloud.calls().into_iter().find(|call| matches!(call, Call::Act { .. }))
    else {
        panic!("it was not called")
    };
    assert_eq!(verb, reaper_model::Verb::Terminate);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
}

#[tokio::test(start_paused = true)]
async fn reads_that_fail_while_it_goes_down_are_repeated() {
    let house = House::due(machines(1)).await;
    let then = vec![
        shows(State::Stopping, Meter::Running),
        Next::Fails(refuses(ErrorKind::Throttled)),
        Next::Fails(refuses(ErrorKind::ServerFault)),
        shows(State::Stopped, Meter::StoppedFree),
    ];
    house.cloud.answers("i-1", vec![Answer::yes(then)]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
}

#[tokio::test(start_paused = true)]
async fn machines_are_confirmed_side_by_side() {
    let house = House::due(machines(5)).await;
    for machine in machines(5) {
        let stays = vec![shows(State::Stopping, Meter::Running)];
        house.cloud.answers(&machine.id.native, vec![Answer::yes(stays)]);
    }
    let begun = Instant::now();
    house.run().await;
    assert_eq!(house.cloud.acts().len(), 5, "nobody waits for the first to be down");
    assert!(begun.elapsed() <= Duration::from_mins(10), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn fl_041_a_machine_stuck_on_its_way_down_is_called_once_in_three_runs() {
    let mut house = House::due(machines(2)).await;
    let stays = vec![shows(State::Stopping, Meter::Running)];
    house.cloud.answers("i-1", vec![Answer::yes(stays)]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
    assert!(ran.has(Class::ActionFailed));
    for day in 2..=3 {
        house.wait("24h");
        let ran = house.run().await;
        assert_eq!(house.cloud.acts(), ["i-1", "i-2"], "called again on day {day}");
        let said = ran.warnings("stuck");
        assert!(
            said.len() == 1
                && said[0].contains("stuck in `stopping` since 2026-12-03")
                && said[0].contains("may still be billed"),
            "{said:?}"
        );
        assert!(ran.has(Class::ActionFailed), "day {day}");
        assert_eq!(ran.document.totals.hourly, [money("3.50 EUR")], "it stays in the sums");
    }
    house.cloud.edit("i-1", |machine| {
        put(machine, State::Stopped, Meter::StoppedFree);
    });
    house.wait("24h");
    let ran = house.run().await;
    assert!(!ran.has(Class::ActionFailed));
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"]);
    assert_eq!(results(&house.state().await, "i-1"), [ActionResult::Confirmed], "settled late");
    house.cloud.keeps_the_laws();
}

#[tokio::test(start_paused = true)]
async fn fl_042_a_success_after_which_nothing_happens_is_no_stop() {
    let mut house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![Answer::yes(Vec::new())]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
    assert!(ran.why("i-1").starts_with("stop not confirmed"), "{}", ran.why("i-1"));
    assert!(ran.has(Class::ActionFailed));
    assert_eq!(house.state().await.stops(), []);
    assert_eq!(house.cloud.acts(), ["i-1"], "within one run it is not called again");

    house.wait("24h");
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed), "the next run tries again");
    assert_eq!(house.cloud.acts(), ["i-1", "i-1"]);
    house.cloud.keeps_the_laws();
}

#[tokio::test(start_paused = true)]
async fn saving_when_confirmed_is_not_booked_for_a_stop_by_somebody_else() {
    let mut house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![Answer::yes(Vec::new())]);
    house.run().await;
    // A run that may not act sees it up: the call came to nothing.
    house.orders.enforces = false;
    house.orders.acts = false;
    house.wait("24h");
    house.run().await;
    // Then its owner stops it.
    house.cloud.edit("i-1", |machine| put(machine, State::Stopped, Meter::StoppedFree));
    house.wait("24h");
    house.run().await;
    let state = house.state().await;
    assert_eq!(results(&state, "i-1"), [ActionResult::Refused]);
    assert_eq!(state.stops(), []);
    assert_eq!(house.cloud.acts(), ["i-1"]);
}
