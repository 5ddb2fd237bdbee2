//! Changes of the world that wait for a request: what people do between a listing and the read
//! after it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::wire::Call;
use crate::world::World;

/// The request that a change waits for: the next one of an operation, unless more is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    moment: Moment,
    operation: String,
    provider: Option<String>,
    id: Option<String>,
    /// Requests that match and are still to come before the one that is meant.
    skip: u64,
}

/// On which side of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// It has come and nothing was done about it.
    Before,
    /// It was carried out, and its answer not sent yet.
    After,
}

impl Trigger {
    /// When a request of this operation (or action) has come, before it is looked at.
    pub fn before(operation: &str) -> Self {
        Self::new(Moment::Before, operation)
    }

    /// When a request of this operation (or action) was carried out, before it is answered.
    pub fn after(operation: &str) -> Self {
        Self::new(Moment::After, operation)
    }

    fn new(moment: Moment, operation: &str) -> Self {
        Self { moment, operation: operation.to_owned(), provider: None, id: None, skip: 0 }
    }

    /// Only at this provider.
    #[must_use]
    pub fn of_provider(mut self, provider: &str) -> Self {
        self.provider = Some(provider.to_owned());
        self
    }

    /// Only a request that names this machine.
    #[must_use]
    pub fn naming(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    /// Only the `nth` request that matches, from 1.
    #[must_use]
    pub const fn nth(mut self, nth: u64) -> Self {
        self.skip = nth.saturating_sub(1);
        self
    }

    fn concerns(&self, moment: Moment, provider: &str, call: &Call) -> bool {
        self.moment == moment
            && call.is(&self.operation)
            && self.provider.as_deref().is_none_or(|wanted| wanted == provider)
            && self.id.as_deref().is_none_or(|wanted| call.names(wanted))
    }
}

type Change = Box<dyn FnOnce(&mut World) + Send>;

/// All changes that wait.
#[derive(Default)]
pub(crate) struct Hooks(Mutex<Vec<(Trigger, Change)>>);

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}

impl Hooks {
    pub(crate) fn add(&self, trigger: Trigger, change: Change) {
        self.waiting().push((trigger, change));
    }

    /// Carries out what waited for this.
    pub(crate) fn fire(&self, moment: Moment, provider: &str, call: &Call, world: &mut World) {
        let mut due = Vec::new();
        let mut waiting = self.waiting();
        for (mut trigger, change) in std::mem::take(&mut *waiting) {
            if !trigger.concerns(moment, provider, call) {
                waiting.push((trigger, change));
            } else if trigger.skip > 0 {
                trigger.skip -= 1;
                waiting.push((trigger, change));
            } else {
                due.push(change);
            }
        }
        // A change may panic, as tests do; the others must still be there then.
        drop(waiting);
        for change in due {
            change(world);
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<(Trigger, Change)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
