//! How rules answered, and what `reaper explain` prints in JSON mode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::MachineView;

/// Name and version of the format.
pub const EXPLAIN_SCHEMA: &str = "reaper.explain/1";

/// A three-valued answer. Missing evidence is `Unknown`, and nothing turns it into a yes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It does not hold.
    No,
    /// The evidence is missing.
    Unknown,
    /// It holds.
    Yes,
}

impl Answer {
    /// The word for people and programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Unknown => "unknown",
            Self::Yes => "yes",
        }
    }
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

impl std::ops::Not for Answer {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Yes => Self::No,
        }
    }
}

/// How one rule judged the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleView {
    /// The rule's name.
    pub rule: String,
    /// What it says.
    pub answer: Answer,
    /// The evidence.
    pub explanation: String,
}

/// Everything known of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainDocument {
    /// Always `reaper.explain/1`.
    pub schema: String,
    /// The machine, as in the audit document.
    pub machine: MachineView,
    /// How each rule judged it, in the order of the configuration.
    pub rules: Vec<RuleView>,
}
