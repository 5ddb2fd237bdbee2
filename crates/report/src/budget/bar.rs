//! The bar of a budget: what is spent, what is forecast, where the thresholds and the limit lie.
//! It can be read without colour, and never shows a threshold as reached that is not.

use std::fmt;

use reaper_model::Money;
use reaper_model::document::BudgetView;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// Four fifths of a bar are the limit; what goes beyond it is seen in the last fifth.
const SPAN: usize = 5;
const LIMIT: usize = 4;

/// What one cell of a bar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Spent.
    Spent,
    /// Not spent yet, and spent at the month's end by the forecast.
    Forecast,
    /// Neither.
    Rest,
    /// A threshold begins here. It is reached where everything left of it is spent.
    Threshold,
    /// The limit lies here.
    Limit,
    /// More than the bar can show.
    Beyond,
}

/// A bar of cells, 125 % of the limit wide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar(Vec<Cell>);

impl Bar {
    /// The bar of a budget in about so many cells; a multiple of 25 puts the usual thresholds on
    /// their spot.
    pub fn of(budget: &BudgetView, cells: usize) -> Self {
        let limit_at = cells.max(2 * SPAN) / SPAN * LIMIT;
        let cells = limit_at / LIMIT * SPAN;
        let at = |money: Money| position(money, budget.limit, limit_at);
        let thresholds: Vec<(usize, bool)> = budget
            .thresholds
            .iter()
            .filter_map(|threshold| {
                let at = percent(threshold)?.checked_mul(limit_at.into())?.to_usize()? / 100;
                (at < cells).then(|| (at, budget.reached.contains(threshold)))
            })
            .collect();
        // Two cells at least: the first of them is the limit's mark.
        let past = |money: Money, at: usize| {
            if exceeds(money, budget.limit) { at.max(limit_at + 2) } else { at }
        };
        let mut spent = past(budget.spent, at(budget.spent));
        for &(threshold, reached) in &thresholds {
            if !reached {
                spent = spent.min(threshold.saturating_sub(1));
            }
        }
        let forecast = budget.forecast.map_or(0, |forecast| past(forecast, at(forecast)));
        let cell = |index: usize| {
            if index + 1 == cells && spent.max(forecast) > cells {
                Cell::Beyond
            } else if index == limit_at {
                Cell::Limit
            } else if thresholds.iter().any(|&(at, _)| at == index) {
                Cell::Threshold
            } else if index < spent {
                Cell::Spent
            } else if index < forecast {
                Cell::Forecast
            } else {
                Cell::Rest
            }
        };
        Self((0..cells).map(cell).collect())
    }

    /// Equal cells side by side, with their number.
    pub fn runs(&self) -> Vec<(Cell, usize)> {
        let mut runs: Vec<(Cell, usize)> = Vec::new();
        for &cell in &self.0 {
            match runs.last_mut() {
                Some((last, number)) if *last == cell => *number += 1,
                _ => runs.push((cell, 1)),
            }
        }
        runs
    }
}

impl fmt::Display for Bar {
    /// `████│███▒▒┃··`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self
            .0
            .iter()
            .map(|cell| match cell {
                Cell::Spent => '█',
                Cell::Forecast => '▒',
                Cell::Rest => '·',
                Cell::Threshold => '│',
                Cell::Limit => '┃',
                Cell::Beyond => '»',
            })
            .collect();
        f.pad(&text)
    }
}

/// What the signs of a bar are.
pub const LEGEND: [&str; 4] = ["█ spent", "▒ forecast", "│ threshold", "┃ limit"];

/// Whole cells that an amount fills; an amount above 0 fills one at least.
fn position(money: Money, limit: Money, limit_at: usize) -> usize {
    if money.amount <= Decimal::ZERO || limit.amount <= Decimal::ZERO {
        return 0;
    }
    let cells = money.amount.checked_mul(limit_at.into());
    let cells = cells.and_then(|cells| cells.checked_div(limit.amount)?.to_usize());
    cells.unwrap_or(usize::MAX).max(1)
}

fn exceeds(money: Money, limit: Money) -> bool {
    money.currency == limit.currency && money.amount > limit.amount
}

/// `80%` as a number.
pub(super) fn percent(threshold: &str) -> Option<Decimal> {
    threshold.trim_end_matches('%').trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{budget, money};

    fn bar(spent: &str, reached: &[&str], cells: usize) -> String {
        let mut view = budget("all-gpu", spent, "100 EUR");
        view.forecast = None;
        view.reached = reached.iter().map(|&text| text.to_owned()).collect();
        Bar::of(&view, cells).to_string()
    }

    #[test]
    fn fl_117_a_threshold_is_passed_when_it_is_reached_and_not_before() {
        assert_eq!(bar("49.99 EUR", &[], 25), "█████████·│·····│···┃····");
        assert_eq!(bar("50.00 EUR", &["50%"], 25), "██████████│·····│···┃····");
        assert_eq!(bar("79.995 EUR", &["50%"], 25), "██████████│████·│···┃····");
        assert_eq!(bar("80 EUR", &["50%", "80%"], 25), "██████████│█████│···┃····");
        assert_eq!(bar("99.99 EUR", &["50%", "80%"], 25), "██████████│█████│██·┃····");
        assert_eq!(bar("100 EUR", &["50%", "80%"], 25), "██████████│█████│███┃····");
        assert_eq!(bar("100.01 EUR", &["50%", "80%"], 25), "██████████│█████│███┃█···");
        assert_eq!(bar("900 EUR", &["50%", "80%"], 25), "██████████│█████│███┃███»");
    }

    #[test]
    fn fl_117_a_threshold_between_two_cells_is_not_passed_too_early() {
        let mut view = budget("all-gpu", "33.32 EUR", "100 EUR");
        view.thresholds = vec!["33.33%".to_owned()];
        view.reached.clear();
        view.forecast = None;
        assert_eq!(Bar::of(&view, 25).to_string(), "█████·│·············┃····");
        view.spent = money("33.33 EUR");
        view.reached = view.thresholds.clone();
        assert_eq!(Bar::of(&view, 25).to_string(), "██████│·············┃····");
    }

    #[test]
    fn the_forecast_goes_on_from_what_is_spent() {
        let mut view = budget("all-gpu", "30 EUR", "100 EUR");
        view.reached.clear();
        view.forecast = Some(money("90 EUR"));
        assert_eq!(Bar::of(&view, 25).to_string(), "██████▒▒▒▒│▒▒▒▒▒│▒··┃····");
        view.forecast = Some(money("48040 EUR"));
        assert_eq!(Bar::of(&view, 25).to_string(), "██████▒▒▒▒│▒▒▒▒▒│▒▒▒┃▒▒▒»");
        assert_eq!(Bar::of(&view, 100).runs().iter().map(|(_, number)| number).sum::<usize>(), 100);
    }

    #[test]
    fn no_amount_breaks_it() {
        for (spent, limit) in [
            ("0 EUR", "1 EUR"),
            ("79228162514264337593543950335 EUR", "0.01 EUR"),
            ("1 EUR", "0 EUR"),
        ] {
            for cells in [0, 3, 25, 100] {
                let mut view = budget("x", spent, limit);
                view.thresholds = ["0%", "1000%", "x", "100%"].map(str::to_owned).to_vec();
                assert!(Bar::of(&view, cells).to_string().contains('┃'));
            }
        }
    }
}
