//! The webhook: what arrives and is verified by the standard's own library, and what is sent again.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use reaper_notify::webhook::SetupError;
use reaper_notify::{Channel as _, Delivery, Refused, Webhook};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::message::{CANARY, gives_nothing_away, message, now, stops, target};
use crate::server::{Behaviour, Received, Server, answer, with};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

fn webhook(server: &Server, timeout: Duration) -> Webhook {
    let secrets: Vec<SecretString> = vec![SECRET.into(), OLD_SECRET.into()];
    let target = target(&server.url(&format!("/{CANARY}?token={CANARY}")), timeout);
    Webhook::new(&target, &secrets).expect("set up")
}

async fn sent(behaviours: Vec<Behaviour>, timeout: Duration) -> (Delivery, Vec<Received>) {
    let server = Server::start(behaviours).await;
    let webhook = webhook(&server, timeout);
    gives_nothing_away(&format!("{webhook:?}"));
    let delivery = webhook.send(&message(&stops())).await;
    gives_nothing_away(&format!("{delivery:?}"));
    (delivery, server.received())
}

/// The library checks that a message is not old, against its own clock; ours is handed over.
const VERIFY: &str = r"
import datetime, json, sys
import standardwebhooks.webhooks as w
given = json.load(sys.stdin)
class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(given['now'], tz)
w.datetime = Clock
try:
    body = w.Webhook(given['secret']).verify(given['body'], given['headers'])
    print(json.dumps(body))
except w.WebhookVerificationError as error:
    print(json.dumps('refused: ' + str(error)))
";

#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn python() -> String {
    std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"))
}

