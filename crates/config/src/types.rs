//! What a checked configuration is made of. Built by [`crate::load`] and [`crate::parse`] alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono_tz::Tz;
use reaper_model::{AccountName, Currency, Location, PriceOverride, ProviderName, Rate, Span};
use reaper_policy::PolicySpec;
use secrecy::SecretString;

/// A configuration in which everything was understood and nothing was left open.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file; `None` for an embedded text.
    pub path: Option<PathBuf>,
    /// `sha256:` and the hexadecimal digest of the file's bytes.
    pub digest: String,
    /// The zone of months, weeks and dates.
    pub timezone: Tz,
    /// The currency of the report.
    pub currency: Currency,
    /// Dated rates to [`Config::currency`], at most one per foreign currency.
    pub rates: Vec<Rate>,
    /// Whether acting is allowed at all; `None` leaves it to the command line.
    pub mode: Option<Mode>,
    /// At least one; names are unique.
    pub accounts: Vec<Account>,
    /// Rules, owners, protection, exemptions.
    pub policy: PolicySpec,
    /// Prices that override or fill the catalogue; one per provider, type, location.
    pub prices: Vec<PriceOverride>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// Attempts per call, the first included.
    pub attempts: u32,
    /// Bounds by provider; one that is not here has its documented defaults.
    pub pace: BTreeMap<ProviderName, Pace>,
    /// PEM file with further certificate authorities to trust; it was there when this was read.
    pub ca_bundle: Option<PathBuf>,
    /// What was accepted and should be looked at.
    pub warnings: Vec<ConfigWarning>,
    pub(crate) effective: Vec<Setting>,
}

impl Config {
    /// Every setting that has a default or is a duration, with its value as it is in force, in the
    /// order of the documentation, for `reaper check`.
    pub fn effective(&self) -> &[Setting] {
        &self.effective
    }

    /// The bounds of a provider's calls.
    pub fn pace_of(&self, provider: &ProviderName) -> Pace {
        self.pace.get(provider).copied().unwrap_or_default()
    }
}

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its path: `timeouts.call`, `rule.ownerless.notice`.
    pub key: String,
    /// Its value as it would be written, without quotes.
    pub value: String,
    /// Whether the file does not say it.
    pub is_default: bool,
}

/// Whether acting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Never, whatever the command line says.
    Report,
    /// If the command line asks for it.
    Enforce,
}

/// One `[[account]]`: a set of credentials at one provider.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its unique name.
    pub name: AccountName,
    /// The provider, one of those handed in by [`crate::Environment`].
    pub provider: ProviderName,
    /// The pin: the identity that the provider must confirm.
    pub expect_account: Option<String>,
    /// Regions or zones, none twice; empty means all.
    pub locations: Vec<Location>,
    /// Base address instead of the provider's own; HTTP or HTTPS, without login.
    pub endpoint_url: Option<String>,
    /// Further settings of this provider as text; `true` and `false` for yes and no.
    pub options: BTreeMap<String, String>,
    /// Further list settings of this provider.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Secrets, blanks around them removed.
    pub credentials: BTreeMap<String, SecretString>,
}

/// Time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// One attempt of one call.
    pub call: Span,
    /// Everything that is asked of one account at one location.
    pub scope: Span,
    /// The whole run.
    pub run: Span,
}

/// Bounds of the calls of each account at one provider; `None` is the provider's documented
/// default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Requests per second.
    pub per_second: Option<u32>,
    /// Requests in flight.
    pub in_flight: Option<usize>,
    /// Entries per page.
    pub page_size: Option<u32>,
}

/// Something accepted that should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// Stable word for machines, such as `config-blanks-trimmed`.
    pub code: &'static str,
    /// For people; never holds a secret.
    pub text: String,
    /// What it is about: an account, a rule, a file and line.
    pub subject: String,
}
