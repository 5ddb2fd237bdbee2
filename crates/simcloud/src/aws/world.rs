//! The AWS section of the world: accounts, types, machines by account and region, sessions.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::Span;
use serde::Deserialize;

use crate::act::{Passages, span};
use crate::aws::account::Account;
use crate::aws::act::{End, Key};
use crate::aws::assets::{Address, Assets, Image, LooseVolume, Snapshot};
use crate::aws::costs::Charge;
use crate::aws::instance::Instance;
use crate::aws::paging::Quirk;
use crate::aws::prices::{Price, PriceList, SpotPrice, StoragePrice};
use crate::aws::region::{DEFAULT, OPT_IN, OptIn};
use crate::aws::types::InstanceType;

/// Machines of one account in one region, by id.
pub(crate) type Machines = BTreeMap<String, Instance>;

/// Everything that exists at AWS (`[aws]`).
#[derive(Debug, Deserialize)]
#[serde(try_from = "AwsFile")]
pub struct AwsWorld {
    accounts: BTreeMap<String, Account>,
    regions: Option<BTreeSet<String>>,
    types: BTreeMap<String, InstanceType>,
    machines: BTreeMap<String, BTreeMap<String, Machines>>,
    quirks: Vec<Quirk>,
    max_clock_skew_s: Option<u32>,
    sessions: BTreeMap<String, Session>,
    /// How old the amounts are that Cost Explorer shows.
    pub bill_age: Span,
    charges: Vec<Charge>,
    pub(crate) assets: Assets,
    pub(crate) prices: PriceList,
    pub(crate) passages: Passages<Key, End>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AwsFile {
    account: Vec<Account>,
    /// Regions for every account instead of the real ones.
    regions: Option<BTreeSet<String>>,
    types: BTreeMap<String, InstanceType>,
    instance: Vec<Instance>,
    /// Volumes that hang on no machine.
    volume: Vec<LooseVolume>,
    /// Elastic addresses.
    address: Vec<Address>,
    snapshot: Vec<Snapshot>,
    image: Vec<Image>,
    quirk: Vec<Quirk>,
    /// Requests signed further from the world's clock than this are refused; absent: never.
    max_clock_skew_s: Option<u32>,
    /// How old the amounts are that Cost Explorer shows, such as `18h`.
    #[serde(deserialize_with = "span")]
    bill_age: Span,
    /// What is charged besides the time of machines.
    charge: Vec<Charge>,
    /// Prices on demand, besides the built-in ones or instead of them.
    price: Vec<Price>,
    /// Prices of spot capacity.
    spot_price: Vec<SpotPrice>,
    /// Prices of disks and snapshots, besides the built-in ones or instead of them.
    storage_price: Vec<StoragePrice>,
}

/// The AWS section contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum AwsWorldError {
    /// Two accounts of one number, or two accounts with one key.
    #[error("account {0} is there twice, or shares an access key with another")]
    DoubleAccount(String),
    /// A machine, or what is beside machines, in no account.
    #[error("{instance} is in account {account}, which is not in this world")]
    NoAccount {
        /// The machine's id.
        instance: String,
        /// The account it names.
        account: String,
    },
    /// The same in no region.
    #[error("{instance} is in region {region}, which is not in this world")]
    NoRegion {
        /// The machine's id.
        instance: String,
        /// The region it names.
        region: String,
    },
    /// Two machines or other things of one id.
    #[error("{0} is there twice")]
    DoubleInstance(String),
}

/// A role session.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) account: String,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) expires: DateTime<Utc>,
}

impl Default for AwsWorld {
    /// An AWS without accounts, with the built-in types and regions.
    fn default() -> Self {
        Self {
            accounts: BTreeMap::new(),
            regions: None,
            types: InstanceType::built_in(),
            machines: BTreeMap::new(),
            quirks: Vec::new(),
            max_clock_skew_s: None,
            sessions: BTreeMap::new(),
            bill_age: Span::ZERO,
            charges: Vec::new(),
            assets: Assets::default(),
            prices: PriceList::built_in(),
            passages: Passages::default(),
        }
    }
}

impl TryFrom<AwsFile> for AwsWorld {
    type Error = AwsWorldError;

    fn try_from(file: AwsFile) -> Result<Self, AwsWorldError> {
        let mut world = Self {
            regions: file.regions,
            quirks: file.quirk,
            max_clock_skew_s: file.max_clock_skew_s,
            bill_age: file.bill_age,
            charges: file.charge,
            ..Self::default()
        };
        file.price.into_iter().for_each(|price| world.add_price(price));
        file.spot_price.into_iter().for_each(|price| world.add_spot_price(price));
        file.storage_price.into_iter().for_each(|price| world.prices.add_storage(price));
        world.types.extend(file.types);
        for account in file.account {
            world.add_account(account)?;
        }
        for instance in file.instance {
            world.add_instance(instance)?;
        }
        file.volume.into_iter().try_for_each(|volume| world.add_volume(volume))?;
        file.address.into_iter().try_for_each(|address| world.add_address(address))?;
        file.snapshot.into_iter().try_for_each(|snapshot| world.add_snapshot(snapshot))?;
        file.image.into_iter().try_for_each(|image| world.add_image(image))?;
        Ok(world)
    }
}

