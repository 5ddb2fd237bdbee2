//! The Lambda section of the world: accounts with their keys, machines, file systems, types.

use std::collections::BTreeMap;

use serde::Deserialize;
use tokio::time::Instant;

use crate::act::{Act, Passages};
use crate::clock::When;
use crate::lambda::ops::Terminated;
use crate::lambda::types::InstanceType;

/// Everything that exists at Lambda (`[lambda]`).
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "LambdaFile")]
pub struct LambdaWorld {
    accounts: Vec<Account>,
    machines: Vec<Instance>,
    file_systems: Vec<FileSystem>,
    types: BTreeMap<String, InstanceType>,
    /// Requests of one key that come sooner after the one before are banned, in milliseconds.
    pub min_interval_ms: u64,
    /// Events per page of the audit log.
    pub audit_page: usize,
    last_request: BTreeMap<String, Instant>,
    pub(crate) passages: Passages<String, Terminated>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LambdaFile {
    account: Vec<Account>,
    instance: Vec<Instance>,
    file_system: Vec<FileSystem>,
    types: BTreeMap<String, InstanceType>,
    min_interval_ms: u64,
    audit_page: usize,
}

impl Default for LambdaFile {
    fn default() -> Self {
        Self {
            account: Vec::new(),
            instance: Vec::new(),
            file_system: Vec::new(),
            types: BTreeMap::new(),
            min_interval_ms: 1000,
            audit_page: 50,
        }
    }
}

/// One account (at Lambda: one workspace) with one key.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Its name in this world; the API never shows it.
    pub name: String,
    /// The key that opens it.
    pub api_key: String,
    /// Names of its SSH keys.
    pub ssh_keys: Vec<String>,
    /// Whether Lambda has deactivated it.
    pub inactive: bool,
    /// Paths that this key may not use, such as `audit-events`.
    pub denied: Vec<String>,
}

/// One machine.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Instance {
    /// The account it is in.
    pub account: String,
    /// Its id: 32 hex digits at Lambda.
    pub id: String,
    /// Its name; absent machines have none.
    pub name: Option<String>,
    /// Lambda's word; `active` when left out.
    pub status: Option<String>,
    /// Its region.
    pub region: String,
    /// Its type.
    #[serde(rename = "type")]
    pub machine_type: String,
    /// Tags as given at launch.
    pub tags: BTreeMap<String, String>,
    /// SSH keys as given at launch.
    pub ssh_keys: Vec<String>,
    /// Names of attached file systems.
    pub file_systems: Vec<String>,
    /// When it was launched, which only the audit log shows; without it not even that.
    pub launched: Option<When>,
    /// Whether it is paid for by a reservation.
    pub reserved: bool,
    /// The cluster it is a node of; the API only filters by it.
    pub cluster: Option<String>,
    /// JSON whose fields replace those of the answer, to make odd ones: `{"name": null}`.
    pub patch: Option<String>,
    /// Why nothing can be done to it now, in Lambda's code: `vm-action-in-progress`.
    pub unavailable: Option<String>,
    /// Whether it is still shown after its end, as `terminated`.
    pub lingers: bool,
    /// How it takes being terminated.
    pub act: Act,
}

/// One file system, which is charged as long as it exists.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSystem {
    /// The account it is in.
    pub account: String,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// What is stored in it.
    #[serde(default)]
    pub bytes_used: u64,
    /// When it was made.
    pub created: When,
    /// The e-mail address of who made it.
    pub created_by: String,
}

/// The Lambda section contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum LambdaWorldError {
    /// The built-in type table is broken.
    #[error("the built-in instance types: {0}")]
    Types(#[from] toml::de::Error),
    /// Two accounts of one name or one key.
    #[error("lambda account {0} is there twice, or shares its key with another")]
    DoubleAccount(String),
    /// Something in an account that is not there.
    #[error("{what} is in lambda account {account}, which is not in this world")]
    NoAccount {
        /// What it is.
        what: String,
        /// The account it names.
        account: String,
    },
    /// A machine of no type.
    #[error("lambda instance {instance} is of type {machine_type}, which is not in this world")]
    NoType {
        /// The machine's id.
        instance: String,
        /// The type it names.
        machine_type: String,
    },
    /// Two machines of one id.
    #[error("lambda instance {0} is there twice")]
    DoubleInstance(String),
    /// A patch that is no JSON object.
    #[error("the patch of lambda instance {0} is not a JSON object")]
    Patch(String),
}

impl TryFrom<LambdaFile> for LambdaWorld {
    type Error = LambdaWorldError;

    fn try_from(file: LambdaFile) -> Result<Self, LambdaWorldError> {
        let mut world = Self::new()?;
        world.min_interval_ms = file.min_interval_ms;
        world.audit_page = file.audit_page.max(1);
        world.types.extend(file.types);
        for account in file.account {
            world.add_account(account)?;
        }
        for file_system in file.file_system {
            world.add_file_system(file_system)?;
        }
        for instance in file.instance {
            world.add_instance(instance)?;
        }
        Ok(world)
    }
}

