//! Budgets as the configuration says them.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ident::{AccountName, ProviderName};
use crate::money::Money;

/// One `[[budget]]`: a limit per calendar month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetSpec {
    /// Its unique name.
    pub name: String,
    /// The limit per calendar month, greater than zero.
    pub limit: Money,
    /// What counts.
    pub scope: BudgetScope,
    /// Percentages of the limit that are alerted when spending reaches them; ascending, none twice.
    pub thresholds: Vec<Decimal>,
    /// The same for the forecast of the month's end.
    pub forecast: Vec<Decimal>,
    /// Addresses that are alerted; the fallback where there are none.
    pub recipients: Vec<String>,
    /// What else happens at 100 % of actual spending.
    pub on_limit: OnLimit,
}

/// What counts in a budget: spending that fits every given condition. An empty list asks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BudgetScope {
    /// Of one of these clouds.
    pub providers: Vec<ProviderName>,
    /// Of one of these configured accounts.
    pub accounts: Vec<AccountName>,
    /// Of one of these owners; case is folded.
    pub owners: Vec<String>,
    /// Of one of these teams of the owner directory; case is folded.
    pub teams: Vec<String>,
    /// With all of these tags; keys are folded as everywhere.
    pub tags: BTreeMap<String, String>,
}

impl BudgetScope {
    /// Whether it depends on whose a machine is or what its tags say, so that spending of which
    /// only the account is known cannot belong to it.
    pub fn asks_of_machines(&self) -> bool {
        !(self.owners.is_empty() && self.teams.is_empty() && self.tags.is_empty())
    }
}

/// What happens when actual spending reaches the limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnLimit {
    /// Alerts alone.
    #[default]
    Report,
    /// The notice periods of orphans in its scope end.
    StopOrphans,
}
