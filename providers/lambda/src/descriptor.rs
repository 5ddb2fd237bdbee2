//! What the command line must know of Lambda before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider};

use crate::adapter::LambdaProvider;

/// Lambda's line in the list of providers.
pub const DESCRIPTOR: Descriptor = Descriptor {
    name: "lambda",
    title: "Lambda",
    location_key: None,
    options: &[],
    lists: &["cluster_ids"],
    credentials: &["api_key"],
    environment: &["LAMBDA_API_KEY"],
    files: &[],
    audit_policy: "Lambda's API keys have no scopes: every key may also terminate. reaper sends a \
                   changing call only when it enforces and the account says allow_terminate = true.",
    open,
};

#[expect(clippy::needless_pass_by_value, reason = "the signature that all providers share")]
fn open(settings: AccountSettings) -> Result<Arc<dyn Provider>, OpenError> {
    Ok(Arc::new(LambdaProvider::open(&settings)?))
}
