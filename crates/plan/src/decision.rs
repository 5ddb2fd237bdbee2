//! What follows from a question.

use std::collections::BTreeMap;

use reaper_model::{About, Case, InstanceId, NoticeStep, Plan, Verb};

use crate::memory::RecentStop;
use crate::recipients::Instead;

/// The answer to one [`Question`](crate::Question).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decisions {
    /// One entry a machine.
    pub machines: BTreeMap<InstanceId, Decision>,
    /// Cases that differ from the remembered ones, by machine and rule.
    pub cases: Vec<CaseChange>,
    /// Notices to be sent now, by recipient and step.
    pub notices: Vec<DueNotice>,
    /// What an enforcing run does now: all of it or, where the brake holds, nothing.
    pub plan: Plan,
}

/// What was decided about one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The rule of [`Decision::case`].
    pub rule: Option<String>,
    /// Of its cases the one that is furthest.
    pub case: Option<Case>,
    /// What the plan holds for it.
    pub planned: Planned,
    /// Why, for people.
    pub why: String,
    /// An action that did not work and must not be repeated now: the run has failed to act.
    pub trouble: Option<String>,
    /// The stop after which this machine appeared under the same name.
    pub appeared_after: Option<RecentStop>,
}

/// What the plan holds for a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// It is stopped, unless the brake holds.
    Stop,
    /// It is terminated, unless the brake holds.
    Terminate,
    /// It is an orphan and only reported.
    Report,
    /// Nothing.
    None,
}

impl From<Verb> for Planned {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Stop => Self::Stop,
            Verb::Terminate => Self::Terminate,
        }
    }
}

/// A case that opened, moved on or was cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseChange {
    /// The machine.
    pub id: InstanceId,
    /// The rule.
    pub rule: String,
    /// The case as it is now; `None`: cleared, the next finding starts anew.
    pub case: Option<Case>,
}

/// One mail to one recipient. Recorded before it is sent; its answer afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueNotice {
    /// Stable while the same is due to the same recipient, so that a second copy is known as one.
    pub key: String,
    /// The recipient.
    pub to: String,
    /// What it is for.
    pub step: NoticeStep,
    /// What it tells of, sorted; never empty.
    pub topics: Vec<Topic>,
}

impl DueNotice {
    /// What it tells of, as it is recorded.
    pub fn about(&self) -> Vec<About> {
        self.topics.iter().map(|topic| topic.about.clone()).collect()
    }
}

/// One finding in a notice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Topic {
    /// The finding.
    pub about: About,
    /// Why the fallback is told of it; `None` for owners.
    pub instead: Option<Instead>,
}
