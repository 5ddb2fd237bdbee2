//! The budgets of a weekly mail, and what counts in none's favour: what nobody answers for.

use chrono::TimeDelta;
use reaper_model::document::{BudgetStatus, BudgetView};
use reaper_report::budget::{self, Bar};

use super::contents::Contents;
use super::view::Weekly;
use crate::alert::{Segment, segments};
use crate::field::COLUMNS;
use crate::words::{amounts, count, outside, wrapped};

/// Cells of a bar in the plain part.
const CELLS: usize = 75;

/// Characters of a name or a sentence.
const LONGEST: usize = 120;

/// A budget, ready to be shown.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) name: String,
    /// `WARN, 84.2 %`.
    pub(super) standing: String,
    pub(super) loud: bool,
    pub(super) bar: Vec<Segment>,
    bar_text: String,
    pub(super) lines: Vec<String>,
}

impl Budget {
    fn of(weekly: &Weekly<'_>, budget: &BudgetView) -> Self {
        let mut lines = vec![budget::spent(budget)];
        lines.extend(budget::excess(budget));
        lines.push(left(budget.until - weekly.doc.now));
        let forecast = budget::forecast(budget).join(", ");
        let mut lines = vec![lines.join(", "), format!("forecast: {forecast}")];
        lines.extend(budget.why.iter().take(2).cloned());
        Self {
            name: outside(&budget.name, LONGEST),
            standing: outside(&budget::standing(budget), LONGEST),
            loud: !matches!(budget.status, BudgetStatus::Ok),
            bar: segments(budget),
            bar_text: Bar::of(budget, CELLS).to_string(),
            lines: lines.iter().map(|line| outside(line, 2 * LONGEST)).collect(),
        }
    }

    /// The budget as lines of the plain part.
    pub(super) fn text(&self) -> Vec<String> {
        let head = format!("{}: {}", self.name, self.standing);
        let mut lines = wrapped(&head, COLUMNS);
        lines.push(self.bar_text.clone());
        lines.extend(self.lines.iter().flat_map(|line| wrapped(line, COLUMNS)));
        lines
    }
}

/// `3 days left`, `14 hours left`.
fn left(time: TimeDelta) -> String {
    let whole = |number: i64| usize::try_from(number).unwrap_or(0);
    match time.num_hours() {
        _ if time <= TimeDelta::zero() => "the month is over".to_owned(),
        0 => "less than an hour left".to_owned(),
        hours @ 1..48 => format!("{} left", count(whole(hours), "hour")),
        _ => format!("{} left", count(whole(time.num_days()), "day")),
    }
}

impl Weekly<'_> {
    /// Those that need a look first.
    pub(super) fn budgets(&self, contents: &Contents<'_>, most: usize) -> Vec<Budget> {
        let mut budgets: Vec<&BudgetView> = contents.budgets.iter().collect();
        budgets.sort_by_key(|budget| match budget.status {
            BudgetStatus::Over => 0,
            BudgetStatus::Warn => 1,
            BudgetStatus::ForecastOver => 2,
            BudgetStatus::Incomplete => 3,
            BudgetStatus::Ok => 4,
        });
        budgets.into_iter().take(most).map(|budget| Budget::of(self, budget)).collect()
    }

    /// What this month's machines without an owner have cost.
    pub(super) fn unallocated(contents: &Contents<'_>) -> Option<String> {
        let nobody = contents.spend.iter().find(|row| row.owner.is_none())?;
        let least = if nobody.unpriced > 0 { "at least " } else { "" };
        let sums = amounts(nobody.spent.iter().copied());
        let sums =
            sums.map_or_else(|| "an unknown sum".to_owned(), |sums| format!("{least}{sums}"));
        Some(format!(
            "Unallocated this month: {sums} by {} that nobody answers for.",
            count(nobody.machines, "machine")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    #[test]
    fn fl_123_no_budget_is_fine_on_half_the_data() {
        let mut doc = fixture::weekly();
        doc.budgets[1].at_least = true;
        doc.budgets[1].status = BudgetStatus::Incomplete;
        doc.budgets[1].why = vec!["scaleway/poc was not read".to_owned()];
        let weekly = fixture::digest(&doc);
        let shown = Budget::of(&weekly, &doc.budgets[1]);
        assert_eq!(shown.standing, "at least 18 %, incomplete");
        assert!(shown.loud && shown.lines.contains(&"scaleway/poc was not read".to_owned()));
    }

    #[test]
    fn a_budget_says_what_is_used_forecast_and_left() {
        let doc = fixture::weekly();
        let weekly = fixture::digest(&doc);
        let all = weekly.budgets(&Contents::of(&weekly), 10);
        assert_eq!(all[0].name, "all-gpu");
        assert_eq!(
            all[0].lines,
            [
                "4,212.00 EUR of 5,000.00 EUR, 15 hours left",
                "forecast: 5,890.00 EUR at the month's end (117.8 %)"
            ]
        );
        assert_eq!(all[0].bar.iter().map(|cell| cell.percent).sum::<usize>(), 100);
        assert_eq!(
            Weekly::unallocated(&Contents::of(&weekly)).as_deref(),
            Some(
                "Unallocated this month: at least 1,210.00 EUR by 2 machines that nobody answers for."
            )
        );
    }

    #[test]
    fn days_left_are_whole_and_the_last_are_hours() {
        for (hours, shown) in [
            (-1, "the month is over"),
            (0, "the month is over"),
            (1, "1 hour left"),
            (47, "47 hours left"),
            (49, "2 days left"),
        ] {
            assert_eq!(left(TimeDelta::hours(hours)), shown);
        }
        assert_eq!(left(TimeDelta::minutes(5)), "less than an hour left");
    }
}
