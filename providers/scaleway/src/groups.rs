//! Members of autoscaling groups: a group brings back what is stopped. Groups are asked for only
//! where a zone has billed machines that no other controller claims. That none owns a machine is
//! known only where every group of its project was read to the end.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Instance, Location, Manager, Source, Unknown};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::{Api, GROUPS};
use crate::stop;
use crate::wire;

/// What is known before groups are read, and an objection until then: a listing may break off.
const NOT_READ: &str = "whether an autoscaling group owns it was not read";

/// The projects of the machines of a zone.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    ids: BTreeSet<String>,
    /// Machines whose project cannot be read.
    homeless: BTreeSet<String>,
}

impl Projects {
    /// Notes the project of a machine.
    pub(crate) fn note(&mut self, machine: &str, project: Option<&str>) {
        match project.filter(|project| !project.is_empty()) {
            Some(project) => self.ids.insert(project.to_owned()),
            None => self.homeless.insert(machine.to_owned()),
        };
    }
}

/// What was read of groups.
#[derive(Debug, Default)]
pub(crate) struct Members {
    /// Names of groups by the id of their servers.
    groups: BTreeMap<String, String>,
    /// Why further members may exist.
    gap: Option<Unknown>,
}

impl Members {
    /// What kept members from being read, for people.
    pub(crate) fn gap(&self) -> Option<&Unknown> {
        self.gap.as_ref()
    }

    /// A missing right is the mildest gap, and gives way to one that makes a run incomplete.
    fn note(&mut self, gap: Unknown) {
        let milder = |known: &Unknown| {
            known.kind == Ignorance::NotOffered && gap.kind != Ignorance::NotOffered
        };
        if self.gap.as_ref().is_none_or(milder) {
            self.gap = Some(gap);
        }
    }

    fn unusable(&mut self, what: &str) {
        self.note(Unknown::new(
            Ignorance::Unusable,
            format!("whether an autoscaling group owns it is not known: {what}"),
        ));
    }

    fn of(&self, machine: &str, projects: &Projects, now: DateTime<Utc>) -> Fact<Manager> {
        let source = Source::new(GROUPS);
        if let Some(group) = self.groups.get(machine) {
            return Fact::known(group_manager(group), &source, now);
        }
        if let Some(gap) = &self.gap {
            return Fact::Unknown(gap.clone());
        }
        if projects.homeless.contains(machine) {
            return Fact::unknown(
                Ignorance::Unusable,
                "whether an autoscaling group owns it is not known: its project cannot be read",
            );
        }
        Fact::absent(&source)
    }
}

/// The controller of a billed machine that no other controller claims, before groups are read.
pub(crate) fn not_read() -> Fact<Manager> {
    Fact::unknown(Ignorance::NotAsked, NOT_READ)
}

fn is_open(machine: &Instance) -> bool {
    machine.manager.gap().is_some_and(|gap| gap.kind == Ignorance::NotAsked)
}

/// Reads who is a member of a group, if that matters for any machine. A right that is missing in
/// one project may be there in the next; after any other error no further project is asked.
pub(crate) async fn read(
    api: &Api,
    cx: &CallContext,
    zone: &Location,
    projects: &Projects,
    machines: &[Instance],
) -> Members {
    let mut members = Members::default();
    if !machines.iter().any(is_open) {
        return members;
    }
    for project in &projects.ids {
        let Err(error) = read_project(api, cx, zone, project, &mut members).await else { continue };
        let gap = gap_of(&error);
        let ends = gap.kind != Ignorance::NotOffered;
        members.note(gap);
        if ends {
            break;
        }
    }
    members
}

/// Only a missing right or product is how the world is; all else is a reading that failed.
fn gap_of(error: &ProviderError) -> Unknown {
    let kind = match error.kind {
        ErrorKind::Denied { .. } | ErrorKind::NotEnabled => Ignorance::NotOffered,
        _ => Ignorance::ReadFailed,
    };
    Unknown::new(kind, format!("whether an autoscaling group owns it is not known: {error}"))
}

/// Names the group of every machine that has one. Where groups could not be read, nobody knows, and
/// that is an objection to a stop.
pub(crate) fn mark(
    machines: &mut [Instance],
    projects: &Projects,
    members: &Members,
    now: DateTime<Utc>,
) {
    for machine in machines.iter_mut().filter(|machine| is_open(machine)) {
        let manager = members.of(&machine.id.native, projects, now);
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

/// The groups of a project. That the first page is not found means that the zone lacks the product;
/// a page further on that is not found is a reading that broke off.
async fn read_project(
    api: &Api,
    cx: &CallContext,
    zone: &Location,
    project: &str,
    members: &mut Members,
) -> Result<(), ProviderError> {
    let mut pages = api.groups(zone, project);
    let mut next = match pages.next::<wire::Groups>(cx).await {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
        first => first?,
    };
    while let Some(page) = next {
        for group in &page.groups {
            let group = group.good();
            match group.and_then(|group| group.id.good()).filter(|id| !id.is_empty()) {
                Some(id) => {
                    let name = group.and_then(|group| group.name.good()).unwrap_or(id);
                    read_group(api, cx, zone, id, name, members).await?;
                }
                None => members.unusable("a group has no readable id"),
            }
        }
        next = pages.next(cx).await?;
    }
    Ok(())
}

/// The servers of a group, which owns none if it is gone meanwhile.
async fn read_group(
    api: &Api,
    cx: &CallContext,
    zone: &Location,
    id: &str,
    name: &str,
    members: &mut Members,
) -> Result<(), ProviderError> {
    let mut pages = api.group_servers(zone, id);
    loop {
        let page = match pages.next::<wire::GroupServers>(cx).await {
            Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
            page => page?,
        };
        let Some(page) = page else { return Ok(()) };
        for server in &page.servers {
            match server.good().and_then(|server| server.server_id.good()) {
                Some(server) if !server.is_empty() => {
                    members.groups.insert(server.clone(), name.to_owned());
                }
                _ => members.unusable("a member of a group has no readable id"),
            }
        }
    }
}
