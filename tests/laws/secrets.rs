//! Laws of secrets: a canary in the credentials shows nowhere, whatever happens, at any log level.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use reaper_simcloud::{Effect, Fault};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::reading::audit;
use crate::rig::{Rig, fleet};
use crate::stage::Stage;

/// What stands in every secret, and in what the clouds themselves hand out.
const SECRETS: [&str; 2] = ["canary", "jupyter-secret"];

/// Everything that was logged.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[track_caller]
fn clean(text: &str, when: &str) {
    for secret in SECRETS {
        if let Some(at) = text.find(secret) {
            let from = text[..at].char_indices().rev().nth(200).map_or(0, |(from, _)| from);
            panic!("{when}: {}", &text[from..at + secret.len()]);
        }
    }
}

/// Looks at everything that an audit says and logs. Returns the log.
async fn watched(stage: &Stage, logged: Targets, when: &str) -> String {
    let log = Log::default();
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log.clone());
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(logged));
    // The trial has a thread of its own, on which the simulator and the adapter both run.
    let _guard = tracing::subscriber::set_default(subscriber);
    let provider = stage.open();
    clean(&audit(&*provider, stage).await, when);
    clean(&format!("{:?} {provider:?}", stage.settings), when);
    let log = log.text();
    clean(&log, when);
    log
}

/// Debug output, errors, warnings, facts and the log at its highest level, that of every library
/// included, are clean on good days and on bad ones.
pub(crate) async fn nowhere(rig: &'static dyn Rig) {
    let all = || Targets::new().with_default(LevelFilter::TRACE);
    for day in [
        None,
        Some(Effect::Hangup),
        Some(Effect::Cut),
        Some(Effect::Throttle { retry_after: None }),
    ] {
        let mut stage = Stage::with(rig, &fleet(2)).await;
        if let Some(effect) = day.clone() {
            stage.cloud.add_fault(Fault::always(effect));
        }
        let log = watched(&stage, all(), &format!("{day:?}")).await;
        assert!(!log.is_empty(), "{day:?}: it was listened to");
        rig.mistake_key(&mut stage.settings);
        watched(&stage, all(), &format!("{day:?} and a wrong key")).await;
    }
}

/// Where a server quotes the secret that it was sent, that goes no further. The AWS SDK logs whole
/// answers at its lowest level, which the command line therefore does not show: here as there, only
/// our own log counts.
pub(crate) async fn quoted(rig: &'static dyn Rig) {
    let words = format!("{} is no good", rig.sent_secret());
    let (refusal, own_type) = rig.refusal(&words);
    let json = format!("{{\"message\": \"{words}\", \"data\": [\"{words}\"]}}");
    let html = format!("<html><body>{words}</body></html>");
    for (status, body, content_type) in [
        (200, &json, "application/json"),
        (200, &html, "text/html"),
        (400, &json, "application/json"),
        (400, &refusal, own_type),
        (401, &refusal, own_type),
        (403, &refusal, own_type),
        (403, &html, "text/html"),
        (500, &refusal, own_type),
        (502, &html, "text/html"),
    ] {
        let stage = Stage::with(rig, &fleet(2)).await;
        let (body, content_type) = (body.clone(), content_type.to_owned());
        stage.at_listing(Effect::Answer { status, body, content_type: content_type.clone() });
        let ours = Targets::new().with_target("reaper", LevelFilter::TRACE);
        watched(&stage, ours, &format!("{status} {content_type}")).await;
    }
}
