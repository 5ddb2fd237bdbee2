//! What happens to the world between two commands, one line each: `world tag i-1 owner=alice`.

use std::collections::BTreeSet;

use reaper_simcloud::{Act, Outcome, World};

/// A change of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    /// `tag ID KEY=VALUE`
    Tag(String, String, String),
    /// `untag ID KEY`
    Untag(String, String),
    /// `rename ID NAME`, where machines have no tags.
    Rename(String, String),
    /// `remove ID…`: their owners end them.
    Remove(Vec<String>),
    /// `restart ID`: somebody starts it again.
    Restart(String),
    /// `protect ID`: protection is switched on at the provider.
    Protect(String),
    /// `takes-it ID done|lie|stuck|twin|gone`: how it takes being acted upon.
    TakesIt(String, Outcome),
    /// `deny RIGHT`: the key loses the right to act: `ec2:StopInstances`, `instance/shelve`, …
    Deny(String),
    /// `allow RIGHT`
    Allow(String),
}

impl Edit {
    /// Reads one.
    pub(crate) fn read(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let owned = |text: &str| text.to_owned();
        match words.as_slice() {
            ["tag", id, pair] => {
                let (key, value) = pair.split_once('=').expect("KEY=VALUE");
                Self::Tag(owned(id), owned(key), owned(value))
            }
            ["untag", id, key] => Self::Untag(owned(id), owned(key)),
            ["rename", id, name] => Self::Rename(owned(id), owned(name)),
            ["remove", ids @ ..] if !ids.is_empty() => {
                Self::Remove(ids.iter().map(|id| owned(id)).collect())
            }
            ["restart", id] => Self::Restart(owned(id)),
            ["protect", id] => Self::Protect(owned(id)),
            ["takes-it", id, how] => Self::TakesIt(owned(id), outcome(how)),
            ["deny", right] => Self::Deny(owned(right)),
            ["allow", right] => Self::Allow(owned(right)),
            _ => panic!("no change of the world: {text}"),
        }
    }

    /// Carries it out; what it names must be there.
    pub(crate) fn carry_out(&self, world: &mut World) {
        let done = match self {
            Self::Tag(id, key, value) => set_tag(world, id, key, Some(value)),
            Self::Untag(id, key) => set_tag(world, id, key, None),
            Self::Rename(id, name) => world
                .ovhcloud
                .instance_mut(id)
                .map(|machine| name.clone_into(&mut machine.name))
                .is_some(),
            Self::Remove(ids) => ids.iter().all(|id| world.remove(id)),
            Self::Restart(id) => world.restart(id),
            Self::Protect(id) => protect(world, id),
            Self::TakesIt(id, outcome) => takes_it(world, id, *outcome),
            Self::Deny(right) => rights(world, right, true),
            Self::Allow(right) => rights(world, right, false),
        };
        assert!(done, "there is nothing to do that to: {self:?}");
    }
}

fn outcome(word: &str) -> Outcome {
    match word {
        "done" => Outcome::Done,
        "lie" => Outcome::Lie,
        "stuck" => Outcome::Stuck,
        "twin" => Outcome::Twin,
        "gone" => Outcome::Gone,
        _ => panic!("no outcome: {word}"),
    }
}

/// The EC2 machine of that id.
fn ec2<'a>(world: &'a mut World, id: &str) -> Option<&'a mut reaper_simcloud::aws::Instance> {
    let machine = world.aws.instances().find(|machine| machine.id == id)?;
    let (account, region) = (machine.account.clone(), machine.region.clone());
    world.aws.instance_mut(&account, &region, id)
}

fn set_tag(world: &mut World, id: &str, key: &str, value: Option<&String>) -> bool {
    if let Some(machine) = ec2(world, id) {
        machine.tags.remove(key);
        machine.tags.extend(value.map(|value| (key.to_owned(), value.clone())));
    } else if let Some(server) = world.scaleway.server_mut(id) {
        let head = format!("{key}=");
        server.tags.retain(|tag| !tag.starts_with(&head));
        server.tags.extend(value.map(|value| format!("{head}{value}")));
    } else if let Some(machine) = world.lambda.instance_mut(id) {
        machine.tags.remove(key);
        machine.tags.extend(value.map(|value| (key.to_owned(), value.clone())));
    } else {
        return false;
    }
    true
}

fn protect(world: &mut World, id: &str) -> bool {
    if let Some(machine) = ec2(world, id) {
        machine.disable_api_stop = true;
    } else if let Some(server) = world.scaleway.server_mut(id) {
        server.protected = true;
    } else if let Some(machine) = world.ovhcloud.instance_mut(id) {
        machine.locked = true;
    } else {
        return false;
    }
    true
}

fn takes_it(world: &mut World, id: &str, outcome: Outcome) -> bool {
    let act = Act::outcome(outcome);
    if let Some(machine) = ec2(world, id) {
        machine.act = act;
    } else if let Some(server) = world.scaleway.server_mut(id) {
        server.act = act;
    } else if let Some(machine) = world.ovhcloud.instance_mut(id) {
        machine.act = act;
    } else if let Some(machine) = world.lambda.instance_mut(id) {
        machine.act = act;
    } else {
        return false;
    }
    true
}

/// Takes a right from every account that exists at its provider, or gives it back.
fn rights(world: &mut World, right: &str, denied: bool) -> bool {
    let set = |rights: &mut Vec<String>, right: &str| {
        rights.retain(|known| known != right);
        rights.extend(denied.then(|| right.to_owned()));
    };
    let accounts: BTreeSet<String> =
        world.aws.instances().map(|machine| machine.account.clone()).collect();
    if right.starts_with("ec2:") {
        for account in &accounts {
            if let Some(account) = world.aws.account_mut(account) {
                set(&mut account.denied, right);
            }
        }
        !accounts.is_empty()
    } else if right.starts_with("instance/") {
        let project = world.ovhcloud.project_mut(crate::support::PROJECT);
        project.map(|project| set(&mut project.denied, right)).is_some()
    } else if right == "InstancesFullAccess" {
        let organization = world.scaleway.organization_mut(crate::support::ORGANISATION);
        organization.map(|organization| set(&mut organization.read_only, "instance")).is_some()
    } else {
        let account = world.lambda.account_mut("burst");
        account.map(|account| set(&mut account.denied, right)).is_some()
    }
}
