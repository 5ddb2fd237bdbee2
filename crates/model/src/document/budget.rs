//! Budgets, spending by owner, and bills in the document.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::OnLimit;
use crate::ident::{AccountName, ProviderName};
use crate::money::Money;

/// What the sum of a budget stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// List price times billed time of the machines that were seen.
    Estimate,
    /// What the providers have billed.
    Billed,
    /// Some of each: an account's bill was higher than what was seen of it.
    Mixed,
}

impl Basis {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Billed => "billed",
            Self::Mixed => "mixed",
        }
    }
}

/// How a budget stands. Never `ok` where something is missing in the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BudgetStatus {
    /// Everything counted, no threshold reached.
    Ok,
    /// A threshold is reached.
    Warn,
    /// More is spent than the limit.
    Over,
    /// The forecast reaches one of its thresholds, the spending none.
    ForecastOver,
    /// No threshold is reached by what is known, and something is missing.
    Incomplete,
}

impl BudgetStatus {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Over => "over",
            Self::ForecastOver => "forecast-over",
            Self::Incomplete => "incomplete",
        }
    }
}

/// What became of a budget's alert in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlertStatus {
    /// Nothing new was to be told.
    None,
    /// It was not accepted yet for at least one recipient.
    Due,
    /// All recipients' servers took it.
    Sent,
    /// The connection broke when it could have been taken already.
    PossiblySent,
}

impl AlertStatus {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Due => "due",
            Self::Sent => "sent",
            Self::PossiblySent => "possibly-sent",
        }
    }
}

/// One budget in its present calendar month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetView {
    /// Its name.
    pub name: String,
    /// The month, such as `2026-11`, in the document's time zone.
    pub period: String,
    /// First instant of the month.
    pub from: DateTime<FixedOffset>,
    /// First instant of the next.
    pub until: DateTime<FixedOffset>,
    /// The limit.
    pub limit: Money,
    /// What is spent since the start of the month, in the limit's currency.
    pub spent: Money,
    /// What the sum stands on.
    pub basis: Basis,
    /// Whether something is missing in the sum, so that it is a lower bound.
    pub at_least: bool,
    /// What is missing, or else should be known, for people.
    pub why: Vec<String>,
    /// `spent` in percent of the limit, one decimal, cut off and never rounded up.
    pub percent: String,
    /// How it stands.
    pub status: BudgetStatus,
    /// What the month will have cost if nothing changes; `null` before enough of it has passed.
    pub forecast: Option<Money>,
    /// The same if the proposed stops happen when they are due.
    pub forecast_if_stopped: Option<Money>,
    /// The spending so far carried on evenly, beside it; `null` before enough has passed.
    pub run_rate: Option<Money>,
    /// Why there is no forecast.
    pub forecast_why: Option<String>,
    /// Thresholds that are alerted when the spending reaches them, such as `80%`, ascending.
    pub thresholds: Vec<String>,
    /// Thresholds that the spending has reached, ascending.
    pub reached: Vec<String>,
    /// Thresholds that the forecast has reached, ascending.
    pub forecast_reached: Vec<String>,
    /// Of both, those that nobody was told of before this run; forecasts with `forecast ` before
    /// them.
    pub new: Vec<String>,
    /// What became of the alert.
    pub alert: AlertStatus,
    /// What the rates of today would make of the sum; `null` where they are those it is counted at.
    pub at_todays_rates: Option<Money>,
    /// What else happens at 100 %.
    pub on_limit: OnLimit,
}

/// What one owner's machines have cost since the start of the month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpendView {
    /// The owner as written; `null` is the row of what nobody answers for.
    pub owner: Option<String>,
    /// Sums by currency.
    pub spent: Vec<Money>,
    /// Machines that have been billed.
    pub machines: usize,
    /// Of them, those without a price: the sums are "at least".
    pub unpriced: usize,
}

/// How a bill could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BillStatus {
    /// In full.
    Read,
    /// It could not be read; nothing is concluded.
    Failed,
}

/// What a provider has billed for one account beside what was estimated for the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BillView {
    /// The account's name in the configuration.
    pub account: AccountName,
    /// The cloud.
    pub provider: ProviderName,
    /// Whether it could be read.
    pub status: BillStatus,
    /// Why not, and what else should be known.
    pub why: Option<String>,
    /// From when, inclusive: the start of the provider's month, which is one of UTC.
    pub from: Option<DateTime<FixedOffset>>,
    /// Until when the data reaches, exclusive.
    pub until: Option<DateTime<FixedOffset>>,
    /// Hours between the end of the data and the clock of the run, one decimal.
    pub age_hours: Option<String>,
    /// What accelerated machines were billed, without tax, by currency.
    pub billed: Vec<Money>,
    /// What everything else in the account was billed: disks, addresses, other machines.
    pub other: Vec<Money>,
    /// What was estimated for accelerated machines over the same time.
    pub estimated: Vec<Money>,
    /// `billed` minus `estimated`.
    pub difference: Vec<Money>,
    /// The difference in percent of what was billed, one decimal; `null` over several currencies
    /// and where nothing was billed.
    pub difference_percent: Option<String>,
}
