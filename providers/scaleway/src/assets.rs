//! What is charged beside servers in one zone: local and block volumes, snapshots of both, images,
//! flexible addresses. Each list is read on its own, so that what fails spoils its own kind alone.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Asset, AssetKind, Assets, Fact, Ignorance, InstanceId, Money, ProviderName, Source, Tags,
    Unknown, User,
};
use reaper_provider::{CallContext, ErrorKind, ProviderError};
use rust_decimal::Decimal;

use crate::client::{Api, Shelf};
use crate::convert::{CLOCK_TOLERANCE, FIRST_YEAR, Place, time};
use crate::owned::{self, Others};
use crate::rates::{self, Rates};
use crate::tags;
use crate::things::{
    BlockSnapshot, BlockVolume, Image, Ip, Listed, LocalSnapshot, LocalVolume, Page, VolumeType,
};
use crate::wire::{Server, Servers};

const BYTES_PER_GIB: u64 = 1 << 30;
/// IPv6 addresses cost nothing.
const IPV6: &str = "routed_ipv6";

/// One reading of a zone.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) place: Place<'a>,
    /// Only these projects; empty for all that the key sees.
    pub(crate) projects: &'a [String],
}

/// A list as far as it was read, each thing once.
struct Read<T> {
    got: Vec<T>,
    gap: Option<Unknown>,
}

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self { got: Vec::new(), gap: None }
    }
}

impl<T> Read<T> {
    /// Notes why something is missing; the first reason is told.
    fn note(&mut self, gap: Option<Unknown>) {
        self.gap = self.gap.take().or(gap);
    }

    /// Takes what can be read.
    fn take(&mut self, things: Vec<Lenient<T>>, what: &str) {
        for thing in things {
            match thing {
                Lenient::Good(thing) => self.got.push(thing),
                Lenient::Missing | Lenient::Bad(_) => {
                    let why = format!("{what} of the zone cannot be read");
                    self.note(Some(Unknown::new(Ignorance::Unusable, why)));
                }
            }
        }
    }
}

