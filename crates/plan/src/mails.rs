//! What was told to whom, by case.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{About, InstanceId, NoticeStep, Verb};

use crate::memory::{How, Told};
use crate::question::Way;
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
}

/// What a notice says of one case, whatever the time: what makes a second notice the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said<'a> {
    pub(crate) case: CaseRef<'a>,
    /// The action that it announces.
    pub(crate) verb: Option<Verb>,
    /// Whether it announces that data is lost.
    pub(crate) data_loss: bool,
}

impl<'a> Said<'a> {
    pub(crate) fn of(about: &'a About) -> Self {
        Self { case: CaseRef::of(about), verb: about.verb, data_loss: about.data_loss }
    }

    /// As it is written into a notice that announces `due_at`, or an earlier end with a budget's.
    pub(crate) fn about(self, due_at: Option<DateTime<Utc>>, hasten: Vec<String>) -> About {
        let Self { case: CaseRef { id, rule, since }, verb, data_loss } = self;
        About { id: id.clone(), rule: rule.to_owned(), since, due_at, verb, data_loss, hasten }
    }
}

/// A notice that was accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepted<'a> {
    pub(crate) key: &'a str,
    pub(crate) step: NoticeStep,
    pub(crate) at: DateTime<Utc>,
    /// What it said of this case.
    pub(crate) about: &'a About,
}

impl Accepted<'_> {
    /// Whether it gave notice of an action like this one, or of a graver one.
    pub(crate) fn announces(&self, way: &Way) -> bool {
        self.step == NoticeStep::Stop && self.about.announces(way.verb, way.erases_disks)
    }
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
                Some(Accepted { key: &told.key, step: told.step, at, about })
            }
            _ => None,
        })
    }

    /// The announcements on this case that this recipient has accepted and that still stand: a later
    /// word that promises nothing takes back what was announced before it.
    pub(crate) fn standing(&self, case: CaseRef<'a>, to: &str) -> Vec<Accepted<'a>> {
        let word = |accepted: &Accepted<'_>| accepted.about.verb.is_none();
        let last_word = self.accepted(case, to).filter(word).map(|accepted| accepted.at).max();
        self.accepted(case, to)
            .filter(|accepted| !word(accepted))
            .filter(|accepted| last_word.is_none_or(|last| accepted.at >= last))
            .collect()
    }

    /// Folded addresses at which a notice on this case was refused for good.
    pub(crate) fn rejected(&self, case: CaseRef<'a>) -> BTreeSet<String> {
        self.of(case)
            .filter(|(told, _)| matches!(told.how, How::Rejected { permanent: true, .. }))
            .map(|(told, _)| folded(&told.to))
            .collect()
    }

    /// Notices to this recipient for this step.
    fn to(&self, to: &str, step: NoticeStep) -> impl Iterator<Item = &'a Told> {
        self.told.iter().filter(move |told| told.step == step && folded(&told.to) == to)
    }

    /// Those of them to which no answer is known: the recipient may have them.
    pub(crate) fn unanswered(&self, to: &str, step: NoticeStep) -> impl Iterator<Item = &'a Told> {
        self.to(to, step).filter(|told| matches!(told.how, How::Intended | How::PossiblySent(_)))
    }

    /// How many of them with exactly these topics were accepted.
    pub(crate) fn rounds(&self, to: &str, step: NoticeStep, topics: &BTreeSet<Said<'_>>) -> usize {
        self.to(to, step)
            .filter(|told| matches!(told.how, How::Accepted(_)))
            .filter(|told| told.about.iter().map(Said::of).collect::<BTreeSet<_>>() == *topics)
            .count()
    }
}
