//! The log of requests: what was asked, by whom, whether it changes anything, how many at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::wire::{Call, Request};

/// One request as it was seen. Headers are not kept: they carry credentials.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The provider's name, empty when no wire has that path.
    pub provider: &'static str,
    /// What was asked.
    pub call: Call,
    /// Method, path and query as sent, without the provider's prefix.
    pub target: String,
    /// The body as sent.
    pub body: Bytes,
    /// When it came, counted from the start of the server.
    pub arrived: Duration,
    /// The status it was answered with; `None` as long as it was not answered.
    pub status: Option<StatusCode>,
    /// Requests being served when it came, itself included.
    pub in_flight: usize,
    /// The same for its own provider, account and location.
    pub in_flight_in_scope: usize,
}

impl Entry {
    /// The body's pairs when it is a form, decoded, in order.
    pub fn form(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }
}

/// A request that would change something, in short: for tests that want exactly these and no others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The provider's name.
    pub provider: &'static str,
    /// The provider's account.
    pub account: String,
    /// What it does: `StopInstances`, `shelve`, `poweroff`, `terminate`, …
    pub action: String,
    /// The machines that it names.
    pub ids: Vec<String>,
}

/// As one line: `aws 111122223333 StopInstances i-0a i-0b`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.provider, self.account, self.action)?;
        self.ids.iter().try_for_each(|id| write!(f, " {id}"))
    }
}

/// What the log held at one moment, in order of arrival.
#[derive(Debug, Clone, Default)]
pub struct Requests(Vec<Entry>);

impl Requests {
    /// All of them.
    pub fn all(&self) -> &[Entry] {
        &self.0
    }

    /// How many there were.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that would change something at a provider.
    pub fn changing(&self) -> Vec<&Entry> {
        self.0.iter().filter(|entry| entry.call.changes).collect()
    }

    /// The same in short.
    pub fn changes(&self) -> Vec<Change> {
        let short = |entry: &Entry| Change {
            provider: entry.provider,
            account: entry.call.account.clone(),
            action: entry.call.action.clone(),
            ids: entry.call.ids.clone(),
        };
        self.changing().into_iter().map(short).collect()
    }

    /// Those of this operation, or that do this.
    pub fn of(&self, operation: &str) -> Vec<&Entry> {
        self.0.iter().filter(|entry| entry.call.is(operation)).collect()
    }

    /// The most requests that were being served at the same time.
    pub fn max_in_flight(&self) -> usize {
        self.0.iter().map(|entry| entry.in_flight).max().unwrap_or(0)
    }

    /// The most requests of one provider, account and location at the same time.
    pub fn max_in_flight_in_scope(&self) -> usize {
        self.0.iter().map(|entry| entry.in_flight_in_scope).max().unwrap_or(0)
    }
}

type Scope = (&'static str, String, String);

#[derive(Debug, Default)]
struct Inner {
    entries: Vec<Entry>,
    open: BTreeMap<Scope, usize>,
}

/// The log that the server writes.
#[derive(Debug)]
pub(crate) struct Log {
    started: Instant,
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
}

/// A request that is being served; dropping it ends that, answered or not.
#[derive(Debug)]
pub(crate) struct Open {
    log: Arc<Log>,
    index: usize,
    scope: Scope,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), inner: Mutex::default(), changed: watch::Sender::new(()) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Each change below is whole by itself, so a panic elsewhere leaves nothing half-written.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn arrive(
        self: &Arc<Self>,
        provider: &'static str,
        call: &Call,
        request: &Request,
    ) -> Open {
        let scope = (provider, call.account.clone(), call.location.clone());
        let separator = if request.query.is_empty() { "" } else { "?" };
        let mut inner = self.inner();
        let here = inner.open.entry(scope.clone()).or_default();
        *here += 1;
        let in_flight_in_scope = *here;
        let in_flight = inner.open.values().sum();
        let index = inner.entries.len();
        inner.entries.push(Entry {
            provider,
            call: call.clone(),
            target: format!("{} {}{separator}{}", request.method, request.path, request.query),
            body: request.body.clone(),
            arrived: self.started.elapsed(),
            status: None,
            in_flight,
            in_flight_in_scope,
        });
        drop(inner);
        self.changed.send_replace(());
        Open { log: Arc::clone(self), index, scope }
    }

    pub(crate) fn snapshot(&self) -> Requests {
        Requests(self.inner().entries.clone())
    }

    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

impl Open {
    pub(crate) fn answered(&self, status: StatusCode) {
        if let Some(entry) = self.log.inner().entries.get_mut(self.index) {
            entry.status = Some(status);
        }
        self.log.changed.send_replace(());
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(open) = self.log.inner().open.get_mut(&self.scope) {
            *open = open.saturating_sub(1);
        }
    }
}
