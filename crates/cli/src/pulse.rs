//! What watches a run from outside: the heartbeat, and the figures for Prometheus. Neither changes how
//! the run ends, and neither holds it up once it is to end: what cannot be told is a warning.

use std::time::Duration;

use reaper_model::{AuditDocument, Class};
use reaper_notify::Heartbeat;
use tokio::time::Instant;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::alert;
use crate::run::Setting;
use crate::{channels, textfile};

/// A run that is watched.
pub(crate) struct Pulse {
    heartbeat: Option<Heartbeat>,
    began: Instant,
}

impl Pulse {
    /// Says that the run begins.
    pub(crate) async fn begin(setting: &Setting, environment: &Environment) -> Self {
        let (id, now) = (setting.run_id(), setting.now());
        let made = channels::heartbeat(&setting.config, environment, &id, now);
        let heartbeat = made.unwrap_or_else(|failure| {
            warn(Err(failure.text(false)));
            None
        });
        let began = Instant::now();
        if let Some(heartbeat) = &heartbeat {
            // The time after a signal is for the run's own end.
            let told = setting.interrupt.bear(Duration::ZERO, heartbeat.start()).await;
            warn(told.unwrap_or_else(|| Err(not_waited("start"))));
        }
        Self { heartbeat, began }
    }

    /// Says how it ended: with a document, and with why it failed if it did. The document has been
    /// shown before this.
    pub(crate) async fn end(
        self,
        setting: &Setting,
        document: Option<&AuditDocument>,
        failure: Option<&Failure>,
    ) {
        if let (Some(document), Some(prometheus)) = (document, &setting.config.channels.prometheus)
        {
            let took = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let ended = textfile::Ended { at: setting.now(), took, well: went_well(document) };
            warn(textfile::write(&prometheus.textfile, document, &ended));
        }
        let Some(heartbeat) = &self.heartbeat else { return };
        let (well, summary) = match (document, failure) {
            (Some(document), None) => (went_well(document), summary(document)),
            (_, failure) => {
                let class = failure.map_or(Class::Internal, Failure::class);
                (false, format!("exit {}: {}", class.exit_code(), class.name()))
            }
        };
        let tell = async {
            if well { heartbeat.success(&summary).await } else { heartbeat.fail(&summary).await }
        };
        // Not all of the time after a signal: whoever sent it counts to its end.
        let grace = setting.config.timeouts.stop_grace.std() / 5 * 4;
        let told = setting.interrupt.bear(grace, tell).await;
        warn(told.unwrap_or_else(|| Err(not_waited("end"))));
    }
}

/// Whether the guard did its work: everything was read, and what was due was told and done. That
/// something was found is its work, and that the brake held all of it back is so too.
fn went_well(document: &AuditDocument) -> bool {
    let unwritten = document.warnings.iter().any(|warning| warning.code == "state-unwritten");
    let braked = is_braked(document) && !unwritten;
    document.outcome.classes.iter().all(|class| match class {
        Class::Clean | Class::Findings => true,
        Class::Refused => braked,
        _ => false,
    })
}

fn is_braked(document: &AuditDocument) -> bool {
    document.plan.as_ref().is_some_and(|plan| !plan.held.is_empty())
}

fn summary(document: &AuditDocument) -> String {
    let classes: Vec<&str> = document.outcome.classes.iter().map(|class| class.name()).collect();
    let braked = if is_braked(document) { "; held by the brake" } else { "" };
    format!("exit {}: {}{braked}", document.outcome.exit_code, classes.join(", "))
}

fn not_waited(word: &str) -> String {
    format!("the heartbeat may not have been heard ({word}): the run was interrupted")
}

fn warn(told: Result<(), String>) {
    if let Err(why) = told {
        alert(&reaper_report::clean(&format!("warning: {why}")));
    }
}
