//! What costs money beside machines: volumes, addresses, snapshots, images, file systems. Adapters
//! list all that they see and say who uses it; what nobody uses is a leftover.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fact::{Fact, Unknown};
use crate::ident::InstanceId;
use crate::money::Money;
use crate::tags::Tags;

/// What kind of thing it is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AssetKind {
    /// A block volume.
    Volume,
    /// A public address.
    Ip,
    /// A snapshot of a volume.
    Snapshot,
    /// A machine image, with the snapshots that it stands on.
    Image,
    /// A network file system.
    Filesystem,
}

impl AssetKind {
    /// The word in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::Ip => "ip",
            Self::Snapshot => "snapshot",
            Self::Image => "image",
            Self::Filesystem => "filesystem",
        }
    }
}

/// Who uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum User {
    /// A machine, by the provider's id, whatever its state: the machine's stop leaves it charged.
    Machine(String),
    /// Something else that is there, in words: a load balancer, a volume that a snapshot is of.
    Other(String),
    /// Nobody; `of` is what it belonged to, as far as the provider says (a native id).
    Nobody {
        /// The machine or volume that it was made for or of.
        of: Option<String>,
    },
    /// It cannot be told. No leftover then.
    Unknown(Unknown),
}

/// One thing that costs money and is no machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Who it is: provider, account, location, native id, as for machines.
    pub id: InstanceId,
    /// What it is.
    pub kind: AssetKind,
    /// The name that people gave it.
    pub name: Fact<String>,
    /// Its size, GiB; absent for addresses and where the provider does not say.
    pub size_gib: Option<Decimal>,
    /// When it was made.
    pub created_at: Fact<DateTime<Utc>>,
    /// Since when nobody uses it, where the provider tells.
    pub detached_at: Fact<DateTime<Utc>>,
    /// All tags.
    pub tags: Fact<Tags>,
    /// Who uses it.
    pub user: User,
    /// What a month of it costs (730 hours), in the price list's currency; never 0 for not known.
    pub per_month: Fact<Money>,
}

/// Everything beside machines in one place, and which kinds could not be read to the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assets {
    /// What was read.
    pub got: Vec<Asset>,
    /// Kinds of which nothing, or not all, could be read. None of that kind counts as all of them.
    pub unread: Vec<(AssetKind, Unknown)>,
}
