//! The mail server that the configuration names, as what delivers notices.

use std::path::Path;

use reaper_config::{Config, Email};
use reaper_notify::{Address, Login, Smtp, SmtpMailer, Tls};

use crate::environment::Environment;
use crate::failure::Failure;

/// What delivers mail; `None` without `[notify.email]`. Sends nothing yet.
pub(crate) fn mailer(
    config: &Config,
    environment: &Environment,
) -> Result<Option<SmtpMailer>, Failure> {
    let Some(email) = &config.email else { return Ok(None) };
    let settings = smtp(email, config, environment.ca_bundle.as_deref())?;
    let mailer = SmtpMailer::new(settings)
        .map_err(|error| Failure::Usage(format!("[notify.email]: {error}"), None))?;
    Ok(Some(mailer))
}

fn smtp(email: &Email, config: &Config, trusted: Option<&Path>) -> Result<Smtp, Failure> {
    let server = &email.smtp;
    Ok(Smtp {
        host: server.host.clone(),
        port: server.port,
        tls: match server.tls {
            reaper_config::Tls::StartTls => Tls::StartTls,
            reaper_config::Tls::Implicit => Tls::Implicit,
            reaper_config::Tls::None => Tls::None,
        },
        login: server
            .login
            .as_ref()
            .map(|login| Login { user: login.user.clone(), password: login.password.clone() }),
        ca_bundle: server.ca_bundle.clone().or_else(|| trusted.map(Path::to_path_buf)),
        timeout: config.timeouts.mail.std(),
        max_size: Some(email.max_size.bytes()),
        from: address("from", &email.from)?,
        from_name: email.from_name.clone(),
        reply_to: email.reply_to.as_deref().map(|text| address("reply_to", text)).transpose()?,
    })
}

fn address(key: &str, text: &str) -> Result<Address, Failure> {
    text.parse().map_err(|error| Failure::Usage(format!("[notify.email] {key}: {error}"), None))
}
