//! Where the API lives: OVHcloud's three halves of the world, or an address of one's own.

use reaper_http::{Base, Url};
use reaper_provider::{AccountSettings, OpenError};

/// One of OVHcloud's separate platforms; accounts of one are unknown at the others.
struct Platform {
    name: &'static str,
    api: &'static str,
    token: &'static str,
    /// Whose price book holds where the settings name none. The US book is served in the US alone.
    subsidiary: &'static str,
}

/// As OVHcloud's Go and Python clients name them.
const PLATFORMS: [Platform; 3] = [
    Platform {
        name: "ovh-eu",
        api: "https://eu.api.ovh.com",
        token: "https://www.ovh.com/auth/oauth2/token",
        subsidiary: "FR",
    },
    Platform {
        name: "ovh-ca",
        api: "https://ca.api.ovh.com",
        token: "https://ca.ovh.com/auth/oauth2/token",
        subsidiary: "CA",
    },
    Platform {
        name: "ovh-us",
        api: "https://api.us.ovhcloud.com",
        token: "https://us.ovhcloud.com/auth/oauth2/token",
        subsidiary: "US",
    },
];
/// The platform of an account that names none.
pub(crate) const DEFAULT: &str = PLATFORMS[0].name;

/// Where to send what.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    /// Below it live `/1.0` and `/v2`.
    pub(crate) api: Base,
    /// Where service accounts log in.
    pub(crate) token: Url,
    /// Whose price book is asked for.
    pub(crate) subsidiary: String,
    /// Whether that is a guess: the European platform serves customers of many subsidiaries, whose
    /// books differ, while the others have one book each.
    pub(crate) subsidiary_is_guessed: bool,
}

impl Endpoint {
    /// `endpoint` names a platform or is an address; `endpoint_url` replaces the address alone.
    pub(crate) fn open(settings: &AccountSettings) -> Result<Self, OpenError> {
        let refused = |problem: String| OpenError { account: settings.name.to_string(), problem };
        let name = settings.option("endpoint").unwrap_or(DEFAULT).trim();
        let Some((platform, address)) = platform(name) else {
            return Err(refused(format!(
                "endpoint `{name}` has no Public Cloud: write ovh-eu, ovh-ca, ovh-us or an address"
            )));
        };
        let own = settings.endpoint_url.as_deref().or(address);
        let (api, token) = match own {
            None => {
                let api = Base::parse(platform.api).map_err(&refused)?;
                (api, Base::parse(platform.token).map_err(&refused)?.url().clone())
            }
            Some(address) => {
                let api = Base::parse(without_version(address))
                    .map_err(|problem| refused(format!("endpoint: {problem}")))?;
                let token = api.at(["auth", "oauth2", "token"]);
                (api, token)
            }
        };
        let subsidiary = book(settings, platform).to_owned();
        let subsidiary_is_guessed =
            settings.option("subsidiary").is_none() && platform.name == DEFAULT;
        Ok(Self { api, token, subsidiary, subsidiary_is_guessed })
    }
}

/// Whose price book an account at this endpoint asks for; `None` where no account can be opened.
pub(crate) fn subsidiary_of<'a>(
    settings: &'a AccountSettings,
    endpoint: Option<&str>,
) -> Option<&'a str> {
    let (platform, _) = platform(endpoint.unwrap_or(DEFAULT).trim())?;
    Some(book(settings, platform))
}

fn book<'a>(settings: &'a AccountSettings, platform: &'static Platform) -> &'a str {
    settings.option("subsidiary").unwrap_or(platform.subsidiary)
}

/// The platform of that name, or the first one behind another address.
fn platform(name: &str) -> Option<(&'static Platform, Option<&str>)> {
    let named = PLATFORMS.iter().find(|platform| platform.name == name);
    let address = name.contains('/').then_some((&PLATFORMS[0], Some(name)));
    named.map(|platform| (platform, None)).or(address)
}

/// OVHcloud's tools take addresses with the version of the API behind them.
fn without_version(address: &str) -> &str {
    let address = address.trim().trim_end_matches('/');
    address.strip_suffix("/1.0").or_else(|| address.strip_suffix("/v1")).unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(endpoint: Option<&str>, url: Option<&str>) -> Result<Endpoint, OpenError> {
        let mut settings = AccountSettings::named("lab");
        settings.endpoint_url = url.map(str::to_owned);
        if let Some(endpoint) = endpoint {
            settings.options.insert("endpoint".to_owned(), endpoint.to_owned());
        }
        Endpoint::open(&settings)
    }

    #[test]
    fn each_platform_has_its_own_addresses_and_price_book() {
        let us = opened(Some("ovh-us"), None).expect("known");
        assert_eq!(us.api.url().as_str(), "https://api.us.ovhcloud.com/");
        assert_eq!(us.token.as_str(), "https://us.ovhcloud.com/auth/oauth2/token");
        assert_eq!(us.subsidiary, "US");
        assert_eq!(opened(None, None).expect("the default").subsidiary, "FR");
    }

    #[test]
    fn an_address_may_carry_the_version_or_not() {
        for address in
            ["http://127.0.0.1:5/o", "http://127.0.0.1:5/o/1.0", "http://127.0.0.1:5/o/v1/"]
        {
            for endpoint in [opened(Some(address), None), opened(Some("ovh-us"), Some(address))] {
                let endpoint = endpoint.expect("an address");
                assert_eq!(endpoint.api.url().as_str(), "http://127.0.0.1:5/o");
                assert_eq!(endpoint.token.as_str(), "http://127.0.0.1:5/o/auth/oauth2/token");
            }
        }
        let own = opened(Some("ovh-us"), Some("http://127.0.0.1:5")).expect("an address");
        assert_eq!(own.subsidiary, "US");
    }

    #[test]
    fn a_platform_without_public_cloud_is_refused() {
        let error = opened(Some("kimsufi-eu"), None).expect_err("no Public Cloud");
        assert!(error.problem.contains("ovh-eu, ovh-ca, ovh-us"), "{error}");
    }
}
