//! The right to change something at a provider, as values that nobody can make up: who holds one
//! has been through every check. Adapters take them and ask nothing.

use std::fmt;

use chrono::{DateTime, Utc};
use reaper_model::document::Verdict;
use reaper_model::{
    AccountName, Fact, Fingerprint, Instance, InstanceId, Loss, Meter, ProviderAccount,
    ProviderName, Purchase, State, Step, StopKind, Verb,
};

use crate::adapter::Identity;

/// An account whose identity is the one that the configuration pins. Nothing is changed in any
/// other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    account: AccountName,
    provider: ProviderName,
    provider_account: ProviderAccount,
}

impl Pinned {
    /// Compares the pin with what the provider says. Without a pin, or with another identity,
    /// there is no right to change anything.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotPinned`], [`Refusal::WrongAccount`].
    pub fn compare(
        account: &AccountName,
        provider: &ProviderName,
        pin: Option<&str>,
        identity: &Identity,
    ) -> Result<Self, Refusal> {
        match pin {
            None => Err(Refusal::NotPinned { account: account.clone() }),
            Some(pin) if pin != identity.account.as_str() => Err(Refusal::WrongAccount {
                expected: pin.to_owned(),
                found: identity.account.clone(),
            }),
            Some(_) => Ok(Self {
                account: account.clone(),
                provider: provider.clone(),
                provider_account: identity.account.clone(),
            }),
        }
    }

    /// The right to set (`Some`) or remove (`None`) the tag `key` on one machine of this account.
    ///
    /// # Errors
    ///
    /// [`Refusal::WrongMachine`] for a machine of another account.
    pub fn tag(
        &self,
        id: &InstanceId,
        key: &str,
        value: Option<&str>,
    ) -> Result<TagPermit, Refusal> {
        self.owns(id)?;
        Ok(TagPermit { id: id.clone(), key: key.to_owned(), value: value.map(str::to_owned) })
    }

    fn owns(&self, id: &InstanceId) -> Result<(), Refusal> {
        if id.provider == self.provider && id.account == self.provider_account {
            return Ok(());
        }
        Err(Refusal::WrongMachine { id: id.clone(), account: self.account.clone() })
    }
}

/// What an account's owner has agreed to in the configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consents {
    /// `allow_terminate`: machines whose bill only a terminate ends may be terminated.
    pub terminate: bool,
    /// `allow_local_data_loss`: a stop may erase scratch, `NVMe` or instance-store data.
    pub local_data_loss: bool,
}

/// A pinned account in a run that enforces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Armed {
    pinned: Pinned,
    consents: Consents,
}

impl Armed {
    /// Arms a pinned account. `enforces` is the whole decision of command line and configuration:
    /// whoever wishes the safer thing has won already.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotEnforcing`].
    pub fn new(pinned: Pinned, consents: Consents, enforces: bool) -> Result<Self, Refusal> {
        if enforces { Ok(Self { pinned, consents }) } else { Err(Refusal::NotEnforcing) }
    }
}

/// A machine as read just now, alone, and judged anew.
#[derive(Debug, Clone, Copy)]
pub struct Fresh<'a> {
    /// The machine.
    pub instance: &'a Instance,
    /// Its fingerprint, with the owners found now.
    pub fingerprint: &'a Fingerprint,
    /// Whether the rule on whose ground the step stands still asks for an action.
    pub asked: bool,
    /// The policy's verdict now.
    pub verdict: Verdict,
    /// Why, for people.
    pub why: &'a str,
}

/// The right to end the bill of one machine, once. Made by [`authorise`] alone and used up by the
/// call: it can be neither made up nor copied.
#[derive(Debug)]
pub struct StopPermit {
    id: InstanceId,
    verb: Verb,
}

impl StopPermit {
    /// The machine.
    pub const fn id(&self) -> &InstanceId {
        &self.id
    }

    /// What may be done to it.
    pub const fn verb(&self) -> Verb {
        self.verb
    }
}

/// The right to set or remove one tag of one machine.
#[derive(Debug)]
pub struct TagPermit {
    id: InstanceId,
    key: String,
    value: Option<String>,
}

impl TagPermit {
    /// The machine.
    pub const fn id(&self) -> &InstanceId {
        &self.id
    }

    /// The tag's key, as it is to be written.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value to set; `None` removes the tag.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }
}

