//! A server, and how the API shows it.

use chrono::SecondsFormat;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::act::Act;
use crate::clock::{Clock, When};

const GB: u64 = 1_000_000_000;

/// One server (`[[scaleway.server]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The organisation it is in.
    pub organization: String,
    /// Its project; else the default one.
    pub project: Option<String>,
    /// Its zone.
    pub zone: String,
    /// Its id, a UUID at Scaleway.
    pub id: String,
    /// Its name; else made of the id.
    pub name: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub machine_type: String,
    /// Scaleway's word.
    #[serde(default = "running")]
    pub state: String,
    /// More of it, such as `rebooting`; else what goes with the state.
    pub state_detail: Option<String>,
    /// When it was made; else an hour before the world began.
    pub created: Option<When>,
    /// Its tags, each one text.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whether it is protected.
    #[serde(default)]
    pub protected: bool,
    /// Whether it boots the rescue system.
    #[serde(default)]
    pub rescue: bool,
    /// Size of its scratch volume, GB; 0 for none, as after a `poweroff`.
    #[serde(default)]
    pub scratch_gb: u64,
    /// Ids of flexible addresses.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// Whether it is lent an address while it is not off.
    #[serde(default)]
    pub dynamic_address: bool,
    /// How it takes being acted upon.
    #[serde(default)]
    pub act: Act,
    /// When it was last changed through the API; else when it was made.
    pub modified: Option<When>,
    /// It is made just before this page of its zone's list is read for the first time.
    pub appears_at_page: Option<u32>,
    /// JSON whose fields replace those of the answer, to make odd ones: `{"name": null}`.
    pub patch: Option<String>,
}

fn time(clock: &Clock, when: When) -> String {
    clock.resolve(when).to_rfc3339_opts(SecondsFormat::Micros, false)
}

fn running() -> String {
    "running".to_owned()
}

impl Server {
    /// A running server without tags, in the default project.
    pub fn new(organization: &str, zone: &str, id: &str, machine_type: &str) -> Self {
        Self {
            organization: organization.to_owned(),
            project: None,
            zone: zone.to_owned(),
            id: id.to_owned(),
            name: None,
            machine_type: machine_type.to_owned(),
            state: running(),
            state_detail: None,
            created: None,
            tags: Vec::new(),
            protected: false,
            rescue: false,
            scratch_gb: 0,
            addresses: Vec::new(),
            dynamic_address: false,
            act: Act::default(),
            modified: None,
            appears_at_page: None,
            patch: None,
        }
    }

    /// The same, made then.
    #[must_use]
    pub const fn created(mut self, when: When) -> Self {
        self.created = Some(when);
        self
    }

