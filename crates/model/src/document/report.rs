//! What only the weekly report tells: its period, and what has changed in it.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::Verb;
use crate::ident::{AccountName, MachineType, ProviderName};
use crate::money::Money;

/// The weekly part of a document, which every other part of it shows as of now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportView {
    /// The due time that it answers; of several that have passed, the last.
    pub due_at: DateTime<FixedOffset>,
    /// The start of its period, exclusive: the end of the period of the report before.
    pub from: DateTime<FixedOffset>,
    /// The end of its period, inclusive: where the next report's period begins.
    pub until: DateTime<FixedOffset>,
    /// How many due times the period covers: more than 1 where reports were missed.
    pub covers: u32,
    /// Whether no report is known to have gone out before. What was there when it was first looked
    /// at is not new.
    pub first: bool,
    /// Machines that were first seen in the period, dearest first.
    pub new: Vec<ChangeView>,
    /// Machines that were no longer there at the end of it, dearest first.
    pub gone: Vec<ChangeView>,
    /// Machines that somebody's word keeps, the first to lapse first.
    pub kept: Vec<KeptView>,
    /// What was stopped or terminated by us in the period and confirmed, dearest first.
    pub stopped: Vec<StoppedView>,
    /// What these stops have saved up to the end of the period, by currency.
    pub saved: Vec<Money>,
    /// What everything has cost week by week, oldest first, at most eight; the last one ends with
    /// the period.
    pub trend: Vec<WeekView>,
}

/// A machine that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// Full id: provider/account/location/id.
    pub id: String,
    /// The cloud.
    pub provider: ProviderName,
    /// Name in the configuration; `null` where nothing was read of it.
    pub account: Option<AccountName>,
    /// Name at the provider.
    pub name: Option<String>,
    /// Type as delivered; `null` where nothing was read of it.
    pub machine_type: Option<MachineType>,
    /// Whose it is, as written; several joined with `, `.
    pub owner: Option<String>,
    /// When it was first seen, or first missed.
    pub at: DateTime<FixedOffset>,
    /// What it has cost in the period; `null` where that is not known.
    pub cost: Option<Money>,
}

/// A machine that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptView {
    /// Full id: provider/account/location/id.
    pub id: String,
    /// Name at the provider.
    pub name: Option<String>,
    /// Whose it is, as written.
    pub owner: Option<String>,
    /// When that lapses; `null`: it does not by itself, or only `why` tells it.
    pub until: Option<DateTime<FixedOffset>>,
    /// Why, and who says so: the reason of an exemption, the keep tag.
    pub why: String,
    /// Whether it was said in the period; `false` where that cannot be told.
    pub new: bool,
    /// What it costs in a further month; `null` where that is not known.
    pub per_month: Option<Money>,
}

/// A confirmed stop or termination of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoppedView {
    /// Full id: provider/account/location/id.
    pub id: String,
    /// The cloud.
    pub provider: ProviderName,
    /// Name in the configuration; `null` where nothing was read of it.
    pub account: Option<AccountName>,
    /// Name at the provider.
    pub name: Option<String>,
    /// Type as delivered; `null` where nothing was read of it.
    pub machine_type: Option<MachineType>,
    /// Whose it is, as written; several joined with `, `.
    pub owner: Option<String>,
    /// What was done.
    pub verb: Verb,
    /// On the ground of which rule; `null` where that is no longer known.
    pub rule: Option<String>,
    /// When it was confirmed.
    pub at: DateTime<FixedOffset>,
    /// When it was seen running again after that; `null`: it was not.
    pub running_again: Option<DateTime<FixedOffset>>,
    /// What that has saved up to the end of the period, or up to when it ran again: compute at the
    /// list price that held; `null` where no price is known.
    pub saved: Option<Money>,
}

/// What everything has cost in a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeekView {
    /// Its start, inclusive.
    pub from: DateTime<FixedOffset>,
    /// Its end, exclusive.
    pub until: DateTime<FixedOffset>,
    /// Sums by currency, estimated from what was seen.
    pub spent: Vec<Money>,
    /// Whether something is missing in the sums: machines without a price, or time before the first
    /// run.
    pub at_least: bool,
    /// Machines that have been billed in it.
    pub machines: usize,
}
