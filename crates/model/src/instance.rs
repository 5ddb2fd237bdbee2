//! One machine as an adapter hands it over: identity, state, meter, facts. Adapters translate
//! their wire into this and nothing else; no rule, price override or owner is applied here.

use std::fmt;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fact::{Fact, Ignorance};
use crate::ident::{InstanceId, MachineType};
use crate::tags::Tags;

/// The life of a machine in the words of this house. The provider's own word is kept beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Ordered, booting.
    Pending,
    /// Up.
    Running,
    /// Rebooting: busy, and not a stop.
    Restarting,
    /// On the way down.
    Stopping,
    /// Down. Whether that is free, the [`Meter`] says.
    Stopped,
    /// In trouble; the provider's word says how.
    Failed,
    /// On the way out.
    Ending,
    /// Gone; providers list such ghosts for a while.
    Ended,
    /// A word that this version has never heard of.
    Unknown,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Restarting => "restarting",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Ending => "ending",
            Self::Ended => "ended",
            Self::Unknown => "unknown",
        })
    }
}

/// What the machine's present state costs. Each adapter has one table from provider state to meter,
/// each row with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meter {
    /// Billed at the full rate.
    Running,
    /// Looks off and is billed at the full rate: the worst kind of orphan.
    StoppedBilled,
    /// Compute is free; disks, addresses and snapshots may still be charged.
    StoppedFree,
    /// Nothing is billed any more.
    Ended,
    /// A state that this version does not know. Counted as billed, never acted on.
    Unknown,
}

impl Meter {
    /// Whether money runs, as far as is known. Unknown counts as billed: an unseen bill is worse
    /// than a false line in a report.
    pub const fn may_be_billed(self) -> bool {
        matches!(self, Self::Running | Self::StoppedBilled | Self::Unknown)
    }
}

/// How the machine is paid for. Open: a word that is not known is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purchase {
    /// By the hour, second or minute.
    OnDemand,
    /// Spare capacity. A one-time request cannot be stopped, a persistent one can; not known when
    /// the request could not be read.
    Spot {
        /// Whether the request outlives an interruption.
        persistent: Fact<bool>,
    },
    /// Paid for whether it runs or not (capacity block, reservation, dedicated host): a stop saves
    /// nothing. The text names the commitment.
    Reserved(String),
    /// A monthly plan: a stop saves nothing before the month ends.
    Monthly,
    /// A word that this version does not know.
    Other(String),
}

impl Purchase {
    /// The word in tables and JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot { .. } => "spot",
            Self::Reserved(_) => "reserved",
            Self::Monthly => "monthly",
            Self::Other(_) => "unknown",
        }
    }

    /// Whether the money is spent already, so that a stop saves nothing.
    pub const fn prepaid(&self) -> bool {
        matches!(self, Self::Reserved(_) | Self::Monthly)
    }
}

/// The accelerators of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// The model as the provider names it, without the maker's name where that is clear.
    pub model: String,
    /// How many; partitions count as fractions (an eighth of an L4 is 0.125).
    pub count: Decimal,
    /// Memory of all of them together, GiB; absent where the provider does not say.
    pub memory_gib: Option<Decimal>,
}

/// A controller that owns the machine's life: it would replace what we stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager {
    /// The kind: `autoscaling-group`, `eks`, `karpenter`, `emr`, `kapsule`, `mks`, …
    pub kind: String,
    /// Its name at the provider.
    pub name: String,
    /// Which setting to change instead of stopping the machine, in plain words.
    pub advice: String,
}

impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// The provider's own protection against stopping or ending a machine. Never lifted by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Stop calls are refused.
    Stop,
    /// Terminate calls are refused.
    Terminate,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stop => "stop protection",
            Self::Terminate => "termination protection",
        })
    }
}

/// Disks inside the machine, whose content a stop destroys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalStorage {
    /// Size of all of them, GB; absent where the provider does not say.
    pub gb: Option<u64>,
}

/// Something of the machine that a stop destroys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Data on disks inside the machine.
    LocalDisks,
    /// The automatically assigned public address.
    PublicAddress,
    /// The place on scarce hardware: a restart may find no capacity.
    Capacity,
}

/// What ends the bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopKind {
    /// The machine can come back.
    Deallocate,
    /// The machine is gone afterwards.
    Terminate,
}

/// What stopping this machine would mean, by the provider's stop table and the machine's own facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopOffer {
    /// The mildest call that ends the compute bill.
    pub kind: StopKind,
    /// Whether money is saved at all (prepaid machines: no).
    pub saves: bool,
    /// What is lost.
    pub loses: Vec<Loss>,
    /// Why it should not or cannot be done singly, in plain words; empty when nothing speaks
    /// against it.
    pub objections: Vec<String>,
}

/// Something that goes on being charged when the machine is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// `volume`, `address`, …
    pub kind: &'static str,
    /// The provider's id.
    pub id: String,
}

/// One machine in one listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Who it is.
    pub id: InstanceId,
    /// The name that people gave it.
    pub name: Fact<String>,
    /// State in our words.
    pub state: State,
    /// State letter for letter as delivered.
    pub provider_state: String,
    /// What the state costs.
    pub meter: Meter,
    /// Type letter for letter as delivered.
    pub machine_type: MachineType,
    /// Its accelerators. Unknown for a type nobody could describe: counted as a billable GPU.
    pub gpu: Fact<Gpu>,
    /// How it is paid for.
    pub purchase: Purchase,
    /// First launch.
    pub created_at: Fact<DateTime<Utc>>,
    /// Last start.
    pub running_since: Fact<DateTime<Utc>>,
    /// Last stop; often without a date at the provider, then unknown, never now.
    pub stopped_at: Fact<DateTime<Utc>>,
    /// All tags. `Absent`: the provider confirmed that there are none.
    pub tags: Fact<Tags>,
    /// The controller, if one owns it.
    pub manager: Fact<Manager>,
    /// The provider's own protection.
    pub guards: Fact<Vec<Guard>>,
    /// Disks that a stop erases.
    pub local_storage: Fact<LocalStorage>,
    /// What a stop would mean.
    pub stop: StopOffer,
    /// What stays charged after a stop, as far as the listing shows it.
    pub attached: Vec<Attachment>,
    /// Fields of this machine that could not be read, each in a few words.
    pub unreadable: Vec<String>,
}

impl Instance {
    /// Since when the present run lasts: the last start or, where the provider shows none (Scaleway
    /// without its Audit Trail, OVHcloud), the first launch. A start that could not be read or
    /// makes no sense is not replaced by an older time.
    pub fn up_since(&self) -> &Fact<DateTime<Utc>> {
        if self.counts_from_creation() { &self.created_at } else { &self.running_since }
    }

    /// Whether [`Instance::up_since`] is the first launch, because no last start is shown. A first
    /// launch that could not be read is then the gap.
    pub fn counts_from_creation(&self) -> bool {
        let no_start = match &self.running_since {
            Fact::Known { .. } => false,
            Fact::Absent { .. } => true,
            Fact::Unknown(gap) => gap.kind == Ignorance::NotOffered,
        };
        no_start && !matches!(self.created_at, Fact::Absent { .. })
    }
}
