//! The calls: base address, and answers checked to be whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reaper_http::{Base, Call, Client, Pace, Url};
use reaper_model::{Sample, Span, Window};
use reaper_provider::{AccountSettings, CallContext, ErrorKind, OpenError, ProviderError};
use serde::de::DeserializeOwned;

use crate::auth::{Auth, Rights};
use crate::promql::quoted;
use crate::wire::{Envelope, Found, Line, Status};

const RANGE: &str = "prometheus:QueryRange";
const VALUES: &str = "prometheus:LabelValues";

/// A server that many people look at shall not notice us.
const PACE: Pace = Pace { per_second: None, in_flight: 4 };
/// Longest answer that is read.
const BODY_LIMIT: usize = 48 << 20;
/// Servers refuse more points in one series than 11,000.
const MOST_POINTS: u64 = 10_000;

/// One server's API, whoever runs it.
#[derive(Debug, Clone)]
pub struct Api {
    client: Client,
    base: Base,
    rights: Option<Rights>,
}

/// One series of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its labels, as far as the query keeps them.
    pub labels: BTreeMap<String, String>,
    /// Its values, each at the start of the time that it stands for; as delivered, `NaN` included.
    pub samples: Vec<Sample>,
}

/// The points in time of a range query. A point stands for the step before it, so that the last one
/// is the end of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    first: DateTime<Utc>,
    last: DateTime<Utc>,
    /// What one point stands for.
    pub step: Span,
    /// How many there are.
    pub points: u64,
}

impl Grid {
    /// The points of a window, ending with its end. A step that would make too many of them for a
    /// server is made longer; a rest at the start that is shorter than a step is not asked about.
    pub fn of(window: &Window) -> Self {
        let seconds = window.step.as_secs().max(1);
        let length = window.length().as_secs();
        let seconds = seconds * (length / seconds).div_ceil(MOST_POINTS).max(1);
        let step = Span::from_secs(seconds);
        let points = (length / seconds).max(1);
        let first = window.until - Span::from_secs(seconds * (points - 1)).delta();
        Self { first, last: window.until, step, points }
    }

    /// The step as a range of `PromQL`.
    pub fn range(&self) -> String {
        format!("[{}s]", self.step.as_secs())
    }

    /// When what the first point stands for begins.
    fn begin(&self) -> DateTime<Utc> {
        self.first - self.step.delta()
    }
}

impl Api {
    /// A server at its base address, the part before `/api/v1`. Sends nothing.
    pub fn open(settings: &AccountSettings, base: Base, auth: Auth) -> Result<Self, OpenError> {
        let rights = auth.rights();
        let client = Client::open(settings, PACE, Arc::new(auth))?;
        Ok(Self { client, base, rights })
    }

    /// A further server that is met over the same connections and at the same pace.
    pub fn over(client: &Client, base: Base, auth: Auth, rights: Option<Rights>) -> Self {
        Self { client: client.speaking(Arc::new(auth)), base, rights }
    }

    /// The values that a label has in series that `selector` matches, at any time of the grid or
    /// near it.
    pub async fn label_values(
        &self,
        cx: &CallContext,
        label: &str,
        selector: &str,
        grid: &Grid,
    ) -> Result<Vec<String>, ProviderError> {
        let url = self.base.at(["api", "v1", "label", label, "values"]);
        let call = Call::read(VALUES, url)
            .query("match[]", selector)
            .query("start", &seconds(grid.begin()))
            .query("end", &seconds(grid.last));
        self.ask(cx, self.needing(call, |rights| rights.labels)).await
    }

    /// What a query says at each point of the grid. POST, because a query that names a fleet is
    /// longer than an address may be.
    pub async fn range(
        &self,
        cx: &CallContext,
        query: &str,
        grid: &Grid,
    ) -> Result<Vec<Row>, ProviderError> {
        let call = Call::ask(RANGE, self.url("query_range"))
            .form_field("query", query)
            .form_field("start", &seconds(grid.first))
            .form_field("end", &seconds(grid.last))
            .form_field("step", &grid.step.as_secs().to_string());
        let found: Found = self.ask(cx, self.needing(call, |rights| rights.query)).await?;
        let unreadable = |what: &str| ProviderError::answered(ErrorKind::Protocol, RANGE, what);
        if found.result_type != "matrix" {
            return Err(unreadable(&format!("{} instead of a matrix", quoted(&found.result_type))));
        }
        let rows = found.result.into_iter().map(|line| row(line, grid));
        rows.collect::<Option<_>>().ok_or_else(|| unreadable("a point that is no number"))
    }

