//! What is remembered of budgets: rates of a period, alerts, forecasts that fell.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use futures::TryStreamExt;
use reaper_ledger::{
    AlertIntent, AlertKey, Claimed, Contradiction, Decision, Entry, Error, Ledger, Message,
    Sending, State, Store, View, verify,
};
use reaper_model::Rate;
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::support::{day, hour, open, place, record, run_ended};

fn rate(from: &str, rate: &str) -> Rate {
    Rate {
        from: from.parse().expect("a currency"),
        to: "EUR".parse().expect("a currency"),
        rate: rate.parse().expect("a number"),
        as_of: "2026-11-28".parse().expect("a day"),
    }
}

async fn freeze(ledger: &mut Ledger, at: DateTime<Utc>, rates: &[Rate]) {
    let freeze =
        |state: &State| Decision::Write(state.freeze("2026-11", rates).into_iter().collect(), ());
    ledger.append(at, freeze).await.expect("recorded");
}

/// The rate of a month is that of its first use, whatever the configuration says later.
#[tokio::test]
async fn fl_108_a_period_keeps_the_rate_that_it_first_used() {
    let store = Store::memory();
    let mut ledger = open(&store, "run").await;
    let first = rate("USD", "0.920");
    freeze(&mut ledger, day(0), &[first]).await;
    freeze(&mut ledger, day(1), &[rate("USD", "0.80")]).await;
    assert_eq!(ledger.state().rates("2026-11"), [first]);
    assert_eq!(ledger.state().rates("2026-12"), []);
    assert_eq!(ledger.state().freeze("2026-11", &[rate("USD", "0.80")]), None);
    // A currency that was not there before comes in at its own day's rate.
    let pounds = rate("GBP", "1.15");
    freeze(&mut ledger, day(2), &[rate("USD", "0.70"), pounds, rate("GBP", "9")]).await;
    assert_eq!(ledger.state().rates("2026-11"), [first, pounds]);
    assert_eq!(View::read(&store).await.expect("readable").state(), ledger.state());

    let forced = Entry::RatesFrozen { period: "2026-11".to_owned(), rates: vec![first] };
    let refused = record(&mut ledger, day(3), vec![forced]).await;
    let Err(Error::Contradiction { source, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(source.to_string(), "the rate from USD to EUR was frozen for 2026-11 before");
}

/// Of runs with different configurations that come at once one decides, and all count alike.
#[tokio::test(flavor = "multi_thread")]
async fn fl_108_eight_writers_freeze_one_rate() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let mut runs = JoinSet::new();
    for run in 1..9 {
        let store = store.clone();
        runs.spawn(async move {
            let mut ledger = open(&store, &format!("run-{run}")).await;
            freeze(&mut ledger, hour(0), &[rate("USD", &format!("0.9{run}"))]).await;
            ledger.state().rates("2026-11").to_vec()
        });
    }
    let known = runs.join_all().await;
    assert_eq!(known[0].len(), 1);
    assert!(known.iter().all(|rates| *rates == known[0]), "{known:?}");
    verify(&store).await.expect("in order");
}

fn key(threshold: &str) -> AlertKey {
    AlertKey {
        budget: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        basis: "actual".to_owned(),
        threshold: threshold.to_owned(),
        limit: "5000 EUR".to_owned(),
        to: "finance@example.org".to_owned(),
    }
}

fn intended(covers: &[&str]) -> Sending<AlertIntent> {
    Sending::Intended(AlertIntent {
        covers: covers.iter().map(|&threshold| threshold.to_owned()).collect(),
        percent: "83.0".to_owned(),
        spent: "4150.00 EUR".to_owned(),
    })
}

fn alert(key: &AlertKey, step: Sending<AlertIntent>) -> Entry {
    Entry::Alert { key: key.clone(), step }
}

async fn told(ledger: &mut Ledger, at: DateTime<Utc>, key: &AlertKey) -> Result<(), Error> {
    record(ledger, at, vec![alert(key, intended(&["80%"]))]).await?;
    record(ledger, at, vec![alert(key, Sending::Accepted)]).await
}

/// Who was told of a threshold is not told again, over months of runs; another recipient, and
/// all of them under another limit, are.
#[tokio::test]
async fn fl_114_an_alert_is_remembered_for_its_whole_period_and_beyond() {
    let mut ledger = open(&Store::memory(), "run").await;
    told(&mut ledger, day(0), &key("80%")).await.expect("first");
    let others = [
        AlertKey { to: "boss@example.org".to_owned(), ..key("80%") },
        AlertKey { limit: "6000 EUR".to_owned(), ..key("80%") },
        AlertKey { period: "2026-12".to_owned(), ..key("80%") },
        AlertKey { basis: "forecast".to_owned(), ..key("80%") },
        key("50%"),
    ];
    for other in &others {
        told(&mut ledger, day(0), other).await.expect("another alert");
    }
    // The period and two months after it: nothing of it is told again.
    for today in [1, 31, 31 + 62, 400] {
        record(&mut ledger, day(today), vec![run_ended()]).await.expect("ok");
        let again = told(&mut ledger, day(today), &key("80%")).await;
        let source = match again {
            Err(Error::Contradiction { source, .. }) => source,
            other => panic!("day {today}: {other:?}"),
        };
        assert_eq!(
            source.to_string(),
            "`all-gpu/2026-11/actual/80%/5000 EUR/finance@example.org` was accepted before"
        );
    }
    assert_eq!(ledger.state().alerts().count(), 1 + others.len());
    record(&mut ledger, day(401), vec![run_ended()]).await.expect("ok");
    assert_eq!(ledger.state().alerts().count(), 0);
}

/// A forecast that fell and rose again is known to have fallen since it was told.
#[tokio::test]
async fn a_forecast_that_fell_is_armed_again() {
    let store = Store::memory();
    let mut ledger = open(&store, "run").await;
    let forecast = AlertKey { basis: "forecast".to_owned(), ..key("100%@2026-11-10") };
    told(&mut ledger, day(10), &forecast).await.expect("first");
    let fell = || Entry::Rearmed {
        budget: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        threshold: "100%".to_owned(),
    };
    let rearmed =
        |ledger: &Ledger, threshold| ledger.state().rearmed("all-gpu", "2026-11", threshold);
    assert_eq!(rearmed(&ledger, "100%"), None);
    for (at, last) in [(day(11), day(11)), (day(14), day(14)), (day(12), day(14))] {
        record(&mut ledger, at, vec![fell()]).await.expect("recorded");
        assert_eq!((rearmed(&ledger, "100%"), rearmed(&ledger, "80%")), (Some(last), None));
    }
    assert_eq!(View::read(&store).await.expect("readable").state(), ledger.state());
    record(&mut ledger, day(415), vec![run_ended()]).await.expect("ok");
    assert_eq!(rearmed(&ledger, "100%"), None, "its period is long over");
}

/// What the runners share: the mails, and a clock that goes on by an hour when one has died, which
/// is when its lease has run out.
#[derive(Default)]
struct World {
    mailed: Mutex<BTreeMap<String, usize>>,
    hour: AtomicI64,
}

/// A runner: takes its turn while no other is at it, tells what nobody has told, writes down the
/// answer. One that is mortal dies in some turns between the intent and the mail.
async fn runner(store: Store, run: usize, mortal: bool, world: Arc<World>) {
    let lease = TimeDelta::minutes(30);
    let accounts = [place("111122223333").account()].into();
    for turn in 0..6_usize {
        let at = hour(world.hour.load(Ordering::SeqCst));
        let mut ledger = open(&store, &format!("run-{run}-{turn}")).await;
        let claimed = ledger.claim(&accounts, at, lease).await.expect("answered");
        if !matches!(claimed, Claimed::Until(_)) {
            continue;
        }
        for threshold in ["50%", "80%"] {
            for to in ["finance@example.org", "boss@example.org"] {
                let key = AlertKey { to: to.to_owned(), ..key(threshold) };
                let due = ledger.append(at, |state| {
                    let accepted = state.alert(&key).and_then(Message::accepted_at);
                    if accepted.is_some() {
                        return Decision::Leave(false);
                    }
                    Decision::Write(vec![alert(&key, intended(&[threshold]))], true)
                });
                if !due.await.expect("a turn of its own") {
                    continue;
                }
                if mortal && (run + turn) % 3 == 1 {
                    world.hour.fetch_add(1, Ordering::SeqCst);
                    return;
                }
                *world.mailed.lock().expect("whole").entry(key.to_string()).or_default() += 1;
                record(&mut ledger, at, vec![alert(&key, Sending::Accepted)]).await.expect("told");
            }
        }
        ledger.release(at).await.expect("given back");
    }
}

/// Invariant `threshold_once`: eight runs at once, some of which die between intent and mail, and
/// every recipient has every threshold once.
#[tokio::test(flavor = "multi_thread")]
async fn threshold_once_with_eight_writers_of_which_some_die() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let world: Arc<World> = Arc::default();
    let mut runs = JoinSet::new();
    for run in 0..8 {
        runs.spawn(runner(store.clone(), run, true, Arc::clone(&world)));
    }
    runs.join_all().await;
    // One that comes when all others are gone, and does not die.
    runner(store.clone(), 8, false, Arc::clone(&world)).await;

    verify(&store).await.expect("in order");
    let view = View::read(&store).await.expect("readable");
    let mut accepted: BTreeMap<String, usize> = BTreeMap::new();
    let mut history = pin!(view.history(&store).await.expect("readable"));
    while let Some(commit) = history.try_next().await.expect("readable") {
        for entry in commit.entries {
            if let Entry::Alert { key, step: Sending::Accepted } = entry {
                *accepted.entry(key.to_string()).or_default() += 1;
            }
        }
    }
    assert_eq!(accepted.len(), 4, "{accepted:?}");
    assert!(accepted.values().all(|&times| times == 1), "{accepted:?}");
    let mailed = world.mailed.lock().expect("whole").clone();
    assert_eq!(mailed, accepted, "what was mailed is what was written down");
}

