//! A probe that stays up.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::stand_in::{machine, printing, samples, with};
use crate::support::Reaper;

pub(super) fn start(reaper: &Reaper, arguments: &[&str]) -> Child {
    let mut command = reaper.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

/// Asks it to end, and gives its exit code, what it printed and what it said.
pub(super) fn end(child: Child) -> (i32, String, String) {
    let id = child.id().to_string();
    let asked = Command::new("kill").args(["-TERM", &id]).status().expect("kill");
    assert!(asked.success());
    let output = child.wait_with_output().expect("an end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

/// Waits for a file that says this.
pub(super) fn wait_for(path: &Path, ready: impl Fn(&str) -> bool) {
    for _ in 0..200 {
        if std::fs::read_to_string(path).is_ok_and(|text| ready(&text)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{} is not there", path.display());
}

fn raw(samples: &Value) -> u64 {
    let all = samples["series"].as_array().expect("series");
    let series = all.iter().find(|one| one["gauge"] == "gpu-utilisation").expect("utilisation");
    series["raw"].as_array().expect("numbers").iter().map(|raw| raw.as_u64().expect("one")).sum()
}

#[test]
fn it_looks_writes_and_at_a_signal_writes_what_it_has() {
    let script = format!("echo look >> looks; {}", printing("one-a10.xml"));
    let reaper = machine(&script);
    let more =
        ["--every", "1s", "--write-every", "1h", "--state", "file:state", "--textfile", "a.prom"];
    let child = start(&reaper, &with(&more));
    // The first look is written at once, so that a wrong place shows at once.
    wait_for(&reaper.path().join("state/samples/i-0abc.json"), |text| text.ends_with("}\n"));
    wait_for(&reaper.path().join("looks"), |text| text.lines().count() >= 3);
    wait_for(&reaper.path().join("a.prom"), |text| text.contains("reaper_cpu_percent"));
    let (code, stdout, stderr) = end(child);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "");
    assert!(stderr.ends_with("the probe has ended\n"), "{stderr}");
    assert!(!reaper.path().join("a.prom").exists(), "an exporter would serve it for ever");
    let told = raw(&samples(&reaper));
    assert!(told >= 2, "the last of them came with the signal: {told}");
    // A next one goes on.
    reaper.run(&with(&["--once", "--state", "file:state"])).exits(0);
    assert_eq!(raw(&samples(&reaper)), told + 1);
}

#[test]
fn what_lasts_is_told_once_and_ends_nothing() {
    let reaper =
        machine("echo look >> looks; echo 'No devices were found'; exit 6").file("file", "");
    let more = ["--every", "1s", "--write-every", "1s", "--state", "file:file/state"];
    let child = start(&reaper, &with(&more));
    wait_for(&reaper.path().join("looks"), |text| text.lines().count() >= 4);
    let (code, _, stderr) = end(child);
    assert_eq!(code, 1, "the last writing failed: {stderr}");
    assert_eq!(stderr.matches("No devices were found").count(), 1, "{stderr}");
    assert_eq!(stderr.matches("the samples were not written").count(), 1, "{stderr}");
}

#[test]
fn one_whose_tool_hangs_ends_all_the_same() {
    let reaper = machine("echo look >> looks; exec sleep 60");
    let child = start(&reaper, &with(&["--every", "1s", "--state", "file:state"]));
    wait_for(&reaper.path().join("looks"), |text| text.lines().count() == 1);
    let (code, _, stderr) = end(child);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(samples(&reaper)["machine"], "i-0abc");
}
