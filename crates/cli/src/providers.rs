//! The list of providers: one line each. Nothing else here knows their names.

use reaper_config::ProviderKeys;
use reaper_provider::Descriptor;

/// Every provider that this binary was built with.
pub(crate) const PROVIDERS: &[Descriptor] = &[
    #[cfg(feature = "aws")]
    reaper_aws::DESCRIPTOR,
    reaper_ovhcloud::DESCRIPTOR,
    reaper_scaleway::DESCRIPTOR,
    reaper_lambda::DESCRIPTOR,
];

/// The provider of that name.
pub(crate) fn find(name: &str) -> Option<&'static Descriptor> {
    PROVIDERS.iter().find(|descriptor| descriptor.name == name)
}

/// Their configuration keys.
pub(crate) fn keys() -> Vec<ProviderKeys> {
    PROVIDERS
        .iter()
        .map(|descriptor| ProviderKeys {
            name: descriptor.name,
            location_key: descriptor.location_key,
            options: descriptor.options,
            lists: descriptor.lists,
            credentials: descriptor.credentials,
        })
        .collect()
}
