//! Where a run records: the ledger, or, in a dry run, a copy of its state that nobody else sees.
//! Both take the same records through the same checks, so that a dry run decides what a real one
//! would.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_ledger::{
    Account, Claimed, Commit, Decision, Digest, Error, Header, Ledger, State, View, Writer,
};

/// The records of a run.
#[derive(Debug)]
pub enum Journal {
    /// Kept in the ledger.
    Kept(Box<Ledger>),
    /// Thought through on a copy and forgotten.
    Dry {
        /// The copy.
        state: Box<State>,
        /// The last commit that it was read from; `None` without a ledger.
        head: Option<u64>,
    },
}

impl Journal {
    /// A dry journal on what was read; on nothing where there is no ledger yet.
    pub fn dry(view: Option<&View>) -> Self {
        Self::Dry {
            state: Box::new(view.map(|view| view.state().clone()).unwrap_or_default()),
            head: view.map(|view| view.head().number),
        }
    }

    /// What is known.
    pub fn state(&self) -> &State {
        match self {
            Self::Kept(ledger) => ledger.state(),
            Self::Dry { state, .. } => state,
        }
    }

    /// The number of the last record that was read or written; `None` without a ledger.
    pub fn head(&self) -> Option<u64> {
        match self {
            Self::Kept(ledger) => Some(ledger.head().number).filter(|&number| number > 0),
            Self::Dry { head, .. } => *head,
        }
    }

    /// Whether what is recorded lasts.
    pub const fn lasts(&self) -> bool {
        matches!(self, Self::Kept(_))
    }

    /// Records what `decide` makes of the newest state, all of it or nothing.
    ///
    /// # Errors
    ///
    /// Those of [`Ledger::append`].
    pub async fn append<T>(
        &mut self,
        at: DateTime<Utc>,
        mut decide: impl FnMut(&State) -> Decision<T>,
    ) -> Result<T, Error> {
        let state = match self {
            Self::Kept(ledger) => return ledger.append(at, decide).await,
            Self::Dry { state, .. } => state,
        };
        match decide(state) {
            Decision::Leave(value) => Ok(value),
            Decision::Write(entries, value) => {
                let writer = Writer::new("dry");
                let header = Header { number: 1, previous: Digest::NONE, at, writer };
                let commit = Commit { header, entries };
                let contradiction = |source| Error::Contradiction { number: 1, source };
                // A fold that fails halfway would leave a state of no use.
                state.check(&commit).map_err(contradiction)?;
                state.fold(&commit).map_err(contradiction)?;
                Ok(value)
            }
        }
    }

    /// Keeps a document beside the log; a dry run keeps nothing.
    ///
    /// # Errors
    ///
    /// Those of [`Ledger::archive`].
    pub async fn archive(&self, at: DateTime<Utc>, json: &[u8]) -> Result<(), Error> {
        match self {
            Self::Kept(ledger) => ledger.archive(at, json).await,
            Self::Dry { .. } => Ok(()),
        }
    }

    /// Claims accounts for this run; a dry run needs no claim and disturbs nobody.
    ///
    /// # Errors
    ///
    /// Those of [`Ledger::claim`].
    pub async fn claim(
        &mut self,
        accounts: &std::collections::BTreeSet<Account>,
        at: DateTime<Utc>,
        lease: TimeDelta,
    ) -> Result<Claimed, Error> {
        match self {
            Self::Kept(ledger) => ledger.claim(accounts, at, lease).await,
            Self::Dry { .. } => Ok(Claimed::Until(at)),
        }
    }

    /// Gives the claims back and tidies the log.
    ///
    /// # Errors
    ///
    /// Those of [`Ledger::release`] and [`Ledger::compact`].
    pub async fn close(&mut self, at: DateTime<Utc>) -> Result<(), Error> {
        if let Self::Kept(ledger) = self {
            ledger.release(at).await?;
            ledger.compact(at, &reaper_ledger::Policy::default()).await?;
        }
        Ok(())
    }
}
