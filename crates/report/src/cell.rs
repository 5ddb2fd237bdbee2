//! One cell of a CSV file: what may stand in it as it is, and what others wrote; and the writer that
//! all our CSV files share.

use std::io;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use reaper_model::MachineType;
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use crate::clean::{clean, suspects};

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Nothing: null.
    Null,
    /// Written by us: a word of the specification, a number, a time, JSON.
    Own(String),
    /// Written by others, who may mean harm.
    Foreign(String),
}

impl Cell {
    /// A word of ours.
    pub(crate) fn word(word: &str) -> Self {
        Self::Own(word.to_owned())
    }

    /// Plain digits with a dot, never an exponent.
    pub(crate) fn number(number: Decimal) -> Self {
        Self::Own(number.normalize().to_string())
    }

    /// A time with its offset, by RFC 3339.
    pub(crate) fn time(at: DateTime<FixedOffset>) -> Self {
        Self::Own(at.to_rfc3339_opts(SecondsFormat::Secs, false))
    }

    /// A text of others; one of blanks alone is null.
    pub(crate) fn foreign(text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        if text.trim().is_empty() { Self::Null } else { Self::Foreign(text.to_owned()) }
    }

    /// An object of JSON; an empty one is null. What a terminal or a job runner might obey is
    /// escaped.
    pub(crate) fn object(object: Map<String, Value>) -> Self {
        if object.is_empty() {
            return Self::Null;
        }
        let plain = Value::Object(object).to_string();
        let mut json = String::with_capacity(plain.len());
        let mut done = 0;
        for (at, hidden) in suspects(&plain) {
            json.push_str(&plain[done..at]);
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                let escape = format!("\\u{unit:04x}");
                json.push_str(&escape);
            }
            done = at + hidden.len_utf8();
        }
        json.push_str(&plain[done..]);
        Self::Own(json)
    }

    /// The cell as it is put into the file, before it is quoted.
    pub(crate) fn written(self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Own(text) => text,
            Self::Foreign(text) => guarded(&text),
        }
    }
}

impl<T: AsRef<str>> From<Option<T>> for Cell {
    fn from(text: Option<T>) -> Self {
        text.map_or(Self::Null, Self::foreign)
    }
}

impl From<&MachineType> for Cell {
    fn from(machine_type: &MachineType) -> Self {
        Self::foreign(machine_type.as_str())
    }
}

/// What makes a spreadsheet calculate, in the narrow and the wide script.
const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The text on one line, cleaned, that no spreadsheet takes for a formula, also one that cuts off
/// blanks: a `'` stands before what would be one.
pub fn guarded(text: &str) -> String {
    let text = clean(text);
    if text.trim_start().starts_with(SIGNS) { format!("'{text}") } else { text.into_owned() }
}

/// CSV by RFC 4180: commas, lines that end with CRLF, quotes where they are needed.
pub(crate) fn writer<W: io::Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out)
}

/// The writer's own error, so that a closed pipe can be told from a full disk.
pub(crate) fn kept(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_147_what_looks_like_a_formula_is_a_text() {
        for text in ["=cmd()", "+1", "-1", "@SUM(A1)", " =1", "＝1+1", "\u{a0}=1"] {
            assert_eq!(Cell::foreign(text).written(), format!("'{text}"));
        }
        assert_eq!(Cell::foreign("\t=1").written(), "⟨9⟩=1");
        assert_eq!(Cell::foreign("\r=1").written(), "⟨d⟩=1");
        assert_eq!(Cell::foreign("a=1").written(), "a=1");
    }

    #[test]
    fn a_number_below_zero_stays_one() {
        assert_eq!(Cell::number(Decimal::new(-150, 2)).written(), "-1.5");
        assert_eq!(Cell::number(Decimal::new(1, 28)).written(), "0.0000000000000000000000000001");
    }

    #[test]
    fn fl_147_json_keeps_the_original_in_escaped_form() {
        let name = "\u{1b}[31m\u{202e}\u{9b}\u{1f3fd}##[x]\n";
        let tags = Map::from_iter([("k".to_owned(), Value::from(name))]);
        let json = Cell::object(tags).written();
        assert!(json.starts_with(r#"{"k":"\u001b[31m\u202e\u009b"#), "{json}");
        let read: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(read["k"], name);
    }

    #[test]
    fn nothing_and_blanks_are_null() {
        assert_eq!(Cell::foreign(" \t"), Cell::Null);
        assert_eq!(Cell::object(Map::new()), Cell::Null);
        assert_eq!(Cell::Null.written(), "");
    }
}
