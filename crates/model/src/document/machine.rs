//! One machine in the document.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::{ActionView, CaseView, Finding, Verdict};
use super::leftover::AdviceView;
use crate::ident::{AccountName, Location, MachineType, ProviderName};
use crate::instance::State;
use crate::money::Money;
use crate::price::PriceSource;

/// Whether compute is billed in the present state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Billing {
    /// Yes.
    Billed,
    /// No; what is attached may still be.
    NotBilled,
    /// The state is not known to this version; counted as billed.
    Unknown,
}

/// One accelerated machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineView {
    /// `provider/account/location/id`.
    pub id: String,
    /// The provider's id.
    pub native_id: String,
    /// The cloud.
    pub provider: ProviderName,
    /// Name of the account in the configuration.
    pub account: AccountName,
    /// Region or zone.
    pub location: Location,
    /// Its name; `null` when it has none.
    pub name: Option<String>,
    /// State in our words.
    pub state: State,
    /// State as delivered.
    pub provider_state: String,
    /// Whether compute is billed now.
    pub billing: Billing,
    /// True where a machine looks off and is billed all the same.
    pub stopped_but_billed: bool,
    /// Type as delivered.
    pub machine_type: MachineType,
    /// Accelerators; `null` when the type could not be described.
    pub gpu: Option<GpuView>,
    /// Why `gpu` is null.
    pub gpu_why: Option<String>,
    /// How it is paid for.
    pub purchase: PurchaseView,
    /// First launch.
    pub created_at: Option<DateTime<FixedOffset>>,
    /// Last start.
    pub running_since: Option<DateTime<FixedOffset>>,
    /// First sight by this tool; `null` without a state.
    pub first_seen: Option<DateTime<FixedOffset>>,
    /// Hours since the last start (or first launch), one decimal; `null` when unknown.
    pub age_hours: Option<String>,
    /// Why `age_hours` is null, or what it counts from.
    pub age_why: Option<String>,
    /// Tags by key. Bare words have the empty value.
    pub tags: BTreeMap<String, String>,
    /// Tags as delivered, one text each.
    pub raw_tags: Vec<String>,
    /// Whether the tags could be read.
    pub tags_read: bool,
    /// Why not.
    pub tags_why: Option<String>,
    /// Whose it is.
    pub owner: OwnerView,
    /// The controller that owns its life.
    pub managed_by: Option<String>,
    /// Why it cannot be told whether one does.
    pub managed_by_why: Option<String>,
    /// What protects it; `null` when nothing does.
    pub protected: Option<String>,
    /// The provider's own protections, as far as they were read.
    pub guards: Vec<String>,
    /// List price; `null` when unknown.
    pub price: Option<PriceView>,
    /// Why `price` is null.
    pub price_why: Option<String>,
    /// What it has cost and will cost; `null` when it is not billed or the price is unknown.
    pub cost: Option<CostView>,
    /// Use of its accelerators.
    pub utilisation: UtilisationView,
    /// Rules that said yes.
    pub findings: Vec<Finding>,
    /// The verdict over all rules.
    pub verdict: Verdict,
    /// Why this verdict, for people.
    pub why: String,
    /// What would do for less; never acted upon.
    #[serde(default)]
    pub advice: Vec<AdviceView>,
    /// How far its finding is on the way to an action; `null` without a state or an open case.
    #[serde(default)]
    pub case: Option<CaseView>,
    /// What should, and what would be done.
    pub action: ActionView,
}

/// Accelerators of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GpuView {
    /// Model.
    pub model: String,
    /// How many; fractions for partitions.
    pub count: serde_json::Number,
    /// Memory of all together, GiB.
    pub memory_gib: Option<serde_json::Number>,
}

/// How a machine is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PurchaseView {
    /// By the time it runs.
    OnDemand,
    /// Spare capacity.
    Spot,
    /// Reserved and paid, running or not.
    Reserved,
    /// Monthly plan.
    Monthly,
    /// A word that this version does not know.
    Unknown,
}

/// What is known about the owner.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum OwnerStatus {
    /// Named, and not contradicted by the directory.
    Known,
    /// The tags were read and no owner key is there.
    Absent,
    /// An owner key is there, its value is blank or a listed placeholder.
    Empty,
    /// Named, but the directory does not list that name.
    Unknown,
    /// The directory says that this person has left.
    Departed,
    /// Two spellings of a key name different people.
    Conflicting,
    /// The tags could not be read, or the provider has none. Never a ground to act.
    Unreadable,
}

impl OwnerStatus {
    /// The word in JSON, configuration and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Absent => "absent",
            Self::Empty => "empty",
            Self::Unknown => "unknown",
            Self::Departed => "departed",
            Self::Conflicting => "conflicting",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Whose a machine is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerView {
    /// How sure that is.
    pub status: OwnerStatus,
    /// The owner as written; several are joined with `, `.
    pub id: Option<String>,
    /// Addresses, joined with `, `; `null` when none can be made.
    pub email: Option<String>,
    /// Team, where the directory says it.
    pub team: Option<String>,
    /// Which tag or file said so.
    pub source: Option<String>,
    /// More, for people: the contradiction, the placeholder, the reading error.
    pub why: Option<String>,
}

/// The list price in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PriceView {
    /// Money per hour, in the price list's currency.
    pub hourly: Money,
    /// Money per month, for monthly plans.
    pub monthly: Option<Money>,
    /// Who says so.
    pub source: PriceSource,
    /// The day on which it was said.
    pub as_of: NaiveDate,
}

/// What the cost figures stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CostBasis {
    /// List price times hours.
    Estimate,
}

/// What a machine has cost and will cost, in the report's currency where a rate is configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostView {
    /// Since the last start; `null` when that time is unknown (see `age_why`).
    pub since_start: Option<Money>,
    /// Since the start of the month in the report's time zone, present run only; `null` likewise.
    pub month_to_date: Option<Money>,
    /// A further month in the present state.
    pub per_month_if_left: Money,
    /// What the figures stand on.
    pub basis: CostBasis,
}

/// Whether the accelerators work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleVerdict {
    /// Measured and idle.
    Idle,
    /// Measured and busy.
    Busy,
    /// Not measured in full.
    Unknown,
}

/// Why an accelerator idles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// No process, no memory in use.
    Empty,
    /// Memory resident, no work.
    Held,
    /// Waiting for CPU or IO.
    Starved,
}

/// Use of the accelerators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UtilisationView {
    /// The verdict.
    pub verdict: IdleVerdict,
    /// Why it idles.
    pub cause: Option<Cause>,
    /// Highest value in the window, with `%`.
    pub gpu_peak: Option<String>,
    /// Share of the window with samples, with `%`.
    pub coverage: Option<String>,
    /// Who measured.
    pub source: Option<String>,
    /// Why it is unknown.
    pub why: Option<String>,
    /// The evidence in one sentence, for people; `null` when nothing was measured.
    #[serde(default)]
    pub summary: Option<String>,
    /// The time looked at, such as `6h`; `null` when nothing was asked.
    #[serde(default)]
    pub window: Option<String>,
    /// Accelerators that stayed below the threshold, of those that the type has: `7 of 8`.
    #[serde(default)]
    pub idle_gpus: Option<String>,
}
