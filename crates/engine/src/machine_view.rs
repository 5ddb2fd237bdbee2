//! One machine in the document: facts laid out, money converted, the action put into words.

use chrono::{DateTime, FixedOffset, Utc};
use chrono_tz::Tz;
use reaper_advice::Advice;
use reaper_budget::{Cost, Exchange};
use reaper_model::document::{
    ActionView, AdviceView, Billing, CostBasis, CostView, Finding, GpuView, MachineView, OwnerView,
    PlannedAction, PriceView, PurchaseView, StillCharged, Verdict,
};
use reaper_model::{
    Fact, Gpu, Guard, Instance, Loss, Meter, Money, Price, Purchase, State, StopKind, Unit,
};
use reaper_policy::{Answer, Judgement, Owner, Protection};
use rust_decimal::Decimal;

use crate::assess::Assessed;
use crate::measurements;

/// What laying out needs besides the machine.
pub(crate) struct Layout<'a> {
    pub(crate) zone: Tz,
    pub(crate) exchange: &'a Exchange,
    pub(crate) now: DateTime<Utc>,
}

impl Layout<'_> {
    /// The machine as the document shows it.
    pub(crate) fn machine(&self, assessed: Assessed) -> MachineView {
        let Assessed { instance, account, judgement, price, cost, still_charged, advice } =
            assessed;
        let cost = self.cost(&instance, &price, cost);
        let age = instance.up_since();
        let age_hours = age.value().map(|&start| hours(self.now - start));
        let age_why = match age {
            Fact::Known { .. } if instance.counts_from_creation() => {
                Some("counted from the creation: the provider shows no last start".to_owned())
            }
            _ => why(age),
        };
        let (gpu, gpu_why) = gpu(&instance.gpu);
        let (price, price_why) = (price.value().map(price_view), why(&price));
        let looks_off = matches!(instance.state, State::Stopped | State::Stopping);
        MachineView {
            id: instance.id.to_string(),
            provider: instance.id.provider.clone(),
            account,
            location: instance.id.location.clone(),
            name: instance.name.value().cloned(),
            state: instance.state,
            provider_state: instance.provider_state.clone(),
            billing: billing(instance.meter),
            stopped_but_billed: looks_off && instance.meter == Meter::StoppedBilled,
            machine_type: instance.machine_type.clone(),
            gpu,
            gpu_why,
            purchase: purchase(&instance.purchase),
            created_at: self.time(&instance.created_at),
            running_since: self.time(&instance.running_since),
            first_seen: None,
            age_hours,
            age_why,
            tags: instance.tags.value().map(reaper_model::Tags::to_map).unwrap_or_default(),
            raw_tags: instance.tags.value().map(reaper_model::Tags::raw).unwrap_or_default(),
            tags_read: instance.tags.gap().is_none(),
            tags_why: instance.tags.gap().map(ToString::to_string),
            managed_by: instance.manager.value().map(ToString::to_string),
            managed_by_why: instance.manager.gap().map(ToString::to_string),
            protected: protected(&judgement),
            guards: guards(&instance.guards),
            price,
            price_why,
            utilisation: measurements::view(&instance, judgement.idleness.as_ref()),
            findings: self.findings(&judgement),
            verdict: judgement.verdict,
            why: judgement.why.clone(),
            advice: advice.into_iter().map(|advice| self.advice(advice)).collect(),
            case: None,
            action: action(&instance, &judgement, cost.as_ref(), self.charged(still_charged)),
            owner: owner(judgement.owner),
            cost,
            native_id: instance.id.native,
        }
    }

    fn time(&self, fact: &Fact<DateTime<Utc>>) -> Option<DateTime<FixedOffset>> {
        fact.value().map(|time| local(*time, self.zone))
    }

    fn cost(
        &self,
        instance: &Instance,
        price: &Fact<Price>,
        cost: Option<Cost>,
    ) -> Option<CostView> {
        if !instance.meter.may_be_billed() {
            return None;
        }
        let show = |money: Money| self.exchange.convert(money).rounded();
        Some(CostView {
            since_start: cost.map(|cost| show(cost.since_start)),
            month_to_date: cost.map(|cost| show(cost.month_to_date)),
            per_month_if_left: show(price.value()?.per_month()),
            basis: CostBasis::Estimate,
        })
    }

    /// Prices of what goes on being charged, in the report's currency where a rate is configured.
    fn charged(&self, charged: Vec<StillCharged>) -> Vec<StillCharged> {
        let shown = |money: Money| self.exchange.convert(money).rounded();
        let of = |one: StillCharged| StillCharged { per_month: one.per_month.map(shown), ..one };
        charged.into_iter().map(of).collect()
    }

    fn advice(&self, advice: Advice) -> AdviceView {
        let Advice { kind, text, saves_per_month, confidence } = advice;
        let shown = |money: Money| self.exchange.convert(money).rounded();
        AdviceView { kind, text, saves_per_month: saves_per_month.map(shown), confidence }
    }

    fn findings(&self, judgement: &Judgement) -> Vec<Finding> {
        let yes = judgement.rules.iter().filter(|rule| rule.answer == Answer::Yes);
        yes.map(|rule| Finding {
            rule: rule.rule.clone(),
            reason: rule.reason.clone(),
            since: rule.since.map(|time| local(time, self.zone)),
            explanation: rule.explanation.clone(),
        })
        .collect()
    }
}

