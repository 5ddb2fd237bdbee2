//! The fleets that are measured.

use std::path::Path;

use reaper_simcloud::aws::Account;
use reaper_simcloud::lambda::{self, LambdaWorld};
use reaper_simcloud::ovhcloud::{self, Project};
use reaper_simcloud::scaleway::Organization;
use reaper_simcloud::{Meter, SimCloud, When, World};
use tempfile::TempDir;

/// The clock of every world here.
pub(crate) const NOW: &str = "2026-11-30T09:00:00Z";

const RULES: &str = "[[rule]]\nname = \"ownerless\"\n\
     when = { owner = [\"absent\"], older_than = \"2h\" }\naction = \"stop\"\n";

/// Asks CloudWatch what every machine does.
const IDLE: &str = "[[rule]]\nname = \"idle\"\n\
     when = { idle = { below = \"5%\", for = \"6h\", coverage = \"80%\" } }\naction = \"report\"\n";

/// One fleet to be measured.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) aim: &'static str,
    fleet: Fleet,
}

/// What is there to be read.
enum Fleet {
    /// Accounts at AWS, each with so many machines in every region.
    Aws {
        accounts: usize,
        regions: &'static [&'static str],
        machines: usize,
        options: &'static str,
    },
    /// So many machines with a GPU each in one region, a tenth of them quiet, and a rule that asks.
    Metered { machines: usize },
    /// 40 scopes: 26 at AWS, 10 at Scaleway, 2 each at OVHcloud and Lambda; so many machines in each.
    Four { machines: usize },
}

/// A fleet that is being served, and the folder with its configuration.
pub(crate) struct Served {
    pub(crate) cloud: SimCloud,
    pub(crate) folder: TempDir,
}

const FOUR: [&str; 4] = ["eu-west-1", "eu-west-2", "eu-west-3", "us-east-1"];
const THIRTEEN: [&str; 13] = [
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-northeast-3",
    "ap-south-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ca-central-1",
    "eu-central-1",
    "eu-north-1",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "us-east-1",
];
const ZONES: [&str; 10] = [
    "fr-par-1", "fr-par-2", "fr-par-3", "it-mil-1", "nl-ams-1", "nl-ams-2", "nl-ams-3", "pl-waw-1",
    "pl-waw-2", "pl-waw-3",
];
/// Names no AWS regions besides those that are read.
const NO_OTHERS: &str = "name_uncovered_regions = \"false\"\n";

/// All fleets.
pub(crate) fn all() -> Vec<Case> {
    let fifty = |options| Fleet::Aws { accounts: 50, regions: &FOUR, machines: 100, options };
    vec![
        Case {
            name: "10,000 GPU machines in one region, pages of 1,000, 100 ms a request",
            aim: "1.5 s, 64 MiB",
            fleet: Fleet::Aws {
                accounts: 1,
                regions: &["eu-west-1"],
                machines: 10_000,
                options: "server_side_filter = \"false\"\n",
            },
        },
        Case {
            name: "50 accounts × 4 regions × 100 machines, 100 ms a request",
            aim: "1.5 s, 2 CPU s, 250 requests",
            fleet: fifty(NO_OTHERS),
        },
        Case {
            name: "the same, naming the regions that are not scanned (default)",
            aim: "1.5 s, 2 CPU s, 300 requests",
            fleet: fifty(""),
        },
        Case {
            name: "1,000 GPU machines and what CloudWatch measured of them in 6 h, 100 ms a request",
            aim: "6 requests more than without (3 + 6)",
            fleet: Fleet::Metered { machines: 1_000 },
        },
        Case {
            name: "all four clouds at once, 40 scopes × 25 machines, 100 ms a request",
            // Scaleway asks longest: key, its holder, servers, types, then groups beside events.
            aim: "0.75 s (1.5 × the longest chain, 5 calls), 64 MiB",
            fleet: Fleet::Four { machines: 25 },
        },
    ]
}

impl Case {
    /// Serves the fleet and writes the configuration that reads it.
    pub(crate) async fn serve(&self) -> Served {
        let mut world =
            World::from_toml(&format!("clock = {{ start = \"{NOW}\" }}\nlatency_ms = 100"))
                .expect("a world");
        match self.fleet {
            Fleet::Aws { accounts, regions, machines, .. } => {
                aws(&mut world, accounts, regions, machines);
            }
            Fleet::Metered { machines } => {
                aws(&mut world, 1, &FOUR[..1], machines);
                meters(&mut world);
            }
            Fleet::Four { machines } => {
                aws(&mut world, 2, &THIRTEEN, machines);
                others(&mut world, machines);
            }
        }
        let cloud = SimCloud::start(world).await.expect("a free port");
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = format!("version = 1\n{RULES}");
        match self.fleet {
            Fleet::Aws { accounts, regions, options, .. } => {
                config.push_str(&aws_accounts(folder.path(), &cloud, accounts, regions, options));
            }
            Fleet::Metered { .. } => {
                config.push_str(IDLE);
                config.push_str(&aws_accounts(folder.path(), &cloud, 1, &FOUR[..1], NO_OTHERS));
            }
            Fleet::Four { .. } => {
                config.push_str(&aws_accounts(folder.path(), &cloud, 2, &THIRTEEN, NO_OTHERS));
                config.push_str(&other_accounts(folder.path(), &cloud));
            }
        }
        std::fs::write(folder.path().join("reaper.toml"), config).expect("a file");
        Served { cloud, folder }
    }
}

