//! `reaper demo`: a full audit of an embedded, simulated fleet, through the real adapters over
//! loopback HTTP. No credentials, no configuration, no network.

use std::path::Path;
use std::process::ExitCode;

use reaper_config::{Config, Environment as ConfigEnvironment};
use reaper_engine::{Clock, Journal};
use reaper_provider::Surroundings;
use reaper_simcloud::{SimCloud, World};
use secrecy::SecretString;

use crate::args::Global;
use crate::commands::audit;
use crate::commands::weeks::Weeks;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::providers;
use crate::run::Setting;
use crate::{open, signals};

const WORLD: &str = include_str!("../../../../config/demo/world.toml");
const CONFIG: &str = include_str!("../../../../config/demo/reaper.toml");
const OWNERS: &str = include_str!("../../../../config/demo/owners.csv");

/// What the simulator's world takes for a login: account, key below `credentials`, value.
const CREDENTIALS: [(&str, &str, &str); 8] = [
    ("research", "access_key_id", "AKIADEMORESEARCH0001"),
    ("research", "secret_access_key", "demo"),
    ("poc", "access_key", "SCWDEMOPOC0000000001"),
    ("poc", "secret_key", "7d0f3a52-1b8e-4c96-a2d4-90e65f1c3b78"),
    ("lab", "application_key", "demo-application"),
    ("lab", "application_secret", "demo-secret"),
    ("lab", "consumer_key", "demo-consumer"),
    ("burst", "api_key", "secret_burst_demo"),
];

/// What the command line asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish<'a> {
    /// Live through so many weeks, and show the last report.
    pub(crate) weeks: Option<u8>,
    /// Where the mails of that time go.
    pub(crate) mails: Option<&'a Path>,
}

pub(crate) async fn demo(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    wish: Wish<'_>,
) -> Result<ExitCode, Failure> {
    let world = World::from_toml(WORLD)
        .map_err(|error| Failure::internal(format!("the demo's world: {error}")))?;
    let now = global.now.unwrap_or_else(|| world.clock.now());
    let cloud = SimCloud::start(world).await.map_err(|error| {
        Failure::internal(format!("cannot serve the simulated clouds on loopback: {error}"))
    })?;
    let mut config = config()?;
    connect(&mut config, &cloud);
    // Nothing of the user's surroundings counts here.
    let environment = Environment { ca_bundle: None, ..environment.clone() };
    let accounts = open::accounts(&config, global, &environment, Surroundings::NONE)?;
    printer.say(&format!(
        "demo: a simulated fleet, served on {} and read by the real adapters; the clock stands at {}",
        cloud.base_url(""),
        now.format("%Y-%m-%d %H:%M UTC"),
    ));
    let clock = Clock::Fixed(now);
    let code = if let Some(count) = wish.weeks {
        let start = now;
        Weeks { global, config: &config, environment: &environment, cloud: &cloud, start, count }
            .show(printer, wish.mails)
            .await
    } else {
        let setting = Setting::new(config, accounts, global, clock, signals::heed())
            .measured(&environment)?;
        audit::print(&setting, (Journal::dry(None), None), printer, &[]).await
    };
    cloud.shutdown().await;
    code
}

/// The embedded configuration. Its directory of people lies beside it in the source, so it is
/// written to a folder that lives as long as the reading.
fn config() -> Result<Config, Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::internal(format!("no temporary folder: {error}")))?;
    std::fs::write(folder.path().join("owners.csv"), OWNERS)
        .map_err(|error| Failure::internal(format!("cannot write a temporary file: {error}")))?;
    let keys = providers::keys();
    let currency = |account: &_| open::currency(account, Surroundings::NONE);
    let lookup = ConfigEnvironment { lookup: &|_| None, providers: &keys, currency: &currency };
    Ok(reaper_config::parse(None, Path::new(folder.path()), CONFIG, &lookup)?)
}

/// Points every account and the Prometheus to the simulator, with the credentials that its world
/// knows.
fn connect(config: &mut Config, cloud: &SimCloud) {
    if let Some(server) = &mut config.metrics.prometheus {
        server.url = cloud.base_url("prometheus");
    }
    for account in &mut config.accounts {
        account.endpoint_url = Some(cloud.base_url(account.provider.as_str()));
        let credentials = CREDENTIALS.iter().filter(|(name, ..)| *name == account.name.as_str());
        for (_, key, value) in credentials {
            account.credentials.insert((*key).to_owned(), SecretString::from(*value));
        }
    }
}
