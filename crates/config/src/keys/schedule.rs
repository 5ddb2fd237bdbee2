//! The keys of `[[schedule]]`.

use super::file::table;
use super::{Key, Kind, Table};
use crate::types::Job;

pub(super) fn schedule() -> Table {
    let keys = vec![
        Key::new(
            "job",
            Kind::Word(Job::ALL.iter().map(|job| job.name()).collect()),
            "What runs: `run` is all of `reaper run`; `report` looks, records, alerts and sends the \
             weekly report; `budget` looks, records and alerts. Neither of the latter two sends \
             notices or stops anything. The schedule of `report` also says when the report is due \
             in a run by hand or in CI; without one that is \"0 7 * * Mon\".",
        )
        .required(),
        Key::new(
            "cron",
            Kind::Text,
            "When: minute, hour, day of the month, month and weekday; weekdays by name, such as \
             Mon-Fri. At hours that clocks jump over it runs when they land, at those that come \
             twice the first time; what runs in every hour runs in each real hour.",
        )
        .required(),
        Key::new("timezone", Kind::Text, "IANA time zone of `cron`. Default: `timezone`."),
        Key::new(
            "jitter",
            Kind::Duration,
            "`reaper schedule` begins up to so much later, by the same time each time, at most a \
             day.",
        )
        .default("0s"),
    ];
    table("schedule", "[[schedule]]", keys)
}
