//! Whether every account leads to this machine alone: the condition for acting under another clock
//! than the wall clock.

use reaper_config::Config;
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
            return Err(Failure::refused(
                format!(
                    "{what} under another clock (--now, REAPER_NOW): account `{}` does not lead \
                     to this machine",
                    account.name
                ),
                "leave the clock alone; it may be set for simulated clouds on loopback only",
            ));
        }
    }
    Ok(())
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
