//! Leases, and what the log refuses without one.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use reaper_ledger::{
    Account, ActionResult, AlertIntent, AlertKey, Claimed, Contradiction, Entry, Error, Ledger,
    Sending, Store, Writer,
};

use crate::support::{
    day, ended, hour, intend, list, machine, notice, open, place, record, run_ended, to_owner,
};

fn accounts(names: &[&str]) -> BTreeSet<Account> {
    names.iter().map(|name| Account::of(&place(name).machine("x"))).collect()
}

fn ours() -> BTreeSet<Account> {
    accounts(&["111122223333"])
}

const LEASE: TimeDelta = TimeDelta::hours(1);

fn contradiction(result: Result<(), Error>) -> Contradiction {
    match result {
        Err(Error::Contradiction { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

async fn two_runs() -> (Store, Ledger, Ledger) {
    let store = Store::memory();
    let (mut first, second) = (open(&store, "first").await, open(&store, "second").await);
    list(&mut first, hour(0), &["i-1"]).await;
    (store, first, second)
}

#[tokio::test]
async fn a_claim_is_all_or_nothing() {
    let (_, mut first, mut second) = two_runs().await;
    first.claim(&accounts(&["2"]), hour(0), LEASE).await.expect("answered");
    let answer = second.claim(&accounts(&["1", "2", "3"]), hour(0), LEASE).await;
    let Claimed::Held(held) = answer.expect("answered") else { panic!("two is held") };
    let [held] = &held[..] else { panic!("one account: {held:?}") };
    assert_eq!((held.by.as_str(), held.until), ("first", hour(1)));
    assert!(second.state().held_by(second.writer(), hour(0)).is_empty(), "not even one and three");
    let answer = second.claim(&accounts(&["1", "3"]), hour(0), LEASE).await.expect("answered");
    assert_eq!(answer, Claimed::Until(hour(1)));
}

/// A lock left by a killed run is taken over after its time, never while its holder lives.
#[tokio::test]
async fn fl_132_a_lease_is_taken_over_only_after_its_end() {
    let (_, mut first, mut second) = two_runs().await;
    first.claim(&ours(), hour(0), LEASE).await.expect("answered");
    let almost = hour(1) - TimeDelta::nanoseconds(1);
    let answer = second.claim(&ours(), almost, LEASE).await.expect("answered");
    assert!(matches!(answer, Claimed::Held(_)));
    // Renewed in time: it goes on.
    first.claim(&ours(), almost, LEASE).await.expect("answered");
    assert!(matches!(second.claim(&ours(), hour(1), LEASE).await, Ok(Claimed::Held(_))));
    // Not renewed: after its end it is anybody's, and the first run learns of it.
    assert!(matches!(second.claim(&ours(), hour(2), LEASE).await, Ok(Claimed::Until(_))));
    assert!(matches!(first.claim(&ours(), hour(2), LEASE).await, Ok(Claimed::Held(_))));
}

#[tokio::test]
async fn fl_132_only_the_holder_gives_a_lease_back() {
    let (_, mut first, mut second) = two_runs().await;
    first.claim(&ours(), hour(0), LEASE).await.expect("answered");
    second.release(hour(0)).await.expect("has none");
    let entry = Entry::Released { accounts: ours() };
    let refused = contradiction(record(&mut second, hour(0), vec![entry]).await);
    assert!(matches!(refused, Contradiction::NoLease { .. }), "{refused}");
    first.release(hour(0)).await.expect("gave it back");
    assert!(matches!(second.claim(&ours(), hour(0), LEASE).await, Ok(Claimed::Until(_))));
}

/// Invariant `one_run_acts`: without a living lease an intent can not be recorded, and without a
/// recorded intent nothing is called.
#[tokio::test]
async fn one_run_acts_no_intent_without_a_living_lease() {
    let (_, mut first, mut second) = two_runs().await;
    let refused = contradiction(record(&mut first, hour(0), vec![intend("i-1")]).await);
    assert!(matches!(refused, Contradiction::NoLease { .. }), "{refused}");
    first.claim(&ours(), hour(0), LEASE).await.expect("answered");
    let refused = contradiction(record(&mut second, hour(0), vec![intend("i-1")]).await);
    assert!(matches!(refused, Contradiction::NoLease { .. }), "{refused}");
    // The first run slept through its lease, and the second took it: the sleeper is fenced off.
    second.claim(&ours(), hour(2), LEASE).await.expect("answered");
    let refused = contradiction(record(&mut first, hour(2), vec![intend("i-1")]).await);
    assert!(matches!(refused, Contradiction::NoLease { .. }), "{refused}");
    record(&mut second, hour(2), vec![intend("i-1")]).await.expect("holds the lease");
}

/// Invariant `intent_before_call`: a result needs its intent; after a crash the open intent is
/// there to be read, and a second one is refused until the first has a result.
#[tokio::test]
async fn intent_before_call_is_kept_by_the_log() {
    let (store, mut first, _) = two_runs().await;
    let result = ended("i-1", ActionResult::Confirmed);
    let refused = contradiction(record(&mut first, hour(0), vec![result.clone()]).await);
    assert!(matches!(refused, Contradiction::ActionNotIntended(_)), "{refused}");
    record(&mut first, hour(0), vec![ended("i-1", ActionResult::SkippedChanged)])
        .await
        .expect("nothing was called");
    first.claim(&ours(), hour(0), LEASE).await.expect("answered");
    record(&mut first, hour(0), vec![intend("i-1")]).await.expect("holds the lease");
    drop(first);

    let mut next = open(&store, "next").await;
    next.claim(&ours(), hour(1), LEASE).await.expect("answered");
    let open_action = |ledger: &Ledger| {
        let machine = ledger.state().machine(&machine("i-1")).expect("known");
        machine.open_action.clone()
    };
    assert_eq!(open_action(&next).map(|action| action.intent.by), Some(Writer::new("first")));
    let refused = contradiction(record(&mut next, hour(1), vec![intend("i-1")]).await);
    assert!(matches!(refused, Contradiction::ActionOpen(_)), "{refused}");
    let skipped = ended("i-1", ActionResult::SkippedChanged);
    let refused = contradiction(record(&mut next, hour(1), vec![skipped]).await);
    assert!(matches!(refused, Contradiction::ActionOpen(_)), "{refused}");
    record(&mut next, hour(1), vec![result]).await.expect("read, and found stopped");
    assert_eq!(open_action(&next), None);
}

/// Invariant `threshold_once`: accepted once is accepted for good, also for another run; refused
/// or perhaps sent may be tried again under the same key.
#[tokio::test]
async fn threshold_once() {
    let (_, mut first, mut second) = two_runs().await;
    let key = AlertKey {
        budget: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        basis: "actual".to_owned(),
        threshold: "80%".to_owned(),
        limit: "5000 EUR".to_owned(),
        to: "f@example.org".to_owned(),
    };
    let alert = |step| vec![Entry::Alert { key: key.clone(), step }];
    let (covers, percent) = (vec!["50%".into(), "80%".into()], "83.0".into());
    let intent = Sending::Intended(AlertIntent { covers, percent, spent: "4150.00 EUR".into() });
    let refused = contradiction(record(&mut first, hour(0), alert(Sending::Accepted)).await);
    assert!(matches!(refused, Contradiction::NotIntended(_)), "{refused}");
    for answer in [
        Sending::Rejected { permanent: false, why: "451".to_owned() },
        Sending::PossiblySent { why: "cut after the final dot".to_owned() },
        Sending::Accepted,
    ] {
        record(&mut first, hour(0), alert(intent.clone())).await.expect("may be tried");
        record(&mut first, hour(0), alert(answer)).await.expect("an answer");
    }
    for run in [&mut first, &mut second] {
        let refused = contradiction(record(run, hour(0), alert(intent.clone())).await);
        assert!(matches!(refused, Contradiction::AlreadyAccepted(_)), "{refused}");
    }
}

/// Each owner gets one mail: what a living run is sending, no other run sends; what a dead one was
/// sending may be tried again.
#[tokio::test]
async fn fl_132_a_message_of_a_living_run_is_not_sent_by_another() {
    let (_, mut first, mut second) = two_runs().await;
    first.claim(&ours(), hour(0), LEASE).await.expect("answered");
    let intent = || vec![notice("case-1", to_owner("i-1"))];
    record(&mut first, hour(0), intent()).await.expect("first to say so");
    let refused = contradiction(record(&mut second, hour(0), intent()).await);
    assert!(matches!(refused, Contradiction::InFlight { .. }), "{refused}");
    record(&mut second, hour(1), intent()).await.expect("the first run's lease has ended");
    // The first run was only slow: its mail counts, and nobody sends another.
    record(&mut first, hour(1), vec![notice("case-1", Sending::Accepted)]).await.expect("true");
    let refused = contradiction(record(&mut second, day(1), intent()).await);
    assert!(matches!(refused, Contradiction::AlreadyAccepted(_)), "{refused}");
}

#[tokio::test]
async fn a_refused_append_writes_nothing() {
    let (store, mut first, _) = two_runs().await;
    let before = first.head();
    contradiction(record(&mut first, hour(0), vec![intend("i-1")]).await);
    assert_eq!(first.head(), before);
    assert_eq!(reaper_ledger::View::read(&store).await.expect("whole").head(), before);
}

/// What a commit itself makes forgotten is not yet forgotten when it is asked whether it can
/// follow: an old notice counts for as long as its machine is there.
#[tokio::test]
async fn fl_138_an_old_notice_is_not_sent_again_while_its_machine_is_there() {
    let (store, mut first, _) = two_runs().await;
    record(&mut first, day(0), vec![notice("case-1", to_owner("i-1"))]).await.expect("intended");
    record(&mut first, day(0), vec![notice("case-1", Sending::Accepted)]).await.expect("answered");
    let before = first.head();
    let again = vec![run_ended(), notice("case-1", to_owner("i-1"))];
    let refused = contradiction(record(&mut first, day(999), again).await);
    assert!(matches!(refused, Contradiction::AlreadyAccepted(_)), "{refused}");
    let view = reaper_ledger::View::read(&store).await.expect("whole");
    assert_eq!((first.head(), view.head()), (before, before), "nothing was written");
    assert_eq!(view.state(), first.state());
}
