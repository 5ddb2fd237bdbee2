//! What each attempt of a call tells: that it was sent, to which host, and by whose clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextRef,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;
use chrono::{DateTime, NaiveDateTime};
use reaper_provider::RequestCounter;
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
    /// The latest attempt.
    sent: Mutex<Sent>,
    /// Seconds by which the provider's clock is ahead of ours; the widest of all attempts, because
    /// the SDK corrects its own clock from the second attempt on.
    ahead: AtomicI64,
}

/// One attempt as it was sent.
#[derive(Debug, Clone, Default)]
struct Sent {
    host: Option<String>,
    /// When it was signed.
    signed: Option<String>,
    /// The one credential that is sent as it is.
    session_token: Option<SecretString>,
}

impl Trace {
    /// A trace that counts each attempt.
    pub(crate) fn new(requests: &RequestCounter) -> Self {
        Self { requests: requests.clone(), seen: Arc::default() }
    }

    /// The host that was asked.
    pub(crate) fn host(&self) -> Option<String> {
        self.sent().host.clone()
    }

    /// What a provider or a proxy said, without the session token that they may quote.
    pub(crate) fn masked(&self, words: &str) -> String {
        match &self.sent().session_token {
            Some(token) => words.replace(token.expose_secret(), MASK),
            None => words.to_owned(),
        }
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
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
        _cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.requests.count();
        let request = context.request();
        let header = |name| request.headers().get(name);
        *self.sent() = Sent {
            host: host(request.uri()),
            signed: header("x-amz-date").map(str::to_owned),
            session_token: header("x-amz-security-token")
                .filter(|token| !token.is_empty())
                .map(SecretString::from),
        };
        Ok(())
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let signed = self.sent().signed.clone();
        let answered = context.response().headers().get("date");
        if let Some(ahead) =
            signed.as_deref().zip(answered).and_then(|(ours, theirs)| ahead(ours, theirs))
            && ahead.abs() > self.clock_ahead().abs()
        {
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

/// Seconds from the time a request was signed to the time its answer is dated.
fn ahead(signed: &str, answered: &str) -> Option<i64> {
    let signed = NaiveDateTime::parse_from_str(signed, "%Y%m%dT%H%M%SZ").ok()?.and_utc();
    let answered = DateTime::parse_from_rfc2822(answered).ok()?;
    Some((answered.to_utc() - signed).num_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_080_the_clock_is_compared_by_what_was_signed() {
        let ahead = ahead("20261130T093100Z", "Mon, 30 Nov 2026 09:39:00 GMT");
        assert_eq!(ahead, Some(8 * 60));
    }

    #[test]
    fn the_host_is_without_path() {
        assert_eq!(host("http://127.0.0.1:5101/?x").as_deref(), Some("127.0.0.1:5101"));
        assert_eq!(host("nonsense"), None);
    }
}
