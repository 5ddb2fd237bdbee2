//! What `reaper check` prints in JSON mode.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::WantedAction;
use super::run::{ConfigView, ScopeView, Warning};
use crate::budget::OnLimit;
use crate::ident::{AccountName, ProviderAccount, ProviderName};
use crate::money::Money;
use crate::outcome::Outcome;

/// Name and version of the format.
pub const CHECK_SCHEMA: &str = "reaper.check/1";

/// A checked configuration and, unless offline, the accounts that it opens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckDocument {
    /// Always `reaper.check/1`.
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// The configuration in use.
    pub config: ConfigView,
    /// How the check ended.
    pub outcome: Outcome,
    /// Every setting in force, defaults included.
    pub settings: Vec<SettingView>,
    /// Every rule, and how many machines it matches.
    pub rules: Vec<RuleCountView>,
    /// Every budget; what was spent stands in the audit.
    #[serde(default)]
    pub budgets: Vec<BudgetRuleView>,
    /// What runs when, the default of the weekly report included.
    #[serde(default)]
    pub schedules: Vec<ScheduleView>,
    /// Who gets the weekly report: addresses, and names of channels; empty: nobody.
    #[serde(default)]
    pub report_to: Vec<String>,
    /// The configured accounts; with `--offline` none was asked.
    pub accounts: Vec<AccountView>,
    /// Every place that was, or was not, read; empty with `--offline`.
    pub scopes: Vec<ScopeView>,
    /// What stands against acting with `--enforce`, each with what to do; empty: nothing.
    #[serde(default)]
    pub obstacles: Vec<String>,
    /// What to look at.
    pub warnings: Vec<Warning>,
}

/// A rule, and what it finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleCountView {
    /// Its name.
    pub rule: String,
    /// What it asks for, in words.
    pub when: String,
    /// What it leaves out, in words.
    pub except: Option<String>,
    /// What it would have done.
    pub action: WantedAction,
    /// Machines of which it says yes; `null` when no provider was asked.
    pub yes: Option<usize>,
    /// Machines of which it cannot tell.
    pub unknown: Option<usize>,
    /// Machines that it was asked about.
    pub of: Option<usize>,
}

/// A budget as it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRuleView {
    /// Its name.
    pub budget: String,
    /// The limit per calendar month.
    pub limit: Money,
    /// What counts, in words.
    pub scope: String,
    /// The configured accounts whose spending can count; empty: nothing ever counts.
    pub accounts: Vec<AccountName>,
    /// Percentages of the limit that are alerted when spending reaches them, ascending.
    pub thresholds: Vec<String>,
    /// The same for the forecast of the month's end; empty: it is not alerted.
    pub forecast: Vec<String>,
    /// Who is alerted, the fallback included where it stands in.
    pub recipients: Vec<String>,
    /// What else happens at 100 % of the spending.
    pub on_limit: OnLimit,
}

/// A schedule as it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleView {
    /// What runs: `report`, `run` or `budget`. That of `report` also says when the weekly report is
    /// due in a run that was started otherwise.
    pub job: String,
    /// When: minute, hour, day of the month, month, weekday.
    pub cron: String,
    /// The zone whose clocks count.
    pub timezone: String,
    /// By how much `reaper schedule` may begin later.
    pub jitter: String,
    /// Whether the file does not say it.
    pub default: bool,
    /// The next three times, in that zone, without `jitter`.
    pub next: Vec<DateTime<FixedOffset>>,
}

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingView {
    /// Its path, such as `rule.ownerless.notice`.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Whether the file does not say it.
    pub default: bool,
}

/// One account as its provider sees the credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountView {
    /// Name in the configuration.
    pub name: AccountName,
    /// The cloud.
    pub provider: ProviderName,
    /// The pin.
    pub expect_account: Option<String>,
    /// Who the credentials are; `null` when not asked or not answered.
    pub provider_account: Option<ProviderAccount>,
    /// The login in words.
    pub login: Option<String>,
    /// What the audit is not allowed to read, in the provider's words.
    pub missing_permissions: Vec<String>,
    /// Evidence on its machines that could not be read.
    pub unread: Vec<String>,
}
