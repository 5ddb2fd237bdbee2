//! A cloud that does as the test says, and writes down every call in order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use reaper_engine::Interrupter;
use reaper_ledger::{Store, View};
use reaper_model::{
    Assets, Fact, Instance, InstanceId, Location, Price, PriceSource, ProviderName, Source,
    StopKind, Unit, Verb,
};
use reaper_provider::{
    CallContext, Capabilities, Coverage, Detail, ErrorKind, Identity, Provider, ProviderError,
    Sink, StopPermit,
};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use crate::build::{monday, money};
use crate::script::{Answer, Listings, Next};

/// One call, when it reached the cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    List(String),
    Read(String),
    /// `intended`: the ledger held an intent for the machine at that moment.
    Act {
        native: String,
        verb: Verb,
        intended: bool,
    },
}

#[derive(Default)]
struct Inner {
    account: String,
    regions: Vec<String>,
    machines: BTreeMap<InstanceId, Instance>,
    next: BTreeMap<String, VecDeque<Next>>,
    answers: BTreeMap<String, VecDeque<Answer>>,
    listings: BTreeMap<String, Listings>,
    hidden: BTreeSet<String>,
    listing_takes: Duration,
    assets: Assets,
    unpriced: bool,
    calls: Vec<(Call, Instant)>,
    raises: Option<(Call, usize)>,
    interrupter: Option<Interrupter>,
}

/// One account of it.
pub(crate) struct Cloud {
    inner: Mutex<Inner>,
    store: Store,
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cloud")
    }
}

impl Cloud {
    pub(crate) fn new(machines: Vec<Instance>, store: Store) -> Self {
        let regions: BTreeSet<String> =
            machines.iter().map(|machine| machine.id.location.to_string()).collect();
        let inner = Inner {
            account: "111122223333".to_owned(),
            regions: regions.into_iter().collect(),
            machines: machines.into_iter().map(|machine| (machine.id.clone(), machine)).collect(),
            ..Inner::default()
        };
        Self { inner: Mutex::new(inner), store }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no test thread has panicked")
    }

    pub(crate) fn edit(&self, native: &str, edit: impl FnOnce(&mut Instance)) {
        edit(self.inner().machine(native).expect("is there"));
    }

    pub(crate) fn add(&self, machine: Instance) {
        self.inner().machines.insert(machine.id.clone(), machine);
    }

    /// What there is beside machines.
    pub(crate) fn owns(&self, assets: Assets) {
        self.inner().assets = assets;
    }

    pub(crate) fn remove(&self, native: &str) {
        self.inner().machines.retain(|id, _| id.native != native);
    }

    /// The credentials are those of another account, which has no machines.
    pub(crate) fn switch_account(&self, account: &str) {
        let mut inner = self.inner();
        account.clone_into(&mut inner.account);
        inner.machines.clear();
    }

    pub(crate) fn region(&self, region: &str) {
        self.inner().regions.push(region.to_owned());
    }

    pub(crate) fn listings(&self, region: &str, listings: Option<Listings>) {
        let mut inner = self.inner();
        match listings {
            Some(listings) => inner.listings.insert(region.to_owned(), listings),
            None => inner.listings.remove(region),
        };
    }

    /// Listings leave a machine out, and reads do not.
    pub(crate) fn hide(&self, native: &str, hidden: bool) {
        let mut inner = self.inner();
        if hidden {
            inner.hidden.insert(native.to_owned());
        } else {
            inner.hidden.remove(native);
        }
    }

    pub(crate) fn listing_takes(&self, time: Duration) {
        self.inner().listing_takes = time;
    }

    pub(crate) fn without_prices(&self) {
        self.inner().unpriced = true;
    }

    /// What happens at the next reads of a machine.
    pub(crate) fn next(&self, native: &str, next: Vec<Next>) {
        self.inner().next.entry(native.to_owned()).or_default().extend(next);
    }

    /// The answers to the next stop calls for a machine; afterwards they work.
    pub(crate) fn answers(&self, native: &str, answers: Vec<Answer>) {
        self.inner().answers.entry(native.to_owned()).or_default().extend(answers);
    }

    /// Raises the wish to end when this call comes for the `nth` time (from 1) from now on.
    pub(crate) fn raise_at(&self, call: Call, nth: usize) {
        self.inner().raises = Some((call, nth));
    }

    pub(crate) fn hand_over(&self, interrupter: Interrupter) {
        self.inner().interrupter = Some(interrupter);
    }

    pub(crate) fn interrupt(&self) {
        self.inner().interrupter.as_ref().expect("a run has begun").raise();
    }

    /// What machines were on their way to, they are now.
    pub(crate) fn time_passes(&self) {
        let inner = &mut *self.inner();
        for (native, next) in std::mem::take(&mut inner.next) {
            for next in next {
                match next {
                    Next::Becomes(edit) => {
                        edit(inner.machine(&native).expect("is there"));
                    }
                    Next::Gone => inner.machines.retain(|id, _| id.native != native),
                    Next::Fails(_) | Next::Hangs => {}
                }
            }
        }
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.inner().calls.iter().map(|(call, _)| call.clone()).collect()
    }

    /// Forgets the calls so far.
    pub(crate) fn forget_calls(&self) {
        self.inner().calls.clear();
    }

    /// Which machines were acted upon, in order.
    pub(crate) fn acts(&self) -> Vec<String> {
        let act = |call| match call {
            Call::Act { native, .. } => Some(native),
            Call::List(_) | Call::Read(_) => None,
        };
        self.calls().into_iter().filter_map(act).collect()
    }

    /// When the acts came.
    pub(crate) fn act_times(&self) -> Vec<Instant> {
        let inner = self.inner();
        let acts = inner.calls.iter().filter(|(call, _)| matches!(call, Call::Act { .. }));
        acts.map(|(_, at)| *at).collect()
    }

