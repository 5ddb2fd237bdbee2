//! A secret address that messages are posted to: what may be one, attempts and waits within one
//! time limit, and what an answer or its absence means. The address is in no text.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use futures::TryStreamExt as _;
use reaper_http::{
    Answer, ErrorKind, HeaderMap, Request, ReqwestTransport, Response, Transport as _,
    TransportError, Url, retry_after,
};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::{Instant, sleep, timeout};

use crate::delivery::{Delivery, Refused};
use crate::words::short;

/// Attempts that fit into the time limit when nobody answers.
const SILENT_ATTEMPTS: u32 = 3;
/// A host that does not take a connection in this time is not reachable.
const CONNECT: Duration = Duration::from_secs(5);
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// How long the words of an answer are waited for: its status has decided already.
const WORDS: Duration = Duration::from_secs(2);
/// More of an answer is not read: only its first words are shown.
const ANSWER_LIMIT: usize = 4096;
/// Characters of an answer that are shown.
const SHOWN: usize = 120;
/// Shorter parts of an address are no secrets, and would blot out ordinary words.
const SHORTEST_SECRET: usize = 8;

/// A secret address, and how long is talked to it.
#[derive(Debug, Clone)]
pub struct Target {
    /// HTTPS, or HTTP to this machine; without a login.
    pub url: SecretString,
    /// Everything said about one message, further attempts and waits included.
    pub timeout: Duration,
    /// A PEM file of authorities that are trusted besides the system's.
    pub ca_bundle: Option<PathBuf>,
}

/// Why nothing can be sent to an address. None of it is in the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is no URL.
    #[error("the address is no URL")]
    NoUrl,
    /// Credentials do not belong into it.
    #[error("the address has a login in it")]
    Login,
    /// It would be readable on the way, or is of another kind.
    #[error("the address does not begin with https:// (http:// is for this machine only)")]
    Clear,
    /// HTTP cannot be set up.
    #[error("{0}")]
    Setup(String),
}

/// What may be repeated when it is not known whether a message has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubles {
    /// The receiver knows a message by its key: it is sent again.
    Dropped,
    /// The receiver would show it twice: it is not.
    Shown,
}

/// A checked address with the means to post to it.
pub(crate) struct Endpoint {
    url: Url,
    host: String,
    timeout: Duration,
    doubles: Doubles,
    transport: ReqwestTransport,
}

/// What came of one attempt.
enum Attempt {
    /// The receiver has it.
    Done(String),
    /// The receiver has refused it, and would again.
    Refused { what: Refused, why: String },
    /// It does not have it, and may take it later; it may have asked for a wait.
    Later { wait: Option<Duration>, why: String },
    /// It may have it.
    Open { why: String },
    /// It cannot be reached or trusted, also later.
    Hopeless { why: String },
}

impl Endpoint {
    /// Checks the address and reads the trusted certificates; connects nowhere yet.
    pub(crate) fn new(target: &Target, doubles: Doubles) -> Result<Self, TargetError> {
        let url = checked(target.url.expose_secret())?;
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let connect = CONNECT.min(target.timeout / (2 * SILENT_ATTEMPTS));
        let transport = ReqwestTransport::new(target.ca_bundle.as_deref(), connect)
            .map_err(TargetError::Setup)?;
        Ok(Self { url, host, timeout: target.timeout, doubles, transport })
    }

