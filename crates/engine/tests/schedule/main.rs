//! Jobs at their times, under a clock that stands still while nothing sleeps: nights in which clocks
//! are changed, absences, long runs, ends, clocks that jump.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

use std::cell::{Cell, RefCell};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_engine::schedule::{STEP, Scheduled, Status, Work, keep};
use reaper_engine::{Clock, Interrupt, interrupt};
use reaper_timetable::{Due, Timetable};
use tokio::time::{Instant, sleep};

const PARIS: Tz = Tz::Europe__Paris;

fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

/// A job that was last done at that time.
fn job(cron: &str, last: &str) -> Scheduled {
    let timetable = Timetable::parse(cron, PARIS).expect("understood");
    Scheduled { timetable, delay: TimeDelta::zero(), last: Some(time(last)) }
}

/// Writes down what is done, and how long it takes.
struct House {
    clock: Clock,
    /// How far the wall clock has jumped.
    jumped: Cell<TimeDelta>,
    /// How long each job takes.
    takes: Duration,
    interrupt: Interrupt,
    /// When each began, in the zone, with its number and how many times were missed.
    begun: RefCell<Vec<(String, usize, u32)>>,
    doing: Cell<bool>,
    seen: RefCell<Vec<(Instant, Status)>>,
}

impl House {
    fn at(start: &str, takes: Duration, interrupt: &Interrupt) -> Self {
        Self {
            clock: Clock::running(time(start)),
            jumped: Cell::new(TimeDelta::zero()),
            takes,
            interrupt: interrupt.clone(),
            begun: RefCell::default(),
            doing: Cell::new(false),
            seen: RefCell::default(),
        }
    }

    fn begun(&self) -> Vec<String> {
        let begun = self.begun.borrow();
        let line = |(at, job, missed): &(String, usize, u32)| match missed {
            0 => format!("{at} {job}"),
            missed => format!("{at} {job}, {missed} missed"),
        };
        begun.iter().map(line).collect()
    }
}

impl Work for House {
    fn now(&self) -> DateTime<Utc> {
        self.clock.now() + self.jumped.get()
    }

    async fn work(&self, job: usize, due: Due) {
        assert!(!self.doing.replace(true), "two at a time");
        let at = self.now().with_timezone(&PARIS).format("%a %d %H:%M:%S %:z").to_string();
        self.begun.borrow_mut().push((at, job, due.missed));
        self.interrupt.bear(Duration::ZERO, sleep(self.takes)).await;
        self.doing.set(false);
    }

    fn watch(&self, status: &Status) {
        self.seen.borrow_mut().push((Instant::now(), *status));
    }
}

/// What is begun from a start on for so long.
async fn run(
    jobs: Vec<Scheduled>,
    start: &str,
    takes: Duration,
    length: Duration,
) -> (House, Duration) {
    let (interrupter, heard) = interrupt();
    let house = House::at(start, takes, &heard);
    let began = Instant::now();
    let end = async {
        sleep(length).await;
        interrupter.raise();
    };
    tokio::join!(keep(jobs, &house, &heard), end);
    (house, began.elapsed())
}

