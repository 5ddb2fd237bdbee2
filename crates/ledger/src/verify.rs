//! The whole log, checked: every commit is there, whole, unchanged, in its place and possible after
//! those before it; every snapshot is what the commits give.
//!
//! A log whose last commits were cut off, behind the last snapshot, is a valid shorter log: against
//! that only a bucket with versioning helps.

use std::collections::BTreeSet;
use std::pin::pin;

use futures::TryStreamExt;

use crate::chain;
use crate::commit::Head;
use crate::error::Error;
use crate::snapshot::{self, Snapshot};
use crate::state::State;
use crate::store::Store;
use crate::view::View;

/// What was found in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Commits read.
    pub commits: u64,
    /// Snapshots compared.
    pub snapshots: u64,
    /// The last commit that was removed for its age, if any was.
    pub pruned: Option<Head>,
    /// The last commit.
    pub head: Head,
}

/// Checks the ledger in `store`. Writes nothing.
///
/// # Errors
///
/// The first thing that is wrong, in the order of the commits, with its number.
pub async fn verify(store: &Store) -> Result<Verified, Error> {
    match View::read(store).await {
        Ok(view) => walk(store, view.state.pruned()).await,
        Err(error @ (Error::Missing(_) | Error::Store { .. })) => Err(error),
        // A reader starts at the newest snapshot; the first trouble may lie before it. Unless the
        // beginning was removed for its age, which only a readable state would tell.
        Err(error) => match walk(store, None).await {
            Ok(_) | Err(Error::MissingCommit(1)) => Err(error),
            Err(first) => Err(first),
        },
    }
}

async fn walk(store: &Store, pruned: Option<Head>) -> Result<Verified, Error> {
    let listed = store.numbers(snapshot::FOLDER, ".json.gz", 0).await?;
    let listed: BTreeSet<u64> = listed.into_iter().collect();
    let start = pruned.unwrap_or(Head::START);
    let mut found = Verified { commits: 0, snapshots: 0, pruned, head: start };
    // Without the first commits, the oldest snapshot has to be believed.
    let mut state = pruned.is_none().then(State::default);
    let mut links = pin!(chain::after(store, start).await?);
    while let Some((commit, head)) = links.try_next().await? {
        if let Some(state) = &mut state {
            state
                .fold(&commit)
                .map_err(|source| Error::Contradiction { number: head.number, source })?;
        }
        found.commits += 1;
        found.head = head;
        if listed.contains(&head.number)
            && let Some(bytes) = store.get(&snapshot::name(head.number)).await?
        {
            let snapshot = Snapshot::decode(head.number, &bytes)?;
            if snapshot.head != head || state.as_ref().is_some_and(|state| *state != snapshot.state)
            {
                return Err(Error::SnapshotDiffers(head.number));
            }
            state = Some(snapshot.state);
            found.snapshots += 1;
        }
    }
    Ok(found)
}
