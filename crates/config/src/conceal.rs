//! What must not be readable in an error's excerpt: a secret that somebody wrote into the file in
//! spite of all advice is refused, but not repeated in a log.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::context::ProviderKeys;

/// Parts of key names below which text is taken for a secret.
const TELLTALES: [&str; 8] =
    ["secret", "password", "token", "bearer", "webhook", "credential", "api_key", "private_key"];

/// Tables of `[notify]` that are about a secret address.
const CHANNELS: [&str; 3] = ["slack", "webhook", "heartbeat"];

/// Which keys hold secrets.
pub(crate) struct SecretKeys(BTreeSet<&'static str>);

impl SecretKeys {
    pub(crate) fn of(providers: &[ProviderKeys]) -> Self {
        Self(providers.iter().flat_map(|keys| keys.credentials).copied().collect())
    }

    fn holds(&self, key: &str) -> bool {
        let key = key.to_lowercase().replace('-', "_");
        self.0.contains(key.as_str()) || TELLTALES.iter().any(|part| key.contains(part))
    }

    /// The places of secrets in a file that could be read.
    pub(crate) fn places(&self, table: &DeTable<'_>) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        self.walk(table, "", &mut places);
        places
    }

    /// `inside` is the key of the table, as far as it was written.
    fn walk(&self, table: &DeTable<'_>, inside: &str, places: &mut Vec<Range<usize>>) {
        for (key, value) in table {
            let key: &str = key.get_ref();
            let is_channel = inside == "notify" && CHANNELS.contains(&key);
            // Of a channel's table only the address is secret, and that has a key of its own.
            let is_table = matches!(value.get_ref(), DeValue::Table(_));
            if (self.holds(key) || is_channel) && !(is_channel && is_table) {
                places.extend(texts(value));
            } else {
                self.walk_value(value, key, places);
            }
        }
    }

    fn walk_value(
        &self,
        value: &Spanned<DeValue<'_>>,
        inside: &str,
        places: &mut Vec<Range<usize>>,
    ) {
        match value.get_ref() {
            DeValue::String(text) if has_login(text) => places.push(value.span()),
            DeValue::Array(entries) => {
                entries.iter().for_each(|entry| self.walk_value(entry, inside, places));
            }
            DeValue::Table(table) => self.walk(table, inside, places),
            _ => {}
        }
    }

    /// The places of secrets in a file that is no TOML: everything behind the `=` on lines that name
    /// a secret's key, and in sections whose title names one, to the end of a text over many lines.
    pub(crate) fn places_in_lines(&self, source: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut in_section = false;
        let mut open_quotes: Option<&str> = None;
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            let end = start + line.len();
            if let Some(quotes) = open_quotes {
                places.push(start..end);
                open_quotes = open_quotes.filter(|_| !line.contains(quotes));
            } else if line.trim_start().starts_with('[') {
                in_section = self.names_one(line);
            } else if in_section || self.names_one(line) || has_login(line) {
                places.push(start + line.find('=').unwrap_or(0)..end);
                open_quotes =
                    ["\"\"\"", "'''"].into_iter().find(|quotes| line.matches(quotes).count() == 1);
            }
            start = end;
        }
        places
    }

    fn names_one(&self, line: &str) -> bool {
        line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
            .any(|word| self.holds(word) || word == "smtp" || CHANNELS.contains(&word))
    }
}

/// The places of all texts in a value that are not the name of a variable or a file.
pub(crate) fn texts(value: &Spanned<DeValue<'_>>) -> Vec<Range<usize>> {
    match value.get_ref() {
        DeValue::Array(entries) => entries.iter().flat_map(texts).collect(),
        DeValue::Table(table) => table
            .iter()
            .filter(|(key, _)| !matches!(&**key.get_ref(), "env" | "file"))
            .flat_map(|(_, value)| texts(value))
            .collect(),
        _ => vec![value.span()],
    }
}

/// Whether it looks like an address with a login in it.
fn has_login(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| {
        rest.split(['/', '?', '#', '"', '\'']).next().is_some_and(|host| host.contains('@'))
    })
}

/// The text with everything at these places made unreadable; no place moves.
pub(crate) fn blot(source: &str, places: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(source.len());
    for (at, c) in source.char_indices() {
        let hidden = !c.is_whitespace() && places.iter().any(|place| place.contains(&at));
        if hidden {
            text.extend(std::iter::repeat_n('*', c.len_utf8()));
        } else {
            text.push(c);
        }
    }
    text
}
