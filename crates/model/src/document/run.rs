//! The document's frame: run, period, configuration, scopes, warnings.

use chrono::{DateTime, FixedOffset, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget::{BillView, BudgetView, SpendView};
use super::leftover::LeftoverView;
use super::machine::MachineView;
use super::mail::MailView;
use super::plan::PlanView;
use super::report::ReportView;
use super::totals::TotalsView;
use crate::ident::{AccountName, Location, ProviderAccount, ProviderName};
use crate::money::Currency;
use crate::outcome::Outcome;

/// Name and version of the document format.
pub const SCHEMA: &str = "reaper.audit/1";

/// Which command made the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// `reaper audit`: nothing is written anywhere.
    Audit,
    /// `reaper plan`, or `reaper run --dry-run`: what would be done; nothing is written anywhere.
    Plan,
    /// `reaper run`: recorded, mailed and, where it enforces, acted.
    Run,
    /// `reaper apply`: a plan carried out.
    Apply,
}

/// Everything that one run found, judged and says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditDocument {
    /// Always `reaper.audit/1`.
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// Names this run: equal inputs at an equal `now` give an equal id.
    pub run_id: String,
    /// The command.
    pub mode: Mode,
    /// The clock of the run, in the report's time zone.
    pub now: DateTime<FixedOffset>,
    /// The budget month that `month_to_date` counts.
    pub period: PeriodView,
    /// The configuration in use.
    pub config: ConfigView,
    /// How the run ended.
    pub outcome: Outcome,
    /// Every place that was, or was not, read.
    pub scopes: Vec<ScopeView>,
    /// Every accelerated machine that was seen, dearest waste first.
    pub instances: Vec<MachineView>,
    /// What costs money beside machines and is used by nobody, dearest first.
    #[serde(default)]
    pub leftovers: Vec<LeftoverView>,
    /// What is planned over all machines; `null` for an audit.
    #[serde(default)]
    pub plan: Option<PlanView>,
    /// Mails that were due, and what became of them.
    #[serde(default)]
    pub mails: Vec<MailView>,
    /// Whether this run could act: `--enforce` without anything safer beside it, or `apply`.
    #[serde(default)]
    pub enforces: bool,
    /// Whether a signal ended the run before everything was done.
    #[serde(default)]
    pub interrupted: bool,
    /// The end of the last run that read every scope; `null` without a state, or without such a
    /// run.
    #[serde(default)]
    pub last_complete_run: Option<DateTime<FixedOffset>>,
    /// Budgets in their present month.
    #[serde(default)]
    pub budgets: Vec<BudgetView>,
    /// What has been spent since the start of the month by owner, dearest first; what nobody answers
    /// for is a row of its own.
    #[serde(default)]
    pub spend: Vec<SpendView>,
    /// What the providers have billed, beside what was estimated for the same time.
    #[serde(default)]
    pub bills: Vec<BillView>,
    /// The weekly report's own part; `null` in a document of which none is due.
    #[serde(default)]
    pub report: Option<ReportView>,
    /// Sums.
    pub totals: TotalsView,
    /// Exchange rates that were used.
    pub rates: Vec<RateView>,
    /// What a reader should know besides.
    pub warnings: Vec<Warning>,
}

/// A span of time in a named zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodView {
    /// Start, inclusive.
    pub from: DateTime<FixedOffset>,
    /// End, exclusive: the clock of the run.
    pub to: DateTime<FixedOffset>,
    /// IANA name of the zone whose months are counted.
    pub timezone: String,
}

/// The configuration file in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigView {
    /// Where it was read; `null` for the built-in demo.
    pub path: Option<String>,
    /// Digest of its bytes, `sha256:…`.
    pub digest: String,
}

/// How much of a scope was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScopeStatus {
    /// To the end.
    Complete,
    /// Broken off; what is missing is not gone.
    Partial,
    /// Not at all.
    Failed,
    /// On purpose: not enabled at the provider, or not asked for.
    Skipped,
}

/// One place that was, or was not, read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeView {
    /// Name in the configuration.
    pub account: AccountName,
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's account; `null` when the login failed.
    pub provider_account: Option<ProviderAccount>,
    /// Region or zone; `null` when not even the list of them could be read.
    pub location: Option<Location>,
    /// How much was read.
    pub status: ScopeStatus,
    /// Why not more, and what to do.
    pub why: Option<String>,
    /// Accelerated machines seen.
    pub instances: usize,
    /// Requests sent for this scope, retries included.
    pub requests: u32,
    /// Wall time.
    pub seconds: f64,
}

/// A dated exchange rate that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateView {
    /// The foreign currency.
    pub from: Currency,
    /// The report's currency.
    pub to: Currency,
    /// Units of `to` per unit of `from`, decimal as text.
    pub rate: String,
    /// The day of the rate.
    pub as_of: NaiveDate,
}

/// Something a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Stable code for programs, such as `price-unknown`.
    pub code: String,
    /// Sentence for people.
    pub text: String,
    /// What it is about: an instance id, account, type or configuration key.
    pub subject: Option<String>,
}
