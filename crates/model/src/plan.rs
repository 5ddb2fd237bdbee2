//! The plan: what would be done to which machine, on which evidence, until when. Written once,
//! carried out to the letter or not at all.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::Verb;
use crate::document::StillCharged;
use crate::fingerprint::Fingerprint;
use crate::ident::{AccountName, InstanceId};
use crate::money::Money;

/// Name and version of the plan's format.
pub const PLAN_SCHEMA: &str = "reaper.plan/1";

/// A plan. Its digest covers everything else in it, so that an edited plan is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Always `reaper.plan/1`.
    pub schema: String,
    /// Version of the program that made it.
    pub version: String,
    /// `sha256:…` over all other fields.
    pub digest: String,
    /// When it was made (UTC).
    pub made_at: DateTime<Utc>,
    /// From then on it is refused (UTC).
    pub expires_at: DateTime<Utc>,
    /// What it was made from.
    pub inputs: Inputs,
    /// What the brake says.
    pub brake: Brake,
    /// What is to be done, dearest first. Nothing else is ever done by this plan.
    pub steps: Vec<Step>,
}

/// What a plan was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// Digest of the configuration's bytes, `sha256:…`.
    pub config: String,
    /// The last record of the ledger that was read; `null` without one.
    pub ledger: Option<u64>,
    /// Digest over every machine seen and its fingerprint, `sha256:…`.
    pub inventory: String,
    /// How many machines that was, those that have ended not counted.
    pub machines: u64,
}

/// The mass-stop brake over a plan's steps. Over any bound nothing at all is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Brake {
    /// How many actions are due.
    pub actions: u64,
    /// Of how many machines.
    pub machines: u64,
    /// What they cost an hour, by currency.
    pub hourly: Vec<Money>,
    /// The number that `--expect` named.
    pub expect: Option<u64>,
    /// The bounds that are passed, in words; empty when none is, or when `--expect` names exactly
    /// this number of actions.
    pub held: Vec<String>,
}

impl Brake {
    /// Whether nothing may be done.
    pub const fn holds(&self) -> bool {
        !self.held.is_empty()
    }
}

/// One action on one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The machine.
    #[serde(with = "crate::ident::parts")]
    #[schemars(with = "[String; 4]")]
    pub id: InstanceId,
    /// The configured account through which it is reached.
    pub account: AccountName,
    /// Its name, for people.
    pub name: Option<String>,
    /// What is done.
    pub verb: Verb,
    /// The provider's call, such as `ec2:StopInstances`.
    pub call: String,
    /// The rule on whose ground.
    pub rule: String,
    /// Why: evidence and notice, one sentence each.
    pub reasons: Vec<String>,
    /// The key of the accepted notice, or the owner's tag that stands for it.
    pub notice: String,
    /// When that notice was accepted (UTC); with an owner's tag, since when the finding holds.
    pub noticed_at: DateTime<Utc>,
    /// When its period ended (UTC).
    pub due_at: DateTime<Utc>,
    /// The budgets that have ended it early, as its notice announced them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hastened_by: Vec<String>,
    /// What the machine looked like; whatever differs later drops the step.
    pub fingerprint: Fingerprint,
    /// Digest of the rule and the machine's tags.
    pub ground: String,
    /// What an hour of it costs, in the price list's currency.
    pub hourly: Option<Money>,
    /// What the brake counts an hour of it as: its price or, where that is not known, the most that
    /// it can be (a spot machine's on-demand price).
    pub value: Option<Money>,
    /// What the action saves in a month: compute only.
    pub saves_per_month: Option<Money>,
    /// What goes on being charged afterwards, as far as the listing shows it.
    pub still_charged: Vec<StillCharged>,
    /// What the action destroys or risks, for people.
    pub loses: Vec<String>,
}