/// Two runs that hold different accounts, and a budget over both: the one that is not first leaves
/// the alert to the other for as long as that lives.
#[tokio::test]
async fn fl_114_runs_of_different_accounts_tell_one_budget_once() {
    let store = Store::memory();
    let (mut first, mut second) = (open(&store, "first").await, open(&store, "second").await);
    for (run, account) in [(&mut first, "1"), (&mut second, "2")] {
        let accounts = [place(account).account()].into();
        run.claim(&accounts, hour(0), TimeDelta::hours(1)).await.expect("answered");
    }
    record(&mut first, hour(0), vec![alert(&key("80%"), intended(&["80%"]))]).await.expect("first");
    let refused = told(&mut second, hour(0), &key("80%")).await;
    let in_flight = matches!(
        &refused,
        Err(Error::Contradiction { source: Contradiction::InFlight { .. }, .. })
    );
    assert!(in_flight, "{refused:?}");
    record(&mut first, hour(0), vec![alert(&key("80%"), Sending::Accepted)]).await.expect("told");
    let refused = told(&mut second, hour(2), &key("80%")).await;
    let accepted = matches!(
        &refused,
        Err(Error::Contradiction { source: Contradiction::AlreadyAccepted(_), .. })
    );
    assert!(accepted, "{refused:?}");
}
