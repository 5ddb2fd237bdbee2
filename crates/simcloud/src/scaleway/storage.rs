//! What costs money beside servers: volumes, snapshots, images and flexible addresses. Local volumes
//! and block volumes are shown by two APIs; a server's own are among them, and its root volume stays
//! when it is terminated.

use chrono::SecondsFormat;
use reaper_model::Span;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::{Clock, When};
use crate::scaleway::server::Server;
use crate::scaleway::world::ScalewayWorld;

const GB: u64 = 1_000_000_000;
/// The root volume of every server.
const ROOT_GB: u64 = 20;
const ROOT_KIND: &str = "sbs_5k";

/// What there is of it in a world.
#[derive(Debug, Clone, Default)]
pub struct Storage {
    /// Volumes that are no server's own.
    pub volumes: Vec<Volume>,
    /// Snapshots of volumes.
    pub snapshots: Vec<Snapshot>,
    /// Images.
    pub images: Vec<Image>,
    /// Flexible addresses that no server names.
    pub ips: Vec<Ip>,
}

/// A volume (`[[scaleway.volume]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// The organisation it is in.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// Its zone.
    pub zone: String,
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `sbs_5k` and `sbs_15k` are block volumes, `l_ssd` and `scratch` local ones.
    #[serde(rename = "type", default = "root_kind")]
    pub kind: String,
    /// Its size.
    pub gb: u64,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
    /// When a block volume was detached last.
    pub detached: Option<When>,
    /// The server that it is attached to, as long as that exists.
    pub server: Option<String>,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A snapshot (`[[scaleway.snapshot]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The organisation it is in.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// Its zone.
    pub zone: String,
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// `sbs` for one of a block volume, `l_ssd` for one of a local volume.
    #[serde(rename = "type", default = "block")]
    pub kind: String,
    /// Its size.
    pub gb: u64,
    /// The volume that it is of. A block snapshot forgets one that is gone, a local one does not.
    pub volume: Option<String>,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
}

/// An image (`[[scaleway.image]]`), which stands on snapshots.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The organisation it is in.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// Its zone.
    pub zone: String,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Ids of its snapshots, that of the root volume first.
    pub snapshots: Vec<String>,
    /// The server that it is a backup of, there or not.
    pub server: Option<String>,
    /// Whether it is everybody's.
    #[serde(default)]
    pub public: bool,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
}

/// A flexible address (`[[scaleway.ip]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ip {
    /// The organisation it is in.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// Its zone.
    pub zone: String,
    /// Its id.
    pub id: String,
    /// The address.
    pub address: String,
    /// `routed_ipv4` or `routed_ipv6`.
    #[serde(rename = "type", default = "ipv4")]
    pub kind: String,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
}

fn root_kind() -> String {
    ROOT_KIND.to_owned()
}

fn block() -> String {
    "sbs".to_owned()
}

fn ipv4() -> String {
    "routed_ipv4".to_owned()
}

fn a_day_ago() -> When {
    When::ago(Span::from_secs(24 * 3_600))
}

/// A time as the block API writes it.
fn short(clock: &Clock, when: When) -> String {
    clock.resolve(when).to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// A time as the Instances API writes it.
fn long(clock: &Clock, when: When) -> String {
    clock.resolve(when).to_rfc3339_opts(SecondsFormat::Micros, false)
}

/// Something in one zone of an organisation's project.
pub(crate) trait Kept {
    /// The organisation, the project if it is not the default one, the zone.
    fn place(&self) -> (&str, Option<&str>, &str);

    /// The project.
    fn project(&self) -> &str {
        let (organization, project, _) = self.place();
        project.unwrap_or(organization)
    }
}

macro_rules! kept {
    ($($kind:ty),+) => {
        $(impl Kept for $kind {
            fn place(&self) -> (&str, Option<&str>, &str) {
                (&self.organization, self.project.as_deref(), &self.zone)
            }
        })+
    };
}

kept!(Volume, Snapshot, Image, Ip, Server);

impl Volume {
    pub(crate) fn is_block(&self) -> bool {
        self.kind.starts_with("sbs")
    }

    /// The volume as the Instances API shows it.
    pub(crate) fn local_json(&self, world: &ScalewayWorld, clock: &Clock) -> Value {
        let server = world.server_of(self.server.as_deref());
        json!({
            "id": self.id,
            "name": self.name,
            "volume_type": self.kind,
            "export_uri": null,
            "organization": self.organization,
            "project": self.project(),
            "server": server.map(|server| json!({ "id": server.id, "name": server.name() })),
            "size": self.gb * GB,
            "state": "available",
            "creation_date": long(clock, self.created),
            "modification_date": long(clock, self.created),
            "tags": self.tags,
            "zone": self.zone,
        })
    }

    /// The volume as the block API shows it.
    pub(crate) fn block_json(&self, world: &ScalewayWorld, clock: &Clock) -> Value {
        let server = world.server_of(self.server.as_deref());
        let reference = server.map(|server| {
            json!({
                "id": format!("{}-reference", self.id),
                "product_resource_type": "instance_server",
                "product_resource_id": server.id,
                "created_at": short(clock, self.created),
                "type": "exclusive",
                "status": "attached",
            })
        });
        json!({
            "id": self.id,
            "name": self.name,
            "type": self.kind,
            "size": self.gb * GB,
            "project_id": self.project(),
            "created_at": short(clock, self.created),
            "updated_at": short(clock, self.detached.unwrap_or(self.created)),
            "references": reference.into_iter().collect::<Vec<_>>(),
            "parent_snapshot_id": null,
            "status": if server.is_some() { "in_use" } else { "available" },
            "tags": self.tags,
            "specs": { "perf_iops": 5_000, "class": "sbs" },
            "last_detached_at": self.detached.map(|when| short(clock, when)),
            "kms_key_id": null,
            "zone": self.zone,
        })
    }
}

impl Snapshot {
    pub(crate) fn is_block(&self) -> bool {
        self.kind == block()
    }

    /// The snapshot as the Instances API shows it.
    pub(crate) fn local_json(&self, clock: &Clock) -> Value {
        let volume = self.volume.as_ref().map(|id| json!({ "id": id, "name": "volume" }));
        json!({
            "id": self.id,
            "name": self.name,
            "volume_type": self.kind,
            "creation_date": long(clock, self.created),
            "modification_date": long(clock, self.created),
            "organization": self.organization,
            "project": self.project(),
            "size": self.gb * GB,
            "state": "available",
            "base_volume": volume,
            "tags": [],
            "zone": self.zone,
            "error_details": null,
        })
    }

    /// The snapshot as the block API shows it.
    pub(crate) fn block_json(&self, world: &ScalewayWorld, clock: &Clock) -> Value {
        let all = world.all_volumes();
        let parent = all.iter().find(|volume| Some(&volume.id) == self.volume.as_ref());
        let parent = parent.map(|volume| {
            let used = world.server_of(volume.server.as_deref()).is_some();
            json!({
                "id": volume.id,
                "name": volume.name,
                "type": volume.kind,
                "status": if used { "in_use" } else { "available" },
            })
        });
        json!({
            "id": self.id,
            "name": self.name,
            "parent_volume": parent,
            "size": self.gb * GB,
            "project_id": self.project(),
            "created_at": short(clock, self.created),
            "updated_at": short(clock, self.created),
            "references": [],
            "status": "available",
            "tags": [],
            "class": "sbs",
            "zone": self.zone,
            "public": false,
        })
    }
}

impl Image {
    pub(crate) fn json(&self, world: &ScalewayWorld, clock: &Clock) -> Value {
        let volume = |id: &String| {
            let snapshot = world.storage.snapshots.iter().find(|snapshot| snapshot.id == *id);
            let local = snapshot.filter(|snapshot| !snapshot.is_block());
            json!({
                "id": id,
                "name": snapshot.map_or("", |snapshot| snapshot.name.as_str()),
                "volume_type": local.map_or("sbs_snapshot", |snapshot| snapshot.kind.as_str()),
                "size": local.map_or(0, |snapshot| snapshot.gb * GB),
                "organization": self.organization,
                "project": self.project(),
                "tags": [],
                "state": "available",
                "zone": self.zone,
            })
        };
        let further = self.snapshots.iter().enumerate().skip(1);
        let further: serde_json::Map<String, Value> =
            further.map(|(at, id)| (at.to_string(), volume(id))).collect();
        json!({
            "id": self.id,
            "name": self.name,
            "organization": self.organization,
            "project": self.project(),
            "root_volume": self.snapshots.first().map(volume),
            "extra_volumes": further,
            "public": self.public,
            "arch": "x86_64",
            "creation_date": long(clock, self.created),
            "modification_date": long(clock, self.created),
            "default_bootscript": null,
            "from_server": self.server.clone().unwrap_or_default(),
            "state": "available",
            "tags": [],
            "zone": self.zone,
        })
    }
}

impl Ip {
    /// The address, which a server has or nobody.
    pub(crate) fn json(&self, server: Option<&Server>) -> Value {
        json!({
            "id": self.id,
            "address": self.address,
            "prefix": null,
            "reverse": null,
            "server": server.map(|server| json!({ "id": server.id, "name": server.name() })),
            "organization": self.organization,
            "project": self.project(),
            "zone": self.zone,
            "type": self.kind,
            "state": if server.is_some() { "attached" } else { "detached" },
            "tags": self.tags,
            "ipam_id": self.id,
        })
    }
}

impl Server {
    /// Its own volumes: the root volume, and the scratch volume while there is one.
    fn own_volumes(&self) -> impl Iterator<Item = Volume> {
        let volume = |suffix: &str, kind: &str, gb: u64| Volume {
            organization: self.organization.clone(),
            project: self.project.clone(),
            zone: self.zone.clone(),
            id: format!("{}-{suffix}", self.id),
            name: format!("{}_{suffix}", Self::name(self)),
            kind: kind.to_owned(),
            gb,
            created: self.made(),
            detached: None,
            server: Some(self.id.clone()),
            tags: Vec::new(),
        };
        let scratch = (self.scratch_gb > 0).then(|| volume("scratch", "scratch", self.scratch_gb));
        std::iter::once(volume("root", ROOT_KIND, ROOT_GB)).chain(scratch)
    }

    /// Its flexible addresses.
    fn own_addresses(&self) -> impl Iterator<Item = Ip> {
        self.addresses.iter().map(|id| Ip {
            organization: self.organization.clone(),
            project: self.project.clone(),
            zone: self.zone.clone(),
            id: id.clone(),
            address: "203.0.113.17".to_owned(),
            kind: ipv4(),
            tags: Vec::new(),
        })
    }
}

impl ScalewayWorld {
    /// The server of this id, if it is there.
    fn server_of(&self, id: Option<&str>) -> Option<&Server> {
        self.servers().iter().find(|server| Some(server.id.as_str()) == id)
    }

    /// Every volume, those of servers first.
    pub(crate) fn all_volumes(&self) -> Vec<Volume> {
        let own = self.servers().iter().flat_map(Server::own_volumes);
        own.chain(self.storage.volumes.iter().cloned()).collect()
    }

    /// Every flexible address with its server.
    pub(crate) fn all_addresses(&self) -> Vec<(Ip, Option<&Server>)> {
        let servers = self.servers().iter();
        let own =
            servers.flat_map(|server| server.own_addresses().map(move |ip| (ip, Some(server))));
        own.chain(self.storage.ips.iter().cloned().map(|ip| (ip, None))).collect()
    }

    /// The root volume and the addresses of a server that was terminated are nobody's from then on.
    pub(crate) fn leave_behind(&mut self, server: &Server, at: When) {
        let own = server.own_volumes().filter(Volume::is_block);
        let left = own.map(|volume| Volume { server: None, detached: Some(at), ..volume });
        self.storage.volumes.extend(left);
        self.storage.ips.extend(server.own_addresses());
    }
}
