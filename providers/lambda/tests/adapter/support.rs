//! A simulated Lambda and an adapter that talks to it.

use std::sync::Arc;

use reaper_lambda::DESCRIPTOR;
use reaper_model::document::Verdict;
use reaper_model::{AccountName, Assets, Fingerprint, Instance, InstanceId, Location, Step, Verb};
use reaper_provider::account::CallLimits;
use reaper_provider::{
    AccountSettings, Armed, CallContext, Consents, Fresh, Identity, Pinned, Provider,
    ProviderError, RequestCounter, Sink, StopPermit, Surroundings, authorise,
};
use reaper_simcloud::{Effect, Fault, SimCloud, World};
use secrecy::SecretString;

/// The key of the simulated account; it may be in no text.
pub(crate) const KEY: &str = "secret_burst_canary0123";

/// The account, and as many machines as `rest` adds.
pub(crate) async fn cloud(rest: &str) -> SimCloud {
    let world = format!(
        r#"
        clock = {{ start = "2026-11-28T09:00:00Z" }}
        [lambda]
        min_interval_ms = 0
        audit_page = 2
        [[lambda.account]]
        name = "burst"
        api_key = "{KEY}"
        ssh_keys = ["ops-2026", "alice-laptop"]
        {rest}
        "#
    );
    SimCloud::start(World::from_toml(&world).expect("a world")).await.expect("a port")
}

/// A machine of the world, as TOML.
pub(crate) fn machine(id: &str, more: &str) -> String {
    format!(
        "[[lambda.instance]]\naccount = \"burst\"\nid = \"{id}\"\nregion = \"us-west-1\"\n\
         type = \"gpu_1x_a10\"\n{more}\n"
    )
}

pub(crate) fn settings(cloud: &SimCloud) -> AccountSettings {
    let mut settings = AccountSettings::named("burst");
    settings.endpoint_url = Some(cloud.base_url("lambda"));
    settings.credentials.insert("api_key".into(), SecretString::from(KEY));
    settings.limits = CallLimits { attempts: 1, per_second: Some(1000), ..CallLimits::default() };
    settings
}

pub(crate) fn open(settings: AccountSettings) -> Arc<dyn Provider> {
    (DESCRIPTOR.open)(settings, Surroundings::NONE).expect("opens")
}

pub(crate) fn context() -> CallContext {
    CallContext {
        now: "2026-11-28T09:00:00Z".parse().expect("valid"),
        requests: RequestCounter::default(),
    }
}

/// How the account is pinned.
const PIN: &str = "ssh-key:ops-2026";

fn identity() -> Identity {
    Identity { account: PIN.into(), login: "an API key".to_owned() }
}

/// Reads one machine of `us-west-1` alone.
pub(crate) async fn read(provider: &dyn Provider, id: &str) -> Result<Instance, ProviderError> {
    let id = InstanceId {
        provider: "lambda".into(),
        account: PIN.into(),
        location: "us-west-1".into(),
        native: id.to_owned(),
    };
    provider.read(&context(), &identity(), &id).await
}

/// What is charged beside machines.
pub(crate) async fn assets(provider: &dyn Provider) -> Assets {
    provider.assets(&context(), &identity(), &Location::new("all")).await
}

/// The right to do this to a machine that was read just now.
pub(crate) fn permit(machine: &Instance, verb: Verb) -> StopPermit {
    let account = AccountName::new("burst");
    let pinned = Pinned::compare(&account, &"lambda".into(), Some(PIN), &identity());
    let consents = Consents { terminate: true, local_data_loss: true };
    let armed = Armed::new(pinned.expect("the same"), consents, true).expect("it enforces");
    let (fingerprint, now) = (Fingerprint::of(machine, ""), context().now);
    let step = Step {
        id: machine.id.clone(),
        account,
        name: None,
        verb,
        call: String::new(),
        rule: "ownerless".to_owned(),
        reasons: Vec::new(),
        notice: "notice".to_owned(),
        noticed_at: now,
        due_at: now,
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
    authorise(&armed, &step, &fresh, now).expect("nothing speaks against it")
}

/// Everything that a run asks of an adapter.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) machines: Vec<Instance>,
    pub(crate) end: Result<(), ProviderError>,
    /// The codes of the warnings.
    pub(crate) warnings: Vec<String>,
}

impl Listed {
    pub(crate) fn machine(&self, id: &str) -> &Instance {
        self.machines.iter().find(|machine| machine.id.native == id).expect("listed")
    }

    /// The price of a machine, or why there is none.
    pub(crate) fn price(&self, id: &str) -> String {
        let fact = self.provider.price(self.machine(id));
        match fact.value() {
            Some(price) => price.money.to_string(),
            None => fact.gap().expect("a gap").to_string(),
        }
    }
}

pub(crate) async fn list_with(settings: AccountSettings) -> Listed {
    let provider = open(settings);
    let (cx, silent) = (context(), |_| {});
    let mut sink = Sink::new(&silent);
    let end = provider.list(&cx, &identity(), &Location::new("all"), &mut sink).await;
    let warnings = sink.take_warnings().into_iter().map(|warning| warning.code).collect();
    let listed = Listed { provider, machines: sink.into_inner(), end, warnings };
    assert!(!format!("{listed:?}").contains("canary"), "{listed:?}");
    assert!(!format!("{listed:?}").contains("jupyter"), "{listed:?}");
    listed
}

pub(crate) async fn list(cloud: &SimCloud) -> Listed {
    let listed = list_with(settings(cloud)).await;
    assert!(cloud.requests().changing().is_empty());
    listed
}

/// What the adapter makes of an answer with this body to the call for all instances.
pub(crate) async fn list_of(body: &str) -> Listed {
    let cloud = cloud("").await;
    answer(&cloud, "GET /api/v1/instances", 200, body);
    list(&cloud).await
}

/// From now on an operation is answered with this.
pub(crate) fn answer(cloud: &SimCloud, operation: &str, status: u16, body: &str) {
    let content_type =
        if body.trim_start().starts_with('<') { "text/html" } else { "application/json" };
    let effect =
        Effect::Answer { status, body: body.to_owned(), content_type: content_type.to_owned() };
    cloud.add_fault(Fault::always(effect).of_provider("lambda").at(operation));
}
