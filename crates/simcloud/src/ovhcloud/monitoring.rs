//! What OVHcloud measured of a machine: CPU and network, one quantity per call.

use chrono::TimeDelta;
use http::StatusCode;
use reaper_model::Gauge;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::meter::{Meter, Part};
use crate::ovhcloud::answer::{Problem, refusal};

/// The points of a period that ends now: how long it is, and how far apart they are.
fn grid(period: &str) -> Option<(TimeDelta, TimeDelta)> {
    Some(match period {
        "today" | "lastday" => (TimeDelta::days(1), TimeDelta::minutes(5)),
        "lastweek" => (TimeDelta::days(7), TimeDelta::minutes(30)),
        "lastmonth" => (TimeDelta::days(31), TimeDelta::hours(2)),
        "lastyear" => (TimeDelta::days(365), TimeDelta::days(1)),
        _ => return None,
    })
}

/// One quantity of a machine. What was not measured has no point.
pub(crate) fn answer(
    meters: &[Meter],
    clock: &Clock,
    machine: &str,
    asked: Option<(String, String)>,
) -> Result<Value, Problem> {
    let unknown = || refusal(StatusCode::BAD_REQUEST, "Client::BadRequest", "Invalid parameter");
    let (period, kind) = asked.ok_or_else(unknown)?;
    let (length, step) = grid(&period).ok_or_else(unknown)?;
    let (unit, gauge, share) = match kind.as_str() {
        "cpu:used" | "cpu:max" => ("%", Some(Gauge::Cpu), 1.0),
        "net:rx" | "net:tx" => ("B/s", Some(Gauge::Network), 0.5),
        "mem:used" | "mem:max" => ("MB", None, 1.0),
        _ => return Err(unknown()),
    };
    let mine = || {
        let known = meters.iter().filter(|it| it.machine == machine && it.is_by(&["ovhcloud"]));
        known.zip(std::iter::repeat(gauge)).filter_map(|(meter, gauge)| Some((meter, gauge?)))
    };
    let mut values = Vec::new();
    let mut from = clock.now() - length;
    while from < clock.now() {
        let span = (from, from + step);
        let found =
            mine().find_map(|(meter, gauge)| meter.summary(clock, gauge, Part::Machine, span));
        if let Some(summary) = found {
            let value = if kind.ends_with(":max") {
                summary.maximum
            } else {
                summary.sum / f64::from(summary.count)
            };
            values.push(json!({ "timestamp": from.timestamp(), "value": value * share }));
        }
        from += step;
    }
    Ok(json!({ "unit": unit, "values": values }))
}
