//! What arrives, as Python's `email` reads it.

use reaper_model::OnLimit;
use reaper_model::document::{AlertStatus, Basis, BudgetStatus, BudgetView};
use reaper_notify::alert::{Against, Repeat, Why};
use reaper_notify::notice::{Kind, Notice, Planned, Row};
use reaper_notify::{Alert, Delivery, Mail, Post as _, Smtp};
use serde_json::{Value, json};

use crate::server::{Server, mail, mailer};

fn row(name: &str) -> Row {
    Row {
        id: "aws/111122223333/eu-west-1/i-0abc".parse().expect("an id"),
        provider: "AWS".to_owned(),
        account: "research".into(),
        name: Some(name.to_owned()),
        machine_type: "p4d.24xlarge".into(),
        gpu: Some("8 × A100".to_owned()),
        age: Some("30d 0h".to_owned()),
        cost_so_far: Some("2520 EUR".parse().expect("money")),
        per_month: Some("2520 EUR".parse().expect("money")),
        reasons: vec!["no tag names an owner (rule ownerless)".to_owned()],
        planned: Planned::Stop { due: "2026-12-04T08:00:00Z".parse().expect("a time") },
        still_charged: Vec::new(),
        losses: Vec::new(),
        keep: vec!["reaper keep aws/111122223333/eu-west-1/i-0abc --until 2026-12-18".to_owned()],
        restart: None,
        hastened_by: Vec::new(),
        scarce: true,
        owner: Some("Alice <b>".to_owned()),
        fallback: None,
    }
}

fn noticed(rows: Vec<Row>) -> Mail {
    let zone = chrono_tz::Europe::Amsterdam;
    let rendered =
        Notice { kind: Kind::Stop, zone, contact: None, rows }.render().expect("renders");
    Mail {
        subject: rendered.subject,
        text: rendered.text,
        html: rendered.html,
        attachment: rendered.attachment,
        ..mail("alice@example.org")
    }
}

/// Sends the mail and gives it as it arrived.
async fn arrived(mail: &Mail, change: impl FnOnce(Smtp) -> Smtp) -> Value {
    let server = Server::start(&json!({}));
    let delivery = mailer(change(server.settings())).post(mail).await;
    assert!(matches!(delivery, Delivery::Accepted { .. }), "{delivery:?}");
    let events = server.finish();
    assert_eq!(events.recipients(), [mail.to.to_string()]);
    let arrived = events.mails()[0].clone();
    assert_eq!(arrived["defects"], json!([]), "{arrived}");
    assert!(arrived["longest_line"].as_u64().expect("a number") <= 998);
    arrived
}

fn headers<'a>(mail: &'a Value, name: &str) -> Vec<&'a str> {
    let all = mail["headers"].as_array().expect("a list");
    let named = all.iter().filter(|header| header[0] == name);
    named.map(|header| header[1].as_str().expect("text")).collect()
}

fn part<'a>(mail: &'a Value, kind: &str) -> &'a str {
    let parts = mail["parts"].as_array().expect("a list");
    let part = parts.iter().find(|part| part["type"] == kind).expect("such a part");
    part["text"].as_str().expect("text")
}

#[tokio::test]
async fn a_notice_arrives_with_its_headers_and_both_parts() {
    let mail =
        Mail { references: Some("case-1".parse().expect("a key")), ..noticed(vec![row("a")]) };
    let reply_to = Some("gpu-team@example.org".parse().expect("an address"));
    let mail = arrived(&mail, |settings| Smtp { reply_to, ..settings }).await;
    for (name, value) in [
        ("from", "reaper <reaper@example.org>"),
        ("to", "alice@example.org"),
        ("reply-to", "gpu-team@example.org"),
        (
            "subject",
            "reaper: 1 machine will be stopped, Fri 4 Dec 09:00 CET, 2,520.00 EUR a month at stake",
        ),
        ("date", "Tue, 01 Dec 2026 08:00:00 +0000"),
        ("message-id", "<case-1.notice@example.org>"),
        ("references", "<case-1@example.org>"),
        ("auto-submitted", "auto-generated"),
        ("x-auto-response-suppress", "All"),
    ] {
        assert_eq!(headers(&mail, name), [value], "{name}");
    }
    assert_eq!(mail["sender"], "reaper@example.org");
    assert_eq!(mail["structure"], json!(["multipart/alternative", "text/plain", "text/html"]));
    for kind in ["text/plain", "text/html"] {
        let text = part(&mail, kind);
        for shown in ["Fri 4 Dec 2026 09:00 CET (+01:00)", "8 × A100", "2,520.00 EUR"] {
            assert!(text.contains(shown), "{kind}: {text}");
        }
    }
    assert!(part(&mail, "text/plain").contains("Alice <b>"));
    assert!(part(&mail, "text/html").contains("Alice &#60;b&#62;"));
}

