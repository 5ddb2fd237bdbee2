//! The cases of one orphan: since when each finding holds, whose notice counts, how far it is.

use chrono::{DateTime, Utc};
use reaper_model::document::{Answer, OwnerStatus, WantedAction};
use reaper_model::{Case, Instance, Phase, Span, StopKind, Verb};
use reaper_policy::{OwnRule, RuleAnswer, RuleSpec};

use crate::ground::{ground, same_rule};
use crate::mails::{Accepted, CaseRef, Mails};
use crate::memory::Remembered;
use crate::question::{Candidate, Question, Way};
use crate::recipients::{self, Recipient};
use crate::time::{after, stamp};

/// A rule that says yes on an orphan, with its case as it is now.
pub(crate) struct Standing<'a> {
    pub(crate) rule: &'a RuleSpec,
    pub(crate) answer: &'a RuleAnswer,
    /// What stands for a notice where the owner has set the rule: `tag idle-stop="2h"`.
    pub(crate) consent: Option<&'a str>,
    pub(crate) case: Case,
    /// Who has to be told today.
    pub(crate) recipients: Vec<Recipient>,
    /// What the rule's action comes to, or why the finding is only reported.
    pub(crate) way: Result<&'a Way, String>,
    /// The notice that counts, once everybody has been told.
    pub(crate) counted: Option<Counted>,
}

/// An accepted notice of an action: of those to several recipients the one whose period ends last.
/// An owner's own rule is its own notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) key: String,
    pub(crate) at: DateTime<Utc>,
    pub(crate) due: DateTime<Utc>,
    /// The budgets that have ended the period early.
    pub(crate) hastened_by: Vec<String>,
}

/// However much is spent, so much time lies between a notice and what it announced.
pub(crate) const LEAST_NOTICE: Span = Span::from_secs(6 * 3600);

/// Budgets that are used up, and since when that counts for a machine.
#[derive(Clone, Copy)]
struct Early<'a> {
    used_up: &'a [String],
    since: DateTime<Utc>,
}

impl Early<'_> {
    /// When the period of a notice ends with the budgets that it named, and which they are. What
    /// terminates a machine has its whole period.
    fn ends(self, accepted: &Accepted<'_>, way: &Way) -> Option<(DateTime<Utc>, Vec<String>)> {
        let named = self.used_up.iter().filter(|name| accepted.about.hasten.contains(name));
        let named: Vec<String> = named.cloned().collect();
        let stops = way.verb == Verb::Stop;
        (stops && !named.is_empty())
            .then(|| (self.since.max(after(accepted.at, LEAST_NOTICE)), named))
    }
}

impl Standing<'_> {
    /// What may be done and on which notice, if the period has ended.
    pub(crate) fn due(&self) -> Option<(&Way, &Counted)> {
        match (&self.way, &self.counted) {
            (Ok(way), Some(counted)) if self.case.phase == Phase::Due => Some((way, counted)),
            _ => None,
        }
    }
}

/// What of a machine's past its cases depend on.
#[derive(Clone, Copy)]
pub(crate) struct Past<'a> {
    pub(crate) remembered: Option<&'a Remembered>,
    /// The last of too many actions on grounds that still stand.
    pub(crate) contested: Option<DateTime<Utc>>,
    /// Why it is taken for a controller's replacement.
    pub(crate) twin: Option<&'a str>,
}

/// The cases of an orphan, in the order of the rules.
pub(crate) fn standing<'a>(
    question: &Question<'a>,
    mails: &Mails<'a>,
    candidate: &'a Candidate<'a>,
    past: Past<'_>,
) -> Vec<Standing<'a>> {
    let answers = &candidate.judgement.rules;
    let own = candidate.judgement.own.iter().map(|own| (&own.rule, Some(own)));
    let configured = question.rules.iter().map(|rule| (rule, None));
    configured
        .chain(own)
        .filter_map(|(rule, own)| {
            let answer = answers.iter().find(|answer| answer.rule == rule.name)?;
            let asked = Asked { rule, answer, own };
            (answer.answer == Answer::Yes).then(|| stand(question, mails, candidate, past, asked))
        })
        .collect()
}

/// A rule that says yes.
#[derive(Clone, Copy)]
struct Asked<'a> {
    rule: &'a RuleSpec,
    answer: &'a RuleAnswer,
    /// The owner's own rule that it is, where it is one.
    own: Option<&'a OwnRule>,
}

impl<'a> Asked<'a> {
    /// What stands for the notice.
    fn consent(&self) -> Option<&'a str> {
        self.own.map(|own| own.consent.as_str())
    }
}

