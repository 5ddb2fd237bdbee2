//! What everything has cost week by week, in words and figures: what the picture shows, for those
//! who do not see it.

use chrono_tz::Tz;
use reaper_model::document::{AuditDocument, WeekView};
use reaper_model::{Currency, Money};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crate::words::listed;

/// Cells of the longest bar in the plain part.
const CELLS: i64 = 24;

/// The weeks in one currency, and the others in words.
#[derive(Debug)]
pub(super) struct Trend {
    currency: Currency,
    /// Oldest first.
    pub(super) weeks: Vec<Week>,
    /// What was spent in other currencies, week by week.
    pub(super) others: Vec<String>,
}

/// One week.
#[derive(Debug)]
pub(super) struct Week {
    /// Its last day: `30 Nov`.
    pub(super) until: String,
    /// What it has cost; `None`: nobody knows.
    pub(super) spent: Option<Money>,
    /// Whether something is missing in that.
    pub(super) at_least: bool,
}

impl Trend {
    /// `None` where there is nothing to compare.
    pub(super) fn of(doc: &AuditDocument, weeks: &[WeekView], zone: Tz) -> Option<Self> {
        let currency = currency(doc, weeks)?;
        let until = |week: &WeekView| week.until.with_timezone(&zone).format("%-d %b").to_string();
        let mut others: Vec<Currency> =
            weeks.iter().flat_map(|week| &week.spent).map(|money| money.currency).collect();
        others.sort();
        others.dedup();
        others.retain(|other| *other != currency);
        let told = |other: &Currency| {
            let sums: Vec<String> = weeks
                .iter()
                .map(|week| {
                    format!("{} to {}", said(sum(week, *other), week.at_least), until(week))
                })
                .collect();
            format!("In {other}, oldest week first: {}.", listed(&sums))
        };
        Some(Self {
            currency,
            others: others.iter().map(told).collect(),
            weeks: weeks
                .iter()
                .map(|week| Week {
                    until: until(week),
                    spent: sum(week, currency),
                    at_least: week.at_least,
                })
                .collect(),
        })
    }

    /// What the figures are, with their unit.
    pub(super) fn title(&self) -> String {
        format!("Spent by week, {}", self.currency)
    }

    /// All figures in one sentence: what stands for the picture.
    pub(super) fn words(&self) -> String {
        let weeks: Vec<String> = self
            .weeks
            .iter()
            .map(|week| format!("{} to {}", said(week.spent, week.at_least), week.until))
            .collect();
        format!("Spent by week, oldest first: {}.", listed(&weeks))
    }

    /// The weeks as lines of the plain part.
    pub(super) fn lines(&self) -> Vec<String> {
        let most = self.weeks.iter().filter_map(|week| week.spent).map(|sum| sum.amount).max();
        let bar = |week: &Week| {
            let share = week.spent.zip(most.filter(|most| *most > Decimal::ZERO));
            let cells = share.and_then(|(sum, most)| {
                let cells = sum.amount.checked_mul(Decimal::from(CELLS))?.checked_div(most)?;
                cells.ceil().to_usize()
            });
            "█".repeat(cells.unwrap_or(0))
        };
        let lines = self.weeks.iter().map(|week| {
            let line = format!(
                "week to {:<8}{:>26}  {}",
                week.until,
                said(week.spent, week.at_least),
                bar(week)
            );
            line.trim_end().to_owned()
        });
        lines.collect()
    }
}

/// The currency of the report: that of its exchange rates, else that of the largest part of it.
fn currency(doc: &AuditDocument, weeks: &[WeekView]) -> Option<Currency> {
    let spent = || weeks.iter().flat_map(|week| &week.spent);
    let rated = doc.rates.first().map(|rate| rate.to);
    rated
        .filter(|to| spent().any(|money| money.currency == *to))
        .or_else(|| Some(spent().max_by_key(|money| money.amount)?.currency))
}

fn sum(week: &WeekView, currency: Currency) -> Option<Money> {
    let spent = week.spent.iter().find(|money| money.currency == currency).copied();
    // Nothing in a week of which nothing is missing is nothing.
    spent.or_else(|| (!week.at_least).then(|| Money::new(Decimal::ZERO, currency)))
}

fn said(spent: Option<Money>, at_least: bool) -> String {
    match spent {
        Some(sum) if at_least => format!("at least {sum}"),
        Some(sum) => sum.to_string(),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    fn trend() -> Trend {
        let doc = fixture::weekly();
        let weeks = fixture::trend();
        Trend::of(&doc, &weeks, chrono_tz::Europe::Amsterdam).expect("a trend")
    }

    #[test]
    fn fl_107_the_picture_is_of_one_currency_and_the_others_are_told() {
        let trend = trend();
        assert_eq!(trend.currency, Currency::EUR);
        assert_eq!(trend.others.len(), 1);
        assert!(
            trend.others[0].starts_with("In USD, oldest week first: at least 55.00 USD to 12 Oct,"),
            "{:?}",
            trend.others
        );
    }

    #[test]
    fn all_figures_are_in_the_words_and_a_lower_bound_is_one() {
        let words = trend().words();
        assert!(words.contains("first: at least 612.40 EUR to 12 Oct, 980.00 EUR to 19 Oct,"));
        assert!(words.ends_with("2,266.00 EUR to 23 Nov and 1,918.25 EUR to 30 Nov."), "{words}");
    }

    #[test]
    fn a_week_of_which_nothing_is_known_is_not_nothing() {
        let doc = fixture::weekly();
        let mut weeks = fixture::trend();
        weeks[0].spent.clear();
        weeks[1].spent.clear();
        let trend = Trend::of(&doc, &weeks, chrono_tz::Europe::Amsterdam).expect("a trend");
        assert_eq!(trend.weeks[0].spent, None);
        assert!(trend.words().contains("first: unknown to 12 Oct, 0.00 EUR to 19 Oct"));
        assert!(Trend::of(&doc, &[], chrono_tz::Europe::Amsterdam).is_none());
    }

    #[test]
    fn the_bars_of_the_plain_part_fit_its_columns() {
        let lines = trend().lines();
        assert_eq!(lines.len(), 8);
        assert!(lines.iter().all(|line| line.chars().count() <= 78), "{lines:#?}");
        assert!(lines[5].ends_with(&"█".repeat(24)), "{lines:#?}");
    }
}
