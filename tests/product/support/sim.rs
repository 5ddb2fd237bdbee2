//! The simulator and the binary together: a world, a configuration that points to it, one audit.

use reaper_simcloud::{SimCloud, World};

use super::{Ran, Reaper};

/// The clock of every world here.
pub(crate) const NOW: &str = "2026-11-30T09:00:00Z";
/// The account of every world here.
pub(crate) const ACCOUNT: &str = "111122223333";

/// A served world.
pub(crate) struct Sim {
    pub(crate) cloud: SimCloud,
}

impl Sim {
    /// Serves a world: one account with one key, and what `world` says besides.
    pub(crate) async fn aws(world: &str) -> Self {
        let head = format!(
            "clock = {{ start = \"{NOW}\" }}\n\
             [[aws.account]]\nid = \"{ACCOUNT}\"\naccess_keys = [\"AKIARESEARCH\"]\n"
        );
        Self::world(&format!("{head}{world}")).await
    }

    /// Serves a world.
    pub(crate) async fn world(text: &str) -> Self {
        let world = World::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Self { cloud: SimCloud::start(world).await.expect("a free port") }
    }

    /// A configuration with one account `research` in these regions, and `tail`.
    pub(crate) fn config(&self, regions: &[&str], tail: &str) -> String {
        format!(
            "version = 1\n[[account]]\nname = \"research\"\nprovider = \"aws\"\n\
             expect_account = \"{ACCOUNT}\"\nregions = {regions:?}\n{}\n{tail}",
            self.login("AKIARESEARCH"),
        )
    }

    /// The lines of an account that point to this cloud with this key.
    pub(crate) fn login(&self, key: &str) -> String {
        format!(
            "endpoint_url = \"{}\"\n\
             credentials = {{ access_key_id = {{ env = \"{key}\" }}, \
             secret_access_key = {{ env = \"SECRET\" }} }}",
            self.cloud.base_url("aws"),
        )
    }

    /// Runs the binary beside the cloud, at the world's time.
    pub(crate) async fn run(&self, config: &str, arguments: &[&str]) -> Ran {
        Reaper::with_config(config)
            .env("AKIARESEARCH", "AKIARESEARCH")
            .env("AKIAOTHER", "AKIAOTHER")
            .env("SECRET", "canary-secret-4711")
            .env("REAPER_NOW", NOW)
            .beside(arguments)
            .await
    }

    /// An audit as JSON.
    pub(crate) async fn audit(&self, regions: &[&str], tail: &str) -> Ran {
        self.run(&self.config(regions, tail), &["audit", "--format", "json"]).await
    }
}

/// Finds what has no owner for two hours.
pub(crate) const OWNERLESS: &str = "[[rule]]\nname = \"ownerless\"\n\
     when = { owner = [\"absent\", \"unknown\", \"departed\"], older_than = \"2h\" }\n\
     action = \"stop\"\n";

/// A running `g5.xlarge` without tags, launched ten days ago, and what `more` says of it.
pub(crate) fn machine(id: &str, region: &str, more: &str) -> String {
    let launched = if more.contains("launched") { "" } else { "launched = \"240h\"\n" };
    let kind = if more.contains("type =") { "" } else { "type = \"g5.xlarge\"\n" };
    format!(
        "[[aws.instance]]\naccount = \"{ACCOUNT}\"\nregion = \"{region}\"\nid = \"{id}\"\n\
         {kind}{launched}{more}\n"
    )
}
