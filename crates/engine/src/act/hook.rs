//! The command that a team runs before its machine is stopped, to save what is in it.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use reaper_model::{Instance, Step};
use reaper_policy::Judgement;
use tokio::process::Command;

use crate::interrupt::Interrupt;

/// A command with its time limit.
#[derive(Debug, Clone)]
pub struct Hook {
    /// The program: a path, or a name to look for in `PATH`.
    pub program: PathBuf,
    /// What is handed to it.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
    /// After that it is ended and counts as failed.
    pub timeout: Duration,
}

/// How much of what a failing hook said is passed on.
const LONGEST_WORDS: usize = 300;
/// How much of it is looked at, bytes.
const MOST_HEARD: u64 = 16 << 10;

impl Hook {
    /// Runs the command for one machine, whose facts stand in variables beginning `REAPER_`. It
    /// inherits the environment otherwise; what it says on standard error goes to the log.
    ///
    /// # Errors
    ///
    /// Why the machine must be left alone, for people.
    pub(super) async fn run(
        &self,
        step: &Step,
        instance: &Instance,
        judgement: &Judgement,
        interrupt: &Interrupt,
    ) -> Result<(), String> {
        let program = self.program.display();
        let failed = |why: String| Err(format!("hooks.before_stop {program}: {why}"));
        // A file and no pipe: what the command leaves running in the background may hold it open.
        let words = tempfile::tempfile().and_then(|file| Ok((file.try_clone()?, file)));
        let (words, for_command) = match words {
            Ok(files) => files,
            Err(error) => return failed(format!("no temporary file for its words: {error}")),
        };
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .envs(facts(step, instance, judgement))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::from(for_command))
            .kill_on_drop(true);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return failed(format!("could not be started: {error}")),
        };
        let ended = tokio::select! {
            ended = tokio::time::timeout(self.timeout, child.wait()) => ended,
            _since = interrupt.raised() => return failed("ended because the run was interrupted".into()),
        };
        let status = match ended {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => return failed(format!("could not be waited for: {error}")),
            Err(_elapsed) => {
                return failed(format!("took longer than {} s", self.timeout.as_secs()));
            }
        };
        let said = spoken(words);
        tracing::debug!(id = %step.id, %status, %said, "hooks.before_stop");
        if status.success() {
            return Ok(());
        }
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let last: String = last.chars().take(LONGEST_WORDS).collect();
        failed(format!("{status}: {last}").trim_end_matches(": ").to_owned())
    }
}

/// The end of what the command said on standard error.
fn spoken(mut words: File) -> String {
    let mut said = Vec::new();
    let length = words.metadata().map_or(0, |meta| meta.len());
    let from = SeekFrom::Start(length.saturating_sub(MOST_HEARD));
    if let Err(error) = words.seek(from).and_then(|_| words.read_to_end(&mut said)) {
        tracing::debug!(%error, "what hooks.before_stop said could not be read");
    }
    String::from_utf8_lossy(&said).into_owned()
}

/// The machine's facts as variables. What is not known is an empty text.
fn facts(step: &Step, instance: &Instance, judgement: &Judgement) -> Vec<(&'static str, String)> {
    vec![
        ("REAPER_INSTANCE_ID", step.id.to_string()),
        ("REAPER_NATIVE_ID", step.id.native.clone()),
        ("REAPER_PROVIDER", step.id.provider.to_string()),
        ("REAPER_PROVIDER_ACCOUNT", step.id.account.to_string()),
        ("REAPER_ACCOUNT", step.account.to_string()),
        ("REAPER_LOCATION", step.id.location.to_string()),
        ("REAPER_NAME", instance.name.value().cloned().unwrap_or_default()),
        ("REAPER_MACHINE_TYPE", instance.machine_type.to_string()),
        ("REAPER_OWNER", judgement.owner.names.join(", ")),
        ("REAPER_OWNER_EMAIL", judgement.owner.emails.join(", ")),
        ("REAPER_RULE", step.rule.clone()),
        ("REAPER_ACTION", step.verb.name().to_owned()),
        ("REAPER_DUE_AT", step.due_at.to_rfc3339()),
        ("REAPER_LOSES", step.loses.join("; ")),
    ]
}
