//! SIGTERM and SIGINT: the first asks a run to end cleanly, a second one ends it at once.

use reaper_engine::{Interrupt, interrupt};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::printer::alert;

/// How a process ends that a signal has ended, by the shells' convention for SIGINT.
const ENDED_BY_SIGNAL: i32 = 130;

/// From now on signals raise the interrupt that this gives. Where they cannot be caught they end
/// the process as they always do.
pub(crate) fn heed() -> Interrupt {
    let (interrupter, heard) = interrupt();
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut terminate), Ok(mut interrupted)) = signals else { return heard };
    tokio::spawn(async move {
        next(&mut terminate, &mut interrupted).await;
        alert("interrupted: nothing new is begun; a second signal ends this at once");
        interrupter.raise();
        next(&mut terminate, &mut interrupted).await;
        std::process::exit(ENDED_BY_SIGNAL);
    });
    heard
}

async fn next(terminate: &mut Signal, interrupted: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupted.recv() => {}
    }
}
