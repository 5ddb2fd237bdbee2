//! Writers that die, and disks that fill: a child process of this very test binary appends, and
//! what it was told is acknowledged must be there afterwards.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use reaper_ledger::{Store, View, verify};
use tempfile::TempDir;

use crate::support::{hour, mark, open, record};

/// Tells the child where to write.
const FOLDER: &str = "REAPER_LEDGER_TEST_FOLDER";
/// Of a commit, so that a kill often meets one half written.
const PADDING: usize = 20_000;

#[expect(clippy::disallowed_methods, reason = "how a test speaks to its own child")]
fn folder() -> Option<String> {
    std::env::var(FOLDER).ok()
}

/// The child that is killed: appends for ever and says after each append how many commits are
/// acknowledged.
#[expect(clippy::print_stdout, reason = "how the child speaks to its test")]
async fn append_until_killed(folder: &str) {
    let store = Store::folder(Path::new(folder)).expect("a path");
    let mut ledger = open(&store, &format!("process-{}", std::process::id())).await;
    loop {
        let key = format!("{}-{}", ledger.head().number + 1, "x".repeat(PADDING));
        record(&mut ledger, hour(0), vec![mark(key)]).await.expect("appended");
        println!("ack {}", ledger.head().number);
    }
}

/// The child whose files may not exceed 8 KiB: a small commit, a large one, a small one.
#[expect(clippy::print_stdout, reason = "how the child speaks to its test")]
async fn append_beyond_what_fits(folder: &str) {
    let store = Store::folder(Path::new(folder)).expect("a path");
    let mut ledger = open(&store, "small").await;
    for (name, padding) in [("before", 10), ("large", PADDING), ("after", 10)] {
        let entry = mark(format!("{name}-{}", "x".repeat(padding)));
        let done = record(&mut ledger, hour(0), vec![entry]).await;
        println!("{name} {}", if done.is_ok() { "written" } else { "refused" });
    }
}

/// This binary again, running the same test, which sees by [`FOLDER`] that it is the child.
fn child(test: &str, limited: bool, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    // Files are limited to 16 blocks of 512 bytes where that is asked for; the signal that comes
    // with it is ignored, so that the write fails as on a full disk.
    command
        .args(["-c", "if [ \"$0\" = limited ]; then trap '' XFSZ; ulimit -f 16; fi; exec \"$@\""])
        .arg(if limited { "limited" } else { "free" })
        .arg(std::env::current_exe().expect("a path"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

#[tokio::test]
async fn fl_065_a_killed_writer_loses_nothing_that_was_acknowledged() {
    const NAME: &str = "killed::fl_065_a_killed_writer_loses_nothing_that_was_acknowledged";
    if let Some(folder) = folder() {
        return append_until_killed(&folder).await;
    }
    let folder = TempDir::new().expect("a folder");
    let store = Store::folder(folder.path()).expect("a path");
    // Spread over the life of a writer: while it starts, opens, and after ever more commits. The
    // writer goes on while its words are read, so that the kill meets it anywhere.
    let mut seed = 0x5EED_u64;
    let mut acknowledged = 0;
    for _ in 0..16 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bytes = usize::try_from(seed >> 56).expect("one byte");
        let mut child = child(NAME, false, folder.path()).spawn().expect("starts");
        let mut said = vec![0; bytes];
        let mut stdout = child.stdout.take().expect("piped");
        stdout.read_exact(&mut said).expect("it speaks until it is killed");
        child.kill().expect("SIGKILL");
        stdout.read_to_end(&mut said).expect("the rest");
        child.wait().expect("reaped");
        let last = said.split(|&byte| byte == b'\n').rev().find_map(|line| {
            std::str::from_utf8(line).ok()?.split("ack ").nth(1)?.parse::<u64>().ok()
        });
        acknowledged = last.unwrap_or(acknowledged);

        if acknowledged == 0 {
            continue;
        }
        let verified = verify(&store).await.expect("in order after the kill");
        assert!(verified.head.number >= acknowledged, "{verified:?} lost of {acknowledged}");
        assert_eq!(verified.commits, verified.head.number);
        // At most the one whose acknowledgement was on its way.
        assert!(verified.head.number <= acknowledged + 1, "{verified:?} after {acknowledged}");
        acknowledged = verified.head.number;
    }
    assert!(acknowledged > 16, "the children really wrote: {acknowledged}");
}

#[tokio::test]
async fn a_full_disk_refuses_a_commit_and_harms_none() {
    const NAME: &str = "killed::a_full_disk_refuses_a_commit_and_harms_none";
    if let Some(folder) = folder() {
        return append_beyond_what_fits(&folder).await;
    }
    let folder = TempDir::new().expect("a folder");
    let mut child = child(NAME, true, folder.path()).spawn().expect("starts");
    let said: Vec<String> = BufReader::new(child.stdout.take().expect("piped"))
        .lines()
        .map(|line| line.expect("readable"))
        .filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [.., name, done @ ("written" | "refused")] = words[..] else { return None };
            Some(format!("{name} {done}"))
        })
        .collect();
    assert!(child.wait().expect("reaped").success());
    assert_eq!(said, ["before written", "large refused", "after written"]);

    let store = Store::folder(folder.path()).expect("a path");
    assert_eq!(verify(&store).await.expect("in order").commits, 2);
    let view = View::read(&store).await.expect("readable");
    let keys: Vec<&str> = view.state().notices().map(|(key, _)| &key[..5]).collect();
    assert_eq!(keys, ["after", "befor"]);
}
