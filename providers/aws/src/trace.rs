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

/// Follows one call through all its attempts.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    requests: RequestCounter,
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Host and signing time of the latest attempt.
    sent: Mutex<(Option<String>, Option<String>)>,
    /// Seconds by which the provider's clock is ahead of ours; the widest of all attempts, because
    /// the SDK corrects its own clock from the second attempt on.
    ahead: AtomicI64,
}

impl Trace {
    /// A trace that counts each attempt.
    pub(crate) fn new(requests: &RequestCounter) -> Self {
        Self { requests: requests.clone(), seen: Arc::default() }
    }

    /// The host that was asked.
    pub(crate) fn host(&self) -> Option<String> {
        self.sent().0.clone()
    }

    fn sent(&self) -> MutexGuard<'_, (Option<String>, Option<String>)> {
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
        let signed = request.headers().get("x-amz-date").map(str::to_owned);
        *self.sent() = (host(request.uri()), signed);
        Ok(())
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _cfg: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let signed = self.sent().1.clone();
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