    /// The address itself, for one that is derived from it.
    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    /// Posts one message to the address, or to one derived from it. `at` is the clock of the run,
    /// from which dates in answers are counted.
    pub(crate) async fn post(
        &self,
        url: &Url,
        at: DateTime<Utc>,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Delivery {
        let end = Instant::now() + self.timeout;
        let mut backoff = FIRST_WAIT;
        // The last attempt that may have got through without an answer.
        let mut open: Option<String> = None;
        loop {
            let request = Request::post(url.clone(), headers.clone(), body.clone());
            let (wait, why) = match self.attempt(request, at, end).await {
                Attempt::Done(reply) => return Delivery::Accepted { reply },
                Attempt::Refused { what, why } => {
                    return Delivery::Rejected { what, permanent: true, why };
                }
                Attempt::Hopeless { why } => {
                    return open.map_or_else(
                        || Delivery::Rejected { what: Refused::Server, permanent: true, why },
                        |why| Delivery::PossiblySent { why },
                    );
                }
                Attempt::Open { why } if self.doubles == Doubles::Shown => {
                    return Delivery::PossiblySent { why };
                }
                Attempt::Open { why } => {
                    open = Some(why.clone());
                    (None, why)
                }
                Attempt::Later { wait, why } => (wait, why),
            };
            let pause = wait.unwrap_or(backoff);
            backoff = (backoff * 2).min(LONGEST_WAIT);
            let left = end.saturating_duration_since(Instant::now());
            if pause >= left {
                let why = match wait {
                    Some(wait) => format!(
                        "{why}; it asks for a wait of {} s, and {} s are left",
                        wait.as_secs(),
                        left.as_secs()
                    ),
                    None => why,
                };
                return open.map_or_else(
                    || Delivery::Rejected { what: Refused::Server, permanent: false, why },
                    |why| Delivery::PossiblySent { why },
                );
            }
            tracing::debug!(host = %self.host, wait_ms = pause.as_millis(), "{why}: trying again");
            sleep(pause).await;
        }
    }

    async fn attempt(&self, request: Request, at: DateTime<Utc>, end: Instant) -> Attempt {
        let left = end.saturating_duration_since(Instant::now());
        let limit = left.min(self.timeout / SILENT_ATTEMPTS);
        let Ok(sent) = timeout(limit, self.transport.send(request)).await else {
            let why = format!("{}: no answer within {limit:?}", self.host);
            return Attempt::Open { why: short(&why, 2 * SHOWN) };
        };
        match sent {
            Err(error) => failed(error),
            Ok(response) => {
                let left = end.saturating_duration_since(Instant::now());
                self.answered(&read(response, left.min(WORDS)).await, at)
            }
        }
    }

    fn answered(&self, answer: &Answer, at: DateTime<Utc>) -> Attempt {
        let status = answer.status;
        let said = self.words(answer);
        let why = format!("{} answers {status}{said}", self.host);
        let refused = |what| Attempt::Refused { what, why: why.clone() };
        match status.as_u16() {
            200..=299 => Attempt::Done(format!("{status}{said}")),
            300..=399 => Attempt::Refused {
                what: Refused::Server,
                why: format!("{why}, a redirect, and the message goes to the configured host only"),
            },
            408 | 425 | 429 | 500.. => Attempt::Later { wait: retry_after(answer, at), why },
            // The address is not, or no longer, one that takes messages of ours.
            401 | 403 | 404 | 410 => refused(Refused::Recipient),
            _ => refused(Refused::Mail),
        }
    }

    /// The answer's first words, unless they repeat what is secret.
    fn words(&self, answer: &Answer) -> String {
        let said = short(&answer.excerpt(), SHOWN);
        let text = String::from_utf8_lossy(&answer.body);
        let mut parts = self.url.path_segments().into_iter().flatten();
        let repeats = |part: &str| part.len() >= SHORTEST_SECRET && text.contains(part);
        if parts.any(repeats) || self.url.query().is_some_and(repeats) {
            return " (the answer repeats the address)".to_owned();
        }
        if said.is_empty() { said } else { format!(" \"{said}\"") }
    }
}

fn failed(error: TransportError) -> Attempt {
    // The transport names the host and never the address.
    let why = short(&error.detail, 2 * SHOWN);
    match (error.kind, error.delivery) {
        (ErrorKind::Untrusted | ErrorKind::Invalid, _) => Attempt::Hopeless { why },
        (_, reaper_http::Delivery::NotSent) => Attempt::Later { wait: None, why },
        _ => Attempt::Open { why },
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.host)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

fn checked(text: &str) -> Result<Url, TargetError> {
    let url = Url::parse(text.trim()).map_err(|_| TargetError::NoUrl)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TargetError::Login);
    }
    match url.scheme() {
        "https" if url.has_host() => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(TargetError::Clear),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_matches(['[', ']']);
    bare == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// The status, and of the body what comes in time: it decides nothing.
async fn read(response: Response, limit: Duration) -> Answer {
    let Response { status, headers, mut body } = response;
    let mut read = BytesMut::new();
    let pieces = async {
        while read.len() < ANSWER_LIMIT {
            match body.try_next().await {
                Ok(Some(piece)) => read.extend_from_slice(&piece),
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!("the answer broke off: {}", error.detail);
                    break;
                }
            }
        }
    };
    if timeout(limit, pieces).await.is_err() {
        tracing::debug!(%status, "the answer's text was not waited for any longer");
    }
    read.truncate(ANSWER_LIMIT);
    Answer { status, headers, body: read.freeze() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> Target {
        Target { url: url.into(), timeout: Duration::from_secs(3), ca_bundle: None }
    }

    #[test]
    fn an_address_in_the_clear_stays_on_this_machine() {
        for (url, error) in [
            ("http://hooks.example.org/hunter2-x", TargetError::Clear),
            ("http://10.0.0.1/hunter2-x", TargetError::Clear),
            ("http://localhost.example.org/hunter2-x", TargetError::Clear),
            ("ftp://hooks.example.org/hunter2-x", TargetError::Clear),
            ("file:///hunter2-x", TargetError::Clear),
            ("https://me:hunter2@hooks.example.org/", TargetError::Login),
            ("https://hunter2@hooks.example.org/", TargetError::Login),
            ("hunter2", TargetError::NoUrl),
            ("", TargetError::NoUrl),
        ] {
            let found = Endpoint::new(&target(url), Doubles::Shown).expect_err("refused");
            assert_eq!(found, error, "{url}");
            assert!(!format!("{found} {found:?}").contains("hunter2"));
        }
        for url in [
            "https://hooks.example.org/hunter2-x",
            "http://127.0.0.1:8080/hunter2-x",
            "http://localhost/hunter2-x",
            "http://[::1]:1/hunter2-x",
        ] {
            let endpoint = Endpoint::new(&target(url), Doubles::Shown).expect("accepted");
            assert!(!format!("{endpoint:?} {:?}", target(url)).contains("hunter2"));
        }
    }
}
