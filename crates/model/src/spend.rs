//! What is recorded of a machine's bill: what one look said, and what came of it day by day.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::ident::{AccountName, InstanceId, MachineType};
use crate::money::Money;
use crate::price::{Price, Unit};

/// What one look at a machine says of its bill. Recorded when it differs from the look before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Whether compute is billed.
    pub billed: Billed,
    /// The list price at that moment; `None`: unknown, never 0.
    pub price: Option<Noted>,
    /// Whether the money is spent already by a commitment that no list price tells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub committed: bool,
    /// Whether its state is one of which nobody knows whether it is billed; it is counted as billed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Whether its tags or its owner could not be read, and were not known from before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
    /// The account's name in the configuration.
    pub account: AccountName,
    /// Type as delivered.
    pub machine_type: MachineType,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose it is, each as written; empty: unallocated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<String>,
    /// The owner's team, where the directory names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

/// Whether compute is billed, and since when by the provider's own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Billed {
    /// Yes; since this start (UTC), if the provider tells it.
    Since(Option<DateTime<Utc>>),
    /// No; since this stop or end (UTC), if the provider tells it.
    NotSince(Option<DateTime<Utc>>),
}

/// A list price as it is noted: the amount and what it is per.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// The amount.
    pub money: Money,
    /// Per hour or per month.
    pub unit: Unit,
}

impl From<&Price> for Noted {
    fn from(price: &Price) -> Self {
        Self { money: price.money, unit: price.unit }
    }
}

/// What one machine has cost on one day, at one price and for one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The machine.
    pub id: InstanceId,
    /// The UTC day.
    pub day: NaiveDate,
    /// Billed hours, by the provider's rounding; 0 for a monthly plan.
    pub hours: Decimal,
    /// What they cost, exact, in the price list's currency; `None`: no price is known.
    pub money: Option<Money>,
    /// The price; `None`: unknown.
    pub price: Option<Noted>,
    /// Type as delivered.
    pub machine_type: MachineType,
    /// Its name.
    pub name: Option<String>,
    /// The account's name in the configuration.
    pub account: AccountName,
    /// Whose it was that day.
    pub owners: Vec<String>,
    /// Its tags that day.
    pub tags: BTreeMap<String, String>,
}
