//! What a notice says. Filled by the engine, rendered here; nothing here decides what is planned.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::{AccountName, InstanceId, MachineType, Money};

/// A mail to one recipient about machines.
#[derive(Debug, Clone)]
pub struct Notice {
    /// What it is for.
    pub kind: Kind,
    /// The zone in which times are written.
    pub zone: Tz,
    /// Whom to ask, as shown: a team, an address.
    pub contact: Option<String>,
    /// The machines, in the order in which they are shown. Texts from outside may be in any state:
    /// they are cleaned, escaped and cut when shown.
    pub rows: Vec<Row>,
}

/// What a notice is for. Only [`Kind::Stop`] promises anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Machines were found; nothing will be done to them.
    Found,
    /// Machines will be stopped or terminated. Sent by an enforcing run alone.
    Stop,
    /// An earlier notice, again.
    Reminder,
    /// Machines that people start again after each stop; they are left alone from now on.
    Contested,
}

/// One machine. What is missing is shown as `-`.
#[derive(Debug, Clone)]
pub struct Row {
    /// Provider, provider's account, location, native id: shown in full.
    pub id: InstanceId,
    /// The provider as people write it: `AWS`.
    pub provider: String,
    /// The account's name in the configuration.
    pub account: AccountName,
    /// The machine's name.
    pub name: Option<String>,
    /// Its type.
    pub machine_type: MachineType,
    /// Its GPUs: `8 × A100`.
    pub gpu: Option<String>,
    /// Its age: `30d 0h`.
    pub age: Option<String>,
    /// What it has cost since its last start.
    pub cost_so_far: Option<Money>,
    /// What a further month of its compute costs.
    pub per_month: Option<Money>,
    /// Why it is here, with the rule: one sentence for each rule that said yes.
    pub reasons: Vec<String>,
    /// What is planned.
    pub planned: Planned,
    /// What goes on being charged after it.
    pub still_charged: Vec<String>,
    /// What is lost by it, in words.
    pub losses: Vec<String>,
    /// Commands and other ways to keep it; see [`super::commands::keep`].
    pub keep: Vec<String>,
    /// The command that starts it again; see [`super::commands::restart`].
    pub restart: Option<String>,
    /// Budgets that end its notice period early when they are used up, each with its limit.
    pub hastened_by: Vec<String>,
    /// Whether machines of its type may be hard to get back.
    pub scarce: bool,
    /// The owner as the tags say it, where that is worth showing.
    pub owner: Option<String>,
    /// Why the fallback gets this row and not its owner.
    pub fallback: Option<Fallback>,
}

/// What is planned for a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// Nothing: it is only reported.
    Report,
    /// It would be stopped by a run that enforces.
    WouldStop,
    /// It would be terminated by a run that enforces.
    WouldTerminate,
    /// It is stopped at this time or later. Not before.
    Stop {
        /// The end of its notice period.
        due: DateTime<Utc>,
    },
    /// It is terminated at this time or later. Not before.
    Terminate {
        /// The end of its notice period.
        due: DateTime<Utc>,
    },
}

impl Planned {
    /// The end of the notice period, where something is due.
    pub const fn due(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Stop { due } | Self::Terminate { due } => Some(due),
            Self::Report | Self::WouldStop | Self::WouldTerminate => None,
        }
    }

    /// Whether the machine would be gone for good.
    pub const fn terminates(self) -> bool {
        matches!(self, Self::WouldTerminate | Self::Terminate { .. })
    }
}

/// Why the fallback gets a machine's notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// No tag names an owner.
    Absent,
    /// Whether there is an owner could not be read.
    Unreadable,
    /// The owner is named, and no address is known.
    NoAddress,
    /// The address lies outside the allowed domains.
    ForeignDomain,
    /// The owner has left.
    Departed,
    /// The mail server refuses the address for good.
    Refused,
    /// The mail server cannot be told this address.
    Unaddressable,
    /// The tags name several owners that contradict each other.
    Several,
}

impl Fallback {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Absent => "no tag names an owner",
            Self::Unreadable => "whose it is could not be read",
            Self::NoAddress => "no mail address is known for its owner",
            Self::ForeignDomain => "its owner's address lies outside the allowed domains",
            Self::Departed => "its owner has left",
            Self::Refused => "the mail server refuses its owner's address",
            Self::Unaddressable => "its owner's address cannot be addressed by the mail server",
            Self::Several => "its tags contradict each other about the owner",
        }
    }
}
