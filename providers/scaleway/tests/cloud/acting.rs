//! The power-off: the one call that ends a bill, sent once, and what may come of it.

use std::time::Duration;

use reaper_model::{Loss, Meter, Span, State, Verb};
use reaper_provider::{Delivery, ErrorKind};
use reaper_simcloud::scaleway::Server;
use reaper_simcloud::{Act, Effect, Fault, Outcome};

use crate::common::{Cloud, ORGANIZATION, SECRET_KEY, ZONE, context, now, permit};

const ACTION: &str = "POST /instance/v1/zones/{zone}/servers/{id}/action";

fn server(id: &str) -> Server {
    Server::new(ORGANIZATION, ZONE, id, "L4-1-24G")
}

async fn with(server: Server) -> Cloud {
    Cloud::start(|world| world.add_server(server).expect("new")).await
}

fn page(status: u16) -> Effect {
    let body = "<html>gateway</html>".to_owned();
    Effect::Answer { status, body, content_type: "text/html".to_owned() }
}

#[tokio::test]
async fn a_stop_is_one_power_off_and_nothing_else() {
    let cloud = with(server("a")).await;
    let provider = cloud.provider();
    assert_eq!(provider.call(Verb::Stop), Some("scaleway:ServerAction"));
    cloud.power_off("a").await.expect("accepted");
    let requests = cloud.requests();
    let [action] = requests.changing()[..] else { panic!("one change: {requests:?}") };
    assert_eq!(action.target, format!("POST /instance/v1/zones/{ZONE}/servers/a/action"));
    assert_eq!(&action.body[..], br#"{"action":"poweroff"}"#);
    let after = cloud.read("a").await.expect("there");
    assert_eq!((after.state, after.meter), (State::Stopped, Meter::StoppedFree));
}

#[tokio::test]
async fn fl_051_no_server_is_ever_terminated() {
    let cloud = with(server("a")).await;
    let provider = cloud.provider();
    assert_eq!(provider.call(Verb::Terminate), None);
    let permit = permit(&cloud.read("a").await.expect("there"), Verb::Terminate);
    let error = provider.act(&context(now()), permit).await.expect_err("no such call");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_050_standby_is_ended_by_a_power_off() {
    let cloud = with(server("a").state("stopped in place", "stopped in place")).await;
    let before = cloud.read("a").await.expect("there");
    assert_eq!((before.meter, before.stop.saves), (Meter::StoppedBilled, true));
    cloud.power_off("a").await.expect("accepted");
    let actions: Vec<_> = cloud.requests().changes().into_iter().map(|it| it.action).collect();
    assert_eq!(actions, ["poweroff"]);
    assert_eq!(cloud.read("a").await.expect("there").meter, Meter::StoppedFree);
}

#[tokio::test]
async fn fl_042_the_way_down_is_billed_and_an_answer_proves_nothing() {
    let cloud = with(server("a").act(Act::takes(Span::from_secs(60)))).await;
    cloud.power_off("a").await.expect("accepted");
    let under_way = cloud.read("a").await.expect("there");
    assert_eq!((under_way.state, under_way.meter), (State::Stopping, Meter::Running));

    let cloud = with(server("a").act(Act::outcome(Outcome::Lie))).await;
    cloud.power_off("a").await.expect("accepted");
    let after = cloud.read("a").await.expect("there");
    assert_eq!((after.state, after.meter), (State::Running, Meter::Running));
}

#[tokio::test]
async fn fl_039_protection_is_told_and_never_lifted() {
    let cloud = with(server("a")).await;
    let permit = permit(&cloud.read("a").await.expect("there"), Verb::Stop);
    cloud.sim.world().scaleway.server_mut("a").expect("there").protected = true;
    let error = cloud.provider().act(&context(now()), permit).await.expect_err("protected");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Protected, Delivery::Answered));
    assert_eq!(cloud.requests().changing().len(), cloud.requests().of(ACTION).len());
    assert_eq!(cloud.requests().of(ACTION).len(), 1);
}

