//! Laws of listings: nothing is lost between two pages, and what broke off never looks whole.

use std::collections::BTreeSet;

use reaper_provider::ErrorKind;
use reaper_simcloud::{Effect, Fault};

use crate::rig::{Paged, Rig, at_listing, fleet};
use crate::stage::{Reading, Stage};

/// More than one page, and no round number of them.
const MACHINES: usize = 23;
/// The smallest page that every provider allows.
const PAGE: u32 = 5;

async fn in_pages(rig: &'static dyn Rig) -> Stage {
    let mut stage = Stage::with(rig, &fleet(MACHINES)).await;
    stage.settings.limits.page_size = Some(PAGE);
    stage
}

fn paged(rig: &'static dyn Rig) -> &'static dyn Paged {
    rig.paged().expect("the gate lets only these in")
}

#[track_caller]
fn each_once(rig: &dyn Rig, reading: Reading) {
    let reading = reading.whole();
    let expected: Vec<String> = (0..MACHINES).map(|number| rig.id(number)).collect();
    assert_eq!(reading.ids(), expected);
    for machine in &reading.machines {
        assert_eq!(machine.id.provider.as_str(), rig.descriptor().name);
        assert_eq!(machine.id.account.as_str(), rig.account());
    }
}

/// All machines, each once, whether they come in one answer or in several.
pub(crate) async fn complete(rig: &'static dyn Rig) {
    let stage = in_pages(rig).await;
    let reading = stage.list().await;
    assert_eq!(reading.pages.iter().sum::<usize>(), MACHINES, "progress is told truly");
    each_once(rig, reading);
    let expected = if rig.paged().is_some() { MACHINES.div_ceil(PAGE as usize) } else { 1 };
    assert_eq!(stage.cloud.requests().of(rig.listing()).len(), expected);
}

/// An empty page is not the end.
pub(crate) async fn empty_page(rig: &'static dyn Rig) {
    let stage = in_pages(rig).await;
    paged(rig).empty_page(&mut stage.cloud.world());
    each_once(rig, stage.list().await);
}

/// A listing that comes back to where it was ends, and is not taken for whole.
pub(crate) async fn circle(rig: &'static dyn Rig) {
    let stage = in_pages(rig).await;
    paged(rig).circle(&mut stage.cloud.world());
    let reading = stage.list().await;
    assert_eq!(*reading.broken(), ErrorKind::Inconsistent);
    let distinct: BTreeSet<String> = reading.ids().into_iter().collect();
    assert_eq!(distinct.len(), reading.machines.len(), "each once");
    assert!(!distinct.is_empty(), "what was read is kept");
    assert!(stage.cloud.requests().of(rig.listing()).len() <= 4);
}

/// A page that fails keeps the pages before it.
pub(crate) async fn failed_page(rig: &'static dyn Rig) {
    let stage = in_pages(rig).await;
    stage.cloud.add_fault(at_listing(rig, Fault::always(gateway()).nth(3)));
    let reading = stage.list().await;
    assert_eq!(*reading.broken(), ErrorKind::ServerFault);
    assert_eq!(reading.pages, [PAGE as usize; 2]);
    assert_eq!(reading.machines.len(), 2 * PAGE as usize);
}

/// A listing that fails at once is an error and no empty account.
pub(crate) async fn failed_listing(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &fleet(3)).await;
    stage.at_listing(gateway());
    let reading = stage.list().await;
    assert_eq!(*reading.broken(), ErrorKind::ServerFault);
    assert!(reading.machines.is_empty());
}

/// An account without machines is whole and empty.
pub(crate) async fn empty_account(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[]).await;
    let reading = stage.list().await.whole();
    assert!(reading.machines.is_empty());
    assert_eq!(reading.warnings, []);
}

fn gateway() -> Effect {
    let body = "<html><body>Bad gateway</body></html>".to_owned();
    Effect::Answer { status: 502, body, content_type: "text/html".to_owned() }
}
