//! What the command line must know of AWS before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};

use crate::adapter::AwsProvider;

/// AWS, as the command line's list of providers holds it.
pub const DESCRIPTOR: Descriptor = Descriptor {
    name: "aws",
    title: "AWS EC2",
    location_key: Some("regions"),
    options: &[
        "profile",
        "assume_role",
        "external_id",
        "imds",
        "server_side_filter",
        "name_uncovered_regions",
    ],
    lists: &[],
    credentials: &["access_key_id", "secret_access_key", "session_token"],
    environment: &[
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    ],
    files: &[".aws/credentials", ".aws/config"],
    audit_policy: include_str!("../audit-policy.json"),
    open,
};

fn open(
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    Ok(Arc::new(AwsProvider::open(settings, surroundings)?))
}
