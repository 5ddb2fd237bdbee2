//! A law's stage: a rig's world being served, the settings that open it, and what a listing gave.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_model::document::Warning;
use reaper_model::{Instance, InstanceId, Location, ProviderName};
use reaper_provider::account::CallLimits;
use reaper_provider::{
    AccountSettings, CallContext, ErrorKind, Identity, Provider, ProviderError, RequestCounter,
    Sink, Surroundings,
};
use reaper_simcloud::{Effect, Fault, SimCloud, World};

use crate::rig::{Machine, Rig, at_listing};

/// Answers are awaited so long: far longer than any takes, also on a busy computer.
const CALL: Duration = Duration::from_secs(20);

/// A served world.
pub(crate) struct Stage {
    pub(crate) rig: &'static dyn Rig,
    pub(crate) cloud: SimCloud,
    pub(crate) settings: AccountSettings,
}

impl Stage {
    /// Serves an account with these machines.
    pub(crate) async fn with(rig: &'static dyn Rig, fleet: &[Machine]) -> Self {
        Self::of(rig, rig.world(fleet)).await
    }

    /// Serves a world. One attempt per call, and no pace to speak of, for most laws are not about
    /// these.
    pub(crate) async fn of(rig: &'static dyn Rig, world: World) -> Self {
        let cloud = SimCloud::start(world).await.expect("a free port");
        let settings = settings(rig, &cloud.base_url(rig.descriptor().name));
        Self { rig, cloud, settings }
    }

    /// From now on this happens to every listing.
    pub(crate) fn at_listing(&self, effect: Effect) {
        self.cloud.add_fault(at_listing(self.rig, Fault::always(effect)));
    }

    /// A new adapter, which remembers nothing.
    pub(crate) fn open(&self) -> Arc<dyn Provider> {
        open(self.rig, self.settings.clone())
    }

    /// The run's clock stands where the world's does.
    pub(crate) fn context(&self) -> CallContext {
        context(self.cloud.world().clock.now())
    }

    /// Lists with a new adapter.
    pub(crate) async fn list(&self) -> Reading {
        self.list_with(&*self.open()).await
    }

    /// Lists with an adapter that goes on living.
    pub(crate) async fn list_with(&self, provider: &dyn Provider) -> Reading {
        let place = Place { account: self.rig.account(), location: self.rig.location() };
        Reading::of(provider, &self.context(), place).await
    }

    /// The machine of that number.
    pub(crate) fn id(&self, number: usize) -> InstanceId {
        InstanceId {
            provider: ProviderName::new(self.rig.descriptor().name),
            account: self.rig.account().into(),
            location: self.rig.location().into(),
            native: self.rig.id(number),
        }
    }

    /// Reads one machine alone, with a new adapter.
    pub(crate) async fn read(&self, number: usize) -> Result<Instance, ProviderError> {
        self.read_with(&*self.open(), number).await
    }

    /// Reads one machine alone, with an adapter that goes on living.
    pub(crate) async fn read_with(
        &self,
        provider: &dyn Provider,
        number: usize,
    ) -> Result<Instance, ProviderError> {
        let identity = identity(self.rig.account());
        provider.read(&self.context(), &identity, &self.id(number)).await
    }
}

/// Settings that open a rig's account at an address.
pub(crate) fn settings(rig: &dyn Rig, url: &str) -> AccountSettings {
    let mut settings = AccountSettings::named("lawful");
    settings.endpoint_url = Some(url.to_owned());
    if rig.descriptor().location_key.is_some() {
        settings.locations = vec![Location::new(rig.location())];
    }
    settings.limits =
        CallLimits { call: CALL, attempts: 1, per_second: Some(1000), ..CallLimits::default() };
    rig.log_in(&mut settings);
    settings
}

/// Opens an account without looking around.
pub(crate) fn open(rig: &dyn Rig, settings: AccountSettings) -> Arc<dyn Provider> {
    (rig.descriptor().open)(settings, Surroundings::NONE).expect("complete settings")
}

/// The account as its identity names it.
pub(crate) fn identity(account: &str) -> Identity {
    Identity { account: account.into(), login: String::new() }
}

/// A piece of work at this time.
pub(crate) fn context(now: DateTime<Utc>) -> CallContext {
    CallContext { now, requests: RequestCounter::default() }
}

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) account: &'a str,
    pub(crate) location: &'a str,
}

/// What one listing gave.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) machines: Vec<Instance>,
    /// How many machines each page brought.
    pub(crate) pages: Vec<usize>,
    pub(crate) ended: Result<(), ProviderError>,
    pub(crate) warnings: Vec<Warning>,
}

impl Reading {
    /// Lists a place.
    pub(crate) async fn of(provider: &dyn Provider, cx: &CallContext, place: Place<'_>) -> Self {
        let pages = Mutex::new(Vec::new());
        let note = |count| pages.lock().unwrap_or_else(PoisonError::into_inner).push(count);
        let mut sink = Sink::new(&note);
        let identity = identity(place.account);
        let location = Location::new(place.location);
        let ended = provider.list(cx, &identity, &location, &mut sink).await;
        let (warnings, machines) = (sink.take_warnings(), sink.into_inner());
        let pages = pages.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { machines, pages, ended, warnings }
    }

    /// The same, which must have come to its end.
    #[track_caller]
    pub(crate) fn whole(self) -> Self {
        assert_eq!(self.ended, Ok(()), "{} machines", self.machines.len());
        self
    }

    /// Why it broke off, which it must have done.
    #[track_caller]
    pub(crate) fn broken(&self) -> &ErrorKind {
        match &self.ended {
            Err(error) => &error.kind,
            Ok(()) => panic!("a whole listing of {} machines", self.machines.len()),
        }
    }

    /// Native ids, sorted; one that came twice is there twice.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.machines.iter().map(|it| it.id.native.clone()).collect();
        ids.sort();
        ids
    }

    /// The machine of that id.
    #[track_caller]
    pub(crate) fn machine(&self, id: &str) -> &Instance {
        let found = self.machines.iter().find(|machine| machine.id.native == id);
        found.unwrap_or_else(|| panic!("{id} is not among {:?}", self.ids()))
    }
}
