//! Snapshots and the end of old commits. To be called at the end of a run: an append never waits
//! for it, and when it fails nothing that was recorded is lost.

use chrono::{DateTime, TimeDelta, Utc};

use crate::chain;
use crate::commit::{self, Head};
use crate::entry::Entry;
use crate::error::Error;
use crate::ledger::{Decision, Ledger};
use crate::snapshot::{self, Snapshot};

/// The newest snapshots that are kept: one may just be in the hands of a reader.
const SNAPSHOTS_KEPT: usize = 2;

/// How much is kept for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// A snapshot after so many commits.
    pub snapshot_every: u64,
    /// Commits older than this are removed, once two snapshots hold what they said. Until then
    /// `history` shows them.
    pub keep: TimeDelta,
}

impl Default for Policy {
    /// Every 50 commits; two years.
    fn default() -> Self {
        Self { snapshot_every: 50, keep: TimeDelta::days(730) }
    }
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compacted {
    /// The commit of which a snapshot was made.
    pub snapshot: Option<u64>,
    /// Older snapshots that were removed.
    pub snapshots_removed: usize,
    /// Old commits that were removed.
    pub commits_removed: usize,
}

impl Ledger {
    /// Makes a snapshot if one is due by the policy, and then removes what the policy no longer
    /// keeps. The removal of commits is recorded before it begins, so that what is missing is
    /// known to be missing, whenever it is interrupted.
    pub async fn compact(
        &mut self,
        at: DateTime<Utc>,
        policy: &Policy,
    ) -> Result<Compacted, Error> {
        self.refresh().await?;
        let head = self.view.head;
        if head.number < self.view.snapshot.saturating_add(policy.snapshot_every.max(1)) {
            return Ok(Compacted::default());
        }
        let bytes = Snapshot { head, state: self.view.state.clone() }.encode()?;
        // One that exists already was made of the same commits by another run.
        let made = self.store.create(&snapshot::name(head.number), bytes).await?;
        self.view.snapshot = head.number;

        let snapshots = self.store.numbers(snapshot::FOLDER, ".json.gz", 0).await?;
        let (surplus, kept) = snapshots.split_at(snapshots.len().saturating_sub(SNAPSHOTS_KEPT));
        for &number in surplus {
            self.store.delete(&snapshot::name(number)).await?;
        }
        let commits_removed = match kept {
            [older, _newest] => self.prune(at, policy.keep, *older).await?,
            _ => 0,
        };
        Ok(Compacted {
            snapshot: made.then_some(head.number),
            snapshots_removed: surplus.len(),
            commits_removed,
        })
    }

    /// Removes the commits up to number `limit` that are older than `keep`.
    async fn prune(
        &mut self,
        at: DateTime<Utc>,
        keep: TimeDelta,
        limit: u64,
    ) -> Result<usize, Error> {
        let Some(horizon) = at.checked_sub_signed(keep) else { return Ok(0) };
        let before = self.view.state.pruned();
        let mut last = before.unwrap_or(Head::START);
        while last.number < limit {
            match chain::next(&self.store, last).await? {
                Some((commit, head)) if commit.header.at < horizon => last = head,
                Some(_) => break,
                None => return Err(Error::MissingCommit(last.number + 1)),
            }
        }
        self.append(at, |state| {
            if last.number <= state.pruned().map_or(0, |head| head.number) {
                return Decision::Leave(());
            }
            let entry = Entry::Pruned { through: last.number, digest: last.digest };
            Decision::Write(vec![entry], ())
        })
        .await?;
        let Some(pruned) = self.view.state.pruned() else { return Ok(0) };
        let listed = self.store.numbers(commit::FOLDER, ".json", 0).await?;
        let old = &listed[..listed.partition_point(|&number| number <= pruned.number)];
        for &number in old {
            self.store.delete(&commit::name(number)).await?;
        }
        Ok(old.len())
    }
}
