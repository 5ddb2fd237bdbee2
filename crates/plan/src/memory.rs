//! What earlier runs have left behind, as far as decisions rest on it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_model::{About, ActionResult, Case, InstanceId, Looks, NoticeStep, Verb};

/// Everything remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// Machines seen before.
    pub machines: BTreeMap<InstanceId, Remembered>,
    /// Notices, one entry a key.
    pub notices: Vec<Told>,
    /// Confirmed stops of the last 30 days, of machines that are gone too.
    pub stops: Vec<RecentStop>,
}

/// What is remembered of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// When a listing first showed it (UTC).
    pub first_seen: DateTime<Utc>,
    /// Its open cases by rule.
    pub cases: BTreeMap<String, Case>,
    /// Actions that have ended, oldest first.
    pub acts: Vec<PastAct>,
    /// When an action began whose result is not recorded (UTC).
    pub open_action: Option<DateTime<Utc>>,
}

/// An action that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastAct {
    /// What was done.
    pub verb: Verb,
    /// On which rule's ground.
    pub rule: String,
    /// When the result was known (UTC).
    pub at: DateTime<Utc>,
    /// The result.
    pub result: ActionResult,
    /// [`ground`](crate::ground::ground) of rule and tags at that time.
    pub ground: String,
}

/// A notice, sent or tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its key.
    pub key: String,
    /// Its recipient.
    pub to: String,
    /// What it was for.
    pub step: NoticeStep,
    /// The findings it told of.
    pub about: Vec<About>,
    /// What became of it.
    pub how: How,
}

/// What became of a notice. Only an acceptance counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// About to be sent; nothing is known of it since.
    Intended,
    /// The channel took it, then (UTC).
    Accepted(DateTime<Utc>),
    /// The channel refused it.
    Rejected {
        /// Whether it would refuse it again.
        permanent: bool,
        /// When (UTC).
        at: DateTime<Utc>,
    },
    /// The connection broke when it could have been taken already (UTC).
    PossiblySent(DateTime<Utc>),
}

/// A confirmed stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentStop {
    /// The machine that was stopped.
    pub id: InstanceId,
    /// When the call was made (UTC), not when it was seen to work: a controller may be quicker.
    pub at: DateTime<Utc>,
    /// What the machine looked like.
    pub looks: Looks,
}
