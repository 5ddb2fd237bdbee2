//! Whose word keeps which machine: exemptions of the configuration and of the state, keep tags,
//! protected types.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_budget::Exchange;
use reaper_ledger::State;
use reaper_model::document::KeptView;
use reaper_policy::{Policy, Protection};

use crate::assess::Assessed;
use crate::machine_view::local;

/// The machines that are kept, the first to lapse first; those that are kept for good last.
pub(crate) fn kept(
    machines: &[Assessed],
    policy: &Policy,
    state: &State,
    since: DateTime<Utc>,
    (exchange, zone): (&Exchange, Tz),
) -> Vec<KeptView> {
    let mut views: Vec<KeptView> = machines
        .iter()
        .filter_map(|machine| {
            let (until, why) = reason(machine, policy)?;
            let id = &machine.instance.id;
            let said = state.exemptions().find(|(kept, _)| *kept == id).map(|(_, kept)| kept.at);
            let owner = &machine.judgement.owner;
            let billed = machine.instance.meter.may_be_billed();
            let price = machine.price.value().filter(|_| billed);
            Some(KeptView {
                id: id.to_string(),
                name: machine.instance.name.value().cloned(),
                owner: (!owner.names.is_empty()).then(|| owner.names.join(", ")),
                until: until.map(|time| local(time, zone)),
                why,
                new: said.is_some_and(|said| said > since),
                per_month: price.map(|price| exchange.convert(price.per_month()).rounded()),
            })
        })
        .collect();
    views.sort_by_key(|view| (view.until.is_none(), view.until));
    views
}

/// Until when, and why; `None` where nothing keeps the machine.
fn reason(machine: &Assessed, policy: &Policy) -> Option<(Option<DateTime<Utc>>, String)> {
    let judgement = &machine.judgement;
    let place = judgement.exemption;
    if let Some(exemption) = place.and_then(|place| policy.exemptions().get(place)) {
        let by = exemption.owner.as_ref().map_or(String::new(), |owner| format!(" (by {owner})"));
        return Some((Some(exemption.until), format!("{}{by}", exemption.reason)));
    }
    match &judgement.protection {
        Protection::By(what) => Some((None, what.clone())),
        Protection::None | Protection::Unknown(_) => None,
    }
}
