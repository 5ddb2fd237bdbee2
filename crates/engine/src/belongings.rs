//! What costs money beside machines, read place by place: what machines use stays charged when they
//! are stopped, what nobody uses is a leftover.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::document::{StillCharged, Warning};
use reaper_model::{
    AccountName, Asset, AssetKind, Assets, Ignorance, Instance, InstanceId, Listing, Location,
    Money, ProviderAccount, ProviderName, Unknown, User,
};
use reaper_provider::{CallContext, Identity, RequestCounter};

use crate::collect::{Account, Inventory};
use crate::side_by_side::side_by_side;
use crate::watch::Watch;

/// Everything that was read beside machines.
#[derive(Debug, Default)]
pub struct Belongings {
    /// Each thing once, with the account that it was read through.
    assets: BTreeMap<InstanceId, (AccountName, Asset)>,
    /// The things of each machine, by the machine.
    of_machine: BTreeMap<Native, BTreeSet<InstanceId>>,
    /// Each thing by its native id: a listing of machines names things so.
    by_native: BTreeMap<Native, InstanceId>,
    /// Kinds that could not be read, by account: where, and why.
    unread: BTreeMap<(AccountName, AssetKind, String), BTreeSet<Location>>,
}

/// A native id at an account, wherever it lies.
type Native = (ProviderName, ProviderAccount, String);

fn native(of: &InstanceId, id: &str) -> Native {
    (of.provider.clone(), of.account.clone(), id.to_owned())
}

const KINDS: [AssetKind; 5] = [
    AssetKind::Volume,
    AssetKind::Ip,
    AssetKind::Snapshot,
    AssetKind::Image,
    AssetKind::Filesystem,
];

/// The place of one reading.
struct Job {
    place: usize,
    account: Account,
    identity: Identity,
    location: Location,
}

impl Belongings {
    /// Reads the places whose machines could be listed, side by side.
    pub(crate) async fn read(
        inventory: &mut Inventory,
        accounts: &[Account],
        watch: &Watch,
        now: DateTime<Utc>,
    ) -> Self {
        let read = side_by_side(jobs(inventory, accounts), watch.scopes_at_once(), |job| {
            let watch = watch.clone();
            async move {
                let cx = CallContext { now, requests: RequestCounter::default() };
                let asked = job.account.provider.assets(&cx, &job.identity, &job.location);
                let assets = watch.within("what is left behind", asked).await;
                let assets = assets.unwrap_or_else(|error| {
                    let gap = Unknown::new(Ignorance::ReadFailed, error.to_string());
                    let unread = KINDS.into_iter().map(|kind| (kind, gap.clone())).collect();
                    Assets { got: Vec::new(), unread }
                });
                (job, cx.requests.sent(), assets)
            }
        })
        .await;
        let mut found = Self::default();
        for (job, requests, assets) in read {
            if let Some(scope) = inventory.scopes.get_mut(job.place) {
                scope.requests += requests;
            }
            found.take(&job.account.name, &job.location, assets);
        }
        found
    }

    fn take(&mut self, account: &AccountName, location: &Location, assets: Assets) {
        for (kind, gap) in assets.unread {
            let places = self.unread.entry((account.clone(), kind, gap.why)).or_default();
            places.insert(location.clone());
        }
        for asset in assets.got {
            let id = asset.id.clone();
            if let User::Machine(machine) = &asset.user {
                self.of_machine.entry(native(&id, machine)).or_default().insert(id.clone());
            }
            self.by_native.entry(native(&id, &id.native)).or_insert_with(|| id.clone());
            self.assets.entry(id).or_insert_with(|| (account.clone(), asset));
        }
    }

    /// What nobody uses, as far as both the things and the machines say.
    pub(crate) fn leftovers<'a>(
        &'a self,
        machines: impl Iterator<Item = &'a Instance>,
    ) -> impl Iterator<Item = (&'a AccountName, &'a Asset)> {
        // Between the two readings a thing may have been attached.
        let held: BTreeSet<&str> = machines
            .flat_map(|machine| machine.attached.iter().map(|attached| attached.id.as_str()))
            .collect();
        self.assets.values().filter_map(move |(account, asset)| {
            let unused = matches!(asset.user, User::Nobody { .. });
            (unused && !held.contains(asset.id.native.as_str())).then_some((account, asset))
        })
    }

    /// What goes on being charged for a machine that is stopped: all that its listing shows, and
    /// all that says that it belongs to it, with prices where they are known.
    pub(crate) fn still_charged(&self, machine: &Instance) -> Vec<StillCharged> {
        let listed = machine.attached.iter().map(|attached| {
            let id = self.by_native.get(&native(&machine.id, &attached.id));
            let asset = id.and_then(|id| self.assets.get(id));
            StillCharged {
                kind: attached.kind.to_owned(),
                id: attached.id.clone(),
                per_month: asset.and_then(|(_, asset)| price(asset)),
            }
        });
        let listing_shows =
            |asset: &&Asset| machine.attached.iter().any(|held| held.id == asset.id.native);
        let besides =
            self.of(machine).filter(|asset| !listing_shows(asset)).map(|asset| StillCharged {
                kind: asset.kind.name().to_owned(),
                id: asset.id.native.clone(),
                per_month: price(asset),
            });
        listed.chain(besides).collect()
    }

    /// All that says that it belongs to a machine.
    pub(crate) fn of(&self, machine: &Instance) -> impl Iterator<Item = &Asset> {
        let ids = self.of_machine.get(&native(&machine.id, &machine.id.native));
        let ids = ids.into_iter().flatten();
        ids.filter_map(|id| self.assets.get(id)).map(|(_, asset)| asset)
    }

    /// One warning for each cause: what could not be read is not "nothing left behind".
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Warning> {
        self.unread.iter().map(|((account, kind, why), places)| {
            let places: Vec<&str> = places.iter().map(Location::as_str).collect();
            Warning {
                code: "leftovers-unread".to_owned(),
                text: format!(
                    "{account}: kind {} could not be read in {}, so what is left behind there is \
                     not known: {why}",
                    kind.name(),
                    places.join(", ")
                ),
                subject: Some(account.to_string()),
            }
        })
    }
}

fn price(asset: &Asset) -> Option<Money> {
    asset.per_month.value().map(|money| money.rounded())
}

fn jobs(inventory: &Inventory, accounts: &[Account]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (place, read) in inventory.scopes.iter().enumerate() {
        let name = &read.scope.account;
        let account = accounts.iter().find(|account| account.name == *name);
        let identity = inventory.identities.get(name);
        if let (Some(account), Some(identity), false) =
            (account, identity, matches!(read.listing, Listing::Failed(_)))
        {
            jobs.push(Job {
                place,
                account: account.clone(),
                identity: identity.clone(),
                location: read.scope.location.clone(),
            });
        }
    }
    jobs
}
