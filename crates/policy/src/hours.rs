//! Working hours: on which days of the week, from when to when, in which zone. What clocks show
//! there decides, so that hours which come twice or never need no rule of their own.

use std::fmt;
use std::str::FromStr as _;

use chrono::{DateTime, Datelike as _, TimeDelta, Timelike as _, Utc, Weekday};
use chrono_tz::Tz;
use reaper_model::Span;

/// The forms that working hours may have, as told to people.
pub const HOURS_FORMS: &str = "\"Mon-Fri 08:00-19:00\", \"Mon+Wed 09:00-17:30 Europe/Paris\", or \
     \"22:00-06:00\" for every night";

/// Minutes of a day.
const DAY: u32 = 24 * 60;
/// Most minutes that are looked back.
const MOST_AFTER: u32 = DAY;

/// On which days, from when to when. Hours over midnight belong to the day on which they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkingHours {
    /// From Monday on.
    days: [bool; 7],
    /// Minute of the day, inclusive.
    from: u32,
    /// Minute of the day, exclusive; smaller than `from` if it lies on the next day.
    until: u32,
    zone: Tz,
    /// So many minutes behind them count as within.
    after: u32,
}

impl WorkingHours {
    /// Reads them as written; where no zone is named, clocks of `zone` count.
    ///
    /// # Errors
    ///
    /// What of the text cannot be read.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, BadHours> {
        let fail = |problem: String| BadHours { text: text.to_owned(), problem };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (days, times, zone) = match words.as_slice() {
            [times] => (None, *times, zone),
            [first, name] if first.contains(':') => {
                (None, *first, named(name).ok_or_else(|| fail(no_zone(name)))?)
            }
            [days, times] => (Some(*days), *times, zone),
            [days, times, name] => {
                (Some(*days), *times, named(name).ok_or_else(|| fail(no_zone(name)))?)
            }
            _ => return Err(fail("days, hours and a zone are expected".to_owned())),
        };
        let days = match days {
            Some(text) => weekdays(text).map_err(fail)?,
            None => [true; 7],
        };
        let (from, until) =
            times.split_once('-').ok_or_else(|| fail(format!("`{times}` names no hours")))?;
        let from = minute(from).ok_or_else(|| fail(format!("`{from}` is no time of a day")))?;
        let until = minute(until).ok_or_else(|| fail(format!("`{until}` is no time of a day")))?;
        if from == until || from == DAY {
            return Err(fail("they have no length".to_owned()));
        }
        Ok(Self { days, from, until, zone, after: 0 })
    }

    /// The same with so much behind them: what is outside then has been outside for so long.
    #[must_use]
    pub(crate) fn and_after(self, span: Span) -> Self {
        Self { after: u32::try_from(span.as_secs() / 60).unwrap_or(u32::MAX), ..self }
    }

    /// Whether clocks show a time within them, or one so little later as counts for it.
    pub fn contain(&self, now: DateTime<Utc>) -> bool {
        let before = |minutes: u32| now - TimeDelta::minutes(i64::from(minutes));
        (0..=self.after.min(MOST_AFTER)).any(|minutes| self.show(before(minutes)))
    }

    /// Whether clocks show a time within them right now.
    pub(crate) fn show(&self, now: DateTime<Utc>) -> bool {
        let local = now.with_timezone(&self.zone);
        let minute = local.hour() * 60 + local.minute();
        let works = |day: Weekday| {
            usize::try_from(day.num_days_from_monday())
                .is_ok_and(|place| self.days.get(place) == Some(&true))
        };
        let today = local.weekday();
        if self.from < self.until {
            works(today) && (self.from..self.until).contains(&minute)
        } else {
            (works(today) && minute >= self.from) || (works(today.pred()) && minute < self.until)
        }
    }

    /// What clocks show there: `Mon 20:15`.
    pub fn shown(&self, now: DateTime<Utc>) -> String {
        now.with_timezone(&self.zone).format("%a %H:%M").to_string()
    }
}

impl fmt::Display for WorkingHours {
    /// `Mon-Fri 08:00-19:00 Europe/Amsterdam`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(Weekday, Weekday)> = Vec::new();
        for (day, _) in WEEK.into_iter().zip(self.days).filter(|(_, works)| *works) {
            match runs.last_mut() {
                Some((_, last)) if last.succ() == day => *last = day,
                _ => runs.push((day, day)),
            }
        }
        let runs: Vec<String> = runs
            .into_iter()
            .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") })
            .collect();
        let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        let (from, until) = (clock(self.from), clock(self.until));
        f.pad(&format!("{} {from}-{until} {}", runs.join("+"), self.zone.name()))
    }
}

/// The text is no working hours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no working hours: {problem}; write for example {HOURS_FORMS}")]
pub struct BadHours {
    text: String,
    problem: String,
}

const WEEK: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

