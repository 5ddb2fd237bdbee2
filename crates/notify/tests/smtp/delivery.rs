//! What becomes of a mail: taken, refused, perhaps taken; over how many connections.

use reaper_notify::{Delivery, Post as _, Refused, Smtp};
use serde_json::json;

use crate::server::{Server, mail, mailer, post};

fn refusal(delivery: &Delivery) -> (Refused, bool, &str) {
    match delivery {
        Delivery::Rejected { what, permanent, why } => (*what, *permanent, why),
        other => panic!("{other:?}"),
    }
}

fn is_accepted(delivery: &Delivery) -> bool {
    matches!(delivery, Delivery::Accepted { .. })
}

#[tokio::test]
async fn fl_136_one_refused_recipient_does_not_stop_the_others() {
    let server = Server::start(&json!({
        "rcpt": {"gone@example.org": "550 5.1.1 no such user"},
    }));
    let mailer = server.mailer();
    assert_eq!(
        post(&mailer, "good1@example.org").await,
        Delivery::Accepted { reply: "250 2.0.0 queued as 4711".to_owned() }
    );
    let gone = post(&mailer, "gone@example.org").await;
    let (what, permanent, why) = refusal(&gone);
    assert_eq!((what, permanent), (Refused::Recipient, true));
    assert!(why.contains("550") && why.contains("no such user"), "{why}");
    assert!(gone.recipient_is_unreachable());
    assert!(is_accepted(&post(&mailer, "good2@example.org").await));
    mailer.end().await;
    let events = server.finish();
    assert_eq!(events.recipients(), ["good1@example.org", "good2@example.org"]);
    assert_eq!(events.connections(), 1);
    assert_eq!(events.verbs().last(), Some(&"QUIT"));
}

#[tokio::test]
async fn fl_033_a_temporary_refusal_does_not_make_anybody_unreachable() {
    let server = Server::start(&json!({
        "rcpt": {"grey@example.org": "451 4.7.1 greylisted"},
    }));
    let grey = post(&server.mailer(), "grey@example.org").await;
    assert_eq!(refusal(&grey).0, Refused::Recipient);
    assert!(!refusal(&grey).1 && !grey.recipient_is_unreachable());
    assert!(server.finish().mails().is_empty());
}

#[tokio::test]
async fn fl_143_a_connection_that_died_between_two_mails_is_replaced_and_none_is_sent_twice() {
    for manner in ["421", "silent"] {
        let server = Server::start(&json!({"hang_up": manner}));
        let mailer = server.mailer();
        let all = ["a@b.org", "b@b.org", "c@b.org", "d@b.org", "e@b.org"];
        for to in all {
            let delivery = post(&mailer, to).await;
            assert!(is_accepted(&delivery), "{manner}: {delivery:?}");
        }
        mailer.end().await;
        let events = server.finish();
        assert_eq!(events.recipients(), all, "{manner}");
        assert_eq!(events.connections(), 2, "{manner}");
    }
}

#[tokio::test]
async fn fl_119_a_connection_cut_after_the_final_dot_is_possibly_sent_and_not_repeated() {
    let server = Server::start(&json!({"cut_after_dot": true}));
    let delivery = post(&server.mailer(), "a@example.org").await;
    assert!(matches!(delivery, Delivery::PossiblySent { .. }), "{delivery:?}");
    let events = server.finish();
    assert_eq!((events.mails().len(), events.connections()), (1, 1));
}

#[tokio::test]
async fn fl_119_a_server_that_is_down_is_a_temporary_refusal_of_nobody() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let server = Server::start(&json!({}));
    let settings = Smtp { host: "127.0.0.1".to_owned(), port, ..server.settings() };
    let delivery = post(&mailer(settings), "a@example.org").await;
    let (what, permanent, why) = refusal(&delivery);
    assert_eq!((what, permanent), (Refused::Server, false));
    assert!(why.contains("nobody listens there"), "{why}");
}

#[tokio::test]
async fn a_refused_text_is_about_the_mail_and_the_connection_lives_on() {
    let server = Server::start(&json!({"dot_reply": "554 5.7.1 looks like spam"}));
    let mailer = server.mailer();
    for _ in 0..2 {
        let delivery = post(&mailer, "a@example.org").await;
        let (what, permanent, why) = refusal(&delivery);
        assert_eq!((what, permanent), (Refused::Mail, true));
        assert!(why.contains("looks like spam"), "{why}");
    }
    assert_eq!(server.finish().connections(), 1);
}

#[tokio::test]
async fn a_sender_that_the_server_does_not_take_says_nothing_about_the_recipient() {
    let server = Server::start(&json!({"mail_reply": "550 5.7.1 not you"}));
    let mailer = server.mailer();
    for to in ["a@example.org", "b@example.org"] {
        let delivery = post(&mailer, to).await;
        assert_eq!(refusal(&delivery).0, Refused::Server);
        assert!(!delivery.recipient_is_unreachable());
    }
    assert_eq!(server.finish().connections(), 1);
}

#[tokio::test]
async fn a_mail_that_is_larger_than_the_server_takes_is_refused_before_it_is_sent() {
    let server = Server::start(&json!({"size": 500}));
    let delivery = post(&server.mailer(), "a@example.org").await;
    let (what, permanent, why) = refusal(&delivery);
    assert_eq!((what, permanent), (Refused::Mail, true));
    assert!(why.contains(" bytes, ") && why.ends_with("allows 500"), "{why}");
    assert!(!server.finish().verbs().contains(&"MAIL"));
}

#[tokio::test]
async fn a_mail_over_the_configured_size_does_not_even_connect() {
    let server = Server::start(&json!({}));
    let settings = Smtp { max_size: Some(500), ..server.settings() };
    let delivery = post(&mailer(settings), "a@example.org").await;
    assert!(refusal(&delivery).2.contains("max_size"), "{delivery:?}");
    assert_eq!(server.finish().connections(), 0);
}

#[tokio::test]
async fn fl_145_a_server_without_smtputf8_gets_the_others_mail() {
    let server = Server::start(&json!({"smtputf8": false}));
    let mailer = server.mailer();
    let umlaut = post(&mailer, "jürgen@example.org").await;
    assert!(umlaut.recipient_is_unreachable());
    assert!(refusal(&umlaut).2.contains("cannot be addressed by this server"), "{umlaut:?}");
    let ascii = post(&mailer, "anna@bücher.example").await;
    assert!(is_accepted(&ascii), "{ascii:?}");
    let events = server.finish();
    assert_eq!(events.recipients(), ["anna@xn--bcher-kva.example"]);
    assert_eq!(events.connections(), 1);
}

#[tokio::test]
async fn fl_145_a_server_with_smtputf8_is_told_the_address_as_it_is() {
    let server = Server::start(&json!({"smtputf8": true}));
    let mailer = server.mailer();
    assert!(is_accepted(&post(&mailer, "jürgen@example.org").await));
    let events = server.finish();
    assert_eq!(events.recipients(), ["jürgen@example.org"]);
    let options = events.mails()[0]["options"].to_string();
    assert!(options.contains("SMTPUTF8") && options.contains("SIZE="), "{options}");
}

#[tokio::test]
async fn the_kept_connection_ends_with_the_run_and_a_later_mail_opens_another() {
    let server = Server::start(&json!({}));
    let mailer = server.mailer();
    assert!(is_accepted(&mailer.post(&mail("a@example.org")).await));
    mailer.end().await;
    mailer.end().await;
    assert!(is_accepted(&mailer.post(&mail("b@example.org")).await));
    assert_eq!(server.finish().connections(), 2);
}
