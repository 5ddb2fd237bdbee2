//! `GetMetricData`: as many series in one request as CloudWatch allows, and what it says of each.

use aws_sdk_cloudwatch::primitives::DateTime as RawTime;
use aws_sdk_cloudwatch::types::{
    MessageData, MetricDataQuery, MetricDataResult, MetricStat, ScanBy, StatusCode,
};
use futures::future::join_all;
use reaper_provider::{CallContext, ProviderError};

use super::DATA;
use super::wanted::{Grid, Points, Refusal, Wanted};
use crate::client::RegionClient;
use crate::wire::{Tokens, send};

/// Series in one request.
const MOST_SERIES: usize = 500;
/// Data points in one answer; what is more comes in pages.
const MOST_POINTS: i64 = 100_800;

/// What the answers have said of one series so far.
#[derive(Debug, Default)]
struct Answer {
    points: Points,
    /// The word of the last page that speaks of it.
    status: Option<StatusCode>,
    words: Vec<String>,
    /// Its two lists did not fit together.
    torn: bool,
}

/// The data points of each series, in the order of the questions.
pub(super) async fn fetch(
    region: &RegionClient,
    cx: &CallContext,
    grid: &Grid,
    wanted: &[Wanted],
) -> Vec<Result<Points, Refusal>> {
    let batches = batches(grid, wanted).into_iter();
    let answers = join_all(batches.map(|batch| ask(region, cx, grid, batch))).await;
    answers.into_iter().flatten().collect()
}

/// Cuts the questions so that each part is answered by one page.
fn batches<'a>(grid: &Grid, wanted: &'a [Wanted]) -> Vec<&'a [Wanted]> {
    let mut batches = Vec::new();
    let (mut from, mut points) = (0, 0);
    for (place, one) in wanted.iter().enumerate() {
        let more = (grid.until - grid.from).max(0) / one.period.max(1) + 1;
        if place - from == MOST_SERIES || (place > from && points + more > MOST_POINTS) {
            batches.push(&wanted[from..place]);
            (from, points) = (place, 0);
        }
        points += more;
    }
    if from < wanted.len() {
        batches.push(&wanted[from..]);
    }
    batches
}

async fn ask(
    region: &RegionClient,
    cx: &CallContext,
    grid: &Grid,
    wanted: &[Wanted],
) -> Vec<Result<Points, Refusal>> {
    let queries: Vec<MetricDataQuery> =
        wanted.iter().enumerate().map(|(place, one)| query(place, one)).collect();
    let mut answers: Vec<Answer> = wanted.iter().map(|_| Answer::default()).collect();
    let mut said = Vec::new();
    let ended = pages(region, cx, grid, &queries, |results, messages| {
        said.extend(messages.iter().map(words));
        for result in results {
            take(&mut answers, result);
        }
    });
    let error = ended.await.err().map(|error| error.to_string());
    answers.into_iter().map(|answer| answer.finish(error.as_deref(), &said)).collect()
}

async fn pages(
    region: &RegionClient,
    cx: &CallContext,
    grid: &Grid,
    queries: &[MetricDataQuery],
    mut page: impl FnMut(&[MetricDataResult], &[MessageData]),
) -> Result<(), ProviderError> {
    let (mut tokens, mut token) = (Tokens::default(), None);
    loop {
        let request = region
            .cloudwatch
            .get_metric_data()
            .set_metric_data_queries(Some(queries.to_vec()))
            .start_time(RawTime::from_secs(grid.from))
            .end_time(RawTime::from_secs(grid.until))
            .scan_by(ScanBy::TimestampAscending)
            .set_next_token(token);
        let begin = |trace| request.customize().interceptor(trace).send();
        let answer = send(&region.metrics, cx, DATA, begin).await?;
        page(answer.metric_data_results(), answer.messages());
        token = tokens.next(DATA, answer.next_token)?;
        if token.is_none() {
            return Ok(());
        }
    }
}

fn query(place: usize, wanted: &Wanted) -> MetricDataQuery {
    let stat = MetricStat::builder()
        .metric(wanted.metric.clone())
        .period(i32::try_from(wanted.period).unwrap_or(i32::MAX))
        .stat(wanted.statistic)
        .build();
    MetricDataQuery::builder().id(format!("m{place}")).metric_stat(stat).build()
}

/// Puts one result to its question; one that nobody asked for is left.
fn take(answers: &mut [Answer], result: &MetricDataResult) {
    let place = result.id().and_then(|id| id.strip_prefix('m')?.parse::<usize>().ok());
    let Some(answer) = place.and_then(|place| answers.get_mut(place)) else { return };
    let (times, values) = (result.timestamps(), result.values());
    answer.torn |= times.len() != values.len();
    answer.points.extend(times.iter().map(RawTime::secs).zip(values.iter().copied()));
    answer.status = result.status_code().cloned();
    answer.words.extend(result.messages().iter().map(words));
}

fn words(message: &MessageData) -> String {
    let (code, value) = (message.code().unwrap_or_default(), message.value().unwrap_or_default());
    format!("{code}: {value}").trim_matches([':', ' ']).to_owned()
}

