//! What was told to whom, by case.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{About, InstanceId, NoticeStep};

use crate::memory::{How, Told};
use crate::recipients::folded;

/// One case in its present run of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaseRef<'a> {
    pub(crate) id: &'a InstanceId,
    pub(crate) rule: &'a str,
    pub(crate) since: DateTime<Utc>,
}

impl<'a> CaseRef<'a> {
    fn of(about: &'a About) -> Self {
        Self { id: &about.id, rule: &about.rule, since: about.since }
    }

    /// As it is written into a notice that announces `due_at`.
    pub(crate) fn about(self, due_at: Option<DateTime<Utc>>) -> About {
        About { id: self.id.clone(), rule: self.rule.to_owned(), since: self.since, due_at }
    }
}

/// A notice that was accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepted<'a> {
    pub(crate) key: &'a str,
    pub(crate) step: NoticeStep,
    pub(crate) at: DateTime<Utc>,
    /// The time that it announced for this case.
    pub(crate) announced: Option<DateTime<Utc>>,
}

/// Everything told, found by case.
pub(crate) struct Mails<'a> {
    by_case: BTreeMap<CaseRef<'a>, Vec<(&'a Told, &'a About)>>,
    told: &'a [Told],
}

impl<'a> Mails<'a> {
    pub(crate) fn new(told: &'a [Told]) -> Self {
        let mut by_case: BTreeMap<CaseRef<'a>, Vec<(&'a Told, &'a About)>> = BTreeMap::new();
        for entry in told {
            for about in &entry.about {
                by_case.entry(CaseRef::of(about)).or_default().push((entry, about));
            }
        }
        Self { by_case, told }
    }

    fn of(&self, case: CaseRef<'a>) -> impl Iterator<Item = &(&'a Told, &'a About)> {
        self.by_case.get(&case).into_iter().flatten()
    }

    /// The notices on this case that were accepted for this recipient.
    pub(crate) fn accepted(
        &self,
        case: CaseRef<'a>,
        to: &str,
    ) -> impl Iterator<Item = Accepted<'a>> {
        let to = folded(to);
        self.of(case).filter_map(move |(told, about)| match told.how {
            How::Accepted(at) if folded(&told.to) == to => {
                Some(Accepted { key: &told.key, step: told.step, at, announced: about.due_at })
            }
            _ => None,
        })
    }

    /// Folded addresses at which a notice on this case was refused for good.
    pub(crate) fn rejected(&self, case: CaseRef<'a>) -> BTreeSet<String> {
        self.of(case)
            .filter(|(told, _)| matches!(told.how, How::Rejected { permanent: true, .. }))
            .map(|(told, _)| folded(&told.to))
            .collect()
    }

    /// How many notices with exactly these topics this recipient has accepted for this step.
    pub(crate) fn rounds(
        &self,
        to: &str,
        step: NoticeStep,
        about: &BTreeSet<CaseRef<'_>>,
    ) -> usize {
        self.told
            .iter()
            .filter(|told| told.step == step && matches!(told.how, How::Accepted(_)))
            .filter(|told| folded(&told.to) == to)
            .filter(|told| told.about.iter().map(CaseRef::of).collect::<BTreeSet<_>>() == *about)
            .count()
    }
}
