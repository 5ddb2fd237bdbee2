//! Since when a server is billed, from the Audit Trail of its region. A server itself shows only
//! when it was made; where the Audit Trail may not be read, that has to do. Where it may be read and
//! does not tell, the start is unknown: an older time would be a guess.
//!
//! What counts is the first power-on after the last power-off that the Audit Trail knows of. A
//! restart out of standby is no new start, because standby is billed. Where all was read and no
//! power-off is on record, the server counts from its creation.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_http::Lenient;
use reaper_http::paging::CursorPage;
use reaper_model::{Fact, Ignorance, Instance, Location, ProviderAccount, Source, State, Unknown};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::{Api, EVENTS};
use crate::convert::time;
use crate::wire;

/// Pages that are read at most; what lies further back stays unread.
const MOST_PAGES: usize = 10;

/// What is known of one server while going back in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Past {
    /// No power-off yet; the earliest power-on so far.
    Open(Option<DateTime<Utc>>),
    /// The last power-off was met; the first power-on after it.
    Closed(Option<DateTime<Utc>>),
    /// Something was done to it that cannot be read.
    Unreadable,
}

/// What the Audit Trail tells of the servers of a zone.
#[derive(Debug, Default)]
pub(crate) struct Pasts {
    servers: BTreeMap<String, Past>,
    /// Something was done, and it cannot be read to which server.
    stray: bool,
    /// There are older events that were not read.
    truncated: bool,
    /// The time of the oldest event that was read (UTC).
    reach: Option<DateTime<Utc>>,
}

/// Reads what was done to the servers of a zone, or to `only` that one, since the oldest billed
/// machine was made. A region without the Audit Trail has nothing to tell.
pub(crate) async fn read(
    api: &Api,
    cx: &CallContext,
    organisation: &ProviderAccount,
    zone: &Location,
    only: Option<&str>,
    machines: &[Instance],
) -> Result<Pasts, ProviderError> {
    let mut pasts = Pasts::default();
    let billed = machines.iter().filter(|machine| machine.meter.may_be_billed());
    let Some(oldest) = billed.filter_map(|machine| machine.created_at.value()).min() else {
        return Ok(pasts);
    };
    let after = oldest.to_rfc3339();
    let mut pages = api.server_actions(region(zone), organisation, &after, only);
    for number in 0..MOST_PAGES {
        let page: Option<wire::Events> = match pages.next(cx).await {
            Err(error) if number == 0 && error.kind == ErrorKind::NotFound => None,
            page => page?,
        };
        let Some(page) = page else { break };
        page.events.iter().for_each(|event| pasts.note(event));
        pasts.truncated = page.next_cursor().is_some_and(|cursor| !cursor.is_empty());
    }
    Ok(pasts)
}

/// Whether the error means that the account has no Audit Trail to read, as opposed to one that
/// could not be read this time.
pub(crate) fn is_not_offered(error: &ProviderError) -> bool {
    matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::NotEnabled)
}

/// Sets `running_since` of the billed machines, as far as their pasts tell.
pub(crate) fn apply(
    machines: &mut [Instance],
    pasts: &Result<Pasts, ProviderError>,
    now: DateTime<Utc>,
) {
    for machine in machines.iter_mut().filter(|machine| machine.meter.may_be_billed()) {
        let start = match pasts {
            Ok(pasts) => pasts.start_of(machine, now),
            Err(error) if is_not_offered(error) => None,
            Err(error) => Some(Fact::unknown(
                Ignorance::ReadFailed,
                format!("its last start could not be read: {error}"),
            )),
        };
        if let Some(start) = start {
            machine.running_since = start;
        }
    }
}

/// `fr-par` of `fr-par-2`.
fn region(zone: &Location) -> &str {
    zone.as_str().rsplit_once('-').map_or(zone.as_str(), |(region, _)| region)
}

impl Pasts {
    /// The last start of a billed machine; `None` where its creation is the best that there is.
    fn start_of(&self, machine: &Instance, now: DateTime<Utc>) -> Option<Fact<DateTime<Utc>>> {
        let why = match self.servers.get(&machine.id.native) {
            _ if self.stray => "its last start is not known: an event names no readable server",
            Some(Past::Closed(Some(start))) => {
                return Some(Fact::known(*start, &Source::new(EVENTS), now));
            }
            Some(Past::Unreadable) => "its last start is not known: an event cannot be read",
            // The power-off is what is under way, and the run that it ends began before.
            Some(Past::Closed(None))
                if matches!(machine.state, State::Stopping | State::Ending) =>
            {
                return None;
            }
            Some(Past::Closed(None)) => {
                "it was powered off since it was made; the start after that is not on record"
            }
            Some(Past::Open(_)) | None if self.may_lack(machine) => {
                "its last start is not known: the Audit Trail is too long to be read to its end"
            }
            Some(Past::Open(_)) | None => return None,
        };
        Some(Fact::Unknown(Unknown::new(Ignorance::Unusable, why)))
    }

