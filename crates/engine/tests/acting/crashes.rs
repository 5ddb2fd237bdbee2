//! Runs that are killed wherever they can be: at every point at which they wait for anything.

use std::pin::pin;

use reaper_engine::RunError;
use reaper_ledger::Message;
use reaper_model::{ActionResult, Phase};

use crate::build::{id, machines};
use crate::house::{House, Says, killed_after, results, until};
use crate::script::Answer;

/// More than any run here has.
const MANY: usize = 5_000;

#[tokio::test(start_paused = true)]
async fn intent_before_call_holds_wherever_an_acting_run_is_killed() {
    let (mut before_any, mut between, mut after_all, mut before_its_call) = (0, 0, 0, 0);
    for polls in 0..MANY {
        let mut house = House::due(machines(2)).await;
        if killed_after(house.attempt(), polls).await {
            for times in [before_any, between, after_all, before_its_call] {
                assert!(times > 0, "it was not killed everywhere: {polls} polls");
            }
            return;
        }
        match house.cloud.acts().len() {
            0 => before_any += 1,
            1 => between += 1,
            _ => after_all += 1,
        }
        // The dead run's lease ends; what was on its way down arrives there.
        house.wait("24h");
        house.run().await;
        house.cloud.keeps_the_laws();
        let mut acts = house.cloud.acts();
        acts.sort_unstable();
        assert_eq!(acts, ["i-1", "i-2"], "killed after {polls} polls: lost or doubled");
        let state = house.state().await;
        assert_eq!(state.stops().len(), 2, "killed after {polls} polls: {:?}", state.stops());
        for native in acts {
            let machine = state.machine(&id(&native)).expect("is remembered");
            assert_eq!(machine.open_action, None);
            // Killed before its call, an intent is known to have come to nothing.
            match results(&state, &native)[..] {
                [ActionResult::Confirmed] => {}
                [ActionResult::Refused, ActionResult::Confirmed] => before_its_call += 1,
                ref other => panic!("killed after {polls} polls: {other:?}"),
            }
        }
    }
    panic!("no run came to its end");
}

#[tokio::test(start_paused = true)]
async fn intent_before_call_holds_where_a_killed_runs_call_was_lost() {
    // The call reached the cloud and did nothing: the next run finds the machine up.
    let mut house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![Answer::never()]);
    {
        let mut run = pin!(house.attempt());
        until(run.as_mut(), || !house.cloud.acts().is_empty()).await;
    }
    assert!(house.state().await.machine(&id("i-1")).is_some_and(|m| m.open_action.is_some()));
    house.wait("24h");
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-1"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
    let both = [ActionResult::Refused, ActionResult::Confirmed];
    assert_eq!(results(&house.state().await, "i-1"), both);
}

#[tokio::test(start_paused = true)]
async fn no_action_before_notice_wherever_a_telling_run_is_killed() {
    for polls in 0..MANY {
        let mut house = House::new(machines(2));
        let ended = killed_after(house.attempt(), polls).await;
        house.wait("24h");
        let ran = house.run().await;
        let letters = house.letters.got();
        assert!((1..=2).contains(&letters.len()), "killed after {polls} polls: {letters:?}");
        for letter in &letters {
            assert!(letter.intended, "killed after {polls} polls: sent without an intent");
            assert_eq!(letter.key, letters[0].key, "a second copy is known as one");
        }
        assert_eq!(house.cloud.acts(), [""; 0]);
        let state = house.state().await;
        let case = &state.machine(&id("i-1")).expect("is remembered").cases["forgotten"];
        assert_eq!(case.phase, Phase::Noticed, "killed after {polls} polls");
        assert!(ran.planned().is_empty());

        // A whole notice period after the acceptance, whichever run got it.
        let accepted = state.notice(&letters[0].key).and_then(Message::accepted_at);
        let due = case.due_at.expect("has a date");
        assert!(accepted.is_some_and(|at| due - at >= chrono::TimeDelta::days(3)));
        if ended {
            assert_eq!(letters.len(), 1, "told once");
            assert!(polls > 30, "the run was killed in {polls} places only");
            return;
        }
    }
    panic!("no run came to its end");
}

#[tokio::test(start_paused = true)]
async fn one_run_acts_and_a_second_one_leaves_without_a_call() {
    let mut house = House::due(machines(1)).await;
    house.cloud.answers("i-1", vec![Answer::never()]);
    {
        let mut first = pin!(house.attempt());
        until(first.as_mut(), || !house.cloud.acts().is_empty()).await;
        let calls = house.cloud.calls();
        let letters = house.letters.got();
        let Err(RunError::Locked(held)) = house.attempt().await else {
            panic!("the second run went on beside the first")
        };
        assert_eq!(held.len(), 1);
        assert_eq!(held[0].by.as_str(), "run-2", "it names the run that acts");
        assert_eq!(house.cloud.calls(), calls, "not even a listing");
        assert_eq!(house.letters.got(), letters);
        // Beside it, looking is free.
        house.dry().await;
    }
    // The first run is dead, and its lease still holds.
    assert!(matches!(house.attempt().await, Err(RunError::Locked(_))));
    house.wait("2h");
    house.run().await;
    house.cloud.keeps_the_laws();
}
