//! Encryption and login: what is refused, what is never sent in clear, what errors must not tell.

use reaper_notify::{Delivery, Login, Post as _, Refused, Smtp, Tls};
use serde_json::{Value, json};

use crate::server::{Authority, Server, mailer, post};

const PASSWORD: &str = "correct-horse-battery";

/// A server with a login and a mailer's settings that fit it.
fn guarded(authority: &Authority, config: Value) -> (Server, Smtp) {
    let mut config = authority.serving(config);
    config["auth"] = json!({"user": "reaper", "password": PASSWORD});
    let tls = match config["tls"].as_str() {
        Some("implicit") => Tls::Implicit,
        _ => Tls::StartTls,
    };
    let server = Server::start(&config);
    let login = Login { user: "reaper".to_owned(), password: PASSWORD.into() };
    let ca_bundle = Some(authority.bundle());
    let settings = Smtp { tls, login: Some(login), ca_bundle, ..server.settings() };
    (server, settings)
}

fn refused(delivery: &Delivery) -> &str {
    match delivery {
        Delivery::Rejected { what: Refused::Server, permanent: true, why } => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn both_encryptions_deliver_with_a_login() {
    let authority = Authority::new();
    for mode in ["starttls", "implicit"] {
        let (server, settings) = guarded(&authority, json!({"tls": mode}));
        let mailer = mailer(settings);
        for to in ["a@example.org", "b@example.org"] {
            let delivery = post(&mailer, to).await;
            assert!(matches!(delivery, Delivery::Accepted { .. }), "{mode}: {delivery:?}");
        }
        let events = server.finish();
        assert_eq!(events.recipients(), ["a@example.org", "b@example.org"], "{mode}");
        let logins = events.logins();
        assert_eq!((logins.len(), &logins[0]["accepted"]), (1, &json!(true)), "{mode}");
    }
}

#[tokio::test]
async fn an_authority_that_is_not_trusted_is_named_and_nothing_is_sent() {
    let authority = Authority::new();
    for mode in ["starttls", "implicit"] {
        let (server, settings) = guarded(&authority, json!({"tls": mode}));
        let other = Authority::new();
        let settings = Smtp { ca_bundle: Some(other.bundle()), ..settings };
        let delivery = post(&mailer(settings), "a@example.org").await;
        let why = refused(&delivery);
        assert!(why.contains("certificate is not trusted"), "{mode}: {why}");
        let events = server.finish();
        assert!(!events.verbs().iter().any(|verb| ["AUTH", "MAIL"].contains(verb)), "{mode}");
    }
}

#[tokio::test]
async fn a_certificate_of_another_name_is_not_trusted() {
    let authority = Authority::new();
    let (server, settings) = guarded(&authority, json!({"tls": "starttls"}));
    let settings = Smtp { host: "127.0.0.1".to_owned(), ..settings };
    let delivery = post(&mailer(settings), "a@example.org").await;
    assert!(refused(&delivery).contains("certificate is not trusted"), "{delivery:?}");
    assert!(server.finish().mails().is_empty());
}

#[tokio::test]
async fn fl_142_without_starttls_neither_login_nor_mail_is_sent() {
    let authority = Authority::new();
    let (server, settings) = guarded(&authority, json!({"tls": "none"}));
    let delivery = post(&mailer(settings), "a@example.org").await;
    assert!(refused(&delivery).contains("does not offer STARTTLS"), "{delivery:?}");
    let events = server.finish();
    assert_eq!(events.verbs(), ["EHLO"]);
    assert!(events.logins().is_empty());
}

#[tokio::test]
async fn fl_141_implicit_tls_on_a_port_that_begins_in_clear_names_port_and_modes() {
    let authority = Authority::new();
    let (server, settings) = guarded(&authority, json!({"tls": "starttls"}));
    let port = settings.port;
    let settings = Smtp { tls: Tls::Implicit, ..settings };
    let delivery = post(&mailer(settings), "a@example.org").await;
    let why = refused(&delivery);
    assert!(why.contains(&format!("port {port}: expected implicit TLS")), "{why}");
    assert!(why.contains("found a server that begins in clear"), "{why}");
    let events = server.finish();
    assert!(!events.verbs().iter().any(|verb| ["AUTH", "MAIL"].contains(verb)));
    assert_eq!(events.connections(), 1, "no retry in clear");
}

#[tokio::test]
async fn fl_141_starttls_on_a_port_for_implicit_tls_names_port_and_modes() {
    let authority = Authority::new();
    let (server, settings) = guarded(&authority, json!({"tls": "implicit"}));
    let port = settings.port;
    let timeout = std::time::Duration::from_secs(1);
    let settings = Smtp { tls: Tls::StartTls, timeout, ..settings };
    let Delivery::Rejected { what: Refused::Server, why, .. } =
        post(&mailer(settings), "a@example.org").await
    else {
        panic!("rejected");
    };
    assert!(why.contains(&format!(":{port}")), "{why}");
    assert!(why.contains("expected a plain greeting (starttls), found silence"), "{why}");
    assert!(server.finish().mails().is_empty());
}

#[tokio::test]
async fn fl_146_a_refused_login_is_said_once_and_not_tried_again() {
    let authority = Authority::new();
    let (server, settings) = guarded(&authority, json!({"tls": "starttls", "echo_login": true}));
    let wrong = "wrong-staple-password";
    let login = Login { user: "reaper".to_owned(), password: wrong.into() };
    let mailer = mailer(Smtp { login: Some(login), ..settings });
    for to in ["a@example.org", "b@example.org"] {
        let delivery = post(&mailer, to).await;
        let why = refused(&delivery);
        assert!(why.contains("logging in: refused with 535"), "{why}");
        // No four letters of the secret, although the server repeats it.
        let leaked = (0..wrong.len() - 4).find(|&at| why.contains(&wrong[at..at + 5]));
        assert_eq!(leaked, None, "{why}");
    }
    mailer.end().await;
    let events = server.finish();
    assert_eq!((events.connections(), events.mails().len()), (1, 0));
    assert!(events.logins().iter().all(|login| login["accepted"] == json!(false)));
}
