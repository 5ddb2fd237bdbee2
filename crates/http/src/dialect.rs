//! What differs between providers: how requests are signed and what refusals mean.

use std::fmt;

use async_trait::async_trait;
use http::StatusCode;
use http::header::LOCATION;
use reaper_provider::{CallContext, ErrorKind, ProviderError};
use url::Url;

use crate::answer::Answer;
use crate::call::{Call, Request};

/// Puts the credentials on one request, in the moment before it is sent.
pub type Signer<'a> = Box<dyn FnOnce(&mut Request) -> Result<(), ProviderError> + Send + 'a>;

/// How one provider is spoken to. One object per account; it holds the credentials.
#[async_trait]
pub trait Dialect: Send + Sync + fmt::Debug {
    /// Gets what signing needs, a token or the server's time, by calls of its own where it must,
    /// and returns what signs with it. Called before every attempt, so that a token can be renewed
    /// in between, and before the attempt waits for its turn, because such calls take turns too.
    /// The signer itself runs within the turn: a signature carries the time at which it is sent.
    async fn signer(&self, cx: &CallContext) -> Result<Signer<'_>, ProviderError>;

    /// Told that the provider found a request's time wrong ([`ErrorKind::ClockSkew`]). Whoever keeps
    /// the server's time forgets it and says `true`: the next signer asks anew, so that repeating
    /// the call makes sense.
    async fn forget_time(&self) -> bool {
        false
    }

    /// What an answer that is no success means. The kind decides about repetition: reads are
    /// repeated on `Throttled`, `ServerFault`, `Timeout` and `Unreachable`. Secrets of the request
    /// are masked in `answer` already. [`Refusal::by_status`] is the fallback for bodies that are
    /// not the provider's own.
    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal;
}

/// What a refusal means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// For decisions.
    pub kind: ErrorKind,
    /// The provider's own code and words, for people.
    pub detail: String,
    /// The provider's id of the request, where the body carries it; else headers are looked at.
    pub request_id: Option<String>,
}

impl Refusal {
    /// A refusal with the provider's own words.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), request_id: None }
    }

    /// What the bare status says, with an excerpt of the body.
    pub fn by_status(call: &Call, answer: &Answer) -> Self {
        let status = answer.status;
        let mut detail = format!("HTTP {}", status.as_u16());
        if let Some(host) = redirect_host(answer) {
            detail = format!("{detail}, sends us to {host}, which is not followed");
        }
        let excerpt = answer.excerpt();
        if !excerpt.is_empty() {
            detail = format!("{detail}: {excerpt}");
        }
        Self::new(kind_of_status(status, call), detail)
    }
}

/// What a status means where the provider says nothing more.
pub fn kind_of_status(status: StatusCode, call: &Call) -> ErrorKind {
    match status.as_u16() {
        400 | 405 | 406 | 411..=417 | 422 => ErrorKind::Invalid,
        401 => ErrorKind::CredentialsRejected,
        403 => ErrorKind::Denied { permission: call.needed_permission().to_owned() },
        404 | 410 => ErrorKind::NotFound,
        408 => ErrorKind::Timeout,
        409 | 423 => ErrorKind::Conflict,
        425 | 429 => ErrorKind::Throttled,
        500..=599 => ErrorKind::ServerFault,
        _ => ErrorKind::Protocol,
    }
}

fn redirect_host(answer: &Answer) -> Option<String> {
    let target = Url::parse(answer.header(LOCATION.as_str())?).ok()?;
    answer.status.is_redirection().then(|| target.host_str().map(str::to_owned)).flatten()
}
