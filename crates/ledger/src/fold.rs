//! Commits → state. Pure: the header's time and writer are all it knows of the world. What can not
//! follow from the state is a [`Contradiction`]: an append refuses to write it, a reader to
//! believe it. Rules that must hold between runs (one lease, one acceptance, no intent without a
//! lease) are therefore kept by the log itself.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{ActionResult, Currency, InstanceId};

use crate::commit::{Commit, Head, Header, Writer};
use crate::entry::{Account, ActionStep, Entry, Place, Sending};
use crate::meter::{METERS, Metered};
use crate::sighting::Sighting;
use crate::state::{
    Begun, Ended, Exemption, Intent, Lease, Machine, Message, OpenAction, PastAction, State, Step,
    Stopped,
};

/// How long alerts, reports, the rates of a period, settled notices of machines that are gone, and ended
/// exemptions are remembered: for all of a budget's period and long after it, so that nothing of it
/// is told twice. The log itself keeps them for as long as it lasts.
pub const MEMORY: TimeDelta = TimeDelta::days(400);

/// How long a confirmed stop is remembered: to know a twin of that machine, and to tell of it.
/// What became of telling is remembered a little longer than the stop.
pub const STOPS: TimeDelta = TimeDelta::days(30);

/// An entry that can not follow from the state before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// A broken-off listing proves no absence.
    #[error("a listing of {0} was not read to its end and yet says what is absent")]
    AbsentInPartial(Place),
    /// Nothing is known of the machine.
    #[error("{0} was never seen")]
    UnknownMachine(InstanceId),
    /// A reading that is older than what is known, or that does not say until when the one before
    /// it held.
    #[error("a reading of {0} does not follow from those before it")]
    Reading(InstanceId),
    /// The period has used another rate.
    #[error("the rate from {from} to {to} was frozen for {period} before")]
    RateFrozen {
        /// The period.
        period: String,
        /// Converted from.
        from: Currency,
        /// Converted to.
        to: Currency,
    },
    /// A message was accepted already.
    #[error("`{0}` was accepted before")]
    AlreadyAccepted(String),
    /// An answer to a message that nobody sent.
    #[error("`{0}` has an answer and was not intended")]
    NotIntended(String),
    /// A live run is sending this message.
    #[error("`{key}` is being sent by run {by}, which has until {until}")]
    InFlight {
        /// The message.
        key: String,
        /// The run.
        by: Writer,
        /// When its longest lease ends.
        until: DateTime<Utc>,
    },
    /// The writer may not act in that account now.
    #[error("run {by} holds no lease on {account}")]
    NoLease {
        /// The account.
        account: Account,
        /// The writer.
        by: Writer,
    },
    /// Another run holds the lease.
    #[error("{account} is held by run {by} until {until}")]
    Held {
        /// The account.
        account: Account,
        /// The run.
        by: Writer,
        /// When the lease ends.
        until: DateTime<Utc>,
    },
    /// An earlier action on the machine has no result yet.
    #[error("an action on {0} has no result yet")]
    ActionOpen(InstanceId),
    /// A result without an intent, or of something else than was intended.
    #[error("an action on {0} has a result and was not intended")]
    ActionNotIntended(InstanceId),
    /// The removal of old commits went backwards or beyond the end.
    #[error("commits up to {0} can not be declared removed")]
    Pruned(u64),
}

type Folded = Result<(), Contradiction>;

impl State {
    /// The state after one more commit. After an error the value is of no use.
    pub fn fold(&mut self, commit: &Commit) -> Result<(), Contradiction> {
        commit.entries.iter().try_for_each(|entry| self.fold_entry(&commit.header, entry))
    }

