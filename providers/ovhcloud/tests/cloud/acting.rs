//! The one call that changes anything, and what comes of it.

use std::time::Duration;

use reaper_model::{Instance, Meter, State, Verb};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{Consents, Delivery, ErrorKind, Provider, ProviderError, Refusal, allowed};
use reaper_simcloud::{Effect, Fault, SimCloud};
use secrecy::SecretString;

use crate::kit::{
    PROJECT, context, list, machine, machines, open, permit, read, settings, start, world,
};

const SHELVE: &str = "publicCloudProject:apiovh:instance/shelve";

/// One machine of a world, which takes being acted upon as `more` says.
async fn one(more: &str) -> (SimCloud, OvhProvider, Instance) {
    let cloud = start(world(&machine("i", "l4-90", more))).await;
    let mut settings = settings(&cloud);
    settings.limits.attempts = 4;
    settings.limits.call = Duration::from_secs(1);
    let provider = open(&settings);
    let (mut found, ended) = list(&provider).await;
    ended.expect("a whole listing");
    let found = found.remove(0);
    (cloud, provider, found)
}

async fn stop(provider: &OvhProvider, machine: &Instance) -> Result<(), ProviderError> {
    provider.act(&context(), permit(machine, Verb::Stop)).await
}

/// The requests that would change anything, each in a line.
fn changes(cloud: &SimCloud) -> Vec<String> {
    cloud.requests().changes().iter().map(ToString::to_string).collect()
}

fn shelved_once() -> [String; 1] {
    [format!("ovhcloud {PROJECT} shelve i")]
}

#[tokio::test]
async fn shelving_is_the_one_call_and_ends_the_bill_only_at_its_end() {
    let (cloud, provider, machine) = one("act = { reads = 2 }").await;
    stop(&provider, &machine).await.expect("taken");
    let mut seen = Vec::new();
    for _ in 0..3 {
        let now = read(&provider, &machine).await.expect("there");
        seen.push((now.provider_state, now.state, now.meter));
    }
    let row = |word: &str, state, meter| (word.to_owned(), state, meter);
    assert_eq!(
        seen,
        [
            row("SHELVING", State::Stopping, Meter::Running),
            row("SHELVED", State::Stopped, Meter::StoppedFree),
            row("SHELVED_OFFLOADED", State::Stopped, Meter::StoppedFree),
        ]
    );
    assert_eq!(changes(&cloud), shelved_once());
    let requests = cloud.requests();
    let sent = requests.changing()[0];
    assert!(sent.target.ends_with("/instance/i/shelve"), "{}", sent.target);
    assert!(sent.body.is_empty());
}

#[tokio::test]
async fn machines_that_only_look_off_are_shelved_as_well() {
    for status in ["SHUTOFF", "PAUSED", "SUSPENDED"] {
        let (cloud, provider, machine) = one(&format!("status = \"{status}\"")).await;
        assert_eq!(machine.meter, Meter::StoppedBilled);
        stop(&provider, &machine).await.expect("taken");
        assert_eq!(changes(&cloud), shelved_once(), "{status}");
        let after = read(&provider, &machine).await.expect("there");
        assert_eq!(after.meter, Meter::StoppedFree);
    }
}

#[tokio::test]
async fn a_service_account_may_shelve_too() {
    let (cloud, _, machine) = one("").await;
    let mut settings = settings(&cloud);
    settings.credentials.clear();
    for (key, value) in [("client_id", "canary-client"), ("client_secret", "canary-client-secret")]
    {
        settings.credentials.insert(key.to_owned(), SecretString::from(value));
    }
    stop(&open(&settings), &machine).await.expect("taken");
    assert_eq!(changes(&cloud), shelved_once());
}

