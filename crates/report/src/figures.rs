//! Counts, ages, times and amounts in words: the one spelling of all formats.

use std::fmt::Display;

use chrono::{DateTime, FixedOffset, NaiveDateTime};
use chrono_tz::Tz;
use reaper_model::{AuditDocument, Money};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// `1 machine`, `2 machines`.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Amounts side by side, never added: `2,520.00 EUR and 100.00 USD`. `None` when there are none.
pub(crate) fn amounts(sums: &[Money]) -> Option<String> {
    let shown: Vec<String> = sums.iter().map(ToString::to_string).collect();
    (!shown.is_empty()).then(|| listed(&shown))
}

/// `1,406`.
pub(crate) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `25 of 1,406 shown`; `None` where all are.
pub(crate) fn shown(shown: usize, of: usize) -> Option<String> {
    (shown < of).then(|| format!("{} of {} shown", number(shown), number(of)))
}

/// `… and 4,980 more`; `None` where all are shown.
pub(crate) fn more(shown: usize, of: usize) -> Option<String> {
    (shown < of).then(|| format!("… and {} more", number(of - shown)))
}

/// Hours as the document writes them, for people: `<1h`, `5h`, `30d 0h`. Anything that is not a
/// number of hours is shown as it is.
pub(crate) fn age(hours: &str) -> String {
    let minutes = hours
        .parse::<Decimal>()
        .ok()
        .and_then(|hours| hours.checked_mul(Decimal::from(60)))
        .and_then(|minutes| minutes.round().to_u64());
    match minutes {
        None => hours.to_owned(),
        Some(0..60) => "<1h".to_owned(),
        Some(minutes @ 60..1440) => format!("{}h", minutes / 60),
        Some(minutes) => format!("{}d {}h", minutes / 1440, minutes % 1440 / 60),
    }
}

/// A time with its offset, to the minute.
pub(crate) fn time(at: DateTime<FixedOffset>) -> String {
    at.format("%Y-%m-%d %H:%M %:z").to_string()
}

/// The report's time zone, by whose name people know their hours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zone(Option<Tz>);

impl Zone {
    /// The zone of a document; times keep their offsets where its name is not known.
    pub(crate) fn of(doc: &AuditDocument) -> Self {
        Self(doc.period.timezone.parse().ok())
    }

    /// `Thu 3 Dec 2026 09:00 CET`: a time that people are to act by.
    pub(crate) fn day(self, at: DateTime<FixedOffset>) -> String {
        match self.0 {
            Some(zone) => at.with_timezone(&zone).format("%a %-d %b %Y %H:%M %Z").to_string(),
            None => at.format("%a %-d %b %Y %H:%M %:z").to_string(),
        }
    }

    /// What clocks there show.
    pub(crate) fn local(self, at: DateTime<FixedOffset>) -> NaiveDateTime {
        self.0.map_or_else(|| at.naive_local(), |zone| at.with_timezone(&zone).naive_local())
    }

    /// `3 Dec`: where year and hour are said beside it.
    pub(crate) fn short_day(self, at: DateTime<FixedOffset>) -> String {
        const SHORT: &str = "%-d %b";
        match self.0 {
            Some(zone) => at.with_timezone(&zone).format(SHORT).to_string(),
            None => at.format(SHORT).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_139_a_deadline_names_weekday_and_zone() {
        let mut doc = fixture::nothing_found();
        let (winter, summer) = ("2026-12-03T09:00:00+01:00", "2026-10-24T09:00:00+02:00");
        let day = |doc: &_, text| Zone::of(doc).day(fixture::time(text));
        assert_eq!(day(&doc, winter), "Thu 3 Dec 2026 09:00 CET");
        assert_eq!(day(&doc, summer), "Sat 24 Oct 2026 09:00 CEST");
        doc.period.timezone = "Mars/Olympus".to_owned();
        assert_eq!(day(&doc, winter), "Thu 3 Dec 2026 09:00 +01:00");
    }

    #[test]
    fn ages_are_short() {
        for (hours, shown) in [
            ("0.0", "<1h"),
            ("0.4", "<1h"),
            ("23.9", "23h"),
            ("24.0", "1d 0h"),
            ("720.0", "30d 0h"),
            ("-1.0", "-1.0"),
            ("79228162514264337593543950335", "79228162514264337593543950335"),
            ("soon", "soon"),
        ] {
            assert_eq!(age(hours), shown);
        }
    }

    #[test]
    fn a_cut_list_says_how_much_of_it_is_there() {
        assert_eq!(shown(25, 1_406).as_deref(), Some("25 of 1,406 shown"));
        assert_eq!(shown(1_000_000, 1_234_567).as_deref(), Some("1,000,000 of 1,234,567 shown"));
        assert_eq!(shown(25, 25), None);
        assert_eq!(more(20, 5_000).as_deref(), Some("… and 4,980 more"));
        assert_eq!(more(20, 20), None);
    }

    #[test]
    fn fl_107_two_currencies_stand_side_by_side() {
        let sums = ["2520 EUR", "100 USD"].map(|text| text.parse().expect("valid"));
        assert_eq!(amounts(&sums).as_deref(), Some("2,520.00 EUR and 100.00 USD"));
        assert_eq!(amounts(&[]), None);
    }
}
