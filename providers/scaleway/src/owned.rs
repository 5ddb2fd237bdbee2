//! Who uses a volume, a snapshot, an image or an address. What Scaleway leaves open is not known, and
//! what is not known is nobody's leftover.

use std::collections::{BTreeMap, BTreeSet};

use reaper_http::Lenient;
use reaper_model::{Ignorance, Unknown, User};

use crate::things::{
    BlockSnapshot, BlockVolume, Image, Ip, Listed, LocalSnapshot, LocalVolume, Named, Reference,
};
use crate::wire::Server;

/// What the block API calls a server.
const SERVER: &str = "instance_server";

fn unusable(why: impl Into<String>) -> User {
    User::Unknown(Unknown::new(Ignorance::Unusable, why))
}

fn nobody() -> User {
    User::Nobody { of: None }
}

/// The server that a local volume or an address names; null says that there is none.
fn of_server(server: Option<&Lenient<Named>>, what: &str) -> User {
    match server {
        Some(Lenient::Good(named)) => match named.id.good() {
            Some(id) => User::Machine(id.clone()),
            None => unusable(format!("the server of the {what} has no readable id")),
        },
        Some(Lenient::Missing) => nobody(),
        Some(Lenient::Bad(_)) | None => {
            unusable(format!("Scaleway does not say which server has the {what}"))
        }
    }
}

/// The server of a local volume.
pub(crate) fn of_local_volume(volume: &LocalVolume) -> User {
    of_server(volume.server.as_ref(), "volume")
}

/// The server of an address. One that is attached and yet no server's is something else's.
pub(crate) fn of_address(ip: &Ip) -> User {
    match (of_server(ip.server.as_ref(), "address"), ip.state.good().map(String::as_str)) {
        (User::Nobody { .. }, Some("detached")) => nobody(),
        (User::Nobody { .. }, state) => {
            let state = state.unwrap_or("of no readable state");
            unusable(format!("the address is {state}, and no server has it"))
        }
        (user, _) => user,
    }
}

/// What holds a block volume.
pub(crate) fn of_block_volume(volume: &BlockVolume) -> User {
    match (of_references(&volume.references), volume.status.good().map(String::as_str)) {
        (User::Nobody { .. }, Some("in_use")) => {
            unusable("Scaleway says that the volume is in use, and not by what")
        }
        (user, _) => user,
    }
}

/// The references of a block volume or snapshot; those that have ended hold nothing.
fn of_references(references: &Lenient<Vec<Lenient<Reference>>>) -> User {
    let Some(references) = references.good() else {
        return unusable("Scaleway does not say what holds it");
    };
    let mut holders = Vec::new();
    for reference in references {
        let Some(reference) = reference.good() else {
            return unusable("what holds it cannot be read");
        };
        if reference.status.good().is_some_and(|status| status == "detached") {
            continue;
        }
        let kind = reference.product_resource_type.good();
        let Some((kind, id)) = kind.zip(reference.product_resource_id.good()) else {
            return unusable("what holds it cannot be read");
        };
        holders.push((kind.as_str(), id.as_str()));
    }
    match holders.as_slice() {
        [] => nobody(),
        [(SERVER, id)] => User::Machine((*id).to_owned()),
        several => {
            let words: Vec<String> = several
                .iter()
                .map(|(kind, id)| format!("{} {id}", kind.replace('_', " ")))
                .collect();
            User::Other(words.join(", "))
        }
    }
}

/// What is known of the other things of a zone, by which a snapshot or an image is judged.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// Ids of volumes; not all of them if there is a gap.
    volumes: BTreeSet<String>,
    volumes_gap: Option<Unknown>,
    /// Images by the ids of the snapshots that they stand on.
    images: BTreeMap<String, String>,
    images_gap: Option<Unknown>,
    /// Ids of servers, and servers by the image that they were made of.
    servers: BTreeSet<String>,
    made_of: BTreeMap<String, String>,
    servers_gap: Option<Unknown>,
}

impl Others {
    /// Volumes of either API.
    pub(crate) fn add_volumes<T: Listed>(&mut self, volumes: &[T], gap: Option<&Unknown>) {
        self.volumes.extend(volumes.iter().filter_map(Listed::id).cloned());
        self.volumes_gap = self.volumes_gap.take().or_else(|| gap.cloned());
    }