#[tokio::test]
async fn nothing_is_ever_deleted_and_no_tag_is_set() {
    let (cloud, provider, machine) = one("").await;
    assert_eq!(provider.call(Verb::Stop), Some(SHELVE));
    assert_eq!(provider.call(Verb::Terminate), None);
    assert_eq!(provider.tag_call(), None);
    let permit = permit(&machine, Verb::Terminate);
    let error = provider.act(&context(), permit).await.expect_err("never");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_052_fl_053_what_speaks_against_a_stop_gets_no_permit() {
    let objected = [
        machine("monthly", "a100-180", "monthly_since = \"720h\""),
        machine("plan", "l4-90", "plan_code = \"l4-90.yearly\""),
        machine("node", "l40s-90", "cluster = \"kube-1\""),
        machine("rescue", "l4-90", "status = \"RESCUE\""),
        machine("resize", "l4-90", "status = \"VERIFY_RESIZE\""),
        machine("broken", "l4-90", "status = \"ERROR\""),
        machine("odd", "l4-90", "status = \"HIBERNATING_DEEP\""),
    ];
    let inside = [
        machine("nvme", "h100-380", ""),
        machine("ephemeral", "h200-1920-eph", ""),
        machine("unheard-of", "q7-1", ""),
    ];
    let cloud = start(world(&(objected.concat() + &inside.concat()))).await;
    let found = machines(&cloud).await;
    let (objected, inside) = found.split_at(objected.len());
    let all = Consents { terminate: true, local_data_loss: true };
    for machine in objected {
        let refusal = allowed(machine, Verb::Stop, all).expect_err("objections");
        assert!(matches!(refusal, Refusal::Objected(_)), "{}: {refusal}", machine.id);
    }
    for machine in inside {
        let refusal = allowed(machine, Verb::Stop, Consents::default());
        assert_eq!(refusal, Err(Refusal::LocalDataLossNotAllowed), "{}", machine.id);
        assert_eq!(allowed(machine, Verb::Stop, all), Ok(()), "{}", machine.id);
    }
}

#[tokio::test]
async fn fl_042_an_answer_is_no_proof() {
    let (cloud, provider, machine) = one("act = { outcome = \"lie\" }").await;
    stop(&provider, &machine).await.expect("so it says");
    let after = read(&provider, &machine).await.expect("there");
    assert_eq!((after.state, after.meter), (State::Running, Meter::Running));
    assert_eq!(changes(&cloud), shelved_once());
}

#[tokio::test]
async fn fl_045_shelved_already_and_gone_already_have_their_own_kinds() {
    for (status, left) in [
        ("SHELVING", Meter::Running),
        ("SHELVED", Meter::StoppedFree),
        ("SHELVED_OFFLOADED", Meter::StoppedFree),
    ] {
        let (cloud, provider, machine) = one("").await;
        cloud.edit(|world| {
            world.ovhcloud.instance_mut("i").expect("there").status = status.to_owned();
        });
        let error = stop(&provider, &machine).await.expect_err("already");
        assert_eq!((error.kind, error.delivery), (ErrorKind::Conflict, Delivery::Answered));
        assert_eq!(read(&provider, &machine).await.expect("there").meter, left, "{status}");
    }
    let (cloud, provider, machine) = one("act = { outcome = \"gone\" }").await;
    let error = stop(&provider, &machine).await.expect_err("gone");
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert_eq!(read(&provider, &machine).await.expect_err("gone").kind, ErrorKind::NotFound);
    assert_eq!(changes(&cloud), shelved_once());
}

#[tokio::test]
async fn a_locked_machine_stays_as_it_is() {
    let (_cloud, provider, machine) = one("locked = true").await;
    let error = stop(&provider, &machine).await.expect_err("locked");
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert!(error.detail.contains("locked"), "{error}");
    assert_eq!(read(&provider, &machine).await.expect("there").meter, Meter::Running);
}

#[tokio::test]
async fn fl_047_looking_is_granted_and_shelving_is_not() {
    let (cloud, provider, machine) = one("").await;
    cloud.world().ovhcloud.project_mut(PROJECT).expect("there").denied =
        vec!["instance/shelve".to_owned()];
    let error = stop(&provider, &machine).await.expect_err("denied");
    assert_eq!(error.kind, ErrorKind::Denied { permission: SHELVE.to_owned() });
    assert_eq!(error.delivery, Delivery::Answered);
    assert!(error.request_id.is_some());
    read(&provider, &machine).await.expect("reading is granted");
    assert_eq!(changes(&cloud), shelved_once());
}

#[tokio::test]
async fn fl_047_a_consumer_key_without_the_rule_names_the_right_as_well() {
    let (cloud, provider, machine) = one("").await;
    let body = r#"{"errorCode":"NOT_GRANTED_CALL","message":"This call has not been granted"}"#;
    cloud.add_fault(Fault::always(answer(403, body)).at("shelve"));
    let error = stop(&provider, &machine).await.expect_err("denied");
    assert_eq!(error.kind, ErrorKind::Denied { permission: SHELVE.to_owned() });
}

fn answer(status: u16, body: &str) -> Effect {
    let content_type = "application/json".to_owned();
    Effect::Answer { status, body: body.to_owned(), content_type }
}

fn masked(status: u16) -> Effect {
    let content_type = "text/html".to_owned();
    Effect::Masked { status, body: "<html>oops</html>".to_owned(), content_type }
}

#[tokio::test]
async fn fl_046_whatever_comes_back_the_call_is_sent_once() {
    use Delivery::{Answered, MaybeSent};
    use ErrorKind::{Protocol, ServerFault, Throttled, Timeout, Unreachable};
    for (effect, kind, delivery, done) in [
        (Effect::Throttle { retry_after: Some(60) }, Throttled, Answered, false),
        (answer(500, r#"{"message":"try again in 60 s"}"#), ServerFault, Answered, false),
        (answer(302, ""), Protocol, Answered, false),
        (answer(404, "{}"), Protocol, Answered, false),
        (masked(502), ServerFault, Answered, true),
        (masked(504), ServerFault, Answered, true),
        (Effect::Silence, Timeout, MaybeSent, false),
        (Effect::Lost, Timeout, MaybeSent, true),
        (Effect::Hangup, Unreachable, MaybeSent, false),
        (Effect::Dropped, Unreachable, MaybeSent, true),
        (Effect::Cut, Unreachable, MaybeSent, true),
    ] {
        let (cloud, provider, machine) = one("").await;
        cloud.add_fault(Fault::always(effect.clone()).at("shelve"));
        let error = stop(&provider, &machine).await.expect_err("spoilt");
        assert_eq!((&error.kind, error.delivery), (&kind, delivery), "{effect:?}: {error}");
        let asked = (kind == Throttled).then_some(Duration::from_mins(1));
        assert_eq!(error.retry_after, asked, "{effect:?}");
        assert_eq!(changes(&cloud), shelved_once(), "{effect:?}");
        let after = read(&provider, &machine).await.expect("there");
        assert_eq!(after.meter == Meter::StoppedFree, done, "{effect:?}");
    }
}

#[tokio::test]
async fn without_the_servers_time_nothing_is_sent() {
    let (cloud, _, machine) = one("").await;
    let gone = r#"{"class":"Client::NotFound","message":"no"}"#;
    cloud.add_fault(Fault::always(answer(404, gone)).at("GET /auth/time"));
    let error = stop(&open(&settings(&cloud)), &machine).await.expect_err("unsigned");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Protocol, Delivery::NotSent));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn no_text_of_a_refused_call_shows_a_key() {
    let (cloud, provider, machine) = one("").await;
    let echo = r#"{"errorCode":"INVALID_KEY","message":"no: canary-app canary-consumer"}"#;
    cloud.add_fault(Fault::always(answer(403, echo)).at("shelve"));
    let error = stop(&provider, &machine).await.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
}
