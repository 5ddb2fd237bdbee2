//! What can be recorded. A new kind of entry, or a new meaning of an old one, raises
//! [`FORMAT`](crate::FORMAT): an older version must refuse what it would misread.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::{DateTime, Utc};
use reaper_model::outcome::Class;
use reaper_model::{
    About, ActionResult, Case, InstanceId, Location, Looks, NoticeStep, ProviderAccount,
    ProviderName, Rate, Reading, Scope, Verb,
};
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::frame::Digest;

/// One account at one provider, by the provider's own name: what a lease is taken on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(ProviderName, ProviderAccount)", into = "(ProviderName, ProviderAccount)")]
pub struct Account {
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's own account.
    pub account: ProviderAccount,
}

impl Account {
    /// The account that a machine belongs to.
    pub fn of(id: &InstanceId) -> Self {
        Self { provider: id.provider.clone(), account: id.account.clone() }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.account)
    }
}

impl From<(ProviderName, ProviderAccount)> for Account {
    fn from((provider, account): (ProviderName, ProviderAccount)) -> Self {
        Self { provider, account }
    }
}

impl From<Account> for (ProviderName, ProviderAccount) {
    fn from(account: Account) -> Self {
        (account.provider, account.account)
    }
}

/// What one listing covers: a provider's account at one location. Without the configured name of
/// the account, so that renaming it loses no history and another account never inherits any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "PlaceParts", into = "PlaceParts")]
pub struct Place {
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's own account.
    pub account: ProviderAccount,
    /// Region or zone.
    pub location: Location,
}

type PlaceParts = (ProviderName, ProviderAccount, Location);

impl Place {
    /// The place of a machine.
    pub fn of(id: &InstanceId) -> Self {
        Self {
            provider: id.provider.clone(),
            account: id.account.clone(),
            location: id.location.clone(),
        }
    }

    /// The account that it belongs to.
    pub fn account(&self) -> Account {
        Account { provider: self.provider.clone(), account: self.account.clone() }
    }

    /// A machine of this place.
    pub fn machine(&self, native: impl Into<String>) -> InstanceId {
        InstanceId {
            provider: self.provider.clone(),
            account: self.account.clone(),
            location: self.location.clone(),
            native: native.into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.provider, self.account, self.location)
    }
}

impl From<&Scope> for Place {
    fn from(scope: &Scope) -> Self {
        Self {
            provider: scope.provider.clone(),
            account: scope.provider_account.clone(),
            location: scope.location.clone(),
        }
    }
}

impl From<PlaceParts> for Place {
    fn from((provider, account, location): PlaceParts) -> Self {
        Self { provider, account, location }
    }
}

impl From<Place> for PlaceParts {
    fn from(place: Place) -> Self {
        (place.provider, place.account, place.location)
    }
}

/// One thing recorded. Who and when stand in the commit's header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Entry {
    /// A run began.
    RunStarted {
        /// `run`, `apply`, `schedule`, …
        command: String,
        /// Whether it may act.
        enforces: bool,
        /// Digest of the configuration.
        config: String,
        /// Version of the program.
        version: String,
    },
    /// A run ended by itself.
    RunEnded {
        /// How, worst first.
        classes: Vec<Class>,
        /// Whether every scope was read to its end.
        complete: bool,
        /// Whether a signal ended it early.
        interrupted: bool,
    },
    /// A listing, as the difference to what was known: see [`State::sight`](crate::State::sight)
    /// and [`State::sight_all`](crate::State::sight_all).
    Seen {
        /// What was listed.
        place: Place,
        /// Whether it was read to the end.
        complete: bool,
        /// How many machines were read.
        count: u64,
        /// Machines that were not known, or had been absent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        appeared: Vec<String>,
        /// Known machines that a complete listing did not show.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<String>,
        /// Known machines that a broken-off listing did not show: nothing follows from that.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unread: Vec<String>,
    },
    /// The provider, asked for this machine alone, said that there is none.
    NotFound {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
    },
    /// Bills were read: that of every machine which is there at these places, but for those that
    /// are named, reads as before or as a [`Entry::Metered`] of the same commit says. See
    /// [`State::meter_entries`](crate::State::meter_entries).
    MetersRead {
        /// The places, each with its machines that were not read.
        #[serde(with = "codec::pairs")]
        places: BTreeMap<Place, Vec<String>>,
    },
    /// A machine's bill reads otherwise than before, or the machine was away.
    Metered {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
        /// Until when the reading before was last seen to hold; `None`: this is the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confirmed: Option<DateTime<Utc>>,
        /// Since when it was seen to be away, if it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        absent: Option<DateTime<Utc>>,
        /// What it reads now.
        reading: Reading,
    },
    /// A period uses these rates from now on, whatever the configuration will say: see
    /// [`State::freeze`](crate::State::freeze).
    RatesFrozen {
        /// The period, for example `2026-11`.
        period: String,
        /// Rates between currencies that it has not converted before.
        rates: Vec<Rate>,
    },
    /// A finding's case opened, moved on or was cleared.
    CaseChanged {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
        /// The rule.
        rule: String,
        /// The case as it is now; `None`: cleared, the next finding starts anew.
        case: Option<Case>,
    },
    /// A step of one notice.
    Notice {
        /// Stable key: the same notice has the same key in every run.
        key: String,
        /// The step.
        step: Sending<NoticeIntent>,
    },
    /// A step of one budget alert.
    Alert {
        /// Stable key.
        key: AlertKey,
        /// The step.
        step: Sending<AlertIntent>,
    },
    /// A step of one weekly report to one recipient.
    Report {
        /// Stable key.
        key: ReportKey,
        /// The step.
        step: Sending<ReportIntent>,
    },
    /// A weekly report was made: everybody that it is for was tried once.
    ReportMade {
        /// The due time that it answers.
        due: DateTime<Utc>,
    },
    /// A step of telling a channel of one confirmed stop.
    StopTold {
        /// Stable key.
        key: StopKey,
        /// The step.
        step: Sending<()>,
    },
    /// A forecast has fallen so far below a threshold that reaching it again is new.
    Rearmed {
        /// The budget's name.
        budget: String,
        /// The period, for example `2026-11`.
        period: String,
        /// The threshold, for example `100%`.
        threshold: String,
    },
    /// A step of one action.
    Action {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
        /// The rule on whose ground.
        rule: String,
        /// What is done.
        verb: Verb,
        /// The step.
        step: ActionStep,
    },
    /// A machine is kept.
    Exempted {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
        /// Until when.
        until: DateTime<Utc>,
        /// Why.
        reason: String,
        /// Who said so.
        by: String,
    },
    /// A machine is no longer kept.
    ExemptionEnded {
        /// The machine.
        #[serde(with = "reaper_model::ident::parts")]
        id: InstanceId,
        /// Who said so.
        by: String,
    },
    /// The writer takes or renews a lease on accounts.
    Claimed {
        /// All of them or none.
        accounts: BTreeSet<Account>,
        /// When the lease ends by itself.
        until: DateTime<Utc>,
    },
    /// The writer gives leases back.
    Released {
        /// The accounts.
        accounts: BTreeSet<Account>,
    },
    /// Commits up to this one may be missing from now on: they were old and are in a snapshot.
    Pruned {
        /// The last of them.
        through: u64,
        /// Its digest: what the chain goes on from.
        digest: Digest,
    },
}

