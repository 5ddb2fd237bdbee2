//! The fleets that are measured.

use reaper_simcloud::aws::{Account, AwsWorld};
use reaper_simcloud::{SimCloud, World};
use tempfile::TempDir;

/// The clock of every world here.
pub(crate) const NOW: &str = "2026-11-30T09:00:00Z";

const RULES: &str = "[[rule]]\nname = \"ownerless\"\n\
     when = { owner = [\"absent\"], older_than = \"2h\" }\naction = \"stop\"\n";

/// One fleet to be measured.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) aim: &'static str,
    accounts: usize,
    regions: &'static [&'static str],
    machines: usize,
    options: &'static str,
}

/// A fleet that is being served, and the folder with its configuration.
pub(crate) struct Served {
    pub(crate) cloud: SimCloud,
    pub(crate) folder: TempDir,
}

const FOUR: [&str; 4] = ["eu-west-1", "eu-west-2", "eu-west-3", "us-east-1"];

/// All fleets.
pub(crate) fn all() -> Vec<Case> {
    vec![
        Case {
            name: "10,000 GPU machines in one region, pages of 1,000, 100 ms a request",
            aim: "1.5 s, 64 MiB",
            accounts: 1,
            regions: &["eu-west-1"],
            machines: 10_000,
            options: "server_side_filter = \"false\"\n",
        },
        Case {
            name: "50 accounts × 4 regions × 100 machines, 100 ms a request",
            aim: "1.5 s, 2 CPU s, 250 requests",
            accounts: 50,
            regions: &FOUR,
            machines: 100,
            options: "name_uncovered_regions = \"false\"\n",
        },
        Case {
            name: "the same, naming the regions that are not scanned (default)",
            aim: "1.5 s, 2 CPU s, 300 requests",
            accounts: 50,
            regions: &FOUR,
            machines: 100,
            options: "",
        },
    ]
}

impl Case {
    /// Serves the fleet and writes the configuration that reads it.
    pub(crate) async fn serve(&self) -> Served {
        let mut world =
            World::from_toml(&format!("clock = {{ start = \"{NOW}\" }}\nlatency_ms = 100"))
                .expect("a world");
        let mut aws = AwsWorld::default();
        for account in 0..self.accounts {
            let id = account_id(account);
            aws.add_account(Account::new(&id, &key(account))).expect("a new account");
            for region in self.regions {
                aws.fleet(&id, region, self.machines, |_, machine| machine).expect("machines");
            }
        }
        world.aws = aws;
        let cloud = SimCloud::start(world).await.expect("a free port");
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = format!("version = 1\n{RULES}");
        for account in 0..self.accounts {
            std::fs::write(folder.path().join(format!("key-{account}")), key(account))
                .expect("a file");
            config.push_str(&format!(
                "[[account]]\nname = \"team-{account}\"\nprovider = \"aws\"\nregions = {:?}\n\
                 expect_account = \"{}\"\nendpoint_url = \"{}\"\n{}\
                 credentials = {{ access_key_id = {{ file = \"key-{account}\" }}, \
                 secret_access_key = {{ file = \"key-{account}\" }} }}\n",
                self.regions,
                account_id(account),
                cloud.base_url("aws"),
                self.options,
            ));
        }
        std::fs::write(folder.path().join("reaper.toml"), config).expect("a file");
        Served { cloud, folder }
    }
}

fn account_id(number: usize) -> String {
    format!("{:012}", 100_000_000_000 + number)
}

fn key(number: usize) -> String {
    format!("AKIABENCH{number:011}")
}