fn stand<'a>(
    question: &Question<'a>,
    mails: &Mails<'a>,
    candidate: &'a Candidate<'a>,
    past: Past<'_>,
    asked: Asked<'a>,
) -> Standing<'a> {
    let Asked { rule, answer, .. } = asked;
    let consent = asked.consent();
    let (instance, owner) = (candidate.instance, &candidate.judgement.owner);
    let ground = ground(rule, &instance.tags);
    let previous = past.remembered.and_then(|machine| machine.cases.get(&rule.name));
    // An owner's own rule asks for a stop each time, however often the machine is started.
    let contested =
        past.contested.filter(|_| answer.action > WantedAction::Report && consent.is_none());
    // A contested case counts from our last action, so that it is told of once however often the
    // machine is stopped and started by others.
    let since = contested.unwrap_or_else(|| since(previous, &ground, instance, question.now));
    let case = CaseRef { id: &instance.id, rule: &rule.name, since };
    let rejected = mails.rejected(case);
    let recipients = match contested {
        Some(_) => recipients::both(question.routing, owner, &rejected),
        None => recipients::of(question.routing, owner, &rejected),
    };
    let way = way(question, candidate, asked, past.twin);
    let early = question.hastened.get(&instance.id).map(|used_up| Early {
        used_up,
        // Since it was first so, if that was before.
        since: previous
            .and_then(|case| case.due_at)
            .map_or(question.now, |due| due.min(question.now)),
    });
    let counted = way.as_ref().ok().and_then(|way| match consent {
        Some(tag) => {
            Some(Counted { key: tag.to_owned(), at: since, due: since, hastened_by: Vec::new() })
        }
        None => counted(mails, case, &recipients, (rule, early), way),
    });
    let (phase, why) = match (&counted, contested) {
        (_, Some(last)) => (
            Phase::Contested,
            format!(
                "started again after every action, the last at {}; left alone until the rule or a \
                 tag changes",
                stamp(last)
            ),
        ),
        (None, None) => (Phase::New, format!("found: {}", answer.reason)),
        (Some(counted), None) if counted.due <= question.now => {
            let why = match consent {
                Some(tag) => format!("its owner asks for it by {tag}"),
                None => "the notice period is over".to_owned(),
            };
            (Phase::Due, why)
        }
        (Some(_), None) => {
            (Phase::Noticed, "a notice was accepted, and its period runs".to_owned())
        }
    };
    let counted = counted.filter(|_| contested.is_none());
    let case = Case {
        phase,
        since,
        notice: counted.as_ref().map(|counted| counted.key.clone()),
        due_at: counted.as_ref().map(|counted| counted.due),
        ground,
        why,
    };
    Standing { rule, answer, consent, case, recipients, way, counted }
}

/// Since when the finding has held without a break. It begins anew after an action, after a start,
/// and when the rule was edited: who was told of another rule was not told of this one.
fn since(
    previous: Option<&Case>,
    ground: &str,
    instance: &Instance,
    now: DateTime<Utc>,
) -> DateTime<Utc> {
    let Some(previous) = previous else { return now };
    let over = matches!(previous.phase, Phase::Acted | Phase::Contested);
    let restarted = instance.up_since().value().is_some_and(|start| *start > previous.since);
    if over || restarted || !same_rule(&previous.ground, ground) { now } else { previous.since }
}

/// What the rule's action comes to at this machine, or why it is only reported.
fn way<'a>(
    question: &Question<'_>,
    candidate: &'a Candidate<'a>,
    asked: Asked<'_>,
    twin: Option<&str>,
) -> Result<&'a Way, String> {
    let judgement = candidate.judgement;
    let Asked { rule, answer, own } = asked;
    if let Some(why) = own.and_then(|own| own.without_consent(&judgement.owner)) {
        return Err(why);
    }
    let Some(way) = candidate.ways.of(answer.action) else {
        return Err(if rule.action == WantedAction::Report {
            format!("rule {:?} asks for a report", rule.name)
        } else {
            format!("rule {:?} only reports what is {}", rule.name, answer.reason)
        });
    };
    if judgement.wanted.is_none_or(|wanted| wanted == WantedAction::Report) {
        return Err(match judgement.owner.status {
            OwnerStatus::Conflicting => "its tags name different owners".to_owned(),
            _ => "an action would save nothing".to_owned(),
        });
    }
    if let Some(twin) = twin {
        return Err(twin.to_owned());
    }
    let way = way.as_ref().map_err(Clone::clone)?;
    if let Some(why) = unpriced(question, candidate) {
        return Err(why);
    }
    let milder = candidate.instance.stop.kind == StopKind::Deallocate;
    if let Some(tag) = asked.consent().filter(|_| way.verb == Verb::Terminate || way.erases_disks) {
        return Err(format!("{tag} agrees to a stop, and {} destroys data", way.call));
    }
    if answer.action == WantedAction::Stop && way.verb == Verb::Terminate && milder {
        return Err(format!("rule {:?} asks for a stop, and {} terminates", rule.name, way.call));
    }
    Ok(way)
}

/// Why a machine whose price nobody knows is not acted upon: what it is worth cannot be held against
/// the brake. So nobody is told that it will be, either.
pub(crate) fn unpriced(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<String> {
    let unknown = candidate.value().is_none() && question.expect.is_none();
    unknown.then(|| {
        format!(
            "its price is not known, so limits.max_hourly_value cannot be checked: add a [[price]] \
             for {}",
            candidate.instance.machine_type
        )
    })
}

/// The notice that counts. Everybody who has to be told today must have accepted one for this run
/// of findings that announced no less than what would be done today; of several such that one person
/// accepted the first counts, so that a reminder puts nothing off. Where a budget is used up the
/// period ends at the time given, if the notice has said that this can be.
fn counted<'a>(
    mails: &Mails<'a>,
    case: CaseRef<'a>,
    recipients: &[Recipient],
    (rule, early): (&RuleSpec, Option<Early<'_>>),
    way: &Way,
) -> Option<Counted> {
    let mut last: Option<Counted> = None;
    for recipient in recipients {
        let first = mails
            .standing(case, &recipient.to)
            .into_iter()
            .filter(|accepted| accepted.announces(way))
            .map(|accepted| {
                let whole = after(accepted.at, rule.notice);
                let due = accepted.about.due_at.map_or(whole, |announced| announced.max(whole));
                let early = early.and_then(|early| early.ends(&accepted, way));
                let (due, hastened_by) = match early.filter(|(early, _)| *early < due) {
                    Some(early) => early,
                    None => (due, Vec::new()),
                };
                Counted { key: accepted.key.to_owned(), at: accepted.at, due, hastened_by }
            })
            .min_by(|a, b| (a.due, &a.key).cmp(&(b.due, &b.key)))?;
        if last.as_ref().is_none_or(|last| last.due < first.due) {
            last = Some(first);
        }
    }
    last
}
