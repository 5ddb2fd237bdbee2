//! Since when a server is billed, from the Audit Trail of its region. A server itself shows only
//! when it was made; where the Audit Trail may not be read, that has to do.
//!
//! What counts is the first power-on after the last power-off that the Audit Trail knows of. A
//! restart out of standby is no new start, because standby is billed. Without a power-off on record
//! nothing is concluded: the server may have run since it was made.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_http::Lenient;
use reaper_model::{Fact, Instance, Location, ProviderAccount, Source};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::{Api, EVENTS};
use crate::convert::time;
use crate::wire;

/// Pages that are read at most; what lies further back is left to the creation date.
const MOST_PAGES: usize = 10;

/// What is known of one server while going back in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// No power-off yet; the earliest power-on so far.
    Open(Option<DateTime<Utc>>),
    /// The last power-off was met; the first power-on after it.
    Closed(Option<DateTime<Utc>>),
}

/// The pasts of servers, by their id.
pub(crate) type Pasts = BTreeMap<String, Past>;

/// Reads what was done to the servers of a zone since the oldest billed machine was made. A region
/// without the Audit Trail has nothing to tell.
pub(crate) async fn read(
    api: &Api,
    cx: &CallContext,
    organisation: &ProviderAccount,
    zone: &Location,
    machines: &[Instance],
) -> Result<Pasts, ProviderError> {
    let billed = machines.iter().filter(|machine| machine.meter.may_be_billed());
    let Some(oldest) = billed.filter_map(|machine| machine.created_at.value()).min() else {
        return Ok(Pasts::new());
    };
    match pasts(api, cx, organisation, region(zone), &oldest.to_rfc3339()).await {
        Err(error) if error.kind == ErrorKind::NotFound => Ok(Pasts::new()),
        read => read,
    }
}

/// Sets `running_since` of the billed machines, as far as their pasts tell.
pub(crate) fn apply(machines: &mut [Instance], pasts: &Pasts, now: DateTime<Utc>) {
    let source = Source::new(EVENTS);
    for machine in machines.iter_mut().filter(|machine| machine.meter.may_be_billed()) {
        if let Some(Past::Closed(Some(start))) = pasts.get(&machine.id.native) {
            machine.running_since = Fact::known(*start, &source, now);
        }
    }
}

/// `fr-par` of `fr-par-2`.
fn region(zone: &Location) -> &str {
    zone.as_str().rsplit_once('-').map_or(zone.as_str(), |(region, _)| region)
}

async fn pasts(
    api: &Api,
    cx: &CallContext,
    organisation: &ProviderAccount,
    region: &str,
    after: &str,
) -> Result<Pasts, ProviderError> {
    let mut pasts = Pasts::new();
    let mut pages = api.server_actions(region, organisation, after);
    for _ in 0..MOST_PAGES {
        let Some(page) = pages.next::<wire::Events>(cx).await? else { break };
        for event in page.events.iter().filter_map(Lenient::good) {
            note(&mut pasts, event);
        }
    }
    Ok(pasts)
}

/// Goes back in time by one event. Refused actions happened to nobody.
fn note(pasts: &mut Pasts, event: &wire::Event) {
    let carried_out = event.status_code.good().is_some_and(|status| (200..300).contains(status));
    let action = event.request_body.good().and_then(|body| body.action.good());
    let (Some(action), true) = (action, carried_out) else { return };
    let at = event.recorded_at.good().and_then(|text| time(text));
    for id in event.resources.iter().filter_map(Lenient::good).filter_map(|it| it.id.good()) {
        let past = pasts.entry(id.clone()).or_insert(Past::Open(None));
        if let Past::Open(on) = *past {
            match action.as_str() {
                "poweroff" => *past = Past::Closed(on),
                "poweron" => *past = Past::Open(at),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The past of server `s`, events newest first as `action@hour`.
    fn past(events: &[(&str, u32, u16)]) -> Option<Past> {
        let mut pasts = Pasts::new();
        for (action, hour, status) in events {
            let event = format!(
                r#"{{"recorded_at": "2026-11-01T{hour:02}:00:00.5Z", "status_code": {status},
                "request_body": {{"action": "{action}"}}, "resources": [{{"id": "s"}}]}}"#
            );
            note(&mut pasts, &serde_json::from_str(&event).expect("an event"));
        }
        pasts.get("s").copied()
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
    fn the_region_is_the_zone_without_its_number() {
        assert_eq!(region(&Location::new("fr-par-2")), "fr-par");
        assert_eq!(region(&Location::new("odd")), "odd");
    }
}