impl AwsWorld {
    /// One more account.
    pub fn add_account(&mut self, account: Account) -> Result<(), AwsWorldError> {
        let key_is_taken = account.access_keys.iter().any(|key| self.account_of_key(key).is_some());
        if key_is_taken || self.accounts.contains_key(&account.id) {
            return Err(AwsWorldError::DoubleAccount(account.id));
        }
        self.accounts.insert(account.id.clone(), account);
        Ok(())
    }

    /// One more machine, in an account that exists.
    pub fn add_instance(&mut self, instance: Instance) -> Result<(), AwsWorldError> {
        let Instance { account, region, id, .. } = &instance;
        self.is_place(account, region, id)?;
        let there =
            self.machines.entry(account.clone()).or_default().entry(region.clone()).or_default();
        if there.contains_key(id) {
            return Err(AwsWorldError::DoubleInstance(id.clone()));
        }
        there.insert(id.clone(), instance);
        Ok(())
    }

    /// Whether something can be in that account and region.
    pub(super) fn is_place(
        &self,
        account: &str,
        region: &str,
        id: &str,
    ) -> Result<(), AwsWorldError> {
        let Some(found) = self.account(account) else {
            let account = account.to_owned();
            return Err(AwsWorldError::NoAccount { instance: id.to_owned(), account });
        };
        if self.opt_in(found, region).is_none() {
            let region = region.to_owned();
            return Err(AwsWorldError::NoRegion { instance: id.to_owned(), region });
        }
        Ok(())
    }

    /// One more type, or another description of a known one.
    pub fn add_type(&mut self, name: &str, description: InstanceType) {
        self.types.insert(name.to_owned(), description);
    }

    /// One more price on demand, or another one of a known type.
    pub fn add_price(&mut self, price: Price) {
        self.prices.add(price);
    }

    /// One more price of spot capacity.
    pub fn add_spot_price(&mut self, price: SpotPrice) {
        self.prices.add_spot(price);
    }

    /// One more charge besides the time of machines.
    pub fn add_charge(&mut self, charge: Charge) {
        self.charges.push(charge);
    }

    /// One more oddity of listings.
    pub fn add_quirk(&mut self, quirk: Quirk) {
        self.quirks.push(quirk);
    }

    /// A machine, to change it.
    pub fn instance_mut(&mut self, account: &str, region: &str, id: &str) -> Option<&mut Instance> {
        self.machines.get_mut(account)?.get_mut(region)?.get_mut(id)
    }

    /// Takes a machine away, as EC2 does some time after its end.
    pub fn remove_instance(&mut self, account: &str, region: &str, id: &str) -> Option<Instance> {
        self.passages.forget(&(account.to_owned(), region.to_owned(), id.to_owned()));
        self.machines.get_mut(account)?.get_mut(region)?.remove(id)
    }

    /// An account, to change it.
    pub fn account_mut(&mut self, id: &str) -> Option<&mut Account> {
        self.accounts.get_mut(id)
    }

    /// All machines, by account, region and id.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.machines.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values)
    }

    pub(crate) fn account(&self, id: &str) -> Option<&Account> {
        self.accounts.get(id)
    }

    /// The account whose user holds the key, expired or not.
    pub(crate) fn account_of_key(&self, key: &str) -> Option<&Account> {
        let holds = |keys: &[String]| keys.iter().any(|held| held == key);
        self.accounts.values().find(|a| holds(&a.access_keys) || holds(&a.expired_keys))
    }

    pub(crate) fn charges(&self) -> &[Charge] {
        &self.charges
    }

    pub(crate) fn machines(&self, account: &str, region: &str) -> Option<&Machines> {
        self.machines.get(account)?.get(region)
    }

    pub(crate) fn machines_mut(&mut self, account: &str, region: &str) -> Option<&mut Machines> {
        self.machines.get_mut(account)?.get_mut(region)
    }

    pub(crate) const fn types(&self) -> &BTreeMap<String, InstanceType> {
        &self.types
    }

    pub(crate) fn quirk(&self, account: &str, region: &str, operation: &str) -> Quirk {
        let found = self.quirks.iter().find(|quirk| quirk.concerns(account, region, operation));
        found.cloned().unwrap_or_default()
    }

    pub(crate) const fn max_clock_skew_s(&self) -> Option<u32> {
        self.max_clock_skew_s
    }

    /// Every region by name, as the account sees it.
    pub(crate) fn regions(&self, account: &Account) -> BTreeMap<&str, OptIn> {
        let opt_in = OPT_IN.into_iter().map(|region| {
            let asked = account.opted_in.iter().any(|name| name == region);
            (region, if asked { OptIn::OptedIn } else { OptIn::NotOptedIn })
        });
        match &self.regions {
            Some(regions) => regions
                .iter()
                .map(|name| (name.as_str(), OptIn::NotRequired))
                .chain(opt_in)
                .collect(),
            None => {
                DEFAULT.into_iter().map(|name| (name, OptIn::NotRequired)).chain(opt_in).collect()
            }
        }
    }

    /// How the account stands to a region; `None` when there is no such region.
    pub(crate) fn opt_in(&self, account: &Account, region: &str) -> Option<OptIn> {
        self.regions(account).get(region).copied()
    }

    pub(crate) fn session(&self, key: &str) -> Option<&Session> {
        self.sessions.get(key)
    }

    pub(crate) fn open_session(&mut self, key: String, session: Session) {
        self.sessions.insert(key, session);
    }
}
