//! Budgets in words that all formats and the alert mail share. Plain text, neither cleaned nor
//! escaped.

mod bar;

use reaper_model::document::{AlertStatus, AuditDocument, Basis, BudgetStatus, BudgetView, Mode};
use reaper_model::{Money, OnLimit};
use rust_decimal::Decimal;

pub use bar::{Bar, Cell, LEGEND};

use crate::figures::{Zone, age, count, listed};

/// `ok, 42 %`, `WARN, 84.2 %`, `OVER, 104.2 %`, `at least 42 %, incomplete`. Never `ok` where
/// something is missing.
pub fn standing(budget: &BudgetView) -> String {
    let used = used(budget);
    match budget.status {
        BudgetStatus::Ok if !budget.at_least => format!("ok, {used}"),
        BudgetStatus::Ok | BudgetStatus::Incomplete => used,
        BudgetStatus::Warn => format!("WARN, {used}"),
        BudgetStatus::Over => format!("OVER, {used}"),
        BudgetStatus::ForecastOver => format!("FORECAST, {used}"),
    }
}

/// `84.2 %`, or `at least 42 %, incomplete`. The percentage is cut off and never rounded up, so it
/// does not claim a threshold that is not reached; nor does it read 100 % where that is exceeded.
pub fn used(budget: &BudgetView) -> String {
    let percent = percentage(&budget.percent);
    if is_incomplete(budget) {
        format!("at least {percent}, incomplete")
    } else if budget.status == BudgetStatus::Over && percent == "100 %" {
        format!("more than {percent}")
    } else {
        percent
    }
}

/// `4,212.00 EUR of 5,000.00 EUR`, a lower bound where something is missing.
pub fn spent(budget: &BudgetView) -> String {
    format!("{}{} of {}", at_least(budget), budget.spent, budget.limit)
}

/// By how much the limit is exceeded; nothing at the limit itself.
pub fn excess(budget: &BudgetView) -> Option<String> {
    let over = budget.spent.amount.checked_sub(budget.limit.amount)?;
    if budget.spent.currency != budget.limit.currency || over <= Decimal::ZERO {
        return None;
    }
    let over = Money::new(over, budget.limit.currency);
    Some(if over.to_cents().is_zero() {
        "over by less than a cent".to_owned()
    } else {
        format!("over by {}{over}", at_least(budget))
    })
}

/// What the sum stands on. Estimates and bills are never added up: of each account one counts.
pub const fn basis(budget: &BudgetView) -> &'static str {
    match budget.basis {
        Basis::Estimate => "estimate from running machines",
        Basis::Billed => "as billed by the providers",
        Basis::Mixed => "estimate from running machines, or the bill where it is higher",
    }
}

/// The month's end in figures, or why there are none.
pub fn forecast(budget: &BudgetView) -> Vec<String> {
    let at_least = at_least(budget);
    let mut parts = Vec::new();
    if let Some(forecast) = budget.forecast {
        let share = share(forecast, budget.limit).map(|share| format!(" ({share})"));
        let share = share.unwrap_or_default();
        parts.push(format!("{at_least}{forecast} at the month's end{share}"));
    } else {
        let why = budget.forecast_why.as_deref().unwrap_or("not enough is known");
        parts.push(format!("none: {why}"));
    }
    let if_stopped = budget.forecast_if_stopped.filter(|&sum| Some(sum) != budget.forecast);
    parts.extend(if_stopped.map(|sum| format!("{at_least}{sum} if the proposed stops happen")));
    parts.extend(budget.run_rate.map(|sum| format!("run rate {at_least}{sum}")));
    parts
}

/// What the rates of today would make of it, apart from the use. Empty where there is no difference.
pub fn rates(budget: &BudgetView) -> Vec<String> {
    let Some(today) =
        budget.at_todays_rates.filter(|today| today.currency == budget.spent.currency)
    else {
        return Vec::new();
    };
    let alone = today.amount.saturating_sub(budget.spent.amount);
    let alone = Money::new(alone, today.currency);
    let mut parts = vec![format!("at today's rates {today}, {} by rates alone", signed(alone))];
    let crossed: Vec<String> = budget
        .thresholds
        .iter()
        .filter(|threshold| !budget.reached.contains(threshold))
        .filter(|threshold| is_reached(today, budget.limit, threshold))
        .cloned()
        .collect();
    if !crossed.is_empty() {
        parts.push(format!("{} would be crossed by rates alone: no alert", thresholds(&crossed)));
    }
    parts
}

/// What else happens at 100 %; nothing for a budget that only alerts.
pub const fn on_limit(budget: &BudgetView) -> Option<&'static str> {
    match budget.on_limit {
        OnLimit::Report => None,
        OnLimit::StopOrphans => Some(
            "once 100 % are spent, the notice periods of orphans in its scope end in runs that enforce",
        ),
    }
}

/// `50 % and 80 %`.
pub fn thresholds(texts: &[String]) -> String {
    listed(&texts.iter().map(|text| percentage(text)).collect::<Vec<_>>())
}

/// Whether something is missing in the sum, whatever else is said.
pub fn is_incomplete(budget: &BudgetView) -> bool {
    budget.at_least || budget.status == BudgetStatus::Incomplete
}

/// Whether it is at a threshold or over, or will be by its forecast.
pub const fn is_pressing(budget: &BudgetView) -> bool {
    matches!(budget.status, BudgetStatus::Over | BudgetStatus::Warn | BudgetStatus::ForecastOver)
}

