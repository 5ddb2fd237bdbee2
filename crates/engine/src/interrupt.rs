//! The wish to end early: raised by a signal, heeded before anything new is begun.

use tokio::sync::watch;

/// Raises the wish. Dropping it raises nothing.
#[derive(Debug)]
pub struct Interrupter(watch::Sender<bool>);

/// Hears the wish.
#[derive(Debug, Clone)]
pub struct Interrupt(watch::Receiver<bool>);

/// A pair of the two.
pub fn interrupt() -> (Interrupter, Interrupt) {
    let (sender, receiver) = watch::channel(false);
    (Interrupter(sender), Interrupt(receiver))
}

impl Interrupter {
    /// From now on nothing new is begun.
    pub fn raise(&self) {
        self.0.send_replace(true);
    }
}

impl Interrupt {
    /// One that is never raised.
    pub fn never() -> Self {
        interrupt().1
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is raised; for ever if nobody can any more.
    pub async fn raised(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|&raised| raised).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
