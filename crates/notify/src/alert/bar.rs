//! The bar as cells of a table: mail programs show neither pictures nor shapes on their own.

use reaper_model::document::{BudgetStatus, BudgetView};
use reaper_report::budget::{Bar, Cell};

/// One cell of the table for one percent of its width.
const CELLS: usize = 100;

/// A cell of the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its share of the width, in percent.
    pub(crate) percent: usize,
    pub(crate) color: &'static str,
}

/// The bar from the left to the right, 100 % together.
pub(crate) fn segments(budget: &BudgetView) -> Vec<Segment> {
    let spent = if budget.status == BudgetStatus::Over { "#b42318" } else { "#3567a8" };
    let mut last = spent;
    let color = |cell| match cell {
        Cell::Spent => spent,
        Cell::Forecast => "#a9c3e2",
        Cell::Rest => "#e4e9ef",
        Cell::Threshold => "#8a5a00",
        Cell::Limit => "#1f2937",
        // As what it goes on from.
        Cell::Beyond => "",
    };
    let mut segments: Vec<Segment> = Vec::new();
    for (cell, percent) in Bar::of(budget, CELLS).runs() {
        let color = if cell == Cell::Beyond { last } else { color(cell) };
        last = color;
        segments.push(Segment { percent, color });
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::fixture;

    #[test]
    fn the_cells_fill_the_width_and_over_has_its_colour() {
        let mut budget = fixture::budget();
        let shown = segments(&budget);
        assert_eq!(shown.iter().map(|segment| segment.percent).sum::<usize>(), CELLS);
        assert_eq!(shown[0], Segment { percent: 40, color: "#3567a8" });
        budget.status = BudgetStatus::Over;
        budget.spent = "50000 EUR".parse().expect("money");
        let shown = segments(&budget);
        assert_eq!(shown.iter().map(|segment| segment.percent).sum::<usize>(), CELLS);
        assert_eq!(shown.last().map(|segment| segment.color), Some("#b42318"));
    }
}
