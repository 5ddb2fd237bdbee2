//! A notebook, by name or tag, on a card that is made for training. That Lambda installs Jupyter on
//! every machine is no sign.

use reaper_model::Instance;
use reaper_model::document::{AdviceKind, Confidence};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crate::adviser::Case;
use crate::fit::{Fit, HEADROOM, Market, Needs, Saving};
use crate::models::{Card, Gear};
use crate::oversized::LITTLE;
use crate::question::Advice;
use crate::text;
use crate::week::Seen;
use crate::words::{self, Found};

const NOTEBOOK: [&str; 5] = ["jupyter", "jupyterhub", "jupyterlab", "notebook", "notebooks"];
/// Says as often where a machine stands as what it is for.
const VAGUE: [&str; 1] = ["lab"];
/// What a notebook for exploration gets, GiB.
const ENOUGH: Decimal = Decimal::from_parts(24, 0, 0, false, 0);
const LARGE: Decimal = Decimal::from_parts(80, 0, 0, false, 0);
const MIDDLE: Decimal = Decimal::from_parts(40, 0, 0, false, 0);
/// From here on, GB/s, a card of 40 GiB is one for training: an A100, not an A40 or an L40S.
const FAST: f64 = 1500.0;

/// What says that a machine is a notebook.
pub(crate) fn sign(instance: &Instance) -> Option<Found> {
    words::find(instance, &NOTEBOOK, &VAGUE)
}

pub(crate) fn advise(case: &Case<'_>) -> Option<Advice> {
    let gear = case.gear.as_ref().filter(|gear| for_training(&gear.card))?;
    let found = sign(case.question.instance)?;
    let market = Market::of(case.question, case.models, gear)?;
    let (fit, used) = match &case.seen {
        Some(seen) if seen.mean() > LITTLE => return None,
        Some(seen) => {
            let used = format!(
                "Its {} used {} on average over the last 7 days ({})",
                case.cards_are(gear),
                text::percent(seen.mean()),
                text::evidence(seen)
            );
            let fit = match Needs::of(seen, gear) {
                Some(needs) => market.among(enough).fits(&needs).into_iter().next()?,
                None => cheapest(&market, held(seen))?,
            };
            (fit, used)
        }
        None => (cheapest(&market, 0.0)?, "How much it is used was not measured".to_owned()),
    };
    let price = case.question.price.value();
    let costs = price
        .map_or_else(String::new, |price| format!(" for {}", text::price(price.money, price.unit)));
    let controller = case.controller();
    let text = format!(
        "A notebook, to judge by \"{}\" in {}, on {}{costs}. {used}. For exploring, a card of {ENOUGH} \
         GiB does: {}.{}",
        found.word,
        found.place,
        case.cards(gear),
        fit.words(),
        controller.as_deref().unwrap_or_default(),
    );
    let clear = !VAGUE.contains(&found.word.as_str());
    let confidence = if case.seen.is_some() && clear && controller.is_none() {
        Confidence::Medium
    } else {
        Confidence::Low
    };
    Some(Advice { kind: AdviceKind::Notebook, text, saves_per_month: fit.saves, confidence })
}

/// 80 GiB and above, and the A100 of 40.
fn for_training(card: &Card) -> bool {
    let fast = card.bandwidth.is_some_and(|(least, _)| least >= FAST);
    card.memory_gib >= LARGE || (card.memory_gib >= MIDDLE && fast)
}

/// One whole card that is large enough and is not one for training itself.
fn enough(gear: &Gear) -> bool {
    gear.cards == 1
        && gear.share >= 1.0
        && gear.card.memory_gib >= ENOUGH
        && !for_training(&gear.card)
}

/// The memory that has to fit on one card even if nothing ever worked, GiB.
fn held(seen: &Seen) -> f64 {
    let cards = u32::try_from(seen.in_use()).unwrap_or(u32::MAX);
    seen.fullest_gib().unwrap_or(0.0) * HEADROOM * f64::from(cards)
}

/// The cheapest offer that is large enough, whatever the work.
fn cheapest<'a>(market: &Market<'a>, held_gib: f64) -> Option<Fit<'a>> {
    let large =
        |gear: &Gear| enough(gear) && gear.memory_gib.to_f64().is_some_and(|gib| gib >= held_gib);
    market.offers().filter(|(_, gear)| large(gear)).find_map(|(offer, gear)| {
        let Saving(saves) = market.saving(offer, gear)?;
        Some(Fit { offer, gear: gear.clone(), doubts: Vec::new(), saves })
    })
}
