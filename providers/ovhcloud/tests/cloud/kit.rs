//! A simulated cloud with one project, and the adapter opened on it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_model::document::Verdict;
use reaper_model::{Fingerprint, Instance, Location, Step, Verb};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{
    AccountSettings, Armed, CallContext, Consents, Fresh, Identity, Pinned, Provider,
    ProviderError, RequestCounter, Sink, StopPermit, authorise,
};
use reaper_simcloud::{SimCloud, World};
use secrecy::SecretString;

/// The project of every world here.
pub(crate) const PROJECT: &str = "0123456789ab4cdef0123456789abcde";
/// A month after the machines of the worlds began, unless they say otherwise.
pub(crate) const NOW: &str = "2026-11-28T09:00:00Z";

/// A world with the project and what `more` says of OVHcloud.
pub(crate) fn world(more: &str) -> World {
    let text = format!(
        r#"
        clock = {{ start = "{NOW}" }}
        [ovhcloud]
        {more}
        [[ovhcloud.project]]
        id = "{PROJECT}"
        description = "ml-research"
        tags = {{ owner = "alice", team = "research" }}
        application_key = "canary-app"
        application_secret = "canary-secret"
        consumer_key = "canary-consumer"
        client_id = "canary-client"
        client_secret = "canary-client-secret"
        clusters = ["kube-1"]
        "#
    );
    World::from_toml(&text).expect("a valid world")
}

/// One machine of a world file.
pub(crate) fn machine(id: &str, flavor: &str, more: &str) -> String {
    format!(
        "[[ovhcloud.instance]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"{id}\"\n\
         name = \"machine-{id}\"\nflavor = \"{flavor}\"\ncreated = \"720h\"\n{more}\n"
    )
}

pub(crate) async fn start(world: World) -> SimCloud {
    SimCloud::start(world).await.expect("a free port")
}

/// Settings that open the project with its keys.
pub(crate) fn settings(cloud: &SimCloud) -> AccountSettings {
    let mut settings = AccountSettings::named("lab");
    settings.endpoint_url = Some(cloud.base_url("ovhcloud"));
    settings.options.insert("project".to_owned(), PROJECT.to_owned());
    settings.limits.call = Duration::from_secs(5);
    settings.limits.attempts = 2;
    for (key, value) in [
        ("application_key", "canary-app"),
        ("application_secret", "canary-secret"),
        ("consumer_key", "canary-consumer"),
    ] {
        settings.credentials.insert(key.to_owned(), SecretString::from(value));
    }
    settings
}

pub(crate) fn open(settings: &AccountSettings) -> OvhProvider {
    OvhProvider::open(settings).expect("complete settings")
}

pub(crate) fn context() -> CallContext {
    CallContext { now: now(), requests: RequestCounter::default() }
}

pub(crate) fn now() -> DateTime<Utc> {
    NOW.parse().expect("valid")
}

/// Who logs in, as OVHcloud confirms it.
pub(crate) fn identity() -> Identity {
    Identity { account: PROJECT.into(), login: String::new() }
}

/// Reads a machine again.
pub(crate) async fn read(
    provider: &OvhProvider,
    machine: &Instance,
) -> Result<Instance, ProviderError> {
    provider.read(&context(), &identity(), &machine.id).await
}

/// The right to act on a machine, by all the checks that make one.
pub(crate) fn permit(machine: &Instance, verb: Verb) -> StopPermit {
    let pinned = Pinned::compare(&"lab".into(), &"ovhcloud".into(), Some(PROJECT), &identity());
    let consents = Consents { terminate: true, local_data_loss: true };
    let armed = Armed::new(pinned.expect("pinned"), consents, true).expect("enforcing");
    let fingerprint = Fingerprint::of(machine, "");
    let step = Step {
        id: machine.id.clone(),
        account: "lab".into(),
        name: None,
        verb,
        call: String::new(),
        rule: "ownerless".to_owned(),
        reasons: Vec::new(),
        notice: "n-1".to_owned(),
        noticed_at: now(),
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
    let verdict = Verdict::Orphan;
    let fresh =
        Fresh { instance: machine, fingerprint: &fingerprint, asked: true, verdict, why: "" };
    authorise(&armed, &step, &fresh, now()).expect("nothing speaks against it")
}

/// What one listing gave, and how it ended.
pub(crate) async fn list(provider: &OvhProvider) -> (Vec<Instance>, Result<(), ProviderError>) {
    let (cx, identity) = (context(), identity());
    let tell = |_| ();
    let mut sink = Sink::new(&tell);
    let ended = provider.list(&cx, &identity, &Location::new("all"), &mut sink).await;
    (sink.into_inner(), ended)
}

/// The machines of a world, listed whole.
pub(crate) async fn machines(cloud: &SimCloud) -> Vec<Instance> {
    let (machines, ended) = list(&open(&settings(cloud))).await;
    ended.expect("a whole listing");
    machines
}
