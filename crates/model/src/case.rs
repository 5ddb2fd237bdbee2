//! Cases: a finding on its way to an action. What the plan decides on and the ledger remembers.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ident::InstanceId;

/// A finding on its way to an action: one machine, one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// How far it is.
    pub phase: Phase,
    /// Since when the finding has held without a break (UTC).
    pub since: DateTime<Utc>,
    /// The key of the notice that counts for it: the last that was accepted.
    pub notice: Option<String>,
    /// When the notice period ends (UTC).
    pub due_at: Option<DateTime<Utc>>,
    /// Digest of the rule and the machine's tags: what has to change before a contested machine
    /// may be acted on again.
    pub ground: String,
    /// In words, for `history` and `explain`.
    pub why: String,
}

/// How far a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Found; nobody has been given notice of an action.
    New,
    /// A notice was accepted, and its period runs.
    Noticed,
    /// The notice period has ended.
    Due,
    /// Acted.
    Acted,
    /// Restarted after our action, again and again: left alone.
    Contested,
}

impl Phase {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Noticed => "noticed",
            Self::Due => "due",
            Self::Acted => "acted",
            Self::Contested => "contested",
        }
    }
}

/// What is done to a machine.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// The provider's stop that ends the compute bill and can be undone.
    Stop,
    /// The end of the machine and of the data inside it.
    Terminate,
}

impl Verb {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate => "terminate",
        }
    }

    /// As a past participle: what a mail says will be done.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Stop => "stopped",
            Self::Terminate => "terminated",
        }
    }
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActionResult {
    /// The provider shows a state in which the bill has ended.
    Confirmed,
    /// Called, and not seen to work.
    Unconfirmed,
    /// The provider said no; or a hook did, before anything was called; or a later run saw that the
    /// call had not worked.
    Refused,
    /// There was nothing left to stop.
    AlreadyGone,
    /// The machine had changed since the plan, so nothing was called. Follows no intent.
    SkippedChanged,
}

impl ActionResult {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Unconfirmed => "unconfirmed",
            Self::Refused => "refused",
            Self::AlreadyGone => "already-gone",
            Self::SkippedChanged => "skipped-changed",
        }
    }
}

/// What a machine looked like when it was acted on: enough to know a twin that appears afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Looks {
    /// Its name; `None` when it had none.
    pub name: Option<String>,
    /// Its type, letter for letter.
    pub machine_type: String,
    /// Its tags, as [`crate::fingerprint::tags`] writes them.
    pub tags: String,
}

/// What a notice is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeStep {
    /// Says what was found; promises nothing.
    Found,
    /// Says when the machine will be stopped or terminated: its notice period counts.
    Stop,
    /// Says that the machine was started again after our actions and is left alone from now on.
    Contested,
}

impl NoticeStep {
    /// The word in keys and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Stop => "stop",
            Self::Contested => "contested",
        }
    }
}

/// One finding that a notice tells of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The machine.
    #[serde(with = "crate::ident::parts")]
    pub id: InstanceId,
    /// The rule.
    pub rule: String,
    /// Since when that case is open (UTC): a finding that came back is another one.
    pub since: DateTime<Utc>,
    /// The time that was announced for the action (UTC), where one was.
    pub due_at: Option<DateTime<Utc>>,
    /// The action that was announced, where one was.
    pub verb: Option<Verb>,
    /// Whether it was announced that data on the machine's own disks is lost by it.
    pub data_loss: bool,
    /// The budgets of which it was announced that they end the period early when they are used up,
    /// each with its limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hasten: Vec<String>,
}

impl About {
    /// Whether who was told of this knows that as much as this may be done: the verb or a graver
    /// one and, where the action erases data, that it does.
    pub fn announces(&self, verb: Verb, data_loss: bool) -> bool {
        self.verb.is_some_and(|announced| announced >= verb) && (self.data_loss || !data_loss)
    }
}
