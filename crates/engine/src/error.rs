//! Why a run has no document to show.

use reaper_ledger::{Error, Held};

use crate::collect::AccountFailure;

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Accounts without credentials: a mistake of the configuration.
    #[error("{}", .0.join("\n"))]
    NoCredentials(Vec<String>),
    /// Another run is active in some of the accounts.
    #[error("another run is active: {}", held_words(.0))]
    Locked(Vec<Held>),
    /// The state could not be read or written.
    #[error(transparent)]
    State(#[from] Error),
}

fn held_words(held: &[Held]) -> String {
    let words = |held: &Held| {
        format!("run {} holds {} until {}", held.by, held.account, held.until.to_rfc3339())
    };
    held.iter().map(words).collect::<Vec<_>>().join("; ")
}

pub(crate) fn refuse_without_credentials<'a>(
    bare: impl Iterator<Item = &'a AccountFailure>,
) -> Result<(), RunError> {
    let bare: Vec<String> = bare
        .map(|failure| format!("account {:?}: {}", failure.account.as_str(), failure.error))
        .collect();
    if bare.is_empty() { Ok(()) } else { Err(RunError::NoCredentials(bare)) }
}

/// An error with its causes, one line.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