/// `1 budget incomplete`: what keeps a title from being all clear though none is at a threshold.
/// `None` where that is not so.
pub fn unsure(budgets: &[BudgetView]) -> Option<String> {
    let unsure = budgets.iter().filter(|budget| budget.status == BudgetStatus::Incomplete).count();
    let pressing = budgets.iter().any(is_pressing);
    (unsure > 0 && !pressing).then(|| format!("{} incomplete", count(unsure, "budget")))
}

fn at_least(budget: &BudgetView) -> &'static str {
    if is_incomplete(budget) { "at least " } else { "" }
}

/// `84.2` and `80%` as `84.2 %` and `80 %`. Anything that is no number is shown as it is.
fn percentage(text: &str) -> String {
    match bar::percent(text) {
        Some(percent) => format!("{} %", percent.normalize()),
        None => text.to_owned(),
    }
}

/// An amount in percent of the limit, cut off like all percentages here.
fn share(money: Money, limit: Money) -> Option<String> {
    if money.currency != limit.currency {
        return None;
    }
    let percent = money.amount.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(limit.amount)?;
    Some(format!("{} %", percent.trunc_with_scale(1).normalize()))
}

fn is_reached(money: Money, limit: Money, threshold: &str) -> bool {
    let hundredfold = money.amount.checked_mul(Decimal::ONE_HUNDRED);
    let bound = bar::percent(threshold).and_then(|percent| percent.checked_mul(limit.amount));
    matches!((hundredfold, bound), (Some(sum), Some(bound)) if sum >= bound)
}

/// `+34.00 EUR`, `-34.00 EUR`, `0.00 EUR`.
pub(crate) fn signed(money: Money) -> String {
    let plus = if money.to_cents() > Decimal::ZERO { "+" } else { "" };
    format!("{plus}{money}")
}

/// All budgets, those first that need eyes.
pub(crate) fn budgets(doc: &AuditDocument) -> Vec<&BudgetView> {
    let mut budgets: Vec<&BudgetView> = doc.budgets.iter().collect();
    budgets.sort_by_key(|budget| rank(budget));
    budgets
}

fn rank(budget: &BudgetView) -> usize {
    match budget.status {
        BudgetStatus::Over => 0,
        BudgetStatus::Warn => 1,
        BudgetStatus::ForecastOver => 2,
        _ if is_incomplete(budget) => 3,
        BudgetStatus::Incomplete | BudgetStatus::Ok => 4,
    }
}

/// How the budgets stand, with the names of those that need eyes. `None` without budgets.
pub(crate) fn headline(doc: &AuditDocument) -> Option<Vec<String>> {
    const WORDS: [&str; 5] =
        ["OVER", "at a threshold", "forecast to reach one", "incomplete", "ok"];
    const OK: usize = 4;
    const MOST_NAMES: usize = 3;
    let budgets = budgets(doc);
    let mut parts = Vec::new();
    for (of, word) in WORDS.into_iter().enumerate() {
        let names: Vec<&str> = budgets
            .iter()
            .filter(|budget| rank(budget) == of)
            .map(|budget| budget.name.as_str())
            .collect();
        let mut part = format!("{} {word}", names.len());
        if of != OK {
            let mut shown: Vec<String> =
                names.iter().take(MOST_NAMES).map(|&name| name.to_owned()).collect();
            if names.len() > MOST_NAMES {
                shown.push(format!("{} more", names.len() - MOST_NAMES));
            }
            part = format!("{part} ({})", listed(&shown));
        }
        if !names.is_empty() {
            let first = if parts.is_empty() { "budgets: " } else { "" };
            parts.push(format!("{first}{part}"));
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// The month that all budgets of a document share, and how much of it is left.
pub(crate) fn month(doc: &AuditDocument) -> Vec<String> {
    let Some(budget) = doc.budgets.first() else { return Vec::new() };
    let zone = Zone::of(doc);
    let span = format!("{} until {}", zone.day(budget.from), zone.day(budget.until));
    let minutes = Decimal::from((budget.until - doc.now).num_minutes());
    let left = (minutes > Decimal::ZERO)
        .then(|| format!("{} left", age(&(minutes / Decimal::from(60)).to_string())));
    std::iter::once(span).chain(left).collect()
}

/// What is reached, what of it is new, and whether anybody was told. Empty where nothing is.
pub(crate) fn alert(doc: &AuditDocument, budget: &BudgetView) -> Vec<String> {
    let reached =
        (!budget.reached.is_empty()).then(|| format!("{} reached", thresholds(&budget.reached)));
    let forecast = (!budget.forecast_reached.is_empty())
        .then(|| format!("forecast reaches {}", thresholds(&budget.forecast_reached)));
    let new: Vec<String> = budget
        .new
        .iter()
        .map(|text| match text.strip_prefix("forecast ") {
            Some(threshold) => format!("forecast {}", percentage(threshold)),
            None => percentage(text),
        })
        .collect();
    let new = (!new.is_empty()).then(|| format!("new: {}", listed(&new)));
    let told = match budget.alert {
        AlertStatus::None => None,
        AlertStatus::Due if is_undelivered(doc, budget) => Some("alert NOT DELIVERED"),
        AlertStatus::Due => Some("alert due"),
        AlertStatus::Sent => Some("alert sent"),
        AlertStatus::PossiblySent => Some("alert POSSIBLY SENT"),
    };
    [reached, forecast, new, told.map(str::to_owned)].into_iter().flatten().collect()
}

/// Whether an alert was due and the mail server is not known to have it.
pub(crate) fn is_undelivered(doc: &AuditDocument, budget: &BudgetView) -> bool {
    match budget.alert {
        AlertStatus::None | AlertStatus::Sent => false,
        AlertStatus::PossiblySent => true,
        AlertStatus::Due => matches!(doc.mode, Mode::Run | Mode::Apply),
    }
}
