//! A table of the page: columns that can be sorted, rows with a mark, cells of one or more lines.

use askama::Template;
use reaper_model::{Currency, Money};

use super::text::Text;
use crate::figures;

/// So many columns fit beside each other on a phone.
const NARROW: usize = 3;

/// A table, with a search field where it is long.
#[derive(Template)]
#[template(path = "page/table.html")]
pub(super) struct Table {
    pub(super) id: &'static str,
    /// Whether its rows become cards on a phone; else it keeps its columns there.
    cards: bool,
    pub(super) caption: Text,
    /// How much of it is shown.
    cut: Option<Text>,
    columns: &'static [Column],
    rows: Vec<Row>,
    /// Where it can be searched, the verdicts to choose from and their numbers. On phones the style
    /// puts the titles of its columns before its cells; the cells of others carry them.
    filter: Option<Vec<(&'static str, String)>>,
    sorts: bool,
}

/// A column. On phones its title stands before each cell.
pub(super) struct Column {
    pub(super) title: &'static str,
    number: bool,
    sorts: bool,
}

/// A row: its first cell names it.
pub(super) struct Row {
    pub(super) verdict: Option<&'static str>,
    /// `bad`, `warn`, `good`: words say the same.
    pub(super) mark: Option<&'static str>,
    pub(super) cells: Vec<Cell>,
}

/// A cell, with what it is sorted by.
pub(super) struct Cell {
    lines: Vec<Line>,
    /// `n` for a number, `c` for what is better not broken.
    class: Option<&'static str>,
    value: Option<String>,
    unit: Option<Currency>,
}

/// A line of a cell.
pub(super) enum Line {
    /// The only line of its cell.
    Only(Text),
    Plain(Text),
    Strong(Text),
    Code(Text),
    Quiet(Text),
    Loud(Text),
    Badge(&'static str, Text),
}

impl Table {
    /// A table of at most so many rows out of a number of items.
    pub(super) fn of<T>(
        id: &'static str,
        caption: &str,
        columns: &'static [Column],
        (items, most): (&[T], usize),
        row: impl Fn(&T) -> Row,
    ) -> Self {
        Self {
            id,
            cards: columns.len() > NARROW,
            caption: Text::new(caption),
            cut: figures::shown(items.len().min(most), items.len()).map(Text::new),
            columns,
            rows: items.iter().take(most).map(row).collect(),
            filter: None,
            sorts: columns.iter().any(|column| column.sorts) && items.len() > 1,
        }
    }

    /// The same with a search field and the verdicts to choose from; its labels are in the style.
    pub(super) fn searched(mut self, options: Vec<(&'static str, usize)>) -> Self {
        let number = |(word, number)| (word, figures::number(number));
        self.filter = Some(options.into_iter().map(number).collect());
        self
    }
}

impl Column {
    pub(super) const fn plain(title: &'static str) -> Self {
        Self { title, number: false, sorts: false }
    }

    pub(super) const fn text(title: &'static str) -> Self {
        Self { title, number: false, sorts: true }
    }

    pub(super) const fn number(title: &'static str) -> Self {
        Self { title, number: true, sorts: true }
    }
}

impl Row {
    pub(super) const fn of(cells: Vec<Cell>) -> Self {
        Self { verdict: None, mark: None, cells }
    }

    pub(super) const fn marked(mut self, mark: Option<&'static str>) -> Self {
        self.mark = mark;
        self
    }
}

impl Cell {
    pub(super) fn lines(lines: Vec<Line>) -> Self {
        let class = matches!(lines.first(), Some(Line::Code(_))).then_some("c");
        Self { lines, class, value: None, unit: None }
    }

    pub(super) fn text(text: impl AsRef<str>) -> Self {
        Self::lines(vec![Line::Only(Text::new(text))])
    }

    /// Several texts, each on a line.
    pub(super) fn texts(texts: &[String]) -> Self {
        match texts {
            [] => Self::text(crate::machine::MISSING),
            [only] => Self::text(only),
            several => {
                Self::lines(several.iter().map(|text| Line::Plain(Text::new(text))).collect())
            }
        }
    }

    /// A number as people read it, and as it is sorted.
    pub(super) fn number(shown: impl AsRef<str>, value: Option<String>) -> Self {
        Self { class: Some("n"), value, ..Self::text(shown) }
    }

    /// The same with a unit: rows of one unit stand together.
    pub(super) fn money(shown: impl AsRef<str>, money: Option<Money>) -> Self {
        let value = money.map(|money| money.to_cents().to_string());
        Self { unit: money.map(|money| money.currency), ..Self::number(shown, value) }
    }

    /// Lines that are sorted by a value.
    pub(super) fn by(mut self, value: Option<impl ToString>) -> Self {
        self.value = value.map(|value| value.to_string());
        self
    }
}
