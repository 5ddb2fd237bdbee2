//! What costs money beside machines in one region: volumes, elastic addresses, snapshots and images,
//! with who uses them and what a month of them costs.
//!
//! The four listings are independent: one that is denied spoils its kind alone, and leaves open whose
//! the others are where that hangs on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_ec2::types::{Address, Image, Snapshot, Tag as RawTag, Volume};
use chrono::{DateTime, Utc};
use reaper_model::{
    Asset, AssetKind, Assets, Fact, Ignorance, InstanceId, Location, Money, ProviderAccount,
    ProviderName, Source, Tags, Unknown,
};
use rust_decimal::Decimal;

use crate::assets::read::{ADDRESSES, IMAGES, Read, SNAPSHOTS, VOLUMES};
use crate::assets::ties::{Ties, archived, snapshots_of, unread};
use crate::client::MoneyClient;
use crate::convert::{self, Place};
use crate::storage::{Sheet, Storage};
use crate::wire::Wire;

mod read;
mod ties;

/// Bytes of a GiB.
const GIB: i64 = 1 << 30;

/// One region that is being looked through.
pub(crate) struct Survey<'a> {
    /// The region's calls.
    pub(crate) wire: Wire<'a>,
    /// The account that answered.
    pub(crate) account: &'a ProviderAccount,
    /// The region.
    pub(crate) location: &'a Location,
    /// What is known of prices.
    pub(crate) storage: &'a Storage,
    /// Asks AWS's price list, where that is wanted.
    pub(crate) money: Option<Arc<MoneyClient>>,
}

impl Survey<'_> {
    /// Reads all four kinds.
    pub(crate) async fn run(self) -> Assets {
        let (mut volumes, addresses, mut snapshots, mut images) = futures::join!(
            self.wire.volumes(),
            self.wire.addresses(),
            self.wire.snapshots(),
            self.wire.images(),
        );
        // What is on its way out costs nothing any more; what is somebody else's costs others.
        volumes.got.retain(|one| !is_over(one.state().map_or("", |state| state.as_str())));
        snapshots.got.retain(|one| self.is_own(one.owner_id()));
        images.got.retain(|one| self.is_own(one.owner_id()));
        images.got.retain(|one| !is_over(one.state().map_or("", |state| state.as_str())));
        let ids: Vec<String> = images.got.iter().filter_map(|it| it.image_id.clone()).collect();
        let launched = self.wire.launched_from(&ids).await;
        let sheet = self.sheet(&volumes.got, &snapshots.got).await;
        let ties = Ties::new(&volumes, &snapshots, &images, launched, self.wire.cx.now);

        let mut seen = BTreeSet::new();
        let mut got = Vec::new();
        got.extend(volumes.got.iter().filter_map(|one| self.volume(one, &ties, &sheet)));
        got.extend(addresses.got.iter().filter_map(|one| self.address(one, &sheet)));
        let listed = snapshots.got.iter().filter_map(|one| self.snapshot(one, &ties, &sheet));
        let listed: Vec<Asset> = listed.collect();
        let kept: BTreeMap<&str, &Asset> =
            listed.iter().map(|one| (one.id.native.as_str(), one)).collect();
        got.extend(images.got.iter().filter_map(|one| self.image(one, &ties, &kept)));
        got.extend(listed);
        // Pages of a listing may overlap.
        got.retain(|one| seen.insert(one.id.native.clone()));
        let unread = [
            missing(AssetKind::Volume, &volumes),
            missing(AssetKind::Ip, &addresses),
            missing(AssetKind::Snapshot, &snapshots),
            missing(AssetKind::Image, &images),
        ];
        Assets { got, unread: unread.into_iter().flatten().collect() }
    }

    /// The region's prices, as far as these things need them.
    async fn sheet(&self, volumes: &[Volume], snapshots: &[Snapshot]) -> Sheet {
        let needed = Sheet::needed(volumes, !snapshots.is_empty());
        let money = self.money.as_deref();
        self.storage.sheet(money, self.wire.cx, self.location, &needed).await
    }

    fn is_own(&self, owner: Option<&str>) -> bool {
        owner.is_none_or(|owner| owner.is_empty() || owner == self.account.as_str())
    }

    fn volume(&self, raw: &Volume, ties: &Ties<'_>, sheet: &Sheet) -> Option<Asset> {
        let source = Source::new(VOLUMES);
        let tags = self.tags(raw.tags(), &source);
        Some(Asset {
            id: self.id(raw.volume_id())?,
            kind: AssetKind::Volume,
            name: convert::name(&tags),
            size_gib: raw.size().map(Decimal::from),
            created_at: convert::time(raw.create_time(), "creation time", &self.place(&source)),
            detached_at: not_told("EC2 does not tell when a volume was detached"),
            tags,
            user: ties.of_volume(raw),
            per_month: sheet.volume(raw),
        })
    }

    /// An address is known by itself and not by its allocation id, as it is in listings of machines.
    fn address(&self, raw: &Address, sheet: &Sheet) -> Option<Asset> {
        let source = Source::new(ADDRESSES);
        let tags = self.tags(raw.tags(), &source);
        let ip = [raw.public_ip(), raw.carrier_ip(), raw.customer_owned_ip(), raw.allocation_id()];
        Some(Asset {
            id: self.id(ip.into_iter().flatten().find(|ip| !ip.is_empty()))?,
            kind: AssetKind::Ip,
            name: convert::name(&tags),
            size_gib: None,
            created_at: not_told("EC2 does not tell when an address was taken"),
            detached_at: not_told("EC2 does not tell when an address was last used"),
            tags,
            user: Ties::of_address(raw),
            per_month: sheet.address(raw),
        })
    }

    /// Its size is that of all its blocks, where EC2 tells it, else that of its volume: both are the
    /// most that it can be charged for, because blocks that it shares with older snapshots of the
    /// same volume are charged with those.
    fn snapshot(&self, raw: &Snapshot, ties: &Ties<'_>, sheet: &Sheet) -> Option<Asset> {
        let source = Source::new(SNAPSHOTS);
        let tags = self.tags(raw.tags(), &source);
        let size = gib(raw);
        Some(Asset {
            id: self.id(raw.snapshot_id())?,
            kind: AssetKind::Snapshot,
            name: convert::name(&tags),
            size_gib: size,
            created_at: convert::time(raw.start_time(), "start time", &self.place(&source)),
            detached_at: not_told("EC2 does not tell when the volume of a snapshot was deleted"),
            tags,
            user: ties.of_snapshot(raw),
            per_month: match (ties.follows(raw), size) {
                (Some(oldest), _) => not_told(&format!(
                    "only what has changed since {oldest} is charged, and EC2 does not tell how \
                     much that is"
                )),
                (None, Some(_)) if raw.outpost_arn().is_some() => {
                    not_told("it lies on an Outpost, whose disks are paid for as a whole")
                }
                (None, Some(size)) => sheet.snapshot(size, archived(raw)),
                (None, None) => not_told("EC2 gives no size of it"),
            },
        })
    }

    /// What an image costs are its snapshots; those that it shares count with the image of the
    /// lowest id.
    fn image(
        &self,
        raw: &Image,
        ties: &Ties<'_>,
        snapshots: &BTreeMap<&str, &Asset>,
    ) -> Option<Asset> {
        let source = Source::new(IMAGES);
        let place = self.place(&source);
        let id = self.id(raw.image_id())?;
        let tags = self.tags(raw.tags(), &source);
        let name = raw.name().filter(|name| !name.is_empty());
        let under: Vec<&str> = snapshots_of(raw).collect();
        let sizes: Option<Vec<Decimal>> =
            under.iter().map(|id| snapshots.get(id)?.size_gib).collect();
        let last_launch = raw.last_launched_time().and_then(|text| text.parse().ok());
        Some(Asset {
            kind: AssetKind::Image,
            name: name.map_or_else(
                || convert::name(&tags),
                |name| Fact::known(name.to_owned(), &source, place.now),
            ),
            size_gib: sizes.filter(|all| !all.is_empty()).map(|all| all.into_iter().sum()),
            created_at: created(raw.creation_date(), &place),
            detached_at: not_told("EC2 does not tell when the last machine of an image went"),
            tags,
            user: ties.of_image(raw, last_launch),
            per_month: cost_of_image(&id.native, &under, ties, snapshots),
            id,
        })
    }

    fn id(&self, native: Option<&str>) -> Option<InstanceId> {
        Some(InstanceId {
            provider: ProviderName::new("aws"),
            account: self.account.clone(),
            location: self.location.clone(),
            native: native.filter(|id| !id.is_empty())?.to_owned(),
        })
    }

    fn place<'b>(&'b self, source: &'b Source) -> Place<'b> {
        Place { account: self.account, location: self.location, source, now: self.wire.cx.now }
    }

    fn tags(&self, raw: &[RawTag], source: &Source) -> Fact<Tags> {
        match raw {
            [] => Fact::absent(source),
            raw => Fact::known(convert::tags(raw), source, self.wire.cx.now),
        }
    }
}

