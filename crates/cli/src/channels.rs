//! The channels besides mail that the configuration names, and what hears of each run.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use reaper_config::Config;
use reaper_model::Span;
use reaper_notify::{Channel, GivenUp, Heartbeat, Slack, Target, Webhook};
use secrecy::SecretString;

use crate::environment::Environment;
use crate::failure::Failure;

/// Whatever delivers messages that are no mail. Sends nothing yet.
pub(crate) fn channels(
    config: &Config,
    environment: &Environment,
) -> Result<Vec<Box<dyn Channel>>, Failure> {
    let mut channels: Vec<Box<dyn Channel>> = Vec::new();
    if let Some(slack) = &config.channels.slack {
        let target = target(&slack.webhook, slack.timeout, config, environment);
        let slack = Slack::new(&target).map_err(refused("slack"))?;
        channels.push(Box::new(GivenUp::once_silent(slack)));
    }
    if let Some(webhook) = &config.channels.webhook {
        let target = target(&webhook.url, webhook.timeout, config, environment);
        let webhook = Webhook::new(&target, &webhook.secrets).map_err(refused("webhook"))?;
        channels.push(Box::new(GivenUp::once_silent(webhook)));
    }
    Ok(channels)
}

/// What hears of a run; `None` without `[notify.heartbeat]`. Sends nothing yet.
pub(crate) fn heartbeat(
    config: &Config,
    environment: &Environment,
    run_id: &str,
    at: DateTime<Utc>,
) -> Result<Option<Heartbeat>, Failure> {
    let Some(settings) = &config.channels.heartbeat else { return Ok(None) };
    let target = target(&settings.url, settings.timeout, config, environment);
    Heartbeat::new(&target, run_id, at).map(Some).map_err(refused("heartbeat"))
}

/// The address, trusted as everything else is.
fn target(url: &SecretString, timeout: Span, config: &Config, environment: &Environment) -> Target {
    let bundle: Option<&PathBuf> = config.ca_bundle.as_ref().or(environment.ca_bundle.as_ref());
    Target { url: url.clone(), timeout: timeout.std(), ca_bundle: bundle.cloned() }
}

fn refused<E: std::fmt::Display>(table: &'static str) -> impl Fn(E) -> Failure {
    move |error| Failure::Usage(format!("[notify.{table}]: {error}"), None)
}
