//! Requests in flight and their pace, per account and region: EC2 counts its buckets just so.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reaper_provider::account::CallLimits;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// Requests in flight per account and region, unless configured.
pub(crate) const IN_FLIGHT: usize = 10;
/// Request starts per second per account and region, unless configured: the rate at which EC2
/// refills the bucket of its reading calls.
pub(crate) const PER_SECOND: u32 = 20;

/// Bounds the calls to one region of one account.
#[derive(Debug)]
pub(crate) struct Limiter {
    in_flight: Semaphore,
    spacing: Duration,
    next: Mutex<Option<Instant>>,
}

impl Limiter {
    /// A limiter with the account's bounds, else the defaults above.
    pub(crate) fn new(limits: &CallLimits) -> Self {
        let per_second = limits.per_second.unwrap_or(PER_SECOND).max(1);
        Self {
            in_flight: Semaphore::new(limits.in_flight.unwrap_or(IN_FLIGHT).max(1)),
            spacing: Duration::from_secs(1) / per_second,
            next: Mutex::new(None),
        }
    }

    /// Waits for a free place and for the turn. The place is free again when the result is dropped.
    /// `None` cannot happen: nobody closes the semaphore.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        let permit = self.in_flight.acquire().await.ok();
        tokio::time::sleep_until(self.reserve()).await;
        permit
    }

    fn reserve(&self) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let start = next.map_or(now, |next| next.max(now));
        *next = Some(start + self.spacing);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn starts_are_spaced_and_the_first_is_immediate() {
        let limits = CallLimits { per_second: Some(10), ..CallLimits::default() };
        let limiter = Limiter::new(&limits);
        let begin = Instant::now();
        for _ in 0..4 {
            drop(limiter.turn().await);
        }
        assert_eq!(begin.elapsed(), Duration::from_millis(300));
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
