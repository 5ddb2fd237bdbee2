//! Leftovers and advice in the document: what nobody uses, and what would do for less.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::OwnerView;
use crate::asset::AssetKind;
use crate::ident::{AccountName, Location, ProviderName};
use crate::money::Money;

/// Something that costs money and that nobody uses. Reported, never acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftoverView {
    /// `provider/account/location/id`.
    pub id: String,
    /// The provider's id.
    pub native_id: String,
    /// What it is.
    pub kind: AssetKind,
    /// Its name; `null` when it has none.
    pub name: Option<String>,
    /// The cloud.
    pub provider: ProviderName,
    /// Name of the account in the configuration.
    pub account: AccountName,
    /// Region or zone.
    pub location: Location,
    /// Its size, GiB; `null` for addresses, or where the provider does not say.
    pub size_gib: Option<serde_json::Number>,
    /// Since when nobody uses it; `null` where the provider does not tell.
    pub unused_since: Option<DateTime<FixedOffset>>,
    /// Hours since then, or since it was made, one decimal; `null` when neither is known.
    pub age_hours: Option<String>,
    /// What `age_hours` counts from, or why it is null.
    pub age_why: Option<String>,
    /// Whose it is, by its tags.
    pub owner: OwnerView,
    /// What a month of it costs, in the report's currency where a rate is configured; `null` when
    /// the price is not known.
    pub per_month: Option<Money>,
    /// Why `per_month` is null.
    pub price_why: Option<String>,
    /// The machine or volume that it belonged to; `null` when nothing says so.
    pub of: Option<String>,
    /// Whether that machine was stopped by this tool.
    pub of_our_stop: bool,
}

/// What a piece of advice is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AdviceKind {
    /// A smaller type would do.
    Oversized,
    /// An exploratory notebook on a card for training.
    Notebook,
    /// Some accelerators of a machine with several do nothing.
    IdleCards,
    /// Another way to pay: monthly, reserved, spot.
    Commitment,
    /// The machine and its data are in different regions.
    Region,
    /// What the rest of the week costs if nobody switches it off.
    Hours,
}

impl AdviceKind {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Oversized => "oversized",
            Self::Notebook => "notebook",
            Self::IdleCards => "idle-cards",
            Self::Commitment => "commitment",
            Self::Region => "region",
            Self::Hours => "hours",
        }
    }
}

/// How sure a piece of advice is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Worth a thought.
    Low,
    /// Likely.
    Medium,
    /// Measured, with room to spare.
    High,
}

impl Confidence {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What would do for less. Advice never acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AdviceView {
    /// What it is about.
    pub kind: AdviceKind,
    /// The advice with its evidence, for people.
    pub text: String,
    /// What following it saves in a month, in the report's currency where a rate is configured;
    /// `null` where that cannot be told.
    pub saves_per_month: Option<Money>,
    /// How sure it is.
    pub confidence: Confidence,
}
