//! Which alerts are due, from how the budgets stand and what was told before. Each threshold is told
//! once to each recipient in a period; what was perhaps not told is told again under the same key.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_model::BudgetSpec;
use rust_decimal::Decimal;

use crate::percent::{reached, written};
use crate::standing::Standing;

/// A mail of which nobody knows whether it arrived is not sent again before that.
pub const DOUBT_FOR: TimeDelta = TimeDelta::hours(24);

/// How far a forecast must fall below its threshold, in percent of the limit, before it is told of
/// again.
pub const HYSTERESIS: Decimal = Decimal::from_parts(5, 0, 0, false, 0);

/// What a threshold is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Against {
    /// What is spent.
    Actual,
    /// What the month will come to.
    Forecast,
}

impl Against {
    /// The word in keys.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Actual => "actual",
            Self::Forecast => "forecast",
        }
    }
}

/// An alert of before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldAlert {
    /// The budget's name.
    pub budget: String,
    /// The period, such as `2026-11`.
    pub period: String,
    /// [`Against::name`].
    pub against: String,
    /// The limit, as [`limit_key`] writes it.
    pub limit: String,
    /// The recipient.
    pub to: String,
    /// The thresholds that its mail named, as `80%`.
    pub covers: Vec<String>,
    /// What became of it.
    pub how: How,
}

/// What became of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Its intent was recorded; whether it went out nobody knows.
    Intended,
    /// The recipient's server took it.
    Accepted(DateTime<Utc>),
    /// It was refused; for good, or for now.
    Rejected {
        /// Whether it would be refused again.
        permanent: bool,
    },
    /// The connection broke when it could have been taken.
    PossiblySent(DateTime<Utc>),
}

/// Everything that the alerts of a run depend on besides the standings.
#[derive(Debug, Clone)]
pub struct Past<'a> {
    /// The period, such as `2026-11`.
    pub period: &'a str,
    /// Alerts of before.
    pub told: &'a [ToldAlert],
    /// When the forecast of a budget last fell so far below a threshold that it may be told of
    /// again: budget, threshold, time.
    pub rearmed: &'a [(String, String, DateTime<Utc>)],
    /// Who is told when nobody else can be.
    pub fallback: Option<&'a str>,
    /// Names of channels that are told besides, of every budget. Nobody stands in for them.
    pub channels: &'a [String],
    /// The zone of periods and days.
    pub zone: Tz,
    /// The clock.
    pub now: DateTime<Utc>,
}

/// One alert to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueAlert {
    /// The budget's name.
    pub budget: String,
    /// The period.
    pub period: String,
    /// What was reached.
    pub against: Against,
    /// The highest of the thresholds, for the key: `80%`; of a forecast that was told of before in
    /// this period with the day, `100%@2026-11-12`.
    pub threshold: String,
    /// The limit, for the key: a raised limit is another alert.
    pub limit: String,
    /// The recipient.
    pub to: String,
    /// All thresholds that are new to the recipient, ascending.
    pub covers: Vec<String>,
    /// In whose place, if a recipient was refused for good.
    pub instead_of: Option<String>,
}

/// The limit as it stands in keys: `5000 EUR`.
pub fn limit_key(spec: &BudgetSpec) -> String {
    format!("{} {}", spec.limit.amount.normalize(), spec.limit.currency)
}

/// The alerts of one budget that are due.
pub fn due(spec: &BudgetSpec, standing: &Standing, past: &Past<'_>) -> Vec<DueAlert> {
    let limit = limit_key(spec);
    let mut due = Vec::new();
    for (to, instead_of) in recipients(spec, &limit, past) {
        for (against, reached) in
            [(Against::Actual, &standing.reached), (Against::Forecast, &standing.forecast_reached)]
        {
            let told = Told { spec, limit: &limit, to: &to, against, past };
            let new: Vec<Decimal> =
                reached.iter().copied().filter(|threshold| !told.knows(*threshold)).collect();
            let Some(threshold) = told.key(&new) else { continue };
            due.push(DueAlert {
                budget: spec.name.clone(),
                period: past.period.to_owned(),
                against,
                threshold,
                limit: limit.clone(),
                to: to.clone(),
                covers: new.into_iter().map(written).collect(),
                instead_of: instead_of.clone(),
            });
        }
    }
    due
}

/// The thresholds of the forecast that may be told of again, because it has fallen far enough below
/// them since they were.
pub fn fallen(spec: &BudgetSpec, standing: &Standing, past: &Past<'_>) -> Vec<String> {
    // A forecast falls as well when a part of the fleet could not be read.
    let Some(forecast) = standing.forecast.filter(|_| !standing.at_least()) else {
        return Vec::new();
    };
    let limit = limit_key(spec);
    let far_below = |threshold: &Decimal| {
        reached(forecast.amount, spec.limit.amount, &[*threshold - HYSTERESIS]).is_empty()
    };
    let was_told = |threshold: &Decimal| {
        let since = past.rearmed(&spec.name, &written(*threshold));
        past.of(spec, &limit, Against::Forecast).any(|alert| {
            let at = match alert.how {
                How::Accepted(at) | How::PossiblySent(at) => at,
                How::Intended | How::Rejected { .. } => return false,
            };
            since.is_none_or(|since| at > since) && covers(alert, *threshold)
        })
    };
    let fallen = spec.forecast.iter().filter(|threshold| far_below(threshold));
    fallen.filter(|threshold| was_told(threshold)).map(|threshold| written(*threshold)).collect()
}

/// What one recipient was told of one budget.
struct Told<'a> {
    spec: &'a BudgetSpec,
    limit: &'a str,
    to: &'a str,
    against: Against,
    past: &'a Past<'a>,
}