impl Reading<'_> {
    /// Reads everything. Servers and prices are asked for only where something hangs on them.
    pub(crate) async fn run(&self) -> Assets {
        let ((local, block), (local_snapshots, block_snapshots), images, addresses) = futures::join!(
            async { futures::join!(self.read(Shelf::Volumes), self.read(Shelf::BlockVolumes)) },
            async { futures::join!(self.read(Shelf::Snapshots), self.read(Shelf::BlockSnapshots)) },
            self.read(Shelf::Images),
            self.read(Shelf::Ips),
        );
        let local: Read<LocalVolume> = local;
        let block: Read<BlockVolume> = block;
        let local_snapshots: Read<LocalSnapshot> = local_snapshots;
        let block_snapshots: Read<BlockSnapshot> = block_snapshots;
        let mut images: Read<Image> = images;
        let addresses: Read<Ip> = addresses;
        // Scaleway's own images are everybody's.
        images.got.retain(|image| image.public.good() != Some(&true));
        let (servers, rates) = futures::join!(
            self.servers(!images.got.is_empty()),
            self.rates(!block.got.is_empty() || !block_snapshots.got.is_empty()),
        );

        let mut others = Others::default();
        others.add_volumes(&local.got, local.gap.as_ref());
        others.add_volumes(&block.got, block.gap.as_ref());
        others.add_images(&images.got, images.gap.as_ref());
        others.add_servers(&servers.got, servers.gap.as_ref());

        let mut assets = Assets::default();
        let gaps = [
            (AssetKind::Volume, local.gap),
            (AssetKind::Volume, block.gap),
            (AssetKind::Snapshot, local_snapshots.gap),
            (AssetKind::Snapshot, block_snapshots.gap),
            (AssetKind::Image, images.gap),
            (AssetKind::Ip, addresses.gap),
        ];
        assets.unread.extend(gaps.into_iter().filter_map(|(kind, gap)| Some((kind, gap?))));
        assets.got.extend(local.got.iter().map(|volume| self.local_volume(volume)));
        assets.got.extend(block.got.iter().filter_map(|volume| self.block_volume(volume, &rates)));
        let local_snapshots = local_snapshots.got.iter();
        assets.got.extend(local_snapshots.map(|snapshot| self.local_snapshot(snapshot, &others)));
        let block_snapshots = block_snapshots.got.iter();
        assets
            .got
            .extend(block_snapshots.map(|snapshot| self.block_snapshot(snapshot, &others, &rates)));
        let images: Vec<Asset> =
            images.got.iter().map(|image| self.image(image, &others, &assets.got)).collect();
        assets.got.extend(images);
        let charged = addresses.got.iter().filter(|ip| ip.kind.good().is_none_or(|it| it != IPV6));
        assets.got.extend(charged.map(|ip| self.address(ip)));
        assets
    }

    /// One list, of every configured project or of all that the key sees. Scaleway denies a project
    /// that is gone as it denies one that may not be read: the others are read all the same.
    async fn read<T: Listed>(&self, shelf: Shelf) -> Read<T> {
        let mut read = Read::default();
        let mut seen = BTreeSet::new();
        for project in self.projects() {
            if let Err(error) = self.pages(shelf, project, &mut seen, &mut read).await {
                read.note(Some(gap_of(&error)));
                if error.kind.is_account_wide() {
                    break;
                }
            }
        }
        read
    }

    /// Every configured project, or once none for all that the key sees.
    fn projects(&self) -> Vec<Option<&str>> {
        if self.projects.is_empty() {
            return vec![None];
        }
        self.projects.iter().map(|project| Some(project.as_str())).collect()
    }

    /// The pages of one list. That the first is not found means that the zone lacks the product.
    async fn pages<T: Listed>(
        &self,
        shelf: Shelf,
        project: Option<&str>,
        seen: &mut BTreeSet<String>,
        read: &mut Read<T>,
    ) -> Result<(), ProviderError> {
        let mut pages = self.api.things(self.place.zone, shelf, project);
        let mut next = match pages.next::<Page<T>>(self.cx).await {
            Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
            first => first?,
        };
        let (before, mut nameless) = (seen.len(), 0);
        while let Some(page) = next {
            for thing in page.things {
                let thing = thing.take("thing", &mut Vec::new());
                let Some((id, thing)) = thing.and_then(|it| Some((it.id()?.clone(), it))) else {
                    nameless += 1;
                    continue;
                };
                // A thing that is made meanwhile shifts others to the next page.
                if seen.insert(id) {
                    read.got.push(thing);
                }
            }
            next = pages.next(self.cx).await?;
        }
        if nameless > 0 {
            let why = format!("{nameless} {} have no readable id", shelf.words());
            read.note(Some(Unknown::new(Ignorance::Unusable, why)));
        }
        let listed = (seen.len() - before + nameless) as u64;
        match pages.announced() {
            Some(announced) if announced != listed => {
                let detail = format!("{announced} {} announced, {listed} listed", shelf.words());
                let kind = ErrorKind::Inconsistent;
                Err(ProviderError::answered(kind, shelf.name(), detail))
            }
            _ => Ok(()),
        }
    }

    /// The servers of the zone, which tell what images are for.
    async fn servers(&self, wanted: bool) -> Read<Server> {
        let mut read = Read::default();
        for project in self.projects().into_iter().filter(|_| wanted) {
            let mut pages = self.api.servers(self.place.zone, project);
            let ended = loop {
                match pages.next::<Servers>(self.cx).await {
                    Ok(Some(page)) => read.take(page.servers, "a server"),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(gap_of(&error)),
                }
            };
            read.note(ended.err());
        }
        read
    }

    async fn rates(&self, wanted: bool) -> Rates {
        let kinds: Read<VolumeType> = if wanted {
            let mut kinds = Read::default();
            let mut seen = BTreeSet::new();
            let listed = self.pages(Shelf::VolumeTypes, None, &mut seen, &mut kinds).await;
            kinds.note(listed.err().map(|error| gap_of(&error)));
            kinds
        } else {
            Read::default()
        };
        Rates::new(&kinds.got, kinds.gap, self.cx.now)
    }

    fn local_volume(&self, volume: &LocalVolume) -> Asset {
        let LocalVolume { id, name, size, creation_date, tags, .. } = volume;
        let common = Common { id, name, size: Some(size), made: creation_date, tags };
        let asset =
            self.asset(AssetKind::Volume, Shelf::Volumes, common, owned::of_local_volume(volume));
        Asset { per_month: rates::local(), ..asset }
    }

    /// A block volume that is not on its way out.
    fn block_volume(&self, volume: &BlockVolume, rates: &Rates) -> Option<Asset> {
        let BlockVolume { id, name, size, created_at, tags, .. } = volume;
        let status = volume.status.good().map(String::as_str);
        if matches!(status, Some("deleting" | "deleted")) {
            return None;
        }
        let common = Common { id, name, size: Some(size), made: created_at, tags };
        let user = owned::of_block_volume(volume);
        let asset = self.asset(AssetKind::Volume, Shelf::BlockVolumes, common, user);
        let kind = volume.kind.good().map(String::as_str);
        Some(Asset {
            detached_at: self.detached_at(volume, &asset),
            per_month: rates.volume(kind, size.good().copied()),
            ..asset
        })
    }

    /// Since when nobody uses a block volume: one that was never attached, since it was made.
    fn detached_at(&self, volume: &BlockVolume, asset: &Asset) -> Fact<DateTime<Utc>> {
        let source = Source::new(Shelf::BlockVolumes.name());
        if !matches!(asset.user, User::Nobody { .. }) {
            return Fact::absent(&source);
        }
        match &volume.last_detached_at {
            Some(Lenient::Missing) => asset.created_at.clone(),
            Some(Lenient::Good(text)) => self.date(Some(text), &source),
            Some(Lenient::Bad(_)) | None => Fact::unknown(
                Ignorance::Unusable,
                "Scaleway gave no readable date of the detachment",
            ),
        }
    }

    fn local_snapshot(&self, snapshot: &LocalSnapshot, others: &Others) -> Asset {
        let LocalSnapshot { id, name, size, creation_date, tags, .. } = snapshot;
        let common = Common { id, name, size: Some(size), made: creation_date, tags };
        let user = others.of_local_snapshot(snapshot);
        let asset = self.asset(AssetKind::Snapshot, Shelf::Snapshots, common, user);
        Asset { per_month: rates::local(), ..asset }
    }

    fn block_snapshot(&self, snapshot: &BlockSnapshot, others: &Others, rates: &Rates) -> Asset {
        let BlockSnapshot { id, name, size, created_at, tags, .. } = snapshot;
        let common = Common { id, name, size: Some(size), made: created_at, tags };
        let user = others.of_block_snapshot(snapshot);
        let asset = self.asset(AssetKind::Snapshot, Shelf::BlockSnapshots, common, user);
        let parent = snapshot.parent_volume.as_ref().and_then(Lenient::good);
        let kind = parent.and_then(|parent| parent.kind.good()).map(String::as_str);
        Asset { per_month: rates.snapshot(kind, size.good().copied()), ..asset }
    }

    /// An image costs what its snapshots cost.
    fn image(&self, image: &Image, others: &Others, listed: &[Asset]) -> Asset {
        let Image { id, name, creation_date, tags, .. } = image;
        let common = Common { id, name, size: None, made: creation_date, tags };
        let asset = self.asset(AssetKind::Image, Shelf::Images, common, others.of_image(image));
        let listed: BTreeMap<&str, &Asset> = listed
            .iter()
            .filter(|asset| asset.kind == AssetKind::Snapshot)
            .map(|asset| (asset.id.native.as_str(), asset))
            .collect();
        let snapshots: Option<Vec<&Asset>> = owned::snapshots_of(image)
            .and_then(|ids| ids.iter().map(|id| listed.get(id.as_str()).copied()).collect());
        let Some(snapshots) = snapshots else {
            let why = "the snapshots that the image stands on were not all read";
            return Asset { per_month: Fact::unknown(Ignorance::Unusable, why), ..asset };
        };
        let size_gib: Option<Decimal> = snapshots.iter().map(|snapshot| snapshot.size_gib).sum();
        Asset { size_gib, per_month: sum(&snapshots), ..asset }
    }

    fn address(&self, ip: &Ip) -> Asset {
        let common = Common {
            id: &ip.id,
            name: &ip.address,
            size: None,
            made: &Lenient::Missing,
            tags: &ip.tags,
        };
        let asset = self.asset(AssetKind::Ip, Shelf::Ips, common, owned::of_address(ip));
        let created_at =
            Fact::unknown(Ignorance::NotOffered, "Scaleway shows no date of an address");
        Asset { created_at, per_month: rates::address(), ..asset }
    }

    fn asset(&self, kind: AssetKind, shelf: Shelf, common: Common<'_>, user: User) -> Asset {
        let source = Source::new(shelf.name());
        let now = self.place.now;
        let size = common.size.and_then(Lenient::good).filter(|bytes| **bytes > 0);
        Asset {
            id: InstanceId {
                provider: ProviderName::new("scaleway"),
                account: self.place.organisation.clone(),
                location: self.place.zone.clone(),
                native: common.id.good().cloned().unwrap_or_default(),
            },
            kind,
            name: match common.name.good().filter(|name| !name.is_empty()) {
                Some(name) => Fact::known(name.clone(), &source, now),
                None if common.name.is_bad() => {
                    Fact::unknown(Ignorance::Unusable, "its name cannot be read")
                }
                None => Fact::absent(&source),
            },
            size_gib: size.map(|bytes| gib(*bytes)),
            created_at: self.date(common.made.good(), &source),
            detached_at: Fact::unknown(
                Ignorance::NotOffered,
                "Scaleway shows of block volumes alone since when nobody uses them",
            ),
            tags: tags_of(common.tags, &source, now),
            user,
            per_month: Fact::unknown(Ignorance::NotAsked, "its price was not looked up"),
        }
    }

    fn date(&self, text: Option<&String>, source: &Source) -> Fact<DateTime<Utc>> {
        let now = self.place.now;
        match text.and_then(|text| time(text)) {
            Some(date) if date.year() >= FIRST_YEAR && date <= now + CLOCK_TOLERANCE => {
                Fact::known(date, source, now)
            }
            Some(_) => Fact::unknown(Ignorance::Unusable, "Scaleway gave an impossible date"),
            None => Fact::unknown(Ignorance::Unusable, "Scaleway gave no readable date"),
        }
    }
}

