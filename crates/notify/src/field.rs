//! Labelled values, as both parts of a mail show them. Everything from outside is cleaned and cut
//! here; escaping is the template's.

use crate::words::{outside, wrapped};

/// What stands in place of a missing value.
pub(crate) const MISSING: &str = "-";

/// Columns of the plain part, and of its labels.
pub(crate) const COLUMNS: usize = 78;
const LABEL: usize = 19;

/// Characters of one value, and values under one label. With these, 25 machines fit into a mail.
const LONGEST_VALUE: usize = 160;
const MOST_VALUES: usize = 6;
/// Characters of a value that holds evidence: what was measured, for how long and by whom.
const LONGEST_EVIDENCE: usize = 2 * LONGEST_VALUE;

/// One label and its values.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) label: &'static str,
    pub(crate) values: Vec<String>,
    /// To be copied: never wrapped.
    pub(crate) code: bool,
}

impl Field {
    fn of<T: AsRef<str>>(
        label: &'static str,
        values: impl IntoIterator<Item = T>,
        (code, most): (bool, usize),
    ) -> Self {
        let all: Vec<T> = values.into_iter().collect();
        let mut values: Vec<String> =
            all.iter().take(MOST_VALUES).map(|value| outside(value.as_ref(), most)).collect();
        values.retain(|value| !value.is_empty());
        if all.len() > MOST_VALUES {
            values.push(format!("and {} more", all.len() - MOST_VALUES));
        }
        let code = code && !values.is_empty();
        if values.is_empty() {
            values.push(MISSING.to_owned());
        }
        Self { label, values, code }
    }

    pub(crate) fn text<T: AsRef<str>>(
        label: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self::of(label, values, (false, LONGEST_VALUE))
    }

    /// Sentences that say why, which are of no use without their ends.
    pub(crate) fn evidence<T: AsRef<str>>(
        label: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self::of(label, values, (false, LONGEST_EVIDENCE))
    }

    pub(crate) fn code<T: AsRef<str>>(
        label: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        // A command that was cut would be another command.
        Self::of(label, values, (true, 4 * LONGEST_VALUE))
    }

    /// The field as lines of the plain part.
    pub(crate) fn lines(&self) -> Vec<String> {
        let wrap = |value: &String| {
            if self.code { vec![value.clone()] } else { wrapped(value, COLUMNS - LABEL) }
        };
        let lines = self.values.iter().flat_map(wrap).enumerate();
        lines
            .map(|(index, line)| {
                let label = if index == 0 { self.label } else { "" };
                format!("{label:<LABEL$}{line}")
            })
            .collect()
    }
}
