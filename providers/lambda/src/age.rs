//! When a machine was launched. Lambda does not show it, so there is a ladder: the earliest audit
//! event that names the machine, else a time that a tool wrote into its name, else nothing. When
//! the machine was first seen by us is the ledger's knowledge.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};
use reaper_model::{Fact, Ignorance, Source};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::Api;
use crate::wire::{AuditEvent, AuditPage};

/// More pages of the audit log are not read: at one request per second they would hold up the run.
const MOST_PAGES: usize = 20;
/// Lambda's cloud opened in this year: an older date is a filler.
const FIRST_YEAR: i32 = 2018;
/// How far ahead of us Lambda's clock may be before a date counts as of the future.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// What the audit log calls an instance.
const INSTANCE: &str = "lrn:cloud:instance:";

/// What the audit log says.
#[derive(Debug)]
pub(crate) struct AuditLog {
    earliest: BTreeMap<String, DateTime<Utc>>,
    gap: Gap,
}

/// Why the log may not name a machine.
#[derive(Debug)]
enum Gap {
    /// It was read to its end.
    None,
    /// It is too long.
    Long,
    /// It could not be read.
    Error(ProviderError),
}

impl AuditLog {
    /// Reads the log. It is optional evidence: what goes wrong is kept beside what was read.
    pub(crate) async fn read(api: &Api, cx: &CallContext) -> Self {
        let mut log = Self { earliest: BTreeMap::new(), gap: Gap::None };
        let mut pages = api.audit_events();
        for _ in 0..MOST_PAGES {
            match pages.next::<AuditPage>(cx).await {
                Ok(Some(page)) => page
                    .data
                    .iter()
                    .filter_map(|event| event.good())
                    .for_each(|event| log.add(event)),
                Ok(None) => return log,
                Err(error) => {
                    log.gap = Gap::Error(error);
                    return log;
                }
            }
        }
        if !pages.ended() {
            log.gap = Gap::Long;
        }
        log
    }

    /// What to tell of a log that is too long to be read to its end.
    pub(crate) fn cut(&self) -> Option<String> {
        matches!(self.gap, Gap::Long).then(|| {
            format!(
                "only the {MOST_PAGES} newest pages of the audit log were read: the age of a machine \
                 that they name is not known, for it may have been launched before"
            )
        })
    }

    /// An event counts for every instance that it names. Which action it tells of does not matter:
    /// the machine was there.
    fn add(&mut self, event: &AuditEvent) {
        let Some(time) = event.event_time.good().and_then(|text| parse(text)) else { return };
        let lrns = event.resource_lrns.good().into_iter().flatten();
        let detail = event.additional_details.good().and_then(|it| it.instance_lrn.good());
        for id in lrns.chain(detail).filter_map(|lrn| lrn.strip_prefix(INSTANCE)) {
            self.earliest
                .entry(id.to_owned())
                .and_modify(|earliest| *earliest = time.min(*earliest))
                .or_insert(time);
        }
    }

    /// The launch time of a machine. The log comes newest first and the words for its actions are
    /// not documented: only in a log that was read to its end is the earliest event the launch. In
    /// any other it may be a restart, and the machine older than it.
    pub(crate) fn launch(
        &self,
        id: &str,
        name: Option<&str>,
        now: DateTime<Utc>,
    ) -> Fact<DateTime<Utc>> {
        let event = self.earliest.get(id).copied();
        let whole = matches!(self.gap, Gap::None);
        let (time, source) = match (event.filter(|_| whole), name.and_then(time_in_name)) {
            (Some(time), _) => (time, "lambda:ListAuditEvents (earliest event)"),
            (None, Some(time)) => (time, "time in the machine's name"),
            (None, None) => return self.unknown(event.is_some()),
        };
        let nonsense = if time.year() < FIRST_YEAR {
            "is older than Lambda's cloud"
        } else if time > now + CLOCK_TOLERANCE {
            "lies in the future"
        } else {
            return Fact::known(time, &Source::new(source), now);
        };
        let why = format!("{source} {nonsense}: {}", time.to_rfc3339());
        Fact::unknown(Ignorance::Unusable, why)
    }

    /// Why no launch time is known; `named`: the part of the log that was read names the machine.
    fn unknown(&self, named: bool) -> Fact<DateTime<Utc>> {
        let (kind, why) = match &self.gap {
            Gap::Long if named => (
                Ignorance::Unusable,
                "and the audit log was not read to its end: what names the machine there may have \
                 come after its launch"
                    .to_owned(),
            ),
            Gap::None => (Ignorance::NotOffered, "and no audit event names it".to_owned()),
            Gap::Long => {
                (Ignorance::NotOffered, "and the audit log is too long to be read".to_owned())
            }
            Gap::Error(error) => {
                let refused = matches!(
                    error.kind,
                    ErrorKind::Denied { .. }
                        | ErrorKind::NotFound
                        | ErrorKind::Invalid
                        | ErrorKind::Protocol
                        | ErrorKind::Inconsistent
                );
                // What this key is not offered will not be there tomorrow either; the rest is a
                // failed read that makes the run incomplete.
                let kind = if refused { Ignorance::NotOffered } else { Ignorance::ReadFailed };
                (kind, format!("and the audit log could not be read: {error}"))
            }
        };
        Fact::unknown(kind, format!("Lambda shows no launch time, {why}"))
    }
}

fn parse(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
}

