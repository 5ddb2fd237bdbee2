//! How much was read: what a document that finds nothing rests on, counted once for all formats.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, TimeDelta};
use reaper_model::document::{AuditDocument, ScopeStatus};

/// What was to be read and what was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Places that were to be read.
    pub wanted: usize,
    /// Of them, those that were not read to the end.
    pub unread: usize,
    /// Of these, those that gave nothing at all.
    failed: usize,
    /// Clouds with such places.
    pub providers: usize,
    /// Of them, those of which everything was read.
    pub whole_providers: usize,
}

impl Coverage {
    /// Places that are left out on purpose do not count.
    pub fn of(doc: &AuditDocument) -> Self {
        let wanted = || doc.scopes.iter().filter(|scope| scope.status != ScopeStatus::Skipped);
        let mut whole: BTreeMap<&str, bool> = BTreeMap::new();
        for scope in wanted() {
            *whole.entry(scope.provider.as_str()).or_insert(true) &= !is_unread(scope.status);
        }
        Self {
            wanted: wanted().count(),
            unread: wanted().filter(|scope| is_unread(scope.status)).count(),
            failed: wanted().filter(|scope| scope.status == ScopeStatus::Failed).count(),
            providers: whole.len(),
            whole_providers: whole.values().filter(|whole| **whole).count(),
        }
    }

    /// Whether machines may be missing that should have been seen.
    pub const fn is_partial(&self) -> bool {
        self.unread > 0
    }

    /// Whether not a single place gave anything.
    pub const fn is_blind(&self) -> bool {
        self.wanted > 0 && self.failed == self.wanted
    }
}

/// Whether machines may be missing that should have been seen there.
pub const fn is_unread(status: ScopeStatus) -> bool {
    matches!(status, ScopeStatus::Partial | ScopeStatus::Failed)
}

/// A weekly schedule, and a day for a late start: silence beyond that is no schedule any more.
const STALE_AFTER: TimeDelta = TimeDelta::days(8);

/// A long time in which nobody has looked at everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// `the last complete run was 12 days ago`.
    pub title: String,
    /// When that was, what that may mean, and what it does to the figures.
    pub line: String,
}

/// The gap before the run of a document, whenever it is read; times as the caller writes them.
pub fn gap(doc: &AuditDocument, when: impl Fn(DateTime<FixedOffset>) -> String) -> Option<Gap> {
    let last = doc.last_complete_run?;
    let gap = doc.now - last;
    (gap > STALE_AFTER).then(|| Gap {
        title: format!("the last complete run was {} days ago", gap.num_days()),
        line: format!(
            "{}: is the schedule still alive? Costs count from launch times, the gap included.",
            when(last)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn what_is_left_out_on_purpose_was_not_to_be_read() {
        let coverage = Coverage::of(&fixture::mixed());
        assert_eq!((coverage.wanted, coverage.unread), (6, 3));
        assert_eq!((coverage.providers, coverage.whole_providers), (4, 1));
        assert!(coverage.is_partial() && !coverage.is_blind());
    }

    #[test]
    fn partial_is_loud_blind_is_whoever_saw_nothing() {
        let mut doc = fixture::nothing_found();
        assert!(!Coverage::of(&doc).is_partial());
        for scope in &mut doc.scopes {
            scope.status = ScopeStatus::Failed;
        }
        assert!(Coverage::of(&doc).is_blind());
        doc.scopes[0].status = ScopeStatus::Partial;
        assert!(!Coverage::of(&doc).is_blind());
        doc.scopes.clear();
        assert!(!Coverage::of(&doc).is_blind() && !Coverage::of(&doc).is_partial());
    }
}
