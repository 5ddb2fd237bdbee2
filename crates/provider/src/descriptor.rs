//! What the command line must know of a provider before there is an account of it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use reaper_model::Currency;

use crate::account::AccountSettings;
use crate::adapter::Provider;

/// The account cannot be opened: a setting is missing or impossible. A configuration error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("account `{account}`: {problem}")]
pub struct OpenError {
    /// The account's name in the configuration.
    pub account: String,
    /// What is wrong and what to do.
    pub problem: String,
}

/// Where an adapter finds what the configuration leaves open: the variables and files of the
/// provider's own tools. Handed in, so that opening an account depends on nothing else.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file.
    pub read_file: &'a dyn Fn(&Path) -> io::Result<String>,
}

impl Surroundings<'static> {
    /// No variable is set and no file exists: the settings alone count.
    pub const NONE: Self =
        Self { variable: &|_| None, read_file: &|_| Err(io::Error::from(io::ErrorKind::NotFound)) };
}

/// Makes an adapter for one account. Sends nothing.
pub type Open = fn(AccountSettings, Surroundings<'_>) -> Result<Arc<dyn Provider>, OpenError>;

/// The currency that an account's prices are in. It is asked before the account is opened, so that
/// budgets in other currencies are refused while nothing has begun: it takes the settings of the
/// configuration and the same surroundings as [`Open`], and must come to the currency that the
/// opened account's prices will have. `None`: only the provider can say. Sends nothing.
pub type CurrencyOf = fn(&AccountSettings, Surroundings<'_>) -> Option<Currency>;

/// One line of the command line's list of providers.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// The name in the configuration.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The key that lists locations: `regions` or `zones`; `None` where one call covers all.
    pub location_key: Option<&'static str>,
    /// Further text settings that this provider takes.
    pub options: &'static [&'static str],
    /// Further list settings that this provider takes.
    pub lists: &'static [&'static str],
    /// Keys below `credentials`.
    pub credentials: &'static [&'static str],
    /// Environment variables of the provider's own tools whose presence says that somebody uses
    /// it, for `reaper init`.
    pub environment: &'static [&'static str],
    /// Files below the home directory that say the same.
    pub files: &'static [&'static str],
    /// The least-privilege permission for an audit, as `reaper check` and the README show it.
    pub audit_policy: &'static str,
    /// What acting and `reaper keep` need besides, in the same form.
    pub enforce_policy: &'static str,
    /// What an account's prices are in.
    pub currency: CurrencyOf,
    /// Makes an adapter.
    pub open: Open,
}
