//! Base addresses: the provider's own or `endpoint_url`, checked once, joined without surprises.

use reaper_provider::{AccountSettings, OpenError};
use url::Url;

/// The address below which an API lives; `http` or `https`, without login, query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(Url);

impl Base {
    /// The account's `endpoint_url`, else `default`.
    pub fn open(settings: &AccountSettings, default: &str) -> Result<Self, OpenError> {
        let text = settings.endpoint_url.as_deref().unwrap_or(default);
        Self::parse(text).map_err(|problem| OpenError {
            account: settings.name.to_string(),
            problem: format!("endpoint_url: {problem}"),
        })
    }

    /// Checks an address; the error never repeats it, because it may hold a login.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text.trim()).map_err(|error| format!("not an address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err("an address starts with https:// (or http://) and a host".into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a login does not belong into an address".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("an address ends with its path".into());
        }
        Ok(Self(url))
    }

    /// An address below the base. Each segment is escaped, so that an id can never climb out.
    pub fn at<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.0.clone();
        // Never an error: only addresses without a host cannot be extended, and those are refused.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// The base itself.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_base_is_kept_and_segments_are_escaped() {
        for base in ["http://127.0.0.1:1/lambda", "http://127.0.0.1:1/lambda/"] {
            let base = Base::parse(base).expect("valid");
            let url = base.at(["api", "v1", "instances", "a/../b?c"]);
            assert_eq!(url.as_str(), "http://127.0.0.1:1/lambda/api/v1/instances/a%2F..%2Fb%3Fc");
        }
    }

    #[test]
    fn a_login_in_the_address_is_refused_and_not_repeated() {
        let error = Base::parse("https://me:hush@example.org").expect_err("login");
        assert!(!error.contains("hush"), "{error}");
        for bad in ["ftp://example.org", "example.org", "https://e.org/?a=b", "mailto:a@b", ""] {
            assert!(Base::parse(bad).is_err(), "{bad}");
        }
    }
}
