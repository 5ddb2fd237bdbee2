//! Four clouds with one account each: the fleet written into the simulated world, and read from it.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_engine::Account;
use reaper_model::{InstanceId, Location};
use reaper_provider::account::CallLimits;
use reaper_provider::{AccountSettings, Consents, Descriptor, Surroundings};
use reaper_simcloud::scaleway::{Organization, Server};
use reaper_simcloud::{Clock, SimCloud, When, World, aws, lambda, ovhcloud};
use serde_json::json;

use crate::fleet::{Cloud, Machine, Stand};

const AWS: &str = "111122223333";
const REGION: &str = "eu-west-1";
const PROJECT: &str = "0123456789ab4cdef0123456789abcde";
const CLUSTER: &str = "kube-1";
const ORGANIZATION: &str = "11111111-1111-4111-8111-000000000001";
const SECRET: &str = "5d2f6b1e-8a3c-4111-8111-000000000009";
const ZONE: &str = "fr-par-2";
const BURST: &str = "burst";
const API_KEY: &str = "secret_burst_0123";

/// A world with four empty accounts.
pub(crate) fn world(start: DateTime<Utc>) -> World {
    let mut world = World { clock: Clock::starting(start), ..World::default() };
    world.aws.add_account(aws::Account::new(AWS, "AKIASIM")).expect("the only account");
    let clusters = vec![CLUSTER.to_owned()];
    let project = ovhcloud::Project { clusters, ..ovhcloud::Project::new(PROJECT) };
    world.ovhcloud.add_project(project).expect("the only project");
    let organization = Organization::new(ORGANIZATION, "SCW0123456789ABCDEFG", SECRET);
    world.scaleway.add_organization(organization).expect("the only organisation");
    world.lambda = lambda::LambdaWorld::new().expect("built-in types");
    world.lambda.min_interval_ms = 0;
    let workspace = lambda::Account {
        name: BURST.to_owned(),
        api_key: API_KEY.to_owned(),
        ssh_keys: vec!["ops-2026".to_owned()],
        ..lambda::Account::default()
    };
    world.lambda.add_account(workspace).expect("the only workspace");
    world
}

/// The accounts, opened as the command line opens them. No pace and no second attempt of a call:
/// time stands still while a call is under way.
pub(crate) fn accounts(cloud: &SimCloud, lambda_may_terminate: bool) -> Vec<Account> {
    Cloud::ALL.map(|which| account(which, cloud, lambda_may_terminate)).into()
}

fn account(which: Cloud, cloud: &SimCloud, lambda_may_terminate: bool) -> Account {
    let mut settings = AccountSettings::named(which.name());
    settings.endpoint_url = Some(cloud.base_url(which.name()));
    settings.limits = CallLimits {
        call: Duration::from_secs(30),
        attempts: 1,
        per_second: Some(u32::MAX),
        ..CallLimits::default()
    };
    let (descriptor, pin, credentials): (&Descriptor, _, &[(&str, &str)]) = match which {
        Cloud::Aws => {
            settings.locations = vec![Location::new(REGION)];
            let quiet = ("name_uncovered_regions".to_owned(), "false".to_owned());
            settings.options.insert(quiet.0, quiet.1);
            let keys = &[("access_key_id", "AKIASIM"), ("secret_access_key", "simulated")];
            (&reaper_aws::DESCRIPTOR, AWS, keys)
        }
        Cloud::Ovhcloud => {
            settings.options.insert("project".to_owned(), PROJECT.to_owned());
            let keys = &[
                ("application_key", "01234567-app"),
                ("application_secret", "01234567-secret"),
                ("consumer_key", "01234567-consumer"),
            ];
            (&reaper_ovhcloud::DESCRIPTOR, PROJECT, keys)
        }
        Cloud::Scaleway => {
            settings.locations = vec![Location::new(ZONE)];
            let keys = &[("access_key", "SCW0123456789ABCDEFG"), ("secret_key", SECRET)];
            (&reaper_scaleway::DESCRIPTOR, ORGANIZATION, keys)
        }
        Cloud::Lambda => (&reaper_lambda::DESCRIPTOR, "ssh-key:ops-2026", &[("api_key", API_KEY)]),
    };
    settings.expect_account = Some(pin.to_owned());
    for (key, value) in credentials {
        settings.credentials.insert((*key).to_owned(), (*value).into());
    }
    let terminate = which == Cloud::Lambda && lambda_may_terminate;
    Account {
        name: which.name().into(),
        provider: (descriptor.open)(settings, Surroundings::NONE).expect("complete settings"),
        expect_account: Some(pin.to_owned()),
        consents: Consents { terminate, local_data_loss: false },
    }
}

