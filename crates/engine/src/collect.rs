//! Collecting: who the credentials are, what to list, and all listings side by side. Whatever
//! breaks off a listing, what was read until then is kept and called partial.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_model::document::Warning;
use reaper_model::{AccountName, Instance, InstanceId, Listing, Location, Scope, Step};
use reaper_provider::{
    CallContext, Consents, ErrorKind, Identity, InstanceListing, Provider, ProviderError,
    RequestCounter, Sink, SkippedLocation,
};
use tokio::time::Instant;

use crate::side_by_side::side_by_side;
use crate::watch::Watch;

/// One configured account with its adapter.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its name in the configuration.
    pub name: AccountName,
    /// The adapter, opened with the account's settings.
    pub provider: Arc<dyn Provider>,
    /// The pin: what the provider must call the account.
    pub expect_account: Option<String>,
    /// What its owner has agreed to.
    pub consents: Consents,
}

/// Told how collecting goes on; for progress bars.
pub trait Progress: Send + Sync {
    /// So many scopes will be read in all.
    fn scopes(&self, total: usize);
    /// Further machines were read.
    fn machines(&self, more: usize);
    /// One scope is done.
    fn scope_done(&self);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn scopes(&self, _total: usize) {}
    fn machines(&self, _more: usize) {}
    fn scope_done(&self) {}
}

/// What reading one scope gave.
#[derive(Debug)]
pub struct ScopeRead {
    /// The scope.
    pub scope: Scope,
    /// Its machines, or why not all. Assessing takes the machines out.
    pub listing: InstanceListing,
    /// How many machines it gave, without doubles.
    pub machines: usize,
    /// Whether it covers all places of its account at once; machines then say where they are.
    pub covers_all: bool,
    /// Whether there was time to ask at all.
    pub begun: bool,
    /// What the adapter wants a reader to know besides.
    pub warnings: Vec<Warning>,
    /// Requests sent, retries included.
    pub requests: u32,
    /// Wall time.
    pub took: Duration,
}

/// An account that could not be read at all.
#[derive(Debug)]
pub struct AccountFailure {
    /// Its name in the configuration.
    pub account: AccountName,
    /// The cloud.
    pub provider: reaper_model::ProviderName,
    /// The account that the credentials turned out to be, where that is known.
    pub identity: Option<Identity>,
    /// What failed.
    pub error: ProviderError,
    /// Requests sent.
    pub requests: u32,
}

/// An account whose credentials are those of another account than its pin says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAccount {
    /// Its name in the configuration.
    pub account: AccountName,
    /// The cloud.
    pub provider: reaper_model::ProviderName,
    /// The pin.
    pub expected: String,
    /// Who the credentials are.
    pub found: Identity,
}

/// Everything that was read, and what was not.
#[derive(Debug, Default)]
pub struct Inventory {
    /// Every scope that was listed, in the order of accounts and locations.
    pub scopes: Vec<ScopeRead>,
    /// Accounts that could not be read at all.
    pub failures: Vec<AccountFailure>,
    /// Who the credentials of each account that was listed are.
    pub identities: BTreeMap<AccountName, Identity>,
    /// Pins that do not fit. With one of them nothing at all was listed.
    pub wrong_accounts: Vec<WrongAccount>,
    /// Locations left out on purpose, by scope.
    pub skipped: Vec<(Scope, String)>,
    /// Open locations that a fixed list leaves out, by account.
    pub uncovered: BTreeMap<AccountName, Vec<Location>>,
    /// What adapters say of their coverage besides, by account.
    pub coverage_notes: Vec<(AccountName, String)>,
    /// Machines that came through two accounts; counted for the first of them.
    pub doubled: BTreeMap<InstanceId, [AccountName; 2]>,
}

impl Inventory {
    /// Whether every account and scope was read to the end, so that what is not there is nowhere.
    pub fn is_whole(&self) -> bool {
        self.failures.is_empty()
            && self.wrong_accounts.is_empty()
            && self.scopes.iter().all(|read| read.listing.error().is_none())
    }