#[tokio::test]
async fn fl_115_an_alert_arrives_with_the_names_by_which_doubles_are_known() {
    let (budget, covers) = (budget(), ["50%".to_owned(), "80%".to_owned()]);
    let alert = Alert {
        key: "alert-80.finance".parse().expect("a key"),
        thread: "budget-all-gpu.2026-11".parse().expect("a key"),
        id: "all-gpu/2026-11/actual/80%/5000 EUR",
        to: "finance@example.org".parse().expect("an address"),
        at: "2026-11-30T08:00:00Z".parse().expect("a time"),
        zone: chrono_tz::Europe::Amsterdam,
        contact: None,
        budget: &budget,
        scope: Some("project Alice <b>"),
        covers: &covers,
        against: Against::Actual,
        why: Why::Recipient,
        repeat: Some(Repeat::NoHistory),
        machines: &[],
        stops: &[],
        bills: &[],
    };
    let mail = arrived(&alert.mail().expect("renders"), |settings| settings).await;
    for (name, value) in [
        ("to", "finance@example.org"),
        (
            "subject",
            "Budget all-gpu: 50 % and 80 % reached (4,212.00 EUR of 5,000.00 EUR, November 2026)",
        ),
        ("message-id", "<alert-80.finance@example.org>"),
        ("references", "<budget-all-gpu.2026-11@example.org>"),
        ("x-reaper-alert", "all-gpu/2026-11/actual/80%/5000 EUR"),
        ("auto-submitted", "auto-generated"),
    ] {
        assert_eq!(headers(&mail, name), [value], "{name}");
    }
    assert_eq!(mail["structure"], json!(["multipart/alternative", "text/plain", "text/html"]));
    for kind in ["text/plain", "text/html"] {
        let text = part(&mail, kind);
        for shown in ["4,212.00 EUR of 5,000.00 EUR", "There is no alert history", "estimate from"]
        {
            assert!(text.contains(shown), "{kind}: {text}");
        }
    }
    assert!(part(&mail, "text/plain").contains("██████████│"));
    assert!(part(&mail, "text/html").contains("Alice &#60;b&#62;"));
}

fn budget() -> BudgetView {
    let time = |text: &str| text.parse().expect("a time");
    BudgetView {
        name: "all-gpu".to_owned(),
        period: "2026-11".to_owned(),
        from: time("2026-11-01T00:00:00+01:00"),
        until: time("2026-12-01T00:00:00+01:00"),
        limit: "5000 EUR".parse().expect("money"),
        spent: "4212 EUR".parse().expect("money"),
        basis: Basis::Estimate,
        at_least: false,
        why: Vec::new(),
        percent: "84.2".to_owned(),
        status: BudgetStatus::Warn,
        forecast: None,
        forecast_if_stopped: None,
        run_rate: None,
        forecast_why: None,
        thresholds: ["50%", "80%"].map(str::to_owned).to_vec(),
        reached: ["50%", "80%"].map(str::to_owned).to_vec(),
        forecast_reached: Vec::new(),
        new: ["50%", "80%"].map(str::to_owned).to_vec(),
        alert: AlertStatus::Due,
        at_todays_rates: None,
        on_limit: OnLimit::Report,
    }
}

#[tokio::test]
async fn fl_144_a_long_subject_outside_ascii_is_one_encoded_header() {
    let subject = "Überwachung-größe-日本".repeat(15);
    let mail = arrived(&Mail { subject: subject.clone(), ..mail("a@example.org") }, |s| s).await;
    let [read] = headers(&mail, "subject")[..] else { panic!("one subject: {mail}") };
    let kept = read.strip_suffix('…').expect("marked as shortened");
    assert!(subject.starts_with(kept) && kept.chars().count() == 179, "{read}");
    let raw = mail["raw_headers"].as_array().expect("a list");
    assert!(raw.iter().all(|line| line.as_str().is_some_and(str::is_ascii)), "{raw:?}");
}

#[tokio::test]
async fn fl_144_a_short_subject_outside_ascii_comes_back_as_it_was() {
    let subject = "reaper: Überwachung größe 日本 🚀".to_owned();
    let mail = arrived(&Mail { subject: subject.clone(), ..mail("a@example.org") }, |s| s).await;
    assert_eq!(headers(&mail, "subject"), [subject]);
}

#[tokio::test]
async fn fl_134_a_line_break_adds_no_header_and_no_recipient() {
    let evil = "x\r\nBcc: thief@example.net\r\n\r\nbody";
    let mut mail = noticed(vec![row(evil)]);
    mail.subject = evil.to_owned();
    let mail =
        arrived(&mail, |settings| Smtp { from_name: Some(evil.to_owned()), ..settings }).await;
    assert!(headers(&mail, "bcc").is_empty());
    assert_eq!(headers(&mail, "subject"), ["x⟨d⟩⟨a⟩Bcc: thief@example.net⟨d⟩⟨a⟩⟨d⟩⟨a⟩body"]);
    assert!(headers(&mail, "from")[0].ends_with("<reaper@example.org>"));
    assert!(part(&mail, "text/plain").contains("x⟨d⟩⟨a⟩Bcc:"));
}

#[tokio::test]
async fn machines_that_do_not_fit_are_in_the_attached_list() {
    let rows: Vec<Row> = (0..400).map(|number| row(&format!("=machine-{number}"))).collect();
    let mail = arrived(&noticed(rows), |settings| settings).await;
    assert_eq!(
        mail["structure"],
        json!(["multipart/mixed", "multipart/alternative", "text/plain", "text/html", "text/csv"])
    );
    let list = part(&mail, "text/csv");
    assert_eq!(list.lines().count(), 401);
    assert!(list.contains(",'=machine-399,") && !list.contains(",=machine"), "{list}");
    assert!(part(&mail, "text/html").contains("all 400 are in the attached machines.csv"));
}

#[tokio::test]
async fn lines_of_one_dot_arrive_and_end_nothing() {
    let text = "before\n.\n..\n.after\n".to_owned();
    let mail = arrived(&Mail { text, ..mail("a@example.org") }, |settings| settings).await;
    let text = part(&mail, "text/plain");
    assert!(text.contains("before\n.\n..\n.after\n"), "{text:?}");
}
