//! What a provider itself says that an account has cost.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use crate::ident::{Location, MachineType, ProviderAccount, ProviderName};
use crate::money::Money;

/// The provider's answer for one account, all its locations together, over one span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bill {
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's own account.
    pub account: ProviderAccount,
    /// From when (UTC), inclusive: the start of the provider's own month.
    pub from: DateTime<Utc>,
    /// Until when (UTC) the data reaches, exclusive. Data is hours to days old.
    pub until: DateTime<Utc>,
    /// Its lines.
    pub lines: Vec<BillLine>,
    /// What a reader should know: fields that were null, parts that the provider calls estimated.
    pub notes: Vec<String>,
}

/// One line of a bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillLine {
    /// What it is for.
    pub kind: BillKind,
    /// The provider's id of the machine, where the line is about one, deleted ones included.
    pub native: Option<String>,
    /// The machine type, where the line names it.
    pub machine_type: Option<MachineType>,
    /// Region or zone, where the line names it.
    pub location: Option<Location>,
    /// Billed hours, where the line says them.
    pub hours: Option<Decimal>,
    /// The amount without tax; `None`: the provider gave none.
    pub amount: Option<Money>,
}

/// What a line of a bill is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BillKind {
    /// The time of accelerated machines: what an estimate is held against.
    Compute,
    /// Anything else: disks, addresses, snapshots, other machines.
    Other,
}
