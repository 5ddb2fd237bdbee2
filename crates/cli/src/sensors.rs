//! Who is asked what was measured: the sources that the configuration names, opened. Sends nothing.

use std::sync::Arc;

use reaper_config::{Config, PrometheusAuth, PrometheusServer};
use reaper_engine::Sensors;
use reaper_engine::sensors::probe::ProbeSamples;
use reaper_metrics::{Auth, Prometheus, Server, SigV4};
use reaper_model::document::Warning;
use reaper_provider::MetricsSource;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::state;

/// The sources, and what a reader should know of one that could not be opened: a machine is judged
/// without it, and never idle by it.
pub(crate) fn sensors(
    config: &Config,
    environment: &Environment,
) -> Result<(Sensors, Option<Warning>), Failure> {
    let metrics = &config.metrics;
    let mut sources: Vec<Arc<dyn MetricsSource>> = Vec::new();
    if let Some(server) = &metrics.prometheus {
        sources.push(Arc::new(prometheus(server, config, environment)?));
    }
    let mut unopened = None;
    if metrics.probe {
        match state::store(config, environment) {
            Ok(store) => sources.push(Arc::new(ProbeSamples::new(store))),
            Err(failure) => {
                unopened = Some(Warning {
                    code: "metrics-unread".to_owned(),
                    text: format!("without the samples of reaper probe: {}", failure.text(false)),
                    subject: None,
                });
            }
        }
    }
    let always = metrics.prometheus.is_some();
    Ok((Sensors { clouds: metrics.clouds, always, sources }, unopened))
}

fn prometheus(
    server: &PrometheusServer,
    config: &Config,
    environment: &Environment,
) -> Result<Prometheus, Failure> {
    let auth = match &server.auth {
        PrometheusAuth::None => Auth::None,
        PrometheusAuth::Basic(login) => {
            Auth::Basic { user: login.user.clone(), password: login.password.clone() }
        }
        PrometheusAuth::Bearer(token) => Auth::Bearer(token.clone()),
        PrometheusAuth::SigV4(keys) => Auth::SigV4(SigV4 {
            region: keys.region.clone(),
            access_key_id: keys.access_key_id.clone(),
            secret_access_key: keys.secret_access_key.clone(),
            session_token: keys.session_token.clone(),
        }),
    };
    let bundle = config.ca_bundle.as_deref().or(environment.ca_bundle.as_deref());
    Prometheus::open(&Server {
        url: server.url.clone(),
        label: server.label.clone(),
        auth,
        timeout: server.timeout.std(),
        attempts: config.attempts,
        ca_bundle: bundle.map(Into::into),
    })
    .map_err(|error| Failure::Usage(format!("{}: {}", error.account, error.problem), None))
}
