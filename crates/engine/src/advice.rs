//! Advice for the machines of a run: a week of measurements where somebody will read it, what can be
//! had instead, what belongs to each machine. What is advised is decided in `reaper-advice`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_advice::{Adviser, Question, Week};
use reaper_budget::Exchange;
use reaper_ledger::State;
use reaper_model::document::{IdleVerdict, Verdict, WantedAction};
use reaper_model::{
    AccountName, Asset, Instance, InstanceId, Location, Measured, Offer, Price, Purchase, Span,
    Statistic, Window,
};
use reaper_policy::spec::{IDLE_STOP, WORKING_HOURS};
use reaper_provider::{CallContext, RequestCounter};

use crate::assess::Assessed;
use crate::belongings::Belongings;
use crate::collect::Account;
use crate::measurements;
use crate::prices::PriceBook;
use crate::sensors::{Sensors, is_up};
use crate::watch::Watch;

/// The time that advice looks back.
const WEEK: Span = Span::from_secs(7 * 24 * 3600);
/// What one sample of it stands for.
const HOUR: Span = Span::from_secs(3600);

/// A week of measurements by machine: on average, and at their highest.
pub(crate) type Weeks = BTreeMap<InstanceId, (Measured, Measured)>;

/// Reads a week of each machine that is up. What cannot be read gives no advice, and where the last
/// hours could not be read already, nobody is asked again.
pub(crate) async fn weeks(
    machines: &[Assessed],
    accounts: &[Account],
    sensors: &Sensors,
    watch: &Watch,
    now: DateTime<Utc>,
) -> Weeks {
    let asked = accounts.iter().map(|account| async {
        let mine = machines.iter().filter(|machine| machine.account == account.name);
        let up: Vec<&Instance> = mine
            .filter(|machine| measurements::unread(machine).is_none())
            .map(|machine| &machine.instance)
            .filter(|machine| is_up(machine))
            .collect();
        let cx = CallContext { now, requests: RequestCounter::default() };
        let window = |statistic| Window {
            from: now.checked_sub_signed(WEEK.delta()).unwrap_or(now),
            until: now,
            step: HOUR,
            statistic,
        };
        let provider = account.provider.as_ref();
        let mut peaks =
            sensors.measure(provider, &up, &window(Statistic::Peak), (&cx, watch)).await;
        let means = sensors.measure(provider, &up, &window(Statistic::Mean), (&cx, watch)).await;
        let both = means.into_iter().filter_map(|(id, mean)| {
            let peak = peaks.remove(&id)?;
            Some((id, (mean, peak)))
        });
        both.collect::<Weeks>()
    });
    futures::future::join_all(asked).await.into_iter().flatten().collect()
}

/// What advice needs besides the machines.
pub(crate) struct Desk<'a> {
    pub(crate) adviser: &'a Adviser,
    pub(crate) accounts: &'a [Account],
    pub(crate) prices: &'a PriceBook,
    pub(crate) belongings: &'a Belongings,
    pub(crate) weeks: &'a Weeks,
    pub(crate) state: &'a State,
    pub(crate) exchange: &'a Exchange,
    pub(crate) zone: Tz,
    pub(crate) now: DateTime<Utc>,
}

impl Desk<'_> {
    /// Gives each machine its advice.
    pub(crate) fn advise(&self, machines: &mut [Assessed]) {
        let mut offers: BTreeMap<(AccountName, Location), Vec<Offer>> = BTreeMap::new();
        for machine in machines {
            let Some(account) = self.accounts.iter().find(|one| one.name == machine.account) else {
                continue;
            };
            let instance = &machine.instance;
            let place = (account.name.clone(), instance.id.location.clone());
            let offers = offers.entry(place).or_insert_with_key(|(_, at)| {
                let offers = account.provider.offers(at).into_iter();
                let shown = |offer: Offer| Offer { price: self.shown(&offer.price), ..offer };
                offers.map(shown).collect()
            });
            let price = machine.price.clone().map(|price| self.shown(&price));
            let week = self.weeks.get(&instance.id);
            let assets: Vec<&Asset> = self.belongings.of(instance).collect();
            let spare = Instance {
                purchase: Purchase::Spot {
                    persistent: reaper_model::Fact::unknown(
                        reaper_model::Ignorance::NotAsked,
                        "not bought",
                    ),
                },
                ..instance.clone()
            };
            let spot = self.prices.price(&spare, account.provider.as_ref());
            let spot = spot.map(|price| self.shown(&price));
            let idleness = machine.judgement.idleness.as_ref();
            let remembered = self.state.machine(&instance.id);
            machine.advice = self.adviser.advise(&Question {
                instance,
                price: &price,
                offers,
                week: week.map(|(mean, peak)| Week { mean, peak }),
                assets: &assets,
                spot: spot.value(),
                first_seen: remembered.map(|machine| machine.first_seen),
                idle: idleness.is_some_and(|idleness| idleness.verdict == IdleVerdict::Idle),
                switched_off: goes_off(machine),
                now: self.now,
                zone: self.zone,
            });
        }
    }
}

impl Desk<'_> {
    /// A price in the report's currency where a rate is configured, so that an override and a
    /// catalogue can be compared.
    fn shown(&self, price: &Price) -> Price {
        Price { money: self.exchange.convert(price.money), ..price.clone() }
    }
}

/// Whether something is going to switch the machine off: a stop that rules ask for, or its owner's
/// own rule.
fn goes_off(machine: &Assessed) -> bool {
    let judgement = &machine.judgement;
    let asked = judgement.verdict == Verdict::Orphan
        && judgement.wanted.is_some_and(|wanted| wanted > WantedAction::Report);
    let own =
        |rule: &reaper_policy::RuleAnswer| [IDLE_STOP, WORKING_HOURS].contains(&rule.rule.as_str());
    asked || judgement.rules.iter().any(own)
}
