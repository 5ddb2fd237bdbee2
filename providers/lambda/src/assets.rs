//! What is charged beside machines: file systems, mounted or not, as long as they exist. Lambda says
//! whether one is in use; by which machine, the listing of machines tells.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Asset, AssetKind, Assets, Fact, Ignorance, InstanceId, Location, Money, ProviderAccount,
    ProviderName, Source, Tag, Tags, Unknown, User,
};
use reaper_provider::{ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::client::FILE_SYSTEMS;
use crate::price::CURRENCY;
use crate::wire::{Creator, FileSystem, Instance, Region};

/// USD per GiB and month. No call tells it: it is the rate by which Lambda's page on billing works
/// its example, and stands there as one.
const RATE: Decimal = Decimal::from_parts(20, 0, 0, false, 2);
/// How facts name that page.
const RATE_SOURCE: &str = "Lambda's documentation on billing (example rate)";
/// When the page was read: on 1 August 2026.
const RATE_DAY: DateTime<Utc> = DateTime::from_timestamp_nanos(1_785_542_400_000_000_000);
const BYTES_PER_GIB: u64 = 1 << 30;
/// Lambda's cloud opened in this year: an older date is a filler.
const FIRST_YEAR: i32 = 2018;
/// How far ahead of us Lambda's clock may be before a date counts as of the future.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// The tag that stands for who made a file system, which has no tags.
const CREATOR: &str = "created_by";

/// Which machines have mounted what, as one listing of all machines shows it.
#[derive(Debug, Default)]
pub(crate) struct Mounts {
    by_id: BTreeMap<String, BTreeSet<String>>,
    /// By region and name, for machines that do not tell the ids.
    by_name: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Mounts {
    /// The mounts of a listing, machines without accelerators included. What cannot be read shows
    /// no mount; Lambda's own word, that a file system is in use, holds all the same.
    pub(crate) fn of(machines: &[Lenient<Instance>]) -> Self {
        let mut mounts = Self::default();
        for machine in machines.iter().filter_map(Lenient::good) {
            let Some(id) = machine.id.good() else { continue };
            for mount in machine.file_system_mounts.good().into_iter().flatten() {
                mounts.by_id.entry(mount.file_system_id.clone()).or_default().insert(id.clone());
            }
            let Some(Region { name: region }) = machine.region.good() else { continue };
            for name in machine.file_system_names.good().into_iter().flatten() {
                let key = (region.clone(), name.clone());
                mounts.by_name.entry(key).or_default().insert(id.clone());
            }
        }
        mounts
    }

    /// The machines that have mounted a file system.
    fn machines(&self, id: &str, region: &str, name: Option<&str>) -> BTreeSet<&str> {
        let named = name.and_then(|name| self.by_name.get(&(region.to_owned(), name.to_owned())));
        let mounted = self.by_id.get(id).into_iter().chain(named);
        mounted.flatten().map(String::as_str).collect()
    }
}

/// What all file systems of one reading share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shelf<'a> {
    pub(crate) account: &'a ProviderAccount,
    /// The listing's own location, for a file system that does not say its region.
    pub(crate) location: &'a Location,
    /// The run's clock (UTC).
    pub(crate) now: DateTime<Utc>,
}

/// The file systems of the account.
pub(crate) fn read(
    systems: Result<Vec<Lenient<FileSystem>>, ProviderError>,
    mounts: &Mounts,
    shelf: &Shelf<'_>,
) -> Assets {
    let systems = match systems {
        Ok(systems) => systems,
        Err(error) => {
            return Assets {
                got: Vec::new(),
                unread: vec![(AssetKind::Filesystem, gap_of(&error))],
            };
        }
    };
    let total = systems.len();
    let got: Vec<Asset> =
        systems.into_iter().filter_map(|system| asset(system, mounts, shelf)).collect();
    let nameless = total - got.len();
    let mut unread = Vec::new();
    if nameless > 0 {
        let why = format!("{nameless} of {total} file systems have no readable id");
        unread.push((AssetKind::Filesystem, Unknown::new(Ignorance::Unusable, why)));
    }
    Assets { got, unread }
}

/// Only a missing right is how the world is; all else is a reading that failed.
fn gap_of(error: &ProviderError) -> Unknown {
    let kind = match error.kind {
        ErrorKind::Denied { .. } | ErrorKind::NotEnabled => Ignorance::NotOffered,
        _ => Ignorance::ReadFailed,
    };
    Unknown::new(kind, error.to_string())
}

fn asset(system: Lenient<FileSystem>, mounts: &Mounts, shelf: &Shelf<'_>) -> Option<Asset> {
    let Lenient::Good(system) = system else { return None };
    let native = system.id.good().filter(|id| !id.is_empty())?.clone();
    let source = Source::new(FILE_SYSTEMS);
    let region = system.region.good().map(|region| region.name.as_str());
    let name = system.name.good().filter(|name| !name.is_empty());
    let machines = mounts.machines(&native, region.unwrap_or_default(), name.map(String::as_str));
    Some(Asset {
        id: InstanceId {
            provider: ProviderName::new("lambda"),
            account: shelf.account.clone(),
            location: region.map_or_else(|| shelf.location.clone(), Location::new),
            native,
        },
        kind: AssetKind::Filesystem,
        name: match name {
            Some(name) => Fact::known(name.clone(), &source, shelf.now),
            None if system.name.is_bad() => {
                Fact::unknown(Ignorance::Unusable, "the name cannot be read")
            }
            None => Fact::absent(&source),
        },
        size_gib: system.bytes_used.good().map(|bytes| gib(*bytes).round_dp(2).normalize()),
        created_at: created_at(&system.created, &source, shelf.now),
        detached_at: Fact::unknown(
            Ignorance::NotOffered,
            "Lambda does not show since when a file system is not in use",
        ),
        tags: tags(&system.created_by, &source, shelf.now),
        user: user(&machines, &system.is_in_use),
        per_month: per_month(&system.bytes_used),
    })
}

/// A machine that shows a mount is believed before Lambda's word that nobody uses it.
fn user(machines: &BTreeSet<&str>, in_use: &Lenient<bool>) -> User {
    let mut listed = machines.iter();
    match (listed.next(), listed.next(), in_use) {
        (Some(machine), None, _) => User::Machine((*machine).to_owned()),
        (Some(_), Some(_), _) => {
            let machines: Vec<&str> = machines.iter().copied().collect();
            User::Other(format!("machines {}", machines.join(", ")))
        }
        (None, _, Lenient::Good(true)) => User::Other("a machine that was not listed".to_owned()),
        (None, _, Lenient::Good(false)) => User::Nobody { of: None },
        (None, _, Lenient::Missing | Lenient::Bad(_)) => User::Unknown(Unknown::new(
            Ignorance::Unusable,
            "Lambda does not say whether the file system is in use",
        )),
    }
}

fn created_at(
    created: &Lenient<String>,
    source: &Source,
    now: DateTime<Utc>,
) -> Fact<DateTime<Utc>> {
    let time = created.good().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    match time.map(|time| time.to_utc()) {
        Some(time) if time.year() >= FIRST_YEAR && time <= now + CLOCK_TOLERANCE => {
            Fact::known(time, source, now)
        }
        Some(_) => Fact::unknown(Ignorance::Unusable, "Lambda gave an impossible creation date"),
        None => Fact::unknown(Ignorance::Unusable, "Lambda gave no readable creation date"),
    }
}

/// File systems have no tags. Who made one stands for a tag, so that it can name the owner where
/// the configuration says that this key does.
fn tags(creator: &Lenient<Creator>, source: &Source, now: DateTime<Utc>) -> Fact<Tags> {
    match creator.good().and_then(|creator| creator.email.good()).filter(|mail| !mail.is_empty()) {
        Some(email) => Fact::known(Tags::new(vec![Tag::pair(CREATOR, email)]), source, now),
        None => Fact::unknown(Ignorance::NotOffered, "Lambda's file systems have no tags"),
    }
}

/// Whatever is stored, by the rate. No bytes at all are a figure that is not there yet.
fn per_month(bytes: &Lenient<u64>) -> Fact<Money> {
    match bytes.good() {
        Some(bytes) if *bytes > 0 => {
            let money = Money::new(RATE, CURRENCY).times(gib(*bytes));
            Fact::known(money, &Source::new(RATE_SOURCE), RATE_DAY)
        }
        Some(_) => Fact::unknown(
            Ignorance::NotOffered,
            "Lambda shows 0 bytes, a figure that it renews every few hours",
        ),
        None => Fact::unknown(Ignorance::Unusable, "Lambda does not say how much is stored"),
    }
}

fn gib(bytes: u64) -> Decimal {
    Decimal::from(bytes) / Decimal::from(BYTES_PER_GIB)
}