    /// Accounts for which no credentials were found: a mistake of the configuration, so that
    /// nothing is listed anywhere.
    pub fn without_credentials(&self) -> impl Iterator<Item = &AccountFailure> {
        self.failures.iter().filter(|failure| failure.error.kind == ErrorKind::NoCredentials)
    }
}

/// An account that is ready to be listed.
struct Ready {
    account: Account,
    identity: Arc<Identity>,
    locations: Vec<Location>,
    skipped: Vec<SkippedLocation>,
    uncovered: Vec<Location>,
    notes: Vec<String>,
}

enum Greeting {
    Ready(Ready),
    Wrong(WrongAccount),
    Failed(AccountFailure),
}

/// Who the credentials are and what there is to list: the inventory before any listing.
pub struct Greeted {
    inventory: Inventory,
    ready: Vec<Ready>,
}

impl Greeted {
    /// The accounts that logged in and are the ones that their pins name.
    pub fn identities(&self) -> impl Iterator<Item = (&Account, &Identity)> {
        self.ready.iter().map(|ready| (&ready.account, ready.identity.as_ref()))
    }

    /// What is known of accounts that will not be listed.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Whether nothing may be listed: a pin does not fit, or credentials are missing.
    pub fn is_refused(&self) -> bool {
        !self.inventory.wrong_accounts.is_empty()
            || self.inventory.without_credentials().next().is_some()
    }
}

/// Reads all accounts. Credentials are looked for and pins are compared before anything is listed
/// anywhere.
pub async fn collect(
    accounts: &[Account],
    watch: &Watch,
    now: DateTime<Utc>,
    progress: &Arc<dyn Progress>,
) -> Inventory {
    list(meet(accounts, watch, now).await, watch, now, progress, |_| None).await
}

/// Logs in everywhere, side by side, and compares the pins.
pub async fn meet(accounts: &[Account], watch: &Watch, now: DateTime<Utc>) -> Greeted {
    let mut inventory = Inventory::default();
    let mut ready = Vec::new();
    for greeting in greet_all(accounts, watch, now).await {
        match greeting {
            Greeting::Ready(account) => ready.push(account),
            Greeting::Wrong(wrong) => inventory.wrong_accounts.push(wrong),
            Greeting::Failed(failure) => inventory.failures.push(failure),
        }
    }
    Greeted { inventory, ready }
}

/// Lists everything that was met. `last_read` tells when a scope was last read, if ever: those that
/// have waited longest come first, so that a time limit never cuts off the same ones for ever.
pub async fn list(
    greeted: Greeted,
    watch: &Watch,
    now: DateTime<Utc>,
    progress: &Arc<dyn Progress>,
    last_read: impl Fn(&Scope) -> Option<DateTime<Utc>>,
) -> Inventory {
    let refused = greeted.is_refused();
    let Greeted { mut inventory, ready } = greeted;
    let mut jobs = Vec::new();
    for Ready { account, identity, locations, skipped, uncovered, notes } in ready {
        let noted = notes.into_iter().map(|note| (account.name.clone(), note));
        inventory.coverage_notes.extend(noted);
        inventory.identities.insert(account.name.clone(), Identity::clone(&identity));
        let scope = |location| Scope {
            account: account.name.clone(),
            provider: account.provider.name(),
            provider_account: identity.account.clone(),
            location,
        };
        for SkippedLocation { location, why } in skipped {
            inventory.skipped.push((scope(location), why));
        }
        if refused {
            let why = "not listed: another account is not the one that its pin names";
            let unread = locations.into_iter().map(|location| (scope(location), why.to_owned()));
            inventory.skipped.extend(unread);
            continue;
        }
        if !uncovered.is_empty() {
            inventory.uncovered.insert(account.name.clone(), uncovered);
        }
        jobs.extend(locations.into_iter().map(|location| Job {
            provider: Arc::clone(&account.provider),
            identity: Arc::clone(&identity),
            scope: scope(location),
        }));
    }
    progress.scopes(jobs.len());
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&place| jobs.get(place).and_then(|job: &Job| last_read(&job.scope)));
    let reads = list_all(in_order(jobs, &order), watch, now, progress).await;
    // Back in the order of accounts and locations, whatever was read first.
    let mut reads: Vec<(usize, ScopeRead)> = order.into_iter().zip(reads).collect();
    reads.sort_by_key(|(place, _)| *place);
    for (_, read) in reads {
        match read.listing {
            // The place exists and has nothing for this account: not a failure.
            Listing::Failed(error) if error.kind == ErrorKind::NotEnabled => {
                inventory.skipped.push((read.scope, error.to_string()));
            }
            _ => inventory.scopes.push(read),
        }
    }
    drop_doubles(&mut inventory);
    fail_accounts_without_any_place(&mut inventory);
    inventory
}

