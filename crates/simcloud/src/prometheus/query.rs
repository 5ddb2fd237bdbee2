//! The part of the query language that `reaper` uses, understood and evaluated.
//!
//! ```text
//! query = ["1 - "] word " by (" labels ") (" word "(" selector "[" seconds "s])" [alive] ")" {" + " …}
//! alive = " and on (" labels ") (abs(time() - max_over_time(" selector "[" seconds "s])) < " seconds ")"
//! ```

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Clock;
use crate::meter::Summary;
use crate::prometheus::range::step_before;
use crate::prometheus::series::Series;

/// A query: terms that are added up, or one that is taken from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    rest: bool,
    terms: Vec<Term>,
}

#[derive(Debug, PartialEq, Eq)]
struct Term {
    outer: Word,
    by: Vec<String>,
    inner: Word,
    selector: Selector,
    seconds: i64,
    alive: Option<Alive>,
}

/// Only steps that hold a sign of life that is not older.
#[derive(Debug, PartialEq, Eq)]
struct Alive {
    on: Vec<String>,
    selector: Selector,
    seconds: i64,
    within: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Max,
    Avg,
    Sum,
    Rate,
}

/// Which series are meant: labels and patterns, all of which match.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selector(Vec<(String, Test)>);

#[derive(Debug, PartialEq, Eq)]
enum Test {
    /// One of these texts.
    AnyOf(Vec<String>),
    /// A condition on a device, which all simulated ones meet.
    Device,
}

/// Labels, and a value at each time that has one.
pub(super) type Line = (BTreeMap<String, String>, Vec<(DateTime<Utc>, f64)>);

/// Values by time, by labels.
type Found = BTreeMap<Vec<(String, String)>, Points>;
type Points = BTreeMap<DateTime<Utc>, f64>;

impl Query {
    /// Reads a query; the error says what cannot be read.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (rest, text) = match text.strip_prefix("1 - ") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let mut input = Input(text);
        let mut terms = vec![input.term()?];
        while input.take(" + ") {
            terms.push(input.term()?);
        }
        input.end()?;
        Ok(Self { rest, terms })
    }

    /// The lines at these times. `whose` is the label that names machines.
    pub(super) fn run(
        &self,
        all: &[Series<'_>],
        whose: &str,
        clock: &Clock,
        times: &[DateTime<Utc>],
    ) -> Vec<Line> {
        let mut lines: Option<Found> = None;
        for term in &self.terms {
            let found = term.run(all, whose, clock, times);
            lines = Some(match lines {
                None => found,
                // Only what both sides have has a sum.
                Some(mut sums) => {
                    sums.retain(|labels, points| {
                        let Some(more) = found.get(labels) else { return false };
                        points.retain(|at, sum| more.get(at).map(|value| *sum += value).is_some());
                        true
                    });
                    sums
                }
            });
        }
        let value = |value: f64| if self.rest { 1.0 - value } else { value };
        lines
            .unwrap_or_default()
            .into_iter()
            .filter(|(_, points)| !points.is_empty())
            .map(|(labels, points)| {
                let points = points.into_iter().map(|(at, it)| (at, value(it))).collect();
                (labels.into_iter().collect(), points)
            })
            .collect()
    }
}

impl Term {
    fn run(
        &self,
        all: &[Series<'_>],
        whose: &str,
        clock: &Clock,
        times: &[DateTime<Utc>],
    ) -> Found {
        let mut groups: BTreeMap<_, BTreeMap<DateTime<Utc>, Vec<f64>>> = BTreeMap::new();
        for series in all.iter().filter(|series| self.selector.means(series, whose)) {
            let kept = |name: &String| Some((name.clone(), label(series, whose, name)?.to_owned()));
            let group = groups.entry(self.by.iter().filter_map(kept).collect()).or_default();
            let signs = self.alive.as_ref().map(|alive| alive.signs(series, all, whose));
            for at in times {
                if let (Some(alive), Some(signs)) = (&self.alive, &signs)
                    && !signs.iter().any(|sign| alive.holds(sign, clock, *at))
                {
                    continue;
                }
                // Open at its start: what was measured then belongs to the step before.
                let span = step_before(*at, self.seconds);
                let summary = series.meter.summary(clock, series.metric.gauge, series.part, span);
                if let Some(value) = summary.and_then(|summary| self.inner.of(&summary)) {
                    group.entry(*at).or_default().push(series.told(value));
                }
            }
        }
        let total = |values: Vec<f64>| {
            let sum: f64 = values.iter().sum();
            match self.outer {
                Word::Max => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
                Word::Avg => sum / f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX)),
                Word::Sum | Word::Rate => sum,
            }
        };
        groups
            .into_iter()
            .map(|(labels, points)| {
                (labels, points.into_iter().map(|(at, it)| (at, total(it))).collect())
            })
            .collect()
    }
}

