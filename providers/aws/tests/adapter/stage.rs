//! An account at the simulated cloud, for the tests about money.

use reaper_aws::AwsProvider;
use reaper_model::{Instance, Location, Price};
use reaper_provider::{CallContext, Provider, ProviderError, Sink};
use reaper_simcloud::{SimCloud, World};

use crate::open;
use crate::support::{identity, settings};

/// A cloud whose clock stands at noon of the last of November 2026.
pub(crate) const WORLD: &str = r#"
clock = { start = "2026-11-30T12:00:00Z" }
[[aws.account]]
id = "111122223333"
access_keys = ["AKIAEXAMPLE"]
"#;

/// The cloud of [`WORLD`] with `more` in it.
pub(crate) async fn cloud(more: &str) -> SimCloud {
    let world = World::from_toml(&format!("{WORLD}{more}")).expect("a world file");
    SimCloud::start(world).await.expect("a free port")
}

/// The account with further options.
pub(crate) fn account(cloud: &SimCloud, options: &[(&str, &str)]) -> AwsProvider {
    let mut settings = settings(&cloud.base_url("aws"));
    settings.credentials.insert("access_key_id".to_owned(), "AKIAEXAMPLE".to_owned().into());
    settings.limits.page_size = Some(5);
    for (key, value) in options {
        settings.options.insert((*key).to_owned(), (*value).to_owned());
    }
    open(settings)
}

/// A machine in Ireland; `more` are further lines of the world file.
pub(crate) fn machine(id: &str, kind: &str, more: &str) -> String {
    format!(
        "[[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\nid = \"{id}\"\n\
         type = \"{kind}\"\nlaunched = \"60h\"\ntags = {{ owner = \"alice\" }}\n{more}\n"
    )
}

/// What a listing of Ireland brought.
pub(crate) struct Listed {
    pub(crate) machines: Vec<Instance>,
    pub(crate) ended: Result<(), ProviderError>,
    /// Code, text and subject of each warning.
    pub(crate) warnings: Vec<(String, String, String)>,
    pub(crate) requests: u32,
}

impl Listed {
    /// The machine of that id.
    pub(crate) fn machine(&self, id: &str) -> &Instance {
        self.machines.iter().find(|one| one.id.native == id).expect("a listed machine")
    }
}

/// Lists Ireland.
pub(crate) async fn list(provider: &AwsProvider, cx: &CallContext) -> Listed {
    let (region, mut sink) = (Location::new("eu-west-1"), Sink::new(&|_| ()));
    let before = cx.requests.sent();
    let ended = provider.list(cx, &identity(), &region, &mut sink).await;
    let warnings = sink.take_warnings().into_iter();
    Listed {
        ended,
        warnings: warnings
            .map(|one| (one.code, one.text, one.subject.unwrap_or_default()))
            .collect(),
        machines: std::mem::take(sink.machines()),
        requests: cx.requests.sent() - before,
    }
}

/// A machine's price with all its digits, and else why it is not known.
pub(crate) fn price(provider: &AwsProvider, machine: &Instance) -> Result<String, String> {
    found(provider, machine).map(|price| price.money.all_digits())
}

/// The same as a whole.
pub(crate) fn found(provider: &AwsProvider, machine: &Instance) -> Result<Price, String> {
    let fact = provider.price(machine);
    fact.value().cloned().ok_or_else(|| fact.gap().expect("a gap").to_string())
}