/// `Mon-Fri`, `Sat`, `Mon+Wed`, `Sat-Mon`. Not every cloud takes commas in tags, so `+` parts as
/// well.
fn weekdays(text: &str) -> Result<[bool; 7], String> {
    let day = |name: &str| {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic());
        Weekday::from_str(name)
            .ok()
            .filter(|_| is_name)
            .ok_or_else(|| format!("`{name}` is no day of the week"))
    };
    let mut days = [false; 7];
    for part in text.split(['+', ',']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut at, last) = (day(first)?, day(last)?);
        loop {
            for (works, day) in days.iter_mut().zip(WEEK) {
                *works |= day == at;
            }
            if at == last {
                break;
            }
            at = at.succ();
        }
    }
    Ok(days)
}

/// `08:00`; `24:00` is the end of a day.
fn minute(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hour) || !digits(minute) {
        return None;
    }
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60 && hour * 60 + minute <= DAY).then_some(hour * 60 + minute)
}

fn named(zone: &str) -> Option<Tz> {
    zone.parse().ok()
}

fn no_zone(name: &str) -> String {
    format!("`{name}` is no time zone")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(text: &str) -> WorkingHours {
        WorkingHours::parse(text, chrono_tz::Europe::Amsterdam).expect("valid")
    }

    fn at(text: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
    }

    #[test]
    fn they_print_what_they_read() {
        for (text, shown) in [
            ("Mon-Fri 08:00-19:00", "Mon-Fri 08:00-19:00 Europe/Amsterdam"),
            ("monday+WED 09:00-17:30 Asia/Tokyo", "Mon+Wed 09:00-17:30 Asia/Tokyo"),
            ("22:00-06:00", "Mon-Sun 22:00-06:00 Europe/Amsterdam"),
            ("Sat-Mon 00:00-24:00 UTC", "Mon+Sat-Sun 00:00-24:00 UTC"),
        ] {
            assert_eq!(hours(text).to_string(), shown);
            assert_eq!(hours(shown), hours(text));
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "",
            "always",
            "Mon-Fri",
            "1-5 08:00-19:00",
            "Mon-Fri 8-19",
            "Mon-Fri 08:00-08:00",
            "Mon-Fri 08:00-25:00",
            "Mon-Fri 24:00-06:00",
            "Mon-Fry 08:00-19:00",
            "Mon-Fri 08:00-19:00 Mars/Olympus",
            "Mon-Fri 08:00-19:00 UTC please",
            "Mon- 08:00-19:00",
        ] {
            assert!(WorkingHours::parse(text, Tz::UTC).is_err(), "{text}");
        }
    }

    #[test]
    fn the_beginning_is_within_and_the_end_is_not() {
        let hours = hours("Mon-Fri 08:00-19:00");
        for (time, within) in [
            ("2026-11-30T06:59:59Z", false),
            ("2026-11-30T07:00:00Z", true),
            ("2026-11-30T17:59:59Z", true),
            ("2026-11-30T18:00:00Z", false),
            ("2026-11-28T12:00:00Z", false),
        ] {
            assert_eq!(hours.contain(at(time)), within, "{time}");
        }
        assert_eq!(hours.shown(at("2026-11-30T18:15:00Z")), "Mon 19:15");
    }

    #[test]
    fn nights_belong_to_the_day_on_which_they_begin() {
        let nights = hours("Mon-Fri 22:00-06:00 UTC");
        for (time, within) in [
            // Friday night goes on until Saturday morning, Sunday night is none of them.
            ("2026-11-27T23:00:00Z", true),
            ("2026-11-28T05:59:00Z", true),
            ("2026-11-28T06:00:00Z", false),
            ("2026-11-28T23:00:00Z", false),
            ("2026-11-30T05:00:00Z", false),
            ("2026-11-30T22:00:00Z", true),
        ] {
            assert_eq!(nights.contain(at(time)), within, "{time}");
        }
    }

    #[test]
    fn fl_125_what_clocks_show_decides_when_they_are_changed() {
        // On 25 October 2026 clocks of Amsterdam show 02:00 to 03:00 twice, on 29 March never.
        let early = hours("Sun 02:00-03:00");
        assert!(early.contain(at("2026-10-25T00:30:00Z")), "the first time");
        assert!(early.contain(at("2026-10-25T01:30:00Z")), "the second time");
        assert!(!early.contain(at("2026-10-25T02:00:00Z")));
        let jumped = [0, 1, 2, 3].map(|hour| format!("2026-03-29T{hour:02}:30:00Z"));
        assert!(jumped.iter().all(|time| !early.contain(at(time))));
        let day = hours("Mon-Fri 08:00-19:00");
        assert!(
            day.contain(at("2026-07-01T06:00:00Z")) && !day.contain(at("2026-12-01T06:00:00Z"))
        );
    }
}
