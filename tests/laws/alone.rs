//! Laws of one machine read alone, just before it is acted upon: it says what the listing says,
//! remembers nothing, and only the provider's own word means that a machine is gone.

use std::fmt::Debug;

use reaper_model::{Fact, Fingerprint, Instance, Meter, State};
use reaper_provider::{CallContext, Delivery, ErrorKind, Provider};
use reaper_simcloud::{Effect, Fault};

use crate::rig::{Machine, Oddity, Rig, fleet};
use crate::stage::Stage;
use crate::tags::TAGS;

/// A fact without its source and time: a listing and a read are different calls.
fn plain<T: Debug>(fact: &Fact<T>) -> String {
    match fact {
        Fact::Known { value, .. } => format!("{value:?}"),
        Fact::Absent { .. } => "absent".to_owned(),
        Fact::Unknown(gap) => format!("unknown, {:?}", gap.kind),
    }
}

/// Everything that a verdict, a plan or a permit may rest on.
fn evidence(machine: &Instance) -> Vec<String> {
    vec![
        machine.id.to_string(),
        plain(&machine.name),
        format!("{:?} {} {:?}", machine.state, machine.provider_state, machine.meter),
        machine.machine_type.to_string(),
        plain(&machine.gpu),
        format!("{:?}", machine.purchase.name()),
        plain(&machine.created_at),
        plain(&machine.running_since),
        plain(&machine.stopped_at),
        plain(&machine.tags),
        plain(&machine.manager),
        plain(&machine.guards),
        plain(&machine.local_storage),
        format!("{:?}", machine.stop),
        format!("{:?}", machine.attached),
        format!("{:?}", machine.unreadable),
    ]
}

/// A read and what the listing and the details say together are the same evidence.
#[track_caller]
pub(crate) fn alike(listed: &Instance, read: &Instance) {
    assert_eq!(evidence(read), evidence(listed));
    let (before, after) = (Fingerprint::of(listed, "alice"), Fingerprint::of(read, "alice"));
    assert_eq!(before, after);
    assert_eq!(before.changes(&after), [""; 0]);
}

/// Machines of a listing with what the details say besides. Of what has ended nobody asks for any.
pub(crate) async fn with_details(
    provider: &dyn Provider,
    cx: &CallContext,
    mut machines: Vec<Instance>,
) -> Vec<Instance> {
    let candidates: Vec<&Instance> =
        machines.iter().filter(|machine| machine.meter != Meter::Ended).collect();
    let Some(location) = candidates.first().map(|machine| machine.id.location.clone()) else {
        return machines;
    };
    for detail in provider.details(cx, &location, &candidates).await {
        let machine = machines.iter_mut().find(|machine| machine.id == detail.id);
        detail.merge_into(machine.expect("asked for"));
    }
    machines
}

/// Nothing seems changed that did not change, by an adapter that listed or by a new one; and to
/// read changes nothing.
pub(crate) async fn as_listed(rig: &'static dyn Rig) {
    let fleet = [
        Machine::plain(0),
        Machine::tagged(1, &TAGS),
        Machine::odd(2, Oddity::State),
        Machine::odd(3, Oddity::NewType),
        Machine::plain(4),
        Machine::plain(5),
    ];
    let stage = Stage::with(rig, &fleet).await;
    stage.cloud.edit(|world| {
        rig.hinder(world, 4);
        if let Some(protect) = rig.protection() {
            protect(world, 5);
        }
    });
    let provider = stage.open();
    let listed = stage.list_with(&*provider).await.whole().machines;
    let listed = with_details(&*provider, &stage.context(), listed).await;
    assert_eq!(listed.len(), fleet.len());
    for machine in &listed {
        let number = (0..fleet.len()).find(|&number| rig.id(number) == machine.id.native);
        let number = number.expect("one of the fleet");
        alike(machine, &stage.read_with(&*provider, number).await.expect("there"));
        alike(machine, &stage.read(number).await.expect("there"));
    }
    assert!(stage.cloud.requests().changing().is_empty());
}

/// Whoever reads twice sees what happened between, and that a machine is gone.
pub(crate) async fn nothing_remembered(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &fleet(2)).await;
    let provider = stage.open();
    stage.list_with(&*provider).await.whole();
    let first = stage.read_with(&*provider, 0).await.expect("there");
    assert_eq!(first.state, State::Running);
    stage.cloud.edit(|world| rig.hinder(world, 0));
    let second = stage.read_with(&*provider, 0).await.expect("there");
    assert_ne!(second.state, State::Running);
    let changes = Fingerprint::of(&first, "").changes(&Fingerprint::of(&second, ""));
    assert!(changes.iter().any(|change| change.starts_with("its state changed")), "{changes:?}");

    assert!(stage.cloud.edit(|world| world.remove(&rig.id(0))));
    for provider in [&provider, &stage.open()] {
        let error = stage.read_with(&**provider, 0).await.expect_err("gone");
        assert_eq!((error.kind, error.delivery), (ErrorKind::NotFound, Delivery::Answered));
        stage.read_with(&**provider, 1).await.expect("the other is there");
    }
}

/// What a gateway, a proxy or a broken answer says is no word of the provider on its machine.
pub(crate) async fn no_end_by_others(rig: &'static dyn Rig) {
    let page = |status| (status, "<html><body>Not found</body></html>", "text/html");
    for (status, body, content_type) in [
        page(200),
        page(301),
        page(400),
        page(401),
        page(403),
        page(404),
        page(410),
        page(500),
        page(502),
        (200, "", "application/json"),
        (200, "{}", "application/json"),
        (200, "null", "application/json"),
        (404, "", "application/json"),
        (404, "{}", "application/json"),
        (404, "[]", "application/json"),
    ] {
        let stage = Stage::with(rig, &fleet(1)).await;
        let (body, content_type) = (body.to_owned(), content_type.to_owned());
        let answer = Effect::Answer { status, body, content_type };
        stage.cloud.add_fault(Fault::always(answer.clone()).at(rig.reading()));
        let error = stage.read(0).await.expect_err("nothing was said of it");
        assert_ne!(error.kind, ErrorKind::NotFound, "{answer:?}");
    }
    for effect in [Effect::Hangup, Effect::Cut, Effect::Throttle { retry_after: None }] {
        let stage = Stage::with(rig, &fleet(1)).await;
        stage.cloud.add_fault(Fault::always(effect.clone()).at(rig.reading()));
        let error = stage.read(0).await.expect_err("nothing was said of it");
        assert_ne!(error.kind, ErrorKind::NotFound, "{effect:?}");
    }
}
