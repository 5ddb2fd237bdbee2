//! The client of one account: pace, signing, deadline, repetition and decoding around a transport.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use reaper_provider::account::CallLimits;
use reaper_provider::{
    AccountSettings, CallContext, Delivery, ErrorKind, OpenError, ProviderError,
};
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use crate::answer::Answer;
use crate::call::{Call, Request};
use crate::dialect::{Dialect, Signer};
use crate::pace::{Pace, Pacer};
use crate::reqwest_transport::{CONNECT_TIMEOUT, ReqwestTransport};
use crate::retry::{Retry, retry_after};
use crate::secret::scrub;
use crate::transport::{Transport, TransportError};

/// Calls one account's API. Cheap to clone; clones share connections and pace.
#[derive(Debug, Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
    dialect: Arc<dyn Dialect>,
    pacer: Arc<Pacer>,
    attempt: Duration,
    retry: Retry,
}

impl Client {
    /// A client over the network, with the account's limits; `pace` holds the provider's
    /// documented bounds for what the configuration leaves open. Sends nothing.
    pub fn open(
        settings: &AccountSettings,
        pace: Pace,
        dialect: Arc<dyn Dialect>,
    ) -> Result<Self, OpenError> {
        let connect = CONNECT_TIMEOUT.min(settings.limits.call);
        let transport = ReqwestTransport::new(settings.ca_bundle.as_deref(), connect)
            .map_err(|problem| OpenError { account: settings.name.to_string(), problem })?;
        Ok(Self::over(Arc::new(transport), &settings.limits, pace, dialect))
    }

    /// A client over any transport.
    pub fn over(
        transport: Arc<dyn Transport>,
        limits: &CallLimits,
        pace: Pace,
        dialect: Arc<dyn Dialect>,
    ) -> Self {
        Self {
            transport,
            dialect,
            pacer: Arc::new(Pacer::new(pace.or(limits))),
            attempt: limits.call,
            retry: Retry::attempts(limits.attempts),
        }
    }

