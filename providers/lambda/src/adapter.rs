//! One API key at Lambda, which is one workspace.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reaper_model::{
    Assets, Fact, Instance, InstanceId, Location, Offer, Price, ProviderAccount, ProviderName,
    Source, Verb,
};
use reaper_provider::{
    AccountSettings, CallContext, Capabilities, Coverage, Delivery, Detail, ErrorKind, Identity,
    OpenError, Provider, ProviderError, Sink, StopPermit,
};

use crate::age::AuditLog;
use crate::assets::{self, Mounts, Shelf};
use crate::client::{Api, INSTANCE, INSTANCES, TERMINATE};
use crate::convert::{Entry, Listing};
use crate::price::Prices;

/// The one place to list: a call covers all regions.
const EVERYWHERE: &str = "all";
/// How the pin of an account is written.
const PIN: &str = "ssh-key:";

/// The machines that one API key sees.
#[derive(Debug)]
pub struct LambdaProvider {
    name: ProviderName,
    api: Api,
    prices: Prices,
    /// The pin, as far as it names an SSH key.
    expected_key: Option<String>,
    clusters: Vec<String>,
    /// The audit log as it was read last. Of a launch it says the same at any later time.
    log: Mutex<Option<Arc<AuditLog>>>,
    /// Which file systems the machines of the last listing have mounted.
    mounts: Mutex<Mounts>,
}

impl LambdaProvider {
    /// Checks the settings; sends nothing.
    pub fn open(settings: &AccountSettings) -> Result<Self, OpenError> {
        let refused = |problem: String| OpenError { account: settings.name.to_string(), problem };
        let prices = Prices::new().map_err(|error| refused(error.to_string()))?;
        let expected_key = match settings.expect_account.as_deref() {
            None => None,
            Some(pin) => Some(pin.strip_prefix(PIN).map(str::to_owned).ok_or_else(|| {
                refused(format!(
                    "expect_account = \"{pin}\": Lambda shows no account id; name an SSH key that \
                     only this account has: \"{PIN}NAME\""
                ))
            })?),
        };
        Ok(Self {
            name: ProviderName::new("lambda"),
            api: Api::open(settings)?,
            prices,
            expected_key,
            clusters: settings.lists.get("cluster_ids").cloned().unwrap_or_default(),
            log: Mutex::default(),
            mounts: Mutex::default(),
        })
    }

    /// The nodes of the configured clusters, with their cluster.
    async fn nodes(&self, cx: &CallContext) -> Result<BTreeMap<String, String>, ProviderError> {
        let mut nodes = BTreeMap::new();
        for cluster in &self.clusters {
            for node in self.api.instances(cx, Some(cluster)).await? {
                if let Some(id) = node.good().and_then(|node| node.id.good()) {
                    nodes.insert(id.clone(), cluster.clone());
                }
            }
        }
        Ok(nodes)
    }

    /// What converts the answers of one call.
    fn listing<'a>(
        &'a self,
        cx: &CallContext,
        account: &'a ProviderAccount,
        call: &str,
        nodes: &'a BTreeMap<String, String>,
    ) -> Listing<'a> {
        Listing {
            provider: self.name.clone(),
            account,
            now: cx.now,
            source: Source::new(call),
            prices: &self.prices,
            nodes,
        }
    }

    /// Reads the audit log and keeps it.
    async fn read_log(&self, cx: &CallContext) -> Arc<AuditLog> {
        let log = Arc::new(AuditLog::read(&self.api, cx).await);
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&log));
        log
    }

    fn kept_log(&self) -> Option<Arc<AuditLog>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn add_launch(machine: &mut Instance, log: &AuditLog, cx: &CallContext) {
    let name = machine.name.value().map(String::as_str);
    machine.created_at = log.launch(&machine.id.native, name, cx.now);
}

