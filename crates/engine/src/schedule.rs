//! Jobs at their times, one at a time, until somebody wishes an end. What time it is, what a job
//! does and who watches is the matter of a [`Work`]; nothing here reads a clock.

use std::pin::pin;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_timetable::{Due, Timetable, due};
use tokio::time::sleep;

use crate::interrupt::Interrupt;

/// The longest sleep: the wall clock may jump, and the machine may have been asleep.
pub const STEP: Duration = Duration::from_mins(1);

/// A time this far ahead was recorded by a clock that has been put back since. Clocks that are
/// merely put right now and then do less.
const WRONG: TimeDelta = TimeDelta::minutes(10);

/// A job and its times.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// When.
    pub timetable: Timetable,
    /// By how much it begins later.
    pub delay: TimeDelta,
    /// The due time, or the instant, for which it was last done; `None` lets it begin at once, for
    /// the last due time that has come.
    pub last: Option<DateTime<Utc>>,
}

/// What stands around a schedule.
pub trait Work {
    /// The wall clock (UTC). It may jump.
    fn now(&self) -> DateTime<Utc>;

    /// Does the job of that number to its end. Whoever does it hears himself of the wish to end.
    fn work(&self, job: usize, due: Due) -> impl Future<Output = ()>;

    /// Hears what is going on: when anything changes, and at least once in each [`STEP`].
    fn watch(&self, status: &Status);
}

/// What is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The wall clock.
    pub now: DateTime<Utc>,
    /// The job that is being done, and since when.
    pub running: Option<(usize, DateTime<Utc>)>,
    /// The job that comes next, and when; before [`Status::now`] if it waits for the one that is
    /// being done.
    pub next: Option<(usize, DateTime<Utc>)>,
}

/// Does jobs at their times until the interrupt is raised. Of several that are due, the one whose
/// time came first comes first, and of those the one that stands first. A job whose times have come
/// several times, while another was being done or nobody was there, is done once.
pub async fn keep<W: Work>(mut jobs: Vec<Scheduled>, work: &W, interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        let now = work.now();
        for job in &mut jobs {
            // Else it would rest until the clock has come there again.
            let came = now - job.delay;
            job.last = job.last.map(|last| if last > now + WRONG { came } else { last });
        }
        let Some((number, due)) = first_due(&jobs, now) else {
            let next = next(&jobs, now);
            work.watch(&Status { now, running: None, next });
            tokio::select! {
                () = sleep(until(next, now)) => {}
                _ = interrupt.raised() => {}
            }
            continue;
        };
        jobs[number].last = Some(due.at);
        let status = |now| Status { now, running: Some((number, now)), next: next(&jobs, now) };
        let begun = status(now);
        work.watch(&begun);
        let mut doing = pin!(work.work(number, due));
        loop {
            tokio::select! {
                biased;
                () = &mut doing => break,
                () = sleep(STEP) => {
                    let running = begun.running;
                    work.watch(&Status { running, ..status(work.now()) });
                }
            }
        }
    }
    work.watch(&Status { now: work.now(), running: None, next: None });
}

/// The job that is to be done now.
fn first_due(jobs: &[Scheduled], now: DateTime<Utc>) -> Option<(usize, Due)> {
    let due = |job: &Scheduled| due(&job.timetable, job.last, now - job.delay);
    let all = jobs.iter().enumerate().filter_map(|(number, job)| Some((number, due(job)?)));
    all.min_by_key(|(number, due)| (due.at + jobs[*number].delay, *number))
}

/// The job that comes next, and when: at its next due time, or now if one has passed.
fn next(jobs: &[Scheduled], now: DateTime<Utc>) -> Option<(usize, DateTime<Utc>)> {
    if let Some((number, due)) = first_due(jobs, now) {
        return Some((number, due.at + jobs[number].delay));
    }
    let times = jobs.iter().enumerate().filter_map(|(number, job)| {
        let since = job.last.map_or(now - job.delay, |last| last.max(now - job.delay));
        Some((job.timetable.next_after(since)? + job.delay, number))
    });
    times.min().map(|(at, number)| (number, at))
}

/// How long to sleep until then.
fn until(next: Option<(usize, DateTime<Utc>)>, now: DateTime<Utc>) -> Duration {
    let wait = next.map(|(_, at)| (at - now).to_std().unwrap_or_default());
    wait.map_or(STEP, |wait| wait.min(STEP))
}
