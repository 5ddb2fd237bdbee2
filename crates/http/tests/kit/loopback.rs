//! The real transport against a server that misbehaves.

use std::sync::Arc;
use std::time::Duration;

use reaper_http::{Base, Call, Client, Method};
use reaper_provider::{AccountSettings, Delivery, ErrorKind, ProviderError};
use serde_json::Value;
use tokio::time::Instant;

use crate::scripted::{CANARY, Plain, UNPACED, context};
use crate::server::{Behaviour, Server, answer};

/// The limit of one attempt in these tests.
const ATTEMPT: Duration = Duration::from_millis(300);

fn settings(server: &Server, attempts: u32) -> AccountSettings {
    let mut settings = AccountSettings::named("test");
    settings.endpoint_url = Some(format!("http://{}/base", server.addr));
    settings.limits.call = ATTEMPT;
    settings.limits.attempts = attempts;
    settings
}

fn client(settings: &AccountSettings) -> Client {
    Client::open(settings, UNPACED, Arc::new(Plain))
        .expect("opens")
        .first_wait(Duration::from_millis(1))
}

async fn get(behaviours: Vec<Behaviour>, attempts: u32) -> (Result<Value, ProviderError>, u32) {
    let server = Server::start(behaviours, None).await;
    let settings = settings(&server, attempts);
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    let cx = context();
    let call = Call::read("x:List", base.at(["list"]));
    let result = client(&settings).json(&cx, &call).await;
    if let Err(error) = &result {
        assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
    }
    (result, cx.requests.sent())
}

#[tokio::test]
async fn a_good_answer_arrives_and_the_request_says_who_asks() {
    let server = Server::start(vec![answer("200 OK", r#"{"a": 1}"#)], None).await;
    let settings = settings(&server, 1);
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    let call = Call::read("x:List", base.at(["list", "a b"])).query("q", "ä");
    let value: Value = client(&settings).json(&context(), &call).await.expect("good");
    assert_eq!(value, serde_json::json!({"a": 1}));
    let head = server.first_head().await;
    assert!(head.starts_with("get /base/list/a%20b?q=%c3%a4 http/1.1\r\n"), "{head}");
    for header in ["user-agent: reaper/", "accept: application/json", "authorization: bearer "] {
        assert!(head.contains(header), "{head}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_attempts_deadline() {
    let start = Instant::now();
    let (result, sent) = get(vec![Behaviour::Silence], 2).await;
    let error = result.expect_err("silence");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Timeout, Delivery::MaybeSent));
    assert_eq!(sent, 2);
    assert!(start.elapsed() >= ATTEMPT * 2);
}

#[tokio::test]
async fn a_trickle_cannot_prolong_the_deadline() {
    let start = Instant::now();
    let (result, _) = get(vec![Behaviour::Trickle(Duration::from_millis(20))], 1).await;
    assert_eq!(result.expect_err("trickle").kind, ErrorKind::Timeout);
    assert!(start.elapsed() >= ATTEMPT && start.elapsed() < ATTEMPT * 20);
}

#[tokio::test]
async fn a_cut_body_is_never_a_short_one_and_is_read_again() {
    let cut = Behaviour::Say("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[1".into());
    let (result, sent) = get(vec![cut.clone(), answer("200 OK", "[2]")], 4).await;
    assert_eq!(result.expect("second answer is whole"), serde_json::json!([2]));
    assert_eq!(sent, 2);
    let (result, _) = get(vec![cut], 1).await;
    let error = result.expect_err("cut");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Unreachable, Delivery::MaybeSent));
}

#[tokio::test]
async fn fl_071_html_then_good() {
    let html = answer("502 Bad Gateway", "<html><h1>502</h1></html>");
    let (result, sent) = get(vec![html, answer("200 OK", "[]")], 4).await;
    assert!(result.is_ok());
    assert_eq!(sent, 2);
}

#[tokio::test]
async fn an_endless_answer_is_not_swallowed() {
    let server = Server::start(vec![answer("200 OK", &"1".repeat(5000))], None).await;
    let settings = settings(&server, 4);
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    let call = Call::read("x:List", base.at(["list"])).limit(4096);
    let cx = context();
    let error = client(&settings).send(&cx, &call).await.expect_err("too big");
    assert_eq!((error.kind, cx.requests.sent()), (ErrorKind::Protocol, 1));
}

#[tokio::test]
async fn nobody_there_was_surely_not_sent_and_the_host_is_named() {
    let server = Server::start(vec![Behaviour::Silence], None).await;
    let settings = settings(&server, 1);
    let host = server.addr.to_string();
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    drop(server);
    let call = Call::change("x:Stop", Method::POST, base.at(["stop", "secret-path"]));
    // The listener is closed once its aborted task has been dropped.
    let error = loop {
        let error = client(&settings).send(&context(), &call).await.expect_err("nobody");
        if error.delivery == Delivery::NotSent {
            break error;
        }
    };
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.detail.contains(&host), "{error}");
    assert!(!error.detail.contains("secret-path"), "{error}");
}

#[tokio::test]
async fn a_hangup_after_the_request_may_have_been_carried_out() {
    let server = Server::start(vec![Behaviour::Hangup], None).await;
    let settings = settings(&server, 4);
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    let call = Call::change("x:Stop", Method::POST, base.at(["stop"]));
    let error = client(&settings).send(&context(), &call).await.expect_err("hung up");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Unreachable, Delivery::MaybeSent));
    assert_eq!(server.connections(), 1);
}
