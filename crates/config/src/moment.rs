//! Dates and times of the file: TOML's own or quoted ones, read in the configured zone.

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use reaper_model::calendar;
use toml::de::DeValue;

use crate::context::{Context, help};
use crate::section::Section;

/// An end in time and how it was written.
pub(crate) struct Moment {
    /// Exclusive.
    pub(crate) end: DateTime<Utc>,
    pub(crate) written: String,
}

impl Section<'_> {
    /// A date, quoted or not.
    pub(crate) fn date(&self, cx: &mut Context<'_>, name: &str) -> Option<NaiveDate> {
        let written = self.time_text(cx, name)?;
        let date = calendar::date(&written);
        if date.is_none() {
            let message = format!("{} is not a date", self.label(name));
            cx.refuse(self.place(name), message, help("write for example 2026-11-28"));
        }
        date
    }

    /// The end of a date, or a timestamp; without an offset both are of the configured zone.
    pub(crate) fn moment(&self, cx: &mut Context<'_>, name: &str) -> Option<Moment> {
        let written = self.time_text(cx, name)?;
        let end = read(&written, cx.timezone);
        if end.is_none() {
            cx.refuse(
                self.place(name),
                format!("{} is neither a date nor a timestamp", self.label(name)),
                help("write for example 2026-12-24 or 2026-12-24T18:00:00+01:00"),
            );
        }
        end.map(|end| Moment { end, written })
    }

    fn time_text(&self, cx: &mut Context<'_>, name: &str) -> Option<String> {
        let value = self.value(name)?;
        match value.get_ref() {
            DeValue::Datetime(_) => Some(cx.written(value.span()).to_owned()),
            _ => self.text(cx, name).map(|text| text.value),
        }
    }
}

fn read(text: &str, zone: Tz) -> Option<DateTime<Utc>> {
    if let Some(date) = calendar::date(text) {
        let next = date.checked_add_days(Days::new(1))?;
        return first_instant(next.and_time(NaiveTime::MIN), zone);
    }
    if let Some(timestamp) = calendar::timestamp(text) {
        return Some(timestamp.to_utc());
    }
    first_instant(calendar::local_time(text)?, zone)
}

/// The first instant that clocks in this zone show as `local` or, where they jump over it, later.
fn first_instant(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    // No zone ever jumped by more than a day, and none by less than a quarter of an hour at noon
    // or midnight.
    (0..=96)
        .filter_map(|quarters| local.checked_add_signed(TimeDelta::minutes(15 * quarters)))
        .find_map(|local| zone.from_local_datetime(&local).earliest())
        .map(|instant| instant.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str, zone: Tz) -> Option<String> {
        read(text, zone).map(|end| end.to_rfc3339())
    }

    #[test]
    fn a_date_ends_with_its_day_in_the_zone() {
        let amsterdam = chrono_tz::Europe::Amsterdam;
        assert_eq!(end("2026-12-24", Tz::UTC).as_deref(), Some("2026-12-25T00:00:00+00:00"));
        assert_eq!(end("2026-12-24", amsterdam).as_deref(), Some("2026-12-24T23:00:00+00:00"));
        assert_eq!(end("2026-07-01", amsterdam).as_deref(), Some("2026-07-01T22:00:00+00:00"));
    }

    #[test]
    fn a_midnight_that_the_clocks_jump_over_is_the_first_instant_after_it() {
        let cairo = chrono_tz::Africa::Cairo;
        assert_eq!(end("2026-04-23", cairo).as_deref(), Some("2026-04-23T22:00:00+00:00"));
    }

    #[test]
    fn timestamps_keep_their_offset_and_others_get_the_zone() {
        let tokyo = chrono_tz::Asia::Tokyo;
        let at = Some("2026-12-24T17:00:00+00:00");
        assert_eq!(end("2026-12-24T18:00:00+01:00", tokyo).as_deref(), at);
        assert_eq!(end("2026-12-25T02:00:00", tokyo).as_deref(), at);
        assert_eq!(end("2026-12-25 02:00:00", tokyo).as_deref(), at);
        assert_eq!(end("next week", tokyo), None);
        assert_eq!(end("2026-02-30", tokyo), None);
    }
}
