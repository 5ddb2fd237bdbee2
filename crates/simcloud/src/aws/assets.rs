//! What is at AWS beside machines: volumes that hang on none, addresses, snapshots and images.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::aws::instance::{Instance, Volume, gp3, hundred};
use crate::aws::world::{AwsWorld, AwsWorldError};
use crate::clock::{Clock, When};

/// The volume that EC2 names where it does not tell of which one a snapshot is.
const NO_VOLUME: &str = "vol-ffffffff";

/// A volume that hangs on no machine of the world (`[[aws.volume]]`); the others stand with their
/// machines.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LooseVolume {
    /// The account's twelve digits.
    pub account: String,
    /// The region.
    pub region: String,
    /// `vol-…`
    pub id: String,
    /// GiB.
    #[serde(default = "hundred")]
    pub size_gib: u32,
    /// `gp3`, `io2`, …
    #[serde(default = "gp3")]
    pub kind: String,
    /// Operations per second that were ordered.
    pub iops: Option<u32>,
    /// MiB per second that were ordered.
    pub throughput: Option<u32>,
    /// When it was made; left out of answers when absent.
    pub created: Option<When>,
    /// EC2's word for its state.
    #[serde(default = "available")]
    pub state: String,
    /// The availability zone; else the region's `a`.
    pub zone: Option<String>,
    /// The tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

/// An elastic address (`[[aws.address]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// The account's twelve digits.
    pub account: String,
    /// The region.
    pub region: String,
    /// The address itself.
    pub ip: String,
    /// The machine that has it.
    pub machine: Option<String>,
    /// `eni-…`, where something else has it.
    pub interface: Option<String>,
    /// The service that has it for the account: `alb`, `nlb`, `rnat`, `rds`.
    pub service: Option<String>,
    /// The pool that it is of.
    #[serde(default = "amazon")]
    pub pool: String,
    /// The tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

/// A snapshot (`[[aws.snapshot]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The account's twelve digits: whose it is.
    pub account: String,
    /// The region.
    pub region: String,
    /// `snap-…`
    pub id: String,
    /// The volume that it is of; absent: EC2 does not tell, as of a copy.
    #[serde(default = "no_volume")]
    pub volume: String,
    /// GiB of that volume.
    #[serde(default = "hundred")]
    pub size_gib: u32,
    /// Bytes of all its blocks; left out of answers when absent.
    pub full_bytes: Option<u64>,
    /// When it was begun; left out of answers when absent.
    pub started: Option<When>,
    /// EC2's word for its state.
    #[serde(default = "completed")]
    pub state: String,
    /// `standard` or `archive`.
    #[serde(default = "standard")]
    pub tier: String,
    /// What its maker wrote.
    #[serde(default)]
    pub description: String,
    /// Whether all accounts see it.
    #[serde(default)]
    pub public: bool,
    /// The tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

/// A machine image (`[[aws.image]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The account's twelve digits: whose it is.
    pub account: String,
    /// The region.
    pub region: String,
    /// `ami-…`
    pub id: String,
    /// Its name.
    #[serde(default = "image_name")]
    pub name: String,
    /// The snapshots of its devices.
    #[serde(default)]
    pub snapshots: Vec<String>,
    /// When it was made; left out of answers when absent.
    pub created: Option<When>,
    /// When a machine was last launched from it.
    pub last_launched: Option<When>,
    /// The machine that it was made from.
    pub source_machine: Option<String>,
    /// EC2's word for its state.
    #[serde(default = "available")]
    pub state: String,
    /// Whether all accounts see it and may launch it.
    #[serde(default)]
    pub public: bool,
    /// The tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

fn available() -> String {
    "available".to_owned()
}

fn amazon() -> String {
    "amazon".to_owned()
}

fn completed() -> String {
    "completed".to_owned()
}

fn standard() -> String {
    "standard".to_owned()
}

fn no_volume() -> String {
    NO_VOLUME.to_owned()
}

fn image_name() -> String {
    "image".to_owned()
}

/// Things of one kind by region and id, which for an address is the address.
#[derive(Debug)]
pub(crate) struct Shelf<T>(BTreeMap<String, BTreeMap<String, T>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Shelf<T> {
    fn put(&mut self, region: &str, id: &str, thing: T) -> Result<(), AwsWorldError> {
        let there = self.0.entry(region.to_owned()).or_default();
        if there.contains_key(id) {
            return Err(AwsWorldError::DoubleInstance(id.to_owned()));
        }
        there.insert(id.to_owned(), thing);
        Ok(())
    }

    /// All of a region, in the order of their ids.
    pub(crate) fn of(&self, region: &str) -> impl Iterator<Item = (&str, &T)> {
        let things = self.0.get(region).into_iter().flatten();
        things.map(|(id, thing)| (id.as_str(), thing))
    }
}

/// Everything beside machines.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    pub(crate) volumes: Shelf<LooseVolume>,
    pub(crate) addresses: Shelf<Address>,
    pub(crate) snapshots: Shelf<Snapshot>,
    pub(crate) images: Shelf<Image>,
}

