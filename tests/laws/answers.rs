//! Laws of odd answers: one machine's oddity is its own, and nothing odd becomes an empty list.

use reaper_model::{Instance, Meter, State};
use reaper_provider::ErrorKind;
use reaper_simcloud::Effect;

use crate::rig::{Machine, Oddity, Rig, UNHEARD_OF};
use crate::stage::{Reading, Stage};

/// How many machines each law's world has; one of them is odd.
const MACHINES: usize = 5;
/// Which.
const ODD: usize = 2;

async fn list(rig: &'static dyn Rig, oddity: Oddity) -> Reading {
    let fleet: Vec<Machine> = (0..MACHINES)
        .map(|number| match number {
            ODD => Machine::odd(number, oddity),
            _ => Machine::plain(number),
        })
        .collect();
    Stage::with(rig, &fleet).await.list().await
}

/// The odd machine of a whole listing whose other machines are as they should be.
#[track_caller]
fn odd_one(rig: &dyn Rig, reading: &Reading) -> Instance {
    assert_eq!(reading.ended, Ok(()));
    assert_eq!(reading.ids(), (0..MACHINES).map(|number| rig.id(number)).collect::<Vec<_>>());
    for number in (0..MACHINES).filter(|number| *number != ODD) {
        let machine = reading.machine(&rig.id(number));
        assert_eq!(machine.unreadable, [""; 0], "{number}");
        assert_eq!((machine.state, machine.meter), (State::Running, Meter::Running), "{number}");
        assert!(machine.gpu.value().is_some(), "{number}");
    }
    reading.machine(&rig.id(ODD)).clone()
}

/// What tells machines apart is made the same.
fn nameless(machine: &Instance) -> Instance {
    let mut machine = machine.clone();
    machine.id.native.clear();
    machine.name = machine.name.map(|_| String::new());
    machine.attached.clear();
    machine
}

/// A new state word is shown as it is, and the machine may be billed for all anybody knows.
pub(crate) async fn new_state(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::State).await;
    let odd = odd_one(rig, &reading);
    assert_eq!(odd.provider_state, UNHEARD_OF);
    assert_eq!((odd.state, odd.meter), (State::Unknown, Meter::Unknown));
    assert!(odd.meter.may_be_billed());
}

/// Fields that this version does not know change nothing.
pub(crate) async fn new_fields(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::ExtraFields).await;
    let odd = odd_one(rig, &reading);
    assert_eq!(nameless(&odd), nameless(reading.machine(&rig.id(0))));
}

/// Without its state a machine is marked, and neither running nor gone.
pub(crate) async fn missing_field(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::NoState).await;
    let odd = odd_one(rig, &reading);
    assert_eq!(odd.unreadable.len(), 1, "{:?}", odd.unreadable);
    assert_eq!((odd.state, odd.meter), (State::Unknown, Meter::Unknown));
}

/// Null in place of a list is no reason to fail, and no list is made up.
pub(crate) async fn null_lists(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::NullLists).await;
    let odd = odd_one(rig, &reading);
    assert_eq!((odd.state, odd.meter), (State::Running, Meter::Running));
    assert_eq!(odd.unreadable, [""; 0]);
    assert!(odd.tags.value().is_none_or(reaper_model::Tags::is_empty));
}

/// What is of another kind is named at its machine, and made up nowhere.
pub(crate) async fn wrong_kinds(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::WrongKinds).await;
    let odd = odd_one(rig, &reading);
    assert!(!odd.unreadable.is_empty());
    assert_eq!(odd.machine_type, reading.machine(&rig.id(0)).machine_type);
}

/// A machine that nobody can name makes the listing partial and hides no other.
pub(crate) async fn without_id(rig: &'static dyn Rig) {
    let reading = list(rig, Oddity::Nameless).await;
    assert_eq!(*reading.broken(), ErrorKind::Protocol);
    let others: Vec<String> =
        (0..MACHINES).filter(|number| *number != ODD).map(|number| rig.id(number)).collect();
    assert_eq!(reading.ids(), others);
}

/// An answer of another shape is an error and never an account without machines.
pub(crate) async fn other_shape(rig: &'static dyn Rig) {
    for (body, content_type) in [
        ("", "application/json"),
        ("7", "application/json"),
        ("\"nothing\"", "application/json"),
        ("[{\"id\": ", "application/json"),
        ("{\"message\": \"hello\"}", "application/json"),
        ("<html><body>Hello</body></html>", "text/html"),
    ] {
        let stage = Stage::with(rig, &[Machine::plain(0)]).await;
        let (body, content_type) = (body.to_owned(), content_type.to_owned());
        stage.at_listing(Effect::Answer { status: 200, body: body.clone(), content_type });
        let reading = stage.list().await;
        let kind = reading.broken();
        assert!(matches!(kind, ErrorKind::Protocol | ErrorKind::ServerFault), "{body}: {kind:?}");
        assert!(reading.machines.is_empty(), "{body}");
    }
}
