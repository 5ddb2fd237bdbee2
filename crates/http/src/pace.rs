//! Pace: how many requests per second and in flight an account may have. Depends on settings
//! alone, never on the number of cores.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reaper_provider::account::CallLimits;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// The bounds of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Requests started per second; `None` for no bound.
    pub per_second: Option<u32>,
    /// Requests in flight.
    pub in_flight: usize,
}

impl Pace {
    /// These bounds, as far as the configuration sets no others.
    #[must_use]
    pub fn or(self, limits: &CallLimits) -> Self {
        Self {
            per_second: limits.per_second.or(self.per_second),
            in_flight: limits.in_flight.unwrap_or(self.in_flight),
        }
    }
}

/// Keeps a [`Pace`]. With one request in flight the interval counts from the end of the request
/// before, so that it holds on the other side too, however long each one travels.
#[derive(Debug)]
pub(crate) struct Pacer {
    interval: Duration,
    alone: bool,
    seats: Semaphore,
    next: Mutex<Option<Instant>>,
}

impl Pacer {
    pub(crate) fn new(pace: Pace) -> Self {
        let seats = pace.in_flight.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            interval: pace.per_second.map_or(Duration::ZERO, |n| Duration::from_secs(1) / n.max(1)),
            alone: seats == 1,
            seats: Semaphore::new(seats),
            next: Mutex::new(None),
        }
    }

    /// Waits for a turn; it lasts until the returned value is dropped. First come, first served.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        // An error would mean a closed semaphore, and nothing closes it.
        let seat = self.seats.acquire().await.ok();
        let start = {
            let mut next = self.next();
            let start = next.map_or_else(Instant::now, |next| next.max(Instant::now()));
            *next = Some(start + self.interval);
            start
        };
        sleep_until(start).await;
        Turn { pacer: self, _seat: seat }
    }

    fn next(&self) -> MutexGuard<'_, Option<Instant>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request's turn.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pacer: &'a Pacer,
    _seat: Option<SemaphorePermit<'a>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.pacer.alone && !self.pacer.interval.is_zero() {
            let after = Instant::now() + self.pacer.interval;
            let mut next = self.pacer.next();
            *next = next.map_or(Some(after), |next| Some(next.max(after)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::sleep;

    use super::*;

    /// Runs `count` requests of `length` at once; start times in ms and the most in flight.
    async fn run(pace: Pace, count: usize, length: Duration) -> (Vec<u128>, usize) {
        let pacer = Arc::new(Pacer::new(pace));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let zero = Instant::now();
        let tasks: Vec<_> = (0..count)
            .map(|_| {
                let (pacer, now, most) = (pacer.clone(), now.clone(), most.clone());
                tokio::spawn(async move {
                    let _turn = pacer.turn().await;
                    let start = zero.elapsed().as_millis();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    sleep(length).await;
                    now.fetch_sub(1, Ordering::SeqCst);
                    start
                })
            })
            .collect();
        let mut starts = Vec::new();
        for task in tasks {
            starts.push(task.await.expect("no panic"));
        }
        starts.sort_unstable();
        (starts, most.load(Ordering::SeqCst))
    }

    #[tokio::test(start_paused = true)]
    async fn fl_067_one_a_second_holds_from_end_to_start() {
        let pace = Pace { per_second: Some(1), in_flight: 1 };
        let (starts, most) = run(pace, 4, Duration::from_millis(300)).await;
        assert_eq!(most, 1);
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= 1300), "{starts:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn fl_068_neither_bound_is_ever_exceeded() {
        let pace = Pace { per_second: Some(10), in_flight: 3 };
        let (starts, most) = run(pace, 40, Duration::from_millis(250)).await;
        assert_eq!(most, 3);
        assert!(starts.windows(11).all(|span| span[10] - span[0] >= 1000), "{starts:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_turn_frees_its_seat() {
        let pacer = Pacer::new(Pace { per_second: Some(1), in_flight: 1 });
        drop(pacer.turn().await);
        assert!(tokio::time::timeout(Duration::from_millis(10), pacer.turn()).await.is_err());
        drop(pacer.turn().await);
    }

    #[test]
    fn settings_beat_the_providers_defaults() {
        let limits = CallLimits { in_flight: Some(2), ..CallLimits::default() };
        let pace = Pace { per_second: Some(1), in_flight: 8 }.or(&limits);
        assert_eq!(pace, Pace { per_second: Some(1), in_flight: 2 });
    }
}
