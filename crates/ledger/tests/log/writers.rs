//! Several writers at once.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures::TryStreamExt;
use reaper_ledger::{Claimed, Entry, Store, View, verify};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::bucket::Bucket;
use crate::support::{hour, mark, open, place, record};

const WRITERS: usize = 8;

async fn eight_writers_lose_nothing(store: Store, commits: usize) {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let store = store.clone();
        writers.spawn(async move {
            let mut ledger = open(&store, &format!("run-{writer}")).await;
            for commit in 0..commits {
                let entries = vec![mark(format!("{writer}/{commit}"))];
                record(&mut ledger, hour(0), entries).await.expect("acknowledged");
            }
        });
    }
    writers.join_all().await;

    let verified = verify(&store).await.expect("in order");
    assert_eq!(verified.commits, (WRITERS * commits) as u64);
    let view = View::read(&store).await.expect("readable");
    let mut history = pin!(view.history(&store).await.expect("readable"));
    let mut marks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(commit) = history.try_next().await.expect("readable") {
        for entry in commit.entries {
            let Entry::Notice { key, .. } = entry else { panic!("only marks were written") };
            marks.entry(commit.header.writer.to_string()).or_default().push(key);
        }
    }
    for writer in 0..WRITERS {
        let written: Vec<String> =
            (0..commits).map(|commit| format!("{writer}/{commit}")).collect();
        assert_eq!(marks.get(&format!("run-{writer}")), Some(&written), "in order, each once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_writers_lose_nothing_in_memory() {
    eight_writers_lose_nothing(Store::memory(), 20).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_writers_lose_nothing_in_a_folder() {
    let folder = TempDir::new().expect("a folder");
    eight_writers_lose_nothing(Store::folder(folder.path()).expect("a path"), 20).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_writers_lose_nothing_in_s3() {
    let bucket = Bucket::start();
    eight_writers_lose_nothing(bucket.store("team/reaper"), 8).await;
    // Another prefix of the same bucket is another ledger.
    assert!(View::read(&bucket.store("team")).await.is_err());
}

/// Invariant `one_run_acts` where it is decided: of eight runs that begin together one gets the
/// accounts, and the others learn from whom and until when.
#[tokio::test(flavor = "multi_thread")]
async fn fl_132_one_run_acts() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let accounts: BTreeSet<_> =
        ["1", "2"].map(|account| reaper_ledger::Account::of(&place(account).machine("x"))).into();
    let mut runs = JoinSet::new();
    for run in 0..WRITERS {
        let (store, accounts) = (store.clone(), accounts.clone());
        runs.spawn(async move {
            let mut ledger = open(&store, &format!("run-{run}")).await;
            let lease = chrono::TimeDelta::minutes(30);
            ledger.claim(&accounts, hour(0), lease).await.expect("answered")
        });
    }
    let answers = runs.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| matches!(answer, Claimed::Until(_)));
    assert_eq!(won.len(), 1);
    let winners: BTreeSet<_> = lost
        .iter()
        .flat_map(|answer| match answer {
            Claimed::Held(held) => held.iter().map(|held| (held.by.clone(), held.until)),
            Claimed::Until(_) => panic!("partitioned"),
        })
        .collect();
    assert_eq!(winners.len(), 1, "all name the same winner: {winners:?}");
}