/// The steps of something sent by mail or to a channel: the intent before, the answer after. An
/// intent without an answer was perhaps sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sending<I> {
    /// About to be sent.
    Intended(I),
    /// The channel took it.
    Accepted,
    /// The channel refused it.
    Rejected {
        /// Whether it would be refused again.
        permanent: bool,
        /// The channel's words.
        why: String,
    },
    /// The connection broke when it could have been taken already.
    PossiblySent {
        /// What happened.
        why: String,
    },
}

/// What a notice says and to whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoticeIntent {
    /// The recipient.
    pub to: String,
    /// What it is for.
    pub step: NoticeStep,
    /// The findings it tells of.
    pub about: Vec<About>,
}

/// What makes an alert the same alert: told once to each, and again when the limit has changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertKey {
    /// The budget's name.
    pub budget: String,
    /// The period, for example `2026-11`.
    pub period: String,
    /// `actual` or `forecast`.
    pub basis: String,
    /// The threshold, for example `80%`; of a forecast with the day: `100%@2026-11-12`.
    pub threshold: String,
    /// The limit, for example `5000 EUR`.
    pub limit: String,
    /// The recipient.
    pub to: String,
}

impl fmt::Display for AlertKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { budget, period, basis, threshold, limit, to } = self;
        write!(f, "{budget}/{period}/{basis}/{threshold}/{limit}/{to}")
    }
}

/// What an alert says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertIntent {
    /// All thresholds that its mail names.
    pub covers: Vec<String>,
    /// The percentage that was announced, as printed.
    pub percent: String,
    /// The spending that was announced, as printed.
    pub spent: String,
}

/// What makes a weekly report the same report: made once for a due time, sent once to each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportKey {
    /// The due time that it answers.
    pub due: DateTime<Utc>,
    /// The recipient: an address, or the name of a channel.
    pub to: String,
}

impl fmt::Display for ReportKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.due.format("%Y-%m-%dT%H:%M:%SZ"), self.to)
    }
}

/// What a weekly report tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportIntent {
    /// The start of its period, exclusive.
    pub from: DateTime<Utc>,
    /// The end of its period, inclusive: where that of the next report begins.
    pub until: DateTime<Utc>,
    /// Whether it tells of everything, and not only of what is its recipient's.
    pub whole: bool,
}

/// What makes the news of a stop the same news.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopKey {
    /// The machine.
    #[serde(with = "reaper_model::ident::parts")]
    pub id: InstanceId,
    /// When the stop was confirmed.
    pub at: DateTime<Utc>,
    /// The channel.
    pub to: String,
}

impl fmt::Display for StopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.id, self.at.to_rfc3339(), self.to)
    }
}

/// The steps of an action: the intent before the call, the result after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionStep {
    /// About to be called. Refused by the fold unless the writer holds the account's lease.
    Intended {
        /// Digest of the plan.
        plan: String,
        /// The [`Case::ground`] that it rests on.
        ground: String,
        /// What the machine looks like: to know a twin that takes its place.
        looks: Looks,
    },
    /// How it ended: the answer to the intent, or to an earlier [`ActionResult::Unconfirmed`] what
    /// a later run has seen.
    Ended {
        /// The result.
        result: ActionResult,
        /// In words.
        why: String,
    },
}
