//! What the command line must know of Scaleway before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};

use crate::adapter::ScalewayProvider;
use crate::price::CURRENCY;
use crate::profile::fill;

/// Scaleway, as the command line's list of providers holds it.
pub const DESCRIPTOR: Descriptor = Descriptor {
    name: "scaleway",
    title: "Scaleway",
    location_key: Some("zones"),
    options: &["profile"],
    lists: &["project_ids"],
    credentials: &["access_key", "cockpit_token", "secret_key"],
    environment: &["SCW_SECRET_KEY", "SCW_PROFILE", "SCW_CONFIG_PATH", "SCW_TOKEN"],
    files: &[".config/scw/config.yaml", ".config/scw/config.yml"],
    audit_policy: include_str!("../audit-policy.json"),
    enforce_policy: include_str!("../enforce-policy.json"),
    currency: |_, _| Some(CURRENCY),
    open,
};

fn open(
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    let settings = fill(settings, surroundings.variable, surroundings.read_file)?;
    Ok(Arc::new(ScalewayProvider::open(settings)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_107_scaleway_charges_euros() {
        let currency = (DESCRIPTOR.currency)(&AccountSettings::named("poc"), Surroundings::NONE);
        assert_eq!(currency.map(|currency| currency.to_string()).as_deref(), Some("EUR"));
    }
}
