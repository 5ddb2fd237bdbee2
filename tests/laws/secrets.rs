//! Laws of secrets: a canary in the credentials shows nowhere, whatever happens, at any log level.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use reaper_simcloud::{Effect, Fault};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use crate::acting::Scene;
use crate::permits::tag_permit;
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
    heard(logged, when, async {
        let provider = stage.open();
        let told = audit(&*provider, stage).await;
        format!("{told} {:?} {provider:?}", stage.settings)
    })
    .await
}

/// Looks at what a piece of work says and logs. Returns the log.
async fn heard(logged: Targets, when: &str, work: impl Future<Output = String>) -> String {
    let log = Log::default();
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(log.clone());
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(logged));
    // The trial has a thread of its own, on which the simulator and the adapter both run.
    let _guard = tracing::subscriber::set_default(subscriber);
    clean(&work.await, when);
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

/// What a server, a gateway or a proxy says that quotes the secret: status, text, media type.
fn quoting(rig: &dyn Rig) -> Vec<(u16, String, String)> {
    let words = format!("{} is no good", rig.sent_secret());
    let (refusal, own_type) = rig.refusal(&words);
    let json = format!("{{\"message\": \"{words}\", \"data\": [\"{words}\"]}}");
    let html = format!("<html><body>{words}</body></html>");
    [
        (200, &json, "application/json"),
        (200, &html, "text/html"),
        (400, &json, "application/json"),
        (400, &refusal, own_type),
        (401, &refusal, own_type),
        (403, &refusal, own_type),
        (403, &html, "text/html"),
        (404, &html, "text/html"),
        (409, &refusal, own_type),
        (500, &refusal, own_type),
        (502, &html, "text/html"),
    ]
    .map(|(status, body, content_type)| (status, body.clone(), content_type.to_owned()))
    .to_vec()
}

/// Our own log at its lowest level.
fn ours() -> Targets {
    Targets::new().with_target("reaper", LevelFilter::TRACE)
}

/// Where a server quotes the secret that it was sent, that goes no further. The AWS SDK logs whole
/// answers at its lowest level, which the command line therefore does not show: here as there, only
/// our own log counts.
pub(crate) async fn quoted(rig: &'static dyn Rig) {
    for (status, body, content_type) in quoting(rig) {
        let stage = Stage::with(rig, &fleet(2)).await;
        let when = format!("{status} {content_type}");
        stage.at_listing(Effect::Answer { status, body, content_type });
        watched(&stage, ours(), &when).await;
    }
}

/// Nor does what is quoted to a read of one machine, to an action, or to a change of tags.
pub(crate) async fn quoted_to_action(rig: &'static dyn Rig) {
    for (status, body, content_type) in quoting(rig) {
        let mut scene = Scene::of(rig).await;
        scene.stage.settings.limits.attempts = 1;
        let permit = scene.permit().await;
        let tag = tag_permit(&scene.stage.id(0), "reaper-keep", Some("2026-12-24"));
        let when = format!("{status} {content_type}");
        clean(&format!("{permit:?} {tag:?}"), &when);
        let answer = Effect::Answer { status, body, content_type };
        scene.at_call(answer.clone());
        let tagging = rig.tagging().into_iter().flatten();
        for call in tagging.chain([rig.reading()]) {
            scene.stage.cloud.add_fault(Fault::always(answer.clone()).at(call));
        }
        heard(ours(), &when, async {
            let (provider, cx) = (scene.stage.open(), scene.stage.context());
            let acted = scene.act(permit).await;
            let tagged = provider.tag(&cx, tag).await;
            let read = scene.stage.read(0).await.map(|machine| machine.id);
            let errors = [acted.as_ref().err(), tagged.as_ref().err(), read.as_ref().err()];
            // Some answers are void, and then taken as they come.
            assert!(status < 400 || errors.iter().all(Option::is_some), "{when}: {errors:?}");
            let shown: Vec<String> =
                errors.into_iter().flatten().map(ToString::to_string).collect();
            format!("{shown:?} {errors:?}")
        })
        .await;
    }
}
