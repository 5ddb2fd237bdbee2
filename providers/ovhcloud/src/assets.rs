//! What is charged beside machines: volumes, their snapshots, images and floating addresses of all
//! regions. Who uses what is told from both sides; what cannot be told is left behind by nobody.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Utc};
use futures::future::join_all;
use reaper_http::{Amount, Lenient};
use reaper_model::{
    Asset, AssetKind, Assets, Fact, Ignorance, InstanceId, Location, Money, ProviderName, Source,
    Unknown, User,
};
use reaper_provider::{CallContext, ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::client::{Api, FLOATING_IPS, IMAGES, SNAPSHOTS, VOLUMES};
use crate::convert::{CLOCK_TOLERANCE, FIRST_YEAR, Place};
use crate::notes::Notes;
use crate::owned::{self, Machines};
use crate::price::Prices;
use crate::wire::{FloatingIp, Image, Snapshot, Thing, Volume};

/// The plan of a floating address, which does not name one.
const FLOATING_IP_PLAN: &str = "floatingip.floatingip.hour.consumption";
/// The plan of snapshots of volumes, and that of images.
const SNAPSHOT_PLAN: &str = "volume.snapshot.consumption";
const IMAGE_PLAN: &str = "snapshot.consumption";

/// One reading of a project.
pub(crate) struct Reading<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) place: Place<'a>,
    pub(crate) prices: &'a Prices,
    pub(crate) notes: &'a Notes,
}

/// A list as it came, or why it did not.
type List<T> = Result<Vec<Lenient<T>>, ProviderError>;

impl Reading<'_> {
    /// Reads everything. What fails spoils its own kind alone.
    pub(crate) async fn run(&self) -> Assets {
        let Self { api, cx, prices, notes, .. } = *self;
        let (volumes, snapshots, (images, machines), addresses) = futures::join!(
            api.volumes(cx),
            api.volume_snapshots(cx),
            self.images(),
            self.floating_ips(),
        );
        let anything = [
            volumes.as_ref().is_ok_and(|list| !list.is_empty()),
            snapshots.as_ref().is_ok_and(|list| !list.is_empty()),
            images.as_ref().is_ok_and(|list| !list.is_empty()),
            !addresses.0.is_empty(),
        ];
        if anything.contains(&true) {
            prices.book(api, cx, notes).await;
        }
        let mut assets = Assets::default();
        let there = owned::ids(&volumes);
        take(&mut assets, AssetKind::Volume, volumes, |volume| self.volume(volume));
        take(&mut assets, AssetKind::Snapshot, snapshots, |snapshot| {
            self.snapshot(snapshot, there.as_ref())
        });
        take(&mut assets, AssetKind::Image, images, |image| self.image(image, &machines));
        let (addresses, gap) = addresses;
        take(&mut assets, AssetKind::Ip, Ok(addresses), |address| self.address(address));
        assets.unread.extend(gap.map(|gap| (AssetKind::Ip, gap)));
        assets
    }

    /// The images, and the machines only if there are images, which nothing else needs.
    async fn images(&self) -> (List<Image>, Result<Machines, ProviderError>) {
        let images = self.api.images(self.cx).await;
        if images.as_ref().is_ok_and(|images| !images.is_empty()) {
            let machines = self.api.instances(self.cx).await.map(Machines::new);
            return (images, machines);
        }
        (images, Ok(Machines::default()))
    }

    /// The floating addresses, which are asked for region by region. A right that is missing in the
    /// first one is missing in all; a region may lack the product.
    async fn floating_ips(&self) -> (Vec<Lenient<FloatingIp>>, Option<Unknown>) {
        let regions = match self.api.regions(self.cx).await {
            Ok(regions) => regions,
            Err(error) => return (Vec::new(), Some(gap_of(&error))),
        };
        let regions: Vec<&String> = regions.iter().filter_map(Lenient::good).collect();
        let Some((first, rest)) = regions.split_first() else { return (Vec::new(), None) };
        let ask = |region: &str| {
            let region = region.to_owned();
            async move { (self.api.floating_ips(self.cx, &region).await, region) }
        };
        let mut answers = vec![ask(first).await];
        if !matches!(&answers[..], [(Err(error), _)] if is_denied(error)) {
            answers.extend(join_all(rest.iter().map(|region| ask(region))).await);
        }
        let mut found = Vec::new();
        let mut unread: Option<(Vec<String>, ProviderError)> = None;
        for (answer, region) in answers {
            match answer {
                Ok(addresses) => found.extend(addresses),
                Err(error) if error.kind == ErrorKind::NotFound => {}
                Err(error) => unread.get_or_insert_with(|| (Vec::new(), error)).0.push(region),
            }
        }
        let gap = unread.map(|(regions, error)| {
            let Unknown { kind, why } = gap_of(&error);
            if is_denied(&error) {
                return Unknown { kind, why };
            }
            Unknown { kind, why: format!("{why} (in {})", regions.join(", ")) }
        });
        (found, gap)
    }

    fn volume(&self, volume: &Volume) -> Option<Asset> {
        let kind = volume.kind.good().map_or("", String::as_str);
        let plan = volume.thing.plan_code.good().cloned();
        let plan =
            plan.or_else(|| (!kind.is_empty()).then(|| format!("volume.{kind}.consumption")));
        self.asset(
            AssetKind::Volume,
            &volume.thing,
            VOLUMES,
            plan.as_deref(),
            owned::of_volume(volume),
        )
    }

    fn snapshot(
        &self,
        snapshot: &Snapshot,
        volumes: Result<&BTreeSet<String>, &Unknown>,
    ) -> Option<Asset> {
        let user = owned::of_snapshot(snapshot, volumes);
        let plan = snapshot.thing.plan_code.good().map_or(SNAPSHOT_PLAN, String::as_str);
        self.asset(AssetKind::Snapshot, &snapshot.thing, SNAPSHOTS, Some(plan), user)
    }

    fn image(&self, image: &Image, machines: &Result<Machines, ProviderError>) -> Option<Asset> {
        let user = match machines {
            Ok(machines) => machines.user_of(image),
            Err(error) => User::Unknown(gap_of(error)),
        };
        let plan = image.thing.plan_code.good().map_or(IMAGE_PLAN, String::as_str);
        self.asset(AssetKind::Image, &image.thing, IMAGES, Some(plan), user)
    }

    fn address(&self, address: &FloatingIp) -> Option<Asset> {
        let thing = Thing {
            id: address.id.clone(),
            name: address.ip.clone(),
            region: address.region.clone(),
            ..Thing::default()
        };
        let user = owned::of_address(address);
        let mut asset = self.asset(AssetKind::Ip, &thing, FLOATING_IPS, None, user)?;
        asset.created_at =
            Fact::unknown(Ignorance::NotOffered, "OVHcloud shows no date of an address");
        asset.per_month = self.prices.per_month(FLOATING_IP_PLAN, Decimal::ONE);
        Some(asset)
    }

    fn asset(
        &self,
        kind: AssetKind,
        thing: &Thing,
        call: &str,
        plan: Option<&str>,
        user: User,
    ) -> Option<Asset> {
        let place = &self.place;
        let native = thing.id.good().filter(|id| !id.is_empty())?.clone();
        let source = Source::new(call);
        let region = thing.region.good().filter(|region| !region.is_empty());
        let size = thing.size.good().map(|Amount(gib)| *gib).filter(|gib| *gib > Decimal::ZERO);
        Some(Asset {
            id: InstanceId {
                provider: ProviderName::new("ovhcloud"),
                account: place.account.clone(),
                location: region.map_or_else(|| place.location.clone(), Location::new),
                native,
            },
            kind,
            name: match thing.name.good().filter(|name| !name.is_empty()) {
                Some(name) => Fact::known(name.clone(), &source, place.now),
                None if thing.name.is_bad() => {
                    Fact::unknown(Ignorance::Unusable, "OVHcloud gave no readable name")
                }
                None => Fact::absent(&source),
            },
            size_gib: size.map(|gib| gib.normalize()),
            created_at: created_at(thing, &source, place.now),
            detached_at: Fact::unknown(
                Ignorance::NotOffered,
                "OVHcloud does not show since when something is not used",
            ),
            tags: place.tags.clone(),
            user,
            per_month: self.cost(size, plan, region.map(String::as_str)),
        })
    }

    /// What so much costs by its plan. Some plans carry the region behind them, for which the book
    /// has no row of its own.
    fn cost(&self, size: Option<Decimal>, plan: Option<&str>, region: Option<&str>) -> Fact<Money> {
        let unusable = |why: &str| Fact::unknown(Ignorance::Unusable, why);
        let Some(size) = size else { return unusable("OVHcloud does not say how big it is") };
        let Some(plan) = plan else { return unusable("OVHcloud does not say what kind it is") };
        let ordinary = region
            .and_then(|region| plan.strip_suffix(region))
            .and_then(|plan| plan.strip_suffix('.'))
            .unwrap_or(plan);
        self.prices.per_month(ordinary, size)
    }
}

