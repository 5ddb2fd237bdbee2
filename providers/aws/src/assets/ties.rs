//! Who uses what: which machine has a volume or an address, which volume and image a snapshot is of,
//! what is launched from an image. What cannot be told is nobody's leftover.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::primitives::DateTime as RawTime;
use aws_sdk_ec2::types::{
    Address, Image, ServiceManaged, Snapshot, SnapshotState, StorageTier, Volume, VolumeAttachment,
    VolumeAttachmentState,
};
use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Ignorance, Unknown, User};
use reaper_provider::ProviderError;

use crate::assets::read::Read;

/// The volume that EC2 names where it does not tell of which one a snapshot is: of a copy.
const NO_VOLUME: &str = "vol-ffffffff";
/// The tag by which AWS Backup marks its snapshots, which it alone deletes.
const BACKUP: &str = "aws:backup:source-resource";
/// How long a launch says that something launches from an image, be no machine of it left: groups
/// and templates that are scaled to nothing cannot be seen from here.
const LAUNCHES: TimeDelta = TimeDelta::days(30);

/// What hangs together in a region.
pub(super) struct Ties<'a> {
    /// Volumes that are there.
    volumes: BTreeSet<&'a str>,
    volumes_unread: Option<Unknown>,
    /// Of each snapshot under an image, the image, of several the first.
    images: BTreeMap<&'a str, &'a str>,
    images_unread: Option<Unknown>,
    /// Of a volume the machine that an image was made of when it had the volume.
    machines: BTreeMap<&'a str, &'a str>,
    /// Of each volume the oldest of its snapshots, which holds all its blocks.
    oldest: BTreeMap<&'a str, &'a str>,
    /// Of an image a machine that was launched from it.
    launched: Result<BTreeMap<String, String>, Unknown>,
    now: DateTime<Utc>,
}

impl<'a> Ties<'a> {
    /// Of what was read of a region.
    pub(super) fn new(
        volumes: &'a Read<Volume>,
        snapshots: &'a Read<Snapshot>,
        images: &'a Read<Image>,
        launched: Result<BTreeMap<String, String>, ProviderError>,
        now: DateTime<Utc>,
    ) -> Self {
        let under = images.got.iter().flat_map(|image| {
            snapshots_of(image).filter_map(|snapshot| Some((snapshot, image.image_id()?)))
        });
        let mut image_of = BTreeMap::new();
        for (snapshot, image) in under {
            let known = image_of.entry(snapshot).or_insert(image);
            *known = image.min(*known);
        }
        let whole = |one: &&Snapshot| one.state() == Some(&SnapshotState::Completed);
        let mut dated: Vec<&Snapshot> =
            snapshots.got.iter().filter(whole).filter(|one| !archived(one)).collect();
        dated.sort_by_key(|one| {
            (one.start_time().map_or(i64::MAX, RawTime::secs), one.snapshot_id())
        });
        let mut oldest = BTreeMap::new();
        let mut machines = BTreeMap::new();
        for snapshot in dated {
            let Some((id, volume)) = snapshot.snapshot_id().zip(volume_of(snapshot)) else {
                continue;
            };
            oldest.entry(volume).or_insert(id);
            if let Some(machine) = imaged_machine(snapshot.description().unwrap_or_default()) {
                machines.insert(volume, machine);
            }
        }
        Self {
            volumes: volumes.got.iter().filter_map(Volume::volume_id).collect(),
            volumes_unread: volumes.error.as_ref().map(unread),
            images: image_of,
            images_unread: images.error.as_ref().map(unread),
            machines,
            oldest,
            launched: launched.map_err(|error| unread(&error)),
            now,
        }
    }

    /// Who uses a volume.
    pub(super) fn of_volume(&self, volume: &Volume) -> User {
        let attached = volume
            .attachments()
            .iter()
            .find(|one| one.state() != Some(&VolumeAttachmentState::Detached));
        if let Some(attached) = attached {
            return match attached.instance_id().filter(|id| !id.is_empty()) {
                Some(machine) => User::Machine(machine.to_owned()),
                None => User::Other(holder(attached)),
            };
        }
        let operator = volume.operator().filter(|operator| operator.managed() == Some(true));
        if let Some(operator) = operator {
            return User::Other(operator.principal().unwrap_or("an AWS service").to_owned());
        }
        match volume.state().map_or("", |state| state.as_str()) {
            "available" => {
                let id = volume.volume_id().unwrap_or_default();
                User::Nobody { of: self.machines.get(id).map(|machine| (*machine).to_owned()) }
            }
            state => strange(state),
        }
    }