impl Alive {
    /// The signs of life that a series goes with.
    fn signs<'s, 'w>(
        &self,
        of: &Series<'_>,
        all: &'s [Series<'w>],
        whose: &str,
    ) -> Vec<&'s Series<'w>> {
        let same = |other: &&Series<'w>| {
            self.selector.means(other, whose)
                && self.on.iter().all(|name| label(of, whose, name) == label(other, whose, name))
        };
        all.iter().filter(same).collect()
    }

    fn holds(&self, sign: &Series<'_>, clock: &Clock, at: DateTime<Utc>) -> bool {
        let looked = sign.looked(clock, step_before(at, self.seconds));
        looked.is_some_and(|looked| (at - looked).abs() < TimeDelta::seconds(self.within))
    }
}

impl Word {
    /// What a step amounts to. A counter needs two values to have grown.
    fn of(self, summary: &Summary) -> Option<f64> {
        let mean = summary.sum / f64::from(summary.count);
        match self {
            Self::Max => Some(summary.maximum),
            Self::Avg => Some(mean),
            Self::Rate => (summary.count > 1).then_some(mean),
            Self::Sum => None,
        }
    }
}

impl Selector {
    /// Reads `{label=~"…"}` by itself.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut input = Input(text);
        let selector = input.selector()?;
        input.end()?;
        Ok(selector)
    }

    pub(super) fn means(&self, series: &Series<'_>, whose: &str) -> bool {
        self.0.iter().all(|(name, test)| match test {
            Test::Device => true,
            Test::AnyOf(texts) if name == "mode" => texts.iter().any(|text| text == "idle"),
            Test::AnyOf(texts) => label(series, whose, name)
                .is_some_and(|value| texts.iter().any(|text| text == value)),
        })
    }
}

/// A label of a series, by the name that it has in this world.
pub(super) fn label<'s>(series: &'s Series<'_>, whose: &str, name: &str) -> Option<&'s str> {
    let own = super::series::WHOSE;
    let found = if name == whose { series.labels.get(own) } else { None };
    found.or_else(|| series.labels.get(name).filter(|_| name != own)).map(String::as_str)
}

/// What is left to read.
struct Input<'a>(&'a str);

impl<'a> Input<'a> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn need(&mut self, text: &str) -> Result<(), String> {
        if self.take(text) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn end(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> String {
        format!("parse error: unexpected {:?}", self.0.chars().take(20).collect::<String>())
    }

    fn until(&mut self, end: char) -> Result<&'a str, String> {
        let (before, rest) = self.0.split_once(end).ok_or_else(|| self.unexpected())?;
        self.0 = rest;
        Ok(before)
    }

