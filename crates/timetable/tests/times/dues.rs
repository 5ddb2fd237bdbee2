//! What is due in runs that come late, twice or not at all.

use chrono::TimeDelta;
use chrono_tz::Tz;
use reaper_model::Span;
use reaper_timetable::{Due, MOST_COUNTED, due, jitter};

use crate::build::{PARIS, table, time};

#[test]
fn fl_127_the_first_run_after_the_due_time_answers_it() {
    let weekly = table("0 8 * * Mon", PARIS);
    let monday = time("2026-11-30T07:00:00Z");
    let before = Some(time("2026-11-23T07:00:00Z"));
    // Too early, late on the same day, only on Tuesday.
    assert_eq!(due(&weekly, before, time("2026-11-30T06:59:59Z")), None);
    let on_monday = Some(Due { at: monday, missed: 0 });
    assert_eq!(due(&weekly, before, monday), on_monday);
    assert_eq!(due(&weekly, before, time("2026-11-30T13:54:00Z")), on_monday);
    assert_eq!(due(&weekly, before, time("2026-12-01T09:00:00Z")), on_monday);
    // Twice on one day.
    assert_eq!(due(&weekly, Some(monday), time("2026-11-30T13:54:00Z")), None);
    // What was last done is a due time, or the moment of the run that did it.
    assert_eq!(
        due(&weekly, Some(time("2026-11-30T07:03:00Z")), time("2026-12-06T23:00:00Z")),
        None
    );
    // Two weeks were missed altogether.
    let late = due(&weekly, before, time("2026-12-14T12:00:00Z"));
    assert_eq!(late, Some(Due { at: time("2026-12-14T07:00:00Z"), missed: 2 }));
    // Nothing is known of the past: the last one counts, and none was missed.
    assert_eq!(due(&weekly, None, time("2026-12-01T09:00:00Z")), on_monday);
    // A record of the future is no ground to do it again.
    assert_eq!(
        due(&weekly, Some(time("2027-01-01T00:00:00Z")), time("2026-12-14T12:00:00Z")),
        None
    );
}

#[test]
fn fl_125_runs_every_ten_minutes_through_the_night_answer_once() {
    for text in ["0 2 * * Sun", "30 2 * * Sun", "59 1 * * Sun", "0 3 * * Sun"] {
        let table = table(text, PARIS);
        for night in ["2026-10-24T22:00:00Z", "2026-03-28T22:00:00Z"] {
            let mut last = Some(time(night));
            let mut answered = 0;
            for step in 0..48 {
                let now = time(night) + TimeDelta::minutes(10 * step);
                if let Some(due) = due(&table, last, now) {
                    last = Some(due.at);
                    answered += 1;
                    assert_eq!(due.missed, 0);
                }
            }
            assert_eq!(answered, 1, "{text} in the night of {night}");
        }
    }
}

#[test]
fn fl_129_what_falls_between_two_runs_belongs_to_the_day_before() {
    let nights =
        [("2026-11-30", "2026-12-01"), ("2026-12-31", "2027-01-01"), ("2028-02-29", "2028-03-01")];
    for (day, next) in nights {
        let run = time(&format!("{day}T23:55:00Z"));
        let next_run = time(&format!("{next}T00:05:00Z"));
        for (text, at) in [
            ("59 23 * * *", format!("{day}T23:59:00Z")),
            ("0 0 * * *", format!("{next}T00:00:00Z")),
        ] {
            let table = table(text, Tz::UTC);
            let before = due(&table, None, run).expect("the day before").at;
            assert_eq!(due(&table, Some(before), run), None);
            let now = due(&table, Some(before), next_run);
            assert_eq!(now, Some(Due { at: time(&at), missed: 0 }), "{text}");
        }
    }
}

#[test]
fn fl_130_weekday_and_hour_are_of_the_same_zone() {
    let tokyo = table("0 0 * * Mon", Tz::Asia__Tokyo);
    // Sunday in UTC, Monday 00:30 there.
    let now = time("2026-11-29T15:30:00Z");
    let monday = time("2026-11-29T15:00:00Z");
    assert_eq!(
        due(&tokyo, Some(time("2026-11-22T15:00:00Z")), now).map(|due| due.at),
        Some(monday)
    );
    let utc = table("0 0 * * Mon", Tz::UTC);
    assert_eq!(due(&utc, None, now).map(|due| due.at), Some(time("2026-11-23T00:00:00Z")));
}

#[test]
fn a_long_absence_is_counted_up_to_a_bound() {
    let minutely = table("* * * * *", PARIS);
    let late = due(&minutely, Some(time("2020-01-01T00:00:00Z")), time("2026-11-30T07:00:30Z"));
    assert_eq!(late, Some(Due { at: time("2026-11-30T07:00:00Z"), missed: MOST_COUNTED }));
}

#[test]
fn jitter_follows_from_the_name_and_stays_within_its_bound() {
    let bound = Span::from_secs(600);
    let names: Vec<String> = (0..200).map(|number| format!("run {number}")).collect();
    let delays: Vec<TimeDelta> = names.iter().map(|name| jitter(name, bound)).collect();
    assert!(delays.iter().all(|delay| (0..600).contains(&delay.num_seconds())));
    let early = delays.iter().filter(|delay| delay.num_seconds() < 300).count();
    assert!((60..140).contains(&early), "{early} of 200 in the first half");
    assert_eq!(jitter("report", bound), jitter("report", bound));
    // Written down, so that an upgrade does not move anybody's schedule.
    assert_eq!(jitter("report 0 7 * * Mon", bound).num_seconds(), 168);
    assert_eq!(jitter("report", Span::ZERO), TimeDelta::zero());
}