#[async_trait]
impl Provider for LambdaProvider {
    fn name(&self) -> ProviderName {
        self.name.clone()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tags: true,
            launch_times: false,
            deallocate: false,
            scope_per_location: false,
        }
    }

    /// Lambda shows no account id. The account is therefore called after an SSH key: the pinned
    /// one if it exists, else the first in the alphabet, so that a wrong account never looks like
    /// the pinned one.
    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError> {
        let mut keys = self.api.ssh_keys(cx).await?;
        keys.sort();
        let pinned = self.expected_key.as_ref().filter(|key| keys.contains(key));
        let account = match pinned.or(keys.first()) {
            Some(key) => format!("{PIN}{key}"),
            None => "without-ssh-keys".to_owned(),
        };
        let login = match keys.len() {
            0 => "an API key; the account has no SSH key".to_owned(),
            _ => format!("an API key; the account's SSH keys: {}", keys.join(", ")),
        };
        Ok(Identity { account: ProviderAccount::new(account), login })
    }

    async fn coverage(&self, _cx: &CallContext) -> Result<Coverage, ProviderError> {
        Ok(Coverage { locations: vec![Location::new(EVERYWHERE)], ..Coverage::default() })
    }

    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        _location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        let nodes = self.nodes(cx).await?;
        let entries = self.api.instances(cx, None).await?;
        *self.mounts.lock().unwrap_or_else(PoisonError::into_inner) = Mounts::of(&entries);
        let listing = self.listing(cx, &identity.account, INSTANCES, &nodes);
        let mut nameless = 0_usize;
        let mut machines = Vec::new();
        for entry in entries {
            match listing.entry(entry) {
                Entry::Machine(machine, quote) => {
                    let kind = &machine.machine_type;
                    self.prices.keep(&machine.id.native, quote, cx.now.date_naive());
                    if let Some(text) = self.prices.contradiction(kind, quote) {
                        sink.warn("price-differs", text, Some(format!("lambda/{kind}")));
                    }
                    machines.push(*machine);
                }
                Entry::Plain => {}
                Entry::Nameless => nameless += 1,
            }
        }
        sink.page(machines);
        if !sink.machines().is_empty() {
            let log = self.read_log(cx).await;
            if let Some(text) = log.cut() {
                sink.warn("audit-log-cut", text, None);
            }
            for machine in sink.machines() {
                add_launch(machine, &log, cx);
            }
        }
        if nameless > 0 {
            return Err(ProviderError::answered(
                ErrorKind::Protocol,
                INSTANCES,
                format!("{nameless} of the listed machines without a readable id"),
            ));
        }
        Ok(())
    }

    /// The listing says it all.
    async fn details(
        &self,
        _cx: &CallContext,
        _location: &Location,
        _candidates: &[&Instance],
    ) -> Vec<Detail> {
        Vec::new()
    }

    /// The clusters and the machine are asked for anew, the machine last; the audit log only where
    /// no listing has read it, for that takes up to twenty seconds.
    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        let log = match self.kept_log() {
            Some(log) => log,
            None => self.read_log(cx).await,
        };
        let nodes = self.nodes(cx).await?;
        let entry = self.api.instance(cx, &id.native).await?;
        match self.listing(cx, &identity.account, INSTANCE, &nodes).entry(entry) {
            Entry::Machine(mut machine, quote) if machine.id.native == id.native => {
                self.prices.keep(&id.native, quote, cx.now.date_naive());
                add_launch(&mut machine, &log, cx);
                Ok(*machine)
            }
            Entry::Machine(..) | Entry::Plain | Entry::Nameless => {
                let detail = format!("asked for machine {}, something else was shown", id.native);
                Err(ProviderError::answered(ErrorKind::Inconsistent, INSTANCE, detail))
            }
        }
    }

    fn call(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => None,
            Verb::Terminate => Some(TERMINATE),
        }
    }

    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        match permit.verb() {
            Verb::Terminate => self.api.terminate(cx, &permit.id().native).await,
            Verb::Stop => {
                let detail = "Lambda knows no stop";
                Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, TERMINATE, detail))
            }
        }
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        self.prices.of(instance)
    }

    fn offers(&self, location: &Location) -> Vec<Offer> {
        self.prices.offers(location)
    }

    /// One call. Who has mounted what is known from the listing of machines.
    async fn assets(&self, cx: &CallContext, identity: &Identity, location: &Location) -> Assets {
        let shelf = Shelf { account: &identity.account, location, now: cx.now };
        let systems = self.api.file_systems(cx).await;
        let mounts = self.mounts.lock().unwrap_or_else(PoisonError::into_inner);
        assets::read(systems, &mounts, &shelf)
    }
}
