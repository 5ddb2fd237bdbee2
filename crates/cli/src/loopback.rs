//! Whether accounts, and whoever is told anything, are on this machine alone: the condition for
//! acting and sending under another clock than the wall clock.

use std::net::IpAddr;

use reaper_config::{Channels, Config};
use secrecy::ExposeSecret as _;
use url::{Host, Url};

use crate::environment::variable;
use crate::failure::Failure;

/// Where the providers' own tools look for another address. All that are set count: AWS's are
/// separate for each service.
const VARIABLES: [(&str, &[&str]); 4] = [
    ("aws", &["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL_STS"]),
    ("scaleway", &["SCW_API_URL"]),
    ("ovhcloud", &["OVH_ENDPOINT"]),
    ("lambda", &["LAMBDA_API_URL"]),
];
/// AWS's own switch that makes its variables count for nothing.
const AWS_IGNORES: &str = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS";

/// Refuses unless every account's address is one of this machine.
pub(crate) fn required(config: &Config, what: &str) -> Result<(), Failure> {
    for account in &config.accounts {
        if !stays_here(account) {
            let name = format!("account `{}`", account.name);
            return Err(refused(what, &name, "simulated clouds"));
        }
    }
    Ok(())
}

/// Refuses unless everybody who may be sent anything is on this machine. The channels' addresses
/// are secrets and said nowhere.
pub(crate) fn required_of_receivers(config: &Config, what: &str) -> Result<(), Failure> {
    required_of_mail(config, what)?;
    let Channels { slack, webhook, heartbeat, prometheus: _ } = &config.channels;
    let addresses = [
        ("slack", slack.as_ref().map(|slack| &slack.webhook)),
        ("webhook", webhook.as_ref().map(|webhook| &webhook.url)),
        ("heartbeat", heartbeat.as_ref().map(|heartbeat| &heartbeat.url)),
    ];
    for (name, address) in addresses {
        if address.is_some_and(|address| !is_loopback(address.expose_secret().trim())) {
            return Err(refused(what, &format!("[notify.{name}]"), "receivers"));
        }
    }
    Ok(())
}

/// Refuses unless the mail server is on this machine.
pub(crate) fn required_of_mail(config: &Config, what: &str) -> Result<(), Failure> {
    match &config.email {
        Some(email) if !is_this_machine(&email.smtp.host) => {
            let name = format!("the mail server `{}`", email.smtp.host);
            Err(refused(what, &name, "receivers"))
        }
        Some(_) | None => Ok(()),
    }
}

fn refused(what: &str, name: &str, whom: &str) -> Failure {
    Failure::refused(
        format!(
            "{what} under another clock (--now, REAPER_NOW): {name} does not lead to this machine"
        ),
        format!("leave the clock alone; it may be set for {whom} on loopback only"),
    )
}

fn stays_here(account: &reaper_config::Account) -> bool {
    let configured = account.endpoint_url.as_ref().or_else(|| account.options.get("endpoint"));
    if let Some(address) = configured {
        return is_loopback(address);
    }
    let provider = account.provider.as_str();
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let Some((_, names)) = VARIABLES.iter().find(|(name, _)| *name == provider) else {
        return false;
    };
    let ignored = provider == "aws" && set(AWS_IGNORES).is_some();
    // The first is the one for everything; those for one service may not lead elsewhere.
    let general = names.first().and_then(|name| set(name));
    !ignored
        && general.is_some()
        && names.iter().filter_map(|name| set(name)).all(|address| is_loopback(&address))
}

fn is_loopback(address: &str) -> bool {
    match Url::parse(address).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// The same of a name or an address alone.
fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
