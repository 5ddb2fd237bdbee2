//! What costs money beside machines: volumes, their snapshots, images and floating addresses; and
//! the snapshot that shelving makes of a machine, which goes when the machine comes back.

use reaper_model::Span;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::{Clock, When};
use crate::ovhcloud::flavor;
use crate::ovhcloud::instance::Instance;
use crate::ovhcloud::world::OvhWorld;

/// What the image of a shelved machine holds, GiB.
const SHELVED_GIB: f64 = 48.2;

/// What there is of it in a world.
#[derive(Debug, Clone, Default)]
pub struct Storage {
    /// Volumes.
    pub volumes: Vec<Volume>,
    /// Snapshots of volumes.
    pub snapshots: Vec<Snapshot>,
    /// Backups of machines.
    pub images: Vec<Image>,
    /// Floating addresses.
    pub floating_ips: Vec<FloatingIp>,
}

/// A volume (`[[ovhcloud.volume]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// The project.
    pub project: String,
    /// The region.
    pub region: String,
    /// Its id.
    pub id: String,
    /// Its name, which may be empty.
    #[serde(default)]
    pub name: String,
    /// Its size.
    pub gib: u64,
    /// Its kind: `classic`, `high-speed`, …
    #[serde(default = "classic")]
    pub kind: String,
    /// The machine that it is attached to, as long as that exists.
    pub machine: Option<String>,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
}

/// A snapshot of a volume (`[[ovhcloud.snapshot]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The project.
    pub project: String,
    /// The region.
    pub region: String,
    /// Its id.
    pub id: String,
    /// Its name, which may be empty.
    #[serde(default)]
    pub name: String,
    /// Its size.
    pub gib: u64,
    /// The volume that it is of, there or not.
    pub volume: String,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
}

/// A backup of a machine (`[[ovhcloud.image]]`). Of which one, OVHcloud does not say.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The project.
    pub project: String,
    /// The region.
    pub region: String,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its size, GiB.
    pub gib: f64,
    /// When it was made.
    #[serde(default = "a_day_ago")]
    pub created: When,
}

/// A floating address (`[[ovhcloud.floating_ip]]`).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloatingIp {
    /// The project.
    pub project: String,
    /// The region.
    pub region: String,
    /// Its id.
    pub id: String,
    /// The address.
    pub ip: String,
    /// The machine that it leads to, as long as that exists.
    pub machine: Option<String>,
}

fn classic() -> String {
    "classic".to_owned()
}

fn a_day_ago() -> When {
    When::ago(Span::from_secs(24 * 3_600))
}

fn time(clock: &Clock, when: When) -> String {
    clock.resolve(when).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

impl Storage {
    /// The regions in which a project has anything of it.
    pub(crate) fn regions<'a>(&'a self, project: &'a str) -> impl Iterator<Item = &'a str> {
        let Self { volumes, snapshots, images, floating_ips } = self;
        let volumes = volumes.iter().map(|it| (&it.project, &it.region));
        let snapshots = snapshots.iter().map(|it| (&it.project, &it.region));
        let images = images.iter().map(|it| (&it.project, &it.region));
        let addresses = floating_ips.iter().map(|it| (&it.project, &it.region));
        let all = volumes.chain(snapshots).chain(images).chain(addresses);
        all.filter(move |(owner, _)| *owner == project).map(|(_, region)| region.as_str())
    }
}

/// The volumes of a project.
pub(crate) fn volumes(ovh: &OvhWorld, project: &str, clock: &Clock) -> Value {
    let own = ovh.storage.volumes.iter().filter(|volume| volume.project == project);
    own.map(|volume| {
        let machine = volume.machine.as_ref().filter(|machine| ovh.has_instance(machine));
        json!({
            "id": volume.id,
            "attachedTo": machine.into_iter().collect::<Vec<_>>(),
            "creationDate": time(clock, volume.created),
            "name": volume.name,
            "description": "",
            "size": volume.gib,
            "status": if machine.is_some() { "in-use" } else { "available" },
            "region": volume.region,
            "bootable": false,
            "planCode": format!("volume.{}.consumption", volume.kind),
            "availabilityZone": null,
            "type": volume.kind,
        })
    })
    .collect()
}

/// The snapshots of a project's volumes.
pub(crate) fn snapshots(ovh: &OvhWorld, project: &str, clock: &Clock) -> Value {
    let own = ovh.storage.snapshots.iter().filter(|snapshot| snapshot.project == project);
    own.map(|snapshot| {
        json!({
            "id": snapshot.id,
            "creationDate": time(clock, snapshot.created),
            "name": snapshot.name,
            "description": "",
            "size": snapshot.gib,
            "volumeId": snapshot.volume,
            "region": snapshot.region,
            "status": "available",
            "planCode": "volume.snapshot.consumption",
        })
    })
    .collect()
}

/// The images of a project, those of shelved machines among them.
pub(crate) fn images(ovh: &OvhWorld, project: &str, clock: &Clock) -> Value {
    let own = ovh.storage.images.iter().filter(|image| image.project == project).cloned();
    let shelved = ovh.instances(project).filter(|machine| is_shelved(machine)).map(|machine| {
        let name = format!("{}-shelved", machine.name);
        Image {
            project: project.to_owned(),
            region: machine.region.clone(),
            // Ids are made of a name and a place, as those of flavours are.
            id: flavor::id(&format!("{}-shelved", machine.id), &machine.region),
            name,
            gib: SHELVED_GIB,
            created: a_day_ago(),
        }
    });
    let shown = own.chain(shelved).map(|image| {
        json!({
            "id": image.id,
            "name": image.name,
            "region": image.region,
            "visibility": "private",
            "status": "active",
            "type": "linux",
            "minDisk": 400,
            "minRam": 0,
            "size": image.gib,
            "creationDate": time(clock, image.created),
            "user": "ubuntu",
            "flavorType": null,
            "tags": [],
            "planCode": "snapshot.consumption",
        })
    });
    shown.collect()
}

fn is_shelved(machine: &Instance) -> bool {
    matches!(machine.status.as_str(), "SHELVED" | "SHELVED_OFFLOADED")
}

/// The floating addresses of a project in a region.
pub(crate) fn floating_ips(ovh: &OvhWorld, project: &str, region: &str) -> Value {
    let here = ovh.storage.floating_ips.iter();
    let here = here.filter(|address| address.project == project && address.region == region);
    here.map(|address| {
        let machine = address.machine.as_ref().filter(|machine| ovh.has_instance(machine));
        let entity = machine.map(|machine| {
            json!({
                "type": "instance",
                "id": machine,
                "ip": "10.0.0.5",
                "gatewayId": "6a7e0000-0000-4000-8000-000000000001",
            })
        });
        json!({
            "id": address.id,
            "ip": address.ip,
            "networkId": "bc63b98d-13fb-4ba6-a42b-000000000009",
            "region": address.region,
            "status": if machine.is_some() { "active" } else { "down" },
            "associatedEntity": entity,
        })
    })
    .collect()
}
