//! Columns whose widths follow their content and give way, the widest first, down to a floor.

use unicode_width::UnicodeWidthStr as _;

use super::text::pad;
use crate::clean::clean;

const GAP: usize = 2;

/// Which edge the content stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A column before it has a width.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) align: Align,
    /// Longer content may be cut down to this; `None` where a cut would make it false, as in
    /// amounts.
    pub(crate) floor: Option<usize>,
}

/// Columns with widths.
pub(crate) struct Grid {
    columns: Vec<(Column, usize)>,
}

impl Grid {
    /// Widths for these rows; `None` when they cannot stand side by side in `width`.
    pub(crate) fn fit(columns: &[Column], rows: &[Vec<String>], width: usize) -> Option<Self> {
        let mut fitted: Vec<(Column, usize)> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let cells = rows.iter().filter_map(|row| row.get(index));
                let widest = cells.map(|cell| clean(cell).width()).max().unwrap_or(0);
                (*column, widest.max(column.title.width()))
            })
            .collect();
        let room = width.checked_sub(GAP * columns.len().saturating_sub(1))?;
        for (column, natural) in &mut fitted {
            if column.floor.is_some() {
                *natural = (*natural).min(room);
            }
        }
        while fitted.iter().map(|(_, width)| width).sum::<usize>() > room {
            let widest = fitted
                .iter_mut()
                .filter(|(column, width)| column.floor.is_some_and(|floor| *width > floor))
                .max_by_key(|(_, width)| *width)?;
            widest.1 -= 1;
        }
        Some(Self { columns: fitted })
    }

    /// Columns taken, gaps included.
    pub(crate) fn width(&self) -> usize {
        let gaps = GAP * self.columns.len().saturating_sub(1);
        self.columns.iter().map(|(_, width)| width).sum::<usize>() + gaps
    }

    /// The titles as a row.
    pub(crate) fn titles(&self) -> Vec<String> {
        self.columns.iter().map(|(column, _)| column.title.to_owned()).collect()
    }

    /// One row: every cell at its width, the gaps between them included.
    pub(super) fn cells(&self, row: &[String]) -> Vec<String> {
        let gaps = std::iter::once(0).chain(std::iter::repeat(GAP));
        self.columns
            .iter()
            .zip(row)
            .zip(gaps)
            .map(|((&(column, width), cell), gap)| {
                " ".repeat(gap) + &pad(cell, width, column.align == Align::Right)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Column = Column { title: "NAME", align: Align::Left, floor: Some(4) };
    const COST: Column = Column { title: "COST", align: Align::Right, floor: None };

    fn rows() -> Vec<Vec<String>> {
        vec![vec!["a-long-name".to_owned(), "1,000.00 EUR".to_owned()]]
    }

    #[test]
    fn names_give_way_and_amounts_do_not() {
        let grid = Grid::fit(&[NAME, COST], &rows(), 20).expect("fits");
        assert_eq!(grid.cells(&rows()[0]).concat(), "a-lon…  1,000.00 EUR");
        assert_eq!(grid.width(), 20);
    }

    #[test]
    fn what_does_not_fit_is_not_forced() {
        assert!(Grid::fit(&[NAME, COST], &rows(), 17).is_none());
    }
}
