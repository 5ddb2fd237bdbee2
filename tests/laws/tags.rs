//! Laws of tags: they come through letter for letter, and none is told apart from not known.

use reaper_model::{Ignorance, Instance};

use crate::rig::{Machine, Pair, Rig};
use crate::stage::Stage;

/// Keys that differ in case only, other scripts, marks of markup, separators inside the value.
pub(crate) const TAGS: [Pair; 4] = [
    ("owner", "zoë"),
    ("Owner", "日本 ☕"),
    ("project", "größe <b>&amp;</b> \"x\""),
    ("note", "a=b:c"),
];
/// The same key twice.
const EQUAL_KEYS: [Pair; 2] = [("owner", "alice"), ("owner", "bob")];

/// These tags and no others.
#[track_caller]
pub(crate) fn carries(machine: &Instance, expected: &[Pair]) {
    let tags = machine.tags.value().expect("tags");
    let mut found: Vec<(&str, &str)> = tags
        .iter()
        .map(|tag| (tag.key.as_str(), tag.value.as_deref().unwrap_or_default()))
        .collect();
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// Whatever people write into tags comes through.
pub(crate) async fn unicode(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::tagged(0, &TAGS), Machine::plain(1)]).await;
    let reading = stage.list().await.whole();
    carries(reading.machine(&rig.id(0)), &TAGS);
    assert_eq!(
        reading.machine(&rig.id(0)).tags.value().map(|it| it.matching("owner").count()),
        Some(2)
    );
}

/// A machine without tags is known to have none.
pub(crate) async fn none(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::tagged(0, &TAGS), Machine::plain(1)]).await;
    let reading = stage.list().await.whole();
    let tags = &reading.machine(&rig.id(1)).tags;
    assert!(tags.gap().is_none(), "{tags:?}");
    assert!(tags.value().is_none_or(reaper_model::Tags::is_empty), "{tags:?}");
}

/// Two tags of one key are two tags.
pub(crate) async fn equal_keys(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::tagged(0, &EQUAL_KEYS)]).await;
    let reading = stage.list().await.whole();
    carries(reading.machine(&rig.id(0)), &EQUAL_KEYS);
}

/// Where a cloud has no tags on machines, that is not the same as a machine without tags.
pub(crate) async fn not_offered(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[Machine::plain(0)]).await;
    let reading = stage.list().await.whole();
    let gap = reading.machines[0].tags.gap().expect("nobody can know");
    assert_eq!(gap.kind, Ignorance::NotOffered);
}