/// Why there is no permit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The account has no pin.
    #[error("account `{account}` is not pinned: add its expect_account to be able to enforce")]
    NotPinned {
        /// The account.
        account: AccountName,
    },
    /// The credentials are of another account.
    #[error("expect_account is {expected:?}, the credentials are those of {found:?}")]
    WrongAccount {
        /// The pin.
        expected: String,
        /// What the provider says.
        found: ProviderAccount,
    },
    /// The run only reports.
    #[error("this run does not enforce")]
    NotEnforcing,
    /// The machine is not of this account.
    #[error("{id} does not belong to account `{account}`")]
    WrongMachine {
        /// The machine.
        id: InstanceId,
        /// The armed account.
        account: AccountName,
    },
    /// The notice period has not ended.
    #[error("its notice period runs until {0}")]
    NotDue(DateTime<Utc>),
    /// The machine is not what it was.
    #[error("changed since the listing: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// The policy judges it otherwise now.
    #[error("changed since the listing: now {} ({why})", .verdict.name())]
    Judged {
        /// The verdict.
        verdict: Verdict,
        /// Why.
        why: String,
    },
    /// Its bill is not running, or nobody can tell.
    #[error("its state {0:?} is none in which a bill could be ended")]
    State(String),
    /// Something speaks against it.
    #[error("{}", .0.join("; "))]
    Objected(Vec<String>),
    /// A stop would save nothing.
    #[error("a stop saves nothing: it is paid for either way")]
    SavesNothing,
    /// Only a terminate ends the bill and nobody agreed to that.
    #[error(
        "it cannot be stopped, only terminated, which loses the data on it: \
         allow_terminate is not set for its account"
    )]
    TerminateNotAllowed,
    /// The stop would erase disks and nobody agreed to that.
    #[error("stop would erase local disks: allow_local_data_loss is not set for its account")]
    LocalDataLossNotAllowed,
    /// The adapter makes no such call.
    #[error("no call of {provider} is used to {} a machine", .verb.name())]
    NoCall {
        /// The cloud.
        provider: ProviderName,
        /// What was wanted.
        verb: Verb,
    },
}

/// Whether an account's consents and the machine's own offer allow the verb. Asked when a plan is
/// made and again before the call.
///
/// # Errors
///
/// What speaks against it.
pub fn allowed(instance: &Instance, verb: Verb, consents: Consents) -> Result<(), Refusal> {
    let offer = &instance.stop;
    if !offer.objections.is_empty() {
        return Err(Refusal::Objected(offer.objections.clone()));
    }
    if !offer.saves {
        return Err(Refusal::SavesNothing);
    }
    if (verb == Verb::Terminate || offer.kind == StopKind::Terminate) && !consents.terminate {
        return Err(Refusal::TerminateNotAllowed);
    }
    if verb == Verb::Stop && offer.kind == StopKind::Terminate {
        let provider = instance.id.provider.clone();
        return Err(Refusal::NoCall { provider, verb });
    }
    let relaunched =
        matches!(instance.purchase, Purchase::Spot { persistent: Fact::Known { value: true, .. } });
    if verb == Verb::Terminate && relaunched {
        let why = "its persistent spot request would launch another machine: stop it instead";
        return Err(Refusal::Objected(vec![why.to_owned()]));
    }
    // What is terminated loses its disks by that word; `allow_terminate` has agreed to it.
    if verb == Verb::Stop && offer.loses.contains(&Loss::LocalDisks) && !consents.local_data_loss {
        return Err(Refusal::LocalDataLossNotAllowed);
    }
    Ok(())
}

/// The last check before a call: the account is armed, the step is due, and the machine, read just
/// now, is still the one that was planned for. Every doubt refuses.
///
/// # Errors
///
/// Why the machine is left alone.
pub fn authorise(
    armed: &Armed,
    step: &Step,
    fresh: &Fresh<'_>,
    now: DateTime<Utc>,
) -> Result<StopPermit, Refusal> {
    armed.pinned.owns(&step.id)?;
    let instance = fresh.instance;
    if instance.id != step.id || step.account != armed.pinned.account {
        let (id, account) = (instance.id.clone(), armed.pinned.account.clone());
        return Err(Refusal::WrongMachine { id, account });
    }
    if now < step.due_at || step.due_at < step.noticed_at {
        return Err(Refusal::NotDue(step.due_at.max(step.noticed_at)));
    }
    if fresh.verdict != Verdict::Orphan {
        let why = fresh.why.to_owned();
        return Err(Refusal::Judged { verdict: fresh.verdict, why });
    }
    let mut changes = step.fingerprint.changes(fresh.fingerprint);
    if !fresh.asked {
        changes.push(format!("rule {} asks for no action any more", step.rule));
    }
    if !changes.is_empty() {
        return Err(Refusal::Changed(changes));
    }
    let billed = matches!(instance.meter, Meter::Running | Meter::StoppedBilled);
    let settled = matches!(instance.state, State::Running | State::Stopped | State::Failed);
    if !billed || !settled {
        return Err(Refusal::State(instance.provider_state.clone()));
    }
    allowed(instance, step.verb, armed.consents)?;
    Ok(StopPermit { id: step.id.clone(), verb: step.verb })
}

impl fmt::Display for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {})", self.account, self.provider, self.provider_account)
    }
}
