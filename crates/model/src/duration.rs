//! Durations as people write them in configuration and tags: `90m`, `2h`, `7d12h`, `1w`.
//! A unit is required; months and years are refused, because they have no fixed length.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use chrono::TimeDelta;

/// A length of elapsed time in whole seconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

const UNITS: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
/// Longer than any notice period or age that makes sense: 100 years.
const LONGEST: u64 = 100 * 366 * 86_400;

impl Span {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// A length in seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds)
    }

    /// The length in seconds.
    pub const fn as_secs(self) -> u64 {
        self.0
    }

    /// For arithmetic with times.
    pub fn delta(self) -> TimeDelta {
        i64::try_from(self.0).ok().and_then(TimeDelta::try_seconds).unwrap_or(TimeDelta::MAX)
    }

    /// For timers.
    pub const fn std(self) -> std::time::Duration {
        std::time::Duration::from_secs(self.0)
    }

    /// How long ago `past` is at `now`; a past in the future is no time at all.
    pub fn between(
        past: chrono::DateTime<chrono::Utc>,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Self {
        Self(u64::try_from((now - past).num_seconds()).unwrap_or(0))
    }
}

impl fmt::Display for Span {
    /// `7d12h`; weeks are shown as days.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.pad("0s");
        }
        let mut rest = self.0;
        let mut text = String::new();
        for (unit, seconds) in UNITS.into_iter().skip(1) {
            if rest >= seconds {
                write!(text, "{}{unit}", rest / seconds)?;
                rest %= seconds;
            }
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The text is not a duration; says which forms are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a duration: {problem}; write for example 90m, 2h, 3d, 7d12h or 1w")]
pub struct ParseSpanError {
    text: String,
    problem: &'static str,
}

impl FromStr for Span {
    type Err = ParseSpanError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |problem| ParseSpanError { text: text.to_owned(), problem };
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(fail("it is empty"));
        }
        let mut total = 0_u64;
        let mut largest_allowed = u64::MAX;
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, tail) = rest.split_at(digits);
            let number: u64 = number.parse().map_err(|_| fail("a whole number is expected"))?;
            let letters = tail.bytes().take_while(u8::is_ascii_alphabetic).count();
            let (unit, tail) = tail.split_at(letters);
            if unit.is_empty() {
                return Err(fail("a unit is missing"));
            }
            let seconds = UNITS
                .iter()
                .find_map(|&(name, seconds)| (name == unit).then_some(seconds))
                .ok_or_else(|| fail("the units are w, d, h, m and s"))?;
            if seconds >= largest_allowed {
                return Err(fail("units go from large to small, each once"));
            }
            largest_allowed = seconds;
            total = number
                .checked_mul(seconds)
                .and_then(|part| total.checked_add(part))
                .filter(|&total| total <= LONGEST)
                .ok_or_else(|| fail("it is too long"))?;
            rest = tail;
        }
        Ok(Self(total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_155_documented_forms_are_read() {
        for (text, seconds) in
            [("90d", 7_776_000), ("7d12h", 648_000), ("168h", 604_800), ("1w", 604_800), ("0s", 0)]
        {
            assert_eq!(text.parse(), Ok(Span::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn fl_155_other_forms_are_refused() {
        for text in
            ["-90d", "90", "P90D", "time.Now()", "", "2h2h", "1h1d", "1.5h", "1mo", "999999999w"]
        {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn it_prints_what_it_reads() {
        for text in ["7d12h", "2h", "90s", "1d1h1m1s"] {
            let span: Span = text.parse().expect("valid");
            assert_eq!(span.to_string().parse(), Ok(span));
        }
        assert_eq!(Span::from_secs(90).to_string(), "1m30s");
        assert_eq!(Span::ZERO.to_string(), "0s");
    }
}