    /// Who uses an address.
    pub(super) fn of_address(address: &Address) -> User {
        let said = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        if let Some(service) = address.service_managed() {
            return User::Other(service_words(service));
        }
        if let Some(machine) = said(address.instance_id()) {
            return User::Machine(machine);
        }
        if let Some(interface) = said(address.network_interface_id()) {
            return User::Other(format!("network interface {interface}"));
        }
        match said(address.association_id()) {
            Some(association) => User::Other(format!("association {association}")),
            None => User::Nobody { of: None },
        }
    }

    /// Who uses a snapshot.
    pub(super) fn of_snapshot(&self, snapshot: &Snapshot) -> User {
        let id = snapshot.snapshot_id().unwrap_or_default();
        if let Some(image) = self.images.get(id) {
            return User::Other(format!("image {image}"));
        }
        if snapshot.tags().iter().any(|tag| tag.key() == Some(BACKUP)) {
            return User::Other("AWS Backup".to_owned());
        }
        let state = snapshot.state().map_or("", |state| state.as_str());
        if state != "completed" {
            return strange(state);
        }
        let Some(volume) = volume_of(snapshot) else {
            let why = "it is a copy, and EC2 does not tell of which volume";
            return User::Unknown(Unknown::new(Ignorance::NotOffered, why));
        };
        if self.volumes.contains(volume) {
            return User::Other(format!("volume {volume}"));
        }
        match self.volumes_unread.as_ref().or(self.images_unread.as_ref()) {
            Some(unread) => User::Unknown(unread.clone()),
            None => User::Nobody { of: Some(volume.to_owned()) },
        }
    }

    /// Who uses an image: whatever launches from it.
    pub(super) fn of_image(&self, image: &Image, last_launch: Option<DateTime<Utc>>) -> User {
        let id = image.image_id().unwrap_or_default();
        let machine = self.launched.as_ref().ok().and_then(|machines| machines.get(id));
        if let Some(machine) = machine {
            return User::Other(format!("machine {machine}"));
        }
        if image.public() == Some(true) {
            return User::Other("everybody: it is public".to_owned());
        }
        if let Some(launch) = last_launch.filter(|launch| self.now - *launch <= LAUNCHES) {
            return User::Other(format!("launches, the last on {}", launch.format("%Y-%m-%d")));
        }
        if let Err(unread) = &self.launched {
            return User::Unknown(unread.clone());
        }
        match image.state().map_or("", |state| state.as_str()) {
            "available" | "disabled" => {
                User::Nobody { of: image.source_instance_id().map(str::to_owned) }
            }
            state => strange(state),
        }
    }

    /// Before which other snapshot of its volume this one was made later, so that it is charged for
    /// what has changed alone. One in the archive is whole.
    pub(super) fn follows(&self, snapshot: &Snapshot) -> Option<&'a str> {
        let oldest = *volume_of(snapshot).and_then(|volume| self.oldest.get(volume))?;
        (!archived(snapshot) && snapshot.snapshot_id() != Some(oldest)).then_some(oldest)
    }

    /// The image that a snapshot is counted with.
    pub(super) fn image_of(&self, snapshot: &str) -> Option<&'a str> {
        self.images.get(snapshot).copied()
    }
}

/// The snapshots that an image stands on.
pub(super) fn snapshots_of(image: &Image) -> impl Iterator<Item = &str> {
    let devices = image.block_device_mappings().iter();
    devices.filter_map(|device| device.ebs()?.snapshot_id()).filter(|id| !id.is_empty())
}

/// Whether it lies in the archive, whose price is another.
pub(super) fn archived(snapshot: &Snapshot) -> bool {
    snapshot.storage_tier() == Some(&StorageTier::Archive)
}

/// What could not be read, and why.
pub(super) fn unread(error: &ProviderError) -> Unknown {
    Unknown::new(Ignorance::ReadFailed, error.to_string())
}

fn volume_of(snapshot: &Snapshot) -> Option<&str> {
    snapshot.volume_id().filter(|id| !id.is_empty() && *id != NO_VOLUME)
}

/// The machine in `Created by CreateImage(i-0abc) for ami-0def`, which EC2 writes by itself.
fn imaged_machine(description: &str) -> Option<&str> {
    let (_, rest) = description.split_once("CreateImage(")?;
    let (machine, _) = rest.split_once(')')?;
    machine.starts_with("i-").then_some(machine)
}

fn strange(state: &str) -> User {
    let why = format!("EC2 calls its state `{state}`");
    User::Unknown(Unknown::new(Ignorance::Unusable, why))
}

/// Who has a volume that hangs on no machine of the account.
fn holder(attached: &VolumeAttachment) -> String {
    let said = attached.associated_resource().or_else(|| attached.instance_owning_service());
    said.unwrap_or("an AWS service").to_owned()
}

fn service_words(service: &ServiceManaged) -> String {
    match service.as_str() {
        "alb" => "an application load balancer",
        "nlb" => "a network load balancer",
        "rnat" => "a regional NAT gateway",
        "rds" => "a database of RDS",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
