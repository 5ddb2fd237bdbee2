//! What every command keeps, whatever the story: who may change nothing changes nothing, and a run
//! that acts does what a plan made a moment before has announced, on machines that were told of.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Stage;
use crate::support::Ran;

/// What was announced before a command that may act: native ids.
pub(crate) type Announced = BTreeSet<String>;

/// The command and its options; nothing if the line is not one of reaper's.
fn asked(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().skip_while(|word| *word != "reaper");
    words.skip(1).collect()
}

/// Whether a command may change a cloud or the state, or send a mail.
pub(crate) fn may_change(line: &str) -> bool {
    let words = asked(line);
    matches!(words.first(), Some(&("run" | "apply" | "keep" | "unkeep")))
        && !words.contains(&"--dry-run")
}

/// Whether it may act upon machines.
pub(crate) fn may_act(line: &str) -> bool {
    may_change(line) && matches!(asked(line).first(), Some(&("run" | "apply")))
}

/// Makes the plans that a command is measured by, and holds them to changing nothing.
pub(crate) fn rehearse(stage: &mut Stage, line: &str) -> Announced {
    match asked(line).as_slice() {
        ["run", ..] if line.contains("--enforce") => {
            let dry = dry(stage, &format!("{line} --dry-run --format json -q"));
            if !line.contains("--accept-drop") {
                let plan = line.replace("reaper run", "reaper plan").replace("--enforce", "");
                let planned = self::dry(stage, &format!("{plan} --format json -q"));
                assert_eq!(planned, dry, "`plan` and `run --dry-run` announce the same");
            }
            dry
        }
        ["apply", file, ..] => steps(stage, file),
        _ => Announced::new(),
    }
}

/// What was announced and not called; a call that nobody announced fails.
pub(crate) fn spared(stage: &Stage, announced: &Announced, called: &[String]) -> Vec<String> {
    for id in called {
        assert!(announced.contains(id), "{id} was called and not announced: {announced:?}");
        let told = stage.told_of(id);
        // An owner's own tag stands for the notice; nothing else does.
        assert!(
            told.iter().any(|at| *at < stage.now()) || stage.has_own_rule(id),
            "{id} was called at {} and told of at {told:?}",
            stage.now()
        );
    }
    announced.iter().filter(|id| !called.contains(id)).cloned().collect()
}

/// Runs a command that must change nothing.
pub(crate) fn dry_run(stage: &mut Stage, line: &str) -> Ran {
    let (before, _) = (stage.state(), (stage.calls(), stage.mails()));
    let ran = stage.run(line);
    assert_eq!(stage.calls(), [], "dry_is_dry: {line}");
    assert!(stage.mails().is_empty(), "dry_is_dry: {line} sent a mail");
    assert!(stage.state() == before, "dry_is_dry: {line} wrote into the state");
    ran
}

fn dry(stage: &mut Stage, line: &str) -> Announced {
    let ran = dry_run(stage, line);
    // A refusal says why on standard error; it announces nothing.
    let document = ran.json();
    if document["schema"] == "reaper.audit/1" { announced(&document) } else { Announced::new() }
}

/// The machines that a document wants to act upon now.
pub(crate) fn announced(document: &Value) -> Announced {
    let held = document["plan"]["held"].as_array().expect("a list");
    let machines = document["instances"].as_array().expect("a list");
    let acts = |machine: &&Value| {
        matches!(machine["action"]["planned"].as_str(), Some("stop" | "terminate"))
    };
    let due = machines.iter().filter(acts);
    let due = due.map(|machine| machine["native_id"].as_str().expect("an id").to_owned());
    if held.is_empty() { due.collect() } else { Announced::new() }
}

/// The machines that a plan on file names.
fn steps(stage: &Stage, file: &str) -> Announced {
    let text = std::fs::read_to_string(stage.reaper.path().join(file)).unwrap_or_default();
    let Ok(plan) = serde_json::from_str::<Value>(&text) else { return Announced::new() };
    // Provider, account, location and the provider's own id.
    let ids = plan["steps"].as_array().into_iter().flatten();
    let ids = ids.filter_map(|step| Some(step["id"][3].as_str()?.to_owned()));
    ids.collect()
}
