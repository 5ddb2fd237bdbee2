//! The clouds besides AWS: for each one account that exists in the world, is configured, and whose
//! keys stand in the variables of that provider's own tools.

use super::{NOW, Ran, Reaper, Sim};

/// One account.
pub(crate) struct Cloud {
    /// The provider's name.
    pub(crate) provider: &'static str,
    /// The account in the world.
    pub(crate) world: &'static str,
    /// Its `[[account]]`, without address and credentials.
    pub(crate) account: &'static str,
    /// Its keys. Everything but the public half is secret.
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

/// The Scaleway organisation.
pub(crate) const ORGANISATION: &str = "11111111-1111-4111-8111-000000000001";
/// The OVHcloud project.
pub(crate) const PROJECT: &str = "0123456789abcdef0123456789abcdef";

pub(crate) const SCALEWAY: Cloud = Cloud {
    provider: "scaleway",
    world: "[[scaleway.organization]]\nid = \"11111111-1111-4111-8111-000000000001\"\n\
            access_key = \"SCW0123456789ABCDEFG\"\n\
            secret_key = \"c0ffee00-4711-4a5e-9d3b-5ca1ab1e0001\"\n",
    account: "name = \"poc\"\nprovider = \"scaleway\"\n\
              expect_account = \"11111111-1111-4111-8111-000000000001\"\n",
    keys: &[
        ("SCW_ACCESS_KEY", "SCW0123456789ABCDEFG"),
        ("SCW_SECRET_KEY", "c0ffee00-4711-4a5e-9d3b-5ca1ab1e0001"),
    ],
};

pub(crate) const OVHCLOUD: Cloud = Cloud {
    provider: "ovhcloud",
    world: "[[ovhcloud.project]]\nid = \"0123456789abcdef0123456789abcdef\"\n\
            application_key = \"canaryapplication\"\napplication_secret = \"canarysecret7d41\"\n\
            consumer_key = \"canaryconsumer93ab\"\nclient_id = \"canaryclient\"\n\
            client_secret = \"canaryclientsecret\"\n",
    account: "name = \"lab\"\nprovider = \"ovhcloud\"\n\
              project = \"0123456789abcdef0123456789abcdef\"\n",
    keys: &[
        ("OVH_APPLICATION_KEY", "canaryapplication"),
        ("OVH_APPLICATION_SECRET", "canarysecret7d41"),
        ("OVH_CONSUMER_KEY", "canaryconsumer93ab"),
    ],
};

pub(crate) const LAMBDA: Cloud = Cloud {
    provider: "lambda",
    world: "[[lambda.account]]\nname = \"burst\"\napi_key = \"secret_burst_canary5f3e\"\n\
            ssh_keys = [\"ops-2026\"]\n",
    account: "name = \"burst\"\nprovider = \"lambda\"\nexpect_account = \"ssh-key:ops-2026\"\n",
    keys: &[("LAMBDA_API_KEY", "secret_burst_canary5f3e")],
};

impl Cloud {
    /// Serves the account and what `world` says besides.
    pub(crate) async fn serve(&self, world: &str) -> Sim {
        Sim::world(&format!("clock = {{ start = \"{NOW}\" }}\n{}{world}", self.world)).await
    }

    /// Its `[[account]]` at this simulator.
    pub(crate) fn at(&self, sim: &Sim) -> String {
        let url = sim.cloud.base_url(self.provider);
        format!("[[account]]\n{}endpoint_url = \"{url}\"\n", self.account)
    }

    /// A configuration with this account alone. What `tail` says first belongs to the account.
    pub(crate) fn config(&self, sim: &Sim, tail: &str) -> String {
        format!("version = 1\n{}{tail}", self.at(sim))
    }

    /// A folder with this configuration and an environment with its keys.
    pub(crate) fn reaper(&self, config: &str) -> Reaper {
        self.keys
            .iter()
            .fold(Reaper::with_config(config).env("REAPER_NOW", NOW), |reaper, (name, value)| {
                reaper.env(name, value)
            })
    }

    /// Runs the binary beside the simulator.
    pub(crate) async fn run(&self, sim: &Sim, tail: &str, arguments: &[&str]) -> Ran {
        self.reaper(&self.config(sim, tail)).beside(arguments).await
    }

    /// An audit as JSON.
    pub(crate) async fn audit(&self, sim: &Sim, tail: &str) -> Ran {
        self.run(sim, tail, &["audit", "--format", "json"]).await
    }

    /// An audit as a table.
    pub(crate) async fn table(&self, sim: &Sim, tail: &str) -> Ran {
        self.run(sim, tail, &["audit"]).await
    }
}
