//! The wish to end early: raised by a signal, heeded before anything new is begun.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Raises the wish. Dropping it raises nothing.
#[derive(Debug)]
pub struct Interrupter(watch::Sender<Option<Instant>>);

/// Hears the wish.
#[derive(Debug, Clone)]
pub struct Interrupt(watch::Receiver<Option<Instant>>);

/// A pair of the two.
pub fn interrupt() -> (Interrupter, Interrupt) {
    let (sender, receiver) = watch::channel(None);
    (Interrupter(sender), Interrupt(receiver))
}

impl Interrupter {
    /// From now on nothing new is begun. The first time counts.
    pub fn raise(&self) {
        self.0.send_if_modified(|raised| {
            let first = raised.is_none();
            raised.get_or_insert_with(Instant::now);
            first
        });
    }
}

impl Interrupt {
    /// One that is never raised.
    pub fn never() -> Self {
        interrupt().1
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Waits until it is raised, and tells since when it is; for ever if nobody can any more.
    pub async fn raised(&self) -> Instant {
        let mut receiver = self.0.clone();
        let raised = receiver.wait_for(Option::is_some).await.ok().and_then(|raised| *raised);
        match raised {
            Some(since) => since,
            None => std::future::pending().await,
        }
    }

    /// Goes on with work that was begun; once the wish is raised only until `grace` after that,
    /// which all work shares. `None`: broken off, and what it brought about is not known.
    pub async fn bear<T>(&self, grace: Duration, work: impl Future<Output = T>) -> Option<T> {
        let over = async { sleep_until(self.raised().await + grace).await };
        tokio::select! {
            // Who is done is done, even if the wish comes at the same moment.
            biased;
            done = work => Some(done),
            () = over => None,
        }
    }
}