    /// Asks, and takes only what is whole: a server that found some of its parts silent answers with
    /// a warning, and what it lacks may be the busy hour.
    async fn ask<T: DeserializeOwned>(
        &self,
        cx: &CallContext,
        call: Call,
    ) -> Result<T, ProviderError> {
        let call = call.limit(BODY_LIMIT);
        let answer: Envelope<T> = self.client.json(cx, &call).await?;
        let failed = |kind, detail: &str| ProviderError::answered(kind, call.name(), detail);
        if answer.status == Status::Error {
            return Err(failed(ErrorKind::ServerFault, &answer.words()));
        }
        if let Some(warning) = answer.warnings.first() {
            let detail = format!("the answer may not be whole: {warning}");
            return Err(failed(ErrorKind::ServerFault, &detail));
        }
        answer.data.ok_or_else(|| failed(ErrorKind::Protocol, "an answer without data"))
    }

    fn needing(&self, call: Call, right: impl Fn(&Rights) -> &'static str) -> Call {
        match &self.rights {
            Some(rights) => call.permission(right(rights)),
            None => call,
        }
    }

    fn url(&self, name: &str) -> Url {
        self.base.at(["api", "v1", name])
    }
}

fn seconds(at: DateTime<Utc>) -> String {
    let millis = at.timestamp_millis();
    format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000))
}

fn row(line: Line, grid: &Grid) -> Option<Row> {
    let sample = |(at, value): (f64, String)| {
        let value = value.parse().ok()?;
        Some(Sample { at: time(at)? - grid.step.delta(), value })
    };
    let samples = line.values.into_iter().map(sample).collect::<Option<_>>()?;
    Some(Row { labels: line.metric, samples })
}

/// A point in time, to the millisecond.
fn time(seconds: f64) -> Option<DateTime<Utc>> {
    /// The year 5138; no float below it loses a millisecond.
    const LATEST: f64 = 1e11;
    if !(0.0..LATEST).contains(&seconds) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
    let millis = (seconds * 1000.0).round() as i64;
    DateTime::from_timestamp_millis(millis)
}

#[cfg(test)]
mod tests {
    use reaper_model::Statistic;

    use super::*;

    fn window(hours: u64, step: u64) -> Window {
        let until: DateTime<Utc> = "2026-11-30T09:00:00.250Z".parse().expect("valid");
        let from = until - Span::from_secs(hours * 3600).delta();
        Window { from, until, step: Span::from_secs(step), statistic: Statistic::Peak }
    }

    #[test]
    fn the_last_point_is_now_and_the_first_stands_for_the_start() {
        let grid = Grid::of(&window(6, 300));
        assert_eq!((grid.points, grid.range().as_str()), (72, "[300s]"));
        assert_eq!(grid.begin(), window(6, 300).from);
        assert_eq!(seconds(grid.last), "1796029200.250");
        let line = Line {
            metric: BTreeMap::new(),
            values: vec![(1_796_029_200.25, "0.5".to_owned()), (1.0, "+Inf".to_owned())],
        };
        let row = row(line, &grid).expect("numbers");
        assert_eq!(row.samples[0].at, grid.last - grid.step.delta());
        assert!(row.samples[1].value.is_infinite());
    }

    #[test]
    fn a_long_window_gets_longer_steps_and_a_short_one_a_point() {
        let grid = Grid::of(&window(24 * 7, 10));
        assert_eq!((grid.step.as_secs(), grid.points), (70, 8640));
        let grid = Grid::of(&window(0, 300));
        assert_eq!((grid.points, grid.first), (1, grid.last));
        assert_eq!(Grid::of(&window(1, 0)).step.as_secs(), 1);
    }

    #[test]
    fn fl_094_times_that_cannot_be_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            assert_eq!(time(bad), None);
        }
    }
}
