//! Who uses a volume, a snapshot, an image or an address. OVHcloud says it of volumes and addresses;
//! a snapshot belongs to its volume; of an image only its name and the machines tell.

use std::collections::BTreeSet;

use reaper_http::Lenient;
use reaper_model::{Ignorance, Unknown, User};
use reaper_provider::ProviderError;

use crate::assets::gap_of;
use crate::wire::{Entity, FloatingIp, Image, Instance, Snapshot, Volume};

/// What OVHcloud appends to the name of a machine when it shelves it.
const SHELVED: &str = "-shelved";

fn unusable(why: impl Into<String>) -> User {
    User::Unknown(Unknown::new(Ignorance::Unusable, why))
}

/// The ids of all volumes; without the whole list nobody can say that one is gone.
pub(crate) fn ids(
    volumes: &Result<Vec<Lenient<Volume>>, ProviderError>,
) -> Result<BTreeSet<String>, Unknown> {
    match volumes {
        Err(error) => Err(gap_of(error)),
        Ok(volumes) => volumes
            .iter()
            .map(|volume| volume.good().and_then(|volume| volume.thing.id.good()).cloned())
            .collect::<Option<_>>()
            .ok_or_else(|| Unknown::new(Ignorance::Unusable, "a volume has no readable id")),
    }
}

/// The machine or machines that a volume is attached to. A volume on its way to a machine or back
/// names none, and is not free.
pub(crate) fn of_volume(volume: &Volume) -> User {
    let Some(machines) = volume.attached_to.good() else {
        return unusable("OVHcloud does not say what the volume is attached to");
    };
    let status = volume.status.good().map_or("", String::as_str);
    match machines.as_slice() {
        [machine] => User::Machine(machine.clone()),
        [] if matches!(status, "in-use" | "attaching" | "detaching" | "reserved") => {
            unusable(format!("OVHcloud says that the volume is {status}, and names no machine"))
        }
        [] => User::Nobody { of: None },
        several => User::Other(format!("machines {}", several.join(", "))),
    }
}

/// The volume that a snapshot is of, as long as there is one.
pub(crate) fn of_snapshot(
    snapshot: &Snapshot,
    volumes: Result<&BTreeSet<String>, &Unknown>,
) -> User {
    let Some(volume) = snapshot.volume_id.good().filter(|volume| !volume.is_empty()) else {
        return unusable("OVHcloud does not say of which volume the snapshot is");
    };
    match volumes {
        Ok(volumes) if volumes.contains(volume) => {
            User::Other(format!("volume {volume}, which it is of"))
        }
        Ok(_) => User::Nobody { of: Some(volume.clone()) },
        Err(gap) => User::Unknown(gap.clone()),
    }
}

/// What a floating address leads to.
pub(crate) fn of_address(address: &FloatingIp) -> User {
    match &address.associated_entity {
        Lenient::Good(Entity { kind, id }) => match (kind.good(), id.good()) {
            (Some(kind), Some(id)) if kind == "instance" => User::Machine(id.clone()),
            (Some(kind), Some(id)) => User::Other(format!("{kind} {id}")),
            _ => unusable("OVHcloud does not say what the address leads to"),
        },
        Lenient::Missing if address.status.good().is_some_and(|status| status == "active") => {
            unusable("OVHcloud says that the address is active, and not for what")
        }
        Lenient::Missing => User::Nobody { of: None },
        Lenient::Bad(_) => unusable("what the address leads to cannot be read"),
    }
}

/// The machines of a project, with and without accelerators.
#[derive(Debug, Default)]
pub(crate) struct Machines {
    all: Vec<Instance>,
    /// Whether one could not be read, which may be the one that is looked for.
    has_gaps: bool,
}

impl Machines {
    /// The machines of a listing.
    pub(crate) fn new(listed: Vec<Lenient<Instance>>) -> Self {
        let total = listed.len();
        let all: Vec<Instance> = listed
            .into_iter()
            .filter_map(|machine| machine.take("machine", &mut Vec::new()))
            .filter(|machine| machine.id.good().is_some() && machine.name.good().is_some())
            .collect();
        Self { has_gaps: all.len() < total, all }
    }

    /// Who uses an image: the machine that was shelved into it and comes back from it; a machine
    /// that was made of it; else a machine of whose name its own begins, for it is a backup then.
    pub(crate) fn user_of(&self, image: &Image) -> User {
        let Some(id) = image.thing.id.good() else { return unusable("the image has no id") };
        let name = image.thing.name.good().map_or("", String::as_str);
        if let Some(machine) = self.find(|it| it.image_id.good() == Some(id)) {
            return User::Other(format!("machine {machine}, which was made of it"));
        }
        let region = image.thing.region.good();
        let here = |machine: &Instance| region.is_none() || machine.region.good() == region;
        if let Some(of) = name.strip_suffix(SHELVED)
            && let Some(machine) = self.find(|it| here(it) && called(it) == of && is_shelved(it))
        {
            return User::Machine(machine.to_owned());
        }
        if let Some(machine) = self.find(|it| here(it) && begins_with(name, called(it))) {
            return User::Other(format!("machine {machine}, a backup of it by its name"));
        }
        if self.has_gaps {
            return unusable("a machine that may be the image's cannot be read");
        }
        User::Nobody { of: None }
    }

    fn find(&self, fits: impl Fn(&Instance) -> bool) -> Option<&str> {
        let machine = self.all.iter().find(|machine| fits(machine))?;
        machine.id.good().map(String::as_str)
    }
}

fn called(machine: &Instance) -> &str {
    machine.name.good().map_or("", String::as_str)
}

/// Whether a machine is shelved, or on its way there or back.
fn is_shelved(machine: &Instance) -> bool {
    let status = machine.status.good().map_or("", String::as_str);
    status.starts_with("SHELV") || status == "UNSHELVING"
}

/// Whether a name is that of a machine, or begins with it as a whole word.
fn begins_with(name: &str, machine: &str) -> bool {
    let rest = name.strip_prefix(machine).filter(|_| !machine.is_empty());
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_told_by_a_whole_name() {
        assert!(begins_with("train-01 2026-11-02", "train-01"));
        assert!(begins_with("train-01", "train-01"));
        assert!(!begins_with("train-012", "train-01"));
        assert!(!begins_with("eval", "train-01"));
        assert!(!begins_with("eval", ""), "a machine without a name has no backups by name");
    }
}
