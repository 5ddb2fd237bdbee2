//! Logs that somebody or something has touched. Each is an error with the number in it, for a
//! reader that begins at a snapshot as far as it reads, for `verify` everywhere; none is ever an
//! empty state.

use std::fs;
use std::path::{Path, PathBuf};

use reaper_ledger::{Error, FORMAT, Ledger, Opening, Policy, Store, View, Writer, verify};
use tempfile::TempDir;

use crate::support::{hour, mark, open, record};

const COMMITS: u64 = 12;
/// The snapshot lies after this one.
const SNAPSHOT: u64 = 6;

struct Log {
    folder: TempDir,
    store: Store,
}

impl Log {
    /// Twelve commits, and a snapshot after the sixth.
    async fn written() -> Self {
        let folder = TempDir::new().expect("a folder");
        let store = Store::folder(folder.path()).expect("a path");
        let mut ledger = open(&store, "run").await;
        let policy = Policy { snapshot_every: SNAPSHOT, ..Policy::default() };
        for number in 1..=COMMITS {
            record(&mut ledger, hour(0), vec![mark(format!("mark-{number}"))]).await.expect("ok");
            if number == SNAPSHOT {
                let done = ledger.compact(hour(0), &policy).await.expect("compacted");
                assert_eq!(done.snapshot, Some(SNAPSHOT));
            }
        }
        Self { folder, store }
    }

    fn commit(&self, number: u64) -> PathBuf {
        self.folder.path().join(format!("commits/{number:020}.json"))
    }

    fn snapshot(&self) -> PathBuf {
        self.folder.path().join(format!("snapshots/{SNAPSHOT:020}.json.gz"))
    }

    async fn trouble(&self) -> Error {
        verify(&self.store).await.expect_err("damaged")
    }

    /// A reader and a writer refuse it too, and neither mistakes it for a place without a ledger.
    async fn is_refused(&self) {
        let read = View::read(&self.store).await.expect_err("damaged");
        assert!(!matches!(read, Error::Missing(_)), "{read}");
        let run = Writer::new("next");
        let opened = Ledger::open(self.store.clone(), run, Opening::OrNew).await;
        assert!(opened.is_err(), "{opened:?}");
    }
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("read");
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).expect("written");
}

#[tokio::test]
async fn a_whole_log_verifies() {
    let log = Log::written().await;
    let verified = verify(&log.store).await.expect("whole");
    assert_eq!((verified.commits, verified.snapshots), (COMMITS, 1));
    assert_eq!(verified.head.number, COMMITS);
}

#[tokio::test]
async fn an_edited_commit_is_found_by_its_number() {
    for number in 1..=COMMITS {
        let log = Log::written().await;
        edit(&log.commit(number), &format!("mark-{number}"), "mark-x");
        let Error::Unreadable { object, .. } = log.trouble().await else { panic!("{number}") };
        assert_eq!(object, format!("commits/{number:020}.json"));
        if number >= SNAPSHOT {
            log.is_refused().await;
        }
    }
}

/// An edit by somebody who knows how digests are made is found by the link of the next commit.
#[tokio::test]
async fn a_forged_commit_is_found_by_its_successor() {
    let log = Log::written().await;
    let forger = TempDir::new().expect("a folder");
    let forged = Store::folder(forger.path()).expect("a path");
    let mut ledger = open(&forged, "run").await;
    for number in 1..=COMMITS {
        let text = if number == 8 { "forged".to_owned() } else { format!("mark-{number}") };
        record(&mut ledger, hour(0), vec![mark(text)]).await.expect("ok");
    }
    fs::copy(forger.path().join("commits").join(format!("{:020}.json", 8)), log.commit(8))
        .expect("copied");
    let trouble = log.trouble().await;
    assert!(matches!(trouble, Error::BrokenChain { number: 9, previous: 8 }), "{trouble}");
    log.is_refused().await;
}

#[tokio::test]
async fn a_missing_commit_is_named() {
    for number in 1..COMMITS {
        let log = Log::written().await;
        fs::remove_file(log.commit(number)).expect("removed");
        let trouble = log.trouble().await;
        assert!(matches!(trouble, Error::MissingCommit(n) if n == number), "{trouble}");
        if number >= SNAPSHOT {
            log.is_refused().await;
        }
    }
}

/// A folder restored from before the snapshot: the snapshot proves that there was more.
#[tokio::test]
async fn a_log_cut_back_behind_a_snapshot_is_found() {
    let log = Log::written().await;
    for number in 4..=COMMITS {
        fs::remove_file(log.commit(number)).expect("removed");
    }
    let trouble = log.trouble().await;
    assert!(matches!(trouble, Error::MissingCommit(SNAPSHOT)), "{trouble}");
    log.is_refused().await;
}

#[tokio::test]
async fn swapped_commits_are_found() {
    let log = Log::written().await;
    let (eight, nine) = (log.commit(8), log.commit(9));
    let aside = log.folder.path().join("aside");
    fs::rename(&eight, &aside).expect("moved");
    fs::rename(&nine, &eight).expect("moved");
    fs::rename(&aside, &nine).expect("moved");
    let trouble = log.trouble().await;
    assert!(matches!(trouble, Error::Misplaced { number: 8, says: 9 }), "{trouble}");
    log.is_refused().await;
}

