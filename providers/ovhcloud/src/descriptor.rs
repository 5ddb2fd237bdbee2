//! What the command line must know of OVHcloud before there is an account of it.

use std::sync::Arc;

use reaper_model::Currency;
use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};

use crate::adapter::OvhProvider;
use crate::conf::{self, fill};
use crate::endpoint::subsidiary_of;
use crate::subsidiary;

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
    currency,
    open,
};

/// That of the price book that an opened account asks for.
fn currency(settings: &AccountSettings, surroundings: Surroundings<'_>) -> Option<Currency> {
    let endpoint = conf::endpoint(settings, surroundings.variable, surroundings.read_file);
    subsidiary::currency(subsidiary_of(settings, endpoint.as_deref())?)
}

fn open(
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    let settings = fill(settings, surroundings.variable, surroundings.read_file)?;
    Ok(Arc::new(OvhProvider::open(&settings)?))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;
    use crate::endpoint::Endpoint;

    /// With these settings and `OVH_ENDPOINT`, and an `ovh.conf` in the home folder for `ovh-ca`,
    /// if there is one: what is told before the account is opened, and whose book it asks for then.
    fn charged(
        options: &[(&str, &str)],
        endpoint: Option<&str>,
        is_file: bool,
    ) -> (Option<String>, Option<String>) {
        let mut settings = AccountSettings::named("lab");
        let own = options.iter().map(|&(key, text)| (key.to_owned(), text.to_owned()));
        settings.options.extend(own);
        let variable = |name: &str| match name {
            "OVH_ENDPOINT" => endpoint.map(str::to_owned),
            "HOME" => Some("/home/a".to_owned()),
            _ => None,
        };
        let read_file = |path: &Path| match path.to_str() {
            Some("/home/a/.ovh.conf") if is_file => Ok("[default]\nendpoint = ovh-ca\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let surroundings = Surroundings { variable: &variable, read_file: &read_file };
        let told = (DESCRIPTOR.currency)(&settings, surroundings);
        let filled = fill(settings, &variable, &read_file).expect("no credentials at all");
        let book = Endpoint::open(&filled).ok().map(|endpoint| endpoint.subsidiary);
        (told.map(|currency| currency.to_string()), book)
    }

    #[test]
    fn fl_107_an_account_is_charged_in_the_currency_of_the_book_that_it_asks_for() {
        let loopback = ("endpoint", "http://127.0.0.1:1");
        for (options, variable, is_file, code, book) in [
            (&[][..], None, false, Some("EUR"), Some("FR")),
            (&[("endpoint", "ovh-eu")], None, false, Some("EUR"), Some("FR")),
            (&[("endpoint", "ovh-us")], None, false, Some("USD"), Some("US")),
            (&[("endpoint", " ovh-ca ")], None, false, Some("CAD"), Some("CA")),
            (&[loopback], None, false, Some("EUR"), Some("FR")),
            (&[], Some("ovh-us"), false, Some("USD"), Some("US")),
            (&[], None, true, Some("CAD"), Some("CA")),
            (&[], Some(" "), true, Some("CAD"), Some("CA")),
            (&[], Some("ovh-us"), true, Some("USD"), Some("US")),
            (&[("endpoint", "ovh-eu")], Some("ovh-us"), true, Some("EUR"), Some("FR")),
            (&[("subsidiary", "GB")], None, false, Some("GBP"), Some("GB")),
            (&[("subsidiary", "GB")], None, true, Some("GBP"), Some("GB")),
            (&[loopback, ("subsidiary", "US")], None, false, Some("USD"), Some("US")),
            (&[("subsidiary", "WE")], None, false, None, Some("WE")),
            (&[("endpoint", "kimsufi-eu")], None, false, None, None),
        ] {
            let (told, asked) = charged(options, variable, is_file);
            let case = format!("{options:?} {variable:?} {is_file}");
            assert_eq!((told.as_deref(), asked.as_deref()), (code, book), "{case}");
        }
    }
}
