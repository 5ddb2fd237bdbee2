//! Budgets as the configuration says them.

use std::collections::BTreeMap;
use std::fmt;

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

    /// Whether spending of this configured account can count, whosever machines it is for.
    pub fn takes(&self, provider: &ProviderName, account: &AccountName) -> bool {
        (self.providers.is_empty() || self.providers.contains(provider))
            && (self.accounts.is_empty() || self.accounts.contains(account))
    }
}

impl fmt::Display for BudgetScope {
    /// `provider aws or lambda, and owner alice, and tag project atlas`; `everything`, where nothing
    /// is asked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { providers, accounts, owners, teams, tags } = self;
        let named = [
            ("provider", texts(providers)),
            ("account", texts(accounts)),
            ("owner", texts(owners)),
            ("team", texts(teams)),
        ];
        let named = named.into_iter().filter(|(_, texts)| !texts.is_empty());
        let tags = tags.iter().map(|(key, value)| format!("tag {key} {value}"));
        let parts: Vec<String> = named
            .map(|(word, texts)| format!("{word} {}", texts.join(" or ")))
            .chain(tags)
            .collect();
        f.write_str(if parts.is_empty() { "everything" } else { "" })?;
        f.write_str(&parts.join(", and "))
    }
}

fn texts(entries: &[impl fmt::Display]) -> Vec<String> {
    entries.iter().map(ToString::to_string).collect()
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

impl OnLimit {
    /// The word in the configuration and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::StopOrphans => "stop-orphans",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> BudgetScope {
        BudgetScope {
            providers: vec!["aws".into(), "lambda".into()],
            accounts: vec!["research".into()],
            owners: vec!["alice".to_owned()],
            teams: vec!["vision".to_owned()],
            tags: BTreeMap::from([("project".to_owned(), "atlas".to_owned())]),
        }
    }

    #[test]
    fn a_scope_reads_as_a_sentence() {
        assert_eq!(BudgetScope::default().to_string(), "everything");
        assert_eq!(
            scope().to_string(),
            "provider aws or lambda, and account research, and owner alice, and team vision, \
             and tag project atlas"
        );
    }

    #[test]
    fn an_account_is_taken_by_its_provider_and_its_name() {
        let takes =
            |provider: &str, account: &str| scope().takes(&provider.into(), &account.into());
        assert!(takes("aws", "research"));
        assert!(!takes("aws", "poc") && !takes("scaleway", "research"));
        assert!(BudgetScope::default().takes(&"scaleway".into(), &"poc".into()));
    }
}