impl Answer {
    /// The data points, if CloudWatch says that these are all. `error` ended the pages, `said` is
    /// what it told besides.
    fn finish(self, error: Option<&str>, said: &[String]) -> Result<Points, Refusal> {
        if self.status == Some(StatusCode::Complete) && !self.torn {
            return Ok(self.points);
        }
        if let Some(error) = error {
            return Err(Refusal::OfAll(error.to_owned()));
        }
        let mut why = match &self.status {
            Some(StatusCode::Complete) => "times and values do not fit together".to_owned(),
            Some(status) => format!("the answer is marked {}", status.as_str()),
            None => "the answer does not speak of it".to_owned(),
        };
        for words in self.words.iter().chain(said) {
            why = format!("{why}; {words}");
        }
        Err(Refusal::OfOne(why))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::{TimeDelta, Utc};
    use reaper_model::{Gauge, Span, Statistic, Window};

    use super::super::wanted::of_machine;
    use super::*;

    fn grid(days: i64, step: &str) -> Grid {
        let until = chrono::DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(20_000);
        let (from, step) = (until - TimeDelta::days(days), step.parse::<Span>().expect("a span"));
        Grid::of(&Window { from, until, step, statistic: Statistic::Peak }, until)
    }

    fn wanted(grid: &Grid, count: usize) -> Vec<Wanted> {
        let one = |place| grid.level(place, Gauge::Cpu, None, of_machine("i-0", "CPU"), 1.0);
        (0..count).map(one).collect()
    }

    fn sizes(days: i64, step: &str, count: usize) -> Vec<usize> {
        let grid = grid(days, step);
        batches(&grid, &wanted(&grid, count)).into_iter().map(<[Wanted]>::len).collect()
    }

    #[test]
    fn a_request_holds_500_series_or_100_800_data_points() {
        assert_eq!(sizes(0, "5m", 0), [0; 0]);
        assert_eq!(sizes(0, "5m", 500), [500]);
        assert_eq!(sizes(0, "5m", 1001), [500, 500, 1]);
        // A week in steps of five minutes: 2017 data points each.
        assert_eq!(sizes(7, "5m", 100), [49, 49, 2]);
        assert_eq!(sizes(7, "1h", 1000), [500, 500]);
    }

    fn result(id: &str, status: Option<StatusCode>, points: &[(i64, f64)]) -> MetricDataResult {
        let (times, values): (Vec<_>, Vec<_>) =
            points.iter().map(|(at, value)| (RawTime::from_secs(*at), *value)).unzip();
        MetricDataResult::builder()
            .id(id)
            .set_status_code(status)
            .set_timestamps(Some(times))
            .set_values(Some(values))
            .messages(MessageData::builder().code("Slow").value("too slow").build())
            .build()
    }

    #[test]
    fn fl_097_only_what_cloudwatch_calls_complete_is_evidence() {
        let mut answers: Vec<Answer> = (0..6).map(|_| Answer::default()).collect();
        let all = [
            result("m0", Some(StatusCode::PartialData), &[(0, 1.0)]),
            result("m0", Some(StatusCode::Complete), &[(60, 2.0)]),
            result("m1", Some(StatusCode::PartialData), &[(0, 1.0)]),
            result("m2", Some(StatusCode::InternalError), &[]),
            result("m3", None, &[(0, 0.0)]),
            result("m5", Some(StatusCode::Complete), &[]),
            result("m9", Some(StatusCode::Complete), &[(0, 1.0)]),
            result("other", Some(StatusCode::Complete), &[(0, 1.0)]),
        ];
        for result in &all {
            take(&mut answers, result);
        }
        let said = ["Limit: as much as possible was done".to_owned()];
        let ended: Vec<_> = answers
            .into_iter()
            .map(|answer| answer.finish(None, &said).map(|it| it.len()))
            .collect();
        let refused = |why: &str| {
            let said = "Limit: as much as possible was done";
            Err(Refusal::OfOne(format!("{why}{said}")))
        };
        assert_eq!(ended[0], Ok(2));
        assert_eq!(ended[1], refused("the answer is marked PartialData; Slow: too slow; "));
        assert_eq!(ended[2], refused("the answer is marked InternalError; Slow: too slow; "));
        assert_eq!(ended[3], refused("the answer does not speak of it; Slow: too slow; "));
        assert_eq!(ended[4], refused("the answer does not speak of it; "));
        assert_eq!(ended[5], Ok(0), "complete and empty: there is nothing");
    }

    #[test]
    fn what_was_complete_before_an_error_stays() {
        let mut answers = vec![Answer::default(), Answer::default()];
        take(&mut answers, &result("m1", Some(StatusCode::Complete), &[(0, 1.0)]));
        let ended: Vec<_> =
            answers.into_iter().map(|it| it.finish(Some("throttled"), &[])).collect();
        assert_eq!(ended[0], Err(Refusal::OfAll("throttled".to_owned())));
        assert_eq!(ended[1], Ok(BTreeMap::from([(0, 1.0)])));
    }

    #[test]
    fn old_windows_are_asked_in_periods_that_are_kept() {
        let period = |days, step| wanted(&grid(days, step), 1)[0].period;
        assert_eq!(period(1, "1m"), 300, "EC2's own metrics come every five minutes");
        assert_eq!(period(1, "7m"), 420);
        assert_eq!(period(20, "7m"), 600);
        assert_eq!(period(70, "7m"), 3600);
        let grid = grid(1, "7m");
        assert_eq!((grid.from % 420, grid.until - grid.from >= 86_400), (0, true));
    }
}
