//! Snapshots, old commits, size and speed.

use std::fs;
use std::path::Path;

use chrono::TimeDelta;
use reaper_ledger::{Compacted, Decision, Error, Ledger, Policy, Store, View, verify};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::support::{day, list, mark, open, place, record, run_ended};

const POLICY: Policy = Policy { snapshot_every: 10, keep: TimeDelta::days(30) };

/// One commit a day, compacted every day.
async fn days(ledger: &mut Ledger, days: std::ops::Range<i64>) -> Vec<Compacted> {
    let mut done = Vec::new();
    for today in days {
        record(ledger, day(today), vec![mark(format!("day-{today}"))]).await.expect("recorded");
        done.push(ledger.compact(day(today), &POLICY).await.expect("compacted"));
    }
    done
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut found: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn a_snapshot_when_one_is_due_and_two_are_kept() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let done = days(&mut open(&store, "run").await, 0..35).await;
    let made: Vec<u64> = done.iter().filter_map(|done| done.snapshot).collect();
    assert_eq!(made, [10, 20, 30]);
    assert_eq!(done.iter().map(|done| done.snapshots_removed).sum::<usize>(), 1);
    let kept = files(&folder.path().join("snapshots"));
    assert_eq!(kept, [20, 30].map(|number| format!("{number:020}.json.gz")));
    let verified = verify(&store).await.expect("in order");
    assert_eq!((verified.commits, verified.snapshots, verified.pruned), (35, 2, None));
}

#[tokio::test]
async fn old_commits_go_when_two_snapshots_hold_them_and_the_rest_verifies() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let mut ledger = open(&store, "run").await;
    let done = days(&mut ledger, 0..100).await;
    let removed: usize = done.iter().map(|done| done.commits_removed).sum();
    let verified = verify(&store).await.expect("in order");
    let pruned = verified.pruned.expect("some are old");
    assert_eq!(u64::try_from(removed).expect("small"), pruned.number);
    assert_eq!(verified.commits, verified.head.number - pruned.number);
    // Everything is still known.
    let view = View::read(&store).await.expect("readable");
    assert_eq!(view.state(), ledger.state());
    assert!(view.state().notice("day-0").is_some());
    // What is left is not a licence to lose more: the first commit after the removed ones counts.
    let first = folder.path().join(format!("commits/{:020}.json", pruned.number + 1));
    fs::remove_file(first).expect("removed");
    let trouble = verify(&store).await.expect_err("damaged");
    assert!(matches!(trouble, Error::MissingCommit(n) if n == pruned.number + 1), "{trouble}");
}

/// Removal is recorded before it begins: interrupted anywhere, the log verifies and the next
/// compaction ends it.
#[tokio::test]
async fn an_interrupted_removal_is_no_damage() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let mut ledger = open(&store, "run").await;
    days(&mut ledger, 0..60).await;
    let pruned = ledger.state().pruned().expect("some are old").number;
    // As if only the youngest of them had been removed.
    let gone: Vec<_> = (1..pruned).collect();
    let commits = folder.path().join("commits");
    for number in &gone {
        fs::write(commits.join(format!("{number:020}.json")), "whatever").expect("written");
    }
    verify(&store).await.expect("in order");
    days(&mut open(&store, "next").await, 60..80).await;
    assert!(!commits.join(format!("{:020}.json", 1)).exists());
    verify(&store).await.expect("in order");
}

/// Two runs that compact at once do each other no harm.
#[tokio::test]
async fn two_compactions_at_once() {
    let store = Store::memory();
    let mut first = open(&store, "first").await;
    for today in 0..40 {
        record(&mut first, day(today), vec![mark(format!("day-{today}"))]).await.expect("ok");
    }
    let mut second = open(&store, "second").await;
    let policy = Policy { snapshot_every: 1, ..POLICY };
    for _ in 0..3 {
        let (one, two) = futures::future::join(
            first.compact(day(90), &policy),
            second.compact(day(90), &policy),
        )
        .await;
        one.expect("compacted");
        two.expect("compacted");
        let next = mark(format!("{:?}", first.head()));
        record(&mut first, day(90), vec![next]).await.expect("ok");
        verify(&store).await.expect("in order");
    }
}

/// What decisions no longer need is forgotten; what is unsettled is not.
#[tokio::test]
async fn the_state_does_not_grow_for_ever() {
    let mut ledger = open(&Store::memory(), "run").await;
    record(&mut ledger, day(0), vec![mark("settled"), mark("unsettled")]).await.expect("ok");
    let accepted = crate::support::notice("settled", reaper_ledger::Sending::Accepted);
    record(&mut ledger, day(0), vec![accepted]).await.expect("ok");
    record(&mut ledger, day(400), vec![run_ended()]).await.expect("ok");
    assert_eq!(ledger.state().notices().count(), 2);
    record(&mut ledger, day(401), vec![run_ended()]).await.expect("ok");
    let left: Vec<&str> = ledger.state().notices().map(|(key, _)| key).collect();
    assert_eq!(left, ["unsettled"]);
}

/// Native ids that look like the real ones: without a pattern that would please the compression.
fn names(count: usize) -> Vec<String> {
    let mixed = |n: usize| (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    (1..=count).map(|n| format!("i-{:016x}", mixed(n).wrapping_mul(mixed(n)))).collect()
}

fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").metadata().expect("a file").len()).sum()
}

/// Ten thousand machines, of which a hundred are replaced every day, listed every day of a fifth of
/// a year: only what comes and goes takes room.
#[tokio::test]
async fn ten_thousand_machines_cost_only_what_comes_and_goes() {
    const DAYS: usize = 73;
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let mut ledger = open(&store, "run").await;
    let names = names(10_000 + 100 * DAYS);
    for today in 0..DAYS {
        let seen = names[100 * today..].iter().take(10_000).map(String::as_str);
        let here = place("111122223333");
        let at = day(i64::try_from(today).expect("small"));
        ledger
            .append(at, |state| Decision::Write(vec![state.sight(&here, true, seen.clone())], ()))
            .await
            .expect("recorded");
        ledger.compact(at, &Policy::default()).await.expect("compacted");
    }
    let commits = bytes(&folder.path().join("commits"));
    let snapshots = bytes(&folder.path().join("snapshots"));
    println!("10,000 machines, {DAYS} days: commits {commits} bytes, snapshots {snapshots} bytes");
    assert!(commits < 1_000_000, "{commits}");
    assert!(snapshots < 1_000_000, "{snapshots}");
    assert_eq!(View::read(&store).await.expect("readable").state(), ledger.state());
}

/// Prints how long opening takes; asserts only that it is right, because a busy machine is no bug.
#[tokio::test]
async fn opening_a_year_of_a_thousand_machines() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let mut ledger = open(&store, "run").await;
    let names = names(2000);
    for today in 0..365_usize {
        let seen: Vec<&str> = names[today..].iter().take(1000).map(String::as_str).collect();
        let at = day(i64::try_from(today).expect("small"));
        list(&mut ledger, at, &seen).await;
        ledger.compact(at, &Policy::default()).await.expect("compacted");
    }
    for _ in 0..3 {
        let before = Instant::now();
        let view = View::read(&store).await.expect("readable");
        println!("365 commits, 1,000 machines, 15 after the snapshot: {:?}", before.elapsed());
        assert_eq!(view.state(), ledger.state());
        assert_eq!(view.state().machines().count(), 1001, "one is absent for the first time");
    }
}
