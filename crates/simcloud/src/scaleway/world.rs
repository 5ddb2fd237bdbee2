//! The Scaleway section of the world: organisations with their key, servers, types, groups, actions
//! on record, and the oddities of its listings.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::Span;
use serde::Deserialize;

use crate::act::{Passages, span};
use crate::clock::{Clock, When};
use crate::scaleway::act::End;
use crate::scaleway::billing::{self, Consumption};
use crate::scaleway::recording::Recording;
use crate::scaleway::server::Server;
use crate::scaleway::storage::{Image, Ip, Snapshot, Storage, Volume};
use crate::scaleway::types::InstanceType;
use crate::usage::Usage;

/// The zones that have Instances.
const ZONES: [&str; 10] = [
    "fr-par-1", "fr-par-2", "fr-par-3", "it-mil-1", "nl-ams-1", "nl-ams-2", "nl-ams-3", "pl-waw-1",
    "pl-waw-2", "pl-waw-3",
];

/// Everything that exists at Scaleway (`[scaleway]`).
#[derive(Debug, Deserialize)]
#[serde(try_from = "ScalewayFile")]
pub struct ScalewayWorld {
    organizations: Vec<Organization>,
    servers: Vec<Server>,
    types: BTreeMap<String, InstanceType>,
    /// Zones that have Instances.
    pub zones: BTreeSet<String>,
    /// Oddities of listings.
    pub quirks: Vec<Quirk>,
    /// What was done to servers, as the Audit Trail tells it.
    pub actions: Vec<Action>,
    /// Autoscaling groups.
    pub groups: Vec<Group>,
    /// How old the consumptions are that Billing shows.
    pub bill_age: Span,
    /// What is consumed besides the servers.
    pub consumptions: Vec<Consumption>,
    /// What costs money beside servers.
    pub storage: Storage,
    recordings: Vec<Recording>,
    pub(crate) passages: Passages<String, End>,
    pub(crate) usage: Usage<Server>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ScalewayFile {
    organization: Vec<Organization>,
    server: Vec<Server>,
    types: BTreeMap<String, InstanceType>,
    zones: Option<BTreeSet<String>>,
    quirk: Vec<Quirk>,
    action: Vec<Action>,
    group: Vec<Group>,
    #[serde(deserialize_with = "span")]
    bill_age: Span,
    consumption: Vec<Consumption>,
    volume: Vec<Volume>,
    snapshot: Vec<Snapshot>,
    image: Vec<Image>,
    ip: Vec<Ip>,
    recording: Vec<Recording>,
}

/// One organisation with one API key of an application.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Organization {
    /// Its id, which is also that of its default project.
    pub id: String,
    /// Further projects.
    pub projects: Vec<String>,
    /// The public half of the key.
    pub access_key: String,
    /// The secret half.
    pub secret_key: String,
    /// A token of its Cockpit; empty for none.
    pub cockpit_token: String,
    /// The project that the token is of; empty for the default one.
    pub cockpit_token_of: String,
    /// Whether the key has run out.
    pub expired: bool,
    /// What the key may not read, by the first part of the path: `iam`, `account`, `audit-trail`,
    /// `autoscaling`, `billing`, `block`, `instance`.
    pub denied: Vec<String>,
    /// What the key may read and not write, by the first part of the path: `instance`.
    pub read_only: Vec<String>,
}

/// An oddity of a zone's server list (`[[scaleway.quirk]]`).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirk {
    /// The zone.
    pub zone: String,
    /// So many servers are announced that no page shows.
    pub announces_more: u64,
}

/// Something that was done to a server (`[[scaleway.action]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The server.
    pub server: String,
    /// `poweron`, `poweroff`, `reboot`, …
    pub action: String,
    /// When.
    pub at: When,
    /// What it was answered with.
    #[serde(default = "accepted")]
    pub status: u16,
}

const fn accepted() -> u16 {
    202
}

/// An autoscaling group (`[[scaleway.group]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its project.
    pub project: String,
    /// Its zone.
    pub zone: String,
    /// The servers that it made.
    pub servers: Vec<String>,
}

/// The Scaleway section contradicts itself.
#[derive(Debug, thiserror::Error)]
pub enum ScalewayWorldError {
    /// Two organisations of one id or one key.
    #[error("scaleway organization {0} is there twice, or shares its key with another")]
    DoubleOrganization(String),
    /// A server in no organisation.
    #[error(
        "scaleway server {server} is in organization {organization}, which is not in this world"
    )]
    NoOrganization {
        /// The server's id.
        server: String,
        /// The organisation it names.
        organization: String,
    },
    /// Two servers of one id.
    #[error("scaleway server {0} is there twice")]
    DoubleServer(String),
    /// A patch that is no JSON object.
    #[error("the patch of scaleway server {0} is not a JSON object")]
    Patch(String),
}

impl Default for ScalewayWorld {
    /// A Scaleway without organisations, with the built-in types and zones.
    fn default() -> Self {
        Self {
            organizations: Vec::new(),
            servers: Vec::new(),
            types: InstanceType::built_in(),
            zones: ZONES.iter().map(|zone| (*zone).to_owned()).collect(),
            quirks: Vec::new(),
            actions: Vec::new(),
            groups: Vec::new(),
            bill_age: Span::ZERO,
            consumptions: Vec::new(),
            storage: Storage::default(),
            recordings: Vec::new(),
            passages: Passages::default(),
            usage: Usage::default(),
        }
    }
}

impl TryFrom<ScalewayFile> for ScalewayWorld {
    type Error = ScalewayWorldError;

