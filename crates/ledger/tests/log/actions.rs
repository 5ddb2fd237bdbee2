//! What is remembered of actions: on which ground, settled late, and what a twin is known by.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_ledger::fold::STOPS;
use reaper_ledger::{
    ActionResult, ActionStep, Contradiction, Entry, Error, Ledger, Store, Verb, View,
};

use crate::support::{
    day, ended, hour, intend, list, looks, machine, open, place, record, run_ended,
};

async fn holding(store: &Store, machines: &[&str]) -> Ledger {
    let mut ledger = open(store, "run").await;
    list(&mut ledger, hour(0), machines).await;
    let accounts = [place("111122223333").account()].into();
    ledger.claim(&accounts, hour(0), TimeDelta::days(99)).await.expect("answered");
    ledger
}

async fn act(ledger: &mut Ledger, at: DateTime<Utc>, native: &str, result: ActionResult) {
    record(ledger, at, vec![intend(native)]).await.expect("holds the lease");
    let answered = at + TimeDelta::minutes(5);
    record(ledger, answered, vec![ended(native, result)]).await.expect("was intended");
}

fn terminated(native: &str) -> Entry {
    Entry::Action {
        id: machine(native),
        rule: "ownerless".to_owned(),
        verb: Verb::Terminate,
        step: ActionStep::Ended { result: ActionResult::Confirmed, why: "as tested".to_owned() },
    }
}

async fn refused(ledger: &mut Ledger, at: DateTime<Utc>, entry: Entry) {
    let recorded = record(ledger, at, vec![entry]).await;
    let Err(Error::Contradiction { source, .. }) = recorded else { panic!("{recorded:?}") };
    assert!(matches!(source, Contradiction::ActionNotIntended(_)), "{source}");
}

fn results(ledger: &Ledger, native: &str) -> Vec<(ActionResult, DateTime<Utc>)> {
    let known = ledger.state().machine(&machine(native)).expect("known");
    known.actions.iter().map(|action| (action.result, action.at)).collect()
}

#[tokio::test]
async fn an_action_keeps_its_ground_and_a_skip_has_none() {
    let mut ledger = holding(&Store::memory(), &["i-1"]).await;
    record(&mut ledger, hour(1), vec![intend("i-1")]).await.expect("holds the lease");
    let known = ledger.state().machine(&machine("i-1")).expect("known");
    let intent = &known.open_action.as_ref().expect("open").intent;
    assert_eq!((intent.ground.as_str(), &intent.looks), ("sha256:ground", &looks()));
    let refusal = ended("i-1", ActionResult::Refused);
    record(&mut ledger, hour(1), vec![refusal]).await.expect("was intended");
    let skip = ended("i-1", ActionResult::SkippedChanged);
    record(&mut ledger, hour(2), vec![skip]).await.expect("nothing was called");
    let known = ledger.state().machine(&machine("i-1")).expect("known");
    let grounds: Vec<_> = known.actions.iter().map(|action| action.ground()).collect();
    assert_eq!(grounds, [Some("sha256:ground"), None]);
    assert_eq!(ledger.state().stops(), [], "neither of them stopped anything");
}

#[tokio::test]
async fn a_result_of_another_verb_than_intended_is_refused() {
    let mut ledger = holding(&Store::memory(), &["i-1"]).await;
    record(&mut ledger, hour(1), vec![intend("i-1")]).await.expect("holds the lease");
    refused(&mut ledger, hour(1), terminated("i-1")).await;
    let known = ledger.state().machine(&machine("i-1")).expect("known");
    assert!(known.open_action.is_some(), "the intent is still to be answered");
}

