//! The plan in the document: the brake over all actions that are due.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::money::Money;

/// What is planned over all machines. Which machine, how and why stands in its `action`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanView {
    /// The plan's digest, `sha256:…`.
    pub digest: String,
    /// When it was made.
    pub made_at: DateTime<FixedOffset>,
    /// From then on `apply` refuses it.
    pub expires_at: DateTime<FixedOffset>,
    /// How many actions are due.
    pub actions: u64,
    /// Of how many machines.
    pub machines: u64,
    /// What the machines to be acted on cost an hour, by currency.
    pub hourly: Vec<Money>,
    /// The bounds of the brake that are passed, in words; with one of them nothing at all is done.
    pub held: Vec<String>,
}
