//! What the configuration says of one account, with secrets resolved: the input of an adapter.

use std::collections::BTreeMap;
use std::time::Duration;

use reaper_model::{AccountName, Location};
use secrecy::SecretString;

/// Settings of one `[[account]]`, checked by the configuration; adapters take what concerns them.
#[derive(Debug, Clone)]
pub struct AccountSettings {
    /// Its name in the configuration.
    pub name: AccountName,
    /// The pin, for providers that must look for it (Lambda); the engine compares it.
    pub expect_account: Option<String>,
    /// Regions or zones to list; empty means all.
    pub locations: Vec<Location>,
    /// Base address instead of the provider's own.
    pub endpoint_url: Option<String>,
    /// Further settings as text, by configuration key (`assume_role`, `project`, …).
    pub options: BTreeMap<String, String>,
    /// Lists of text, by configuration key (`project_ids`).
    pub lists: BTreeMap<String, Vec<String>>,
    /// Secrets, by configuration key below `credentials`.
    pub credentials: BTreeMap<String, SecretString>,
    /// Time limits and bounds of the calls.
    pub limits: CallLimits,
    /// PEM file with further certificate authorities to trust.
    pub ca_bundle: Option<std::path::PathBuf>,
}

/// Time limits and bounds of an account's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// One attempt of one call.
    pub call: Duration,
    /// Attempts per call, the first included.
    pub attempts: u32,
    /// Requests per second; `None` is the provider's documented default.
    pub per_second: Option<u32>,
    /// Requests in flight; `None` is the provider's documented default.
    pub in_flight: Option<usize>,
    /// Entries per page; `None` is the provider's documented default.
    pub page_size: Option<u32>,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(30),
            attempts: 4,
            per_second: None,
            in_flight: None,
            page_size: None,
        }
    }
}

impl AccountSettings {
    /// Settings with nothing but a name: the provider's own defaults everywhere.
    pub fn named(name: impl AsRef<str>) -> Self {
        Self {
            name: AccountName::new(name),
            expect_account: None,
            locations: Vec::new(),
            endpoint_url: None,
            options: BTreeMap::new(),
            lists: BTreeMap::new(),
            credentials: BTreeMap::new(),
            limits: CallLimits::default(),
            ca_bundle: None,
        }
    }

    /// A further setting.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }
}