    fn fold_entry(&mut self, header: &Header, entry: &Entry) -> Folded {
        let at = header.at;
        match entry {
            Entry::RunStarted { command, enforces, .. } => {
                self.runs.open.insert(header.writer.clone(), at);
                let begun = Begun { command: command.clone(), enforces: *enforces, at };
                self.runs.begun.insert(header.writer.clone(), begun);
            }
            Entry::RunEnded { classes, complete, interrupted } => {
                self.runs.open.remove(&header.writer);
                let begun = self.runs.begun.remove(&header.writer);
                if let Some(begun) = begun.filter(|_| !interrupted) {
                    self.runs.has_done(begun);
                }
                self.runs.last = Some(Ended {
                    run: header.writer.clone(),
                    at,
                    classes: classes.clone(),
                    interrupted: *interrupted,
                });
                if *complete && !interrupted {
                    self.runs.last_complete = self.runs.last_complete.max(Some(at));
                }
                self.forget(at);
            }
            Entry::Seen { place, complete, count, appeared, absent, unread } => {
                let (complete, count) = (*complete, *count);
                self.fold_seen(at, &Sighting { place, complete, count, appeared, absent, unread })?;
            }
            Entry::NotFound { id } => {
                if self.machines.get(id).is_some_and(|machine| machine.open_action.is_none()) {
                    self.machines.remove(id);
                }
                if let Some(meter) = self.meters.get_mut(id) {
                    meter.miss(at);
                }
            }
            Entry::MetersRead { places } => self.fold_meters_read(at, places),
            Entry::Metered { id, confirmed, absent, reading } => {
                let (confirmed, absent, reading) = (*confirmed, *absent, reading.clone());
                self.fold_metered(id, Metered { at, confirmed, absent, reading })?;
            }
            Entry::RatesFrozen { period, rates } => self.fold_frozen(at, period, rates)?,
            Entry::CaseChanged { id, rule, case: Some(case) } => {
                self.known(id)?.cases.insert(rule.clone(), case.clone());
            }
            Entry::CaseChanged { id, rule, case: None } => {
                if let Some(machine) = self.machines.get_mut(id) {
                    machine.cases.remove(rule);
                }
            }
            Entry::Notice { key, step } => {
                let live = self.live_lease(self.notices.get(key).map(|notice| &notice.by), header);
                advance(&mut self.notices, key.clone(), step, header, live)?;
            }
            Entry::Alert { key, step } => {
                let live = self.live_lease(self.alerts.get(key).map(|alert| &alert.by), header);
                advance(&mut self.alerts, key.clone(), step, header, live)?;
            }
            Entry::Report { key, step } => {
                let live = self.live_lease(self.reports.get(key).map(|report| &report.by), header);
                advance(&mut self.reports, key.clone(), step, header, live)?;
            }
            Entry::ReportMade { due } => {
                self.reports_made.insert(*due);
            }
            Entry::StopTold { key, step } => {
                let live = self.live_lease(self.stops_told.get(key).map(|told| &told.by), header);
                advance(&mut self.stops_told, key.clone(), step, header, live)?;
            }
            Entry::Rearmed { budget, period, threshold } => {
                let level = (budget.clone(), period.clone(), threshold.clone());
                let last = self.rearmed.entry(level).or_insert(at);
                *last = at.max(*last);
            }
            Entry::Action {
                id,
                rule,
                verb,
                step: ActionStep::Intended { plan, ground, looks },
            } => {
                let (plan, ground, looks) = (plan.clone(), ground.clone(), looks.clone());
                let intent = Intent { plan, ground, looks, at, by: header.writer.clone() };
                self.intend(id, OpenAction { verb: *verb, rule: rule.clone(), intent })?;
            }
            Entry::Action { id, rule, verb, step: ActionStep::Ended { result, .. } } => {
                let (verb, result) = (*verb, *result);
                let action = PastAction { verb, rule: rule.clone(), at, result, intent: None };
                self.end_action(id, action)?;
            }
            Entry::Exempted { id, until, reason, by } => {
                let (reason, by) = (reason.clone(), by.clone());
                let exemption = Exemption { until: *until, reason, by, at };
                self.exemptions.insert(id.clone(), exemption);
            }
            Entry::ExemptionEnded { id, .. } => {
                self.exemptions.remove(id);
            }
            Entry::Claimed { accounts, until } => {
                for account in accounts {
                    self.claim(account, header, *until)?;
                }
            }
            Entry::Released { accounts } => {
                for account in accounts {
                    self.release(account, header)?;
                }
            }
            Entry::Pruned { through, digest } => {
                let before = self.pruned.map_or(0, |head| head.number);
                if *through <= before || *through >= header.number {
                    return Err(Contradiction::Pruned(*through));
                }
                self.pruned = Some(Head { number: *through, digest: *digest });
            }
        }
        Ok(())
    }

    fn known(&mut self, id: &InstanceId) -> Result<&mut Machine, Contradiction> {
        self.machines.get_mut(id).ok_or_else(|| Contradiction::UnknownMachine(id.clone()))
    }

    fn intend(&mut self, id: &InstanceId, action: OpenAction) -> Folded {
        let account = Account::of(id);
        let Intent { at, by, .. } = &action.intent;
        if self.lease(&account, *at).is_none_or(|lease| lease.holder != *by) {
            return Err(Contradiction::NoLease { account, by: by.clone() });
        }
        let machine = self.known(id)?;
        if machine.open_action.is_some() {
            return Err(Contradiction::ActionOpen(id.clone()));
        }
        machine.open_action = Some(action);
        Ok(())
    }

    fn end_action(&mut self, id: &InstanceId, mut action: PastAction) -> Folded {
        let machine = self.known(id)?;
        let (skipped, refused) =
            (action.result == ActionResult::SkippedChanged, action.result == ActionResult::Refused);
        action.intent = match machine.open_action.take() {
            // What an earlier run may have called is not undone by skipping it now.
            Some(_) if skipped => return Err(Contradiction::ActionOpen(id.clone())),
            Some(open) if open.verb == action.verb => Some(open.intent),
            Some(_) => return Err(Contradiction::ActionNotIntended(id.clone())),
            None => machine.settle(&action),
        };
        if action.intent.is_none() && !skipped && !refused {
            return Err(Contradiction::ActionNotIntended(id.clone()));
        }
        let stopped = Stopped::by(id, &action);
        machine.actions.push(action);
        machine.forget_surplus();
        self.stops.extend(stopped);
        Ok(())
    }