    /// Images. One whose volumes cannot be read may stand on any snapshot.
    pub(crate) fn add_images(&mut self, images: &[Image], gap: Option<&Unknown>) {
        self.images_gap = gap.cloned();
        for image in images {
            if let (Some(id), Some(snapshots)) = (image.id(), snapshots_of(image)) {
                self.images.extend(snapshots.into_iter().map(|it| (it, id.clone())));
            } else {
                let why = "the volumes of an image cannot be read";
                self.images_gap.get_or_insert(Unknown::new(Ignorance::Unusable, why));
            }
        }
    }

    /// Servers, with and without accelerators.
    pub(crate) fn add_servers(&mut self, servers: &[Server], gap: Option<&Unknown>) {
        self.servers_gap = self.servers_gap.take().or_else(|| gap.cloned());
        for server in servers {
            let Some(id) = server.id.good() else { continue };
            self.servers.insert(id.clone());
            if let Some(image) = server.image.good().and_then(|image| image.id.good()) {
                self.made_of.insert(image.clone(), id.clone());
            }
        }
    }

    /// Who uses a snapshot of a local volume, which names its volume for ever.
    pub(crate) fn of_local_snapshot(&self, snapshot: &LocalSnapshot) -> User {
        let parent = match &snapshot.base_volume {
            Some(Lenient::Good(volume)) => match volume.id.good() {
                Some(id) if self.volumes.contains(id) => parent(id),
                Some(id) => match &self.volumes_gap {
                    Some(gap) => User::Unknown(gap.clone()),
                    None => User::Nobody { of: Some(id.clone()) },
                },
                None => unusable("the volume of the snapshot has no readable id"),
            },
            Some(Lenient::Missing) => nobody(),
            Some(Lenient::Bad(_)) | None => {
                unusable("Scaleway does not say of what the snapshot is")
            }
        };
        self.unless_imaged(snapshot.id(), parent)
    }

    /// Who uses a snapshot of a block volume, which forgets its volume when that goes.
    pub(crate) fn of_block_snapshot(&self, snapshot: &BlockSnapshot) -> User {
        let held = of_references(&snapshot.references);
        if !matches!(held, User::Nobody { .. }) {
            return held;
        }
        let parent = match &snapshot.parent_volume {
            Some(Lenient::Good(volume)) => match volume.id.good() {
                Some(id) => parent(id),
                None => unusable("the volume of the snapshot has no readable id"),
            },
            Some(Lenient::Missing) => nobody(),
            Some(Lenient::Bad(_)) | None => {
                unusable("Scaleway does not say of what the snapshot is")
            }
        };
        self.unless_imaged(snapshot.id(), parent)
    }

    /// An image holds the snapshots that it stands on.
    fn unless_imaged(&self, snapshot: Option<&String>, user: User) -> User {
        if let Some(image) = snapshot.and_then(|id| self.images.get(id)) {
            return User::Other(format!("image {image}, which stands on it"));
        }
        match (&user, &self.images_gap) {
            (User::Nobody { .. }, Some(gap)) => User::Unknown(gap.clone()),
            _ => user,
        }
    }

    /// Who uses an image: a server that was made of it, or the one that it is a backup of.
    pub(crate) fn of_image(&self, image: &Image) -> User {
        if let Some(server) = image.id().and_then(|id| self.made_of.get(id)) {
            return User::Other(format!("server {server}, which was made of it"));
        }
        let of = match &image.from_server {
            Lenient::Good(server) if !server.is_empty() => Some(server),
            Lenient::Good(_) | Lenient::Missing => None,
            Lenient::Bad(_) => return unusable("the server of the image cannot be read"),
        };
        if let Some(server) = of.filter(|server| self.servers.contains(*server)) {
            return User::Other(format!("server {server}, which it is a backup of"));
        }
        match &self.servers_gap {
            Some(gap) => User::Unknown(gap.clone()),
            None => User::Nobody { of: of.cloned() },
        }
    }
}

fn parent(volume: &str) -> User {
    User::Other(format!("volume {volume}, which it is of"))
}

/// The snapshots that an image stands on; `None` if one of them cannot be read.
pub(crate) fn snapshots_of(image: &Image) -> Option<Vec<String>> {
    let further = match &image.extra_volumes {
        Lenient::Good(volumes) => volumes.values().collect(),
        Lenient::Missing => Vec::new(),
        Lenient::Bad(_) => return None,
    };
    std::iter::once(&image.root_volume)
        .chain(further)
        .map(|volume| volume.good()?.id.good().cloned())
        .collect()
}
