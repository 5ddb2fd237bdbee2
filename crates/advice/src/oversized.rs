//! Cards that work little, and the smaller ones that would do: by the memory that was in use at most,
//! then by what the work needs of bandwidth, number formats and links between cards. Without evidence
//! of memory there is no such advice, and none for a machine that did nothing: that is idle.

use reaper_model::document::AdviceKind;

use crate::adviser::Case;
use crate::fit::{Fit, HEADROOM, Market, Needs, UNSURE, confidence};
use crate::question::Advice;
use crate::text;

/// Cards that work more than this on average, percent, are not oversized.
pub(crate) const LITTLE: f64 = 15.0;

pub(crate) fn advise(case: &Case<'_>) -> Option<Advice> {
    let (gear, seen) = (case.gear.as_ref()?, case.seen.as_ref()?);
    if case.question.idle || seen.mean() > LITTLE {
        return None;
    }
    let needs = Needs::of(seen, gear)?;
    let market = Market::of(case.question, case.models, gear)?;
    let fits = market.fits(&needs);
    let first = fits.first()?;
    let named: Vec<String> = fits.iter().map(Fit::words).collect();
    let shared = match seen.slices {
        0 => String::new(),
        slices => format!(
            " It is divided into {slices} MIG slices, which were counted together; on another card they \
             may have to share."
        ),
    };
    let controller = case.controller();
    let text = format!(
        "Its {} used {} on average over the last 7 days ({}); the fullest held {} of {} at most, {} \
         with a fifth to spare. Less would do: {}. CPUs and main memory were not compared.{shared}{}",
        case.cards_are(gear),
        text::percent(seen.mean()),
        text::evidence(seen),
        text::measured_gib(needs.fullest_gib),
        text::gib(gear.memory_gib),
        text::measured_gib(needs.fullest_gib * HEADROOM),
        text::or(&named),
        controller.as_deref().unwrap_or_default(),
    );
    let unsure = seen.slices > 0 || controller.is_some();
    let doubts =
        first.doubts.len() + usize::from(seen.power_alone) + if unsure { UNSURE } else { 0 };
    Some(Advice {
        kind: AdviceKind::Oversized,
        text,
        saves_per_month: first.saves,
        confidence: confidence(doubts),
    })
}
