//! Which notices are due now: one mail a recipient and step, over all providers, about that
//! recipient's machines alone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{InstanceId, NoticeStep, Phase, Verb};
use serde_json::json;

use crate::cases::Standing;
use crate::decision::{DueNotice, Topic};
use crate::machine::{Conclusion, Weighed};
use crate::mails::{Accepted, CaseRef, Mails, Said};
use crate::memory::Told;
use crate::question::{Question, Way};
use crate::recipients::{self, Recipient, folded};
use crate::seal::hex;
use crate::time::{after, full_minute};
use crate::twins::APPEARED_AFTER_STOP;

/// One finding that one recipient is to be told of.
pub(crate) struct Wish<'a> {
    recipient: Recipient,
    step: NoticeStep,
    said: Said<'a>,
    due_at: Option<DateTime<Utc>>,
    /// Budgets that end the period early when they are used up.
    hasten: Vec<String>,
}

impl<'a> Wish<'a> {
    /// Says what was found, and promises nothing.
    const fn word(recipient: Recipient, step: NoticeStep, case: CaseRef<'a>) -> Self {
        let said = Said { case, verb: None, data_loss: false };
        Self { recipient, step, said, due_at: None, hasten: Vec::new() }
    }

    /// Announces an action.
    fn promise(recipient: Recipient, case: CaseRef<'a>, promise: Promise<'_>) -> Self {
        let Promise { way, due_at, hasten } = promise;
        let hasten = hasten.to_vec();
        let said = Said { case, verb: Some(way.verb), data_loss: way.erases_disks };
        Self { recipient, step: NoticeStep::Stop, said, due_at: Some(due_at), hasten }
    }
}

/// An action and the time that is announced for it.
#[derive(Clone, Copy)]
struct Promise<'a> {
    way: &'a Way,
    due_at: DateTime<Utc>,
    hasten: &'a [String],
}

/// What is due to be told of a case.
#[derive(Clone, Copy)]
enum Due<'a> {
    Word(NoticeStep),
    Promise(Promise<'a>),
}

/// What is to be told of one machine. `acted` says that its step is carried out in this run.
pub(crate) fn wishes<'a>(
    question: &Question<'a>,
    mails: &Mails<'a>,
    weighed: &Weighed<'a>,
    acted: bool,
) -> Vec<Wish<'a>> {
    let candidate = weighed.candidate;
    let mut wishes = Vec::new();
    if !candidate.whole {
        return wishes;
    }
    let id = &candidate.instance.id;
    if let Some(stop) = weighed.appeared_after {
        let case = CaseRef { id, rule: APPEARED_AFTER_STOP, since: stop.at };
        let owner = &candidate.judgement.owner;
        for recipient in recipients::of(question.routing, owner, &mails.rejected(case)) {
            if mails.accepted(case, &recipient.to).next().is_none() {
                wishes.push(Wish::word(recipient, NoticeStep::Found, case));
            }
        }
    }
    let Conclusion::Orphan(cases) = &weighed.conclusion else { return wishes };
    if acted || weighed.trouble.is_some() {
        return wishes;
    }
    for standing in cases {
        let case = CaseRef { id, rule: &standing.rule.name, since: standing.case.since };
        for recipient in &standing.recipients {
            let told = Heard {
                accepted: mails.accepted(case, &recipient.to).collect(),
                standing: mails.standing(case, &recipient.to),
            };
            let promised = || promised(question, mails, id, cases, &recipient.to);
            let recipient = recipient.clone();
            wishes.extend(due(question, id, standing, &told).and_then(|due| match due {
                // Who was promised an action on this machine is not told in between that nothing
                // will be done to it.
                Due::Word(NoticeStep::Found) if promised() => None,
                Due::Word(step) => Some(Wish::word(recipient, step, case)),
                Due::Promise(promise) => Some(Wish::promise(recipient, case, promise)),
            }));
        }
    }
    wishes
}

/// What one recipient has accepted on one case.
struct Heard<'a> {
    /// Every notice.
    accepted: Vec<Accepted<'a>>,
    /// The announcements that still stand.
    standing: Vec<Accepted<'a>>,
}

/// Whether this person was promised an action on this machine that still stands, on whatever ground.
fn promised<'a>(
    question: &Question<'_>,
    mails: &Mails<'a>,
    id: &'a InstanceId,
    cases: &'a [Standing<'a>],
    to: &str,
) -> bool {
    question.enforces
        && cases.iter().filter(|other| other.case.phase != Phase::Contested).any(|other| {
            let case = CaseRef { id, rule: &other.rule.name, since: other.case.since };
            other.way.as_ref().is_ok_and(|way| {
                mails.standing(case, to).iter().any(|accepted| accepted.announces(way))
            })
        })
}

