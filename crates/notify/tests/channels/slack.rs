//! Slack: what arrives, and that nothing which may be shown already is sent again.

use std::time::Duration;

use reaper_notify::{Channel as _, Delivery, Refused, Slack};
use serde_json::Value;

use crate::message::{CANARY, gives_nothing_away, message, stops, target};
use crate::server::{Behaviour, Received, Server, answer, with};

async fn sent(behaviours: Vec<Behaviour>) -> (Delivery, Vec<Received>) {
    let server = Server::start(behaviours).await;
    let url = server.url(&format!("/services/T0/B0/{CANARY}"));
    let slack = Slack::new(&target(&url, Duration::from_secs(3))).expect("set up");
    gives_nothing_away(&format!("{slack:?}"));
    let delivery = slack.send(&message(&stops())).await;
    gives_nothing_away(&format!("{delivery:?}"));
    (delivery, server.received())
}

fn ok() -> Behaviour {
    Behaviour::Answer("200 OK", Vec::new(), "ok".to_owned())
}

#[tokio::test]
async fn a_message_is_json_with_blocks_and_a_fallback() {
    let (delivery, received) = sent(vec![ok()]).await;
    assert_eq!(delivery, Delivery::Accepted { reply: "200 OK \"ok\"".to_owned() });
    let [request] = &received[..] else { panic!("one request: {received:?}") };
    assert_eq!(request.target, format!("POST /services/T0/B0/{CANARY}"));
    assert!(request.header("content-type").starts_with("application/json"));
    assert!(request.header("user-agent").starts_with("reaper/"));
    let body: Value = serde_json::from_str(&request.body).expect("JSON");
    assert_eq!(body["text"], "reaper: 1 machine stopped");
    assert_eq!(body["blocks"][0]["type"], "header");
    assert!(request.body.contains("&lt;b&gt;"), "{}", request.body);
}

#[tokio::test]
async fn a_limited_message_waits_as_long_as_it_is_asked_to() {
    let (delivery, received) =
        sent(vec![with("429 Too Many Requests", "retry-after: 1"), ok()]).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    assert_eq!(received.len(), 2);
    assert!(received[1].at - received[0].at >= Duration::from_secs(1));
    let (delivery, received) = sent(vec![with("429 Too Many Requests", "retry-after: 60")]).await;
    assert!(matches!(delivery, Delivery::Rejected { permanent: false, .. }), "{delivery:?}");
    assert_eq!(received.len(), 1);
}

#[tokio::test]
async fn what_may_be_shown_already_is_not_sent_again() {
    for behaviour in [Behaviour::Silence, Behaviour::Hangup] {
        let (delivery, received) = sent(vec![behaviour]).await;
        assert!(matches!(delivery, Delivery::PossiblySent { .. }), "{delivery:?}");
        assert_eq!(received.len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_says_why_in_slacks_words() {
    let gone = Behaviour::Answer("404 Not Found", Vec::new(), "no_service".to_owned());
    let (delivery, _) = sent(vec![gone]).await;
    assert!(delivery.recipient_is_unreachable(), "{delivery:?}");
    assert!(format!("{delivery:?}").contains("no_service"));
    let wrong = Behaviour::Answer("400 Bad Request", Vec::new(), "invalid_blocks".to_owned());
    let (delivery, received) = sent(vec![wrong]).await;
    let Delivery::Rejected { what: Refused::Mail, permanent: true, why } = delivery else {
        panic!("{delivery:?}")
    };
    assert!(why.contains("invalid_blocks"), "{why}");
    assert_eq!(received.len(), 1);
    let elsewhere = with("302 Found", "location: http://127.0.0.1:9/");
    let (delivery, received) = sent(vec![elsewhere]).await;
    assert!(matches!(delivery, Delivery::Rejected { what: Refused::Server, .. }), "{delivery:?}");
    assert_eq!(received.len(), 1);
    let (delivery, _) = sent(vec![answer("500 Internal Server Error")]).await;
    assert!(matches!(delivery, Delivery::Rejected { permanent: false, .. }), "{delivery:?}");
}
