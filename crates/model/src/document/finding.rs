//! Findings, verdicts and actions in the document.

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::{ActionResult, Phase};
use crate::money::Money;

/// A rule that said yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule's name.
    pub rule: String,
    /// Stable code for programs, such as `owner-absent`.
    pub reason: String,
    /// Since when it holds, where that is known.
    pub since: Option<DateTime<FixedOffset>>,
    /// The evidence, for people.
    pub explanation: String,
}

/// The verdict over all rules.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No rule says yes.
    Ok,
    /// A rule says yes and nothing speaks against it.
    Orphan,
    /// A rule says yes; a dated exemption beats it.
    Exempt,
    /// A rule says yes; the keep tag, a protected type or the provider's own protection beats it.
    Protected,
    /// A controller owns the machine: reported with its name, never stopped singly.
    Managed,
    /// No rule says yes and at least one could not be answered.
    Unjudged,
}

impl Verdict {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Orphan => "orphan",
            Self::Exempt => "exempt",
            Self::Protected => "protected",
            Self::Managed => "managed",
            Self::Unjudged => "unjudged",
        }
    }
}

/// What the rules ask for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WantedAction {
    /// Say it.
    Report,
    /// End the compute bill so that the machine can come back.
    Stop,
    /// End the machine.
    Terminate,
}

impl WantedAction {
    /// The word in JSON, configuration and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Stop => "stop",
            Self::Terminate => "terminate",
        }
    }
}

/// What would be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlannedAction {
    /// The provider's stop that ends the compute bill and can be undone.
    Stop,
    /// The end of the machine and of the data inside it.
    Terminate,
    /// It is only reported.
    Report,
    /// Nothing.
    None,
}

/// What should, and what would be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionView {
    /// The strongest action of the rules that said yes; `null` when none did.
    pub wanted: Option<WantedAction>,
    /// What this run plans.
    pub planned: PlannedAction,
    /// The provider's call, such as `ec2:StopInstances`, where one is planned.
    #[serde(default)]
    pub call: Option<String>,
    /// Why, for people.
    pub why: Option<String>,
    /// How it ended; `null` when nothing was tried.
    #[serde(default)]
    pub result: Option<ActionResult>,
    /// Why it ended so, for people.
    #[serde(default)]
    pub result_why: Option<String>,
    /// What a stop would save in a month: compute only, 0 for prepaid machines; `null` without a
    /// price.
    pub saves_per_month: Option<Money>,
    /// What goes on being charged after a stop, as far as the listing shows it.
    pub still_charged: Vec<StillCharged>,
    /// What a stop would destroy or risk, for people.
    pub loses: Vec<String>,
}

/// Something that goes on being charged after a stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StillCharged {
    /// `volume`, `address`, …
    pub kind: String,
    /// The provider's id.
    pub id: String,
    /// Price per month; `null` when not known.
    pub per_month: Option<Money>,
}

/// How far a finding is on its way to an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseView {
    /// How far.
    pub state: Phase,
    /// The rule whose case is furthest.
    pub rule: String,
    /// Since when the finding has held without a break.
    pub since: DateTime<FixedOffset>,
    /// When the notice was accepted that counts; `null` before.
    pub notice_at: Option<DateTime<FixedOffset>>,
    /// When its period ends; `null` before it is known.
    pub due_at: Option<DateTime<FixedOffset>>,
}
