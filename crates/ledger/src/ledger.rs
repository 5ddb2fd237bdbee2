//! The ledger, open for writing.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use crate::chain;
use crate::commit::{self, Commit, Head, Header, Writer};
use crate::entry::{Account, Entry};
use crate::error::Error;
use crate::state::State;
use crate::store::Store;
use crate::view::View;

/// How often an append gives way before it gives up. Somebody gets through in every round, so with
/// eight equal writers this bound is met about once in half a million appends.
const MAX_ATTEMPTS: u32 = 100;

/// Whether a ledger may be begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// There must be one.
    Existing,
    /// Where there is none, the first append begins it. Say so to the people: without a history
    /// nothing is known of earlier notices and alerts.
    OrNew,
}

/// What to do, decided on a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<T> {
    /// Record these entries as one commit, then return the value. Without entries nothing is
    /// written.
    Write(Vec<Entry>, T),
    /// Record nothing and return the value.
    Leave(T),
}

/// The answer to a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// All accounts are leased to this writer.
    Until(DateTime<Utc>),
    /// Others hold some of them, and nothing was taken.
    Held(Vec<Held>),
}

/// An account that another run holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The account.
    pub account: Account,
    /// The run.
    pub by: Writer,
    /// When its lease ends by itself.
    pub until: DateTime<Utc>,
}

/// A ledger that one run writes to.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) store: Store,
    pub(crate) view: View,
    writer: Writer,
}

impl Ledger {
    /// Reads the log and makes sure that the store creates objects only once.
    ///
    /// # Errors
    ///
    /// [`Error::Missing`] where there is no ledger and [`Opening::Existing`] was asked for;
    /// [`Error::IgnoresCreateOnly`] for a store on which two runs would erase each other's records.
    pub async fn open(store: Store, writer: Writer, opening: Opening) -> Result<Self, Error> {
        let view = match View::read(&store).await {
            Err(Error::Missing(_)) if opening == Opening::OrNew => View::empty(),
            read => read?,
        };
        store.probe(&writer).await?;
        Ok(Self { store, view, writer })
    }

    /// Whether nothing was ever recorded here.
    pub fn is_new(&self) -> bool {
        self.view.head == Head::START
    }

    /// What is known, as far as this ledger has read.
    pub fn state(&self) -> &State {
        &self.view.state
    }

    /// The last commit that was read or written.
    pub fn head(&self) -> Head {
        self.view.head
    }

    /// The run that writes.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Reads what others have written since.
    pub async fn refresh(&mut self) -> Result<&State, Error> {
        self.catch_up().await?;
        Ok(&self.view.state)
    }

    /// Records what `decide` makes of the newest state, all of it or nothing, at the time `at`.
    /// When another writer was faster, `decide` is asked again on what is known then; it should
    /// follow from the state alone.
    ///
    /// Dropping the future halfway is safe: the commit is then in the log or is not, and the next
    /// append reads before it writes.
    ///
    /// # Errors
    ///
    /// [`Error::Contradiction`] when the entries can not follow, in which case nothing was written;
    /// [`Error::Store`] when the store failed, in which case the commit may have been written.
    pub async fn append<T>(
        &mut self,
        at: DateTime<Utc>,
        mut decide: impl FnMut(&State) -> Decision<T>,
    ) -> Result<T, Error> {
        self.catch_up().await?;
        for _ in 0..MAX_ATTEMPTS {
            let (entries, value) = match decide(&self.view.state) {
                Decision::Write(entries, value) if !entries.is_empty() => (entries, value),
                Decision::Write(_, value) | Decision::Leave(value) => return Ok(value),
            };
            let commit = self.next_commit(at, entries);
            let (bytes, digest) = commit.encode()?;
            let head = Head { number: commit.header.number, digest };
            self.view.check(&commit)?;
            if self.store.create(&commit::name(head.number), bytes).await? {
                self.view.fold(&(commit, head))?;
                return Ok(value);
            }
            // A commit that exists and is this very one was created by a request whose answer got
            // lost on the way.
            if self.catch_up().await?.contains(&head) {
                return Ok(value);
            }
        }
        Err(Error::Contended { place: self.store.to_string(), attempts: MAX_ATTEMPTS })
    }

    /// Takes, or renews, the leases of all `accounts` for the time `lease` from `at`, or none of
    /// them. A lease of another run is taken over only after its end.
    pub async fn claim(
        &mut self,
        accounts: &BTreeSet<Account>,
        at: DateTime<Utc>,
        lease: TimeDelta,
    ) -> Result<Claimed, Error> {
        let until = at.checked_add_signed(lease).unwrap_or(DateTime::<Utc>::MAX_UTC);
        let writer = self.writer.clone();
        self.append(at, |state| {
            let held: Vec<Held> = accounts
                .iter()
                .filter_map(|account| {
                    let lease = state.lease(account, at).filter(|lease| lease.holder != writer)?;
                    let (by, until) = (lease.holder.clone(), lease.until);
                    Some(Held { account: account.clone(), by, until })
                })
                .collect();
            if held.is_empty() {
                let entry = Entry::Claimed { accounts: accounts.clone(), until };
                Decision::Write(vec![entry], Claimed::Until(until))
            } else {
                Decision::Leave(Claimed::Held(held))
            }
        })
        .await
    }

    /// Gives back every lease of this writer; the leases of others stay untouched.
    pub async fn release(&mut self, at: DateTime<Utc>) -> Result<(), Error> {
        let writer = self.writer.clone();
        self.append(at, |state| {
            let accounts: BTreeSet<Account> = state.leased_to(&writer).cloned().collect();
            if accounts.is_empty() {
                Decision::Leave(())
            } else {
                Decision::Write(vec![Entry::Released { accounts }], ())
            }
        })
        .await
    }

    fn next_commit(&self, at: DateTime<Utc>, entries: Vec<Entry>) -> Commit {
        let Head { number, digest } = self.view.head;
        let header =
            Header { number: number + 1, previous: digest, at, writer: self.writer.clone() };
        Commit { header, entries }
    }

    /// Folds the commits after the head, and says which they were.
    async fn catch_up(&mut self) -> Result<Vec<Head>, Error> {
        let mut caught = Vec::new();
        while let Some(link) = chain::next(&self.store, self.view.head).await? {
            self.view.check(&link.0)?;
            self.view.fold(&link)?;
            caught.push(link.1);
        }
        Ok(caught)
    }
}