/// What all kinds have in common, under the names of either API.
#[derive(Clone, Copy)]
struct Common<'a> {
    id: &'a Lenient<String>,
    name: &'a Lenient<String>,
    /// Bytes; `None` for what has no size of its own.
    size: Option<&'a Lenient<u64>>,
    made: &'a Lenient<String>,
    tags: &'a Lenient<Vec<Lenient<String>>>,
}

fn tags_of(raw: &Lenient<Vec<Lenient<String>>>, source: &Source, now: DateTime<Utc>) -> Fact<Tags> {
    tags::read(raw.clone(), source, now, &mut Vec::new())
}

fn gib(bytes: u64) -> Decimal {
    (Decimal::from(bytes) / Decimal::from(BYTES_PER_GIB)).round_dp(2).normalize()
}

/// What several things cost together, as far as all prices are known and in one currency.
fn sum(of: &[&Asset]) -> Fact<Money> {
    let unusable = |why: &str| Fact::unknown(Ignorance::Unusable, why);
    let Some((first, rest)) = of.split_first() else {
        return unusable("Scaleway does not say what the image stands on");
    };
    rest.iter().fold(first.per_month.clone(), |sum, asset| match (sum, &asset.per_month) {
        (Fact::Known { value, source, as_of }, Fact::Known { value: more, .. }) => {
            if value.currency != more.currency {
                return unusable("its snapshots have prices in several currencies");
            }
            let money = Money::new(value.amount + more.amount, value.currency);
            Fact::Known { value: money, source, as_of }
        }
        (Fact::Known { .. }, gap) => gap.clone(),
        (gap, _) => gap,
    })
}

/// Only a missing right, which is also said of a project that is gone, is how the world is; all
/// else is a reading that failed.
fn gap_of(error: &ProviderError) -> Unknown {
    let kind = match error.kind {
        ErrorKind::Denied { .. } | ErrorKind::NotEnabled => Ignorance::NotOffered,
        _ => Ignorance::ReadFailed,
    };
    Unknown::new(kind, error.to_string())
}
