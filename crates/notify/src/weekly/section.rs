//! A titled list of a weekly mail in a form from which both parts are made. Everything from outside
//! is cleaned and cut before it gets here; escaping is the template's.

use std::fmt;

use reaper_model::Money;

use crate::field::COLUMNS;
use crate::words::wrapped;

/// Columns by which an item of the plain part is set in.
const INDENT: usize = 2;

/// A list with a title, what it comes to, and its rows.
#[derive(Debug, Default)]
pub(super) struct Section {
    pub(super) title: String,
    /// Something to hurry for.
    pub(super) urgent: bool,
    /// Sentences under the title.
    pub(super) note: Vec<String>,
    /// Heads of the two columns.
    pub(super) heads: [&'static str; 2],
    pub(super) rows: Vec<Row>,
    /// How many rows there are, shown or not.
    pub(super) total: usize,
    /// Where those are that are not shown.
    pub(super) rest: &'static str,
}

/// One item.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) name: String,
    /// What stands beside the name.
    pub(super) beside: String,
    pub(super) lines: Vec<Line>,
    /// Amounts with what they are, the first the most important.
    pub(super) right: Vec<Amount>,
}

/// An amount, or a word in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) sum: String,
    /// `a day`; may be empty.
    pub(super) what: &'static str,
}

impl Amount {
    /// `unknown` where there is none.
    pub(super) fn of(sum: Option<Money>) -> Self {
        let sum = sum.map_or_else(|| "unknown".to_owned(), |sum| sum.to_string());
        Self { sum, what: "" }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sum)?;
        if self.what.is_empty() { Ok(()) } else { write!(f, " {}", self.what) }
    }
}

/// A line under the name of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// What nobody may overlook.
    Loud(String),
    /// In the size of the text.
    Plain(String),
    /// Smaller.
    Small(String),
    /// To be copied: never wrapped in the plain part.
    Code(String),
}

impl Section {
    /// `25 of 1,406 shown`, and where the rest is; nothing where all are shown.
    pub(super) fn more(&self) -> Option<String> {
        let shown = self.rows.len();
        (shown < self.total)
            .then(|| format!("{} of {} shown; {}.", grouped(shown), grouped(self.total), self.rest))
    }

    pub(super) const fn color(&self) -> &'static str {
        if self.urgent { "#b42318" } else { "#52627a" }
    }

    /// The section as lines of the plain part.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("--- {}", self.title)];
        lines.extend(self.note.iter().flat_map(|sentence| wrapped(sentence, COLUMNS)));
        lines.extend(self.rows.iter().flat_map(Row::item));
        lines.extend(self.more());
        lines
    }
}

impl Row {
    fn item(&self) -> Vec<String> {
        let Self { name, beside, right, .. } = self;
        let mut head = name.clone();
        if !beside.is_empty() {
            head = format!("{head} · {beside}");
        }
        if !right.is_empty() {
            let right: Vec<String> = right.iter().map(ToString::to_string).collect();
            head = format!("{head}: {}", right.join(", "));
        }
        let wrap = |text: &str| wrapped(text, COLUMNS - INDENT);
        let mut lines = wrap(&head);
        for line in &self.lines {
            match line {
                Line::Loud(text) | Line::Plain(text) | Line::Small(text) => {
                    lines.extend(wrap(text));
                }
                Line::Code(text) => lines.push(format!("  {text}")),
            }
        }
        let mark = |index| if index == 0 { "-" } else { "" };
        let lines = lines.iter().enumerate();
        lines.map(|(index, line)| format!("{:<INDENT$}{line}", mark(index))).collect()
    }
}

/// `1,406`.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, shown) in [(0, "0"), (999, "999"), (1_406, "1,406"), (1_000_000, "1,000,000")]
        {
            assert_eq!(grouped(number), shown);
        }
    }

    #[test]
    fn a_command_stays_on_one_line_and_all_else_is_wrapped() {
        let row = Row {
            name: "notebook".to_owned(),
            lines: vec![Line::Plain("word ".repeat(40)), Line::Code("run ".repeat(40))],
            ..Row::default()
        };
        let lines = row.item();
        assert!(lines.iter().filter(|line| line.chars().count() > COLUMNS).count() == 1);
        assert!(lines[0].starts_with("- notebook") && lines[1].starts_with("  word"));
    }
}
