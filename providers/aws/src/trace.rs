//! What each attempt of a call tells: that it was sent, to which host, whether it had a connection
//! to go by, and what time it is there.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connection::CaptureSmithyConnection;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;
use chrono::{DateTime, Utc};
use reaper_provider::{Delivery, RequestCounter};
use secrecy::{ExposeSecret, SecretString};

/// What stands in a text where a secret stood.
const MASK: &str = "[secret]";

/// Follows one call through all its attempts.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    requests: RequestCounter,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The latest attempt; `None` before there was one.
    sent: Mutex<Option<Sent>>,
    /// Seconds by which the provider's clock is ahead of ours, by the latest answer.
    ahead: AtomicI64,
}

/// One attempt as it was handed to the HTTP client.
#[derive(Debug, Clone)]
struct Sent {
    host: Option<String>,
    /// The one credential that is sent as it is.
    session_token: Option<SecretString>,
    /// Tells, once the HTTP client has found or made one, by which connection it went.
    connection: Option<CaptureSmithyConnection>,
}

impl Trace {
    /// A trace that counts each attempt.
    pub(crate) fn new(requests: &RequestCounter) -> Self {
        Self { requests: requests.clone(), seen: Arc::default() }
    }

    /// A trace of an answer from a provider whose clock is ahead of ours by so many seconds.
    #[cfg(test)]
    pub(crate) fn with_clock_ahead(seconds: i64) -> Self {
        let trace = Self::new(&RequestCounter::default());
        trace.seen.ahead.store(seconds, Ordering::Relaxed);
        trace
    }

    /// The host that was asked.
    pub(crate) fn host(&self) -> Option<String> {
        self.sent().as_ref()?.host.clone()
    }

    /// Whether the latest attempt, which brought no answer, may have arrived. It surely did not
    /// when it was never handed on (no credentials) or found no connection to go by.
    pub(crate) fn delivery(&self) -> Delivery {
        let sent = self.sent();
        let Some(sent) = sent.as_ref() else { return Delivery::NotSent };
        match &sent.connection {
            Some(connection) if connection.get().is_none() => Delivery::NotSent,
            _ => Delivery::MaybeSent,
        }
    }

    /// What a provider or a proxy said, without the session token that they may quote.
    pub(crate) fn masked(&self, words: &str) -> String {
        match self.sent().as_ref().and_then(|sent| sent.session_token.as_ref()) {
            Some(token) => words.replace(token.expose_secret(), MASK),
            None => words.to_owned(),
        }
    }

    fn sent(&self) -> MutexGuard<'_, Option<Sent>> {
        self.seen.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seconds by which the provider's clock is ahead of ours, as far as an answer showed it.
    pub(crate) fn clock_ahead(&self) -> i64 {
        self.seen.ahead.load(Ordering::Relaxed)
    }
}

impl Intercept for Trace {
    fn name(&self) -> &'static str {
        "reaper-trace"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.requests.count();
        let request = context.request();
        *self.sent() = Some(Sent {
            host: host(request.uri()),
            session_token: request
                .headers()
                .get("x-amz-security-token")
                .filter(|token| !token.is_empty())
                .map(SecretString::from),
            // The SDK puts it there to close connections that have gone bad.
            connection: cfg.load::<CaptureSmithyConnection>().cloned(),
        });
        Ok(())
    }

    /// Compares with the machine's clock and not with the time of the signature, which the SDK
    /// corrects as soon as it has seen one answer: the clock is then as wrong as before.
    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        _cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let ours = components.time_source().map(|source| source.now().into());
        let theirs = context.response().headers().get("date");
        if let Some(ahead) = ours.zip(theirs).and_then(|(ours, theirs)| ahead(ours, theirs)) {
            self.seen.ahead.store(ahead, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Host and port of an absolute address.
fn host(uri: &str) -> Option<String> {
    let (_, rest) = uri.split_once("://")?;
    rest.split(['/', '?']).next().map(str::to_owned)
}

/// Seconds from our time to the one that an answer is dated with.
fn ahead(ours: DateTime<Utc>, theirs: &str) -> Option<i64> {
    let theirs = DateTime::parse_from_rfc2822(theirs).ok()?;
    Some((theirs.to_utc() - ours).num_seconds())
}

#[cfg(test)]
mod tests {
    use aws_smithy_runtime_api::client::connection::ConnectionMetadata;

    use super::*;

    #[test]
    fn fl_080_the_clock_is_compared_with_the_date_of_the_answer() {
        let ours = "2026-11-30T09:31:00Z".parse().expect("a time");
        assert_eq!(ahead(ours, "Mon, 30 Nov 2026 09:39:00 GMT"), Some(8 * 60));
        assert_eq!(ahead(ours, "soon"), None);
    }

    #[test]
    fn a_session_token_that_is_quoted_is_masked() {
        let trace = Trace::new(&RequestCounter::default());
        assert_eq!(trace.masked("token canary"), "token canary");
        let session_token = Some(SecretString::from("canary"));
        *trace.sent() = Some(Sent { host: None, session_token, connection: None });
        assert_eq!(trace.masked("token canary, canary"), "token [secret], [secret]");
    }

    #[test]
    fn fl_042_only_what_found_no_connection_was_surely_not_sent() {
        let trace = Trace::new(&RequestCounter::default());
        assert_eq!(trace.delivery(), Delivery::NotSent, "never handed on");
        let by = |connection| Some(Sent { host: None, session_token: None, connection });
        *trace.sent() = by(None);
        assert_eq!(trace.delivery(), Delivery::MaybeSent, "nobody can tell");
        let connection = CaptureSmithyConnection::new();
        *trace.sent() = by(Some(connection.clone()));
        assert_eq!(trace.delivery(), Delivery::NotSent);
        connection.set_connection_retriever(|| {
            Some(ConnectionMetadata::builder().proxied(false).poison_fn(|| ()).build())
        });
        assert_eq!(trace.delivery(), Delivery::MaybeSent);
    }

    #[test]
    fn the_host_is_without_path() {
        assert_eq!(host("http://127.0.0.1:5101/?x").as_deref(), Some("127.0.0.1:5101"));
        assert_eq!(host("nonsense"), None);
    }
}