/// What the standard's own Python library makes of a request.
fn verified(received: &Received, secret: &str, body: &str) -> Value {
    let headers: serde_json::Map<String, Value> = received
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    let given = json!({
        "secret": secret, "headers": headers, "body": body, "now": now().timestamp() + 60,
    });
    let mut child = Command::new(python())
        .args(["-B", "-c", VERIFY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    child.stdin.take().expect("piped").write_all(given.to_string().as_bytes()).expect("read");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test]
async fn the_standards_own_library_verifies_each_of_two_keys() {
    let (delivery, received) = sent(vec![answer("204 No Content")], Duration::from_secs(5)).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    let [request] = &received[..] else { panic!("one request: {received:?}") };
    assert_eq!(request.target, format!("POST /{CANARY}?token={CANARY}"));
    assert_eq!(request.header("webhook-id"), "stops-0123456789abcdef");
    assert_eq!(request.header("webhook-timestamp"), now().timestamp().to_string());
    assert_eq!(request.header("content-type"), "application/json");
    for secret in [SECRET, OLD_SECRET] {
        let body = verified(request, secret, &request.body);
        assert_eq!(body["type"], "reaper.stops");
        assert_eq!(body["timestamp"], "2026-11-30T07:06:00Z");
        assert_eq!(body["data"]["stopped"][0]["name"], "sweep-1 \"größe\" <b>");
    }
    let stranger = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let changed = request.body.replace("sweep-1", "sweep-2");
    for (secret, body) in [(stranger, &request.body), (SECRET, &changed)] {
        let answer = verified(request, secret, body);
        assert!(answer.as_str().is_some_and(|text| text.starts_with("refused")), "{answer}");
    }
}

#[tokio::test]
async fn what_may_pass_is_sent_again_under_the_same_id_and_signature() {
    let behaviours = vec![
        answer("503 Service Unavailable"),
        with("429 Too Many Requests", "retry-after: 1"),
        Behaviour::Hangup,
        answer("200 OK"),
    ];
    let (delivery, received) = sent(behaviours, Duration::from_secs(30)).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    assert_eq!(received.len(), 4);
    for request in &received {
        for header in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            assert_eq!(request.header(header), received[0].header(header));
        }
        assert_eq!(request.body, received[0].body);
    }
    assert!(received[2].at - received[1].at >= Duration::from_secs(1), "Retry-After is honoured");
}

#[tokio::test]
async fn what_is_refused_for_good_is_sent_once() {
    for (status, what) in [
        ("410 Gone", Refused::Recipient),
        ("401 Unauthorized", Refused::Recipient),
        ("404 Not Found", Refused::Recipient),
        ("400 Bad Request", Refused::Mail),
        ("413 Content Too Large", Refused::Mail),
    ] {
        let (delivery, received) = sent(vec![answer(status)], Duration::from_secs(5)).await;
        let Delivery::Rejected { what: found, permanent: true, why } = delivery else {
            panic!("{status}: {delivery:?}")
        };
        assert_eq!((found, received.len()), (what, 1), "{status}");
        assert!(why.contains(&status[..3]), "{why}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Server::start(vec![answer("200 OK")]).await;
    let location = format!("location: {}", elsewhere.url("/taken"));
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"] {
        let (delivery, received) =
            sent(vec![with(status, &location)], Duration::from_secs(5)).await;
        let Delivery::Rejected { what: Refused::Server, why, .. } = delivery else {
            panic!("{delivery:?}")
        };
        assert!(why.contains("a redirect"), "{why}");
        assert_eq!(received.len(), 1);
    }
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn a_wait_beyond_the_time_limit_is_not_begun() {
    let started = Instant::now();
    let behaviours = vec![with("429 Too Many Requests", "retry-after: 3600")];
    let (delivery, received) = sent(behaviours, Duration::from_secs(5)).await;
    let Delivery::Rejected { what: Refused::Server, permanent: false, why } = delivery else {
        panic!("{delivery:?}")
    };
    assert!(why.contains("it asks for a wait of 3600 s"), "{why}");
    assert_eq!(received.len(), 1);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn fl_140_silence_ends_with_the_time_limit_and_is_possibly_sent() {
    let started = Instant::now();
    let limit = Duration::from_secs(3);
    let (delivery, received) = sent(vec![Behaviour::Silence], limit).await;
    assert!(matches!(delivery, Delivery::PossiblySent { .. }), "{delivery:?}");
    assert!(started.elapsed() <= limit + Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(received.len() >= 2, "tried again under the same id");
    // A refusal for good says that the silent attempt came to nothing as well.
    let (delivery, _) = sent(vec![Behaviour::Silence, answer("410 Gone")], limit).await;
    assert!(matches!(delivery, Delivery::Rejected { .. }), "{delivery:?}");
    // A passing trouble says nothing of it.
    let behaviours = vec![Behaviour::Hangup, answer("503 Service Unavailable")];
    let (delivery, _) = sent(behaviours, limit).await;
    assert!(matches!(delivery, Delivery::PossiblySent { .. }), "{delivery:?}");
}

#[tokio::test]
async fn nobody_there_is_surely_not_sent() {
    let server = Server::start(vec![answer("200 OK")]).await;
    let webhook = webhook(&server, Duration::from_secs(1));
    let host = server.address.to_string();
    drop(server);
    // The listener is closed once its aborted task has been dropped.
    let why = loop {
        match webhook.send(&message(&stops())).await {
            Delivery::Rejected { what: Refused::Server, permanent: false, why } => break why,
            Delivery::Accepted { .. } | Delivery::PossiblySent { .. } => {}
            other @ Delivery::Rejected { .. } => panic!("{other:?}"),
        }
    };
    assert!(why.contains(&host), "{why}");
    gives_nothing_away(&why);
}

#[tokio::test]
async fn secrets_never_leave_an_answer_that_repeats_the_address_is_not_quoted() {
    let body = format!("no such hook: /{CANARY}");
    let behaviour = Behaviour::Answer("404 Not Found", Vec::new(), body);
    let (delivery, _) = sent(vec![behaviour], Duration::from_secs(5)).await;
    let Delivery::Rejected { why, .. } = delivery else { panic!("{delivery:?}") };
    assert!(why.contains("(the answer repeats the address)"), "{why}");
    let html = "<html><script>x</script><h1>Not\u{1b}[31m here</h1>".to_owned();
    let behaviour = Behaviour::Answer("404 Not Found", Vec::new(), html);
    let (delivery, _) = sent(vec![behaviour], Duration::from_secs(5)).await;
    let Delivery::Rejected { why, .. } = delivery else { panic!("{delivery:?}") };
    assert!(why.ends_with("\"Not⟨1b⟩[31m here\""), "{why}");
}

#[test]
fn what_could_never_work_is_refused_before_anything_is_sent() {
    let address = target("https://hooks.example.org/x", Duration::from_secs(1));
    let error = Webhook::new(&address, &[]).expect_err("no secret");
    assert_eq!(error, SetupError::NoKey);
    let error = Webhook::new(&address, &[SECRET.into(), "hunter2".into()]).expect_err("no key");
    assert!(error.to_string().starts_with("secret 2: a secret is `whsec_`"), "{error}");
    gives_nothing_away(&error.to_string().replace("`whsec_`", ""));
    let plain = target(&format!("http://hooks.example.org/{CANARY}"), Duration::from_secs(1));
    let error = Webhook::new(&plain, &[SECRET.into()]).expect_err("in the clear");
    gives_nothing_away(&format!("{error} {error:?}"));
}
