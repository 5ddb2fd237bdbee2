//! Time limits of a run: one for each scope, one for everything, kept from the run's start; and the
//! wish to end it earlier.

use std::time::Duration;

use reaper_provider::{Delivery, ErrorKind, ProviderError};
use tokio::time::{Instant, timeout_at};

use crate::interrupt::Interrupt;

/// Time limits and bounds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For one scope, and for the closer look at its candidates.
    pub scope: Duration,
    /// For everything.
    pub run: Duration,
    /// Scopes that are read at the same time; each adapter keeps its own pace below that.
    pub scopes_at_once: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { scope: Duration::from_mins(5), run: Duration::from_mins(30), scopes_at_once: 64 }
    }
}

/// A run's limits since its start.
#[derive(Debug, Clone)]
pub struct Watch {
    limits: Limits,
    end: Instant,
    interrupt: Interrupt,
}

impl Watch {
    /// The run starts now.
    pub fn start(limits: Limits, interrupt: Interrupt) -> Self {
        Self { limits, end: Instant::now() + limits.run, interrupt }
    }

    /// When the run's time is over.
    pub(crate) fn end(&self) -> Instant {
        self.end
    }

    /// Half of the time that is left, from now.
    pub(crate) fn half_of_the_rest(&self) -> Instant {
        let now = Instant::now();
        now + self.end.saturating_duration_since(now) / 2
    }

    /// The wish to end the run earlier.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// How many scopes are read at the same time.
    pub(crate) fn scopes_at_once(&self) -> usize {
        self.limits.scopes_at_once
    }

    /// Does one piece of work within a scope's and the run's time, unless the run is told to end;
    /// the error names what ended it. Work that would only start afterwards is not begun.
    pub(crate) async fn within<T>(
        &self,
        call: &str,
        work: impl Future<Output = T>,
    ) -> Result<T, ProviderError> {
        let interrupted = |delivery| {
            let detail = "not reached: the run was interrupted";
            ProviderError::new(ErrorKind::Timeout, delivery, call, detail)
        };
        if self.interrupt.is_raised() {
            return Err(interrupted(Delivery::NotSent));
        }
        tokio::select! {
            // Who is done is done, even if the wish comes at the same moment.
            biased;
            done = self.within_time(call, work) => done,
            _since = self.interrupt.raised() => Err(interrupted(Delivery::MaybeSent)),
        }
    }

    /// The same for work that is not dropped when the run is told to end.
    pub(crate) async fn within_time<T>(
        &self,
        call: &str,
        work: impl Future<Output = T>,
    ) -> Result<T, ProviderError> {
        let now = Instant::now();
        if now >= self.end {
            return Err(self.run_is_over(call, Delivery::NotSent));
        }
        let scope_ends = now + self.limits.scope;
        timeout_at(scope_ends.min(self.end), work).await.map_err(|_elapsed| {
            if self.end <= scope_ends {
                return self.run_is_over(call, Delivery::MaybeSent);
            }
            let limit = self.limits.scope.as_secs();
            let detail = format!("the time limit of a scope passed ({limit} s, timeouts.scope)");
            ProviderError::new(ErrorKind::Timeout, Delivery::MaybeSent, call, detail)
        })
    }

    fn run_is_over(&self, call: &str, delivery: Delivery) -> ProviderError {
        let limit = self.limits.run.as_secs();
        let word = if delivery == Delivery::NotSent { "not reached: " } else { "" };
        let detail = format!(
            "{word}the time limit of the run passed ({limit} s, timeouts.run or --timeout)"
        );
        ProviderError::new(ErrorKind::Timeout, delivery, call, detail)
    }
}
