//! The command that a team runs before its machine is stopped, to save what is in it.

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

impl Hook {
    /// Runs the command for one machine, whose facts stand in variables beginning `REAPER_`. It
    /// inherits the environment otherwise; what it prints goes to the log.
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
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .envs(facts(step, instance, judgement))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let output = tokio::select! {
            output = tokio::time::timeout(self.timeout, command.output()) => output,
            _since = interrupt.raised() => return failed("ended because the run was interrupted".into()),
        };
        let output = match output {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return failed(format!("could not be started: {error}")),
            Err(_elapsed) => {
                return failed(format!("took longer than {} s", self.timeout.as_secs()));
            }
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let heard = String::from_utf8_lossy(&output.stdout);
        tracing::debug!(id = %step.id, %heard, %said, "hooks.before_stop");
        if output.status.success() {
            return Ok(());
        }
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let last: String = last.chars().take(LONGEST_WORDS).collect();
        failed(format!("{}: {last}", output.status).trim_end_matches(": ").to_owned())
    }
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
