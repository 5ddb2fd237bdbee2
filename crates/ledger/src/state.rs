//! What is known after a commit. A value without behaviour but questions; it changes by
//! [folding](crate::fold) commits alone, so that the same log always gives the same state.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::outcome::Class;
use reaper_model::{
    ActionResult, Case, InstanceId, Location, Looks, ProviderAccount, ProviderName, Verb,
};
use serde::{Deserialize, Serialize};

use crate::codec;
use crate::commit::{Head, Writer};
use crate::entry::{
    Account, AlertIntent, AlertKey, NoticeIntent, Place, ReportIntent, ReportKey, Sending, StopKey,
};
use crate::meter::Meter;
use crate::rates::Frozen;

/// Everything that a run needs to know of those before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    #[serde(with = "codec::pairs")]
    pub(crate) places: BTreeMap<Place, Listed>,
    #[serde(with = "codec::by_instance")]
    pub(crate) machines: BTreeMap<InstanceId, Machine>,
    pub(crate) stops: Vec<Stopped>,
    pub(crate) notices: BTreeMap<String, Message<NoticeIntent>>,
    #[serde(with = "codec::pairs")]
    pub(crate) alerts: BTreeMap<AlertKey, Message<AlertIntent>>,
    /// Snapshots of format 1 know nothing of money.
    #[serde(default, with = "codec::by_instance")]
    pub(crate) meters: BTreeMap<InstanceId, Meter>,
    #[serde(default)]
    pub(crate) metered_since: Option<DateTime<Utc>>,
    #[serde(default)]
    pub(crate) rates: BTreeMap<String, Frozen>,
    /// Snapshots of format 2 and before know nothing of reports.
    #[serde(default, with = "codec::pairs")]
    pub(crate) reports: BTreeMap<ReportKey, Message<ReportIntent>>,
    #[serde(default)]
    pub(crate) reports_made: BTreeSet<DateTime<Utc>>,
    #[serde(default, with = "codec::pairs")]
    pub(crate) stops_told: BTreeMap<StopKey, Message<()>>,
    #[serde(default, with = "codec::pairs")]
    pub(crate) rearmed: BTreeMap<Level, DateTime<Utc>>,
    #[serde(with = "codec::by_instance")]
    pub(crate) exemptions: BTreeMap<InstanceId, Exemption>,
    #[serde(with = "codec::pairs")]
    pub(crate) leases: BTreeMap<Account, Lease>,
    pub(crate) runs: Runs,
    pub(crate) pruned: Option<Head>,
}

/// A budget, a period of it and a threshold of its forecast.
pub(crate) type Level = (String, String, String);

/// When a place was listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// The last listing, complete or not.
    pub at: DateTime<Utc>,
    /// The last complete one, and how many machines it showed.
    pub complete: Option<(DateTime<Utc>, u64)>,
}

/// What is remembered of one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// When a listing first showed it.
    pub first_seen: DateTime<Utc>,
    /// When a listing last showed it.
    pub last_seen: DateTime<Utc>,
    /// Complete listings since then that did not.
    pub absence: Option<Absence>,
    /// Its open cases by rule.
    pub cases: BTreeMap<String, Case>,
    /// An action whose result is not recorded: after a crash, read the machine, do not repeat.
    pub open_action: Option<OpenAction>,
    /// The last results, oldest first, at most [`Machine::REMEMBERED_ACTIONS`].
    pub actions: Vec<PastAction>,
}

impl Machine {
    /// How many results are remembered: enough to see a tug of war.
    pub const REMEMBERED_ACTIONS: usize = 20;

    /// The last action that was called, if nobody has seen it work yet. A later run that sees it
    /// records the result without a new intent.
    pub fn unconfirmed(&self) -> Option<&PastAction> {
        let called = self.actions.iter().rfind(|action| action.intent.is_some());
        called.filter(|action| action.result == ActionResult::Unconfirmed)
    }

    /// Forgets the oldest results that are too many. What was confirmed goes last: that tells a tug
    /// of war, however many refusals and failures have come since.
    pub(crate) fn forget_surplus(&mut self) {
        while self.actions.len() > Self::REMEMBERED_ACTIONS {
            let mut earlier = self.actions.iter().rev().skip(1).rev();
            let oldest = earlier.position(|action| action.result != ActionResult::Confirmed);
            self.actions.remove(oldest.unwrap_or(0));
        }
    }
}

/// A machine that complete listings no longer show. After the second it is forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absence {
    /// The first such listing.
    pub since: DateTime<Utc>,
    /// The last such listing.
    pub last: DateTime<Utc>,
    /// How many.
    pub listings: u32,
}

/// An action whose result is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAction {
    /// What.
    pub verb: Verb,
    /// By which rule.
    pub rule: String,
    /// What was written down before the call.
    pub intent: Intent,
}

