//! The spending of the last weeks as bars, one chart per currency: amounts of two are never put on
//! one scale. Widths are shares of the page, so that the labels keep their size on a phone.

use askama::Template;
use reaper_model::document::{AuditDocument, WeekView};
use reaper_model::{Currency, Totals};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::text::Text;
use crate::weekly;

/// Where bars stand, and how high the highest is, in pixels.
const BASE: u32 = 160;
const HIGHEST: u32 = 135;

/// One chart.
#[derive(Template)]
#[template(path = "page/chart.html")]
pub(super) struct Chart {
    title: Text,
    /// All numbers in words, for who cannot see it.
    alternative: Text,
    bars: Vec<Bar>,
}

/// A week.
struct Bar {
    class: &'static str,
    /// In percent of the width.
    x: Decimal,
    width: Decimal,
    middle: Decimal,
    y: u32,
    height: u32,
    label: Text,
    label_y: u32,
    week: Text,
}

/// One chart for each currency that anything was spent in.
pub(super) fn charts(doc: &AuditDocument, weeks: &[WeekView]) -> Vec<Chart> {
    let spent: Totals = weeks.iter().flat_map(|week| week.spent.iter().copied()).collect();
    spent.iter().map(|sum| chart(doc, weeks, sum.currency)).collect()
}

fn chart(doc: &AuditDocument, weeks: &[WeekView], currency: Currency) -> Chart {
    let amounts: Vec<Decimal> = weeks.iter().map(|week| spent(week, currency)).collect();
    let most = amounts.iter().copied().max().unwrap_or_default();
    let part = Decimal::ONE_HUNDRED / Decimal::from(weeks.len().max(1));
    let bars = weeks
        .iter()
        .zip(&amounts)
        .enumerate()
        .map(|(index, (week, &amount))| {
            let x = (part * Decimal::from(index)).round_dp(2);
            let height = height(amount, most);
            let least = if week.at_least { "≥ " } else { "" };
            Bar {
                class: if week.at_least { "least" } else { "sure" },
                x: (x + part / Decimal::TEN).round_dp(2),
                width: (part * Decimal::new(8, 1)).round_dp(2),
                middle: (x + part / Decimal::TWO).round_dp(2),
                y: BASE - height,
                height,
                label: Text::new(format!("{least}{}", short(amount))),
                label_y: BASE - height - 5,
                week: Text::new(weekly::week(doc, week)),
            }
        })
        .collect();
    let told = weeks.iter().zip(&amounts).map(|(week, &amount)| {
        let least = if week.at_least { "at least " } else { "" };
        let money = reaper_model::Money::new(amount, currency);
        format!("{} {least}{money}", weekly::week(doc, week))
    });
    let told: Vec<String> = told.collect();
    Chart {
        title: Text::new(format!("{currency} by week; hatched: at least")),
        alternative: Text::paragraph(format!("{currency} by week from {}", told.join(", "))),
        bars,
    }
}

fn spent(week: &WeekView, currency: Currency) -> Decimal {
    let of = week.spent.iter().filter(|money| money.currency == currency);
    of.fold(Decimal::ZERO, |sum, money| sum.saturating_add(money.amount)).max(Decimal::ZERO)
}

/// At least a pixel for what is more than nothing.
fn height(amount: Decimal, most: Decimal) -> u32 {
    if amount.is_zero() {
        return 0;
    }
    let share = amount.checked_div(most).unwrap_or_default();
    (share * Decimal::from(HIGHEST)).round().to_u32().unwrap_or(HIGHEST).clamp(1, HIGHEST)
}

/// Whole units, and thousands of them where there are many: what a narrow bar has room for.
fn short(amount: Decimal) -> String {
    let whole = amount.round();
    match whole.to_u64() {
        Some(number @ 0..100_000) => {
            crate::figures::number(usize::try_from(number).unwrap_or(usize::MAX))
        }
        Some(number) => {
            let thousands = usize::try_from(number / 1_000).unwrap_or(usize::MAX);
            format!("{}k", crate::figures::number(thousands))
        }
        None => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_107_each_currency_has_a_scale_of_its_own() {
        let doc = fixture::weekly();
        let weeks = &doc.report.as_ref().expect("a report").trend;
        let charts = charts(&doc, weeks);
        assert_eq!(charts.len(), 2);
        for chart in &charts {
            assert_eq!(chart.bars.len(), 8);
            assert_eq!(chart.bars.iter().map(|bar| bar.height).max(), Some(HIGHEST));
            let last = chart.bars.last().expect("a bar");
            assert!(last.x + last.width <= Decimal::ONE_HUNDRED && last.class == "least");
        }
        let told = charts[0].alternative.to_string();
        assert!(
            told.starts_with("EUR by week from 5 Oct at least 0.00 EUR, 12 Oct at least 310.00")
        );
    }

    #[test]
    fn labels_are_short() {
        for (amount, shown) in [("0.4", "0"), ("29200", "29,200"), ("1234567.8", "1,234k")] {
            assert_eq!(short(amount.parse().expect("a number")), shown);
        }
    }
}
