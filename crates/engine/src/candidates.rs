//! Assessed machines as decisions look at them: what could be done to each, and what it is worth.

use std::collections::BTreeMap;

use reaper_model::{AccountName, Instance, Loss, Money, Price, Purchase, StopKind, Verb};
use reaper_plan::{Candidate, Way, Ways};
use reaper_provider::{Consents, Identity, Pinned, Provider, Refusal, allowed};

use crate::assess::Assessed;
use crate::collect::Account;
use crate::machine_view::loss_words;
use crate::observe::Observed;
use crate::prices::PriceBook;

/// What each account allows: its consents, or why nothing may be changed in it.
pub type Rights = BTreeMap<AccountName, Result<(Pinned, Consents), Refusal>>;

/// The rights of the accounts that logged in.
pub fn rights<'a>(accounts: impl IntoIterator<Item = (&'a Account, &'a Identity)>) -> Rights {
    let of = |(account, identity): (&Account, &Identity)| {
        let pin = account.expect_account.as_deref();
        let pinned = Pinned::compare(&account.name, &account.provider.name(), pin, identity);
        (account.name.clone(), pinned.map(|pinned| (pinned, account.consents)))
    };
    accounts.into_iter().map(of).collect()
}

/// All machines of a run as candidates. One whose account is not there any more is left out.
pub fn candidates<'a>(
    machines: &'a [Assessed],
    accounts: &[Account],
    rights: &Rights,
    prices: &PriceBook,
    observed: &Observed,
) -> Vec<Candidate<'a>> {
    let accounts: BTreeMap<&AccountName, &Account> =
        accounts.iter().map(|account| (&account.name, account)).collect();
    let of = |machine: &'a Assessed| {
        let account = accounts.get(&machine.account)?;
        let instance = &machine.instance;
        let price = machine.price.value();
        let asked = machine.judgement.wanted.is_some();
        Some(Candidate {
            instance,
            account: &machine.account,
            judgement: &machine.judgement,
            whole: observed.is_whole(&instance.id),
            hourly: price.map(Price::hourly),
            hourly_bound: at_most(instance, prices, account.provider.as_ref()),
            saves_per_month: price.map(Price::per_month),
            still_charged: if asked { machine.still_charged.clone() } else { Vec::new() },
            // Of what no rule asks for, nobody needs to know how it would be done.
            ways: if asked {
                ways(instance, account.provider.as_ref(), rights.get(&machine.account))
            } else {
                Ways { stop: Err(String::new()), terminate: Err(String::new()) }
            },
        })
    };
    machines.iter().filter_map(of).collect()
}

/// A spot machine costs at most what the same machine costs on demand.
fn at_most(instance: &Instance, prices: &PriceBook, provider: &dyn Provider) -> Option<Money> {
    if !matches!(instance.purchase, Purchase::Spot { .. }) {
        return None;
    }
    let on_demand = Instance { purchase: Purchase::OnDemand, ..instance.clone() };
    prices.price(&on_demand, provider).value().map(Price::hourly)
}

/// What the rules' actions come to at one machine. A rule that asks for a termination gets the
/// milder stop where nobody has consented to more, or no call here terminates.
fn ways(
    instance: &Instance,
    provider: &dyn Provider,
    right: Option<&Result<(Pinned, Consents), Refusal>>,
) -> Ways {
    let consents = match right {
        Some(Ok((_, consents))) => *consents,
        Some(Err(refusal)) => {
            let why = refusal.to_string();
            return Ways { stop: Err(why.clone()), terminate: Err(why) };
        }
        None => {
            let why = "its account did not log in".to_owned();
            return Ways { stop: Err(why.clone()), terminate: Err(why) };
        }
    };
    let way = |verb: Verb| {
        allowed(instance, verb, consents).map_err(|refusal| refusal.to_string())?;
        let no_call = Refusal::NoCall { provider: provider.name(), verb };
        let call = provider.call(verb).ok_or_else(|| no_call.to_string())?;
        let loses = instance.stop.loses.iter().map(|loss| loss_words(loss, instance)).collect();
        let erases_disks =
            verb == Verb::Terminate || instance.stop.loses.contains(&Loss::LocalDisks);
        Ok(Way { verb, call, loses, erases_disks })
    };
    let stop = match instance.stop.kind {
        StopKind::Deallocate => way(Verb::Stop),
        StopKind::Terminate => way(Verb::Terminate),
    };
    let terminates = consents.terminate && provider.call(Verb::Terminate).is_some();
    let terminate = if terminates { way(Verb::Terminate) } else { stop.clone() };
    Ways { stop, terminate }
}
