//! A range query: its fields as they are sent, and its answer.

use chrono::{DateTime, TimeDelta, Utc};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::wire::{Reply, Request};

/// More points in one series than this are refused.
const MOST_POINTS: i64 = 11_000;

/// A refusal: its status, its kind, its words.
#[derive(Debug)]
pub(crate) struct Problem(pub(crate) StatusCode, pub(crate) &'static str, pub(crate) String);

impl Problem {
    pub(crate) fn reply(self) -> Reply {
        let answer = json!({ "status": "error", "errorType": self.1, "error": self.2 });
        Reply::json(self.0, &answer)
    }
}

/// What is asked cannot be understood.
pub(crate) fn bad(words: impl Into<String>) -> Problem {
    Problem(StatusCode::BAD_REQUEST, "bad_data", words.into())
}

/// A query, and at which times it is asked.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) query: String,
    start: DateTime<Utc>,
    step: i64,
    points: i64,
}

impl Range {
    /// Reads the fields of a form or of the address.
    pub(crate) fn of(request: &Request) -> Result<Self, Problem> {
        let form: Vec<(String, String)> = if request.method == Method::POST {
            form_urlencoded::parse(&request.body).into_owned().collect()
        } else {
            request.query_pairs().collect()
        };
        let field = |name: &str| {
            let found = form.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str()).ok_or_else(|| bad(format!("no {name}")))
        };
        let (start, end) = (time(field("start")?)?, time(field("end")?)?);
        let step: i64 = field("step")?.parse().map_err(|_| bad("cannot parse the step"))?;
        if step <= 0 || end < start {
            return Err(bad("zero or negative query resolution step widths are not accepted"));
        }
        let points = (end - start).num_seconds() / step + 1;
        if points > MOST_POINTS {
            return Err(bad("exceeded maximum resolution of 11,000 points per timeseries"));
        }
        Ok(Self { query: field("query")?.to_owned(), start, step, points })
    }

    /// The times.
    pub(crate) fn times(&self) -> Vec<DateTime<Utc>> {
        (0..self.points).map(|point| self.start + TimeDelta::seconds(point * self.step)).collect()
    }

    /// The step that ends at a time, as a span that is closed at its start and open at its end.
    pub(crate) fn step_before(&self, at: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        step_before(at, self.step)
    }
}

/// The seconds up to a time, that time included.
pub(super) fn step_before(at: DateTime<Utc>, seconds: i64) -> (DateTime<Utc>, DateTime<Utc>) {
    let second = TimeDelta::seconds(1);
    (at - TimeDelta::seconds(seconds) + second, at + second)
}

/// An answer of these series.
pub(crate) fn matrix(lines: &[Value]) -> Reply {
    let data = json!({ "resultType": "matrix", "result": lines });
    Reply::json(StatusCode::OK, &json!({ "status": "success", "data": data }))
}

/// One value at one time.
pub(crate) fn point(at: DateTime<Utc>, value: f64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of this century")]
    let seconds = at.timestamp_millis() as f64 / 1000.0;
    json!([seconds, text(value)])
}

/// A value as Go writes it.
fn text(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    value.to_string()
}

/// Seconds since 1970, with a fraction.
fn time(text: &str) -> Result<DateTime<Utc>, Problem> {
    let bad = || bad(format!("cannot parse {text:?} to a valid timestamp"));
    let seconds: f64 = text.parse().map_err(|_| bad())?;
    if !(0.0..1e11).contains(&seconds) {
        return Err(bad());
    }
    #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
    let millis = (seconds * 1000.0).round() as i64;
    DateTime::from_timestamp_millis(millis).ok_or_else(bad)
}
