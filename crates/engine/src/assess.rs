//! Assessing: every machine judged, candidates looked at more closely and judged again, cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reaper_budget::{Cost, Month, Rounding, Run};
use reaper_model::document::Verdict;
use reaper_model::{AccountName, Fact, Ignorance, Instance, InstanceId, Listing, Location, Price};
use reaper_policy::{Judgement, Policy, Subject};
use reaper_provider::{CallContext, Detail, RequestCounter};
use tokio::time::timeout;

use crate::collect::{Account, Inventory, Limits};
use crate::prices::PriceBook;
use crate::side_by_side::side_by_side;

/// One machine with everything that was found out about it.
#[derive(Debug)]
pub struct Assessed {
    /// The machine.
    pub instance: Instance,
    /// The account that it was listed through.
    pub account: AccountName,
    /// The policy's judgement.
    pub judgement: Judgement,
    /// Its list price.
    pub price: Fact<Price>,
    /// What its present run has cost; `None` when it is not billed, or price or start are unknown.
    pub cost: Option<Cost>,
}

/// All machines, in the order of the inventory.
#[derive(Debug, Default)]
pub struct Assessment {
    /// The machines.
    pub machines: Vec<Assessed>,
    /// Requests that the closer look took.
    pub requests: u32,
}

/// What judging needs besides the machines.
#[derive(Debug, Clone)]
pub struct Yardstick {
    /// The rules.
    pub policy: Arc<Policy>,
    /// The prices.
    pub prices: Arc<PriceBook>,
    /// The month that `month_to_date` counts.
    pub month: Month,
    /// Time limits.
    pub limits: Limits,
    /// The clock of the run.
    pub now: DateTime<Utc>,
}

/// Takes the machines out of the inventory and judges them, scope beside scope.
pub async fn assess(
    inventory: &mut Inventory,
    accounts: &[Account],
    yardstick: &Yardstick,
) -> Assessment {
    let accounts: BTreeMap<&AccountName, &Account> =
        accounts.iter().map(|account| (&account.name, account)).collect();
    let requests = RequestCounter::default();
    let mut jobs = Vec::new();
    for read in &mut inventory.scopes {
        let Some(&account) = accounts.get(&read.scope.account) else { continue };
        match &mut read.listing {
            Listing::Complete(got) | Listing::Partial { got, .. } => {
                jobs.push((account.clone(), std::mem::take(got)));
            }
            Listing::Failed(_) => {}
        }
    }
    let machines = side_by_side(jobs, yardstick.limits.scopes_at_once, |(account, instances)| {
        let yardstick = yardstick.clone();
        let cx = CallContext { now: yardstick.now, requests: requests.clone() };
        async move { assess_scope(instances, &account, &yardstick, &cx).await }
    })
    .await;
    Assessment { machines: machines.into_iter().flatten().collect(), requests: requests.sent() }
}

async fn assess_scope(
    instances: Vec<Instance>,
    account: &Account,
    yardstick: &Yardstick,
    cx: &CallContext,
) -> Vec<Assessed> {
    let Yardstick { policy, prices, month, limits, now } = yardstick;
    let judge = |instance: &Instance| policy.judge(&Subject::new(instance, &account.name, *now));
    let mut judged: Vec<(Instance, Judgement)> = instances
        .into_iter()
        .map(|instance| {
            let judgement = judge(&instance);
            (instance, judgement)
        })
        .collect();
    let mut details = look_closer(&judged, account, cx, *limits).await;
    for (instance, judgement) in &mut judged {
        if let Some(detail) = details.remove(&instance.id) {
            instance.guards = detail.guards;
            if let Some(purchase) = detail.purchase {
                instance.purchase = purchase;
            }
            if let Some(stop) = detail.stop {
                instance.stop = stop;
            }
            *judgement = judge(instance);
        }
    }
    judged
        .into_iter()
        .map(|(instance, judgement)| {
            let price = prices.price(&instance, account.provider.as_ref());
            let cost = cost(&instance, &price, month, *now);
            Assessed { account: account.name.clone(), instance, judgement, price, cost }
        })
        .collect()
}

/// Details cost a call per machine, so only those are asked about that would be orphans.
async fn look_closer(
    judged: &[(Instance, Judgement)],
    account: &Account,
    cx: &CallContext,
    limits: Limits,
) -> BTreeMap<InstanceId, Detail> {
    let mut candidates: BTreeMap<&Location, Vec<&Instance>> = BTreeMap::new();
    for (instance, judgement) in judged {
        if judgement.verdict == Verdict::Orphan {
            candidates.entry(&instance.id.location).or_default().push(instance);
        }
    }
    let mut details = BTreeMap::new();
    for (location, candidates) in candidates {
        let asked = account.provider.details(cx, location, &candidates);
        match timeout(limits.scope, asked).await {
            Ok(found) => {
                details.extend(found.into_iter().map(|detail| (detail.id.clone(), detail)));
            }
            Err(_elapsed) => details.extend(candidates.iter().map(|candidate| {
                let id = candidate.id.clone();
                let guards = Fact::unknown(Ignorance::ReadFailed, "no answer in time");
                (id.clone(), Detail { id, guards, purchase: None, stop: None })
            })),
        }
    }
    details
}

fn cost(
    instance: &Instance,
    price: &Fact<Price>,
    month: &Month,
    now: DateTime<Utc>,
) -> Option<Cost> {
    if !instance.meter.may_be_billed() {
        return None;
    }
    let start = *instance.up_since().value()?;
    let rounding = Rounding::of(&instance.id.provider, &instance.machine_type);
    Some(Cost::of(Run { start, until: now }, price.value()?, rounding, month))
}