/// A time as some launchers append it to the name: `reference--2026-01-02-15-04-05Z`.
fn time_in_name(name: &str) -> Option<DateTime<Utc>> {
    let (_, text) = name.rsplit_once("--")?;
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d-%H-%M-%SZ").ok().map(|time| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        parse(text).expect("valid")
    }

    fn log(json: &str) -> AuditLog {
        let mut log = AuditLog { earliest: BTreeMap::new(), gap: Gap::None };
        let page: AuditPage = serde_json::from_str(json).expect("a page");
        page.data.iter().filter_map(|event| event.good()).for_each(|event| log.add(event));
        log
    }

    const NOW: &str = "2026-11-28T09:00:00Z";

    #[test]
    fn the_earliest_event_counts_and_odd_ones_do_not_matter() {
        let log = log(r#"{"data": [
                {"event_time": "2026-09-15T12:00:45.123456Z", "resource_lrns": ["lrn:cloud:instance:a"]},
                {"event_time": "2026-09-15T10:30:45Z", "resource_lrns": null,
                 "additional_details": {"instance_lrn": "lrn:cloud:instance:a"}},
                {"event_time": 7, "resource_lrns": ["lrn:cloud:instance:b"]},
                {"event_time": "2026-09-15T10:30:45Z", "resource_lrns": ["lrn:cloud:api_key:c", 4]},
                "nonsense", null
            ], "page_token": null, "new": 1}"#);
        let launch = |id| log.launch(id, None, time(NOW)).value().copied();
        assert_eq!(launch("a"), Some(time("2026-09-15T10:30:45Z")));
        assert_eq!((launch("b"), launch("c")), (None, None));
    }

    #[test]
    fn fl_009_without_event_and_name_the_age_is_unknown() {
        let log = log(r#"{"data": []}"#);
        let fact = log.launch("a", Some("train-alice"), time(NOW));
        assert_eq!(fact.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    }

    #[test]
    fn fl_009_a_time_of_year_one_or_of_the_future_is_no_launch() {
        let launch = |text: &str| {
            let page =
                r#"{"data": [{"event_time": "TIME", "resource_lrns": ["lrn:cloud:instance:a"]}]}"#;
            log(&page.replace("TIME", text)).launch("a", None, time(NOW))
        };
        for nonsense in [
            "0001-01-01T00:00:00Z",
            "1970-01-01T00:00:00Z",
            "2017-12-31T23:59:59Z",
            "2026-11-28T09:05:01Z",
            "9999-12-31T23:59:59Z",
        ] {
            let kind = launch(nonsense).gap().map(|gap| gap.kind);
            assert_eq!(kind, Some(Ignorance::Unusable), "{nonsense}");
        }
        for sensible in ["2018-01-01T00:00:00Z", "2026-11-28T09:05:00Z"] {
            assert_eq!(launch(sensible).value(), Some(&time(sensible)));
        }
        for name in ["x--2027-01-02-15-04-05Z", "x--0001-01-01-00-00-00Z"] {
            let fact = log(r#"{"data": []}"#).launch("a", Some(name), time(NOW));
            assert_eq!(fact.gap().map(|gap| gap.kind), Some(Ignorance::Unusable), "{name}");
        }
    }

    #[test]
    fn fl_009_the_earliest_event_of_a_log_not_read_to_its_end_is_no_launch() {
        let page = r#"{"data": [{"event_time": "2026-11-28T08:00:00Z",
                                 "resource_lrns": ["lrn:cloud:instance:a"]}]}"#;
        let failed = |kind| ProviderError::answered(kind, "lambda:ListAuditEvents", "");
        for (gap, kind) in [
            (Gap::Long, Ignorance::Unusable),
            (Gap::Error(failed(ErrorKind::Timeout)), Ignorance::ReadFailed),
            (Gap::Error(failed(ErrorKind::Inconsistent)), Ignorance::NotOffered),
        ] {
            let log = AuditLog { gap, ..log(page) };
            let fact = log.launch("a", None, time(NOW));
            assert_eq!(fact.gap().map(|gap| gap.kind), Some(kind), "{log:?}");
            let fact = log.launch("a", Some("job--2026-01-02-15-04-05Z"), time(NOW));
            assert_eq!(fact.value(), Some(&time("2026-01-02T15:04:05Z")));
        }
    }

    #[test]
    fn a_time_in_the_name_is_the_second_choice() {
        let named = Some("job--2026-01-02-15-04-05Z");
        let fact = log(r#"{"data": null}"#).launch("a", named, time(NOW));
        assert_eq!(fact.value(), Some(&time("2026-01-02T15:04:05Z")));
        for odd in ["job--2026-13-02-15-04-05Z", "job-2026-01-02", "--", "ünïcode--"] {
            assert_eq!(time_in_name(odd), None, "{odd}");
        }
    }

    #[test]
    fn only_a_read_that_failed_makes_the_run_incomplete() {
        let kind = |kind| {
            let error = ProviderError::answered(kind, "lambda:ListAuditEvents", "");
            let log = AuditLog { earliest: BTreeMap::new(), gap: Gap::Error(error) };
            log.launch("a", None, time(NOW)).gap().map(|gap| gap.kind)
        };
        assert_eq!(kind(ErrorKind::Timeout), Some(Ignorance::ReadFailed));
        assert_eq!(kind(ErrorKind::NotFound), Some(Ignorance::NotOffered));
    }
}
