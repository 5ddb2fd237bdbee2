//! The expiry tag: dates, timestamps, durations from launch, `forever`.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, NaiveTime, Utc};
use reaper_model::calendar;
use reaper_model::tags::trim_blanks;
use reaper_model::{Fact, Ignorance, Span, Unknown};

use crate::subject::{Subject, quote};

/// The forms that an expiry may have, as told to owners.
pub const EXPIRY_FORMS: &str = "2026-01-31 (through the end of that day, UTC), 2026-01-31T10:00Z, \
     2026-01-31T10:00+09:00, a duration from the first launch such as 7d or 4h, or forever";

/// What a machine's expiry tag says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expiry {
    /// There is no such tag, or it is empty.
    NotSet,
    /// It never expires.
    Forever,
    /// It expires at this time (exclusive).
    At(DateTime<Utc>),
    /// It cannot be told: unread tags, unreadable text, two spellings, no launch time.
    Unknown(Unknown),
}

/// A written expiry, before the launch time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// `forever`, `never`.
    Forever,
    /// A point in time.
    At(DateTime<Utc>),
    /// From the first launch.
    After(Span),
}

/// Reads an expiry as written; `None` when it is none of [`EXPIRY_FORMS`].
pub fn parse(text: &str) -> Option<Written> {
    let text = trim_blanks(text);
    if text.eq_ignore_ascii_case("forever") || text.eq_ignore_ascii_case("never") {
        return Some(Written::Forever);
    }
    if let Some(date) = calendar::date(text) {
        return end_of_day(date).map(Written::At);
    }
    if let Some(time) = calendar::timestamp(text) {
        return Some(Written::At(time.to_utc()));
    }
    text.parse::<Span>().ok().map(Written::After)
}

fn end_of_day(date: NaiveDate) -> Option<DateTime<Utc>> {
    date.checked_add_days(Days::new(1)).map(|next| next.and_time(NaiveTime::MIN).and_utc())
}

/// What the machine's expiry tag says; `key` is folded.
pub(crate) fn of(subject: &Subject<'_>, key: &str) -> Expiry {
    let tags = match subject.tags(key) {
        Ok(tags) => tags,
        Err(unknown) => return Expiry::Unknown(unknown.clone()),
    };
    let mut written: Vec<_> = tags.iter().filter(|tag| !tag.trimmed_value().is_empty()).collect();
    written.dedup_by(|a, b| a.trimmed_value() == b.trimmed_value());
    let unusable = |why: String| Expiry::Unknown(Unknown::new(Ignorance::Unusable, why));
    let tag = match written.as_slice() {
        [] => return Expiry::NotSet,
        [tag] => tag,
        several => {
            let all: Vec<_> = several.iter().map(|tag| quote(tag)).collect();
            return unusable(format!("conflicting expiry: {}", all.join(" and ")));
        }
    };
    match parse(tag.trimmed_value()) {
        Some(Written::Forever) => Expiry::Forever,
        // RFC 3339 ends with the year 9999; nobody means a day there.
        Some(Written::At(time)) if time.year() > 9_999 => Expiry::Forever,
        Some(Written::At(time)) => Expiry::At(time),
        Some(Written::After(span)) => match &subject.instance.created_at {
            Fact::Known { value, .. } => match value.checked_add_signed(span.delta()) {
                Some(time) => Expiry::At(time),
                None => Expiry::Forever,
            },
            Fact::Absent { .. } => unusable(format!(
                "{} counts from a launch time that the provider does not show",
                quote(tag)
            )),
            Fact::Unknown(unknown) => Expiry::Unknown(unknown.clone()),
        },
        None => unusable(format!("invalid expiry {}; accepted are {EXPIRY_FORMS}", quote(tag))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Written {
        Written::At(DateTime::parse_from_rfc3339(text).expect("a time").to_utc())
    }

    #[test]
    fn fl_034_documented_forms_are_read() {
        assert_eq!(parse("2026-01-31"), Some(at("2026-02-01T00:00:00Z")));
        assert_eq!(parse("2026-01-31T10:00Z"), Some(at("2026-01-31T10:00:00Z")));
        assert_eq!(parse("2026-01-31T10:00:00Z"), Some(at("2026-01-31T10:00:00Z")));
        assert_eq!(parse("2026-01-31T10:00+09:00"), Some(at("2026-01-31T01:00:00Z")));
        assert_eq!(parse("7d"), Some(Written::After(Span::from_secs(7 * 86_400))));
        assert_eq!(parse("4h"), Some(Written::After(Span::from_secs(4 * 3_600))));
        assert_eq!(parse(" Forever\u{a0}"), Some(Written::Forever));
    }

    #[test]
    fn fl_034_other_forms_are_not() {
        for text in
            ["31/12/2025", "2026-02-30", "26-12-24", "31-12-25", "1767225600000", "soon", "P7D", ""]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