/// What is written down before a provider is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// Digest of the plan.
    pub plan: String,
    /// The [`Case::ground`] that it rests on.
    pub ground: String,
    /// What the machine looked like.
    pub looks: Looks,
    /// When.
    pub at: DateTime<Utc>,
    /// By whom.
    pub by: Writer,
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastAction {
    /// What.
    pub verb: Verb,
    /// By which rule.
    pub rule: String,
    /// When the result was known.
    pub at: DateTime<Utc>,
    /// The result.
    pub result: ActionResult,
    /// What was written down before the call; `None`: skipped, nothing was called.
    pub intent: Option<Intent>,
}

impl PastAction {
    /// The [`Case::ground`] that it rests on; `None` when nothing was called.
    pub fn ground(&self) -> Option<&str> {
        self.intent.as_ref().map(|intent| intent.ground.as_str())
    }
}

/// A confirmed stop or termination, remembered also when the machine itself is gone: whoever puts
/// a twin in its place does so within minutes of the call, or of what the call brought about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stopped {
    /// The machine.
    #[serde(with = "reaper_model::ident::parts")]
    pub id: InstanceId,
    /// What was done.
    pub verb: Verb,
    /// When it was intended: nothing was called before this moment.
    pub called: DateTime<Utc>,
    /// When it was confirmed: by this moment it had happened.
    pub at: DateTime<Utc>,
    /// What the machine looked like.
    pub looks: Looks,
}

/// A notice, an alert, a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message<I> {
    /// What it says and to whom.
    pub intent: I,
    /// Who intended it last.
    pub by: Writer,
    /// How far it is.
    pub step: Step,
    /// When that step was recorded.
    pub at: DateTime<Utc>,
}

impl<I> Message<I> {
    /// When the channel took it, if it did: what a notice period counts from.
    pub fn accepted_at(&self) -> Option<DateTime<Utc>> {
        (self.step == Step::Accepted).then_some(self.at)
    }
}

/// How far a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Intended; if the writer is no longer there, perhaps sent.
    Intended,
    /// Taken by the channel. For good: no later step is possible.
    Accepted,
    /// Refused; may be tried again.
    Rejected {
        /// Whether it would be refused again.
        permanent: bool,
    },
    /// Perhaps sent; may be tried again under the same key.
    PossiblySent,
}

impl Step {
    pub(crate) fn of<I>(sending: &Sending<I>) -> Self {
        match sending {
            Sending::Intended(_) => Self::Intended,
            Sending::Accepted => Self::Accepted,
            Sending::Rejected { permanent, .. } => Self::Rejected { permanent: *permanent },
            Sending::PossiblySent { .. } => Self::PossiblySent,
        }
    }
}

/// A machine kept by somebody's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exemption {
    /// Until when.
    pub until: DateTime<Utc>,
    /// Why.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// When it was said.
    pub at: DateTime<Utc>,
}

/// The right to act in one account, for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The run that holds it.
    pub holder: Writer,
    /// When it ends by itself.
    pub until: DateTime<Utc>,
}

impl Lease {
    /// Whether it still holds.
    pub fn holds(&self, now: DateTime<Utc>) -> bool {
        now < self.until
    }
}

/// The runs so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Runs that have not recorded their end, with their start.
    pub open: BTreeMap<Writer, DateTime<Utc>>,
    /// What those do. Runs that began before format 3 have done nothing that is known.
    #[serde(default)]
    pub begun: BTreeMap<Writer, Begun>,
    /// What the others have done, by their commands.
    #[serde(default)]
    pub done: BTreeMap<String, Done>,
    /// The last that recorded its end.
    pub last: Option<Ended>,
    /// The end of the last that read every scope and was not interrupted.
    pub last_complete: Option<DateTime<Utc>>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// The run.
    pub run: Writer,
    /// When.
    pub at: DateTime<Utc>,
    /// How, worst first.
    pub classes: Vec<Class>,
    /// Whether a signal ended it.
    pub interrupted: bool,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// The command.
    pub command: String,
    /// Whether it may act.
    pub enforces: bool,
    /// When.
    pub at: DateTime<Utc>,
}

/// When the last run of a command began that came to its end without being interrupted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Whether it might act or not.
    pub last: Option<DateTime<Utc>>,
    /// Of those that might act.
    pub last_enforcing: Option<DateTime<Utc>>,
}

impl Runs {
    /// When the last run of a command began that came to its end; with `enforces` the last of those
    /// that might act. One that was interrupted has not done what it was for.
    pub fn done(&self, command: &str, enforces: bool) -> Option<DateTime<Utc>> {
        let done = self.done.get(command)?;
        if enforces { done.last_enforcing } else { done.last }
    }

    pub(crate) fn has_done(&mut self, run: Begun) {
        let done = self.done.entry(run.command).or_default();
        done.last = done.last.max(Some(run.at));
        if run.enforces {
            done.last_enforcing = done.last_enforcing.max(Some(run.at));
        }
    }
}