/// A state cut off in the middle is reported and not silently taken as empty.
#[tokio::test]
async fn fl_115_a_commit_torn_at_any_byte_is_an_error() {
    let log = Log::written().await;
    let path = log.commit(COMMITS);
    let whole = fs::read(&path).expect("read");
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).expect("torn");
        let read = View::read(&log.store).await.expect_err("torn");
        assert!(matches!(&read, Error::Unreadable { .. }), "at {length}: {read}");
    }
    log.is_refused().await;
}

#[tokio::test]
async fn fl_115_a_snapshot_torn_at_any_byte_is_an_error() {
    let log = Log::written().await;
    let whole = fs::read(log.snapshot()).expect("read");
    for length in 0..whole.len() {
        fs::write(log.snapshot(), &whole[..length]).expect("torn");
        let read = View::read(&log.store).await.expect_err("torn");
        assert!(matches!(&read, Error::Unreadable { .. }), "at {length}: {read}");
    }
    let trouble = log.trouble().await;
    assert!(matches!(trouble, Error::Unreadable { .. }), "{trouble}");
    // Nothing is in a snapshot that the commits do not give.
    fs::remove_file(log.snapshot()).expect("removed");
    assert_eq!(verify(&log.store).await.expect("whole").commits, COMMITS);
}

/// A snapshot of another log, whole in itself.
#[tokio::test]
async fn a_snapshot_that_the_commits_do_not_give_is_found() {
    let (log, other) = (Log::written().await, TempDir::new().expect("a folder"));
    let mut ledger = open(&Store::folder(other.path()).expect("a path"), "other").await;
    for number in 1..=SNAPSHOT {
        record(&mut ledger, hour(0), vec![mark(format!("other-{number}"))]).await.expect("ok");
    }
    let policy = Policy { snapshot_every: 1, ..Policy::default() };
    ledger.compact(hour(0), &policy).await.expect("compacted");
    let foreign = other.path().join("snapshots").join(format!("{SNAPSHOT:020}.json.gz"));
    fs::copy(foreign, log.snapshot()).expect("copied");
    let trouble = log.trouble().await;
    assert!(matches!(trouble, Error::SnapshotDiffers(SNAPSHOT)), "{trouble}");
    log.is_refused().await;
}

#[tokio::test]
async fn a_newer_format_is_an_error_that_says_so() {
    let log = Log::written().await;
    let opening = |format: u32| format!("{{\"format\":{format},");
    edit(&log.commit(COMMITS), &opening(FORMAT), &opening(FORMAT + 1));
    let trouble = log.trouble().await;
    let told =
        matches!(trouble, Error::NewerFormat { found, known: FORMAT, .. } if found == FORMAT + 1);
    assert!(told, "{trouble}");
    log.is_refused().await;
}

/// What a killed writer leaves beside its place is no commit, however much of it was written; and
/// files of others are left alone.
#[tokio::test]
async fn fl_065_what_a_killed_writer_leaves_behind_is_no_commit() {
    let log = Log::written().await;
    let whole = fs::read(log.commit(COMMITS)).expect("read");
    let leftover = log.folder.path().join(format!("commits/{:020}.json#1", COMMITS + 1));
    for length in (0..whole.len()).step_by(97) {
        fs::write(&leftover, &whole[..length]).expect("torn");
        assert_eq!(View::read(&log.store).await.expect("whole").head().number, COMMITS);
    }
    fs::write(log.folder.path().join("commits/.DS_Store"), "x").expect("written");
    let mut ledger = open(&log.store, "next").await;
    record(&mut ledger, hour(1), vec![mark("next")]).await.expect("goes on beside it");
    assert_eq!(verify(&log.store).await.expect("whole").commits, COMMITS + 1);
}

#[tokio::test]
async fn no_ledger_is_told_apart_from_an_empty_one() {
    let folder = TempDir::new().expect("a folder");
    let inside = folder.path().join("not/yet");
    let store = Store::folder(&inside).expect("a path");
    assert!(matches!(View::read(&store).await, Err(Error::Missing(_))));
    assert!(matches!(verify(&store).await, Err(Error::Missing(_))));
    let opened = Ledger::open(store.clone(), Writer::new("run"), Opening::Existing).await;
    assert!(matches!(opened, Err(Error::Missing(_))), "{opened:?}");
    assert!(!inside.exists(), "reading makes nothing");

    let mut ledger = open(&store, "run").await;
    assert!(ledger.is_new());
    record(&mut ledger, hour(0), vec![mark("first")]).await.expect("begun");
    assert!(!ledger.is_new());
    assert!(Ledger::open(store, Writer::new("next"), Opening::Existing).await.is_ok());
}

/// Invariant `dry_is_dry` as far as reading goes.
#[tokio::test]
async fn dry_is_dry_reading_changes_no_byte() {
    let log = Log::written().await;
    let before = content(log.folder.path());
    let view = View::read(&log.store).await.expect("readable");
    assert_eq!(view.head().number, COMMITS);
    verify(&log.store).await.expect("whole");
    assert_eq!(content(log.folder.path()), before);
}

fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(content(&path));
        } else {
            let bytes = fs::read(&path).expect("read");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}
