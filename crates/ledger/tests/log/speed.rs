//! What appending and opening cost. Times are printed and not asserted: a busy computer is no bug.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::TimeDelta;
use reaper_ledger::{Case, Entry, Phase, Policy, Sending, Store, View, verify};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::support::{day, list, machine, mark, notice, open, place, record, run_ended, to_owner};

fn case(native: &str, since: i64) -> Entry {
    let case = Case {
        phase: Phase::New,
        since: day(since),
        notice: None,
        due_at: None,
        ground: "sha256:ground".to_owned(),
        why: "no owner".to_owned(),
    };
    Entry::CaseChanged { id: machine(native), rule: "ownerless".to_owned(), case: Some(case) }
}

/// Twenty machines, of which one is replaced each day; ten commits a run, as an enforcing run
/// writes them; a run each day.
#[tokio::test]
async fn ten_weeks_of_daily_runs_in_a_folder() {
    const DAYS: u32 = 70;
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    let accounts = BTreeSet::from([place("111122223333").account()]);
    let (mut opening, mut appending) = (Duration::ZERO, Duration::ZERO);
    for today in 0..DAYS {
        let at = day(today.into());
        let names: Vec<String> = (today..today + 20).map(|n| format!("i-{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let begin = Instant::now();
        let mut ledger = open(&store, &format!("run-{today}")).await;
        opening += begin.elapsed();

        let begin = Instant::now();
        ledger.claim(&accounts, at, TimeDelta::hours(1)).await.expect("answered");
        list(&mut ledger, at, &names).await;
        let key = format!("stop-{today}");
        let mut commits = vec![
            case(names[0], today.into()),
            notice(&key, to_owner(names[0])),
            notice(&key, Sending::Accepted),
        ];
        commits.extend((0..3).map(|n| case(names[n], today.into())));
        commits.push(run_ended());
        for entry in commits {
            record(&mut ledger, at, vec![entry]).await.expect("recorded");
        }
        ledger.release(at).await.expect("given back");
        appending += begin.elapsed();
        ledger.compact(at, &Policy::default()).await.expect("compacted");
    }
    println!("{DAYS} runs: open {:?} a run, ten appends {:?}", opening / DAYS, appending / DAYS);
    let begin = Instant::now();
    let verified = verify(&store).await.expect("in order");
    println!("{} commits verified in {:?}", verified.commits, begin.elapsed());
    assert_eq!(verified.commits, u64::from(DAYS) * 10);
    let view = View::read(&store).await.expect("readable");
    assert_eq!(view.state().machines().count(), 21, "one is absent for the first time");
}

/// A notice more costs the same with ten machines as with ten thousand.
#[tokio::test]
async fn an_append_beside_ten_thousand_machines() {
    const APPENDS: u32 = 100;
    for machines in [10, 10_000] {
        let mut ledger = open(&Store::memory(), "run").await;
        let names: Vec<String> = (0..machines).map(|n| format!("i-{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let begin = Instant::now();
        list(&mut ledger, day(0), &names).await;
        println!("{machines} machines listed for the first time: {:?}", begin.elapsed());
        let begin = Instant::now();
        list(&mut ledger, day(1), &names).await;
        println!("{machines} machines listed again: {:?}", begin.elapsed());
        let begin = Instant::now();
        for append in 0..APPENDS {
            record(&mut ledger, day(1), vec![mark(format!("mark-{append}"))]).await.expect("ok");
        }
        println!("{machines} machines, one append: {:?}", begin.elapsed() / APPENDS);
        assert_eq!(ledger.state().machines().count(), machines);
    }
}
