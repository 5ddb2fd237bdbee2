//! `GetMetricData`: the data points of up to 500 metrics, each by its exact dimensions, in pages of at
//! most 100,800. Expressions are not understood.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::series::{self, Series};
use super::speech::{Node, Speech, read};
use crate::aws::account::Account;
use crate::aws::error::AwsError;
use crate::aws::paging::Quirk;
use crate::clock::Clock;
use crate::meter::Summary;
use crate::world::World;

const MOST_QUERIES: usize = 500;
const MOST_POINTS: usize = 100_800;
const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
/// Until how many days ago a start is kept to so many seconds, which is also what a period has to be
/// a multiple of.
const KEPT: [(i64, i64); 2] = [(15, MINUTE), (63, 5 * MINUTE)];
const KEPT_LONGER: i64 = 60 * MINUTE;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    #[serde(rename = "MetricDataQueries")]
    queries: Vec<Query>,
    start_time: f64,
    end_time: f64,
    next_token: Option<String>,
    scan_by: Option<String>,
    max_datapoints: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Query {
    id: String,
    metric_stat: Option<MetricStat>,
    label: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MetricStat {
    metric: Metric,
    period: i64,
    stat: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
    namespace: String,
    #[serde(rename = "MetricName")]
    name: String,
    #[serde(default)]
    dimensions: Vec<Dimension>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Dimension {
    name: String,
    value: String,
}

/// The answer to one query, whole.
struct Found {
    id: String,
    label: String,
    status: String,
    points: Vec<(i64, f64)>,
}

fn invalid(message: impl Into<String>) -> AwsError {
    AwsError::bad("ValidationError", message)
}

pub(crate) fn metric_data(
    world: &World,
    (account, region): (&Account, &str),
    speech: Speech,
    body: &[u8],
    quirk: &Quirk,
) -> Result<Node, AwsError> {
    let input: Input = read(speech, body)?;
    input.check()?;
    let all = series::all(world, &account.id, region);
    let all: BTreeMap<String, Series<'_>> =
        all.into_iter().map(|series| (series.key(), series)).collect();
    let newest_first = input.scan_by.as_deref() != Some("TimestampAscending");
    let span = (whole(input.start_time), whole(input.end_time));
    let found: Result<Vec<Found>, AwsError> = input
        .queries
        .into_iter()
        .map(|query| {
            let mut found = query.answer(&world.clock, &all, span)?;
            if newest_first {
                found.points.reverse();
            }
            Ok(found)
        })
        .collect();
    let start = match input.next_token.as_deref() {
        None | Some(AGAIN) => 0,
        Some(token) => token
            .parse()
            .map_err(|_| AwsError::bad("InvalidNextToken", "The next token is not valid."))?,
    };
    let limit = input.max_datapoints.unwrap_or(MOST_POINTS);
    Ok(page(&found?, start, limit.min(quirk.page_limit.unwrap_or(limit)), quirk.repeats_token))
}

/// The token of a listing without end.
const AGAIN: &str = "again";

/// Seconds since 1970; what is less than one is of no account here.
#[expect(clippy::cast_possible_truncation, reason = "saturates, which no test comes near to")]
fn whole(seconds: f64) -> i64 {
    seconds.floor() as i64
}

impl Input {
    fn check(&self) -> Result<(), AwsError> {
        let queries = &self.queries;
        if queries.is_empty() || queries.len() > MOST_QUERIES {
            let count = queries.len();
            return Err(invalid(format!("{count} queries: there must be 1 to {MOST_QUERIES}")));
        }
        let ids: BTreeSet<&str> = queries.iter().map(|query| query.id.as_str()).collect();
        if ids.len() < queries.len() || !ids.iter().all(|id| is_id(id)) {
            return Err(invalid("The ids of queries must be valid and unique"));
        }
        if self.start_time >= self.end_time {
            return Err(invalid("StartTime must be less than EndTime"));
        }
        if self.max_datapoints.is_some_and(|max| max == 0 || max > MOST_POINTS) {
            return Err(invalid(format!("MaxDatapoints must be 1 to {MOST_POINTS}")));
        }
        Ok(())
    }
}

fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
}

impl Query {
    fn answer(
        self,
        clock: &Clock,
        all: &BTreeMap<String, Series<'_>>,
        (start, end): (i64, i64),
    ) -> Result<Found, AwsError> {
        let Some(MetricStat { metric, period, stat }) = self.metric_stat else {
            return Err(invalid(format!("{}: expressions are not simulated", self.id)));
        };
        let value: fn(&Summary) -> f64 = match stat.as_str() {
            "Average" => |summary| summary.sum / f64::from(summary.count),
            "Minimum" => |summary| summary.minimum,
            "Maximum" => |summary| summary.maximum,
            "Sum" => |summary| summary.sum,
            "SampleCount" => |summary| f64::from(summary.count),
            _ => return Err(invalid(format!("{}: there is no statistic {stat}", self.id))),
        };
        if period < MINUTE || period % MINUTE != 0 {
            return Err(invalid(format!("{}: the period {period} is no whole minute", self.id)));
        }
        let dimensions = metric.dimensions.iter().map(|it| (it.name.as_str(), it.value.as_str()));
        let series = all.get(&series::key(&metric.namespace, &metric.name, dimensions));
        let grain = grain(clock.now(), start);
        let mut points = Vec::new();
        if let Some(series) = series.filter(|_| period % grain == 0) {
            let start = start - start.rem_euclid(grain);
            // Periods begin at whole multiples of their length; one that began earlier is left out.
            let mut from = start + (period - start.rem_euclid(period)) % period;
            while from < end.min(clock.now().timestamp() + 1) {
                let summary = series.period(clock, from, period);
                points.extend(summary.map(|summary| (from, value(&summary))));
                from += period;
            }
        }
        let status = series.and_then(Series::status).unwrap_or("Complete").to_owned();
        let label = self.label.unwrap_or(metric.name);
        Ok(Found { id: self.id, label, status, points })
    }
}

/// What a start so long ago is kept to.
fn grain(now: DateTime<Utc>, start: i64) -> i64 {
    let age = now.timestamp() - start;
    let kept = KEPT.into_iter().find(|(days, _)| age <= days * DAY);
    kept.map_or(KEPT_LONGER, |(_, grain)| grain)
}

/// At most `limit` data points from `start` on, counted through all answers.
fn page(found: &[Found], start: usize, limit: usize, endless: bool) -> Node {
    let total: usize = found.iter().map(|found| found.points.len()).sum();
    let end = start.saturating_add(limit);
    let (mut results, mut base) = (Vec::new(), 0);
    for one in found {
        let after = base + one.points.len();
        let none_here = one.points.is_empty() && base >= start && (base < end || end >= total);
        let here = start.max(base)..end.min(after);
        if none_here || here.start < here.end {
            let points = &one.points[(here.start - base).min(one.points.len())..];
            let points = &points[..here.len().min(points.len())];
            results.push(one.written(points, after > end));
        }
        base = after;
    }
    let mut answer = vec![("MetricDataResults", Node::List(results))];
    let next =
        if endless { Some(AGAIN.to_owned()) } else { (end < total).then(|| end.to_string()) };
    answer.extend(next.map(|token| ("NextToken", Node::Text(token))));
    Node::Map(answer)
}

impl Found {
    fn written(&self, points: &[(i64, f64)], cut: bool) -> Node {
        let status = if cut { "PartialData" } else { &self.status };
        let time = |(at, _): &(i64, f64)| Some(Node::Time(DateTime::from_timestamp(*at, 0)?));
        Node::Map(vec![
            ("Id", Node::Text(self.id.clone())),
            ("Label", Node::Text(self.label.clone())),
            ("Timestamps", Node::List(points.iter().filter_map(time).collect())),
            ("Values", Node::List(points.iter().map(|(_, value)| Node::Number(*value)).collect())),
            ("StatusCode", Node::Text(status.to_owned())),
        ])
    }
}