/// An account of which not one place has the product is not empty: the address is a wrong one, or
/// the account may not use it.
fn fail_accounts_without_any_place(inventory: &mut Inventory) {
    let listed: BTreeSet<AccountName> =
        inventory.scopes.iter().map(|read| read.scope.account.clone()).collect();
    let mut nowhere: BTreeMap<AccountName, (Scope, String)> = BTreeMap::new();
    if inventory.wrong_accounts.is_empty() {
        for (scope, why) in inventory.skipped.iter().filter(|(s, _)| !listed.contains(&s.account)) {
            nowhere.entry(scope.account.clone()).or_insert((scope.clone(), why.clone()));
        }
    }
    for (account, (scope, why)) in nowhere {
        let detail = format!("not one place could be listed; the first said: {why}");
        inventory.failures.push(AccountFailure {
            identity: inventory.identities.get(&account).cloned(),
            account,
            provider: scope.provider,
            error: ProviderError::answered(ErrorKind::NotEnabled, "listing", detail),
            requests: 0,
        });
    }
}

/// Machines of a plan that could not be read alone, or are gone, with what the provider said.
pub type Unread = BTreeMap<InstanceId, ProviderError>;

/// Reads the machines of a plan's steps, each alone, as an inventory that holds nothing else.
pub async fn alone(
    greeted: Greeted,
    steps: &[Step],
    watch: &Watch,
    now: DateTime<Utc>,
) -> (Inventory, Unread) {
    let Greeted { mut inventory, ready } = greeted;
    let mut unread = Unread::new();
    for Ready { account, identity, .. } in ready {
        inventory.identities.insert(account.name.clone(), Identity::clone(&identity));
        let mine = steps.iter().filter(|step| step.account == account.name);
        let mut places: BTreeMap<Location, Vec<&Step>> = BTreeMap::new();
        for step in mine {
            places.entry(step.id.location.clone()).or_default().push(step);
        }
        for (location, steps) in places {
            let started = Instant::now();
            let cx = CallContext { now, requests: RequestCounter::default() };
            let (mut got, mut result) = (Vec::new(), Ok(()));
            for step in steps {
                let reading = account.provider.read(&cx, &identity, &step.id);
                match watch.within("reading it again", reading).await.unwrap_or_else(Err) {
                    Ok(machine) => got.push(machine),
                    Err(error) => {
                        unread.insert(step.id.clone(), error.clone());
                        if error.kind != ErrorKind::NotFound {
                            result = Err(error);
                        }
                    }
                }
            }
            let scope = Scope {
                account: account.name.clone(),
                provider: account.provider.name(),
                provider_account: identity.account.clone(),
                location,
            };
            let machines = got.len();
            inventory.scopes.push(ScopeRead {
                scope,
                listing: Listing::ended(got, result),
                machines,
                covers_all: false,
                begun: true,
                warnings: Vec::new(),
                requests: cx.requests.sent(),
                took: started.elapsed(),
            });
        }
    }
    (inventory, unread)
}

fn in_order(jobs: Vec<Job>, order: &[usize]) -> Vec<Job> {
    let mut jobs: Vec<Option<Job>> = jobs.into_iter().map(Some).collect();
    order.iter().filter_map(|&place| jobs.get_mut(place).and_then(Option::take)).collect()
}

