//! From the intent to the call, and what each answer of the provider leads to.

use std::time::Duration;

use reaper_model::{ActionResult, Class, Meter, Phase, State};
use reaper_provider::{Delivery, ErrorKind, ProviderError};

use crate::build::{id, machines, tags};
use crate::cloud::{Call, act, read};
use crate::house::{House, Says, results};
use crate::script::{Answer, Next, becomes, put, refuses, shows};

fn failing(kind: ErrorKind) -> Answer {
    Answer::no(refuses(kind))
}

fn timed_out() -> ProviderError {
    ProviderError::new(ErrorKind::Timeout, Delivery::MaybeSent, "test:Stop", "no answer")
}

fn stopped() -> Next {
    shows(State::Stopped, Meter::StoppedFree)
}

#[tokio::test(start_paused = true)]
async fn intent_before_call_and_outcome_after() {
    let house = House::due(machines(3)).await;
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-2", "i-3"]);
    assert!(!ran.has(Class::ActionFailed), "{:?}", ran.document.outcome);
    let state = house.state().await;
    for native in ["i-1", "i-2", "i-3"] {
        assert_eq!(ran.result(native), Some(ActionResult::Confirmed), "{}", ran.why(native));
        assert_eq!(results(&state, native), [ActionResult::Confirmed]);
        let machine = state.machine(&id(native)).expect("is remembered");
        assert_eq!(machine.open_action, None);
        assert_eq!(machine.cases["forgotten"].phase, Phase::Acted);
    }
    assert_eq!(state.stops().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn intent_before_call_so_that_without_an_intent_nothing_is_called() {
    let house = House::due(machines(3)).await;
    house.disk.refuse("\"intended\":{\"plan\"", 1);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(ran.has(Class::ActionFailed));
    for native in ["i-1", "i-2", "i-3"] {
        assert_eq!(ran.result(native), None);
        assert!(ran.why(native).contains("could not be written"), "{}", ran.why(native));
    }
    assert!(!house.cloud.calls().contains(&read("i-2")), "the second step was begun");

    // The failure passes, and with it nothing is lost.
    house.run().await;
    assert_eq!(house.cloud.acts().len(), 3);
    house.cloud.keeps_the_laws();
}

#[tokio::test(start_paused = true)]
async fn intent_before_call_also_on_a_disk_that_stays_full() {
    let house = House::due(machines(2)).await;
    house.disk.refuse("\"kind\":\"action\"", usize::MAX);
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_cannot_be_recorded_is_read_by_the_next_run() {
    let mut house = House::due(machines(1)).await;
    house.disk.refuse("\"ended\":{\"result\"", 1);
    let ran = house.run().await;
    assert!(ran.has(Class::ActionFailed));
    assert!(ran.why("i-1").contains("could not be recorded"), "{}", ran.why("i-1"));
    let open = |state: &reaper_ledger::State| {
        state.machine(&id("i-1")).is_some_and(|machine| machine.open_action.is_some())
    };
    assert!(open(&house.state().await));

    house.wait("24h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"], "it was called twice");
    assert_eq!(results(&house.state().await, "i-1"), [ActionResult::Confirmed]);
}

#[tokio::test(start_paused = true)]
async fn the_log_refuses_an_intent_after_the_lease() {
    let mut house = House::due(machines(1)).await;
    house.settings.lease = chrono::TimeDelta::seconds(30);
    house.cloud.listing_takes(Duration::from_mins(1));
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(ran.why("i-1").contains("holds no lease"), "{}", ran.why("i-1"));
}

#[tokio::test(start_paused = true)]
async fn fl_045_what_is_down_already_counts_as_done_in_its_own_words() {
    let conflict = || Answer::no(refuses(ErrorKind::Conflict));
    let cases = [
        (conflict().then(vec![stopped()]), ActionResult::AlreadyGone, "already stopped"),
        (
            conflict().then(vec![
                shows(State::Ending, Meter::Running),
                shows(State::Ended, Meter::Ended),
            ]),
            ActionResult::Confirmed,
            "shows \"ended\"",
        ),
        (
            failing(ErrorKind::NotFound).then(vec![Next::Gone]),
            ActionResult::AlreadyGone,
            "already gone",
        ),
        (
            failing(ErrorKind::Invalid).then(vec![stopped()]),
            ActionResult::AlreadyGone,
            "already stopped",
        ),
    ];
    for (answer, result, words) in cases {
        let house = House::due(machines(2)).await;
        house.cloud.answers("i-1", vec![answer]);
        let ran = house.run().await;
        house.cloud.keeps_the_laws();
        assert_eq!(ran.result("i-1"), Some(result), "{words}");
        assert!(ran.why("i-1").contains(words), "{}", ran.why("i-1"));
        assert!(!ran.has(Class::ActionFailed), "{words}");
        assert_eq!(ran.result("i-2"), Some(ActionResult::Confirmed), "the next one proceeds");
        assert_eq!(house.cloud.acts(), ["i-1", "i-2"]);
    }
}

#[tokio::test(start_paused = true)]
async fn fl_046_two_failures_and_a_success_are_one_confirmed_stop() {
    for kind in [ErrorKind::ServerFault, ErrorKind::Throttled] {
        let house = House::due(machines(1)).await;
        house.cloud.answers("i-1", vec![failing(kind.clone()), failing(kind)]);
        let ran = house.run().await;
        assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed), "{}", ran.why("i-1"));
        let state = house.state().await;
        assert_eq!(results(&state, "i-1"), [ActionResult::Confirmed]);
        assert_eq!(state.stops().len(), 1);
        let calls: Vec<Call> =
            house.cloud.calls().into_iter().filter(|call| !matches!(call, Call::List(_))).collect();
        // Read after each failure, and once more after the wait.
        let (read, act) = (read("i-1"), act("i-1"));
        let expected = [&read, &act, &read, &read, &act, &read, &read, &act];
        assert_eq!(calls.iter().take(8).collect::<Vec<_>>(), expected);
        assert_eq!(house.cloud.acts().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn fl_046_failing_to_the_end_is_not_stopped() {
    let mut house = House::due(machines(1)).await;
    house.cloud.answers("i-1", (0..4).map(|_| failing(ErrorKind::ServerFault)).collect());
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts().len(), 4, "attempts are bounded");
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
    assert!(ran.why("i-1").contains("not stopped"), "{}", ran.why("i-1"));
    assert!(ran.has(Class::ActionFailed));
    assert_eq!(house.state().await.stops(), []);

    house.wait("24h");
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed), "the next run tries again");
    house.cloud.keeps_the_laws();
}

