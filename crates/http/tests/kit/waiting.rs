//! Repetition and its waits, to the millisecond, on tokio's paused clock.

use reaper_http::{Call, Method, TransportError};
use reaper_provider::{Delivery, ErrorKind, ProviderError};
use serde_json::Value;

use crate::scripted::{Line, Scripted, context, ok, status, url};

fn read() -> Call {
    Call::read("x:List", url("https://example.org/list"))
}

fn lost(kind: ErrorKind, delivery: Delivery) -> Line {
    Line::Lose(TransportError { kind, delivery, detail: "example.org: gone".into() })
}

/// Runs one call over a script: the result, the waits, and the counted requests.
async fn run(
    lines: impl IntoIterator<Item = Line>,
    call: Call,
) -> (Result<Value, ProviderError>, Vec<f64>, u32) {
    let script = Scripted::new(lines);
    let cx = context();
    let result = script.client(4).json(&cx, &call).await;
    (result, script.waits(), cx.requests.sent())
}

#[tokio::test(start_paused = true)]
async fn fl_069_what_retry_after_asks_for_is_waited() {
    for (header, wait) in [
        ("3", 3.0),
        ("Sat, 28 Nov 2026 09:00:03 GMT", 3.0),
        ("Sat, 28 Nov 2026 08:59:00 GMT", 0.5),
        ("soon", 0.5),
        ("0", 0.5),
    ] {
        let (result, waits, sent) =
            run([status(429, &[("retry-after", header)]), ok("{}")], read()).await;
        assert!(result.is_ok(), "{header}: {result:?}");
        assert_eq!((waits.as_slice(), sent), (&[wait][..], 2), "{header}");
    }
}

#[tokio::test(start_paused = true)]
async fn fl_069_a_day_is_not_slept_through() {
    let (result, waits, sent) =
        run([status(429, &[("retry-after", "86400")]), ok("{}")], read()).await;
    let error = result.expect_err("gives up");
    assert_eq!(error.kind, ErrorKind::Throttled);
    assert_eq!(error.retry_after.map(|wait| wait.as_secs()), Some(86_400));
    assert_eq!((waits.len(), sent), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn fl_069_a_wait_that_no_clock_can_hold_is_given_up() {
    for endless in ["18446744073709551615", "18446744073709551616", "99999999999999999999"] {
        // The second refusal adds its wait to that of the first.
        let refusals = ["3", endless].map(|wait| status(429, &[("retry-after", wait)]));
        let (result, waits, sent) = run(refusals, read()).await;
        assert_eq!(result.expect_err("gives up").kind, ErrorKind::Throttled, "{endless}");
        assert_eq!((waits.as_slice(), sent), (&[3.0][..], 2), "{endless}");
    }
}

#[tokio::test(start_paused = true)]
async fn waits_asked_for_end_with_the_patience() {
    let (result, waits, _) = run([status(503, &[("retry-after", "25")])], read()).await;
    assert_eq!(result.expect_err("gives up").kind, ErrorKind::ServerFault);
    assert_eq!(waits, [25.0, 25.0]);
}

#[tokio::test(start_paused = true)]
async fn fl_074_a_failing_service_is_asked_so_often_and_no_more() {
    let (result, waits, sent) = run([status(500, &[])], read()).await;
    let error = result.expect_err("gives up");
    assert_eq!(error.kind, ErrorKind::ServerFault);
    assert!(error.detail.starts_with("after 4 attempts: HTTP 500"), "{error}");
    assert_eq!((waits.as_slice(), sent), (&[0.5, 1.0, 2.0][..], 4));
}

#[tokio::test(start_paused = true)]
async fn fl_071_a_gateways_page_passes() {
    let html = "<html><h1>Bad Gateway</h1></html>";
    let page = |code| Line::Say(code, vec![("content-type", "text/html")], html.to_owned());
    let (result, _, sent) = run([page(502), page(200), ok("[1]")], read()).await;
    assert_eq!(result.expect("third time lucky"), serde_json::json!([1]));
    assert_eq!(sent, 3);
}

#[tokio::test(start_paused = true)]
async fn json_that_ends_too_early_is_read_again_and_a_wrong_shape_is_not() {
    let (result, _, sent) = run([ok(r#"{"a": [1, "#), ok("{}")], read()).await;
    assert!(result.is_ok());
    assert_eq!(sent, 2);
    let script = Scripted::new([ok(r#"{"a": "canary-5d41402abc4b"}"#)]);
    let cx = context();
    let error = script.client(4).json::<Vec<u32>>(&cx, &read()).await.expect_err("an object");
    assert_eq!((error.kind.clone(), cx.requests.sent()), (ErrorKind::Protocol, 1));
    assert!(!error.to_string().contains("canary"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_change_is_sent_once_unless_it_never_left() {
    let change = || Call::change("x:Stop", Method::POST, url("https://example.org/stop"));
    for line in [
        status(500, &[]),
        status(429, &[("retry-after", "1")]),
        lost(ErrorKind::Timeout, Delivery::MaybeSent),
        lost(ErrorKind::Unreachable, Delivery::MaybeSent),
    ] {
        let (result, _, sent) = run([line, ok("{}")], change()).await;
        assert!(result.is_err());
        assert_eq!(sent, 1);
    }
    let never_left = lost(ErrorKind::Unreachable, Delivery::NotSent);
    let (result, _, sent) = run([never_left, ok("{}")], change()).await;
    assert!(result.is_ok());
    assert_eq!(sent, 2);
}

#[tokio::test(start_paused = true)]
async fn fl_073_distrust_is_final() {
    let (result, _, sent) = run([lost(ErrorKind::Untrusted, Delivery::NotSent)], read()).await;
    assert_eq!(result.expect_err("untrusted").kind, ErrorKind::Untrusted);
    assert_eq!(sent, 1);
}

#[tokio::test(start_paused = true)]
async fn fl_083_a_refusal_that_quotes_the_key_is_masked() {
    let body = "bad token canary-5d41402abc4b".to_owned();
    let refusal = Line::Say(401, vec![("x-request-id", "r-1")], body);
    let (result, _, sent) = run([refusal], read()).await;
    let error = result.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert_eq!(
        error.to_string(),
        "x:List: credentials refused (HTTP 401: bad token [secret]) [request r-1]"
    );
    assert_eq!(sent, 1);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_not_followed_and_its_host_is_named() {
    let line = status(302, &[("location", "https://evil.example/?t=1")]);
    let (result, _, sent) = run([line], read()).await;
    let error = result.expect_err("not followed");
    assert_eq!((error.kind, sent), (ErrorKind::Protocol, 1));
    assert_eq!(error.detail, "HTTP 302, sends us to evil.example, which is not followed");
}
