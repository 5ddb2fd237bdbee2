//! The answers of the lists beside servers, of the Instances API and of the block API, read field by
//! field. Where "null" says that nobody uses a thing, a field that is missing does not say so.

use std::collections::BTreeMap;

use reaper_http::Lenient;
use reaper_http::lenient;
use reaper_http::paging::NumberedPage;
use serde::{Deserialize, Deserializer};

use crate::wire::Value;

/// A page of any list. Which of the lists it is, its type says.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "T: Listed"))]
pub(crate) struct Page<T> {
    #[serde(flatten, deserialize_with = "list")]
    pub(crate) things: Vec<Lenient<T>>,
    #[serde(default)]
    total_count: Lenient<u64>,
}

/// Something that comes in lists.
pub(crate) trait Listed: serde::de::DeserializeOwned {
    /// The field of the page that holds the list.
    const FIELD: &'static str;

    /// Its id.
    fn id(&self) -> Option<&String>;
}

/// The list itself must be there: an object of another shape is no empty zone.
fn list<'de, D, T>(deserializer: D) -> Result<Vec<Lenient<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Listed,
{
    let mut fields = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
    let list = fields.remove(T::FIELD).ok_or_else(|| serde::de::Error::missing_field(T::FIELD))?;
    lenient::list(list).map_err(serde::de::Error::custom)
}

impl<T: Listed> NumberedPage for Page<T> {
    fn entries(&self) -> usize {
        self.things.len()
    }

    fn total(&self) -> Option<u64> {
        self.total_count.good().copied()
    }
}

/// A field that is there, be it null.
fn present<'de, D, T>(deserializer: D) -> Result<Option<Lenient<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    Lenient::deserialize(deserializer).map(Some)
}

macro_rules! listed {
    ($($kind:ty: $field:literal),+ $(,)?) => {
        $(impl Listed for $kind {
            const FIELD: &'static str = $field;

            fn id(&self) -> Option<&String> {
                self.id.good().filter(|id| !id.is_empty())
            }
        })+
    };
}

listed!(
    LocalVolume: "volumes",
    BlockVolume: "volumes",
    LocalSnapshot: "snapshots",
    BlockSnapshot: "snapshots",
    Image: "images",
    Ip: "ips",
    VolumeType: "volume_types",
);

/// Something that is named by its id.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Named {
    pub(crate) id: Lenient<String>,
    /// The kind of a volume.
    #[serde(rename = "type")]
    pub(crate) kind: Lenient<String>,
}

/// A volume of the Instances API: inside machines, or a copy that a power-off keeps.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LocalVolume {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    /// `l_ssd`, `scratch`, `b_ssd`.
    pub(crate) volume_type: Lenient<String>,
    pub(crate) size: Lenient<u64>,
    pub(crate) creation_date: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    /// Null for nobody's.
    #[serde(deserialize_with = "present")]
    pub(crate) server: Option<Lenient<Named>>,
}

/// A volume of the block API.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BlockVolume {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    #[serde(rename = "type")]
    pub(crate) kind: Lenient<String>,
    pub(crate) size: Lenient<u64>,
    pub(crate) created_at: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    pub(crate) status: Lenient<String>,
    /// Empty for nobody's.
    pub(crate) references: Lenient<Vec<Lenient<Reference>>>,
    /// Null for one that was never attached.
    #[serde(deserialize_with = "present")]
    pub(crate) last_detached_at: Option<Lenient<String>>,
}

/// What holds a block volume or a block snapshot.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reference {
    /// `instance_server`, and whatever else there is.
    pub(crate) product_resource_type: Lenient<String>,
    pub(crate) product_resource_id: Lenient<String>,
    pub(crate) status: Lenient<String>,
}

/// A snapshot of the Instances API.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LocalSnapshot {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) size: Lenient<u64>,
    pub(crate) creation_date: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    /// Named also when it is gone.
    #[serde(deserialize_with = "present")]
    pub(crate) base_volume: Option<Lenient<Named>>,
}

/// A snapshot of the block API.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BlockSnapshot {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) size: Lenient<u64>,
    pub(crate) created_at: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    pub(crate) references: Lenient<Vec<Lenient<Reference>>>,
    /// Null when it is gone.
    #[serde(deserialize_with = "present")]
    pub(crate) parent_volume: Option<Lenient<Named>>,
}

/// An image. Its volumes are snapshots, by their ids.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Image {
    pub(crate) id: Lenient<String>,
    pub(crate) name: Lenient<String>,
    pub(crate) creation_date: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    pub(crate) public: Lenient<bool>,
    /// The server that it is a backup of; empty for any other image.
    pub(crate) from_server: Lenient<String>,
    pub(crate) root_volume: Lenient<Named>,
    pub(crate) extra_volumes: Lenient<BTreeMap<String, Lenient<Named>>>,
}

/// A flexible address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Ip {
    pub(crate) id: Lenient<String>,
    pub(crate) address: Lenient<String>,
    /// `routed_ipv4`, `routed_ipv6`.
    #[serde(rename = "type")]
    pub(crate) kind: Lenient<String>,
    pub(crate) state: Lenient<String>,
    pub(crate) tags: Lenient<Vec<Lenient<String>>>,
    /// Null for nobody's.
    #[serde(deserialize_with = "present")]
    pub(crate) server: Option<Lenient<Named>>,
}

/// A kind of block volumes with its prices per GB and hour.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct VolumeType {
    #[serde(rename = "type")]
    pub(crate) id: Lenient<String>,
    pub(crate) pricing: Lenient<Value>,
    pub(crate) snapshot_pricing: Lenient<Value>,
}
