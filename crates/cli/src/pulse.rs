//! What watches a run from outside: the heartbeat, and the figures for Prometheus. Neither changes how
//! the run ends: what cannot be told is a warning.

use reaper_model::AuditDocument;
use reaper_model::outcome::EXIT_FINDINGS;
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
    pub(crate) async fn begin(
        setting: &Setting,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let (id, now) = (setting.run_id(), setting.now());
        let heartbeat = channels::heartbeat(&setting.config, environment, &id, now)?;
        if let Some(heartbeat) = &heartbeat {
            warn(heartbeat.start().await);
        }
        Ok(Self { heartbeat, began: Instant::now() })
    }

    /// Says how it ended, or why it came to nothing.
    pub(crate) async fn end(self, setting: &Setting, ran: Result<&AuditDocument, &Failure>) {
        if let (Ok(document), Some(prometheus)) = (ran, &setting.config.channels.prometheus) {
            let took = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
            warn(textfile::write(&prometheus.textfile, document, setting.now(), took));
        }
        let Some(heartbeat) = &self.heartbeat else { return };
        let (code, summary) = match ran {
            Ok(document) => {
                let classes = document.outcome.classes.iter().map(|class| class.name());
                (document.outcome.exit_code, classes.collect::<Vec<_>>().join(", "))
            }
            Err(failure) => (failure.class().exit_code(), failure.class().name().to_owned()),
        };
        let summary = format!("exit {code}: {summary}");
        warn(match code {
            0 | EXIT_FINDINGS => heartbeat.success(&summary).await,
            _ => heartbeat.fail(&summary).await,
        });
    }
}

fn warn(told: Result<(), String>) {
    if let Err(why) = told {
        alert(&reaper_report::clean(&format!("warning: {why}")));
    }
}
