//! Laws of changing a tag: one tag of one machine, in one call, and all others stay as they are.

use reaper_model::Instance;
use reaper_provider::{Delivery, ErrorKind, ProviderError};
use reaper_simcloud::{Change, Fault};

use crate::acting::answers;
use crate::permits::tag_permit;
use crate::rig::{Machine, Rig, fleet};
use crate::stage::Stage;
use crate::tags::{TAGS, carries};

/// The tag.
const KEEP: &str = "reaper-keep";

async fn tag(stage: &Stage, value: Option<&str>) -> Result<(), ProviderError> {
    let permit = tag_permit(&stage.id(0), KEEP, value);
    stage.open().tag(&stage.context(), permit).await
}

/// The texts of all tags as delivered, but for ours.
fn others(machine: &Instance) -> Vec<String> {
    let raw = machine.tags.value().expect("tags").raw();
    raw.into_iter().filter(|text| !text.starts_with(KEEP)).collect()
}

/// Set, changed, emptied and removed, and seen so by the next listing.
pub(crate) async fn one_tag(rig: &'static dyn Rig) {
    let [set, remove] = rig.tagging().expect("the gate lets only these in");
    let stage = Stage::with(rig, &[Machine::tagged(0, &TAGS), Machine::tagged(1, &TAGS)]).await;
    assert!(stage.open().tag_call().is_some());
    let before = stage.list().await.whole();
    let before = others(before.machine(&rig.id(0)));
    let mut calls = Vec::new();
    for value in [Some("2026-12-24"), Some("2027-01-31"), Some(""), None] {
        tag(&stage, value).await.expect("taken");
        calls.push(if value.is_some() { set } else { remove });
        let after = stage.list().await.whole();
        let tagged = after.machine(&rig.id(0));
        assert_eq!(others(tagged), before, "{value:?}");
        carries(tagged, &[&TAGS[..], &value.map_or(vec![], |value| vec![(KEEP, value)])].concat());
        carries(after.machine(&rig.id(1)), &TAGS);
    }
    let (id, changes) = (rig.id(0), stage.cloud.requests().changes());
    let made: Vec<&str> = changes.iter().map(|change| change.action.as_str()).collect();
    assert_eq!(made, calls);
    assert!(changes.iter().all(|Change { ids, .. }| ids[..] == [id.as_str()]), "{changes:?}");
}

/// A change is sent once, whatever comes back.
pub(crate) async fn sent_once(rig: &'static dyn Rig) {
    let [set, _] = rig.tagging().expect("the gate lets only these in");
    for (effect, kind, delivery, done) in answers() {
        let mut stage = Stage::with(rig, &[Machine::tagged(0, &TAGS)]).await;
        stage.settings.limits.attempts = 4;
        if kind == ErrorKind::Timeout {
            stage.settings.limits.call = crate::acting::CALL;
        }
        stage.cloud.add_fault(Fault::always(effect.clone()).at(set));
        let error = tag(&stage, Some("2026-12-24")).await.expect_err("no acceptance");
        assert_eq!((&error.kind, error.delivery), (&kind, delivery), "{effect:?}: {error}");
        assert_eq!(stage.cloud.requests().changing().len(), 1, "{effect:?}");
        let machine = stage.read(0).await.expect("there");
        let kept = machine.tags.value().and_then(|tags| tags.exact(KEEP));
        assert_eq!(kept, done.then_some("2026-12-24"), "{effect:?}");
    }
}

/// Where a tag cannot be changed, nobody is asked to.
pub(crate) async fn not_offered(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &fleet(1)).await;
    assert_eq!(stage.open().tag_call(), None);
    for value in [Some("2026-12-24"), None] {
        let error = tag(&stage, value).await.expect_err("no such call");
        assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
    }
    assert!(stage.cloud.requests().is_empty());
}
