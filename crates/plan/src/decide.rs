//! The one entry: machines are weighed one by one, then the brake looks at all of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use reaper_model::{Inputs, InstanceId, Meter, Money, PLAN_SCHEMA, Plan, Step};

use crate::brake::{Bounds, brake};
use crate::decision::Decisions;
use crate::machine::weigh;
use crate::mails::Mails;
use crate::notices::{bundled, wishes};
use crate::question::{Candidate, Question};
use crate::seal::{fingerprint, inventory, sealed};
use crate::time::after;

/// Decides about every machine of a run. Asked again with its own case changes in the memory, it
/// changes no case any more.
pub fn decide(question: &Question<'_>) -> Decisions {
    let mails = Mails::new(&question.memory.notices);
    let mut candidates: BTreeMap<&InstanceId, &Candidate<'_>> = BTreeMap::new();
    for candidate in question.candidates {
        candidates.entry(&candidate.instance.id).or_insert(candidate);
    }
    let weighed: Vec<_> =
        candidates.values().map(|candidate| weigh(question, &mails, candidate)).collect();

    let machines =
        candidates.values().filter(|candidate| candidate.instance.meter != Meter::Ended).count()
            as u64;
    let values: Vec<Option<Money>> =
        weighed.iter().filter_map(|weighed| Some(weighed.step.as_ref().ok()?.value)).collect();
    let bounds =
        Bounds { limits: question.limits, exchange: question.exchange, expect: question.expect };
    let brake = brake(&bounds, &values, machines);

    let mut decisions = BTreeMap::new();
    let (mut cases, mut wanted, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for weighed in &weighed {
        let acted = question.enforces && weighed.step.is_ok() && !brake.holds();
        wanted.extend(wishes(question, &mails, weighed, acted));
        cases.extend(weighed.changes());
        decisions.insert(weighed.candidate.instance.id.clone(), weighed.decision(brake.holds()));
        steps.extend(weighed.step.iter().cloned());
    }
    sort(question, &mut steps);

    let frame = question.frame;
    let plan = sealed(Plan {
        schema: PLAN_SCHEMA.to_owned(),
        version: frame.version.clone(),
        digest: String::new(),
        made_at: question.now,
        expires_at: after(question.now, frame.lifetime),
        inputs: Inputs {
            config: frame.config.clone(),
            ledger: frame.ledger,
            inventory: inventory(candidates.iter().map(|(id, candidate)| {
                (*id, fingerprint(candidate.instance, &candidate.judgement.owner))
            })),
            machines,
        },
        brake,
        steps,
    });
    Decisions { machines: decisions, cases, notices: bundled(&mails, wanted), plan }
}

/// Dearest first, in the report's currency where there is a rate; without a value last.
fn sort(question: &Question<'_>, steps: &mut [Step]) {
    steps.sort_by_cached_key(|step| {
        let worth = step.value.map(|value| question.exchange.convert(value).amount);
        (Reverse(worth), Reverse(step.value.map(|value| value.amount)), step.id.clone())
    });
}
