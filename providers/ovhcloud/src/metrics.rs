//! OVHcloud's monitoring: how busy CPU and network of a machine are. Of GPUs it tells nothing.
//!
//! Each quantity of each machine is a call of its own, and a slow one, so that a large fleet is not
//! asked about: that is said of each of its machines.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::{StreamExt as _, stream};
use reaper_http::Lenient;
use reaper_model::{
    Gauge, Ignorance, Instance, InstanceId, Measured, Sample, Series, Source, Span, Statistic,
    Unknown, Window,
};
use reaper_provider::{CallContext, ErrorKind, MetricsSource, ProviderError, Sight};

use crate::client::{Api, MONITORING};
use crate::wire::Monitoring;

const NAME: &str = "OVHcloud monitoring";
/// Machines of which the monitoring is read in one run: three calls each.
const MOST_MACHINES: usize = 60;
/// Calls under way. The account's own pace holds as well.
const AT_ONCE: usize = 4;

/// The monitoring of one project.
#[derive(Debug)]
pub(crate) struct Monitor {
    pub(crate) api: Api,
}

impl Monitor {
    async fn machine(&self, cx: &CallContext, machine: &str, window: &Window) -> Measured {
        let mut measured = Measured::default();
        let period = period(window, cx.now);
        let cpu = match window.statistic {
            Statistic::Peak => "cpu:max",
            Statistic::Mean => "cpu:used",
        };
        match self.read(cx, machine, period, cpu).await {
            Ok(points) => measured.series.extend(points.series(Gauge::Cpu, window)),
            Err(error) => measured.gaps.push(failed(&error)),
        }
        // Both directions together, so that both must be there.
        let received = self.read(cx, machine, period, "net:rx").await;
        let sent = self.read(cx, machine, period, "net:tx").await;
        match (received, sent) {
            (Ok(received), Ok(sent)) => {
                measured.series.extend(received.plus(&sent).series(Gauge::Network, window));
            }
            (Err(error), _) | (_, Err(error)) => measured.gaps.push(failed(&error)),
        }
        measured
    }

    async fn read(
        &self,
        cx: &CallContext,
        machine: &str,
        period: &str,
        kind: &'static str,
    ) -> Result<Points, ProviderError> {
        let answer = self.api.monitoring(cx, machine, period, kind).await?;
        Points::of(&answer, kind)
    }
}

/// The shortest period that holds the window.
fn period(window: &Window, now: DateTime<Utc>) -> &'static str {
    const DAY: u64 = 24 * 60 * 60;
    match Span::between(window.from, now.max(window.until)).as_secs() {
        length if length <= DAY => "lastday",
        length if length <= 7 * DAY => "lastweek",
        _ => "lastmonth",
    }
}

fn failed(error: &ProviderError) -> Unknown {
    Unknown::new(Ignorance::ReadFailed, format!("{NAME}: {error}"))
}

/// What an answer holds: seconds since 1970 and values, in order of time.
#[derive(Debug, Clone, PartialEq)]
struct Points(Vec<(i64, f64)>);

impl Points {
    fn of(answer: &Monitoring, kind: &str) -> Result<Self, ProviderError> {
        let unreadable = |what: String| {
            ProviderError::answered(ErrorKind::Protocol, MONITORING, format!("{kind}: {what}"))
        };
        let unit = answer.unit.good().cloned().unwrap_or_default();
        let scale = scale(kind, &unit).ok_or_else(|| unreadable(format!("unit {unit:?}")))?;
        // A point without a value is a time of which nothing is known.
        let point = |point: &Lenient<crate::wire::MonitoringPoint>| {
            let point = point.good()?;
            Some((*point.timestamp.good()?, *point.value.good()? * scale))
        };
        let mut points: Vec<(i64, f64)> = answer.values.iter().filter_map(point).collect();
        points.sort_by_key(|(at, _)| *at);
        Ok(Self(points))
    }

    /// The sums, at times that both have.
    fn plus(self, other: &Self) -> Self {
        let sum = |(at, value): (i64, f64)| {
            let found = other.0.binary_search_by_key(&at, |(at, _)| *at).ok()?;
            Some((at, value + other.0.get(found)?.1))
        };
        Self(self.0.into_iter().filter_map(sum).collect())
    }

