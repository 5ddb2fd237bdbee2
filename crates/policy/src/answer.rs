//! Answered conditions, with their evidence, and how several make one answer.

use chrono::{DateTime, Utc};
use reaper_model::document::{Answer, WantedAction};
use reaper_model::{Span, Unknown};

use crate::idle::Idleness;

/// What a machine is until a rule will say yes by the passing of time alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Waiting {
    /// Too young.
    InGrace,
    /// Wanted by its owner.
    NotExpired,
}

impl Waiting {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::InGrace => "in grace until",
            Self::NotExpired => "not expired before",
        }
    }
}

/// One answered condition, with the evidence.
#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) answer: Answer,
    /// What was seen, for people: `owner absent`, `up for 720.0 h (asked: 2h)`.
    pub(crate) text: String,
    /// Stable code of the ground, such as `owner-absent`; none for conditions that only select.
    pub(crate) reason: Option<String>,
    /// Since when it holds.
    pub(crate) since: Option<DateTime<Utc>>,
    /// A no that turns into a yes at this time by itself, and what it is until then.
    pub(crate) ripe_at: Option<(DateTime<Utc>, Waiting)>,
    /// What is missing when the answer is unknown.
    pub(crate) gap: Option<Unknown>,
    /// The strongest action that this evidence carries.
    pub(crate) strongest: WantedAction,
    /// The use of the accelerators, where that was asked.
    pub(crate) idleness: Option<Idleness>,
}

impl Clause {
    pub(crate) fn new(answer: impl Into<Answer>, text: impl Into<String>) -> Self {
        Self {
            answer: answer.into(),
            text: text.into(),
            reason: None,
            since: None,
            ripe_at: None,
            gap: None,
            strongest: WantedAction::Terminate,
            idleness: None,
        }
    }

    pub(crate) fn unknown(text: impl Into<String>, gap: Unknown) -> Self {
        Self { gap: Some(gap), ..Self::new(Answer::Unknown, text) }
    }

    #[must_use]
    pub(crate) fn ground(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    #[must_use]
    pub(crate) fn since(mut self, time: DateTime<Utc>) -> Self {
        self.since = Some(time);
        self
    }
}

/// All must hold: a no decides, else an unknown, else yes. Nothing asked is yes.
pub(crate) fn all(clauses: &[Clause]) -> Answer {
    clauses.iter().map(|clause| clause.answer).min().unwrap_or(Answer::Yes)
}

/// An age without needless digits: whole hours from a day on, whole minutes below.
pub(crate) fn rough(age: Span) -> Span {
    let grain = if age.as_secs() >= 86_400 { 3_600 } else { 60 };
    Span::from_secs(age.as_secs() / grain * grain)
}