fn aws(world: &mut World, accounts: usize, regions: &[&str], machines: usize) {
    for account in 0..accounts {
        let id = account_id(account);
        world.aws.add_account(Account::new(&id, &key(account))).expect("a new account");
        for region in regions {
            world.aws.fleet(&id, region, machines, |_, machine| machine).expect("machines");
        }
    }
}

/// Every machine measures itself, and nine of ten are at work.
fn meters(world: &mut World) {
    let ids: Vec<String> = world.aws.instances().map(|machine| machine.id.clone()).collect();
    world.meters.extend(ids.iter().enumerate().map(|(number, id)| Meter {
        power: Some(if number % 10 == 0 { 2.0 } else { 70.0 }.into()),
        cpu: Some(1.0.into()),
        network: Some(500.0.into()),
        disk: Some(100.0.into()),
        ..Meter::new(id)
    }));
}

fn aws_accounts(
    folder: &Path,
    cloud: &SimCloud,
    accounts: usize,
    regions: &[&str],
    options: &str,
) -> String {
    let mut config = String::new();
    for account in 0..accounts {
        let name = format!("key-{account}");
        file(folder, &name, &key(account));
        config.push_str(&format!(
            "[[account]]\nname = \"team-{account}\"\nprovider = \"aws\"\nregions = {regions:?}\n\
             expect_account = \"{}\"\nendpoint_url = \"{}\"\n{options}\
             credentials = {{ access_key_id = {{ file = \"{name}\" }}, \
             secret_access_key = {{ file = \"{name}\" }} }}\n",
            account_id(account),
            cloud.base_url("aws"),
        ));
    }
    config
}

const ORGANIZATION: &str = "11111111-1111-4111-8111-000000000001";
const ACCESS_KEY: &str = "SCW0123456789ABCDEFG";
/// What Lambda accounts, OVHcloud projects and their keys are called after.
const PAIR: [&str; 2] = ["aaaaaaaa", "bbbbbbbb"];

/// Scaleway in all zones, two projects at OVHcloud, two workspaces at Lambda.
fn others(world: &mut World, machines: usize) {
    let organization = Organization::new(ORGANIZATION, ACCESS_KEY, "scaleway-secret");
    world.scaleway.add_organization(organization).expect("a new organization");
    for zone in ZONES {
        world.scaleway.fleet(ORGANIZATION, zone, machines, |_, it| it).expect("servers");
    }
    world.lambda = LambdaWorld::new().expect("built-in types");
    world.lambda.min_interval_ms = 0;
    for name in PAIR {
        let project = name.repeat(4);
        world.ovhcloud.add_project(Project::new(&project)).expect("a new project");
        let account = lambda::Account {
            name: name.to_owned(),
            api_key: format!("{name}-key"),
            ssh_keys: vec![name.to_owned()],
            ..lambda::Account::default()
        };
        world.lambda.add_account(account).expect("a new account");
        for number in 0..machines {
            let id = format!("{name}-{number}");
            let machine = ovhcloud::Instance::new(&project, "GRA11", &id, "l4-90");
            world.ovhcloud.add_instance(machine).expect("a new machine");
            let mut machine = lambda::Instance::default();
            name.clone_into(&mut machine.account);
            machine.id = id;
            "us-east-1".clone_into(&mut machine.region);
            "gpu_1x_a10".clone_into(&mut machine.machine_type);
            machine.launched = Some(When::ago("240h".parse().expect("a span")));
            world.lambda.add_instance(machine).expect("a new machine");
        }
    }
}

fn other_accounts(folder: &Path, cloud: &SimCloud) -> String {
    file(folder, "scaleway-access", ACCESS_KEY);
    file(folder, "scaleway-secret", "scaleway-secret");
    let mut config = format!(
        "[pace]\nlambda = {{ per_second = 1000 }}\n\
         [[account]]\nname = \"poc\"\nprovider = \"scaleway\"\nendpoint_url = \"{}\"\n\
         credentials = {{ access_key = {{ file = \"scaleway-access\" }}, \
         secret_key = {{ file = \"scaleway-secret\" }} }}\n",
        cloud.base_url("scaleway"),
    );
    for name in PAIR {
        for kind in ["app", "secret", "consumer", "key"] {
            file(folder, &format!("{name}-{kind}"), &format!("{name}-{kind}"));
        }
        config.push_str(&format!(
            "[[account]]\nname = \"lab-{name}\"\nprovider = \"ovhcloud\"\nproject = \"{}\"\n\
             endpoint_url = \"{}\"\ncredentials = {{ application_key = {{ file = \"{name}-app\" }}, \
             application_secret = {{ file = \"{name}-secret\" }}, \
             consumer_key = {{ file = \"{name}-consumer\" }} }}\n\
             [[account]]\nname = \"burst-{name}\"\nprovider = \"lambda\"\nendpoint_url = \"{}\"\n\
             credentials = {{ api_key = {{ file = \"{name}-key\" }} }}\n",
            name.repeat(4),
            cloud.base_url("ovhcloud"),
            cloud.base_url("lambda"),
        ));
    }
    config
}

fn file(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

fn account_id(number: usize) -> String {
    format!("{:012}", 100_000_000_000 + number)
}

fn key(number: usize) -> String {
    format!("AKIABENCH{number:011}")
}
