//! Assessing: every machine measured where a rule asks for that, then judged; candidates looked at
//! more closely and judged again; cost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reaper_advice::Advice;
use reaper_budget::{Cost, Month, Rounding, Run};
use reaper_model::document::{Answer, StillCharged, Verdict};
use reaper_model::{
    AccountName, Fact, Ignorance, Instance, InstanceId, Listing, Location, Measured, Price,
    Purchase, Span, Statistic, Window,
};
use reaper_policy::{Judgement, Policy, Subject, Suspects};
use reaper_provider::{CallContext, Detail, RequestCounter};

use crate::belongings::Belongings;
use crate::collect::{Account, Inventory};
use crate::prices::PriceBook;
use crate::sensors::Sensors;
use crate::side_by_side::side_by_side;
use crate::watch::Watch;

/// One machine with everything that was found out about it.
#[derive(Debug, Clone)]
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
    /// What goes on being charged when it is stopped, in the price list's currency.
    pub still_charged: Vec<StillCharged>,
    /// What would do for less.
    pub advice: Vec<Advice>,
}

/// All machines of a run, judged.
#[derive(Debug, Default)]
pub struct Assessment {
    /// The machines.
    pub machines: Vec<Assessed>,
    /// Sources that are not believed, because they say nothing but zero over a window.
    pub suspects: Suspects,
}

/// What judging needs besides the machines.
#[derive(Debug, Clone)]
pub struct Yardstick {
    /// The rules.
    pub policy: Arc<Policy>,
    /// The prices.
    pub prices: Arc<PriceBook>,
    /// Who is asked what was measured.
    pub sensors: Arc<Sensors>,
    /// What costs money beside the machines.
    pub belongings: Arc<Belongings>,
    /// Whether the machines are all that there are, so that a source that says nothing but zero of
    /// all of them can be doubted.
    pub whole_fleet: bool,
    /// Whether there are no other machines anywhere, so that a name means nobody else.
    pub all_there: bool,
    /// The month that `month_to_date` counts.
    pub month: Month,
    /// Time limits.
    pub watch: Watch,
    /// The clock of the run.
    pub now: DateTime<Utc>,
}

/// Candidates that are asked about at once; what was answered before a time limit is kept.
const CANDIDATES_AT_ONCE: usize = 50;

/// What one sample of a window stands for, seconds: the grain of clouds' own monitoring.
const STEP: Span = Span::from_secs(300);

/// The time up to `now`.
pub(crate) fn window(length: Span, now: DateTime<Utc>) -> Window {
    let from = now.checked_sub_signed(length.delta()).unwrap_or(now);
    Window { from, until: now, step: STEP, statistic: Statistic::Peak }
}

/// Takes the machines out of the inventory, measures them where a rule asks for that, and judges
/// them, scope beside scope.
pub async fn assess(
    inventory: &mut Inventory,
    accounts: &[Account],
    yardstick: &Yardstick,
) -> Assessment {
    let jobs = jobs(inventory, accounts, std::mem::take);
    let instances = jobs.iter().flat_map(|job| &job.instances);
    let windows = yardstick.policy.idle_windows(instances, yardstick.now);
    let asked = windows.last().copied();
    if asked.is_some() {
        let all: Vec<&Instance> = jobs.iter().flat_map(|job| &job.instances).collect();
        yardstick.sensors.meet(&all, yardstick.all_there, yardstick.now);
    }
    let measured = side_by_side(jobs, yardstick.watch.scopes_at_once(), |job| {
        let yardstick = yardstick.clone();
        async move {
            let cx = CallContext { now: yardstick.now, requests: RequestCounter::default() };
            let measured = match asked {
                Some(length) => {
                    let machines: Vec<&Instance> = job.instances.iter().collect();
                    let window = window(length, yardstick.now);
                    let provider = job.account.provider.as_ref();
                    let means = (&cx, &yardstick.watch);
                    yardstick.sensors.measure(provider, &machines, &window, means).await
                }
                None => BTreeMap::new(),
            };
            (job, measured, cx)
        }
    })
    .await;
    let suspects = if yardstick.whole_fleet {
        let pairs = measured.iter().flat_map(|(job, measured, _)| {
            let instances = job.instances.iter();
            instances.filter_map(|machine| Some((machine, measured.get(&machine.id)?)))
        });
        Suspects::of(pairs, &windows, yardstick.now)
    } else {
        Suspects::default()
    };
    let suspects = Arc::new(suspects);
    let assessed = side_by_side(measured, yardstick.watch.scopes_at_once(), |read| {
        let (yardstick, suspects) = (yardstick.clone(), Arc::clone(&suspects));
        async move {
            let (Job { place, account, instances }, measured, cx) = read;
            let evidence = Evidence { measured, suspects: &suspects };
            let assessed = assess_scope(instances, &account, &evidence, &yardstick, &cx).await;
            (place, cx.requests.sent(), assessed)
        }
    })
    .await;
    let mut machines = Vec::new();
    for (place, requests, assessed) in assessed {
        if let Some(read) = inventory.scopes.get_mut(place) {
            read.requests += requests;
        }
        machines.extend(assessed);
    }
    Assessment { machines, suspects: Arc::unwrap_or_clone(suspects) }
}

