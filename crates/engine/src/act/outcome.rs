//! How a step ended, and what that means for the run.

use reaper_model::{ActionResult, InstanceId, Step};
use reaper_provider::{ErrorKind, ProviderError, Refusal};

use crate::error::chain;

/// How one step of a plan ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acted {
    /// The machine.
    pub id: InstanceId,
    /// The result; `None` when nothing was tried.
    pub result: Option<ActionResult>,
    /// In words, for people.
    pub why: String,
    /// Whether an action that was due is not done, by the provider's or the wire's fault.
    pub failed: bool,
    /// The permission whose lack the provider named.
    pub denied: Option<String>,
}

impl Acted {
    fn new(step: &Step, result: Option<ActionResult>, why: impl Into<String>) -> Self {
        Self { id: step.id.clone(), result, why: why.into(), failed: false, denied: None }
    }

    fn failing(self) -> Self {
        Self { failed: true, ..self }
    }

    /// Not begun because the run was told to end.
    pub(super) fn interrupted(step: &Step) -> Self {
        Self::new(step, None, "not done: the run was interrupted before it").failing()
    }

    /// Not begun because the state could not be written.
    pub(super) fn unrecorded(step: &Step, error: &reaper_ledger::Error) -> Self {
        let why = format!("not done: the state could not be written ({})", chain(error));
        Self::new(step, None, why).failing()
    }

    /// Not begun because the machine could not be read again.
    pub(super) fn unread(step: &Step, error: &ProviderError) -> Self {
        Self::new(step, None, format!("not done: it could not be read again ({error})")).failing()
    }

    /// Not begun because a check said no.
    pub(super) fn skipped(step: &Step, refusal: &Refusal) -> Self {
        Self::new(step, Some(ActionResult::SkippedChanged), format!("not touched: {refusal}"))
    }

    /// Not begun because the decision of today is not the plan's.
    pub(crate) fn dropped(step: &Step, why: &str) -> Self {
        Self::new(step, Some(ActionResult::SkippedChanged), format!("not touched: {why}"))
    }

    /// Not begun because the team's hook said no.
    pub(super) fn blocked(step: &Step, why: &str) -> Self {
        Self::new(step, Some(ActionResult::Refused), format!("not touched: {why}")).failing()
    }

    /// There was nothing left to do, before any call.
    pub(super) fn already(step: &Step, why: &str) -> Self {
        Self::new(step, Some(ActionResult::AlreadyGone), why)
    }

    /// The provider said no.
    pub(super) fn refused(step: &Step, error: &ProviderError) -> Self {
        let result = Some(ActionResult::Refused);
        match &error.kind {
            ErrorKind::Denied { permission } => Self {
                denied: Some(permission.clone()),
                ..Self::new(
                    step,
                    result,
                    format!("{} denied by provider policy ({permission})", step.verb.name()),
                )
                .failing()
            },
            ErrorKind::Protected => {
                Self::new(step, result, format!("protected at provider ({error})")).failing()
            }
            _ => Self::new(step, result, format!("refused by the provider: {error}")).failing(),
        }
    }

    /// The provider said no to this call. If an earlier one may have worked, only a later read can
    /// tell how it ended.
    pub(super) fn turned_down(step: &Step, error: &ProviderError, may_have_worked: bool) -> Self {
        let refused = Self::refused(step, error);
        if !may_have_worked {
            return refused;
        }
        Self { result: Some(ActionResult::Unconfirmed), ..refused }
    }

    /// The provider said no because the machine is still on its way up.
    pub(super) fn not_yet(step: &Step, error: &ProviderError) -> Self {
        let why = format!("not yet: it will be judged next run ({error})");
        Self::new(step, Some(ActionResult::Refused), why)
    }

    /// The bill has ended, as the provider itself shows.
    pub(super) fn confirmed(step: &Step, why: impl Into<String>) -> Self {
        Self::new(step, Some(ActionResult::Confirmed), why)
    }

    /// Called and not seen to work.
    pub(super) fn unconfirmed(step: &Step, why: impl Into<String>) -> Self {
        Self::new(step, Some(ActionResult::Unconfirmed), why).failing()
    }

    /// Perhaps called: nobody waited for the answer. The next run reads the machine.
    pub(super) fn open(step: &Step, why: impl Into<String>) -> Self {
        Self::new(step, None, why).failing()
    }
}
