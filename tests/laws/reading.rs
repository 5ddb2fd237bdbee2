//! Laws of reading: it changes nothing, says the same twice, knows whose account it is, and what it
//! says of itself is true.

use reaper_model::{Ignorance, StopKind};
use reaper_provider::Provider;

use crate::rig::{Machine, Oddity, Rig, fleet};
use crate::stage::{Place, Reading, Stage};

/// Everything that an audit asks of an account. Returns all that it was told, for comparison.
pub(crate) async fn audit(provider: &dyn Provider, stage: &Stage) -> String {
    let cx = stage.context();
    let identity = provider.identity(&cx).await;
    let coverage = provider.coverage(&cx).await;
    let mut told = format!("{identity:?}\n{coverage:?}\n");
    for location in coverage.map(|it| it.locations).unwrap_or_default() {
        let place = Place { account: stage.rig.account(), location: location.as_str() };
        let reading = Reading::of(provider, &cx, place).await;
        let candidates: Vec<_> = reading.machines.iter().collect();
        let details = provider.details(&cx, &location, &candidates).await;
        let prices: Vec<_> = candidates.iter().map(|machine| provider.price(machine)).collect();
        told += &format!("{reading:?}\n{details:?}\n{prices:?}\n");
    }
    let (counted, sent) = (cx.requests.sent() as usize, stage.cloud.requests().len());
    assert!(counted <= sent, "{counted} requests counted, {sent} sent");
    told
}

/// An audit sends no changing request, and counts those that it sends.
pub(crate) async fn dry(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &fleet(3)).await;
    let provider = stage.open();
    assert!(stage.cloud.requests().is_empty(), "opening sends nothing");
    let cx = stage.context();
    provider.identity(&cx).await.expect("an identity");
    for location in provider.coverage(&cx).await.expect("locations").locations {
        let place = Place { account: rig.account(), location: location.as_str() };
        let reading = Reading::of(&*provider, &cx, place).await.whole();
        let candidates: Vec<_> = reading.machines.iter().collect();
        assert_eq!(candidates.len(), 3);
        provider.details(&cx, &location, &candidates).await;
        for machine in candidates {
            provider.price(machine);
        }
    }
    let requests = stage.cloud.requests();
    assert!(requests.changing().is_empty(), "{:?}", requests.changing());
    assert_eq!(cx.requests.sent() as usize, requests.len(), "each request is counted");
}

/// The same world gives the same answers, to a new adapter and to one that has read it before.
pub(crate) async fn same_twice(rig: &'static dyn Rig) {
    let odd = [Oddity::None, Oddity::State, Oddity::NewType, Oddity::None];
    let fleet: Vec<Machine> =
        odd.into_iter().enumerate().map(|(number, oddity)| Machine::odd(number, oddity)).collect();
    let stage = Stage::with(rig, &fleet).await;
    let provider = stage.open();
    let first = audit(&*provider, &stage).await;
    assert_eq!(first, audit(&*provider, &stage).await);
    assert_eq!(first, audit(&*stage.open(), &stage).await);
}

/// The account is named as the provider names it, and without machines too.
pub(crate) async fn identity(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[]).await;
    let identity = stage.open().identity(&stage.context()).await.expect("an identity");
    assert_eq!(identity.account.as_str(), rig.account());
    assert!(!identity.login.is_empty());
}

/// A configured location that nobody knows is asked for all the same.
pub(crate) async fn new_location(rig: &'static dyn Rig) {
    let mut stage = Stage::with(rig, &[]).await;
    stage.settings.locations = vec!["xx-new-1".into(), rig.location().into()];
    let coverage = stage.open().coverage(&stage.context()).await.expect("locations");
    let mut covered: Vec<_> =
        coverage.locations.iter().map(reaper_model::Location::as_str).collect();
    covered.sort_unstable();
    assert_eq!(covered, [rig.location(), "xx-new-1"]);
}

/// What an adapter says that its cloud is able to do, a machine of it shows.
pub(crate) async fn capabilities(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &fleet(1)).await;
    let provider = stage.open();
    let able = provider.capabilities();
    let listed = provider.coverage(&stage.context()).await.expect("locations");
    assert_eq!(able.scope_per_location, rig.descriptor().location_key.is_some());
    assert_eq!(listed.locations, [rig.location().into()]);
    assert_eq!(provider.name().as_str(), rig.descriptor().name);

    let reading = stage.list_with(&*provider).await.whole();
    let machine = &reading.machines[0];
    let offered = machine.tags.gap().is_none_or(|gap| gap.kind != Ignorance::NotOffered);
    assert_eq!(able.tags, offered, "{:?}", machine.tags);
    assert_eq!(able.deallocate, machine.stop.kind == StopKind::Deallocate, "{:?}", machine.stop);
    if able.launch_times {
        assert!(machine.up_since().value().is_some(), "{:?}", machine.up_since());
    }
}