impl<'a> Told<'a> {
    fn alerts(&self) -> impl Iterator<Item = &'a ToldAlert> {
        let to = self.to;
        let of = self.past.of(self.spec, self.limit, self.against);
        of.filter(move |alert| alert.to.eq_ignore_ascii_case(to))
    }

    /// Whether the recipient knows of a threshold: who was told of a higher one knows.
    fn knows(&self, threshold: Decimal) -> bool {
        let since = match self.against {
            Against::Actual => None,
            Against::Forecast => self.past.rearmed(&self.spec.name, &written(threshold)),
        };
        self.alerts().any(|alert| {
            let at = match alert.how {
                How::Accepted(at) => at,
                How::PossiblySent(at) if self.past.now < at + DOUBT_FOR => at,
                How::PossiblySent(_) | How::Intended | How::Rejected { .. } => return false,
            };
            since.is_none_or(|since| at > since) && covers(alert, threshold)
        })
    }

    /// The key of an alert about new thresholds; `None` if there are none, or for a forecast of
    /// which something was told today already.
    fn key(&self, new: &[Decimal]) -> Option<String> {
        let highest = written(*new.iter().max()?);
        if self.against == Against::Actual {
            return Some(highest);
        }
        let day = |time: DateTime<Utc>| time.with_timezone(&self.past.zone).date_naive();
        let today = day(self.past.now);
        let accepted: Vec<DateTime<Utc>> = self
            .alerts()
            .filter_map(|alert| match alert.how {
                How::Accepted(at) => Some(at),
                _ => None,
            })
            .collect();
        if accepted.iter().any(|at| day(*at) == today) {
            return None;
        }
        Some(if accepted.is_empty() { highest } else { format!("{highest}@{today}") })
    }
}

impl<'a> Past<'a> {
    fn of(
        &self,
        spec: &BudgetSpec,
        limit: &str,
        against: Against,
    ) -> impl Iterator<Item = &'a ToldAlert> {
        let key = (spec.name.clone(), self.period.to_owned(), limit.to_owned());
        self.told.iter().filter(move |alert| {
            (&alert.budget, &alert.period, &alert.limit) == (&key.0, &key.1, &key.2)
                && alert.against == against.name()
        })
    }

    fn rearmed(&self, budget: &str, threshold: &str) -> Option<DateTime<Utc>> {
        let of = self.rearmed.iter().filter(|(name, of, _)| name == budget && of == threshold);
        of.map(|(.., at)| *at).max()
    }
}

/// Whether an alert named a threshold, or a higher one.
fn covers(alert: &ToldAlert, threshold: Decimal) -> bool {
    let number = |text: &String| text.trim_end_matches('%').parse::<Decimal>().ok();
    alert.covers.iter().filter_map(number).any(|covered| covered >= threshold)
}

/// Who is told: the budget's recipients, the fallback where there are none and in place of whom the
/// server refuses for good, with the name of that.
fn recipients(spec: &BudgetSpec, limit: &str, past: &Past<'_>) -> Vec<(String, Option<String>)> {
    let refused = |to: &str| {
        [Against::Actual, Against::Forecast].into_iter().any(|against| {
            past.of(spec, limit, against).any(|alert| {
                alert.how == How::Rejected { permanent: true } && alert.to.eq_ignore_ascii_case(to)
            })
        })
    };
    let mut seen = BTreeSet::new();
    let mut recipients = Vec::new();
    let mut add = |to: &str, instead_of: Option<&str>| {
        if seen.insert(to.to_lowercase()) {
            recipients.push((to.to_owned(), instead_of.map(str::to_owned)));
        }
    };
    for to in spec.recipients.iter().filter(|to| !refused(to)) {
        add(to, None);
    }
    if let Some(fallback) = past.fallback.filter(|fallback| !refused(fallback)) {
        if spec.recipients.is_empty() {
            add(fallback, None);
        }
        for to in spec.recipients.iter().filter(|to| refused(to)) {
            add(fallback, Some(to));
        }
    }
    if recipients.is_empty() {
        // Nobody is left: those who refused are tried again, and it is said in every run.
        let first = spec.recipients.first().cloned();
        let all = spec.recipients.iter().map(|to| (to.clone(), None));
        let fallback = past.fallback.map(|to| (to.to_owned(), first));
        recipients = all.chain(fallback).collect();
    }
    recipients.extend(past.channels.iter().map(|channel| (channel.clone(), None)));
    recipients
}

/// Of a month that is over: what was not taken, as it was, and what was reached after its last run.
/// Only to whom something of this budget with this limit was told, or tried to be, while the month
/// lasted: a budget that was edited since is no budget of that month.
pub fn due_late(spec: &BudgetSpec, standing: &Standing, past: &Past<'_>) -> Vec<DueAlert> {
    let limit = limit_key(spec);
    let told: Vec<&ToldAlert> = past.of(spec, &limit, Against::Actual).collect();
    let tried = |to: &str| told.iter().any(|alert| alert.to.eq_ignore_ascii_case(to));
    let mut standing = standing.clone();
    standing.forecast_reached.clear();
    // A bill that told more then is not there any more: what was about to be told was so.
    let number = |text: &String| text.trim_end_matches('%').parse::<Decimal>().ok();
    for covered in told.iter().flat_map(|alert| alert.covers.iter().filter_map(number)) {
        if spec.thresholds.contains(&covered) && !standing.reached.contains(&covered) {
            standing.reached.push(covered);
        }
    }
    standing.reached.sort();
    due(spec, &standing, past)
        .into_iter()
        .filter(|due| due.instead_of.is_some() || tried(&due.to))
        .collect()
}