    /// The series of the window, if there is anything. What one point stands for is not said; it is
    /// the shortest time between two.
    fn series(self, gauge: Gauge, window: &Window) -> Option<Series> {
        let apart = self.0.windows(2).filter_map(|pair| {
            let [(first, _), (second, _)] = pair else { return None };
            u64::try_from(second - first).ok().filter(|seconds| *seconds > 0)
        });
        let step = Span::from_secs(apart.min()?);
        let samples: Vec<Sample> = self
            .0
            .into_iter()
            .filter_map(|(at, value)| {
                let at = DateTime::from_timestamp(at, 0)?;
                (window.from..window.until).contains(&at).then_some(Sample { at, value })
            })
            .collect();
        let source = Source::new(NAME);
        let series = Series { gauge, gpu: None, slice: None, source, step, samples };
        (!series.samples.is_empty()).then_some(series)
    }
}

/// What a value is multiplied by to be percent or bytes per second; `None` for a unit that is not
/// known, of which nothing is concluded.
fn scale(kind: &str, unit: &str) -> Option<f64> {
    match (kind.starts_with("cpu:"), unit) {
        (true, "%") | (false, "B/s" | "Bps") => Some(1.0),
        (false, "b/s" | "bps") => Some(0.125),
        (false, "KB/s" | "kB/s") => Some(1e3),
        (false, "MB/s") => Some(1e6),
        _ => None,
    }
}

#[async_trait]
impl MetricsSource for Monitor {
    fn name(&self) -> &str {
        NAME
    }

    fn sight(&self) -> Sight {
        Sight::Host
    }

    async fn measure(
        &self,
        cx: &CallContext,
        machines: &[&Instance],
        window: &Window,
    ) -> Vec<(InstanceId, Measured)> {
        if machines.len() > MOST_MACHINES {
            let why = format!(
                "{NAME}: not read, because it takes three calls a machine and there are more than \
                 {MOST_MACHINES}"
            );
            let gap = Unknown::new(Ignorance::NotAsked, why);
            let unread = || Measured { series: Vec::new(), gaps: vec![gap.clone()] };
            return machines.iter().map(|machine| (machine.id.clone(), unread())).collect();
        }
        let ids: Vec<InstanceId> = machines.iter().map(|machine| machine.id.clone()).collect();
        let asked = stream::iter(ids).map(|id: InstanceId| async move {
            let measured = self.machine(cx, &id.native, window).await;
            (id, measured)
        });
        let answers: Vec<_> = asked.buffered(AT_ONCE).collect().await;
        let told = |it: &(InstanceId, Measured)| it.1 != Measured::default();
        answers.into_iter().filter(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn points(unit: &str, values: &str) -> Result<Points, ProviderError> {
        let text = format!("{{\"unit\": \"{unit}\", \"values\": {values}}}");
        Points::of(&serde_json::from_str(&text).expect("an answer"), "cpu:used")
    }

    fn window() -> Window {
        let until: DateTime<Utc> = "2025-08-20T09:00:00Z".parse().expect("a time");
        let from = until - TimeDelta::hours(6);
        Window { from, until, step: Span::from_secs(300), statistic: Statistic::Peak }
    }

    #[test]
    fn fl_102_a_unit_that_is_not_known_tells_nothing() {
        assert!(points("%", "[]").is_ok());
        for unit in ["", "percentage", "B/s"] {
            assert!(points(unit, "[]").is_err(), "{unit}");
        }
        assert_eq!(scale("net:rx", "b/s"), Some(0.125));
        assert_eq!(scale("net:rx", "%"), None);
    }

    #[test]
    fn fl_097_a_point_without_a_value_is_no_zero() {
        let values = r#"[{"timestamp": 1755676860, "value": 1.2}, {"timestamp": 1755676800,
                          "value": null}, {"timestamp": 1755676740, "value": 1.4}]"#;
        let points = points("%", values).expect("readable");
        assert_eq!(points.0, [(1_755_676_740, 1.4), (1_755_676_860, 1.2)]);
        let series = points.clone().series(Gauge::Cpu, &window()).expect("two samples");
        assert_eq!((series.step.as_secs(), series.samples.len()), (120, 2));
        assert_eq!(points.clone().plus(&Points(vec![(1_755_676_860, 1.0)])).0.len(), 1);
        assert!(Points(Vec::new()).series(Gauge::Cpu, &window()).is_none());
    }

    #[test]
    fn the_shortest_period_that_holds_the_window_is_asked_for() {
        let week = |days| Window { from: window().until - TimeDelta::days(days), ..window() };
        let now = window().until;
        assert_eq!(period(&window(), now), "lastday");
        assert_eq!(period(&week(7), now), "lastweek");
        assert_eq!(period(&week(9), now), "lastmonth");
    }
}
