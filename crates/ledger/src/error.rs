//! What can go wrong with a ledger. Every variant names the object or the commit it is about.

use std::error::Error as StdError;

use crate::fold::Contradiction;

/// A cause whose type does not matter to the caller.
pub type Cause = Box<dyn StdError + Send + Sync>;

/// A ledger could not be found, read, trusted or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The state's URL is not one.
    #[error("`{text}` is not a place for the state: {why}")]
    Address {
        /// As given.
        text: String,
        /// What is wrong, and what is expected.
        why: String,
    },
    /// The store's client could not be made: settings are missing or make no sense.
    #[error("{place}: cannot be reached")]
    Access {
        /// The store.
        place: String,
        /// What is missing or wrong.
        #[source]
        source: Cause,
    },
    /// There is no ledger, and none was to be made.
    #[error("{0}: no ledger here")]
    Missing(String),
    /// The store failed. When this is the answer to an append, the commit may or may not be in the
    /// log; the next append reads before it writes.
    #[error("{place}: cannot {doing}")]
    Store {
        /// The store.
        place: String,
        /// What was tried.
        doing: String,
        /// The store's own words.
        #[source]
        source: object_store::Error,
    },
    /// Two writers would overwrite each other here.
    #[error(
        "{0}: this store overwrites objects that were to be created only once, so two runs could \
         erase each other's records; use a store with conditional writes (If-None-Match)"
    )]
    IgnoresCreateOnly(String),
    /// An object is torn, edited or was never ours.
    #[error("{object}: {why}")]
    Unreadable {
        /// Its name.
        object: String,
        /// What is wrong with it.
        why: String,
    },
    /// A later version of this program wrote it.
    #[error("{object}: written in format {found}, this version reads up to {known}: upgrade")]
    NewerFormat {
        /// Its name.
        object: String,
        /// Its format.
        found: u32,
        /// The newest format that this version knows.
        known: u32,
    },
    /// A number in the middle is not there, or the log was cut back behind a snapshot.
    #[error("commit {0} is missing")]
    MissingCommit(u64),
    /// A commit was written after another predecessor than the one that is there.
    #[error(
        "commit {number} does not follow commit {previous}: one of the two was replaced or moved"
    )]
    BrokenChain {
        /// The commit whose link does not hold.
        number: u64,
        /// The one that it should follow.
        previous: u64,
    },
    /// A commit lies under another number than its own.
    #[error("commit {number} calls itself {says}: it was moved")]
    Misplaced {
        /// The number in its name.
        number: u64,
        /// The number in its header.
        says: u64,
    },
    /// A commit records something that can not follow from those before it.
    #[error("commit {number} contradicts what was recorded before it")]
    Contradiction {
        /// The commit; while appending, the one that was to be written.
        number: u64,
        /// What does not follow.
        #[source]
        source: Contradiction,
    },
    /// A snapshot is not the state that its commits give.
    #[error("the snapshot of commit {0} is not what the commits give; delete it to read them")]
    SnapshotDiffers(u64),
    /// Others were always faster.
    #[error("{place}: gave way to other writers {attempts} times")]
    Contended {
        /// The store.
        place: String,
        /// How often.
        attempts: u32,
    },
}