/// A machine is there from now on, and runs.
pub(crate) fn launch(world: &mut World, machine: &Machine) {
    let started = When::At(machine.started);
    let id = machine.native.as_str();
    match machine.cloud {
        Cloud::Aws => {
            let made = aws::Instance::new(AWS, REGION, id, machine.kind).launched(started);
            world.aws.add_instance(made).expect("a new machine");
        }
        Cloud::Ovhcloud => {
            let made = ovhcloud::Instance {
                created: started,
                ..ovhcloud::Instance::new(PROJECT, "GRA11", id, machine.kind)
            };
            world.ovhcloud.add_instance(made).expect("a new machine");
        }
        Cloud::Scaleway => {
            let made = Server::new(ORGANIZATION, ZONE, id, machine.kind).created(started);
            world.scaleway.add_server(made).expect("a new machine");
        }
        Cloud::Lambda => {
            let made = lambda::Instance {
                account: BURST.to_owned(),
                id: id.to_owned(),
                region: "us-west-1".to_owned(),
                machine_type: machine.kind.to_owned(),
                launched: Some(started),
                ..lambda::Instance::default()
            };
            world.lambda.add_instance(made).expect("a new machine");
        }
    }
    write(world, machine);
}

/// Name, tags, protection and manners of a machine that is there, as its people want them.
pub(crate) fn write(world: &mut World, machine: &Machine) {
    let id = machine.native.as_str();
    let (name, tags) = (machine.name(), machine.tags());
    match machine.cloud {
        Cloud::Aws => {
            if let Some(there) = world.aws.instance_mut(AWS, REGION, id) {
                there.tags = tags_at_aws(machine);
                there.tags_withheld = machine.blind;
                there.disable_api_stop = machine.guarded;
                there.act = machine.act;
            }
        }
        Cloud::Ovhcloud => {
            if let Some(there) = world.ovhcloud.instance_mut(id) {
                there.name = name;
                there.cluster = machine.managed.then(|| CLUSTER.to_owned());
                there.act = machine.act;
            }
        }
        Cloud::Scaleway => {
            if let Some(there) = world.scaleway.server_mut(id) {
                there.name = Some(name);
                there.tags = tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
                there.protected = machine.guarded;
                there.patch = machine.blind.then(|| json!({ "tags": "none" }).to_string());
                there.act = machine.act;
            }
        }
        Cloud::Lambda => {
            if let Some(there) = world.lambda.instance_mut(id) {
                there.name = Some(name);
                there.tags = tags;
                there.patch = machine.blind.then(|| json!({ "tags": "none" }).to_string());
                there.act = machine.act;
            }
        }
    }
}

/// How a machine stands in the world.
pub(crate) fn stand(world: &mut World, machine: &Machine) -> Stand {
    let id = machine.native.as_str();
    let word = match machine.cloud {
        Cloud::Aws => world.aws.instance_mut(AWS, REGION, id).map(|there| there.state.clone()),
        Cloud::Ovhcloud => world.ovhcloud.instance_mut(id).map(|there| there.status.clone()),
        Cloud::Scaleway => world.scaleway.server_mut(id).map(|there| there.state.clone()),
        Cloud::Lambda => {
            let status = |there: &mut lambda::Instance| there.status.clone();
            world.lambda.instance_mut(id).map(|it| status(it).unwrap_or("active".to_owned()))
        }
    };
    match word.as_deref() {
        None => Stand::Gone,
        Some("stopped" | "terminated" | "SHELVED" | "SHELVED_OFFLOADED") => Stand::Ended,
        Some("running" | "active" | "ACTIVE" | "SHUTOFF" | "stopped in place") => Stand::Billed,
        Some(_) => Stand::Between,
    }
}

