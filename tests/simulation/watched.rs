//! The real adapters, each call an effect of the run, with the truth of the moment noted beside it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use reaper_engine::Account;
use reaper_model::{Fact, Instance, InstanceId, Location, Price, ProviderName, Verb};
use reaper_provider::{
    CallContext, Capabilities, Coverage, Detail, Identity, Provider, ProviderError, Sink,
    StopPermit, TagPermit,
};
use reaper_simcloud::{SimCloud, World};

use crate::clouds;
use crate::diary::{Diary, Event};
use crate::fleet::{Fleet, Truth};

/// Longer than any adapter's pace asks for.
const BETWEEN_CALLS: Duration = Duration::from_secs(1);

/// The simulated clouds and the fleet in them, for as long as one server lives.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) cloud: SimCloud,
    fleet: Mutex<Fleet>,
}

impl Scene {
    pub(crate) async fn open(world: World, fleet: Fleet) -> Arc<Self> {
        let cloud = SimCloud::start(world).await.expect("a free port");
        Arc::new(Self { cloud, fleet: Mutex::new(fleet) })
    }

    pub(crate) fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Both at once: no request is answered and nobody looks at the fleet meanwhile.
    pub(crate) fn edit<T>(&self, change: impl FnOnce(&mut World, &mut Fleet) -> T) -> T {
        change(&mut self.cloud.world(), &mut self.fleet())
    }

    /// The truth about a machine; `None` for one that nobody knows.
    pub(crate) fn truth(&self, native: &str) -> Option<Truth> {
        self.edit(|world, fleet| {
            let machine = fleet.get(native)?;
            let stand = clouds::stand(world, machine);
            Some(machine.truth(stand, world.clock.now()))
        })
    }
}

/// One adapter.
#[derive(Debug)]
struct Watched {
    inner: Arc<dyn Provider>,
    scene: Arc<Scene>,
    diary: Arc<Diary>,
}

/// The accounts as one run sees them.
pub(crate) fn watched(
    accounts: &[Account],
    scene: &Arc<Scene>,
    diary: &Arc<Diary>,
) -> Vec<Account> {
    let watch = |account: &Account| Account {
        provider: Arc::new(Watched {
            inner: Arc::clone(&account.provider),
            scene: Arc::clone(scene),
            diary: Arc::clone(diary),
        }),
        ..account.clone()
    };
    accounts.iter().map(watch).collect()
}

#[async_trait]
impl Provider for Watched {
    fn name(&self) -> ProviderName {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError> {
        self.diary.during(self.inner.identity(cx)).await
    }

    async fn coverage(&self, cx: &CallContext) -> Result<Coverage, ProviderError> {
        self.diary.during(self.inner.coverage(cx)).await
    }

    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        self.diary
            .during(async {
                let ended = self.inner.list(cx, identity, location, sink).await;
                let (cloud, complete) = (self.name().to_string(), ended.is_ok());
                self.diary.note(Event::Listed { cloud, complete });
                ended
            })
            .await
    }

    async fn details(
        &self,
        cx: &CallContext,
        location: &Location,
        candidates: &[&Instance],
    ) -> Vec<Detail> {
        self.diary.during(self.inner.details(cx, location, candidates)).await
    }

    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        self.diary
            .during(async {
                let read = self.inner.read(cx, identity, id).await;
                let truth = self.scene.truth(&id.native);
                self.diary.note(Event::Read { native: id.native.clone(), truth });
                read
            })
            .await
    }

    fn call(&self, verb: Verb) -> Option<&'static str> {
        self.inner.call(verb)
    }

    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        self.diary
            .during(async {
                let native = permit.id().native.clone();
                self.diary.note(Event::Act { native: native.clone() });
                // Adapters keep a pace of changes, and time stands still while a call is under way.
                tokio::time::advance(BETWEEN_CALLS).await;
                let answer = self.inner.act(cx, permit).await;
                self.diary.note(Event::Answered { native, taken: answer.is_ok() });
                answer
            })
            .await
    }

    fn tag_call(&self) -> Option<&'static str> {
        self.inner.tag_call()
    }

    async fn tag(&self, cx: &CallContext, permit: TagPermit) -> Result<(), ProviderError> {
        self.diary.during(self.inner.tag(cx, permit)).await
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        self.inner.price(instance)
    }
}
