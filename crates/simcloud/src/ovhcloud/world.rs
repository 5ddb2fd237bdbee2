//! The OVHcloud section of the world: projects, machines, flavours, prices, what is billed besides,
//! and the server's clock.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::Span;
use serde::Deserialize;

use crate::act::{Passages, span};
use crate::clock::Clock;
use crate::ovhcloud::act::End;
use crate::ovhcloud::flavor::Flavor;
use crate::ovhcloud::instance::Instance;
use crate::ovhcloud::project::Project;
use crate::ovhcloud::storage::{FloatingIp, Image, Snapshot, Storage, Volume};
use crate::ovhcloud::usage::Charge;
use crate::usage::{Run, Usage};

/// Everything that exists at OVHcloud (`[ovhcloud]`).
#[derive(Debug, Deserialize)]
#[serde(try_from = "OvhFile")]
pub struct OvhWorld {
    projects: BTreeMap<String, Project>,
    instances: Vec<Instance>,
    flavors: BTreeMap<String, Flavor>,
    /// How far the server's clock is ahead of the world's.
    pub clock_ahead_s: i32,
    /// Signatures further from the server's clock than this are refused.
    pub max_clock_skew_s: u32,
    /// Rows of other products in the price catalogue, to make it as big as the real one.
    pub catalogue_fillers: u32,
    /// How old the usage is that a project shows.
    pub bill_age: Span,
    /// What is billed besides the machines.
    pub charges: Vec<Charge>,
    /// What costs money beside machines.
    pub storage: Storage,
    /// Tokens by text: the project, and until when.
    tokens: BTreeMap<String, (String, DateTime<Utc>)>,
    pub(crate) passages: Passages<String, End>,
    pub(crate) usage: Usage<Instance>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OvhFile {
    project: Vec<Project>,
    instance: Vec<Instance>,
    flavor: BTreeMap<String, Flavor>,
    clock_ahead_s: i32,
    max_clock_skew_s: Option<u32>,
    catalogue_fillers: u32,
    #[serde(deserialize_with = "span")]
    bill_age: Span,
    charge: Vec<Charge>,
    volume: Vec<Volume>,
    snapshot: Vec<Snapshot>,
    image: Vec<Image>,
    floating_ip: Vec<FloatingIp>,
}

impl Default for OvhWorld {
    /// An OVHcloud without projects, with the built-in flavours.
    fn default() -> Self {
        Self {
            projects: BTreeMap::new(),
            instances: Vec::new(),
            flavors: Flavor::built_in(),
            clock_ahead_s: 0,
            max_clock_skew_s: 120,
            catalogue_fillers: 0,
            bill_age: Span::ZERO,
            charges: Vec::new(),
            storage: Storage::default(),
            tokens: BTreeMap::new(),
            passages: Passages::default(),
            usage: Usage::default(),
        }
    }
}

/// The OVHcloud section contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum OvhWorldError {
    /// Two projects of one id, or two with one consumer key.
    #[error("project {0} is there twice, or shares its consumer key with another")]
    DoubleProject(String),
    /// A machine in no project.
    #[error("instance {instance} is in project {project}, which is not in this world")]
    NoProject {
        /// The machine's id.
        instance: String,
        /// The project it names.
        project: String,
    },
    /// Two machines of one id.
    #[error("instance {0} is there twice")]
    DoubleInstance(String),
}

impl TryFrom<OvhFile> for OvhWorld {
    type Error = OvhWorldError;

    fn try_from(file: OvhFile) -> Result<Self, OvhWorldError> {
        let mut world = Self {
            clock_ahead_s: file.clock_ahead_s,
            catalogue_fillers: file.catalogue_fillers,
            bill_age: file.bill_age,
            charges: file.charge,
            storage: Storage {
                volumes: file.volume,
                snapshots: file.snapshot,
                images: file.image,
                floating_ips: file.floating_ip,
            },
            ..Self::default()
        };
        world.max_clock_skew_s = file.max_clock_skew_s.unwrap_or(world.max_clock_skew_s);
        world.flavors.extend(file.flavor);
        for project in file.project {
            world.add_project(project)?;
        }
        for instance in file.instance {
            world.add_instance(instance)?;
        }
        Ok(world)
    }
}

