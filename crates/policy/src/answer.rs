//! Three-valued answers. Missing evidence is `Unknown`, and nothing turns it into a yes.

use chrono::{DateTime, Utc};
use reaper_model::Unknown;

/// The answer to one question about one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// A no that turns into a yes at this time by itself.
    pub(crate) ripe_at: Option<DateTime<Utc>>,
    /// What is missing when the answer is unknown.
    pub(crate) gap: Option<Unknown>,
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
