//! `config/probe` against the tools of those who read it, and against the binary.

use std::process::Command;

use super::stand_in::{machine, printing};
use crate::support::variable;

fn text(name: &str) -> String {
    let path = format!("{}/../config/probe/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[track_caller]
fn content(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [output.stdout, output.stderr];
    let said = said.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

#[test]
fn systemd_takes_the_unit_and_finds_it_confined() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unit = folder.path().join("reaper-probe.service");
    // A binary that exists stands in for the one that is installed.
    let there =
        text("reaper-probe.service").replace("/usr/local/bin/reaper", &variable("REAPER_BIN"));
    std::fs::write(&unit, there).expect("a unit");
    let said = content(Command::new("systemd-analyze").arg("verify").arg(&unit));
    assert_eq!(said.trim(), "", "no warning either");
    // Its cards, the counters below /proc and a network are open to it; all else is not.
    let most = "--threshold=25";
    content(Command::new("systemd-analyze").args(["security", "--offline=true", most]).arg(&unit));
}

#[test]
fn the_unit_hides_nothing_that_is_measured() {
    let unit = text("reaper-probe.service");
    for hides in ["PrivateDevices=", "ProcSubset=", "ProtectProc=", "PrivateNetwork="] {
        assert!(!unit.lines().any(|line| line.starts_with(hides)), "{hides}");
    }
    assert!(unit.contains("\nDeviceAllow=char-nvidia rw\n"));
}

#[test]
fn the_cron_line_looks_once_and_says_nothing() {
    let cron = text("reaper-probe.cron");
    let line = cron.lines().find(|line| line.starts_with('*')).expect("a line");
    let command = line.split_whitespace().skip(6).collect::<Vec<_>>();
    assert_eq!(line.split_whitespace().nth(6), Some("/usr/local/bin/reaper"));
    let reaper = machine(&printing("one-a10.xml")).env("REAPER_STATE", "file:state");
    let mut words = command[1..].to_vec();
    words.extend(["--nvidia-smi", "./nvidia-smi", "--history", "history.json"]);
    let ran = reaper.run(&words).exits(0);
    assert_eq!(ran.all().trim(), "", "cron mails whatever is said");
    assert!(reaper.path().join("state/samples").is_dir());
}