    fn name(&mut self) -> Result<&'a str, String> {
        let length = self.0.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (name, rest) = self.0.split_at(length.unwrap_or(self.0.len()));
        if name.is_empty() {
            return Err(self.unexpected());
        }
        self.0 = rest;
        Ok(name)
    }

    fn term(&mut self) -> Result<Term, String> {
        let outer = match self.name()? {
            "max" => Word::Max,
            "avg" => Word::Avg,
            "sum" => Word::Sum,
            _ => return Err(self.unexpected()),
        };
        self.need(" by (")?;
        let by = self.until(')')?.split(", ").map(str::to_owned).collect();
        self.need(" (")?;
        let inner = match self.name()? {
            "max_over_time" => Word::Max,
            "avg_over_time" => Word::Avg,
            "rate" => Word::Rate,
            _ => return Err(self.unexpected()),
        };
        self.need("(")?;
        let selector = self.metric()?;
        self.need("[")?;
        let seconds = self.seconds()?;
        self.need("])")?;
        let alive = if self.take(" and on (") { Some(self.alive()?) } else { None };
        self.need(")")?;
        Ok(Term { outer, by, inner, selector, seconds, alive })
    }

    fn alive(&mut self) -> Result<Alive, String> {
        let on = self.until(')')?.split(", ").map(str::to_owned).collect();
        self.need(" (abs(time() - max_over_time(")?;
        let selector = self.metric()?;
        self.need("[")?;
        let seconds = self.seconds()?;
        self.need("])) < ")?;
        let within = self.until(')')?.parse().map_err(|_| self.unexpected())?;
        Ok(Alive { on, selector, seconds, within })
    }

    fn seconds(&mut self) -> Result<i64, String> {
        self.until('s')?.parse().map_err(|_| self.unexpected())
    }

    /// A name and the conditions behind it.
    fn metric(&mut self) -> Result<Selector, String> {
        let name = self.name()?.to_owned();
        let mut selector = self.selector()?;
        selector.0.push(("__name__".to_owned(), Test::AnyOf(vec![name])));
        Ok(selector)
    }

    fn selector(&mut self) -> Result<Selector, String> {
        let mut tests = Vec::new();
        self.need("{")?;
        loop {
            let name = self.name()?.to_owned();
            let test = if self.take("!~") {
                self.string()?;
                Test::Device
            } else if self.take("=~") {
                Test::AnyOf(alternatives(&self.string()?))
            } else {
                self.need("=")?;
                Test::AnyOf(vec![self.string()?])
            };
            tests.push((name, test));
            if self.take("}") {
                return Ok(Selector(tests));
            }
            self.need(",")?;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.need("\"")?;
        let mut text = String::new();
        let mut rest = self.0.chars();
        loop {
            match rest.next() {
                Some('"') => break,
                Some('\\') => text.extend(match rest.next() {
                    Some('n') => Some('\n'),
                    Some('r') => Some('\r'),
                    Some('t') => Some('\t'),
                    other => other,
                }),
                Some(c) => text.push(c),
                None => return Err(self.unexpected()),
            }
        }
        self.0 = rest.as_str();
        Ok(text)
    }
}

/// The texts that a pattern of escaped texts and `|` matches.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, texts.last_mut()) {
            ('|', _) => texts.push(String::new()),
            ('\\', Some(text)) => text.extend(chars.next()),
            (c, Some(text)) => text.push(c),
            (_, None) => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaper_asks_is_understood() {
        for text in [
            r#"max by (instance, gpu, UUID, GPU_I_ID) (max_over_time(X{instance=~"a\\.b|c:1"}[300s]))"#,
            r#"max by (m) (max_over_time(X{m=~"a"}[300s]) and on (m, job) (abs(time() - max_over_time(T{m=~"a"}[300s])) < 300))"#,
            r#"1 - avg by (instance) (rate(n{mode="idle",instance=~"a"}[60s]))"#,
            r#"sum by (i) (rate(a{device!~"lo|x.*",i=~"a"}[60s])) + sum by (i) (rate(b{i=~"a"}[60s]))"#,
        ] {
            assert!(Query::parse(text).is_ok(), "{text}: {:?}", Query::parse(text));
        }
        assert_eq!(alternatives(r"a\.b|c\|d"), ["a.b", "c|d"]);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["up", "max(up)", "", r#"max by (i) (max_over_time(X{i=~"a}[300s]))"#] {
            assert!(Query::parse(text).is_err(), "{text}");
        }
        assert!(Selector::parse(r#"{__name__=~"a|b"}"#).is_ok());
        assert!(Selector::parse("up").is_err());
    }
}