/// What was measured of the machines of a scope.
struct Evidence<'a> {
    measured: BTreeMap<InstanceId, Measured>,
    suspects: &'a Suspects,
}

/// What of the evidence cannot be read, by account: gaps of the listed machines, and of the
/// details of one machine and one spot machine in each scope, which an audit would read of its candidates.
pub async fn probe(
    inventory: &mut Inventory,
    accounts: &[Account],
    watch: &Watch,
    now: DateTime<Utc>,
) -> BTreeMap<AccountName, BTreeSet<String>> {
    let jobs = jobs(inventory, accounts, |got| got.clone());
    let found = side_by_side(jobs, watch.scopes_at_once(), |job| {
        let watch = watch.clone();
        async move {
            let Job { account, instances, .. } = job;
            let cx = CallContext { now, requests: RequestCounter::default() };
            let spot = |machine: &&Instance| matches!(machine.purchase, Purchase::Spot { .. });
            let some: Vec<&Instance> =
                instances.iter().take(1).chain(instances.iter().skip(1).find(spot)).collect();
            let details = details(&some, &account, &cx, &watch).await;
            let mut gaps = BTreeSet::new();
            let listed = instances.iter().flat_map(|machine| {
                [machine.tags.gap(), machine.manager.gap(), machine.gpu.gap(), machine.guards.gap()]
            });
            let asked = details.values().flat_map(|detail| {
                let spot = match &detail.purchase {
                    Some(Purchase::Spot { persistent }) => persistent.gap(),
                    _ => None,
                };
                [detail.guards.gap(), spot]
            });
            for gap in listed.chain(asked).flatten().filter(|gap| gap.kind == Ignorance::ReadFailed)
            {
                gaps.insert(gap.why.clone());
            }
            (account.name, gaps)
        }
    })
    .await;
    let mut all: BTreeMap<AccountName, BTreeSet<String>> = BTreeMap::new();
    for (account, gaps) in found {
        all.entry(account).or_default().extend(gaps);
    }
    all
}

