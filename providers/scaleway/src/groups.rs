//! Members of autoscaling groups: a group brings back what is stopped. Groups are asked for only
//! where a zone has billed machines that no other controller claims.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Instance, Location, Manager, Source};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::{Api, GROUPS};
use crate::stop;
use crate::wire;

/// Names of groups by the id of their servers.
pub(crate) type Members = BTreeMap<String, String>;

/// What is known before groups are read, and an objection until then: a listing may break off.
const NOT_READ: &str = "whether an autoscaling group owns it was not read";

/// The controller of a billed machine that no other controller claims, before groups are read.
pub(crate) fn not_read() -> Fact<Manager> {
    Fact::unknown(Ignorance::NotAsked, NOT_READ)
}

fn is_open(machine: &Instance) -> bool {
    machine.manager.gap().is_some_and(|gap| gap.kind == Ignorance::NotAsked)
}

/// Reads who is a member of a group, if that matters for any machine. A zone without the product
/// has no groups.
pub(crate) async fn read(
    api: &Api,
    cx: &CallContext,
    zone: &Location,
    projects: &BTreeSet<String>,
    machines: &[Instance],
) -> Result<Members, ProviderError> {
    if !machines.iter().any(is_open) {
        return Ok(Members::new());
    }
    match members(api, cx, zone, projects).await {
        Err(error) if error.kind == ErrorKind::NotFound => Ok(Members::new()),
        read => read,
    }
}

/// Names the group of every machine that has one. Where groups could not be read, nobody knows, and
/// that is an objection to a stop.
pub(crate) fn mark(
    machines: &mut [Instance],
    members: &Result<Members, ProviderError>,
    now: DateTime<Utc>,
) {
    let source = Source::new(GROUPS);
    for machine in machines.iter_mut().filter(|machine| is_open(machine)) {
        let manager = match members {
            Ok(members) => match members.get(&machine.id.native) {
                Some(group) => Fact::known(group_manager(group), &source, now),
                None => Fact::absent(&source),
            },
            Err(error) => Fact::unknown(
                Ignorance::NotOffered,
                format!("whether an autoscaling group owns it is not known: {error}"),
            ),
        };
        machine.stop.objections.retain(|objection| objection != NOT_READ);
        machine.stop.objections.extend(stop::objection_of(&manager));
        machine.manager = manager;
    }
}

fn group_manager(name: &str) -> Manager {
    Manager {
        kind: "autoscaling-group".to_owned(),
        name: name.to_owned(),
        advice: "lower the size of the group".to_owned(),
    }
}

/// Scaleway lists groups by project, and servers by group.
async fn members(
    api: &Api,
    cx: &CallContext,
    zone: &Location,
    projects: &BTreeSet<String>,
) -> Result<Members, ProviderError> {
    let mut members = Members::new();
    for project in projects {
        let mut pages = api.groups(zone, project);
        while let Some(page) = pages.next::<wire::Groups>(cx).await? {
            for group in page.groups.iter().filter_map(|group| group.good()) {
                let Some(id) = group.id.good() else { continue };
                let name = group.name.good().unwrap_or(id);
                let mut pages = api.group_servers(zone, id);
                while let Some(page) = pages.next::<wire::GroupServers>(cx).await? {
                    let servers = page.servers.iter().filter_map(|server| server.good());
                    let ids = servers.filter_map(|server| server.server_id.good());
                    members.extend(ids.map(|server| (server.clone(), name.clone())));
                }
            }
        }
    }
    Ok(members)
}
