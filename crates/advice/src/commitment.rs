//! Other ways to pay for the same type: by the month, or as spare capacity. Only where both prices
//! are known; what reservations and savings plans cost is in no source, so nothing is said of them.

use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::price::HOURS_PER_MONTH;
use reaper_model::{Money, Price, Purchase, Span, Unit};
use rust_decimal::Decimal;

use crate::adviser::Case;
use crate::question::Advice;
use crate::text;
use crate::words;

/// Tags by which people say that a machine may be taken away.
const INTERRUPTIBLE: [&str; 4] = ["interruptible", "spot-ok", "preemptible", "interruption-ok"];

/// Spare capacity, else the month: whoever can be interrupted pays less. Nobody should commit to a
/// month of a type that is too large, so that a machine that had advice about its size gets none;
/// nor to one of a machine that is about to be switched off.
pub(crate) fn advise(case: &Case<'_>, too_large: bool) -> Option<Advice> {
    let instance = case.question.instance;
    let own = case.question.price.value().filter(|price| price.unit == Unit::Hour)?;
    let goes = case.question.idle || case.question.switched_off;
    if goes || !matches!(instance.purchase, Purchase::OnDemand) {
        return None;
    }
    let month = || if too_large { None } else { by_the_month(case, own) };
    spare(case, own).or_else(month)
}

fn spare(case: &Case<'_>, own: &Price) -> Option<Advice> {
    let tag = words::says_yes(case.question.instance, &INTERRUPTIBLE)?;
    let spot = case.question.spot.filter(|spot| spot.unit == Unit::Hour)?;
    let saves = less(own.per_month(), spot.per_month())?;
    let text = format!(
        "Its tag {tag} says that it may be interrupted: as spare capacity {} costs {} at present, \
         instead of {}. That price moves, and the machine may be taken away at short notice. At \
         {HOURS_PER_MONTH} hours a month it saves {saves}.",
        case.question.instance.machine_type,
        text::price(spot.money, spot.unit),
        text::price(own.money, own.unit),
    );
    let (kind, confidence) = (AdviceKind::Commitment, Confidence::Medium);
    Some(Advice { kind, text, saves_per_month: Some(saves), confidence })
}

fn by_the_month(case: &Case<'_>, own: &Price) -> Option<Advice> {
    let question = case.question;
    let machine_type = &question.instance.machine_type;
    let month = question
        .offers
        .iter()
        .find(|offer| offer.machine_type == *machine_type && offer.price.unit == Unit::Month)?;
    let saves = less(own.per_month(), month.price.per_month())?;
    let break_even = month.price.money.amount / own.money.amount;
    let since = *question.instance.up_since().value()?;
    let up = Decimal::from(Span::between(since, question.now).as_secs()) / Decimal::from(3600);
    let up = up.min(Decimal::from(HOURS_PER_MONTH));
    if up <= break_even {
        return None;
    }
    let text = format!(
        "By the month {machine_type} costs {}, by the hour {}: from {} hours in a month on, the month \
         is cheaper. It was up for {} of the last {HOURS_PER_MONTH} hours. By the month it saves \
         {saves} as long as it stays up; a month that has begun is due in full, used or not.",
        text::price(month.price.money, Unit::Month),
        text::price(own.money, Unit::Hour),
        break_even.round_dp(1).normalize(),
        up.round().normalize(),
    );
    let works = case.seen.as_ref().is_some_and(crate::week::Seen::worked);
    Some(Advice {
        kind: AdviceKind::Commitment,
        text,
        saves_per_month: Some(saves),
        confidence: if works { Confidence::Medium } else { Confidence::Low },
    })
}

/// What is left over, if anything, and in one currency.
fn less(own: Money, other: Money) -> Option<Money> {
    let saves = Money::new(own.amount - other.amount, own.currency);
    (own.currency == other.currency && saves.amount > Decimal::ZERO).then_some(saves)
}