    /// With another first wait between attempts, for a provider that bans the hasty.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.retry.first_wait = wait;
        self
    }

    /// With another bound for all waits of one call together.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.retry.patience = patience;
        self
    }

    /// The same connections and pace with another dialect: for logins and public endpoints.
    #[must_use]
    pub fn speaking(&self, dialect: Arc<dyn Dialect>) -> Self {
        Self { dialect, ..self.clone() }
    }

    /// Calls and decodes the JSON of a successful answer.
    pub async fn json<T: DeserializeOwned>(
        &self,
        cx: &CallContext,
        call: &Call,
    ) -> Result<T, ProviderError> {
        self.json_with(cx, call).await.map(|(decoded, _)| decoded)
    }

    /// Like [`Client::json`], with the whole answer for those who need its headers.
    pub async fn json_with<T: DeserializeOwned>(
        &self,
        cx: &CallContext,
        call: &Call,
    ) -> Result<(T, Answer), ProviderError> {
        self.repeat(cx, call, |answer| Ok((decode(call, &answer)?, answer))).await
    }

    /// Calls and returns a successful answer as it is.
    pub async fn send(&self, cx: &CallContext, call: &Call) -> Result<Answer, ProviderError> {
        self.repeat(cx, call, Ok).await
    }

    async fn repeat<T>(
        &self,
        cx: &CallContext,
        call: &Call,
        read: impl Fn(Answer) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let mut waited = Duration::ZERO;
        let mut attempt = 1;
        let mut time_was_forgotten = false;
        loop {
            // Outside of the attempt: a failed login has been repeated by its own call.
            let signer = self.dialect.signer(cx).await?;
            let mut error = match self.attempt(cx, call, signer).await.and_then(&read) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            if error.kind == ErrorKind::ClockSkew
                && !call.changes()
                && !time_was_forgotten
                && self.dialect.forget_time().await
            {
                warn!(%error, "asking for the server's time again");
                time_was_forgotten = true;
                continue;
            }
            let Some(wait) = self.retry.wait(&error, call.changes(), attempt, waited) else {
                if attempt > 1 {
                    error.detail = format!("after {attempt} attempts: {}", error.detail);
                }
                return Err(error);
            };
            warn!(%error, attempt, wait_ms = wait.as_millis(), "trying again");
            sleep(wait).await;
            waited += wait;
            attempt += 1;
        }
    }

    /// One attempt: its deadline covers connecting, headers and body together, so that a trickle
    /// cannot prolong it. Waiting for a turn does not count, neither here nor in the signature.
    async fn attempt(
        &self,
        cx: &CallContext,
        call: &Call,
        sign: Signer<'_>,
    ) -> Result<Answer, ProviderError> {
        let mut request = call.prepare();
        let host = request.host();
        let turn = self.pacer.turn().await;
        sign(&mut request)?;
        let secrets = request.secrets.clone();
        cx.requests.count();
        let exchange = timeout(self.attempt, self.exchange(call, request)).await;
        drop(turn);
        let answer = exchange.unwrap_or_else(|_| {
            Err(TransportError {
                kind: ErrorKind::Timeout,
                delivery: Delivery::MaybeSent,
                detail: format!("{host}: no whole answer within {:?}", self.attempt),
            })
        });
        match answer {
            Ok(answer) => {
                debug!(call = call.name(), host, status = answer.status.as_u16(), "answered");
                self.judge(cx, call, &secrets, answer)
            }
            Err(error) => {
                debug!(call = call.name(), host, kind = ?error.kind, "no answer");
                let detail = scrub(&error.detail, &secrets);
                Err(ProviderError::new(error.kind, error.delivery, call.name(), detail))
            }
        }
    }

    async fn exchange(&self, call: &Call, request: Request) -> Result<Answer, TransportError> {
        let host = request.host();
        let mut response = self.transport.send(request).await?;
        let mut body = BytesMut::new();
        while let Some(piece) = response.body.try_next().await? {
            if body.len() + piece.len() > call.body_limit() {
                return Err(TransportError {
                    kind: ErrorKind::Protocol,
                    delivery: Delivery::Answered,
                    detail: format!("{host}: answer of more than {} bytes", call.body_limit()),
                });
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status: response.status, headers: response.headers, body: body.freeze() })
    }

    fn judge(
        &self,
        cx: &CallContext,
        call: &Call,
        secrets: &[SecretString],
        mut answer: Answer,
    ) -> Result<Answer, ProviderError> {
        if answer.status.is_success() {
            return Ok(answer);
        }
        // Some servers quote the credential that they refuse.
        answer.body =
            Bytes::from(scrub(&String::from_utf8_lossy(&answer.body), secrets).into_owned());
        let refusal = self.dialect.refusal(call, &answer);
        let id = refusal.request_id.or_else(|| answer.request_id().map(str::to_owned));
        Err(ProviderError::answered(refusal.kind, call.name(), refusal.detail)
            .with_request_id(id)
            .with_retry_after(retry_after(&answer, cx.now)))
    }
}

/// Decodes a successful answer. Something that is no JSON comes from a gateway in between, and a
/// document that ends too early was cut off: both pass. JSON of another shape does not. No text of
/// the body gets into the error, for it may hold secrets of the machines.
fn decode<T: DeserializeOwned>(call: &Call, answer: &Answer) -> Result<T, ProviderError> {
    answer.json().map_err(|problem| {
        let (kind, words) = match problem.classify() {
            Category::Data => (ErrorKind::Protocol, "JSON of an unexpected shape"),
            Category::Eof => (ErrorKind::ServerFault, "JSON that was cut off"),
            Category::Syntax | Category::Io => (ErrorKind::ServerFault, "no JSON"),
        };
        let (line, column) = (problem.line(), problem.column());
        let detail = format!("{words} at line {line}, column {column}");
        ProviderError::answered(kind, call.name(), detail).with_request_id(answer.request_id())
    })
}
