//! When requests are signed, and what becomes of a time that the provider refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;
use reaper_http::{Answer, Call, Client, Dialect, Method, Pace, Refusal, Signer};
use reaper_provider::account::CallLimits;
use reaper_provider::{CallContext, ErrorKind, ProviderError};
use serde_json::Value;
use tokio::time::Instant;

use crate::scripted::{Scripted, UNPACED, context, ok, status, url};

/// Writes the time of the signature into the query. Signing needs a login, which is a call of the
/// same pace. A 400 means that the time is wrong.
#[derive(Debug)]
struct Timed {
    login: Option<Client>,
    zero: Instant,
    keeps_time: bool,
    forgotten: AtomicU32,
}

impl Timed {
    fn new(login: Option<Client>, keeps_time: bool) -> Arc<Self> {
        Arc::new(Self { login, zero: Instant::now(), keeps_time, forgotten: AtomicU32::new(0) })
    }
}

#[async_trait]
impl Dialect for Timed {
    async fn signer(&self, cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        if let Some(login) = &self.login {
            login.send(cx, &Call::ask("x:Login", url("https://example.org/login"))).await?;
        }
        Ok(Box::new(|request| {
            let now = self.zero.elapsed().as_millis().to_string();
            request.url.query_pairs_mut().append_pair("signed", &now);
            Ok(())
        }))
    }

    async fn forget_time(&self) -> bool {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.keeps_time
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        if answer.status == 400 {
            return Refusal::new(ErrorKind::ClockSkew, "out of time");
        }
        Refusal::by_status(call, answer)
    }
}

fn read() -> Call {
    Call::read("x:List", url("https://example.org/list"))
}

#[tokio::test(start_paused = true)]
async fn fl_080_a_request_that_waits_for_its_turn_is_signed_when_the_turn_has_come() {
    let (script, cx) = (Scripted::new([ok("{}")]), context());
    let pace = Pace { per_second: Some(1), in_flight: 1 };
    let login = Client::over(script.clone(), &CallLimits::default(), pace, Timed::new(None, true));
    let client = login.speaking(Timed::new(Some(login.clone()), true));
    let call = read();
    let calls = (0..150).map(|_| client.json::<Value>(&cx, &call));
    assert!(join_all(calls).await.iter().all(Result::is_ok));

    let mut sent = Duration::ZERO;
    let waits = script.waits().into_iter().map(Duration::from_secs_f64);
    let times = std::iter::once(Duration::ZERO).chain(waits.map(|wait| {
        sent += wait;
        sent
    }));
    let signed: Vec<String> = times.map(|time| format!("signed={}", time.as_millis())).collect();
    assert_eq!(signed.len(), 300, "each call with its login");
    assert_eq!(script.queries(), signed);
}

/// What one call over a client with this dialect comes to: its error, how often the time was
/// forgotten, and the requests sent.
async fn refused(keeps_time: bool, refusals: usize, call: &Call) -> (Option<ErrorKind>, u32, u32) {
    let lines = vec![status(400, &[]); refusals].into_iter().chain([ok("{}")]);
    let (dialect, cx) = (Timed::new(None, keeps_time), context());
    let limits = CallLimits { attempts: 1, ..CallLimits::default() };
    let client = Client::over(Scripted::new(lines), &limits, UNPACED, dialect.clone());
    let error = client.json::<Value>(&cx, call).await.err().map(|error| error.kind);
    (error, dialect.forgotten.load(Ordering::SeqCst), cx.requests.sent())
}

#[tokio::test(start_paused = true)]
async fn fl_080_a_read_that_was_refused_for_its_time_is_signed_anew_once() {
    let skew = Some(ErrorKind::ClockSkew);
    assert_eq!(refused(true, 1, &read()).await, (None, 1, 2));
    assert_eq!(refused(true, 2, &read()).await, (skew.clone(), 1, 2));
    assert_eq!(refused(false, 1, &read()).await, (skew.clone(), 1, 1));
    let change = Call::change("x:Stop", Method::POST, url("https://example.org/stop"));
    assert_eq!(refused(true, 1, &change).await, (skew, 0, 1));
}