/// A volume, wherever it stands.
pub(crate) struct Shown<'a> {
    pub(crate) id: &'a str,
    pub(crate) size_gib: u32,
    pub(crate) kind: &'a str,
    pub(crate) iops: Option<u32>,
    pub(crate) throughput: Option<u32>,
    pub(crate) created: Option<When>,
    pub(crate) state: &'a str,
    pub(crate) zone: String,
    pub(crate) tags: &'a BTreeMap<String, String>,
    /// The machine that has it, since when, and as what.
    pub(crate) attached: Option<(&'a str, Option<When>, &'a Volume)>,
}

impl AwsWorld {
    /// One more volume that hangs on no machine.
    pub fn add_volume(&mut self, volume: LooseVolume) -> Result<(), AwsWorldError> {
        self.is_place(&volume.account, &volume.region, &volume.id)?;
        let (region, id) = (volume.region.clone(), volume.id.clone());
        self.assets.volumes.put(&region, &id, volume)
    }

    /// One more address.
    pub fn add_address(&mut self, address: Address) -> Result<(), AwsWorldError> {
        self.is_place(&address.account, &address.region, &address.ip)?;
        let (region, ip) = (address.region.clone(), address.ip.clone());
        self.assets.addresses.put(&region, &ip, address)
    }

    /// One more snapshot.
    pub fn add_snapshot(&mut self, snapshot: Snapshot) -> Result<(), AwsWorldError> {
        self.is_place(&snapshot.account, &snapshot.region, &snapshot.id)?;
        let (region, id) = (snapshot.region.clone(), snapshot.id.clone());
        self.assets.snapshots.put(&region, &id, snapshot)
    }

    /// One more image.
    pub fn add_image(&mut self, image: Image) -> Result<(), AwsWorldError> {
        self.is_place(&image.account, &image.region, &image.id)?;
        let (region, id) = (image.region.clone(), image.id.clone());
        self.assets.images.put(&region, &id, image)
    }

    /// All volumes of an account in a region, by id. What does not go with its machine stays and is
    /// free when the machine has ended.
    pub(crate) fn volumes(
        &self,
        clock: &Clock,
        account: &str,
        region: &str,
    ) -> BTreeMap<&str, Shown<'_>> {
        let loose = self.assets.volumes.of(region).filter(|(_, one)| one.account == account);
        let mut shown: BTreeMap<&str, Shown<'_>> =
            loose.map(|(id, volume)| (id, volume.shown())).collect();
        for machine in self.machines(account, region).into_iter().flat_map(BTreeMap::values) {
            let over = machine.state_at(clock) == "terminated";
            for volume in machine.volumes.iter().filter(|it| !(over && it.delete_on_termination)) {
                let since = machine.created.or(machine.launched);
                let one = Shown {
                    id: &volume.id,
                    size_gib: volume.size_gib,
                    kind: &volume.kind,
                    iops: volume.iops,
                    throughput: volume.throughput,
                    created: since,
                    state: if over { "available" } else { "in-use" },
                    zone: machine.zone(),
                    tags: &volume.tags,
                    attached: (!over).then_some((machine.id.as_str(), since, volume)),
                };
                shown.insert(&volume.id, one);
            }
        }
        shown
    }

    /// What a machine that goes without a trace leaves: the volumes that do not go with it.
    pub(super) fn leave_volumes(&mut self, machine: &Instance) {
        for volume in machine.volumes.iter().filter(|it| !it.delete_on_termination) {
            let left = LooseVolume {
                account: machine.account.clone(),
                region: machine.region.clone(),
                id: volume.id.clone(),
                size_gib: volume.size_gib,
                kind: volume.kind.clone(),
                iops: volume.iops,
                throughput: volume.throughput,
                created: machine.created.or(machine.launched),
                state: available(),
                zone: Some(machine.zone()),
                tags: volume.tags.clone(),
            };
            let there = self.assets.volumes.0.entry(machine.region.clone()).or_default();
            there.insert(volume.id.clone(), left);
        }
    }
}

impl LooseVolume {
    fn shown(&self) -> Shown<'_> {
        Shown {
            id: &self.id,
            size_gib: self.size_gib,
            kind: &self.kind,
            iops: self.iops,
            throughput: self.throughput,
            created: self.created,
            state: &self.state,
            zone: self.zone.clone().unwrap_or_else(|| format!("{}a", self.region)),
            tags: &self.tags,
            attached: None,
        }
    }
}
