//! What the command line must know of Lambda before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};
use secrecy::SecretString;

use crate::adapter::LambdaProvider;
use crate::price::CURRENCY;

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
    enforce_policy: "None besides: the key of the audit is the key that terminates. Tags are set at \
                     launch only, so what is kept is remembered in the state.",
    currency: |_, _| Some(CURRENCY),
    open,
};

/// `LAMBDA_API_KEY` and `LAMBDA_API_URL` fill what the configuration leaves open.
fn open(
    mut settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    let variable = |name| (surroundings.variable)(name).filter(|text| !text.trim().is_empty());
    if !settings.credentials.contains_key("api_key")
        && let Some(key) = variable("LAMBDA_API_KEY")
    {
        settings.credentials.insert("api_key".to_owned(), SecretString::from(key));
    }
    settings.endpoint_url = settings.endpoint_url.or_else(|| variable("LAMBDA_API_URL"));
    Ok(Arc::new(LambdaProvider::open(&settings)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_107_lambda_charges_dollars() {
        let currency = (DESCRIPTOR.currency)(&AccountSettings::named("burst"), Surroundings::NONE);
        assert_eq!(currency.map(|currency| currency.to_string()).as_deref(), Some("USD"));
    }
}
