//! The weekly mail as it arrives over STARTTLS and as Python's `email` reads it, whole and reduced.

use reaper_model::AuditDocument;
use reaper_notify::weekly::{Owner, Reader, Weekly, key, thread};
use reaper_notify::{Address, Delivery, Mail, Post as _, Smtp, Tls};
use serde_json::{Value, json};

use crate::server::{Authority, Server, mailer};

#[path = "../../src/weekly/fixture.rs"]
#[expect(dead_code, reason = "the tests inside the crate use all of it")]
mod fixture;

/// A week with so many forgotten machines.
fn crowded(number: usize) -> AuditDocument {
    let mut doc = fixture::weekly();
    let orphan = doc.instances[2].clone();
    doc.instances.extend((0..number).map(|index| {
        let mut machine = orphan.clone();
        machine.native_id = format!("m-{index}");
        machine.id = format!("lambda/ssh-key:ops-2026/us-west-1/m-{index}");
        machine.name = Some(format!("=cmd, \"{index}\""));
        machine
    }));
    doc
}

/// Sends the mail and gives it as it arrived.
async fn arrived(mail: &Mail, config: Value, max_size: Option<u64>) -> (Value, Delivery) {
    let authority = Authority::new();
    let mut config = authority.serving(config);
    config["tls"] = json!("starttls");
    let server = Server::start(&config);
    let ca_bundle = Some(authority.bundle());
    let settings = Smtp { tls: Tls::StartTls, ca_bundle, max_size, ..server.settings() };
    let mailer = mailer(settings);
    let delivery = mailer.post(mail).await;
    mailer.end().await;
    let events = server.finish();
    let mails = events.mails();
    assert_eq!(mails.len(), 1, "{delivery:?}");
    let arrived = mails[0].clone();
    assert_eq!(arrived["defects"], json!([]), "{arrived}");
    assert!(arrived["longest_line"].as_u64().expect("a number") <= 998);
    (arrived, delivery)
}

fn header<'a>(mail: &'a Value, name: &str) -> &'a str {
    let all = mail["headers"].as_array().expect("a list");
    let mut named = all.iter().filter(|header| header[0] == name);
    let value = named.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(named.next().is_none(), "two of {name}");
    value[1].as_str().expect("text")
}

fn part<'a>(mail: &'a Value, kind: &str) -> &'a Value {
    let parts = mail["parts"].as_array().expect("a list");
    parts.iter().find(|part| part["type"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

fn text<'a>(mail: &'a Value, kind: &str) -> &'a str {
    part(mail, kind)["text"].as_str().expect("text")
}

#[tokio::test]
async fn the_digest_arrives_with_its_parts_its_picture_and_the_names_of_its_thread() {
    let doc = crowded(60);
    let sent = fixture::digest(&doc).mail().expect("renders");
    let (mail, delivery) = arrived(&sent, json!({}), None).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    let host = "@example.org>";
    for (name, value) in [
        ("to", "gpu-team@example.org"),
        ("subject", sent.subject.as_str()),
        ("date", "Mon, 30 Nov 2026 07:06:00 +0000"),
        ("message-id", &format!("<{}{host}", sent.key)),
        ("references", &format!("<{}{host}", sent.references.as_ref().expect("a thread"))),
        ("list-id", "<reaper-weekly.example.org>"),
        ("list-unsubscribe", "<mailto:gpu-team@example.org?subject=unsubscribe%20reaper-weekly>"),
        ("auto-submitted", "auto-generated"),
    ] {
        assert_eq!(header(&mail, name), value, "{name}");
    }
    assert_eq!(
        mail["structure"],
        json!([
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "image/png",
            "text/csv"
        ])
    );
    let picture = part(&mail, "image/png");
    assert_eq!(picture["magic"], "89504e470d0a1a0a");
    assert_eq!(
        (&picture["disposition"], &picture["file"]),
        (&json!("inline"), &json!("trend.png"))
    );
    let id = picture["cid"].as_str().expect("an id").trim_matches(['<', '>']);
    assert_eq!(text(&mail, "text/html").matches(&format!("src=\"cid:{id}\"")).count(), 1);
    for kind in ["text/plain", "text/html"] {
        for shown in ["Fri 4 Dec 2026 09:00 CET (+01:00)", "25 of 61 shown", "322.50 EUR"] {
            assert!(text(&mail, kind).contains(shown), "{kind}: {shown}");
        }
    }
}