impl State {
    /// When a place was listed, if ever.
    pub fn listed(&self, place: &Place) -> Option<&Listed> {
        self.places.get(place)
    }

    /// All places ever listed.
    pub fn places(&self) -> impl Iterator<Item = (&Place, &Listed)> {
        self.places.iter()
    }

    /// What is remembered of a machine.
    pub fn machine(&self, id: &InstanceId) -> Option<&Machine> {
        self.machines.get(id)
    }

    /// All remembered machines, in the order of their ids.
    pub fn machines(&self) -> impl Iterator<Item = (&InstanceId, &Machine)> {
        self.machines.iter()
    }

    /// The remembered machines of one place.
    pub fn machines_at<'a>(
        &'a self,
        place: &'a Place,
    ) -> impl Iterator<Item = (&'a InstanceId, &'a Machine)> {
        self.machines.range(place.machine("")..).take_while(|(id, _)| is_at(id, place))
    }

    /// The confirmed stops and terminations of the last [`STOPS`](crate::fold::STOPS), oldest
    /// first.
    pub fn stops(&self) -> &[Stopped] {
        &self.stops
    }

    /// A notice by its key.
    pub fn notice(&self, key: &str) -> Option<&Message<NoticeIntent>> {
        self.notices.get(key)
    }

    /// All remembered notices.
    pub fn notices(&self) -> impl Iterator<Item = (&str, &Message<NoticeIntent>)> {
        self.notices.iter().map(|(key, message)| (key.as_str(), message))
    }

    /// An alert by its key.
    pub fn alert(&self, key: &AlertKey) -> Option<&Message<AlertIntent>> {
        self.alerts.get(key)
    }

    /// All remembered alerts.
    pub fn alerts(&self) -> impl Iterator<Item = (&AlertKey, &Message<AlertIntent>)> {
        self.alerts.iter()
    }

    /// A weekly report by its key.
    pub fn report(&self, key: &ReportKey) -> Option<&Message<ReportIntent>> {
        self.reports.get(key)
    }

    /// All remembered weekly reports, the oldest due time first.
    pub fn reports(&self) -> impl Iterator<Item = (&ReportKey, &Message<ReportIntent>)> {
        self.reports.iter()
    }

    /// Whether the report of a due time went, or was tried to go, to everybody that it is for.
    pub fn is_report_made(&self, due: DateTime<Utc>) -> bool {
        self.reports_made.contains(&due)
    }

    /// What became of telling a channel of a stop.
    pub fn stop_told(&self, key: &StopKey) -> Option<&Message<()>> {
        self.stops_told.get(key)
    }

    /// When the forecast of a budget last fell so far below a threshold in a period that reaching
    /// it again is new.
    pub fn rearmed(&self, budget: &str, period: &str, threshold: &str) -> Option<DateTime<Utc>> {
        let level = (budget.to_owned(), period.to_owned(), threshold.to_owned());
        self.rearmed.get(&level).copied()
    }

    /// The exemption of a machine, if one holds at `now`.
    pub fn exemption(&self, id: &InstanceId, now: DateTime<Utc>) -> Option<&Exemption> {
        self.exemptions.get(id).filter(|exemption| now < exemption.until)
    }

    /// All remembered exemptions, also those that have ended.
    pub fn exemptions(&self) -> impl Iterator<Item = (&InstanceId, &Exemption)> {
        self.exemptions.iter()
    }

    /// The lease on an account, if one holds at `now`.
    pub fn lease(&self, account: &Account, now: DateTime<Utc>) -> Option<&Lease> {
        self.leases.get(account).filter(|lease| lease.holds(now))
    }

    /// The accounts that `writer` holds at `now`.
    pub fn held_by(&self, writer: &Writer, now: DateTime<Utc>) -> BTreeSet<Account> {
        let held = |lease: &Lease| lease.holder == *writer && lease.holds(now);
        let accounts = self.leases.iter().filter(|(_, lease)| held(lease));
        accounts.map(|(account, _)| account.clone()).collect()
    }

    /// The accounts whose last lease is `writer`'s, ended or not.
    pub(crate) fn leased_to(&self, writer: &Writer) -> impl Iterator<Item = &Account> {
        let leases = self.leases.iter().filter(move |(_, lease)| lease.holder == *writer);
        leases.map(|(account, _)| account)
    }

    /// The runs so far.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The last commit of those that may have been removed for their age.
    pub fn pruned(&self) -> Option<Head> {
        self.pruned
    }
}

/// Whether a machine belongs to a place.
pub(crate) fn is_at(id: &InstanceId, place: &Place) -> bool {
    fn parts(id: &InstanceId) -> (&ProviderName, &ProviderAccount, &Location) {
        (&id.provider, &id.account, &id.location)
    }
    parts(id) == (&place.provider, &place.account, &place.location)
}
