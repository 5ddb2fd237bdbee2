//! A machine with several cards of which some did nothing for a week.

use reaper_model::document::AdviceKind;

use crate::adviser::Case;
use crate::fit::{Fit, Market, Saving, UNSURE, confidence};
use crate::question::Advice;
use crate::text;
use crate::week::AT_REST;

pub(crate) fn advise(case: &Case<'_>) -> Option<Advice> {
    let (gear, seen) = (case.gear.as_ref()?, case.seen.as_ref()?);
    let needed = seen.in_use();
    let idle = seen.cards.len() - needed;
    if idle == 0 || !seen.worked() {
        return None;
    }
    let market = Market::of(case.question, case.models, gear)?;
    let fewer = market.offers().filter(|(_, other)| {
        other.card == gear.card
            && other.cards < gear.cards
            && usize::try_from(other.cards).is_ok_and(|cards| cards >= needed)
            && other.share >= gear.share
    });
    let fit = fewer.into_iter().find_map(|(offer, other)| {
        let Saving(saves) = market.saving(offer, other)?;
        Some(Fit { offer, gear: other.clone(), doubts: Vec::new(), saves })
    });
    let held = seen.fullest_gib().is_some();
    let fewer = match &fit {
        Some(fit) => format!("Fewer of the same card: {}.", fit.words()),
        None => format!(
            "No cheaper type with fewer of the same card is known in {}: more work could go there.",
            case.question.instance.id.location
        ),
    };
    let controller = case.controller();
    let text = format!(
        "{idle} of its {} never got above {}{} in the last 7 days ({}). {fewer}{}",
        case.cards(gear),
        text::percent(AT_REST),
        if held { " and held nothing in their memory" } else { "" },
        text::evidence(seen),
        controller.as_deref().unwrap_or_default(),
    );
    let doubts = usize::from(!held)
        + usize::from(seen.power_alone)
        + usize::from(fit.is_none())
        + if controller.is_some() { UNSURE } else { 0 };
    Some(Advice {
        kind: AdviceKind::IdleCards,
        text,
        saves_per_month: fit.and_then(|fit| fit.saves),
        confidence: confidence(doubts),
    })
}
