//! A transport that answers from a script and notes when it was asked, and what tests share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, stream};
use reaper_http::header::{HeaderName, HeaderValue};
use reaper_http::{
    Answer, Call, Client, Dialect, Pace, Refusal, Request, Response, Signer, StatusCode, Transport,
    TransportError, Url,
};
use reaper_provider::account::CallLimits;
use reaper_provider::{CallContext, ProviderError, RequestCounter};
use secrecy::SecretString;
use tokio::time::Instant;

/// The credential of all tests; it may be in no text.
pub(crate) const CANARY: &str = "canary-5d41402abc4b";

/// Signs with the canary and knows no words of its own.
#[derive(Debug)]
pub(crate) struct Plain;

#[async_trait]
impl Dialect for Plain {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        Ok(Box::new(|request| request.bearer(&SecretString::from(CANARY))))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        Refusal::by_status(call, answer)
    }
}

pub(crate) fn context() -> CallContext {
    CallContext {
        now: "2026-11-28T09:00:00Z".parse().expect("valid"),
        requests: RequestCounter::default(),
    }
}

pub(crate) fn url(text: &str) -> Url {
    Url::parse(text).expect("valid")
}

pub(crate) const UNPACED: Pace = Pace { per_second: None, in_flight: 8 };

/// One line of a script.
#[derive(Debug, Clone)]
pub(crate) enum Line {
    /// An answer: status, headers, body.
    Say(u16, Vec<(&'static str, &'static str)>, String),
    /// No answer.
    Lose(TransportError),
}

pub(crate) fn ok(body: &str) -> Line {
    Line::Say(200, Vec::new(), body.to_owned())
}

pub(crate) fn status(code: u16, headers: &[(&'static str, &'static str)]) -> Line {
    Line::Say(code, headers.to_vec(), String::new())
}

/// Answers line by line; after the last line the last one again.
#[derive(Debug)]
pub(crate) struct Scripted {
    lines: Mutex<VecDeque<Line>>,
    zero: Instant,
    asked: Mutex<Vec<(Duration, Url)>>,
}

impl Scripted {
    pub(crate) fn new(lines: impl IntoIterator<Item = Line>) -> Arc<Self> {
        Arc::new(Self {
            lines: Mutex::new(lines.into_iter().collect()),
            zero: Instant::now(),
            asked: Mutex::default(),
        })
    }

    pub(crate) fn client(self: &Arc<Self>, attempts: u32) -> Client {
        let limits = CallLimits { attempts, ..CallLimits::default() };
        Client::over(self.clone(), &limits, UNPACED, Arc::new(Plain))
    }

    /// Seconds between one request and the next.
    pub(crate) fn waits(&self) -> Vec<f64> {
        let asked = self.asked.lock().expect("not poisoned");
        asked.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0).as_secs_f64()).collect()
    }

    /// The queries of all requests.
    pub(crate) fn queries(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("not poisoned");
        asked.iter().map(|(_, url)| url.query().unwrap_or_default().to_owned()).collect()
    }
}

#[async_trait]
impl Transport for Scripted {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        self.asked.lock().expect("not poisoned").push((self.zero.elapsed(), request.url));
        let mut lines = self.lines.lock().expect("not poisoned");
        let line = if lines.len() > 1 { lines.pop_front() } else { lines.front().cloned() };
        let (code, headers, body) = match line.expect("a script has a line") {
            Line::Say(code, headers, body) => (code, headers, body),
            Line::Lose(error) => return Err(error),
        };
        let headers = headers
            .into_iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Ok(Response {
            status: StatusCode::from_u16(code).expect("valid"),
            headers: headers.collect(),
            body: stream::iter([Ok(Bytes::from(body))]).boxed(),
        })
    }
}