/// Converts a list, and says what of it could not be read.
fn take<T>(
    assets: &mut Assets,
    kind: AssetKind,
    list: List<T>,
    convert: impl Fn(&T) -> Option<Asset>,
) {
    let list = match list {
        Ok(list) => list,
        Err(error) => return assets.unread.push((kind, gap_of(&error))),
    };
    let read: Vec<Asset> = list.iter().filter_map(|one| one.good().and_then(&convert)).collect();
    let nameless = list.len() - read.len();
    if nameless > 0 {
        let why = format!("{nameless} of {} have no readable id", list.len());
        assets.unread.push((kind, Unknown::new(Ignorance::Unusable, why)));
    }
    assets.got.extend(read);
}

/// Two eras of the API call the date differently.
fn created_at(thing: &Thing, source: &Source, now: DateTime<Utc>) -> Fact<DateTime<Utc>> {
    let text = thing.creation_date.good().or_else(|| thing.created.good());
    let time = text.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    match time.map(|time| time.to_utc()) {
        Some(time) if time.year() >= FIRST_YEAR && time <= now + CLOCK_TOLERANCE => {
            Fact::known(time, source, now)
        }
        Some(_) => Fact::unknown(Ignorance::Unusable, "OVHcloud gave an impossible date"),
        None => Fact::unknown(Ignorance::Unusable, "OVHcloud gave no readable date of creation"),
    }
}

fn is_denied(error: &ProviderError) -> bool {
    matches!(error.kind, ErrorKind::Denied { .. })
}

/// Only a missing right is how the world is; all else is a reading that failed.
pub(crate) fn gap_of(error: &ProviderError) -> Unknown {
    let kind = if is_denied(error) { Ignorance::NotOffered } else { Ignorance::ReadFailed };
    Unknown::new(kind, error.to_string())
}
