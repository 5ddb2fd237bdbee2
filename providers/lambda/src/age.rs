//! When a machine was launched. Lambda does not show it, so there is a ladder: the earliest audit
//! event that names the machine, else a time that a tool wrote into its name, else nothing. When
//! the machine was first seen by us is the ledger's knowledge.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDateTime, Utc};
use reaper_model::{Fact, Ignorance, Source};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::Api;
use crate::wire::{AuditEvent, AuditPage};

/// More pages of the audit log are not read: at one request per second they would hold up the run.
const MOST_PAGES: usize = 20;
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
        log.gap = Gap::Long;
        log
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

    /// The launch time of a machine. An event of a log that was not read to its end makes the
    /// machine look younger than it is, never older.
    pub(crate) fn launch(
        &self,
        id: &str,
        name: Option<&str>,
        now: DateTime<Utc>,
    ) -> Fact<DateTime<Utc>> {
        let (time, source) = match (self.earliest.get(id), name.and_then(time_in_name)) {
            (Some(&time), _) => (time, "lambda:ListAuditEvents (earliest event)"),
            (None, Some(time)) => (time, "time in the machine's name"),
            (None, None) => return self.unknown(),
        };
        if time > now {
            return Fact::unknown(
                Ignorance::Unusable,
                format!("{source} lies in the future: {}", time.to_rfc3339()),
            );
        }
        Fact::known(time, &Source::new(source), now)
    }

    fn unknown(&self) -> Fact<DateTime<Utc>> {
        let (kind, why) = match &self.gap {
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
        let fact = log.launch("a", Some("x--2027-01-02-15-04-05Z"), time(NOW));
        assert_eq!(fact.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
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