    fn claim(&mut self, account: &Account, header: &Header, until: DateTime<Utc>) -> Folded {
        match self.lease(account, header.at) {
            Some(lease) if lease.holder != header.writer => Err(Contradiction::Held {
                account: account.clone(),
                by: lease.holder.clone(),
                until: lease.until,
            }),
            Some(_) | None => {
                let lease = Lease { holder: header.writer.clone(), until };
                self.leases.insert(account.clone(), lease);
                Ok(())
            }
        }
    }

    fn release(&mut self, account: &Account, header: &Header) -> Folded {
        if self.leases.get(account).is_none_or(|lease| lease.holder != header.writer) {
            let (account, by) = (account.clone(), header.writer.clone());
            return Err(Contradiction::NoLease { account, by });
        }
        self.leases.remove(account);
        Ok(())
    }

    /// Until when another run than the header's, which wrote last, may still be at work.
    fn live_lease(&self, by: Option<&Writer>, header: &Header) -> Option<DateTime<Utc>> {
        let by = by.filter(|&by| *by != header.writer)?;
        let leases = self.leases.values();
        leases
            .filter(|lease| lease.holder == *by && lease.holds(header.at))
            .map(|lease| lease.until)
            .max()
    }

    /// Drops what no decision needs any more, so that the state does not grow for ever.
    fn forget(&mut self, now: DateTime<Utc>) {
        let Some(horizon) = now.checked_sub_signed(MEMORY) else { return };
        let machines = &self.machines;
        self.notices.retain(|_, notice| {
            notice.step == Step::Intended
                || notice.at >= horizon
                || notice.intent.about.iter().any(|subject| machines.contains_key(&subject.id))
        });
        // Also those without an answer: their period is over, and nobody will try again.
        self.alerts.retain(|_, alert| alert.at >= horizon);
        self.reports.retain(|_, report| report.at >= horizon);
        self.reports_made.retain(|due| *due >= horizon);
        self.stops_told.retain(|_, told| now.signed_duration_since(told.at) <= STOPS + STOPS);
        self.rates.retain(|_, frozen| frozen.at >= horizon);
        self.rearmed.retain(|_, at| *at >= horizon);
        self.exemptions.retain(|_, exemption| exemption.until >= horizon);
        self.stops.retain(|stopped| now.signed_duration_since(stopped.at) <= STOPS);
        self.runs.open.retain(|_, started| *started >= horizon);
        self.runs.begun.retain(|_, begun| begun.at >= horizon);
        if let Some(horizon) = now.checked_sub_signed(METERS) {
            self.meters.retain(|_, meter| meter.forget(horizon));
        }
    }
}

impl Machine {
    /// Takes back an unconfirmed action of which `seen` says whether it did work after all, and
    /// gives its intent.
    fn settle(&mut self, seen: &PastAction) -> Option<Intent> {
        let settles = matches!(
            seen.result,
            ActionResult::Confirmed | ActionResult::AlreadyGone | ActionResult::Refused
        );
        if !settles || self.unconfirmed()?.verb != seen.verb {
            return None;
        }
        let called = self.actions.iter().rposition(|action| action.intent.is_some())?;
        self.actions.remove(called).intent
    }
}

impl Stopped {
    fn by(id: &InstanceId, action: &PastAction) -> Option<Self> {
        let Intent { at: called, looks, .. } = action.intent.as_ref()?;
        (action.result == ActionResult::Confirmed).then(|| Self {
            id: id.clone(),
            verb: action.verb,
            called: *called,
            at: action.at,
            looks: looks.clone(),
        })
    }
}

/// One step of a message. An acceptance is final; an answer needs an intent; an intent may replace
/// anything but an acceptance and the open intent of a run that is still at work.
fn advance<K: Ord + ToString, I: Clone>(
    messages: &mut BTreeMap<K, Message<I>>,
    key: K,
    sending: &Sending<I>,
    header: &Header,
    live: Option<DateTime<Utc>>,
) -> Folded {
    let before = messages.get_mut(&key);
    if before.as_ref().is_some_and(|message| message.step == Step::Accepted) {
        return Err(Contradiction::AlreadyAccepted(key.to_string()));
    }
    match (sending, before, live) {
        (Sending::Intended(_), Some(Message { step: Step::Intended, by, .. }), Some(until)) => {
            return Err(Contradiction::InFlight { key: key.to_string(), by: by.clone(), until });
        }
        (Sending::Intended(intent), ..) => {
            let (intent, by) = (intent.clone(), header.writer.clone());
            messages.insert(key, Message { intent, by, step: Step::Intended, at: header.at });
        }
        (answer, Some(message), _) if message.step == Step::Intended => {
            message.step = Step::of(answer);
            message.at = header.at;
        }
        (_, Some(_) | None, _) => return Err(Contradiction::NotIntended(key.to_string())),
    }
    Ok(())
}
