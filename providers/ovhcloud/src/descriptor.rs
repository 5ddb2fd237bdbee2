//! What the command line must know of OVHcloud before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};

use crate::adapter::OvhProvider;
use crate::conf::fill;

/// OVHcloud's line in the list of providers.
pub const DESCRIPTOR: Descriptor = Descriptor {
    name: "ovhcloud",
    title: "OVHcloud Public Cloud",
    location_key: None,
    options: &["endpoint", "project", "project_tags", "subsidiary"],
    lists: &[],
    credentials: &[
        "application_key",
        "application_secret",
        "consumer_key",
        "client_id",
        "client_secret",
        "access_token",
    ],
    environment: &["OVH_APPLICATION_KEY", "OVH_CLIENT_ID", "OVH_ACCESS_TOKEN"],
    files: &[".ovh.conf"],
    audit_policy: include_str!("../audit-policy.json"),
    enforce_policy: include_str!("../enforce-policy.json"),
    open,
};

fn open(
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    let settings = fill(settings, surroundings.variable, surroundings.read_file)?;
    Ok(Arc::new(OvhProvider::open(&settings)?))
}
