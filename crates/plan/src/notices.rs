//! Which notices are due now: one mail a recipient and step, over all providers, about that
//! recipient's machines alone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{NoticeStep, Phase};
use serde_json::json;

use crate::cases::Standing;
use crate::decision::{DueNotice, Topic};
use crate::machine::{Conclusion, Weighed};
use crate::mails::{Accepted, CaseRef, Mails};
use crate::question::Question;
use crate::recipients::{self, Recipient, folded};
use crate::seal::hex;
use crate::time::{after, full_minute};
use crate::twins::APPEARED_AFTER_STOP;

/// One finding that one recipient is to be told of.
pub(crate) struct Wish<'a> {
    recipient: Recipient,
    step: NoticeStep,
    case: CaseRef<'a>,
    due_at: Option<DateTime<Utc>>,
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
                wishes.push(Wish { recipient, step: NoticeStep::Found, case, due_at: None });
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
            let accepted: Vec<_> = mails.accepted(case, &recipient.to).collect();
            if let Some((step, due_at)) = due(question, standing, &accepted) {
                wishes.push(Wish { recipient: recipient.clone(), step, case, due_at });
            }
        }
    }
    wishes
}

/// What a recipient who has accepted these notices is to be told of a case now.
fn due(
    question: &Question<'_>,
    standing: &Standing<'_>,
    accepted: &[Accepted<'_>],
) -> Option<(NoticeStep, Option<DateTime<Utc>>)> {
    let never = |step| accepted.iter().all(|accepted| accepted.step != step);
    // An acceptance of this very moment is no occasion for a reminder, however short the interval.
    let rested = accepted.iter().map(|accepted| accepted.at).max().is_none_or(|last| {
        last < question.now && after(last, question.routing.remind_every) <= question.now
    });
    let promises = question.enforces && standing.way.is_ok();
    match standing.case.phase {
        Phase::Contested => never(NoticeStep::Contested).then_some((NoticeStep::Contested, None)),
        Phase::Noticed => None,
        Phase::Due if promises => rested.then_some((NoticeStep::Stop, standing.case.due_at)),
        Phase::New if promises => never(NoticeStep::Stop).then(|| {
            let announced = full_minute(after(question.now, standing.rule.notice));
            (NoticeStep::Stop, Some(announced))
        }),
        Phase::New | Phase::Due | Phase::Acted => rested.then_some((NoticeStep::Found, None)),
    }
}

/// The mails, in the order of recipients and steps.
pub(crate) fn bundled(mails: &Mails<'_>, wishes: Vec<Wish<'_>>) -> Vec<DueNotice> {
    let mut bundles: BTreeMap<(String, NoticeStep), Vec<Wish<'_>>> = BTreeMap::new();
    for wish in wishes {
        bundles.entry((folded(&wish.recipient.to), wish.step)).or_default().push(wish);
    }
    bundles
        .into_iter()
        .filter_map(|((folded, step), wishes)| {
            let to = wishes.iter().map(|wish| &wish.recipient.to).min()?.clone();
            let cases: BTreeSet<_> = wishes.iter().map(|wish| wish.case).collect();
            let key = key(&folded, step, &cases, mails.rounds(&folded, step, &cases));
            let mut topics: Vec<_> = wishes
                .into_iter()
                .map(|wish| Topic {
                    about: wish.case.about(wish.due_at),
                    instead: wish.recipient.instead,
                })
                .collect();
            topics.sort();
            Some(DueNotice { key, to, step, topics })
        })
        .collect()
}

/// `stop-0123456789abcdef`: the same until this recipient has accepted it, whatever the time.
fn key(to: &str, step: NoticeStep, cases: &BTreeSet<CaseRef<'_>>, round: usize) -> String {
    let cases: Vec<_> = cases
        .iter()
        .map(|CaseRef { id, rule, since }| {
            json!([id.provider, id.account, id.location, id.native, rule, since])
        })
        .collect();
    let digest = hex(json!([to, step, cases, round]).to_string().as_bytes());
    format!("{}-{}", step.name(), digest.chars().take(16).collect::<String>())
}