/// What was measured of all listed machines, where a rule or an owner's tag asks for that, as a run
/// would ask.
pub async fn measured(
    inventory: &Inventory,
    accounts: &[Account],
    policy: &Policy,
    (sensors, watch): (&Sensors, &Watch),
    now: DateTime<Utc>,
) -> BTreeMap<InstanceId, Measured> {
    let all = || inventory.scopes.iter().flat_map(|read| read.listing.got());
    let Some(length) = policy.idle_window(all(), now) else { return BTreeMap::new() };
    sensors.meet(&all().collect::<Vec<_>>(), inventory.is_whole(), now);
    let window = window(length, now);
    let asked = accounts.iter().map(|account| {
        let mine = inventory.scopes.iter().filter(|read| read.scope.account == account.name);
        let machines: Vec<&Instance> = mine.flat_map(|read| read.listing.got()).collect();
        async move {
            let cx = CallContext { now, requests: RequestCounter::default() };
            let provider = account.provider.as_ref();
            sensors.measure(provider, &machines, &window, (&cx, watch)).await
        }
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}

/// How many machines of the inventory each rule says yes to, cannot tell, was asked about; in the
/// order of the policy's rules.
pub fn rule_counts(
    inventory: &Inventory,
    policy: &Policy,
    measured: &BTreeMap<InstanceId, Measured>,
    now: DateTime<Utc>,
) -> Vec<RuleCount> {
    let mut counts = vec![RuleCount::default(); policy.rules().len()];
    for read in &inventory.scopes {
        for instance in read.listing.got() {
            let subject = Subject::new(instance, &read.scope.account, now);
            let judgement = policy.judge(&subject.with_measured(measured.get(&instance.id)));
            for (count, rule) in counts.iter_mut().zip(&judgement.rules) {
                count.of += 1;
                count.yes += usize::from(rule.answer == Answer::Yes);
                count.unknown += usize::from(rule.answer == Answer::Unknown);
            }
        }
    }
    counts
}

/// What one rule says of all machines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCount {
    /// Yes.
    pub yes: usize,
    /// Cannot be told.
    pub unknown: usize,
    /// Machines that it was asked about.
    pub of: usize,
}

/// The machines of one scope.
struct Job {
    place: usize,
    account: Account,
    instances: Vec<Instance>,
}

fn jobs(
    inventory: &mut Inventory,
    accounts: &[Account],
    take: impl Fn(&mut Vec<Instance>) -> Vec<Instance>,
) -> Vec<Job> {
    let accounts: BTreeMap<&AccountName, &Account> =
        accounts.iter().map(|account| (&account.name, account)).collect();
    let mut jobs = Vec::new();
    for (place, read) in inventory.scopes.iter_mut().enumerate() {
        let Some(&account) = accounts.get(&read.scope.account) else { continue };
        match &mut read.listing {
            Listing::Complete(got) | Listing::Partial { got, .. } => {
                jobs.push(Job { place, account: account.clone(), instances: take(got) });
            }
            Listing::Failed(_) => {}
        }
    }
    jobs
}

async fn assess_scope(
    instances: Vec<Instance>,
    account: &Account,
    evidence: &Evidence<'_>,
    yardstick: &Yardstick,
    cx: &CallContext,
) -> Vec<Assessed> {
    let Yardstick { policy, prices, belongings, month, watch, now, .. } = yardstick;
    let judge = |instance: &Instance| {
        let measured = evidence.measured.get(&instance.id);
        let subject = Subject::new(instance, &account.name, *now);
        policy.judge(&subject.with_measured(measured).with_suspects(evidence.suspects))
    };
    let mut judged: Vec<(Instance, Judgement)> = instances
        .into_iter()
        .map(|instance| {
            let judgement = judge(&instance);
            (instance, judgement)
        })
        .collect();
    let candidates: Vec<&Instance> = judged
        .iter()
        .filter(|(_, judgement)| judgement.verdict == Verdict::Orphan)
        .map(|(instance, _)| instance)
        .collect();
    let mut details = details(&candidates, account, cx, watch).await;
    for (instance, judgement) in &mut judged {
        if let Some(detail) = details.remove(&instance.id) {
            detail.merge_into(instance);
            *judgement = judge(instance);
        }
    }
    judged
        .into_iter()
        .map(|(instance, judgement)| {
            let price = prices.price(&instance, account.provider.as_ref());
            let cost = cost(&instance, &price, month, *now);
            let still_charged = belongings.still_charged(&instance);
            let account = account.name.clone();
            let advice = Vec::new();
            Assessed { instance, account, judgement, price, cost, still_charged, advice }
        })
        .collect()
}

/// The closer look: details cost a call per machine, so only those are asked about that would be
/// orphans. A candidate whose guards nobody told has unread guards, not none.
async fn details(
    candidates: &[&Instance],
    account: &Account,
    cx: &CallContext,
    watch: &Watch,
) -> BTreeMap<InstanceId, Detail> {
    let mut by_location: BTreeMap<&Location, Vec<&Instance>> = BTreeMap::new();
    for candidate in candidates {
        by_location.entry(&candidate.id.location).or_default().push(candidate);
    }
    let mut details = BTreeMap::new();
    for (location, candidates) in by_location {
        for some in candidates.chunks(CANDIDATES_AT_ONCE) {
            let asked = account.provider.details(cx, location, some);
            let why = match watch.within("details", asked).await {
                Ok(found) => {
                    details.extend(found.into_iter().map(|detail| (detail.id.clone(), detail)));
                    "the provider gave no detail".to_owned()
                }
                Err(error) => error.to_string(),
            };
            for candidate in some {
                let unasked =
                    candidate.guards.gap().is_some_and(|gap| gap.kind == Ignorance::NotAsked);
                if unasked && !details.contains_key(&candidate.id) {
                    let guards = Fact::unknown(Ignorance::ReadFailed, why.clone());
                    let id = candidate.id.clone();
                    let detail = Detail { id: id.clone(), guards, purchase: None, stop: None };
                    details.insert(id, detail);
                }
            }
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