/// What a recipient who has heard this is to be told of a case now.
fn due<'a>(
    question: &Question<'a>,
    id: &InstanceId,
    standing: &Standing<'a>,
    heard: &Heard<'_>,
) -> Option<Due<'a>> {
    let hasten = |way: &Way| match way.verb {
        Verb::Stop => question.may_hasten.get(id).map_or(&[][..], Vec::as_slice),
        // What does not come back has its whole period.
        Verb::Terminate => &[],
    };
    let Heard { accepted, standing: announced } = heard;
    // An acceptance of this very moment is no occasion for a reminder, however short the interval.
    let rested = accepted.iter().map(|accepted| accepted.at).max().is_none_or(|last| {
        last < question.now && after(last, question.routing.remind_every) <= question.now
    });
    let way = standing.way.as_ref().ok().copied().filter(|_| question.enforces);
    match (standing.case.phase, way) {
        (Phase::Contested, _) => {
            let never = accepted.iter().all(|accepted| accepted.step != NoticeStep::Contested);
            never.then_some(Due::Word(NoticeStep::Contested))
        }
        (Phase::Noticed, _) => None,
        // Whoever has set the rule by a tag is announced nothing.
        (_, Some(_)) if standing.consent.is_some() => None,
        (Phase::Due, Some(way)) => {
            let due_at = standing.case.due_at.filter(|_| rested)?;
            Some(Due::Promise(Promise { way, due_at, hasten: hasten(way) }))
        }
        // Who was told of a milder action was not told of this one.
        (Phase::New, Some(way)) => {
            let never = announced.iter().all(|accepted| !accepted.announces(way));
            let due_at = full_minute(after(question.now, standing.rule.notice));
            never.then_some(Due::Promise(Promise { way, due_at, hasten: hasten(way) }))
        }
        (Phase::New | Phase::Due | Phase::Acted, _) => {
            rested.then_some(Due::Word(NoticeStep::Found))
        }
    }
}

/// The mails, in the order of recipients and steps. A mail that a recipient may have already is
/// repeated as it was, under its key, while all of it still holds. Of the rest, what was merely found
/// goes into the mail that announces something, if there is one: one mail a recipient, however much
/// there is to tell. So no second mail tells the same, and none tells it twice.
pub(crate) fn bundled<'a>(mails: &Mails<'a>, wishes: Vec<Wish<'a>>) -> Vec<DueNotice> {
    let mut bundles: BTreeMap<String, BTreeMap<NoticeStep, Bundle<'a>>> = BTreeMap::new();
    for wish in wishes {
        let steps = bundles.entry(folded(&wish.recipient.to)).or_default();
        steps.entry(wish.step).or_default().insert(wish.said, wish);
    }
    let mut notices = Vec::new();
    for (to, mut steps) in bundles {
        for step in [NoticeStep::Stop, NoticeStep::Found, NoticeStep::Contested] {
            for told in mails.unanswered(&to, step) {
                notices.extend(repeated(told, step, &mut steps));
            }
        }
        if steps.get(&NoticeStep::Stop).is_some_and(|stops| !stops.is_empty()) {
            let found = steps.remove(&NoticeStep::Found).unwrap_or_default();
            steps.entry(NoticeStep::Stop).or_default().extend(found);
        }
        for (step, bundle) in steps {
            let said = bundle.keys().copied().collect();
            let key = key(&to, step, &said, mails.rounds(&to, step, &said));
            notices.extend(notice(key, step, bundle));
        }
    }
    notices
}

/// A mail that its recipient may have already, as it was, if all of it is still to be told.
fn repeated<'a>(
    told: &'a Told,
    step: NoticeStep,
    steps: &mut BTreeMap<NoticeStep, Bundle<'a>>,
) -> Option<DueNotice> {
    let said: BTreeSet<Said<'a>> = told.about.iter().map(Said::of).collect();
    let holder = |steps: &BTreeMap<NoticeStep, Bundle<'a>>, said: &Said<'a>| {
        let holds = |step: &NoticeStep| steps.get(step).is_some_and(|one| one.contains_key(said));
        // What was found may have been told in a mail that announced something else.
        [step, NoticeStep::Found].into_iter().find(holds)
    };
    if !said.iter().all(|said| holder(steps, said).is_some()) {
        return None;
    }
    let mut same = Bundle::new();
    for said in &said {
        if let Some(step) = holder(steps, said) {
            same.extend(steps.get_mut(&step).and_then(|bundle| bundle.remove_entry(said)));
        }
    }
    notice(told.key.clone(), step, same)
}

/// What one recipient is to be told for one step.
type Bundle<'a> = BTreeMap<Said<'a>, Wish<'a>>;

/// The mail; none about nothing.
fn notice(key: String, step: NoticeStep, bundle: Bundle<'_>) -> Option<DueNotice> {
    let to = bundle.values().map(|wish| &wish.recipient.to).min()?.clone();
    let topic = |wish: Wish<'_>| Topic {
        about: wish.said.about(wish.due_at, wish.hasten),
        instead: wish.recipient.instead,
    };
    let mut topics: Vec<_> = bundle.into_values().map(topic).collect();
    topics.sort();
    Some(DueNotice { key, to, step, topics })
}

/// `stop-0123456789abcdef`: the same until this recipient has accepted it, whatever the time.
fn key(to: &str, step: NoticeStep, said: &BTreeSet<Said<'_>>, round: usize) -> String {
    let said: Vec<_> = said
        .iter()
        .map(|Said { case: CaseRef { id, rule, since }, verb, data_loss }| {
            json!([id.provider, id.account, id.location, id.native, rule, since, verb, data_loss])
        })
        .collect();
    let digest = hex(json!([to, step, said, round]).to_string().as_bytes());
    format!("{}-{}", step.name(), digest.chars().take(16).collect::<String>())
}
