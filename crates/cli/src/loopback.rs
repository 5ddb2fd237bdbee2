//! Whether every account leads to this machine alone: the condition for acting under another clock
//! than the wall clock.

use reaper_config::Config;
use url::{Host, Url};

use crate::environment::variable;
use crate::failure::Failure;

/// Where the providers' own tools look for another address.
const VARIABLES: [(&str, &[&str]); 4] = [
    ("aws", &["AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL"]),
    ("scaleway", &["SCW_API_URL"]),
    ("ovhcloud", &["OVH_ENDPOINT"]),
    ("lambda", &["LAMBDA_API_URL"]),
];

/// Refuses unless every account's address is one of this machine.
pub(crate) fn required(config: &Config, what: &str) -> Result<(), Failure> {
    for account in &config.accounts {
        let provider = account.provider.as_str();
        let variables = VARIABLES.iter().filter(|(name, _)| *name == provider);
        let from_environment = || {
            variables
                .flat_map(|(_, names)| names.iter())
                .find_map(|name| variable(name).filter(|value| !value.is_empty()))
        };
        let configured =
            account.endpoint_url.clone().or_else(|| account.options.get("endpoint").cloned());
        let address = configured.or_else(from_environment);
        if !address.as_deref().is_some_and(is_loopback) {
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

fn is_loopback(address: &str) -> bool {
    match Url::parse(address).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
