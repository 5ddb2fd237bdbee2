//! Machines as the meters record them.

use reaper_ledger::State;
use reaper_model::document::OwnerStatus;
use reaper_model::{Billed, Ignorance, InstanceId, Meter, Noted, Purchase, Reading, Tags};

use crate::assess::Assessed;

/// What this run's look at a machine says of its bill.
pub(crate) fn reading(machine: &Assessed) -> Reading {
    let Assessed { instance, account, judgement, price, .. } = machine;
    Reading {
        // What nobody knows counts as billed, here as everywhere.
        billed: if instance.meter.may_be_billed() {
            Billed::Since(instance.up_since().value().copied())
        } else {
            Billed::NotSince(instance.stopped_at.value().copied())
        },
        price: price.value().map(Noted::from),
        committed: matches!(instance.purchase, Purchase::Reserved(_)),
        uncertain: instance.meter == Meter::Unknown,
        blind: is_blind(machine),
        account: account.clone(),
        machine_type: instance.machine_type.clone(),
        name: instance.name.value().cloned(),
        owners: judgement.owner.names.clone(),
        team: judgement.owner.team.clone(),
        tags: instance.tags.value().map(Tags::to_map).unwrap_or_default(),
    }
}

fn is_blind(machine: &Assessed) -> bool {
    let tags = machine.instance.tags.gap().map(|gap| gap.kind);
    tags == Some(Ignorance::ReadFailed)
        || machine.judgement.owner.status == OwnerStatus::Unreadable
            && machine.judgement.owner.gap.as_ref().map(|gap| gap.kind)
                == Some(Ignorance::ReadFailed)
}

/// The readings of all machines. Where tags or owner cannot be read today they count as they were
/// last known: money does not change its owner because a request failed.
pub(crate) fn readings(machines: &[Assessed], state: &State) -> Vec<(InstanceId, Reading)> {
    let of = |machine: &Assessed| {
        let id = &machine.instance.id;
        let fresh = reading(machine);
        let before = state.meter(id).and_then(|meter| meter.last()).map(|last| &last.reading);
        let reading = match before.filter(|before| fresh.blind && !before.blind) {
            Some(before) => Reading {
                blind: false,
                owners: before.owners.clone(),
                team: before.team.clone(),
                tags: before.tags.clone(),
                ..fresh
            },
            None => fresh,
        };
        (id.clone(), reading)
    };
    machines.iter().map(of).collect()
}
