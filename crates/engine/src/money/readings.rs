//! Machines as the meters record them.

use reaper_model::{Billed, InstanceId, Noted, Purchase, Reading, Tags};

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
        account: account.clone(),
        machine_type: instance.machine_type.clone(),
        name: instance.name.value().cloned(),
        owners: judgement.owner.names.clone(),
        team: judgement.owner.team.clone(),
        tags: instance.tags.value().map(Tags::to_map).unwrap_or_default(),
    }
}

/// The readings of all machines.
pub(crate) fn readings(machines: &[Assessed]) -> Vec<(InstanceId, Reading)> {
    machines.iter().map(|machine| (machine.instance.id.clone(), reading(machine))).collect()
}