    /// Whether events since the machine was made may not have been read.
    fn may_lack(&self, machine: &Instance) -> bool {
        let covered = machine.created_at.value().zip(self.reach);
        self.truncated && covered.is_none_or(|(created, reach)| *created < reach)
    }

    /// Goes back in time by one event. Refused actions happened to nobody.
    fn note(&mut self, event: &Lenient<wire::Event>) {
        let Some(event) = event.good() else {
            self.stray = true;
            return;
        };
        let at = event.recorded_at.good().and_then(|text| time(text));
        self.reach = at.or(self.reach);
        let status = event.status_code.good();
        if status.is_some_and(|status| !(200..300).contains(status)) {
            return;
        }
        let action = event.request_body.good().and_then(|body| body.action.good());
        let action = status.and(action).map(String::as_str);
        self.stray |= event.resources.is_empty();
        for resource in &event.resources {
            let Some(id) = resource.good().and_then(|it| it.id.good()) else {
                self.stray = true;
                continue;
            };
            let past = self.servers.entry(id.clone()).or_insert(Past::Open(None));
            if let Past::Open(on) = *past {
                match (action, at) {
                    (Some("poweroff"), _) => *past = Past::Closed(on),
                    (Some("poweron"), Some(_)) => *past = Past::Open(at),
                    (Some("poweron"), None) | (None, _) => *past = Past::Unreadable,
                    (Some(_), _) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The past of server `s`, events newest first as `action@hour`.
    fn past(events: &[(&str, u32, u16)]) -> Option<Past> {
        let mut pasts = Pasts::default();
        for (action, hour, status) in events {
            let event = format!(
                r#"{{"recorded_at": "2026-11-01T{hour:02}:00:00.5Z", "status_code": {status},
                "request_body": {{"action": "{action}"}}, "resources": [{{"id": "s"}}]}}"#
            );
            pasts.note(&serde_json::from_str(&event).expect("an event"));
        }
        assert!(!pasts.stray);
        pasts.servers.get("s").copied()
    }

    fn at(hour: u32) -> Option<DateTime<Utc>> {
        time(&format!("2026-11-01T{hour:02}:00:00.5Z"))
    }

    #[test]
    fn the_first_power_on_after_the_last_power_off_counts() {
        let events = [
            ("poweron", 9, 202),
            ("stop_in_place", 8, 202),
            ("poweron", 7, 202),
            ("poweroff", 6, 202),
            ("poweron", 5, 202),
        ];
        assert_eq!(past(&events), Some(Past::Closed(at(7))));
        // A reboot and a refused power-off change nothing.
        let events = [("reboot", 8, 202), ("poweroff", 7, 400), ("poweron", 6, 202)];
        assert_eq!(past(&events), Some(Past::Open(at(6))));
    }

    #[test]
    fn without_a_power_off_on_record_nothing_is_concluded() {
        assert_eq!(past(&[("poweron", 5, 202)]), Some(Past::Open(at(5))));
        assert_eq!(past(&[("poweroff", 5, 202)]), Some(Past::Closed(None)));
        assert_eq!(past(&[]), None);
    }

    #[test]
    fn an_event_that_cannot_be_read_spoils_its_server_or_all() {
        let read = |event: &str| {
            let mut pasts = Pasts::default();
            pasts.note(&serde_json::from_str(event).expect("JSON"));
            (pasts.servers.get("s").copied(), pasts.stray)
        };
        let server = r#""resources": [{"id": "s"}]"#;
        for odd in [
            r#""recorded_at": "then", "status_code": 202, "request_body": {"action": "poweron"}"#,
            r#""status_code": "good", "request_body": {"action": "reboot"}"#,
            r#""status_code": 202, "request_body": null"#,
        ] {
            assert_eq!(read(&format!("{{{odd}, {server}}}")), (Some(Past::Unreadable), false));
        }
        for odd in ["7", r#"{"resources": []}"#, r#"{"resources": [{"id": null}]}"#] {
            assert_eq!(read(odd), (None, true), "{odd}");
        }
        assert_eq!(read(r#"{"status_code": 403, "resources": []}"#), (None, false));
    }

    #[test]
    fn the_region_is_the_zone_without_its_number() {
        assert_eq!(region(&Location::new("fr-par-2")), "fr-par");
        assert_eq!(region(&Location::new("odd")), "odd");
    }
}
