//! The log as read: newest snapshot, then the commits after it. Reading changes nothing, so this
//! is all that a dry run gets.

use futures::{Stream, TryStreamExt, future};

use crate::chain::{self, Link};
use crate::commit::{Commit, Head};
use crate::error::Error;
use crate::snapshot::{self, Snapshot};
use crate::state::State;
use crate::store::Store;

/// A snapshot may be removed between being listed and being read, when newer ones have come; a
/// reader so unlucky starts again.
const ATTEMPTS: u32 = 3;

/// The state after some commit.
#[derive(Debug, Clone)]
pub struct View {
    pub(crate) state: State,
    pub(crate) head: Head,
    /// The newest snapshot that is known; 0 for none.
    pub(crate) snapshot: u64,
}

impl View {
    /// Before the first commit.
    pub(crate) fn empty() -> Self {
        Self { state: State::default(), head: Head::START, snapshot: 0 }
    }

    /// Reads the ledger in `store`. Writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where there is none: for a caller that may go on without a history, and
    /// must say so. Everything that is there and can not be read or trusted is another error.
    pub async fn read(store: &Store) -> Result<Self, Error> {
        for _ in 0..ATTEMPTS {
            if let Some(view) = Self::attempt(store).await? {
                return Ok(view);
            }
        }
        Err(Error::Contended { place: store.to_string(), attempts: ATTEMPTS })
    }

    /// `None` when a listed snapshot was gone.
    async fn attempt(store: &Store) -> Result<Option<Self>, Error> {
        let snapshots = store.numbers(snapshot::FOLDER, ".json.gz", 0).await?;
        let start = match snapshots.last() {
            None => Self::empty(),
            Some(&number) => match store.get(&snapshot::name(number)).await? {
                None => return Ok(None),
                Some(bytes) => {
                    let Snapshot { head, state } = Snapshot::decode(number, &bytes)?;
                    chain::anchored(store, head).await?;
                    Self { state, head, snapshot: number }
                }
            },
        };
        let folded = |mut view: Self, link| future::ready(view.fold(&link).map(|()| view));
        let view = chain::after(store, start.head).await?.try_fold(start, folded).await?;
        if view.head == Head::START {
            return Err(Error::Missing(store.to_string()));
        }
        Ok(Some(view))
    }

    /// Whether `commit` can follow; changes nothing.
    pub(crate) fn check(&self, commit: &Commit) -> Result<(), Error> {
        let number = commit.header.number;
        self.state.check(commit).map_err(|source| Error::Contradiction { number, source })
    }

    /// After an error the value is of no use; after [`View::check`] there is none.
    pub(crate) fn fold(&mut self, (commit, head): &Link) -> Result<(), Error> {
        self.state
            .fold(commit)
            .map_err(|source| Error::Contradiction { number: head.number, source })?;
        self.head = *head;
        Ok(())
    }

    /// What is known.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The last commit that was read.
    pub fn head(&self) -> Head {
        self.head
    }

    /// The commits themselves, oldest first: all since the first, or since the last that was
    /// removed for its age ([`State::pruned`]). Read as they are asked for, a few ahead: a long
    /// log takes no more memory than a short one.
    pub async fn history<'a>(
        &self,
        store: &'a Store,
    ) -> Result<impl Stream<Item = Result<Commit, Error>> + 'a, Error> {
        let from = self.state.pruned().unwrap_or(Head::START);
        Ok(chain::after(store, from).await?.map_ok(|(commit, _)| commit))
    }
}