#[tokio::test]
async fn fl_133_the_attached_list_is_read_by_another_and_holds_every_machine_as_text() {
    let doc = crowded(60);
    let sent = fixture::digest(&doc).mail().expect("renders");
    let (mail, _) = arrived(&sent, json!({}), None).await;
    let list = part(&mail, "text/csv");
    assert_eq!(list["file"], "machines.csv");
    let rows = list["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1 + doc.instances.len());
    let columns = rows[0].as_array().expect("cells");
    assert!(rows.iter().all(|row| row.as_array().is_some_and(|row| row.len() == columns.len())));
    let name = columns.iter().position(|column| column == "name").expect("a column of names");
    assert!(rows.iter().any(|row| row[name] == "'=cmd, \"59\""), "{}", rows[60]);
    assert!(!rows.iter().any(|row| row[name].as_str().is_some_and(|name| name.starts_with('='))));
}

#[tokio::test]
async fn fl_135_an_owners_mail_has_no_picture_and_names_nobody_else() {
    let doc = fixture::weekly();
    let alice: Address = "alice@example.org".parse().expect("an address");
    let sent = fixture::to_owner(&doc, &alice).mail().expect("renders");
    let (mail, _) = arrived(&sent, json!({}), None).await;
    assert_eq!(mail["structure"], json!(["multipart/alternative", "text/plain", "text/html"]));
    for kind in ["text/plain", "text/html"] {
        for other in ["bob", "carol", "dave", "nobody"] {
            assert!(!text(&mail, kind).contains(other), "{kind}: {other}");
        }
    }
}

#[tokio::test]
async fn a_server_that_takes_little_gets_the_reduced_form_which_says_so() {
    let doc = crowded(3_000);
    let sent = fixture::digest(&doc).mail().expect("renders");
    let (mail, delivery) = arrived(&sent, json!({"size": 300_000}), None).await;
    let Delivery::Accepted { reply } = &delivery else { panic!("{delivery:?}") };
    assert!(reply.contains("the reduced form: the whole of it has"), "{reply}");
    assert_eq!(mail["structure"], json!(["multipart/alternative", "text/plain", "text/html"]));
    assert_eq!(header(&mail, "message-id"), format!("<{}@example.org>", sent.key));
    for kind in ["text/plain", "text/html"] {
        let text = text(&mail, kind).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("in a reduced form, because the whole of it has ")
                && text.contains(" and the mail server takes at most 292.9 KiB. It shows fewer"),
            "{kind}: {text}"
        );
        assert!(text.contains("5 of 3,001 shown"), "{kind}");
    }
}

#[tokio::test]
async fn a_limit_of_ours_and_a_refusal_after_the_text_lead_to_the_reduced_form_as_well() {
    let doc = crowded(3_000);
    let sent = fixture::digest(&doc).mail().expect("renders");
    let (mail, _) = arrived(&sent, json!({}), Some(300_000)).await;
    assert!(text(&mail, "text/plain").contains("max_size in the"), "{}", text(&mail, "text/plain"));
    let (mail, delivery) = arrived(&sent, json!({"dot_limit": 300_000}), None).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    let text = text(&mail, "text/plain").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the mail server refused the whole of it as too large. It shows"));
}

#[tokio::test]
async fn what_is_too_large_even_when_reduced_is_refused_once_and_for_good() {
    let doc = fixture::weekly();
    let sent = fixture::digest(&doc).mail().expect("renders");
    for config in [json!({"size": 500}), json!({"dot_limit": 500})] {
        let server = Server::start(&config);
        let delivery = mailer(server.settings()).post(&sent).await;
        assert!(matches!(delivery, Delivery::Rejected { permanent: true, .. }), "{delivery:?}");
        let events = server.finish();
        assert!(events.mails().is_empty());
        assert!(events.verbs().iter().filter(|verb| **verb == "DATA").count() <= 2);
    }
}

#[tokio::test]
async fn fl_144_fl_134_hostile_texts_and_other_scripts_arrive_as_one_subject_and_no_header() {
    let mut doc = fixture::weekly();
    doc.instances[0].name = Some("x\r\nBcc: thief@example.net\r\n\r\nbody".to_owned());
    doc.budgets[0].name = "Überwachung-größe-日本".repeat(15);
    let mut sent = fixture::digest(&doc).mail().expect("renders");
    sent.subject = format!("reaper: {}", "Überwachung-größe-日本".repeat(15));
    let (mail, _) = arrived(&sent, json!({}), None).await;
    let read = header(&mail, "subject");
    let kept = read.strip_suffix('…').expect("marked as shortened");
    assert!(sent.subject.starts_with(kept), "{read}");
    let headers = mail["headers"].as_array().expect("a list");
    assert!(!headers.iter().any(|header| header[0] == "bcc"));
    let raw = mail["raw_headers"].as_array().expect("a list");
    assert!(raw.iter().all(|line| line.as_str().is_some_and(str::is_ascii)), "{raw:?}");
}

#[tokio::test]
async fn fl_145_an_owner_outside_ascii_is_addressed_or_said_to_be_unreachable() {
    let doc = fixture::weekly();
    let umlaut: Address = "jürgen@example.org".parse().expect("an address");
    let sent = fixture::to_owner(&doc, &umlaut).mail().expect("renders");
    let server = Server::start(&json!({"smtputf8": false}));
    let delivery = mailer(server.settings()).post(&sent).await;
    assert!(delivery.recipient_is_unreachable(), "{delivery:?}");
    drop(server);
    let (mail, _) = arrived(&sent, json!({"smtputf8": true}), None).await;
    assert_eq!(mail["recipients"], json!(["jürgen@example.org"]));
}