fn is_over(state: &str) -> bool {
    matches!(state, "deleting" | "deleted" | "deregistered")
}

fn missing<T>(kind: AssetKind, read: &Read<T>) -> Option<(AssetKind, Unknown)> {
    read.error.as_ref().map(|error| (kind, unread(error)))
}

fn not_told<T>(why: &str) -> Fact<T> {
    Fact::unknown(Ignorance::NotOffered, why)
}

/// GiB of all blocks of a snapshot, else of its volume.
fn gib(raw: &Snapshot) -> Option<Decimal> {
    let bytes = raw.full_snapshot_size_in_bytes().filter(|bytes| *bytes > 0);
    bytes
        .map(|bytes| (Decimal::from(bytes) / Decimal::from(GIB)).round_dp(2).normalize())
        .or_else(|| raw.volume_size().map(Decimal::from))
}

/// An image's date comes as a text.
fn created(text: Option<&str>, place: &Place<'_>) -> Fact<DateTime<Utc>> {
    match text.map(str::parse::<DateTime<Utc>>) {
        Some(Ok(time)) if convert::sensible(time, place.now) => {
            Fact::known(time, place.source, place.now)
        }
        Some(_) => Fact::unknown(Ignorance::Unusable, "EC2 gave an impossible creation date"),
        None => Fact::unknown(Ignorance::Unusable, "EC2 gave no creation date"),
    }
}

fn cost_of_image(
    image: &str,
    under: &[&str],
    ties: &Ties<'_>,
    snapshots: &BTreeMap<&str, &Asset>,
) -> Fact<Money> {
    let mut sum: Option<Fact<Money>> = None;
    for id in under {
        if let Some(other) = ties.image_of(id).filter(|other| *other != image) {
            return not_told(&format!("{id} under it is counted with {other}"));
        }
        let Some(snapshot) = snapshots.get(id) else {
            return not_told(&format!("what {id} under it costs is not known"));
        };
        let (Fact::Known { value, source, as_of }, so_far) = (&snapshot.per_month, &sum) else {
            return snapshot.per_month.clone();
        };
        let before = so_far.as_ref().and_then(Fact::value).map_or(Decimal::ZERO, |it| it.amount);
        sum = Some(Fact::known(Money { amount: before + value.amount, ..*value }, source, *as_of));
    }
    sum.unwrap_or_else(|| not_told("it stands on no snapshot whose price is known"))
}
