//! Requests in flight and their pace, per account and region: EC2 counts its buckets just so.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reaper_provider::account::CallLimits;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Requests in flight per account and region, unless configured.
pub(crate) const IN_FLIGHT: usize = 10;
/// How many requests may start at once after a rest: the size of the bucket that EC2 keeps for
/// reading calls. A configured pace is kept evenly instead.
pub(crate) const BURST: u32 = 100;
/// Request starts per second per account and region beyond that, unless configured: the rate at
/// which EC2 refills the bucket.
pub(crate) const PER_SECOND: u32 = 20;
/// Most starts per second of calls that change something, per account and region. EC2 keeps smaller
/// buckets for these than for reading ones, and publishes no number that holds for all; nobody
/// waits for a stop.
const CHANGES_PER_SECOND: u32 = 2;

/// Bounds the calls to one region of one account.
#[derive(Debug)]
pub(crate) struct Limiter {
    in_flight: Semaphore,
    spacing: Duration,
    /// How far ahead of an even pace a request may start.
    lead: Duration,
    /// When the next request would start at an even pace.
    due: Mutex<Option<Instant>>,
}

impl Limiter {
    /// A limiter with the account's bounds, else the defaults above.
    pub(crate) fn new(limits: &CallLimits) -> Self {
        let (per_second, burst) = match limits.per_second {
            Some(per_second) => (per_second.max(1), 1),
            None => (PER_SECOND, BURST),
        };
        let spacing = Duration::from_secs(1) / per_second;
        Self {
            in_flight: Semaphore::new(limits.in_flight.unwrap_or(IN_FLIGHT).max(1)),
            spacing,
            lead: spacing * (burst - 1),
            due: Mutex::new(None),
        }
    }

    /// A limiter for calls that change something: an even pace, however fast reading may be.
    pub(crate) fn of_changes(limits: &CallLimits) -> Self {
        let per_second = limits
            .per_second
            .map_or(CHANGES_PER_SECOND, |configured| configured.min(CHANGES_PER_SECOND));
        Self::new(&CallLimits { per_second: Some(per_second), ..*limits })
    }

    /// Waits for a free place and for the turn. The place is free again when the result is dropped.
    /// `None` cannot happen: nobody closes the semaphore.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let permit = self.in_flight.acquire().await.ok();
        tokio::time::sleep_until(self.reserve()).await;
        permit
    }

    fn reserve(&self) -> Instant {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let even = due.map_or(now, |due| due.max(now));
        *due = Some(even + self.spacing);
        even.checked_sub(self.lead).map_or(now, |start| start.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take(limiter: &Limiter, turns: u32) -> Duration {
        let begin = Instant::now();
        for _ in 0..turns {
            drop(limiter.turn().await);
        }
        begin.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_configured_pace_is_even_and_the_first_is_immediate() {
        let limits = CallLimits { per_second: Some(10), ..CallLimits::default() };
        assert_eq!(take(&Limiter::new(&limits), 4).await, Duration::from_millis(300));
    }

    #[tokio::test(start_paused = true)]
    async fn fl_067_by_default_a_bucket_is_emptied_at_once_and_refills_evenly() {
        let limiter = Limiter::new(&CallLimits::default());
        assert_eq!(take(&limiter, BURST).await, Duration::ZERO);
        assert_eq!(take(&limiter, 2 * PER_SECOND).await, Duration::from_secs(2));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(take(&limiter, PER_SECOND).await, Duration::ZERO);
        tokio::time::advance(Duration::from_hours(1)).await;
        assert_eq!(take(&limiter, BURST).await, Duration::ZERO);
        assert_eq!(take(&limiter, 1).await, Duration::from_millis(50), "never more than a bucket");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_change_something_are_paced_apart_and_never_come_in_a_burst() {
        for (configured, expected) in [(None, 500), (Some(50), 500), (Some(1), 1000)] {
            let limits = CallLimits { per_second: configured, ..CallLimits::default() };
            let waited = take(&Limiter::of_changes(&limits), 2).await;
            assert_eq!(waited, Duration::from_millis(expected), "{configured:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_house_makes_the_next_one_wait() {
        let limits = CallLimits { in_flight: Some(1), ..CallLimits::default() };
        let limiter = Limiter::new(&limits);
        let held = limiter.turn().await;
        assert!(tokio::time::timeout(Duration::from_secs(9), limiter.turn()).await.is_err());
        drop(held);
        assert!(limiter.turn().await.is_some());
    }
}
