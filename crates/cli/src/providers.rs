//! The list of providers: one line each. Nothing else here knows their names.

use std::collections::BTreeMap;

use reaper_config::{CurrencyOf, ProviderKeys};
use reaper_model::Currency;
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
            currency: currency(descriptor.name),
        })
        .collect()
}

/// What a provider's prices are in.
fn currency(name: &str) -> CurrencyOf {
    match name {
        "ovhcloud" => ovhcloud,
        "scaleway" => |_, _| Some(Currency::EUR),
        "aws" | "lambda" => |_, _| Some(Currency::USD),
        _ => |_, _| None,
    }
}

/// Each subsidiary of OVHcloud has a currency. The European platform serves many of them; where
/// none is named, its prices are read from the French book.
fn ovhcloud(
    options: &BTreeMap<String, String>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<Currency> {
    let endpoint = options.get("endpoint").cloned().or_else(|| variable("OVH_ENDPOINT"));
    let usual = match endpoint.as_deref().map(str::trim) {
        Some("ovh-ca") => "CA",
        Some("ovh-us") => "US",
        _ => "FR",
    };
    let code = match options.get("subsidiary").map_or(usual, String::as_str) {
        "DE" | "ES" | "FI" | "FR" | "IE" | "IT" | "LT" | "NL" | "PT" => "EUR",
        "AU" => "AUD",
        "CA" | "QC" => "CAD",
        "CZ" => "CZK",
        "GB" => "GBP",
        "PL" => "PLN",
        "SG" => "SGD",
        "US" => "USD",
        _ => return None,
    };
    code.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_107_every_provider_says_what_its_prices_are_in() {
        let shown = |name: &str| {
            let none = BTreeMap::new();
            currency(name)(&none, &|_| None).map(|currency| currency.to_string())
        };
        for (name, code) in
            [("aws", "USD"), ("lambda", "USD"), ("ovhcloud", "EUR"), ("scaleway", "EUR")]
        {
            assert_eq!(shown(name).as_deref(), Some(code), "{name}");
        }
        assert!(PROVIDERS.iter().all(|descriptor| shown(descriptor.name).is_some()));
        assert_eq!(shown("another"), None);
    }

    #[test]
    fn fl_107_the_currency_of_ovhcloud_is_that_of_the_subsidiary() {
        let charged = |settings: &[(&str, &str)], endpoint: Option<&str>| {
            let options = settings.iter().map(|&(key, text)| (key.to_owned(), text.to_owned()));
            let variable = |name: &str| endpoint.filter(|_| name == "OVH_ENDPOINT");
            ovhcloud(&options.collect(), &|name| variable(name).map(str::to_owned))
                .map(|currency| currency.to_string())
        };
        for (settings, variable, code) in [
            (&[("endpoint", "ovh-eu")][..], None, Some("EUR")),
            (&[("endpoint", "ovh-us")], None, Some("USD")),
            (&[("endpoint", "ovh-ca")], None, Some("CAD")),
            (&[("endpoint", "http://127.0.0.1:1")], None, Some("EUR")),
            (&[], Some("ovh-us"), Some("USD")),
            (&[("endpoint", "ovh-eu")], Some("ovh-us"), Some("EUR")),
            (&[("subsidiary", "GB")], None, Some("GBP")),
            (&[("endpoint", "http://127.0.0.1:1"), ("subsidiary", "US")], None, Some("USD")),
            (&[("subsidiary", "WE")], None, None),
        ] {
            assert_eq!(charged(settings, variable).as_deref(), code, "{settings:?} {variable:?}");
        }
    }
}