/// Switched off from inside: it looks off and is billed. Only where that is so.
pub(crate) fn switch_off(world: &mut World, machine: &Machine) {
    let id = machine.native.as_str();
    match machine.cloud {
        Cloud::Ovhcloud => {
            if let Some(there) = world.ovhcloud.instance_mut(id) {
                "SHUTOFF".clone_into(&mut there.status);
            }
        }
        Cloud::Scaleway => {
            if let Some(there) = world.scaleway.server_mut(id) {
                "stopped in place".clone_into(&mut there.state);
                there.state_detail = Some("stopped in place".to_owned());
            }
        }
        Cloud::Aws | Cloud::Lambda => {}
    }
}

/// Machines at AWS that were not there before and that nobody of the fleet's people has started:
/// ids, which may have been somebody's once, and tags.
pub(crate) fn strangers(
    world: &World,
    before: &BTreeMap<String, Stand>,
) -> Vec<(String, BTreeMap<String, String>)> {
    let was_there = |id: &str| before.get(id).is_some_and(|stood| *stood != Stand::Gone);
    let new = world.aws.instances().filter(|there| !was_there(&there.id));
    new.map(|there| (there.id.clone(), there.tags.clone())).collect()
}

/// The tags of a machine at AWS as its people want them, its name among them.
pub(crate) fn tags_at_aws(machine: &Machine) -> BTreeMap<String, String> {
    let mut tags = machine.tags();
    tags.insert("Name".to_owned(), machine.name());
    tags
}

/// A machine that is not shown for a while, as it was.
#[derive(Debug)]
pub(crate) enum Mislaid {
    Aws(Box<aws::Instance>),
    Ovhcloud(Box<ovhcloud::Instance>),
    Scaleway(Box<Server>),
    Lambda(Box<lambda::Instance>),
}

/// Takes a machine out of the world.
pub(crate) fn mislay(world: &mut World, machine: &Machine) -> Option<Mislaid> {
    let id = machine.native.as_str();
    match machine.cloud {
        Cloud::Aws => {
            world.aws.remove_instance(AWS, REGION, id).map(|it| Mislaid::Aws(Box::new(it)))
        }
        Cloud::Ovhcloud => {
            world.ovhcloud.remove_instance(id).map(|it| Mislaid::Ovhcloud(Box::new(it)))
        }
        Cloud::Scaleway => {
            world.scaleway.remove_server(id).map(|it| Mislaid::Scaleway(Box::new(it)))
        }
        Cloud::Lambda => world.lambda.remove_instance(id).map(|it| Mislaid::Lambda(Box::new(it))),
    }
}

/// There it is again.
pub(crate) fn find(world: &mut World, mislaid: Mislaid) {
    match mislaid {
        Mislaid::Aws(it) => world.aws.add_instance(*it).expect("nobody took its place"),
        Mislaid::Ovhcloud(it) => world.ovhcloud.add_instance(*it).expect("nobody took its place"),
        Mislaid::Scaleway(it) => world.scaleway.add_server(*it).expect("nobody took its place"),
        Mislaid::Lambda(it) => world.lambda.add_instance(*it).expect("nobody took its place"),
    }
}

/// The id of a machine at OVHcloud, where only the state can keep one.
pub(crate) fn ovhcloud_id(native: &str) -> InstanceId {
    InstanceId {
        provider: Cloud::Ovhcloud.name().into(),
        account: PROJECT.into(),
        location: "GRA11".into(),
        native: native.to_owned(),
    }
}

/// Whether calls that end a bill are forbidden to our key, and whether tags can be read on demand.
pub(crate) fn forbid(world: &mut World, stops: bool, blind: bool) {
    let when = |wanted: bool, word: &str| wanted.then(|| word.to_owned());
    if let Some(account) = world.aws.account_mut(AWS) {
        account.denied = when(stops, "ec2:StopInstances").into_iter().collect();
        account.denied.extend(when(blind, "ec2:DescribeTags"));
    }
    if let Some(project) = world.ovhcloud.project_mut(PROJECT) {
        project.denied = when(stops, "instance/shelve").into_iter().collect();
    }
    if let Some(organization) = world.scaleway.organization_mut(ORGANIZATION) {
        organization.read_only = when(stops, "instance").into_iter().collect();
    }
}
