//! A machine with a stand-in for `nvidia-smi` that prints what real ones do.

use std::os::unix::fs::PermissionsExt;

use crate::support::Reaper;

/// A folder with an executable `nvidia-smi` that does this.
pub(crate) fn machine(script: &str) -> Reaper {
    let reaper = Reaper::new().file("nvidia-smi", &format!("#!/bin/sh\n{script}\n"));
    let path = reaper.path().join("nvidia-smi");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    reaper
}

/// One that prints a file of the probe's own tests.
pub(crate) fn printing(fixture: &str) -> String {
    format!("exec cat '{}/../crates/probe/fixtures/{fixture}'", env!("CARGO_MANIFEST_DIR"))
}

/// The arguments of every look here: a tool, a machine and a history of its own.
pub(crate) const LOOK: [&str; 7] =
    ["probe", "--nvidia-smi", "./nvidia-smi", "--machine", "i-0abc", "--history", "history.json"];

/// These and others.
pub(crate) fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LOOK.iter().chain(more).copied().collect()
}

/// The series of this gauge in samples.
pub(crate) fn series<'a>(samples: &'a serde_json::Value, gauge: &str) -> &'a serde_json::Value {
    let all = samples["series"].as_array().expect("series");
    all.iter().find(|series| series["gauge"] == gauge).unwrap_or_else(|| panic!("no {gauge}"))
}

/// What lies in the state below this folder.
pub(crate) fn samples(reaper: &Reaper) -> serde_json::Value {
    let path = reaper.path().join("state/samples/i-0abc.json");
    let text = std::fs::read_to_string(path).expect("samples");
    serde_json::from_str(&text).expect("JSON")
}