    fn try_from(file: ScalewayFile) -> Result<Self, ScalewayWorldError> {
        let mut world = Self {
            quirks: file.quirk,
            actions: file.action,
            groups: file.group,
            bill_age: file.bill_age,
            consumptions: file.consumption,
            storage: Storage {
                volumes: file.volume,
                snapshots: file.snapshot,
                images: file.image,
                ips: file.ip,
            },
            recordings: file.recording,
            ..Self::default()
        };
        world.types.extend(file.types);
        if let Some(zones) = file.zones {
            world.zones = zones;
        }
        for organization in file.organization {
            world.add_organization(organization)?;
        }
        for server in file.server {
            world.add_server(server)?;
        }
        Ok(world)
    }
}

impl ScalewayWorld {
    /// One more organisation.
    pub fn add_organization(
        &mut self,
        organization: Organization,
    ) -> Result<(), ScalewayWorldError> {
        let same = |other: &Organization| {
            other.id == organization.id || other.secret_key == organization.secret_key
        };
        if self.organizations.iter().any(same) {
            return Err(ScalewayWorldError::DoubleOrganization(organization.id));
        }
        self.organizations.push(organization);
        Ok(())
    }

    /// One more server, in an organisation that exists.
    pub fn add_server(&mut self, server: Server) -> Result<(), ScalewayWorldError> {
        if self.organization(&server.organization).is_none() {
            return Err(ScalewayWorldError::NoOrganization {
                server: server.id,
                organization: server.organization,
            });
        }
        if self.servers.iter().any(|other| other.id == server.id) {
            return Err(ScalewayWorldError::DoubleServer(server.id));
        }
        if server.patched().is_none() {
            return Err(ScalewayWorldError::Patch(server.id));
        }
        self.push(server);
        Ok(())
    }

    /// `count` running L4 servers in a zone, each passed through `change` with its number, from 0.
    /// The ids differ between zones and are the same each time.
    pub fn fleet(
        &mut self,
        organization: &str,
        zone: &str,
        count: usize,
        change: impl Fn(usize, Server) -> Server,
    ) -> Result<(), ScalewayWorldError> {
        let salt = zone.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte));
        for number in 0..count {
            let id = format!("{salt:08x}-0000-4000-8000-{number:012x}");
            let server = Server::new(organization, zone, &id, "L4-1-24G");
            self.add_server(change(number, server))?;
        }
        Ok(())
    }

    /// One more type, or another description of a known one.
    pub fn add_type(&mut self, name: &str, description: InstanceType) {
        self.types.insert(name.to_owned(), description);
    }

    /// A recorded answer in place of a simulated one.
    pub fn record(&mut self, recording: Recording) {
        self.recordings.push(recording);
    }

    /// An organisation, to change it.
    pub fn organization_mut(&mut self, id: &str) -> Option<&mut Organization> {
        self.organizations.iter_mut().find(|organization| organization.id == id)
    }

    /// A server, to change it.
    pub fn server_mut(&mut self, id: &str) -> Option<&mut Server> {
        self.usage.touch();
        self.servers.iter_mut().find(|server| server.id == id)
    }

    /// Takes a server away, as its owner would.
    pub fn remove_server(&mut self, id: &str) -> Option<Server> {
        self.passages.forget(id);
        self.usage.touch();
        let at = self.servers.iter().position(|server| server.id == id)?;
        Some(self.servers.remove(at))
    }

    /// One more server, of an organisation and with an id that are known to be right.
    pub(crate) fn push(&mut self, server: Server) {
        self.usage.touch();
        self.servers.push(server);
    }

    /// Notes which servers are billed from now on.
    pub(crate) fn meter(&mut self, clock: &Clock) {
        if self.usage.is_fresh() {
            return;
        }
        let Self { servers, actions, usage, .. } = self;
        let there = servers.iter().map(|server| (&*server.id, server, server.is_billed()));
        usage.look(clock.now(), there, |server| billing::past(server, actions, clock));
    }

    /// All servers.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    pub(crate) fn organization(&self, id: &str) -> Option<&Organization> {
        self.organizations.iter().find(|organization| organization.id == id)
    }

    /// All of them.
    pub(crate) fn organizations(&self) -> impl Iterator<Item = &Organization> {
        self.organizations.iter()
    }

    /// The organisation whose key it is, run out or not.
    pub(crate) fn organization_of_key(&self, key: &str) -> Option<&Organization> {
        self.organizations.iter().find(|organization| organization.secret_key == key)
    }

    pub(crate) const fn types(&self) -> &BTreeMap<String, InstanceType> {
        &self.types
    }

    /// The recorded pages of a path.
    pub(crate) fn recordings(&self, path: &str) -> Vec<&Recording> {
        self.recordings.iter().filter(|recording| recording.path == path).collect()
    }

    /// From now on the servers that were waiting for this page of their zone's list are there.
    pub(crate) fn page_is_read(&mut self, zone: &str, page: u32) {
        for server in self.servers.iter_mut().filter(|server| server.zone == zone) {
            server.appears_at_page = server.appears_at_page.filter(|waited_for| *waited_for > page);
        }
    }
}

impl Organization {
    /// An organisation whose key may read everything.
    pub fn new(id: &str, access_key: &str, secret_key: &str) -> Self {
        Self {
            id: id.to_owned(),
            access_key: access_key.to_owned(),
            secret_key: secret_key.to_owned(),
            ..Self::default()
        }
    }

    /// The project that its Cockpit token is of.
    pub(crate) fn cockpit_project(&self) -> &str {
        if self.cockpit_token_of.is_empty() { &self.id } else { &self.cockpit_token_of }
    }

    /// Whether the project is one of its own.
    pub(crate) fn owns(&self, project: &str) -> bool {
        self.id == project || self.projects.iter().any(|own| own == project)
    }
}
