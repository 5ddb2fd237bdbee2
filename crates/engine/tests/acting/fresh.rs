//! What may have changed between the listing and the call.

use reaper_model::{ActionResult, Class, Guard, Instance, Loss, Manager, Meter, Purchase, State};
use reaper_provider::ErrorKind;

use crate::build::{id, known, machines, monday, tags, unread};
use crate::cloud::read;
use crate::house::{House, Says, results};
use crate::script::{Next, becomes, put, refuses};

type Change = (&'static str, fn(&mut Instance));

const CHANGES: [Change; 20] = [
    ("state", |machine| put(machine, State::Restarting, Meter::Running)),
    ("pending", |machine| put(machine, State::Pending, Meter::Running)),
    ("unknown state", |machine| put(machine, State::Unknown, Meter::Unknown)),
    ("meter", |machine| machine.meter = Meter::Unknown),
    ("tag", |machine| machine.tags = tags(&[("owner", "alice"), ("project", "atlas")])),
    ("owner", |machine| machine.tags = tags(&[("owner", "bob")])),
    ("tags gone", |machine| machine.tags = tags(&[])),
    ("keep tag", |machine| machine.tags = tags(&[("owner", "alice"), ("reaper-keep", "")])),
    ("tags unread", |machine| machine.tags = unread()),
    ("type", |machine| machine.machine_type = "p5.48xlarge".into()),
    ("protection", |machine| machine.guards = known(vec![Guard::Stop])),
    ("protection unread", |machine| machine.guards = unread()),
    ("manager", |machine| {
        machine.manager = known(Manager {
            kind: "autoscaling-group".to_owned(),
            name: "workers".to_owned(),
            advice: "lower its size".to_owned(),
        });
    }),
    ("manager unread", |machine| machine.manager = unread()),
    ("purchase", |machine| machine.purchase = Purchase::Spot { persistent: known(true) }),
    ("restart", |machine| machine.running_since = known(monday() + chrono::TimeDelta::days(2))),
    ("start unread", |machine| machine.running_since = unread()),
    ("objection", |machine| machine.stop.objections = vec!["it is in rescue mode".to_owned()]),
    ("loss", |machine| machine.stop.loses = vec![Loss::LocalDisks]),
    ("saving", |machine| machine.stop.saves = false),
];

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_every_change_leaves_the_machine_alone() {
    for (what, change) in CHANGES {
        let house = House::due(machines(2)).await;
        house.cloud.next("i-1", vec![becomes(change)]);
        let ran = house.run().await;
        house.cloud.keeps_the_laws();
        assert_eq!(ran.planned(), ["i-1", "i-2"], "{what}: the listing still showed it as it was");
        assert_eq!(house.cloud.acts(), ["i-2"], "{what}");
        assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged), "{what}");
        assert!(ran.why("i-1").starts_with("not touched: "), "{what}: {}", ran.why("i-1"));
        assert_eq!(results(&house.state().await, "i-1"), [ActionResult::SkippedChanged], "{what}");
        assert!(!ran.has(Class::ActionFailed), "{what}: leaving alone is no failure");
    }
}

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_what_is_down_meanwhile_is_not_called() {
    for (state, meter) in [
        (State::Stopped, Meter::StoppedFree),
        (State::Stopping, Meter::Running),
        (State::Ending, Meter::Running),
        (State::Ended, Meter::Ended),
    ] {
        let house = House::due(machines(1)).await;
        house.cloud.next("i-1", vec![becomes(move |machine| put(machine, state, meter))]);
        let ran = house.run().await;
        assert_eq!(house.cloud.acts(), [""; 0], "{state}");
        assert_eq!(ran.result("i-1"), Some(ActionResult::AlreadyGone), "{state}");
        assert_eq!(ran.why("i-1"), format!("already {state} by somebody else"));
        assert!(!ran.has(Class::ActionFailed), "{state}");
        assert_eq!(house.state().await.stops(), [], "{state}: it is not our stop");
    }
}

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_a_machine_that_is_gone_is_forgotten() {
    let house = House::due(machines(2)).await;
    house.cloud.next("i-1", vec![Next::Gone]);
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-2"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::AlreadyGone));
    assert!(!ran.has(Class::ActionFailed));
    assert_eq!(house.state().await.machine(&id("i-1")), None);
}

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_what_cannot_be_read_is_not_called() {
    let unreadable: [fn() -> Next; 3] = [
        || Next::Fails(refuses(ErrorKind::ServerFault)),
        || Next::Fails(refuses(ErrorKind::Denied { permission: "test:Read".to_owned() })),
        || Next::Hangs,
    ];
    for next in unreadable {
        let house = House::due(machines(2)).await;
        house.cloud.next("i-1", vec![next()]);
        let ran = house.run().await;
        house.cloud.keeps_the_laws();
        assert!(house.cloud.calls().contains(&read("i-1")));
        assert_eq!(house.cloud.acts(), ["i-2"]);
        assert_eq!(ran.result("i-1"), None);
        assert!(ran.why("i-1").contains("could not be read again"), "{}", ran.why("i-1"));
        assert!(ran.has(Class::ActionFailed));
    }
}

#[tokio::test(start_paused = true)]
async fn fresh_read_before_action_holds_for_a_plan_that_is_applied() {
    let mut house = House::due(machines(3)).await;
    let plan = house.dry().await.plan;
    house.wait("1h");
    house.cloud.edit("i-1", |machine| machine.tags = tags(&[("owner", "bob")]));
    house.cloud.remove("i-2");
    let ran = house.apply(plan).await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-3"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged), "{}", ran.why("i-1"));
    assert_eq!(ran.result("i-3"), Some(ActionResult::Confirmed));
    assert_eq!(ran.warnings("acted-unlisted").len(), 1, "i-2 is said to be gone");
}

#[tokio::test(start_paused = true)]
async fn an_applied_plan_never_acts_on_what_it_does_not_name() {
    let mut house = House::due(machines(2)).await;
    let mut plan = house.dry().await.plan;
    plan.steps.retain(|step| step.id.native == "i-2");
    let plan = reaper_plan::sealed(plan);
    house.wait("1h");
    house.apply(plan).await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-2"]);
}
