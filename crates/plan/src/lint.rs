//! What is wrong with a plan. One flaw is enough: such a plan is refused whole.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{InstanceId, PLAN_SCHEMA, Plan, Step};

use crate::seal::digest;

/// Something wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Another format than this version reads.
    #[error("its schema is {0:?}, this version reads {PLAN_SCHEMA:?}")]
    Schema(String),
    /// It was edited, or cut.
    #[error("its digest does not match: it was changed after it was made")]
    Digest,
    /// The run's clock lies before it.
    #[error("it was made at {0}, which lies ahead")]
    Ahead(DateTime<Utc>),
    /// Its time is over.
    #[error("it expired at {0}: make a new one")]
    Expired(DateTime<Utc>),
    /// It could never have been applied.
    #[error("it expires at {expires_at}, before it was made")]
    Lifetime {
        /// As written (UTC).
        expires_at: DateTime<Utc>,
    },
    /// Two actions on one machine.
    #[error("{0} has more than one step")]
    Twice(InstanceId),
    /// An action before the end of its notice period.
    #[error("{0} was not due when the plan was made")]
    NotDue(InstanceId),
    /// A period that ended before it began.
    #[error("{0} was noticed after it was due")]
    NoticedLate(InstanceId),
    /// Something that every step must say is empty.
    #[error("the step of {id} has no {what}")]
    Empty {
        /// The machine.
        id: InstanceId,
        /// What is missing.
        what: &'static str,
    },
    /// The brake was asked about other actions.
    #[error("its brake counts {counted} actions, it has {steps} steps")]
    Actions {
        /// What the brake says.
        counted: u64,
        /// How many there are.
        steps: u64,
    },
    /// More actions than machines, or two counts of the machines.
    #[error("it counts {0} machines, which cannot be")]
    Machines(u64),
    /// The dearest does not come first.
    #[error("{0} stands in the wrong place")]
    Order(InstanceId),
}

/// Everything wrong with a plan; nothing for every plan that [`decide`](crate::decide()) made. With
/// `now`, also whether it may still be applied.
pub fn lint(plan: &Plan, now: Option<DateTime<Utc>>) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if plan.schema != PLAN_SCHEMA {
        flaws.push(Flaw::Schema(plan.schema.clone()));
    }
    if plan.digest != digest(plan) || !plan.digest.starts_with("sha256:") {
        flaws.push(Flaw::Digest);
    }
    if plan.expires_at < plan.made_at {
        flaws.push(Flaw::Lifetime { expires_at: plan.expires_at });
    }
    if let Some(now) = now {
        if now < plan.made_at {
            flaws.push(Flaw::Ahead(plan.made_at));
        }
        if now >= plan.expires_at {
            flaws.push(Flaw::Expired(plan.expires_at));
        }
    }
    let steps = plan.steps.len() as u64;
    if plan.brake.actions != steps {
        flaws.push(Flaw::Actions { counted: plan.brake.actions, steps });
    }
    if plan.brake.machines < steps || plan.brake.machines != plan.inputs.machines {
        flaws.push(Flaw::Machines(plan.brake.machines));
    }
    let mut seen = BTreeSet::new();
    for step in &plan.steps {
        if !seen.insert(&step.id) {
            flaws.push(Flaw::Twice(step.id.clone()));
        }
        flaws.extend(step_flaws(step, plan.made_at));
    }
    flaws.extend(disorder(&plan.steps));
    flaws
}

fn step_flaws(step: &Step, made_at: DateTime<Utc>) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    if step.due_at > made_at {
        flaws.push(Flaw::NotDue(step.id.clone()));
    }
    if step.noticed_at > step.due_at {
        flaws.push(Flaw::NoticedLate(step.id.clone()));
    }
    let reasons = step.reasons.iter().any(|reason| !reason.trim().is_empty());
    for (what, there) in [
        ("call", !step.call.is_empty()),
        ("rule", !step.rule.is_empty()),
        ("notice", !step.notice.is_empty()),
        ("ground", !step.ground.is_empty()),
        ("reasons", reasons),
    ] {
        if !there {
            flaws.push(Flaw::Empty { id: step.id.clone(), what });
        }
    }
    flaws
}

/// Steps out of order. Amounts are compared within one currency, because a plan carries no rates;
/// machines without a value come last.
fn disorder(steps: &[Step]) -> Vec<Flaw> {
    let mut last = BTreeMap::new();
    let mut unpriced: Option<&InstanceId> = None;
    let mut flaws = Vec::new();
    for step in steps {
        let ordered = match step.value {
            None => unpriced.replace(&step.id).is_none_or(|before| *before <= step.id),
            Some(value) => {
                let before = last.insert(value.currency, (value.amount, &step.id));
                unpriced.is_none()
                    && before.is_none_or(|(amount, id)| {
                        amount > value.amount || (amount == value.amount && *id <= step.id)
                    })
            }
        };
        if !ordered {
            flaws.push(Flaw::Order(step.id.clone()));
        }
    }
    flaws
}
