//! An account in a simulated Scaleway, and what one scope of it gives.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::Verdict;
use reaper_model::{AccountName, Fingerprint, Instance, InstanceId, Location, Step, Verb};
use reaper_provider::{
    AccountSettings, Armed, CallContext, Consents, Fresh, Identity, Pinned, Provider,
    ProviderError, RequestCounter, Sink, StopPermit, authorise,
};
use reaper_scaleway::ScalewayProvider;
use reaper_simcloud::scaleway::{Organization, ScalewayWorld};
use reaper_simcloud::{Requests, SimCloud, World};
use secrecy::SecretString;

pub(crate) const ORGANIZATION: &str = "11111111-1111-4111-8111-000000000001";
pub(crate) const PROJECT: &str = "22222222-2222-4222-8222-000000000003";
pub(crate) const ACCESS_KEY: &str = "SCW0123456789ABCDEFG";
pub(crate) const SECRET_KEY: &str = "canary-5d2f6b1e-8a3c";
pub(crate) const ZONE: &str = "fr-par-2";
pub(crate) const SERVERS: &str = "GET /instance/v1/zones/{zone}/servers";

/// A simulated Scaleway with one organisation.
pub(crate) struct Cloud {
    pub(crate) sim: SimCloud,
    pub(crate) settings: AccountSettings,
}

/// What one scope gave.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) machines: Vec<Instance>,
    pub(crate) result: Result<(), ProviderError>,
    pub(crate) requests: u32,
    /// Codes of warnings.
    pub(crate) warnings: Vec<String>,
}

impl Listed {
    pub(crate) fn complete(self) -> Vec<Instance> {
        self.result.expect("a complete listing");
        self.machines
    }

    pub(crate) fn error(&self) -> &ProviderError {
        self.result.as_ref().expect_err("a broken listing")
    }
}

pub(crate) fn now() -> DateTime<Utc> {
    World::default().clock.now()
}

impl Cloud {
    /// Serves what `build` makes of an organisation without servers.
    pub(crate) async fn start(build: impl FnOnce(&mut ScalewayWorld)) -> Self {
        let mut world = World::default();
        let organization = Organization {
            projects: vec![PROJECT.to_owned()],
            ..Organization::new(ORGANIZATION, ACCESS_KEY, SECRET_KEY)
        };
        world.scaleway.add_organization(organization).expect("the only one");
        build(&mut world.scaleway);
        let sim = SimCloud::start(world).await.expect("a free port");
        let mut settings = AccountSettings::named("poc");
        settings.endpoint_url = Some(sim.base_url("scaleway"));
        settings.credentials.insert("secret_key".into(), SecretString::from(SECRET_KEY));
        settings.credentials.insert("access_key".into(), SecretString::from(ACCESS_KEY));
        Self { sim, settings }
    }

    pub(crate) fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(ScalewayProvider::open(self.settings.clone()).expect("complete settings"))
    }

    pub(crate) async fn identity(&self) -> Result<Identity, ProviderError> {
        self.provider().identity(&context(now())).await
    }

    /// Lists one zone.
    pub(crate) async fn list(&self, zone: &str) -> Listed {
        self.list_with(self.provider().as_ref(), zone, now()).await
    }

    /// Lists one zone at some time, with an adapter that goes on living.
    pub(crate) async fn list_with(
        &self,
        provider: &dyn Provider,
        zone: &str,
        now: DateTime<Utc>,
    ) -> Listed {
        let cx = context(now);
        let identity = identity();
        let mut sink = Sink::new(&|_| ());
        let result = provider.list(&cx, &identity, &Location::new(zone), &mut sink).await;
        let warnings = sink.take_warnings().into_iter().map(|warning| warning.code).collect();
        Listed { machines: sink.into_inner(), result, requests: cx.requests.sent(), warnings }
    }

    /// Reads one server of [`ZONE`] alone, with an adapter that has read nothing else.
    pub(crate) async fn read(&self, id: &str) -> Result<Instance, ProviderError> {
        self.read_with(self.provider().as_ref(), id).await
    }

    /// Reads one server of [`ZONE`] alone.
    pub(crate) async fn read_with(
        &self,
        provider: &dyn Provider,
        id: &str,
    ) -> Result<Instance, ProviderError> {
        let id = InstanceId {
            provider: "scaleway".into(),
            account: ORGANIZATION.into(),
            location: ZONE.into(),
            native: id.to_owned(),
        };
        provider.read(&context(now()), &identity(), &id).await
    }

    /// Powers a server off that is read just before.
    pub(crate) async fn power_off(&self, id: &str) -> Result<(), ProviderError> {
        let permit = permit(&self.read(id).await?, Verb::Stop);
        self.provider().act(&context(now()), permit).await
    }

    pub(crate) fn requests(&self) -> Requests {
        self.sim.requests()
    }
}

pub(crate) fn identity() -> Identity {
    Identity { account: ORGANIZATION.into(), login: "test".to_owned() }
}

/// The account of these tests, pinned.
pub(crate) fn pinned() -> Pinned {
    let (account, provider) = (AccountName::new("poc"), "scaleway".into());
    Pinned::compare(&account, &provider, Some(ORGANIZATION), &identity()).expect("the same")
}

/// The right to do this to a machine that was read just now.
pub(crate) fn permit(machine: &Instance, verb: Verb) -> StopPermit {
    let consents = Consents { terminate: true, local_data_loss: true };
    let armed = Armed::new(pinned(), consents, true).expect("it enforces");
    let fingerprint = Fingerprint::of(machine, "");
    let step = Step {
        id: machine.id.clone(),
        account: AccountName::new("poc"),
        name: None,
        verb,
        call: String::new(),
        rule: "ownerless".to_owned(),
        reasons: Vec::new(),
        notice: "notice".to_owned(),
        noticed_at: now() - TimeDelta::days(3),
        due_at: now(),
        hastened_by: Vec::new(),
        fingerprint: fingerprint.clone(),
        ground: String::new(),
        hourly: None,
        value: None,
        saves_per_month: None,
        still_charged: Vec::new(),
        loses: Vec::new(),
    };
    let fresh = Fresh {
        instance: machine,
        fingerprint: &fingerprint,
        asked: true,
        verdict: Verdict::Orphan,
        why: "",
    };
    authorise(&armed, &step, &fresh, now()).expect("nothing speaks against it")
}

pub(crate) fn context(now: DateTime<Utc>) -> CallContext {
    CallContext { now, requests: RequestCounter::default() }
}

/// The id of a fleet's server, as `ScalewayWorld::fleet` counts them.
pub(crate) fn number_of(machine: &Instance) -> u64 {
    let last = machine.id.native.rsplit('-').next().unwrap_or_default();
    u64::from_str_radix(last, 16).expect("a fleet's id")
}