    /// What must hold whatever a test is about: every call was intended in the ledger, and between
    /// two calls, or before the first, the machine was read alone.
    pub(crate) fn keeps_the_laws(&self) {
        let mut fresh = BTreeSet::new();
        for call in self.calls() {
            match call {
                Call::List(_) => {}
                Call::Read(native) => {
                    fresh.insert(native);
                }
                Call::Act { native, intended, .. } => {
                    assert!(intended, "{native} was called without an intent in the ledger");
                    assert!(fresh.remove(&native), "{native} was called without a fresh read");
                }
            }
        }
    }

    fn enter(&self, call: Call) {
        let mut inner = self.inner();
        if let Some((wanted, left)) = inner.raises.take() {
            let left = left - usize::from(is_like(&wanted, &call));
            if left == 0 {
                inner.interrupter.as_ref().expect("a run has begun").raise();
            } else {
                inner.raises = Some((wanted, left));
            }
        }
        inner.calls.push((call, Instant::now()));
    }
}

/// Whether a call is the one that was waited for, intended or not.
fn is_like(wanted: &Call, call: &Call) -> bool {
    match (wanted, call) {
        (Call::Act { native, .. }, Call::Act { native: other, .. }) => native == other,
        _ => wanted == call,
    }
}

pub(crate) fn act(native: &str) -> Call {
    Call::Act { native: native.to_owned(), verb: Verb::Stop, intended: true }
}

pub(crate) fn read(native: &str) -> Call {
    Call::Read(native.to_owned())
}

impl Inner {
    fn machine(&mut self, native: &str) -> Option<&mut Instance> {
        self.machines.values_mut().find(|machine| machine.id.native == native)
    }
}

#[async_trait]
impl Provider for Cloud {
    fn name(&self) -> ProviderName {
        "aws".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tags: true, launch_times: true, deallocate: true, scope_per_location: true }
    }

    async fn identity(&self, _cx: &CallContext) -> Result<Identity, ProviderError> {
        let account = self.inner().account.as_str().into();
        Ok(Identity { account, login: "tester".to_owned() })
    }

    async fn coverage(&self, _cx: &CallContext) -> Result<Coverage, ProviderError> {
        let locations = self.inner().regions.iter().map(Location::new).collect();
        Ok(Coverage { locations, ..Coverage::default() })
    }

    async fn assets(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        _location: &Location,
    ) -> Assets {
        self.inner().assets.clone()
    }

    async fn list(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        self.enter(Call::List(location.to_string()));
        let takes = self.inner().listing_takes;
        sleep(takes).await;
        let inner = self.inner();
        let mut machines: Vec<Instance> = inner
            .machines
            .values()
            .filter(|machine| machine.id.location == *location)
            .filter(|machine| !inner.hidden.contains(&machine.id.native))
            .cloned()
            .collect();
        let broken = |kind| ProviderError::answered(kind, "test:List", "as told");
        match inner.listings.get(location.as_str()) {
            None => {
                sink.page(machines);
                Ok(())
            }
            Some(Listings::BreakOff(after)) => {
                machines.truncate(*after);
                sink.page(machines);
                Err(broken(ErrorKind::ServerFault))
            }
            Some(Listings::Refused(kind)) => Err(broken(kind.clone())),
        }
    }

    async fn details(
        &self,
        _cx: &CallContext,
        _location: &Location,
        _candidates: &[&Instance],
    ) -> Vec<Detail> {
        Vec::new()
    }

    async fn read(
        &self,
        _cx: &CallContext,
        _identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        yield_now().await;
        self.enter(Call::Read(id.native.clone()));
        let next = self.inner().next.get_mut(&id.native).and_then(VecDeque::pop_front);
        match next {
            None => {}
            Some(Next::Becomes(edit)) => {
                if let Some(machine) = self.inner().machines.get_mut(id) {
                    edit(machine);
                }
            }
            Some(Next::Fails(error)) => return Err(error),
            Some(Next::Gone) => {
                self.inner().machines.remove(id);
            }
            Some(Next::Hangs) => std::future::pending().await,
        }
        yield_now().await;
        let gone = || ProviderError::answered(ErrorKind::NotFound, "test:Read", "no such machine");
        self.inner().machines.get(id).cloned().ok_or_else(gone)
    }

    fn call(&self, verb: Verb) -> Option<&'static str> {
        Some(match verb {
            Verb::Stop => "test:Stop",
            Verb::Terminate => "test:Terminate",
        })
    }

    async fn act(&self, _cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        yield_now().await;
        let (id, verb) = (permit.id(), permit.verb());
        let intended = match View::read(&self.store).await {
            Ok(view) => {
                let machine = view.state().machine(id);
                machine.is_some_and(|machine| machine.open_action.is_some())
            }
            Err(_) => false,
        };
        let native = id.native.clone();
        self.enter(Call::Act { native: native.clone(), verb, intended });
        let answer = self.inner().answers.get_mut(&native).and_then(VecDeque::pop_front);
        let Answer { says, comes, then } = answer.unwrap_or_else(|| Answer::healthy(verb));
        self.inner().next.entry(native).or_default().extend(then);
        if !comes {
            std::future::pending::<()>().await;
        }
        yield_now().await;
        says
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        if self.inner().unpriced {
            return Fact::unknown(reaper_model::Ignorance::NotOffered, "no price list");
        }
        let amount =
            if instance.stop.kind == StopKind::Terminate { "2.00 EUR" } else { "3.50 EUR" };
        let price = Price {
            money: money(amount),
            unit: Unit::Hour,
            source: PriceSource::ProviderApi,
            as_of: monday().date_naive(),
        };
        Fact::known(price, &Source::new("test"), monday())
    }
}