    /// The same with one more tag.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(tag.to_owned());
        self
    }

    /// The same in another state.
    #[must_use]
    pub fn state(mut self, state: &str, detail: &str) -> Self {
        state.clone_into(&mut self.state);
        self.state_detail = Some(detail.to_owned());
        self
    }

    /// The same, taking it like this when it is acted upon.
    #[must_use]
    pub const fn act(mut self, act: Act) -> Self {
        self.act = act;
        self
    }

    /// The same with other fields in its answer.
    #[must_use]
    pub fn patch(mut self, json: &Value) -> Self {
        self.patch = Some(json.to_string());
        self
    }

    pub(crate) fn project(&self) -> &str {
        self.project.as_deref().unwrap_or(&self.organization)
    }

    /// The time it was made, as the API writes it; also its place in a list.
    pub(crate) fn created_at(&self, clock: &Clock) -> String {
        time(clock, self.made())
    }

    /// Whether its time is billed: standby is, too.
    pub(crate) fn is_billed(&self) -> bool {
        self.state != "stopped"
    }

    pub(crate) fn made(&self) -> When {
        self.created.unwrap_or_else(|| When::ago(reaper_model::Span::from_secs(3600)))
    }

    /// The fields that replace those of the answer; `None` if they are no JSON object.
    pub(crate) fn patched(&self) -> Option<Map<String, Value>> {
        self.patch
            .as_deref()
            .map_or_else(|| Some(Map::new()), |patch| serde_json::from_str(patch).ok())
    }

    fn detail(&self) -> &str {
        let usual = match self.state.as_str() {
            "running" => "booted",
            "stopped in place" => "stopped in place",
            _ => "",
        };
        self.state_detail.as_deref().unwrap_or(usual)
    }

    fn allowed_actions(&self) -> &'static [&'static str] {
        if self.protected {
            return &["backup"];
        }
        match (self.state.as_str(), self.detail()) {
            ("running", _) => &["poweroff", "terminate", "reboot", "stop_in_place", "backup"],
            ("stopped", _) => &["poweron", "backup"],
            ("stopped in place", _) => &["poweron", "poweroff", "terminate", "reboot", "backup"],
            ("starting" | "stopping", detail) if detail != "terminating" => {
                &["stop_in_place", "backup"]
            }
            _ => &[],
        }
    }

    fn volumes(&self) -> Value {
        let mut volumes = json!({
            "0": {
                "boot": true,
                "volume_type": "sbs_volume",
                "id": format!("{}-root", self.id),
                "state": "available",
                "zone": self.zone,
            },
        });
        if self.scratch_gb > 0 {
            volumes["1"] = json!({
                "boot": false,
                "id": format!("{}-scratch", self.id),
                "name": "scratch",
                "volume_type": "scratch",
                "server": { "id": self.id, "name": self.name() },
                "size": self.scratch_gb * GB,
                "state": if self.detail() == "terminating" { "deleting" } else { "available" },
                "tags": [],
                "zone": self.zone,
            });
        }
        volumes
    }

    fn addresses(&self) -> Vec<Value> {
        let address = |id: &str, dynamic: bool| {
            json!({
                "id": id,
                "address": "203.0.113.17",
                "dynamic": dynamic,
                "gateway": "203.0.113.1",
                "netmask": "32",
                "family": "inet",
                "provisioning_mode": "dhcp",
                "tags": [],
                "state": "attached",
                "ipam_id": id,
            })
        };
        let lends = self.dynamic_address && self.state != "stopped";
        let lent = lends.then(|| address(&format!("{}-lent", self.id), true));
        self.addresses.iter().map(|id| address(id, false)).chain(lent).collect()
    }

    pub(crate) fn name(&self) -> String {
        let short = self.id.split('-').next_back().unwrap_or_default();
        self.name.clone().unwrap_or_else(|| format!("srv-{short}"))
    }

    /// The server as the API shows it.
    pub(crate) fn json(&self, clock: &Clock) -> Value {
        let stopped = self.state == "stopped";
        let addresses = self.addresses();
        let mut server = json!({
            "id": self.id,
            "name": self.name(),
            "arch": "x86_64",
            "commercial_type": self.machine_type,
            "boot_type": if self.rescue { "rescue" } else { "local" },
            "organization": self.organization,
            "project": self.project(),
            "hostname": self.name(),
            "image": null,
            "volumes": self.volumes(),
            "tags": self.tags,
            "state": self.state,
            "protected": self.protected,
            "state_detail": self.detail(),
            "public_ip": addresses.first(),
            "public_ips": addresses,
            "mac_address": "de:00:00:dd:ea:79",
            "routed_ip_enabled": true,
            "ipv6": null,
            "extra_networks": [],
            "dynamic_ip_required": self.dynamic_address,
            "enable_ipv6": false,
            "private_ip": null,
            "creation_date": self.created_at(clock),
            "modification_date": time(clock, self.modified.unwrap_or_else(|| self.made())),
            "bootscript": null,
            "security_group": { "id": self.organization, "name": "Default security group" },
            "maintenances": [],
            "allowed_actions": self.allowed_actions(),
            "placement_group": null,
            "private_nics": [],
            "zone": self.zone,
            "filesystems": [],
            "end_of_service": false,
        });
        server["location"] = if stopped {
            Value::Null
        } else {
            json!({
                "zone_id": self.zone,
                "platform_id": "30",
                "cluster_id": "41",
                "hypervisor_id": "1501",
                "node_id": "7",
            })
        };
        if let (Some(fields), Some(patch)) = (server.as_object_mut(), self.patched()) {
            fields.extend(patch);
        }
        server
    }
}
