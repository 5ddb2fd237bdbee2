//! Calls that change something: what is sent, once, and what each refusal means.

use reaper_model::{Instance, InstanceId, Verb};
use reaper_provider::{Delivery, ErrorKind, Provider, ProviderError};

use crate::open;
use crate::permits::{permit, tag_permit};
use crate::support::{Answer, OWNED, Request, Server, context, list, machine, ok, page, refuse};

/// One running machine, and this answer to every call that changes something.
async fn server(change: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.action() {
        "DescribeInstances" => page(&[machine("i-1", "g5.xlarge", OWNED)], ""),
        _ => change(request),
    })
    .await
}

fn changed(request: &Request) -> Answer {
    let id = request.get("InstanceId.1");
    let body = format!("<instancesSet><item><instanceId>{id}</instanceId></item></instancesSet>");
    ok(request.action(), &body)
}

fn denied(call: &str) -> ErrorKind {
    ErrorKind::Denied { permission: call.to_owned() }
}

async fn machine_of(provider: &dyn Provider) -> Instance {
    list(provider, "eu-west-1").await.0.remove(0)
}

/// Acts on the server's machine, and counts the requests that this took.
async fn act(server: &Server, verb: Verb) -> (Result<(), ProviderError>, u32) {
    let (provider, cx) = (open(server.settings()), context());
    let permit = permit(&machine_of(&provider).await, verb);
    (provider.act(&cx, permit).await, cx.requests.sent())
}

#[tokio::test]
async fn a_stop_names_one_machine_and_asks_for_nothing_besides() {
    for (verb, call, action) in [
        (Verb::Stop, "ec2:StopInstances", "StopInstances"),
        (Verb::Terminate, "ec2:TerminateInstances", "TerminateInstances"),
    ] {
        let server = server(changed).await;
        assert_eq!(open(server.settings()).call(verb), Some(call));
        assert_eq!(act(&server, verb).await, (Ok(()), 1));
        let sent = server.requests().remove(1);
        let keys: Vec<&str> = sent.form.keys().map(String::as_str).collect();
        assert_eq!(keys, ["Action", "InstanceId.1", "Version"], "no force, no hibernation");
        assert_eq!((sent.action(), sent.get("InstanceId.1")), (action, "i-1"));
        assert_eq!(sent.region, "eu-west-1");
    }
}

#[tokio::test]
async fn fl_037_fl_039_fl_040_fl_045_fl_047_a_refusal_is_of_the_kind_of_its_code_and_sent_once() {
    for (status, code, kind) in [
        (400, "OperationNotPermitted", ErrorKind::Protected),
        (400, "IncorrectInstanceState", ErrorKind::Conflict),
        (400, "UnsupportedOperation", ErrorKind::Conflict),
        (403, "UnauthorizedOperation", denied("ec2:StopInstances")),
        (400, "InvalidInstanceID.NotFound", ErrorKind::NotFound),
        (503, "RequestLimitExceeded", ErrorKind::Throttled),
    ] {
        let server = server(move |_| refuse(status, code)).await;
        let (ended, requests) = act(&server, Verb::Stop).await;
        let error = ended.expect_err("refused");
        assert_eq!((&error.kind, error.delivery), (&kind, Delivery::Answered), "{code}");
        assert_eq!(error.call, "ec2:StopInstances");
        assert_eq!((requests, server.count("StopInstances")), (1, 1), "{code}");
        assert_eq!(server.requests().len(), 2, "{code}: no attribute is changed, nothing is asked");
    }
}

#[tokio::test]
async fn fl_046_a_fault_of_the_server_is_not_answered_by_a_second_stop() {
    for (status, code) in [(500, "InternalError"), (503, "Unavailable")] {
        let server = server(move |_| refuse(status, code)).await;
        let (ended, requests) = act(&server, Verb::Stop).await;
        assert_eq!(ended.expect_err("a fault").kind, ErrorKind::ServerFault);
        assert_eq!((requests, server.count("StopInstances")), (1, 1));
    }
}

#[tokio::test]
async fn fl_042_a_good_answer_that_does_not_speak_of_the_machine_is_no_success() {
    let silent = server(|request| ok(request.action(), "<instancesSet/>")).await;
    let error = act(&silent, Verb::Stop).await.0.expect_err("nothing is said");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Inconsistent, Delivery::MaybeSent));

    let page = |_: &Request| Answer(200, String::new(), "<html><body>Welcome".to_owned());
    let error = act(&server(page).await, Verb::Stop).await.0.expect_err("no XML of EC2");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Protocol, Delivery::MaybeSent));
}

#[tokio::test]
async fn a_tag_is_set_and_removed_by_its_key_alone() {
    let server = server(|request| ok(request.action(), "<return>true</return>")).await;
    let provider = open(server.settings());
    assert_eq!(provider.tag_call(), Some("ec2:CreateTags"));
    let id: InstanceId = machine_of(&provider).await.id;
    for value in [Some("2026-12-24"), None] {
        let permit = tag_permit(&id, "reaper-keep", value);
        provider.tag(&context(), permit).await.expect("taken");
    }
    let requests = server.requests();
    let form = |at: usize| -> Vec<(&str, &str)> {
        let pairs = requests[at].form.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        pairs.filter(|(key, _)| *key != "Version").collect()
    };
    let one = ("ResourceId.1", "i-1");
    let key = ("Tag.1.Key", "reaper-keep");
    let value = ("Tag.1.Value", "2026-12-24");
    assert_eq!(form(1), [("Action", "CreateTags"), one, key, value]);
    assert_eq!(form(2), [("Action", "DeleteTags"), one, key], "whatever its value is");
}

#[tokio::test]
async fn fl_047_a_tag_that_may_not_be_changed_names_the_permission() {
    let server = server(|_| refuse(403, "UnauthorizedOperation")).await;
    let provider = open(server.settings());
    let id = machine_of(&provider).await.id;
    for (value, call) in [(Some("true"), "ec2:CreateTags"), (None, "ec2:DeleteTags")] {
        let ended = provider.tag(&context(), tag_permit(&id, "reaper-keep", value)).await;
        assert_eq!(ended.expect_err("denied").kind, denied(call));
    }
    assert_eq!(server.requests().len(), 3, "each once");
}