async fn greet_all(accounts: &[Account], watch: &Watch, now: DateTime<Utc>) -> Vec<Greeting> {
    side_by_side(accounts.to_vec(), watch.scopes_at_once(), |account| {
        let watch = watch.clone();
        async move {
            let cx = CallContext { now, requests: RequestCounter::default() };
            let greeting = watch.within("login", greet(account.clone(), &cx)).await;
            greeting.unwrap_or_else(|error| {
                Greeting::Failed(AccountFailure {
                    provider: account.provider.name(),
                    account: account.name,
                    identity: None,
                    error,
                    requests: cx.requests.sent(),
                })
            })
        }
    })
    .await
}

/// Identity first, then the pin, then the locations.
async fn greet(account: Account, cx: &CallContext) -> Greeting {
    let failure = |identity: Option<Identity>, error: ProviderError| {
        Greeting::Failed(AccountFailure {
            account: account.name.clone(),
            provider: account.provider.name(),
            identity,
            error,
            requests: cx.requests.sent(),
        })
    };
    let identity = match account.provider.identity(cx).await {
        Ok(identity) => identity,
        Err(error) => return failure(None, error),
    };
    if let Some(expected) = account.expect_account.as_deref()
        && expected != identity.account.as_str()
    {
        return Greeting::Wrong(WrongAccount {
            account: account.name.clone(),
            provider: account.provider.name(),
            expected: expected.to_owned(),
            found: identity,
        });
    }
    match account.provider.coverage(cx).await {
        Ok(coverage) => Greeting::Ready(Ready {
            account,
            identity: Arc::new(identity),
            locations: coverage.locations,
            skipped: coverage.skipped,
            uncovered: coverage.uncovered,
            notes: coverage.notes,
        }),
        Err(error) => failure(Some(identity), error),
    }
}

/// One scope to be listed.
struct Job {
    provider: Arc<dyn Provider>,
    identity: Arc<Identity>,
    scope: Scope,
}

async fn list_all(
    jobs: Vec<Job>,
    watch: &Watch,
    now: DateTime<Utc>,
    progress: &Arc<dyn Progress>,
) -> Vec<ScopeRead> {
    side_by_side(jobs, watch.scopes_at_once(), |job| {
        let (progress, watch) = (Arc::clone(progress), watch.clone());
        async move {
            let read = list_scope(job, &watch, now, progress.as_ref()).await;
            progress.scope_done();
            read
        }
    })
    .await
}

async fn list_scope(
    job: Job,
    watch: &Watch,
    now: DateTime<Utc>,
    progress: &dyn Progress,
) -> ScopeRead {
    let Job { provider, identity, scope } = job;
    let started = Instant::now();
    let cx = CallContext { now, requests: RequestCounter::default() };
    let tell = |more| progress.machines(more);
    let mut sink = Sink::new(&tell);
    let mut begun = false;
    let listing = async {
        begun = true;
        provider.list(&cx, &identity, &scope.location, &mut sink).await
    };
    let result = watch.within("listing", listing).await.unwrap_or_else(Err);
    if let Err(error) = &result {
        tracing::debug!(%scope, %error, "listing broken off");
    }
    ScopeRead {
        warnings: sink.take_warnings(),
        listing: Listing::ended(sink.into_inner(), result),
        machines: 0,
        covers_all: !provider.capabilities().scope_per_location,
        begun,
        requests: cx.requests.sent(),
        took: started.elapsed(),
        scope,
    }
}

/// Two accounts may lead to one machine (two keys of one organisation): the first one keeps it. A
/// machine on two pages of one scope is also kept once.
fn drop_doubles(inventory: &mut Inventory) {
    let mut seen: BTreeMap<InstanceId, AccountName> = BTreeMap::new();
    for read in &mut inventory.scopes {
        let account = read.scope.account.clone();
        let doubled = &mut inventory.doubled;
        let mut keep = |instance: &Instance| match seen.get(&instance.id) {
            None => {
                seen.insert(instance.id.clone(), account.clone());
                true
            }
            Some(first) => {
                if *first != account {
                    doubled.insert(instance.id.clone(), [first.clone(), account.clone()]);
                }
                false
            }
        };
        match &mut read.listing {
            Listing::Complete(got) | Listing::Partial { got, .. } => got.retain(&mut keep),
            Listing::Failed(_) => {}
        }
        read.machines = read.listing.got().len();
    }
}
