//! Logs of earlier formats: read as they are, and gone on from.

use std::path::Path;

use reaper_ledger::{Entry, FORMAT, Policy, ReportIntent, ReportKey, Sending, Store, View, verify};
use tempfile::TempDir;

use crate::support::{day, look, machine, notice, open, reading, record, run_ended, to_owner};

/// A copy of a log that the last version of a format has written.
///
/// Format 1: a claim, a listing of two machines, a case with its notice, a snapshot after the fourth
/// commit, and a day later a listing that lacks one of the machines. Format 2: the same without the
/// claim and with what they cost, and an alert that was accepted.
fn of_format(format: u32) -> (TempDir, Store) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/format-{format}"));
    let folder = TempDir::new().expect("a folder");
    for name in ["commits", "snapshots"] {
        std::fs::create_dir(folder.path().join(name)).expect("made");
        for file in std::fs::read_dir(from.join(name)).expect("a folder") {
            let file = file.expect("a file");
            let to = folder.path().join(name).join(file.file_name());
            std::fs::copy(file.path(), to).expect("copied");
        }
    }
    let store = Store::folder(folder.path()).expect("a path");
    (folder, store)
}

#[tokio::test]
async fn a_log_of_format_1_is_read_and_gone_on_from() {
    let (folder, store) = of_format(1);
    let verified = verify(&store).await.expect("in order");
    assert_eq!((verified.commits, verified.snapshots), (6, 1));
    let view = View::read(&store).await.expect("readable");
    let state = view.state();
    assert_eq!(state.machine(&machine("i-1")).map(|known| known.last_seen), Some(day(1)));
    let accepted = state.notice("case-1").and_then(reaper_ledger::Message::accepted_at);
    assert_eq!(accepted, Some(day(0)));
    assert_eq!((state.meters().count(), state.rates("2026-11").len()), (0, 0));

    let mut ledger = open(&store, "run-2").await;
    look(&mut ledger, day(2), true, &[("i-1", &reading("3.50 EUR"))]).await;
    record(&mut ledger, day(2), vec![run_ended()]).await.expect("ok");
    let policy = Policy { snapshot_every: 4, ..Policy::default() };
    let done = ledger.compact(day(2), &policy).await.expect("compacted");
    assert_eq!(done.snapshot, Some(8));
    let meter = ledger.state().meter(&machine("i-1")).expect("read");
    assert_eq!((meter.readings.len(), meter.seen), (1, day(2)));
    // Also what it knew of notices holds on.
    let again = record(&mut ledger, day(2), vec![notice("case-1", to_owner("i-1"))]).await;
    assert!(again.is_err(), "accepted before");
    record(&mut ledger, day(2), vec![notice("case-1", Sending::Accepted)]).await.expect_err("too");

    let verified = verify(&store).await.expect("in order");
    assert_eq!((verified.commits, verified.snapshots), (8, 2));
    assert_eq!(View::read(&store).await.expect("readable").state(), ledger.state());
    let newest = folder.path().join(format!("commits/{:020}.json", 8));
    let text = std::fs::read_to_string(newest).expect("read");
    assert!(text.starts_with(&format!("{{\"format\":{FORMAT},")), "an older version refuses it");
}

#[tokio::test]
async fn a_log_of_format_2_is_read_and_gone_on_from() {
    let (_folder, store) = of_format(2);
    let verified = verify(&store).await.expect("in order");
    assert_eq!((verified.commits, verified.snapshots), (5, 1));
    let view = View::read(&store).await.expect("readable");
    let state = view.state();
    assert_eq!((state.meters().count(), state.alerts().count()), (2, 1));
    assert!(state.alerts().all(|(_, alert)| alert.accepted_at() == Some(day(0))));
    assert_eq!(state.reports().count(), 0);

    // Reports begin.
    let mut ledger = open(&store, "run-2").await;
    let key = ReportKey { due: day(2), to: "team@example.org".to_owned() };
    let intent = ReportIntent { from: day(0), until: day(2), whole: true };
    let step = |step| vec![Entry::Report { key: key.clone(), step }];
    record(&mut ledger, day(2), step(Sending::Intended(intent.clone()))).await.expect("new");
    record(&mut ledger, day(2), step(Sending::Accepted)).await.expect("intended");
    record(&mut ledger, day(2), vec![Entry::ReportMade { due: day(2) }]).await.expect("made");
    let again = record(&mut ledger, day(3), step(Sending::Intended(intent))).await;
    assert!(again.is_err(), "accepted before");
    let read = View::read(&store).await.expect("readable");
    assert_eq!(read.state(), ledger.state());
    assert!(read.state().is_report_made(day(2)) && !read.state().is_report_made(day(1)));
}
