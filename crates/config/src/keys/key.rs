//! What a key is: its name, its kind of value, its default and its documentation.

use super::file::LATER;

/// A table of the file and the keys that it may have.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Its path: `rule.when`; empty for the top level.
    pub(crate) path: &'static str,
    /// Its name in messages: `[[rule]]`.
    pub(crate) title: String,
    pub(crate) keys: Vec<Key>,
}

/// One key.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// For the schema and the documentation.
    pub(crate) doc: &'static str,
    /// The value in force if the key is not there, as it would be written.
    pub(crate) default: Option<&'static str>,
    pub(crate) required: bool,
    /// The providers that take it; empty means all.
    pub(crate) only: Vec<&'static str>,
}

/// What a key's value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// Text that is not blank, or a reference to it.
    Text,
    /// A text, or yes or no, for the provider to understand.
    Setting,
    /// One text or a list of them; an empty list is as good as no list.
    Texts,
    /// One text or a list of at least one.
    SomeTexts,
    /// One glob or a list of at least one.
    Patterns,
    /// One of these words.
    Word(Vec<&'static str>),
    /// One or some of these words.
    Words(Vec<&'static str>),
    /// Yes or no.
    Flag,
    /// A whole number within bounds.
    Whole(u32, u32),
    /// A length of time with its unit.
    Duration,
    /// A decimal number.
    Decimal,
    /// A number with its currency.
    Amount,
    /// A share with its `%`.
    Percent,
    /// One percentage of a limit or a list of at least so many.
    Percents(u32),
    /// A number of bytes with its unit.
    Size,
    /// A program and its arguments.
    Command,
    /// A date.
    Date,
    /// A date or a timestamp with offset.
    Moment,
    /// A reference to a secret.
    Secret,
    /// One reference to a secret or a list of at least one.
    Secrets,
    /// A table.
    Table(Table),
    /// A list of tables.
    Tables(Table),
    /// A table with free keys.
    Map(Box<Kind>),
}

impl Key {
    pub(crate) fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, doc, default: None, required: false, only: Vec::new() }
    }

    pub(super) fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(super) fn default(self, text: &'static str) -> Self {
        Self { default: Some(text), ..self }
    }

    pub(super) fn only(self, provider: &'static str) -> Self {
        Self { only: vec![provider], ..self }
    }

    /// Whether this provider takes it.
    pub(crate) fn is_for(&self, provider: &str) -> bool {
        self.only.is_empty() || self.only.contains(&provider)
    }
}

impl Table {
    /// The key of that name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Every table below and including this one.
    pub(crate) fn all(&self) -> Vec<&Self> {
        let mut tables = vec![self];
        for key in &self.keys {
            tables.extend(key.kind.table().into_iter().flat_map(Self::all));
        }
        tables
    }

    /// Whether later versions will know this key here.
    pub(crate) fn is_later(&self, name: &str) -> bool {
        LATER.contains(&(self.path, name))
    }
}

impl Kind {
    /// The keys below, where they are given.
    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            Self::Table(table) | Self::Tables(table) => Some(table),
            Self::Map(kind) => kind.table(),
            _ => None,
        }
    }
}