impl LambdaWorld {
    /// A Lambda without accounts, with the built-in types and the documented pace.
    pub fn new() -> Result<Self, LambdaWorldError> {
        let LambdaFile { min_interval_ms, audit_page, .. } = LambdaFile::default();
        let types = InstanceType::built_in()?;
        Ok(Self { types, min_interval_ms, audit_page, ..Self::default() })
    }

    /// One more account.
    pub fn add_account(&mut self, account: Account) -> Result<(), LambdaWorldError> {
        let same = |other: &Account| other.name == account.name || other.api_key == account.api_key;
        if self.accounts.iter().any(same) {
            return Err(LambdaWorldError::DoubleAccount(account.name));
        }
        self.accounts.push(account);
        Ok(())
    }

    /// One more machine, in an account and of a type that exist.
    pub fn add_instance(&mut self, instance: Instance) -> Result<(), LambdaWorldError> {
        self.check_account(&instance.account, || format!("instance {}", instance.id))?;
        if !self.types.contains_key(&instance.machine_type) {
            let Instance { id: instance, machine_type, .. } = instance;
            return Err(LambdaWorldError::NoType { instance, machine_type });
        }
        if self.has_instance(&instance.id) {
            return Err(LambdaWorldError::DoubleInstance(instance.id));
        }
        if instance.patched().is_none() {
            return Err(LambdaWorldError::Patch(instance.id));
        }
        self.machines.push(instance);
        Ok(())
    }

    /// One more file system, in an account that exists.
    pub fn add_file_system(&mut self, file_system: FileSystem) -> Result<(), LambdaWorldError> {
        self.check_account(&file_system.account, || format!("file system {}", file_system.id))?;
        self.file_systems.push(file_system);
        Ok(())
    }

    /// An account, to change it.
    pub fn account_mut(&mut self, name: &str) -> Option<&mut Account> {
        self.accounts.iter_mut().find(|account| account.name == name)
    }

    /// A machine, to be changed by a test.
    pub fn instance_mut(&mut self, id: &str) -> Option<&mut Instance> {
        self.machines.iter_mut().find(|machine| machine.id == id)
    }

    /// Takes a machine away, as its owner would.
    pub fn remove_instance(&mut self, id: &str) -> Option<Instance> {
        self.passages.forget(id);
        let at = self.machines.iter().position(|machine| machine.id == id)?;
        Some(self.machines.remove(at))
    }

    fn check_account(
        &self,
        account: &str,
        what: impl FnOnce() -> String,
    ) -> Result<(), LambdaWorldError> {
        if self.accounts.iter().any(|other| other.name == account) {
            return Ok(());
        }
        Err(LambdaWorldError::NoAccount { what: what(), account: account.to_owned() })
    }

    pub(crate) fn account_of_key(&self, key: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.api_key == key)
    }

    pub(crate) fn types(&self) -> &BTreeMap<String, InstanceType> {
        &self.types
    }

    /// The machines of an account.
    pub(crate) fn machines(&self, account: &str) -> impl Iterator<Item = &Instance> {
        self.machines.iter().filter(move |machine| machine.account == account)
    }

    pub(crate) fn has_instance(&self, id: &str) -> bool {
        self.machines.iter().any(|machine| machine.id == id)
    }

    /// One more machine, of an account and a type and with an id that are known to be right.
    pub(crate) fn push(&mut self, machine: Instance) {
        self.machines.push(machine);
    }

    pub(crate) fn file_systems<'a>(
        &'a self,
        account: &str,
    ) -> impl Iterator<Item = &'a FileSystem> {
        self.file_systems.iter().filter(move |it| it.account == account)
    }

    /// Notes a request of an account; whether it came too soon after the one before.
    pub(crate) fn too_soon(&mut self, account: &str, now: Instant) -> bool {
        let before = self.last_request.insert(account.to_owned(), now);
        before.is_some_and(|before| {
            now.duration_since(before).as_millis() < u128::from(self.min_interval_ms)
        })
    }
}

impl Instance {
    /// Lambda's word for its state.
    pub(crate) fn status(&self) -> &str {
        self.status.as_deref().unwrap_or("active")
    }

    /// The fields that replace those of the answer; `None` if they are no JSON object.
    pub(crate) fn patched(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        self.patch
            .as_deref()
            .map_or_else(|| Some(serde_json::Map::new()), |patch| serde_json::from_str(patch).ok())
    }

    /// Why nothing can be done to it now.
    pub(crate) fn unavailable(&self) -> Option<&str> {
        match self.status() {
            "booting" => Some("vm-has-not-launched"),
            "terminating" | "terminated" => Some("vm-is-terminating"),
            _ => self.unavailable.as_deref(),
        }
    }
}