const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test(start_paused = true)]
async fn fl_125_a_night_in_which_clocks_go_back() {
    let last = "2026-10-24T21:00:00Z";
    let jobs = vec![job("30 2 * * *", last), job("0 * * * *", last), job("45 1-2 * * *", last)];
    let (house, _) = run(jobs, "2026-10-24T22:30:00Z", MINUTE, 4 * HOUR).await;
    assert_eq!(
        house.begun(),
        [
            // What was due at midnight, half an hour before the start.
            "Sun 25 00:30:00 +02:00 1",
            "Sun 25 01:00:00 +02:00 1",
            "Sun 25 01:45:00 +02:00 2",
            "Sun 25 02:00:00 +02:00 1",
            "Sun 25 02:30:00 +02:00 0",
            "Sun 25 02:45:00 +02:00 2",
            "Sun 25 02:00:00 +01:00 1",
            "Sun 25 03:00:00 +01:00 1",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_125_a_night_in_which_clocks_go_forward() {
    let last = "2026-03-28T23:30:00Z";
    let jobs = vec![job("30 2 * * *", last), job("0 * * * *", last)];
    let (house, _) = run(jobs, last, MINUTE, 4 * HOUR).await;
    assert_eq!(
        house.begun(),
        [
            "Sun 29 01:00:00 +01:00 1",
            "Sun 29 03:00:00 +02:00 0",
            "Sun 29 03:01:00 +02:00 1",
            "Sun 29 04:00:00 +02:00 1",
            "Sun 29 05:00:00 +02:00 1",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn fl_127_what_was_missed_while_nobody_was_there_is_done_once_the_earliest_first() {
    let jobs = vec![
        job("0 8 * * Mon", "2026-11-09T07:05:00Z"),
        job("17 * * * *", "2026-11-23T08:17:00Z"),
        job("0 23 * * *", "2026-11-23T08:17:00Z"),
    ];
    let (house, _) = run(jobs, "2026-11-24T09:30:00Z", MINUTE, HOUR).await;
    assert_eq!(
        house.begun(),
        [
            "Tue 24 10:30:00 +01:00 0, 1 missed",
            "Tue 24 10:31:00 +01:00 2",
            "Tue 24 10:32:00 +01:00 1, 24 missed",
            "Tue 24 11:17:00 +01:00 1",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_past_the_last_due_time_is_answered_at_once() {
    let mut never = job("0 8 * * Mon", "2026-11-09T07:05:00Z");
    never.last = None;
    let (house, _) = run(vec![never], "2026-11-24T09:30:00Z", MINUTE, 6 * 24 * HOUR).await;
    assert_eq!(house.begun(), ["Tue 24 10:30:00 +01:00 0", "Mon 30 08:00:00 +01:00 0"]);
}

#[tokio::test(start_paused = true)]
async fn runs_never_overlap_and_what_comes_meanwhile_is_done_once_after() {
    let last = "2026-11-24T09:00:00Z";
    let jobs = vec![job("*/10 * * * *", last), job("15 10 * * *", last)];
    let (house, _) = run(jobs, "2026-11-24T09:05:00Z", 25 * MINUTE, 59 * MINUTE).await;
    assert_eq!(
        house.begun(),
        [
            "Tue 24 10:10:00 +01:00 0",
            "Tue 24 10:35:00 +01:00 1",
            "Tue 24 11:00:00 +01:00 0, 4 missed",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_end_comes_at_once_between_runs_and_with_the_run_that_hears_of_it() {
    let last = "2026-11-24T09:00:00Z";
    let quiet = run(vec![job("0 * * * *", last)], "2026-11-24T09:05:00Z", HOUR, 7 * MINUTE).await;
    assert_eq!(quiet.1, 7 * MINUTE);
    assert!(quiet.0.begun().is_empty());
    let length = 60 * MINUTE;
    let busy = run(vec![job("*/10 * * * *", last)], "2026-11-24T09:05:00Z", 2 * HOUR, length).await;
    assert_eq!(busy.1, length, "the run hears of it itself");
    assert_eq!(busy.0.begun(), ["Tue 24 10:10:00 +01:00 0"], "and nothing else is begun");
    let seen = busy.0.seen.borrow();
    let (_, status) = seen.last().expect("a last word");
    assert_eq!((status.running, status.next), (None, None));
}

#[tokio::test(start_paused = true)]
async fn a_delay_puts_every_time_off_by_as_much() {
    let mut late = job("0 * * * *", "2026-11-24T09:00:00Z");
    late.delay = TimeDelta::seconds(437);
    let (house, _) = run(vec![late], "2026-11-24T09:05:00Z", MINUTE, 130 * MINUTE).await;
    assert_eq!(house.begun(), ["Tue 24 11:07:17 +01:00 0", "Tue 24 12:07:17 +01:00 0"]);
    // At the start what is due is put off as well.
    let mut late = job("0 * * * *", "2026-11-24T08:00:00Z");
    late.delay = TimeDelta::seconds(437);
    let (house, _) = run(vec![late], "2026-11-24T09:05:00Z", MINUTE, HOUR).await;
    assert_eq!(house.begun(), ["Tue 24 10:07:17 +01:00 0"]);
}

#[tokio::test(start_paused = true)]
async fn clocks_may_jump() {
    let (interrupter, heard) = interrupt();
    let house = House::at("2026-11-24T09:05:00Z", MINUTE, &heard);
    let set = |delta: TimeDelta| house.jumped.set(house.jumped.get() + delta);
    let jobs = vec![job("0 * * * *", "2026-11-24T09:00:00Z")];
    let story = async {
        sleep(20 * MINUTE).await;
        // The machine was asleep for three days.
        set(TimeDelta::days(3));
        sleep(2 * MINUTE).await;
        assert_eq!(house.begun(), ["Fri 27 10:26:00 +01:00 0, 71 missed"]);
        // The clock is put right by some minutes: nothing is done twice.
        sleep(34 * MINUTE).await;
        assert_eq!(house.begun()[1..], ["Fri 27 11:00:00 +01:00 0"]);
        set(TimeDelta::minutes(-9));
        sleep(50 * MINUTE).await;
        assert_eq!(house.begun().len(), 2);
        sleep(20 * MINUTE).await;
        assert_eq!(house.begun()[2..], ["Fri 27 12:00:00 +01:00 0"]);
        // It was wrong by years when the machine started, and is put right.
        set(TimeDelta::days(-3650));
        sleep(HOUR).await;
        assert_eq!(house.begun().len(), 4);
        interrupter.raise();
    };
    tokio::join!(keep(jobs, &house, &heard), story);
}

#[tokio::test(start_paused = true)]
async fn fl_127_a_clock_that_is_put_back_by_most_of_a_day_silences_nothing() {
    let (interrupter, heard) = interrupt();
    let house = House::at("2026-11-24T09:05:00Z", MINUTE, &heard);
    let last = "2026-11-24T09:00:00Z";
    let mut late = job("0 * * * *", last);
    late.delay = TimeDelta::minutes(15);
    let jobs = vec![job("0 * * * *", last), late];
    let story = async {
        sleep(65 * MINUTE).await;
        assert_eq!(house.begun(), ["Tue 24 11:00:00 +01:00 0"]);
        house.jumped.set(TimeDelta::hours(-20));
        sleep(2 * HOUR).await;
        assert_eq!(
            house.begun()[1..],
            [
                // What is late by a quarter of an hour is so by the new clock as well.
                "Mon 23 15:15:00 +01:00 1",
                "Mon 23 16:00:00 +01:00 0",
                "Mon 23 16:15:00 +01:00 1",
                "Mon 23 17:00:00 +01:00 0",
            ]
        );
        interrupter.raise();
    };
    tokio::join!(keep(jobs, &house, &heard), story);
}

#[tokio::test(start_paused = true)]
async fn whoever_watches_hears_of_everything_at_least_once_a_minute() {
    let last = "2026-11-24T09:00:00Z";
    let jobs = vec![job("*/30 * * * *", last), job("40 10 * * *", last)];
    let (house, _) = run(jobs, "2026-11-24T09:05:30Z", 20 * MINUTE, 2 * HOUR).await;
    let seen = house.seen.borrow();
    assert!(seen.windows(2).all(|pair| pair[1].0 - pair[0].0 <= STEP));
    assert_eq!(
        seen[0].1,
        Status {
            now: time("2026-11-24T09:05:30Z"),
            running: None,
            next: Some((0, time("2026-11-24T09:30:00Z"))),
        }
    );
    let during = seen.iter().find(|(_, status)| status.now == time("2026-11-24T09:45:00Z"));
    let expected = Status {
        now: time("2026-11-24T09:45:00Z"),
        running: Some((0, time("2026-11-24T09:30:00Z"))),
        next: Some((1, time("2026-11-24T09:40:00Z"))),
    };
    assert_eq!(during.map(|(_, status)| *status), Some(expected), "the other one waits");
}