#[tokio::test]
async fn fl_045_what_is_off_or_gone_already_is_told_apart() {
    let cases = [
        (Some("stopped"), ErrorKind::Conflict),
        (Some("stopping"), ErrorKind::Conflict),
        (None, ErrorKind::NotFound),
    ];
    for (state, kind) in cases {
        let cloud = with(server("a")).await;
        let permit = permit(&cloud.read("a").await.expect("there"), Verb::Stop);
        cloud.sim.edit(|world| match state {
            Some(state) => {
                world.scaleway.server_mut("a").expect("there").state = state.into();
            }
            None => {
                world.scaleway.remove_server("a").expect("there");
            }
        });
        let error = cloud.provider().act(&context(now()), permit).await.expect_err("too late");
        assert_eq!((error.kind, error.delivery), (kind, Delivery::Answered));
    }
}

#[tokio::test]
async fn fl_047_a_key_that_may_only_read_is_told_what_it_lacks() {
    let cloud = with(server("a")).await;
    let read_only = vec!["instance".to_owned()];
    cloud.sim.world().scaleway.organization_mut(ORGANIZATION).expect("there").read_only = read_only;
    assert_eq!(cloud.list(ZONE).await.complete().len(), 1);
    let error = cloud.power_off("a").await.expect_err("denied");
    let permission = "InstancesFullAccess".to_owned();
    assert_eq!(error.kind, ErrorKind::Denied { permission });
    let policy: serde_json::Value =
        serde_json::from_str(reaper_scaleway::DESCRIPTOR.enforce_policy).expect("JSON");
    assert_eq!(policy["rules"][0]["permission_set_names"][0], "InstancesFullAccess");
}

#[tokio::test]
async fn fl_046_a_power_off_is_sent_once_whatever_comes_back() {
    let throttled = Effect::Throttle { retry_after: Some(1) };
    for (effect, kind, delivery, off) in [
        (page(500), ErrorKind::ServerFault, Delivery::Answered, false),
        (page(503), ErrorKind::ServerFault, Delivery::Answered, false),
        (throttled, ErrorKind::Throttled, Delivery::Answered, false),
        // A page in place of a task is no acceptance.
        (page(200), ErrorKind::ServerFault, Delivery::Answered, false),
        (Effect::Hangup, ErrorKind::Unreachable, Delivery::MaybeSent, false),
        (Effect::Dropped, ErrorKind::Unreachable, Delivery::MaybeSent, true),
        (Effect::Silence, ErrorKind::Timeout, Delivery::MaybeSent, false),
        (Effect::Lost, ErrorKind::Timeout, Delivery::MaybeSent, true),
    ] {
        let mut cloud = with(server("a")).await;
        cloud.settings.limits.call = Duration::from_millis(500);
        cloud.sim.add_fault(Fault::always(effect.clone()).at(ACTION));
        let error = cloud.power_off("a").await.expect_err("no acceptance");
        assert_eq!((&error.kind, error.delivery), (&kind, delivery), "{effect:?}");
        assert_eq!(cloud.requests().of(ACTION).len(), 1, "{effect:?}");
        let asked = error.retry_after.map(|wait| wait.as_secs());
        assert_eq!(asked, (kind == ErrorKind::Throttled).then_some(1));
        assert!(!format!("{error:?} {error}").contains(SECRET_KEY));
        // Only another read tells what became of it.
        let after = cloud.read("a").await.expect("there");
        assert_eq!(after.meter == Meter::StoppedFree, off, "{effect:?}");
    }
}

#[tokio::test]
async fn fl_053_fl_055_scratch_is_lost_and_what_stays_charged_is_still_there() {
    let scratch = Server { scratch_gb: 1600, addresses: vec!["ip-1".into()], ..server("a") };
    let cloud = with(scratch).await;
    let before = cloud.read("a").await.expect("there");
    assert!(before.stop.loses.contains(&Loss::LocalDisks));
    cloud.power_off("a").await.expect("accepted");
    let after = cloud.read("a").await.expect("there");
    let attached: Vec<_> = after.attached.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(attached, ["a-root", "ip-1"]);
}
