//! What an alert says. Filled by the engine, rendered here; nothing here decides what is reached.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::document::{BillView, BudgetView, Verdict};
use reaper_model::{AccountName, InstanceId, MachineType, Money, Verb};

use crate::address::Address;
use crate::mail::Key;

/// A mail to one recipient: the budget has reached thresholds of which this recipient was not told.
#[derive(Debug, Clone)]
pub struct Alert<'a> {
    /// Its stable name, the same for every try: the Message-ID.
    pub key: Key,
    /// The stable name of the budget's month, which all its alerts refer to, so that mail programs
    /// show them together.
    pub thread: Key,
    /// What it alerts of, the same for all recipients and all tries: budget, month, basis,
    /// threshold, limit. By the header `X-Reaper-Alert` receivers can drop doubles.
    pub id: &'a str,
    /// Its only recipient.
    pub to: Address,
    /// The clock of the run.
    pub at: DateTime<Utc>,
    /// The zone in which times are written.
    pub zone: Tz,
    /// Whom to ask, as shown: a team, an address.
    pub contact: Option<&'a str>,
    /// How the budget stands.
    pub budget: &'a BudgetView,
    /// What counts in it, in words; `None`: everything.
    pub scope: Option<&'a str>,
    /// The thresholds that it tells of, such as `50%` and `80%`, ascending.
    pub covers: &'a [String],
    /// What has reached them.
    pub against: Against,
    /// Why this recipient gets it.
    pub why: Why<'a>,
    /// Why it may have been sent before.
    pub repeat: Option<Repeat>,
    /// The machines that count in the budget, dearest first. Texts from outside may be in any state:
    /// they are cleaned, escaped and cut when shown.
    pub machines: &'a [Row],
    /// Proposed stops that would lower the forecast, the largest saving first.
    pub stops: &'a [Stop],
    /// Bills of the accounts that count in it.
    pub bills: &'a [BillView],
}

/// What has reached a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The spending.
    Actual,
    /// The forecast of the month's end; nothing of it is spent yet.
    Forecast,
}

/// Why a recipient gets an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why<'a> {
    /// The budget names this recipient.
    Recipient,
    /// The budget names nobody.
    Fallback,
    /// The mail server refuses this recipient of the budget for good.
    InsteadOf(&'a str),
}

/// Why an alert may have been sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// There is no history of alerts: the state is new.
    NoHistory,
    /// An earlier try broke off when the server could have taken it already.
    BrokenOff,
}

/// A machine that counts in the budget. What is missing is shown as `-`.
#[derive(Debug, Clone)]
pub struct Row {
    /// Provider, provider's account, location, native id.
    pub id: InstanceId,
    /// The account's name in the configuration.
    pub account: AccountName,
    /// Its name.
    pub name: Option<String>,
    /// Its type.
    pub machine_type: MachineType,
    /// Whose it is, as written; `None`: nobody's.
    pub owner: Option<String>,
    /// What it has cost since the start of the month; `None`: its price is unknown.
    pub month_to_date: Option<Money>,
    /// What it costs an hour now; `None` where it costs nothing any more, or nobody knows.
    pub hourly: Option<Money>,
    /// The verdict over it; `None`: it is gone.
    pub verdict: Option<Verdict>,
}

/// A proposed stop.
#[derive(Debug, Clone)]
pub struct Stop {
    /// The machine.
    pub id: InstanceId,
    /// Its name.
    pub name: Option<String>,
    /// What is proposed.
    pub verb: Verb,
    /// The end of its notice period; `None` before its notice was accepted.
    pub due: Option<DateTime<Utc>>,
    /// By how much it would lower the forecast; `None`: nobody knows.
    pub saves: Option<Money>,
}
