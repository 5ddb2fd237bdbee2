//! Servers that accept and then say nothing more: every step ends within the time limit.

use std::time::Duration;

use reaper_notify::{Delivery, Login, Refused, Smtp, Tls};
use serde_json::json;

use crate::server::{Authority, Server, mailer, post};

/// Long enough for what comes before the silence, on a busy machine.
const LIMIT: Duration = Duration::from_secs(2);

async fn silent(at: &str) -> Delivery {
    let authority = Authority::new();
    let config = json!({
        "tls": "starttls",
        "auth": {"user": "reaper", "password": "geheim"},
        "silence": at,
    });
    let server = Server::start(&authority.serving(config));
    let settings = Smtp {
        tls: Tls::StartTls,
        login: Some(Login { user: "reaper".to_owned(), password: "geheim".into() }),
        ca_bundle: Some(authority.bundle()),
        timeout: LIMIT,
        ..server.settings()
    };
    let began = tokio::time::Instant::now();
    let delivery = post(&mailer(settings), "a@example.org").await;
    assert!(began.elapsed() >= LIMIT, "{at}: {delivery:?}");
    assert!(server.finish().mails().is_empty());
    delivery
}

async fn rejected_while(at: &str, words: &str) {
    let delivery = silent(at).await;
    let Delivery::Rejected { what: Refused::Server, permanent: false, why } = &delivery else {
        panic!("{at}: {delivery:?}");
    };
    assert!(why.contains(words) && why.contains("no answer within 2s"), "{at}: {why}");
}

#[tokio::test]
async fn fl_140_no_greeting() {
    rejected_while("greeting", "waiting for the greeting").await;
}

#[tokio::test]
async fn fl_140_silence_after_ehlo() {
    rejected_while("EHLO", "waiting for the answer to EHLO").await;
}

#[tokio::test]
async fn fl_140_silence_after_starttls() {
    rejected_while("STARTTLS", "changing to TLS").await;
}

#[tokio::test]
async fn fl_140_silence_after_auth() {
    rejected_while("AUTH", "logging in").await;
}

#[tokio::test]
async fn fl_140_silence_after_mail() {
    rejected_while("MAIL", "naming the sender").await;
}

#[tokio::test]
async fn fl_140_silence_after_rcpt() {
    rejected_while("RCPT", "naming the recipient").await;
}

#[tokio::test]
async fn fl_140_silence_after_data() {
    rejected_while("DATA", "asking to send the text").await;
}

#[tokio::test]
async fn fl_140_silence_after_the_final_dot_is_possibly_sent() {
    let delivery = silent("dot").await;
    assert!(matches!(delivery, Delivery::PossiblySent { .. }), "{delivery:?}");
}