#[tokio::test(start_paused = true)]
async fn fl_046_a_call_that_worked_without_an_answer_is_not_repeated() {
    for error in [timed_out(), refuses(ErrorKind::ServerFault), refuses(ErrorKind::Protocol)] {
        let house = House::due(machines(1)).await;
        house.cloud.answers("i-1", vec![Answer::no(error).then(vec![stopped()])]);
        let ran = house.run().await;
        assert_eq!(house.cloud.acts(), ["i-1"]);
        assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed), "{}", ran.why("i-1"));
    }
}

#[tokio::test(start_paused = true)]
async fn fl_046_a_machine_on_its_way_down_is_not_hit_again() {
    let house = House::due(machines(1)).await;
    let then = vec![shows(State::Stopping, Meter::Running), stopped()];
    house.cloud.answers("i-1", vec![Answer::no(timed_out()).then(then)]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
}

#[tokio::test(start_paused = true)]
async fn fl_046_what_went_down_during_the_wait_is_not_hit_again() {
    let house = House::due(machines(1)).await;
    let up = || shows(State::Running, Meter::Running);
    house.cloud.answers("i-1", vec![Answer::no(timed_out()).then(vec![up(), stopped()])]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_changed_between_two_attempts_is_left_alone() {
    let house = House::due(machines(1)).await;
    let up = || shows(State::Running, Meter::Running);
    let kept = becomes(|machine| {
        machine.tags = tags(&[("owner", "alice"), ("reaper-keep", "")]);
    });
    house.cloud.answers("i-1", vec![failing(ErrorKind::ServerFault).then(vec![up(), kept])]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed), "it may have been carried out");
    assert!(ran.why("i-1").contains("changed"), "{}", ran.why("i-1"));
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_cannot_be_read_after_a_failure_is_not_called_again() {
    let house = House::due(machines(1)).await;
    let blind = Next::Fails(refuses(ErrorKind::ServerFault));
    house.cloud.answers("i-1", vec![Answer::no(timed_out()).then(vec![blind])]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
    assert!(ran.has(Class::ActionFailed));
}

#[tokio::test(start_paused = true)]
async fn the_wait_that_a_provider_asks_for_is_kept() {
    let house = House::due(machines(1)).await;
    let busy = refuses(ErrorKind::Throttled).with_retry_after(Some(Duration::from_mins(1)));
    house.cloud.answers("i-1", vec![Answer::no(busy)]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
    let times = house.cloud.act_times();
    assert_eq!(times.len(), 2);
    assert!(times[1] - times[0] >= Duration::from_mins(1), "{:?}", times[1] - times[0]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_the_time_to_confirm_is_not_waited_for() {
    let house = House::due(machines(1)).await;
    let busy = refuses(ErrorKind::Throttled).with_retry_after(Some(Duration::from_hours(24)));
    house.cloud.answers("i-1", vec![Answer::no(busy)]);
    let begun = tokio::time::Instant::now();
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Unconfirmed));
    assert!(begun.elapsed() < Duration::from_mins(10), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn fl_047_a_missing_permission_is_named_once_an_account() {
    let house = House::due(machines(3)).await;
    for native in ["i-1", "i-2"] {
        let permission = "test:Stop".to_owned();
        house.cloud.answers(native, vec![failing(ErrorKind::Denied { permission })]);
    }
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-2", "i-3"], "none of them is tried twice");
    for native in ["i-1", "i-2"] {
        assert_eq!(ran.result(native), Some(ActionResult::Refused));
        assert_eq!(ran.why(native), "stop denied by provider policy (test:Stop)");
        let reads = house.cloud.calls().into_iter().filter(|call| *call == read(native)).count();
        assert_eq!(reads, 1, "there is nothing to look after");
    }
    assert_eq!(ran.result("i-3"), Some(ActionResult::Confirmed));
    assert!(ran.has(Class::ActionFailed));
    assert!(!ran.has(Class::Incomplete), "listings are unaffected");
    assert_eq!(
        ran.warnings("stop-denied"),
        ["stop permission missing in account aws 111122223333: test:Stop, for 2 machines"]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_039_the_providers_protection_is_said_and_the_others_proceed() {
    let house = House::due(machines(2)).await;
    house.cloud.answers("i-1", vec![failing(ErrorKind::Protected)]);
    let ran = house.run().await;
    assert_eq!(ran.result("i-1"), Some(ActionResult::Refused));
    assert!(ran.why("i-1").contains("protected at provider"), "{}", ran.why("i-1"));
    assert_eq!(ran.result("i-2"), Some(ActionResult::Confirmed));
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"]);
}

#[tokio::test(start_paused = true)]
async fn fl_040_a_refusal_of_a_booting_machine_means_not_yet() {
    let house = House::due(machines(1)).await;
    let booting = vec![shows(State::Pending, Meter::Running)];
    house.cloud.answers("i-1", vec![failing(ErrorKind::Conflict).then(booting)]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert!(ran.why("i-1").contains("it will be judged next run"), "{}", ran.why("i-1"));
    assert!(!ran.has(Class::ActionFailed));
}

#[tokio::test(start_paused = true)]
async fn fl_040_a_booting_machine_is_not_called() {
    let house = House::due(machines(1)).await;
    house.cloud.edit("i-1", |machine| put(machine, State::Pending, Meter::Running));
    let ran = house.run().await;
    assert_eq!(ran.planned(), [""; 0]);
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_on_a_running_machine_is_a_refusal_and_not_repeated() {
    let house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![failing(ErrorKind::Conflict)]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Refused));
    assert!(ran.has(Class::ActionFailed));
}
