//! Dates and times as they are written in tags and configuration, read strictly: four digits for
//! the year, two for month and day. `26-12-24` is nobody's 24 December of the year 26.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime};

/// Whether the text begins with `YYYY-MM-DD`.
fn begins_with_date(text: &str) -> bool {
    text.len() >= 10
        && text.bytes().take(10).enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A plain date, `2026-01-31`.
pub fn date(text: &str) -> Option<NaiveDate> {
    if text.len() == 10 && begins_with_date(text) { text.parse().ok() } else { None }
}

/// A timestamp with an offset; seconds may be left out, as people do: `2026-01-31T10:00Z`.
pub fn timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    if !begins_with_date(text) {
        return None;
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time);
    }
    if let Some(local) = text.strip_suffix(['Z', 'z']) {
        let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M").ok()?;
        return Some(local.and_utc().fixed_offset());
    }
    DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%:z").ok()
}

/// A time without an offset, to be read in some zone: `2026-01-31T10:00:00`, also with a blank.
pub fn local_time(text: &str) -> Option<NaiveDateTime> {
    if begins_with_date(text) { text.replacen(' ', "T", 1).parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_years_and_sloppy_dates_are_not_dates() {
        for text in
            ["26-12-24", "31-12-25", "2026-1-31", "02026-01-31", "2026-01-31 ", "2026-02-30"]
        {
            assert_eq!(date(text), None, "{text}");
            assert_eq!(timestamp(&format!("{text}T10:00Z")), None, "{text}");
        }
        assert!(date("2026-01-31").is_some());
    }

    #[test]
    fn seconds_may_be_left_out_of_a_timestamp() {
        let utc = |text| timestamp(text).map(|time| time.to_utc().to_rfc3339());
        let ten = Some("2026-01-31T10:00:00+00:00".to_owned());
        assert_eq!(utc("2026-01-31T10:00Z"), ten);
        assert_eq!(utc("2026-01-31T19:00+09:00"), ten);
        assert_eq!(utc("2026-01-31T10:00:00Z"), ten);
        assert_eq!(utc("2026-01-31T10:00"), None, "no offset");
        assert!(local_time("2026-01-31 10:00:00").is_some());
    }
}