/// The call answered and the machine ran on; by the next run it has stopped. That run calls
/// nothing, so it has no intent of its own.
#[tokio::test]
async fn fl_042_an_unconfirmed_action_is_settled_by_a_later_run() {
    for late in [ActionResult::Confirmed, ActionResult::AlreadyGone, ActionResult::Refused] {
        let mut ledger = holding(&Store::memory(), &["i-1"]).await;
        act(&mut ledger, hour(1), "i-1", ActionResult::Unconfirmed).await;
        let unconfirmed = |ledger: &Ledger| {
            let known = ledger.state().machine(&machine("i-1")).expect("known");
            known.unconfirmed().map(|action| action.result)
        };
        assert_eq!(unconfirmed(&ledger), Some(ActionResult::Unconfirmed));
        // A skip in between called nothing and settles nothing.
        let skip = ended("i-1", ActionResult::SkippedChanged);
        record(&mut ledger, hour(2), vec![skip]).await.expect("nothing was called");
        refused(&mut ledger, hour(25), terminated("i-1")).await;
        refused(&mut ledger, hour(25), ended("i-1", ActionResult::Unconfirmed)).await;

        record(&mut ledger, hour(25), vec![ended("i-1", late)]).await.expect("seen");
        let settled = [(ActionResult::SkippedChanged, hour(2)), (late, hour(25))];
        assert_eq!(results(&ledger, "i-1"), settled, "one action, one result");
        assert_eq!(unconfirmed(&ledger), None);
        let known = ledger.state().machine(&machine("i-1")).expect("known");
        let last = known.actions.last().expect("settled");
        assert_eq!(last.ground(), Some("sha256:ground"), "the ground of the call");
        // Once, and not again: a refusal may also be a hook's, before any call.
        if late != ActionResult::Refused {
            refused(&mut ledger, hour(49), ended("i-1", late)).await;
        }
    }
}

#[tokio::test]
async fn what_was_refused_or_never_called_is_not_settled_late() {
    let mut ledger = holding(&Store::memory(), &["i-1", "i-2"]).await;
    act(&mut ledger, hour(1), "i-1", ActionResult::Unconfirmed).await;
    act(&mut ledger, hour(2), "i-1", ActionResult::Refused).await;
    for native in ["i-1", "i-2"] {
        refused(&mut ledger, hour(3), ended(native, ActionResult::Confirmed)).await;
    }
}

/// The stopped machine may be gone when its twin is found: how it looked, and when, stays known.
#[tokio::test]
async fn fl_043_a_confirmed_stop_outlives_its_machine() {
    let store = Store::memory();
    let mut ledger = holding(&store, &["i-1"]).await;
    act(&mut ledger, hour(1), "i-1", ActionResult::Confirmed).await;
    record(&mut ledger, hour(2), vec![Entry::NotFound { id: machine("i-1") }]).await.expect("ok");
    assert_eq!(ledger.state().machine(&machine("i-1")), None);
    let [stopped] = ledger.state().stops() else { panic!("{:?}", ledger.state().stops()) };
    assert_eq!((&stopped.id, stopped.verb), (&machine("i-1"), Verb::Stop));
    assert_eq!(stopped.looks, looks());
    assert_eq!((stopped.called, stopped.at), (hour(1), hour(1) + TimeDelta::minutes(5)));
    // A run that begins later knows it too.
    let view = View::read(&store).await.expect("readable");
    assert_eq!(view.state().stops(), ledger.state().stops());
}

/// Confirmed a day late, the twin came long before: the time of the call is what it is held
/// against.
#[tokio::test]
async fn fl_044_a_stop_confirmed_late_keeps_the_time_of_its_call() {
    let mut ledger = holding(&Store::memory(), &["i-1"]).await;
    act(&mut ledger, hour(1), "i-1", ActionResult::Unconfirmed).await;
    assert_eq!(ledger.state().stops(), []);
    let late = ended("i-1", ActionResult::Confirmed);
    record(&mut ledger, hour(25), vec![late]).await.expect("seen");
    let times: Vec<_> = ledger.state().stops().iter().map(|stop| (stop.called, stop.at)).collect();
    assert_eq!(times, [(hour(1), hour(25))]);
}

#[tokio::test]
async fn a_stop_is_remembered_for_thirty_days() {
    let mut ledger = holding(&Store::memory(), &["i-1", "i-2"]).await;
    act(&mut ledger, day(0), "i-1", ActionResult::Confirmed).await;
    act(&mut ledger, day(1), "i-2", ActionResult::Confirmed).await;
    let known = ledger.state().stops()[0].at;
    record(&mut ledger, known + STOPS, vec![run_ended()]).await.expect("recorded");
    assert_eq!(ledger.state().stops().len(), 2);
    let later = known + STOPS + TimeDelta::seconds(1);
    record(&mut ledger, later, vec![run_ended()]).await.expect("recorded");
    let left: Vec<_> = ledger.state().stops().iter().map(|stop| stop.id.clone()).collect();
    assert_eq!(left, [machine("i-2")]);
}
