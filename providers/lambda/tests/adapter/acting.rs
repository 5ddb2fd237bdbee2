//! Terminate: the one call that ends a bill, sent once and for one machine, and what may come of it.

use std::time::Duration;

use reaper_model::{Meter, Span, State, Verb};
use reaper_provider::{Consents, Delivery, ErrorKind, ProviderError, Refusal, allowed};
use reaper_simcloud::{Act, Effect, Fault, Outcome, SimCloud};

use crate::support::{answer, cloud, context, machine, open, permit, read, settings};

const TERMINATE: &str = "POST /api/v1/instance-operations/terminate";

async fn terminate(cloud: &SimCloud, id: &str) -> Result<(), ProviderError> {
    let provider = open(settings(cloud));
    let permit = permit(&read(provider.as_ref(), id).await?, Verb::Terminate);
    provider.act(&context(), permit).await
}

/// State and meter, or what went wrong.
async fn seen(cloud: &SimCloud, id: &str) -> Result<(State, Meter), ErrorKind> {
    let read = read(open(settings(cloud)).as_ref(), id).await;
    read.map(|machine| (machine.state, machine.meter)).map_err(|error| error.kind)
}

#[tokio::test]
async fn a_terminate_names_one_machine_and_nothing_else_is_called() {
    let cloud = cloud(&format!("{}{}", machine("aa", ""), machine("bb", ""))).await;
    let provider = open(settings(&cloud));
    assert_eq!(provider.call(Verb::Terminate), Some("lambda:TerminateInstance"));
    assert_eq!(provider.tag_call(), None);
    terminate(&cloud, "aa").await.expect("taken");
    let requests = cloud.requests();
    let [call] = requests.changing()[..] else { panic!("one change: {requests:?}") };
    assert_eq!(call.target, TERMINATE);
    assert_eq!(&call.body[..], br#"{"instance_ids":["aa"]}"#);
    assert_eq!(seen(&cloud, "aa").await, Err(ErrorKind::NotFound));
    assert_eq!(seen(&cloud, "bb").await, Ok((State::Running, Meter::Running)));
}

#[tokio::test]
async fn fl_051_a_stop_is_no_call_at_all() {
    let cloud = cloud(&machine("aa", "")).await;
    let provider = open(settings(&cloud));
    assert_eq!(provider.call(Verb::Stop), None);
    let machine = read(provider.as_ref(), "aa").await.expect("there");
    let everything = Consents { terminate: true, local_data_loss: true };
    let refusal = allowed(&machine, Verb::Stop, everything).expect_err("no such call");
    assert!(matches!(refusal, Refusal::NoCall { .. }), "{refusal}");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_042_what_is_terminating_is_billed_and_an_answer_proves_nothing() {
    let cloud = cloud(&machine("aa", "lingers = true")).await;
    cloud.edit(|world| {
        world.lambda.instance_mut("aa").expect("there").act = Act::takes(Span::from_secs(60));
    });
    terminate(&cloud, "aa").await.expect("taken");
    assert_eq!(seen(&cloud, "aa").await, Ok((State::Ending, Meter::Running)));
    cloud.advance(chrono::TimeDelta::minutes(2));
    assert_eq!(seen(&cloud, "aa").await, Ok((State::Ended, Meter::Ended)));

    let cloud = crate::support::cloud(&machine("aa", "")).await;
    cloud.edit(|world| {
        world.lambda.instance_mut("aa").expect("there").act = Act::outcome(Outcome::Lie);
    });
    terminate(&cloud, "aa").await.expect("taken, in words");
    assert_eq!(seen(&cloud, "aa").await, Ok((State::Running, Meter::Running)));
}

#[tokio::test]
async fn an_answer_that_does_not_name_the_machine_is_no_acceptance() {
    for (body, kind) in [
        (r#"{"data": {"terminated_instances": []}}"#, ErrorKind::Inconsistent),
        (r#"{"data": {"terminated_instances": [{"id": "bb"}, null]}}"#, ErrorKind::Inconsistent),
        (r#"{"data": {"terminated_instances": null}}"#, ErrorKind::Inconsistent),
        (r#"{"data": {}}"#, ErrorKind::Protocol),
    ] {
        let cloud = cloud(&machine("aa", "")).await;
        answer(&cloud, TERMINATE, 200, body);
        let error = terminate(&cloud, "aa").await.expect_err("not named");
        assert_eq!((error.kind, error.delivery), (kind, Delivery::Answered), "{body}");
    }
    // The older shape: taken, and still shown as active.
    let cloud = cloud(&machine("aa", "")).await;
    let body = r#"{"data": {"terminated_instances": [{"id": "aa", "status": "active"}]}}"#;
    answer(&cloud, TERMINATE, 200, body);
    terminate(&cloud, "aa").await.expect("taken");
}

#[tokio::test]
async fn fl_045_what_is_on_its_way_out_or_gone_already_is_told_apart() {
    for (status, kind, then) in [
        (Some("terminating"), ErrorKind::ServerFault, Ok((State::Ending, Meter::Running))),
        (Some("terminated"), ErrorKind::ServerFault, Ok((State::Ended, Meter::Ended))),
        (Some("booting"), ErrorKind::Conflict, Ok((State::Pending, Meter::StoppedFree))),
        (None, ErrorKind::NotFound, Err(ErrorKind::NotFound)),
    ] {
        let cloud = cloud(&machine("aa", "")).await;
        let provider = open(settings(&cloud));
        let permit = permit(&read(provider.as_ref(), "aa").await.expect("there"), Verb::Terminate);
        cloud.edit(|world| match status {
            Some(word) => {
                world.lambda.instance_mut("aa").expect("there").status = Some(word.to_owned());
            }
            None => {
                world.lambda.remove_instance("aa").expect("there");
            }
        });
        let error = provider.act(&context(), permit).await.expect_err("too late");
        assert_eq!((error.kind, error.delivery), (kind, Delivery::Answered), "{status:?}");
        assert_eq!(seen(&cloud, "aa").await, then, "{status:?}");
    }
}

#[tokio::test]
async fn fl_047_a_key_that_is_refused_is_told_which_call() {
    let cloud = cloud(&machine("aa", "")).await;
    answer(&cloud, TERMINATE, 403, r#"{"error": {"code": "global/forbidden", "message": "No."}}"#);
    let error = terminate(&cloud, "aa").await.expect_err("denied");
    let permission = "lambda:TerminateInstance".to_owned();
    assert_eq!(error.kind, ErrorKind::Denied { permission });
}

#[tokio::test]
async fn fl_046_fl_067_a_terminate_is_sent_once_whatever_comes_back() {
    let page = |status| Effect::Answer {
        status,
        body: "<html>gateway</html>".to_owned(),
        content_type: "text/html".to_owned(),
    };
    for (effect, kind, delivery, gone) in [
        (page(500), ErrorKind::ServerFault, Delivery::Answered, false),
        (page(403), ErrorKind::Throttled, Delivery::Answered, false),
        (page(200), ErrorKind::ServerFault, Delivery::Answered, false),
        (
            Effect::Throttle { retry_after: Some(1) },
            ErrorKind::Throttled,
            Delivery::Answered,
            false,
        ),
        (Effect::Hangup, ErrorKind::Unreachable, Delivery::MaybeSent, false),
        (Effect::Dropped, ErrorKind::Unreachable, Delivery::MaybeSent, true),
        (Effect::Silence, ErrorKind::Timeout, Delivery::MaybeSent, false),
        (Effect::Lost, ErrorKind::Timeout, Delivery::MaybeSent, true),
    ] {
        let cloud = cloud(&machine("aa", "")).await;
        let mut settings = settings(&cloud);
        settings.limits.attempts = 4;
        settings.limits.call = Duration::from_millis(500);
        let provider = open(settings);
        let permit = permit(&read(provider.as_ref(), "aa").await.expect("there"), Verb::Terminate);
        cloud.add_fault(Fault::always(effect.clone()).at(TERMINATE));
        let error = provider.act(&context(), permit).await.expect_err("no acceptance");
        assert_eq!((&error.kind, error.delivery), (&kind, delivery), "{effect:?}");
        assert_eq!(cloud.requests().of(TERMINATE).len(), 1, "{effect:?}");
        assert!(!format!("{error:?} {error}").contains("canary"));
        // Only another read tells what became of it.
        assert_eq!(seen(&cloud, "aa").await.is_err(), gone, "{effect:?}");
    }
}
