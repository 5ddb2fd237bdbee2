//! Repetition: what may be repeated, how often, and how long to wait in between. Pure.

use std::num::IntErrorKind;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::header::{DATE, RETRY_AFTER};
use reaper_provider::{Delivery, ErrorKind, ProviderError};

use crate::answer::Answer;

/// How a call is repeated. Waits double from `first_wait` up to `longest_wait`; a wait that the
/// provider asks for takes their place. They are the same in every run, because a paced client
/// needs no dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Attempts, the first included.
    pub attempts: u32,
    /// The first wait.
    pub first_wait: Duration,
    /// The longest wait that is not asked for.
    pub longest_wait: Duration,
    /// All waits of one call together: a longer one is not begun.
    pub patience: Duration,
}

impl Retry {
    /// The usual waits: half a second, doubling up to 20 s, a minute at most together.
    pub const fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(20),
            patience: Duration::from_mins(1),
        }
    }

    /// How long to wait after `attempt` (from 1) failed with `error`; `None`: do not repeat.
    pub(crate) fn wait(
        &self,
        error: &ProviderError,
        changes: bool,
        attempt: u32,
        waited: Duration,
    ) -> Option<Duration> {
        let passing = matches!(
            error.kind,
            ErrorKind::Throttled
                | ErrorKind::ServerFault
                | ErrorKind::Timeout
                | ErrorKind::Unreachable
        );
        if attempt >= self.attempts || !passing || (changes && error.delivery != Delivery::NotSent)
        {
            return None;
        }
        let doubled = 2_u32.saturating_pow(attempt - 1);
        let backoff = self.first_wait.saturating_mul(doubled).min(self.longest_wait);
        let wait = error.retry_after.unwrap_or(backoff);
        // A sum that no duration holds is beyond any patience.
        (waited.checked_add(wait)? <= self.patience).then_some(wait)
    }
}

/// The wait that an answer asks for: seconds, or a date counted from the answer's own `Date`, else
/// from the run's clock. Nonsense, zero and the past ask for nothing; more seconds than fit are as
/// many as fit.
pub fn retry_after(answer: &Answer, now: DateTime<Utc>) -> Option<Duration> {
    let text = answer.header(RETRY_AFTER.as_str())?.trim();
    let seconds = match text.parse::<u64>() {
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(u64::MAX),
        other => other.ok(),
    };
    let wait = if let Some(seconds) = seconds {
        Duration::from_secs(seconds)
    } else {
        let until = httpdate::parse_http_date(text).ok()?;
        let from = answer
            .header(DATE.as_str())
            .and_then(|date| httpdate::parse_http_date(date).ok())
            .unwrap_or_else(|| now.into());
        until.duration_since(from).ok()?
    };
    (!wait.is_zero()).then_some(wait)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, StatusCode};

    use super::*;

    fn asked(retry_after_header: &str, date: Option<&str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(retry_after_header).expect("valid"));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).expect("valid"));
        }
        let answer = Answer { status: StatusCode::TOO_MANY_REQUESTS, headers, body: Bytes::new() };
        retry_after(&answer, "2026-11-28T09:00:00Z".parse().expect("valid"))
    }

    #[test]
    fn fl_069_seconds_dates_and_nonsense() {
        let three = Some(Duration::from_secs(3));
        assert_eq!(asked("3", None), three);
        assert_eq!(asked("Sat, 28 Nov 2026 09:00:03 GMT", None), three);
        // The answer's own clock counts, not ours, which may be off.
        let date = Some("Sat, 28 Nov 2026 10:00:00 GMT");
        assert_eq!(asked("Sat, 28 Nov 2026 10:00:03 GMT", date), three);
        assert_eq!(asked("Sat, 28 Nov 2026 09:00:03 GMT", date), None);
        for nonsense in ["soon", "", "-1", "0", "1.5", "-99999999999999999999"] {
            assert_eq!(asked(nonsense, None), None, "{nonsense}");
        }
        assert_eq!(asked("86400", None), Some(Duration::from_hours(24)));
        for endless in ["18446744073709551615", "99999999999999999999"] {
            assert_eq!(asked(endless, None), Some(Duration::from_secs(u64::MAX)), "{endless}");
        }
    }

    fn failed(kind: ErrorKind, delivery: Delivery) -> ProviderError {
        ProviderError::new(kind, delivery, "x:Y", "")
    }

    #[test]
    fn waits_double_and_end_with_the_attempts_or_the_patience() {
        let retry = Retry::attempts(4);
        let error = failed(ErrorKind::ServerFault, Delivery::Answered);
        let wait = |attempt, waited| retry.wait(&error, false, attempt, waited);
        assert_eq!(wait(1, Duration::ZERO), Some(Duration::from_millis(500)));
        assert_eq!(wait(3, Duration::ZERO), Some(Duration::from_secs(2)));
        assert_eq!(wait(4, Duration::ZERO), None);
        assert_eq!(wait(3, Duration::from_secs(59)), None);
    }

    #[test]
    fn what_will_not_pass_is_not_repeated() {
        let retry = Retry::attempts(4);
        for kind in [ErrorKind::Untrusted, ErrorKind::CredentialsRejected, ErrorKind::Protocol] {
            let error = failed(kind, Delivery::NotSent);
            assert_eq!(retry.wait(&error, false, 1, Duration::ZERO), None);
        }
    }

    #[test]
    fn a_change_is_repeated_only_when_it_surely_was_not_sent() {
        let retry = Retry::attempts(4);
        let wait = |delivery| {
            retry.wait(&failed(ErrorKind::Unreachable, delivery), true, 1, Duration::ZERO)
        };
        assert!(wait(Delivery::NotSent).is_some());
        assert_eq!(wait(Delivery::MaybeSent), None);
        assert_eq!(wait(Delivery::Answered), None);
    }
}