/// A time in the report's zone, with its offset.
pub(crate) fn local(time: DateTime<Utc>, zone: Tz) -> DateTime<FixedOffset> {
    time.with_timezone(&zone).fixed_offset()
}

pub(crate) fn hours(elapsed: chrono::TimeDelta) -> String {
    let mut hours = (Decimal::from(elapsed.num_seconds().max(0)) / Decimal::from(3600)).round_dp(1);
    hours.rescale(1);
    hours.to_string()
}

fn billing(meter: Meter) -> Billing {
    match meter {
        Meter::Running | Meter::StoppedBilled => Billing::Billed,
        Meter::StoppedFree | Meter::Ended => Billing::NotBilled,
        Meter::Unknown => Billing::Unknown,
    }
}

fn purchase(purchase: &Purchase) -> PurchaseView {
    match purchase {
        Purchase::OnDemand => PurchaseView::OnDemand,
        Purchase::Spot { .. } => PurchaseView::Spot,
        Purchase::Reserved(_) => PurchaseView::Reserved,
        Purchase::Monthly => PurchaseView::Monthly,
        Purchase::Other(_) => PurchaseView::Unknown,
    }
}

fn gpu(fact: &Fact<Gpu>) -> (Option<GpuView>, Option<String>) {
    let view = fact.value().map(|gpu| GpuView {
        model: gpu.model.clone(),
        count: number(gpu.count),
        memory_gib: gpu.memory_gib.map(number),
    });
    (view, why(fact))
}

/// A JSON number; counts and GiB are small enough to be exact.
pub(crate) fn number(decimal: Decimal) -> serde_json::Number {
    let decimal = decimal.normalize();
    match u64::try_from(decimal) {
        Ok(whole) if decimal.is_integer() => whole.into(),
        _ => f64::try_from(decimal)
            .ok()
            .and_then(serde_json::Number::from_f64)
            .unwrap_or_else(|| 0.into()),
    }
}

fn price_view(price: &Price) -> PriceView {
    PriceView {
        hourly: price.hourly().with_digits(6),
        monthly: (price.unit == Unit::Month).then_some(price.money),
        source: price.source,
        as_of: price.as_of,
    }
}

/// Why a fact has no value.
pub(crate) fn why<T>(fact: &Fact<T>) -> Option<String> {
    match fact {
        Fact::Known { .. } => None,
        Fact::Absent { source } => Some(format!("{source}: none")),
        Fact::Unknown(gap) => Some(gap.to_string()),
    }
}

pub(crate) fn owner(owner: Owner) -> OwnerView {
    let joined = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join(", "));
    OwnerView {
        status: owner.status,
        id: joined(owner.names),
        email: joined(owner.emails),
        team: owner.team,
        source: owner.source,
        why: owner.why,
    }
}

fn guards(fact: &Fact<Vec<Guard>>) -> Vec<String> {
    fact.value().into_iter().flatten().map(ToString::to_string).collect()
}

fn protected(judgement: &Judgement) -> Option<String> {
    match &judgement.protection {
        Protection::By(what) => Some(what.clone()),
        Protection::None | Protection::Unknown(_) => None,
    }
}

fn action(
    instance: &Instance,
    judgement: &Judgement,
    cost: Option<&CostView>,
    still_charged: Vec<StillCharged>,
) -> ActionView {
    let orphan = judgement.verdict == Verdict::Orphan;
    let stop = &instance.stop;
    let mut why = Vec::new();
    if orphan || judgement.verdict == Verdict::Unjudged {
        why.extend(stop.objections.iter().cloned());
    }
    if orphan && stop.kind == StopKind::Terminate && stop.objections.is_empty() {
        why.push("only terminating ends its bill".to_owned());
    }
    let saves_per_month = cost.and_then(|cost| {
        let left = cost.per_month_if_left;
        match &instance.purchase {
            Purchase::Other(_) => None,
            purchase if purchase.prepaid() || !stop.saves => Some(left.times(Decimal::ZERO)),
            _ => Some(left),
        }
    });
    ActionView {
        wanted: judgement.wanted,
        planned: if orphan { PlannedAction::Report } else { PlannedAction::None },
        call: None,
        result: None,
        result_why: None,
        why: (!why.is_empty()).then(|| why.join("; ")),
        saves_per_month,
        still_charged,
        loses: stop.loses.iter().map(|loss| loss_words(loss, instance)).collect(),
    }
}

/// What a stop destroys or risks, for people.
pub(crate) fn loss_words(loss: &Loss, instance: &Instance) -> String {
    match loss {
        Loss::LocalDisks => match instance.local_storage.value().and_then(|disks| disks.gb) {
            Some(gb) => format!("data on {gb} GB of local disks"),
            None => "data on local disks".to_owned(),
        },
        Loss::PublicAddress => "the automatically assigned public address".to_owned(),
        Loss::Capacity => "the place on scarce hardware: a restart may find no capacity".to_owned(),
    }
}
