//! Sums in the document: a list by currency, never one number over two currencies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::money::Money;

/// Sums over all machines of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TotalsView {
    /// Accelerated machines, those that have ended not counted.
    pub instances: usize,
    /// Accelerators, fractions rounded up at the end.
    pub gpus: u64,
    /// Machines that look off and are billed at the full rate, orphans or not.
    pub stopped_but_billed: usize,
    /// Machines with verdict `orphan`.
    pub orphans: usize,
    /// Money per hour of all billed machines.
    pub hourly: Vec<Money>,
    /// What the orphans have cost since their last start; prepaid machines count nothing.
    pub waste_to_date: Vec<Money>,
    /// What the orphans burn in a further month that a stop would save: prepaid machines, which
    /// cost the same either way, count nothing.
    pub waste_per_month: Vec<Money>,
    /// Billed machines without a price: all sums are "at least".
    pub unpriced: usize,
    /// Machines that could not be judged.
    pub unjudged: usize,
    /// Machines that ended lately and are still listed by the provider.
    pub ended: usize,
    /// Running machines whose accelerators could not be measured, where measuring was asked for.
    #[serde(default)]
    pub unmeasured: usize,
    /// What costs money beside machines and is used by nobody.
    #[serde(default)]
    pub leftovers: usize,
    /// What those cost in a month, as far as their prices are known.
    #[serde(default)]
    pub leftovers_per_month: Vec<Money>,
    /// Of those, how many have no price: the sum is "at least".
    #[serde(default)]
    pub leftovers_unpriced: usize,
}
