//! What the command line must know of OVHcloud before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider};

use crate::adapter::OvhProvider;

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
    open,
};

#[expect(clippy::needless_pass_by_value, reason = "the signature that all providers share")]
fn open(settings: AccountSettings) -> Result<Arc<dyn Provider>, OpenError> {
    Ok(Arc::new(OvhProvider::open(&settings)?))
}