impl OvhWorld {
    /// One more project.
    pub fn add_project(&mut self, project: Project) -> Result<(), OvhWorldError> {
        let key_is_taken = self.project_of_consumer(&project.consumer_key).is_some();
        if key_is_taken || self.projects.contains_key(&project.id) {
            return Err(OvhWorldError::DoubleProject(project.id));
        }
        self.projects.insert(project.id.clone(), project);
        Ok(())
    }

    /// One more machine, in a project that exists.
    pub fn add_instance(&mut self, instance: Instance) -> Result<(), OvhWorldError> {
        let Instance { project, id, .. } = &instance;
        if !self.projects.contains_key(project) {
            return Err(OvhWorldError::NoProject {
                instance: id.clone(),
                project: project.clone(),
            });
        }
        if self.has_instance(id) {
            return Err(OvhWorldError::DoubleInstance(id.clone()));
        }
        self.push(instance);
        Ok(())
    }

    /// One more flavour, or another description of a known one.
    pub fn add_flavor(&mut self, name: &str, flavor: Flavor) {
        self.flavors.insert(name.to_owned(), flavor);
    }

    /// A project, to change it.
    pub fn project_mut(&mut self, id: &str) -> Option<&mut Project> {
        self.projects.get_mut(id)
    }

    /// A machine, to change it.
    pub fn instance_mut(&mut self, id: &str) -> Option<&mut Instance> {
        self.usage.touch();
        self.instances.iter_mut().find(|instance| instance.id == id)
    }

    /// Takes a machine away, as its owner would.
    pub fn remove_instance(&mut self, id: &str) -> Option<Instance> {
        self.passages.forget(id);
        self.usage.touch();
        let at = self.instances.iter().position(|instance| instance.id == id)?;
        Some(self.instances.remove(at))
    }

    /// The machines of a project, in the order in which they came into the world.
    pub fn instances(&self, project: &str) -> impl Iterator<Item = &Instance> {
        self.instances.iter().filter(move |instance| instance.project == project)
    }

    pub(crate) fn has_instance(&self, id: &str) -> bool {
        self.instances.iter().any(|instance| instance.id == id)
    }

    /// One more machine, of a project and with an id that are known to be right.
    pub(crate) fn push(&mut self, instance: Instance) {
        self.usage.touch();
        self.instances.push(instance);
    }

    /// Notes which machines are billed from now on.
    pub(crate) fn meter(&mut self, clock: &Clock) {
        if self.usage.is_fresh() {
            return;
        }
        let there =
            self.instances.iter().map(|machine| (&*machine.id, machine, machine.is_billed()));
        self.usage.look(clock.now(), there, |machine| {
            vec![Run { from: clock.resolve(machine.created), until: None }]
        });
    }

    pub(crate) fn project(&self, id: &str) -> Option<&Project> {
        self.projects.get(id)
    }

    pub(crate) fn project_of_consumer(&self, consumer_key: &str) -> Option<&Project> {
        self.projects.values().find(|project| project.consumer_key == consumer_key)
    }

    pub(crate) fn knows_application(&self, application_key: &str) -> bool {
        self.projects.values().any(|project| project.application_key == application_key)
    }

    pub(crate) fn projects(&self) -> impl Iterator<Item = &Project> {
        self.projects.values()
    }

    pub(crate) const fn flavors(&self) -> &BTreeMap<String, Flavor> {
        &self.flavors
    }

    /// The server's own clock.
    pub(crate) fn server_time(&self, clock: &Clock) -> DateTime<Utc> {
        clock.now() + TimeDelta::seconds(self.clock_ahead_s.into())
    }

    pub(crate) fn open_session(&mut self, token: String, project: String, until: DateTime<Utc>) {
        self.tokens.insert(token, (project, until));
    }

    pub(crate) fn project_of_token(&self, token: &str, now: DateTime<Utc>) -> Option<&Project> {
        let (project, until) = self.tokens.get(token)?;
        (now < *until).then(|| self.projects.get(project))?
    }
}
