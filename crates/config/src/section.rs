//! One table of the file while it is read: refuses what does not belong there, and hands out the
//! rest. Reading single values is the matter of `value`.

use std::ops::Range;

use reaper_model::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::conceal;
use crate::context::{Context, Help, help};
use crate::keys::{Key, Kind, Table, nearest};

/// A value of the file and where it is.
pub(crate) type Value<'a> = &'a Spanned<DeValue<'a>>;

/// A table of the file, checked for keys that do not belong there.
pub(crate) struct Section<'a> {
    /// What it is in messages: ``rule `ownerless` ``; empty for the whole file.
    pub(crate) subject: String,
    /// Where it is.
    pub(crate) span: Range<usize>,
    /// Its path in the listing of effective settings: `rule.ownerless`.
    path: String,
    /// The whole file's keys, for hints about other levels.
    root: &'a Table,
    keys: &'a Table,
    /// `None` stands for a table that is not there and has nothing but defaults.
    values: Option<&'a DeTable<'a>>,
    /// The provider that this table, or the one around it, is about; one that exists.
    provider: Option<&'static str>,
}

impl<'a> Section<'a> {
    /// The whole file.
    pub(crate) fn root(
        cx: &mut Context<'_>,
        keys: &'a Table,
        document: &'a Spanned<DeTable<'a>>,
    ) -> Self {
        let section = Self {
            subject: String::new(),
            span: 0..0,
            path: String::new(),
            root: keys,
            keys,
            values: Some(document.get_ref()),
            provider: None,
        };
        section.check(cx);
        section
    }

    /// The table below a key; `None` if it is not there or refused.
    pub(crate) fn table(&self, cx: &mut Context<'_>, name: &str) -> Option<Self> {
        let value = self.value(name)?;
        let keys = self.keys_below(name)?;
        self.below(cx, keys, value, name, None)
    }

    /// The table below a key, or one that has nothing but defaults.
    pub(crate) fn table_or_defaults(&self, cx: &mut Context<'_>, name: &str) -> Self {
        self.table(cx, name).unwrap_or_else(|| Self {
            subject: self.label(name),
            span: self.span.clone(),
            path: self.path_of(name),
            root: self.root,
            keys: self.keys_below(name).unwrap_or(self.keys),
            values: None,
            provider: self.provider,
        })
    }

    /// The list of tables below a key. `kind` is what one of them is called; it is told from its
    /// neighbours by its `name`, or by its number.
    pub(crate) fn tables(&self, cx: &mut Context<'_>, name: &str, kind: &str) -> Vec<Self> {
        let (Some(value), Some(keys)) = (self.value(name), self.keys_below(name)) else {
            return Vec::new();
        };
        let DeValue::Array(entries) = value.get_ref() else {
            cx.refuse(
                value.span(),
                format!("`{name}` is a list of tables"),
                help(format!("write [[{name}]] above each of them")),
            );
            return Vec::new();
        };
        entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                let own_name =
                    entry.get_ref().get("name").and_then(|value| value.get_ref().as_str());
                let label =
                    own_name.map_or_else(|| (index + 1).to_string(), |name| name.trim().to_owned());
                let quoted = own_name.map_or_else(|| label.clone(), |_| format!("`{label}`"));
                let subject = Some(format!("{kind} {quoted}"));
                self.below(cx, keys, entry, &format!("{name}.{label}"), subject)
            })
            .collect()
    }

    /// The tables of a map of tables, by their free keys.
    pub(crate) fn map_tables(
        &self,
        cx: &mut Context<'_>,
        name: &str,
    ) -> Vec<(&'a str, Range<usize>, Self)> {
        let Some(keys) = self.keys_below(name) else { return Vec::new() };
        let mut tables = Vec::new();
        for (key, value) in self.map(cx, name) {
            let path = format!("{name}.{}", key.get_ref());
            if let Some(section) = self.below(cx, keys, value, &path, None) {
                tables.push((&**key.get_ref(), key.span(), section));
            }
        }
        tables
    }

    /// The entries of a table with free keys.
    pub(crate) fn map(
        &self,
        cx: &mut Context<'_>,
        name: &str,
    ) -> Vec<(&'a Spanned<toml::de::DeString<'a>>, Value<'a>)> {
        let Some(value) = self.value(name) else { return Vec::new() };
        if let DeValue::Table(table) = value.get_ref() {
            table.iter().collect()
        } else {
            refuse_no_table(cx, value, name);
            Vec::new()
        }
    }

    fn below(
        &self,
        cx: &mut Context<'_>,
        keys: &'a Table,
        value: Value<'a>,
        name: &str,
        subject: Option<String>,
    ) -> Option<Self> {
        let DeValue::Table(values) = value.get_ref() else {
            refuse_no_table(cx, value, name);
            return None;
        };
        let path =
            if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        let subject = subject.unwrap_or_else(|| {
            let has_own_name = !self.path.is_empty() && self.subject != self.keys.title;
            if has_own_name { self.subject.clone() } else { keys.title.clone() }
        });
        let named = values.get("provider").and_then(|value| value.get_ref().as_str());
        let provider = cx.env.providers.iter().find(|keys| named.map(str::trim) == Some(keys.name));
        let section = Self {
            subject,
            span: value.span(),
            path,
            root: self.root,
            keys,
            values: Some(values),
            provider: provider.map_or(self.provider, |keys| Some(keys.name)),
        };
        section.check(cx);
        Some(section)
    }

    fn keys_below(&self, name: &str) -> Option<&'a Table> {
        self.keys.key(name).and_then(|key| key.kind.table())
    }

    /// The value of a key.
    pub(crate) fn value(&self, name: &str) -> Option<Value<'a>> {
        self.values?.get(name)
    }

    /// A key in messages: ``rule `ownerless`: `notice` ``.
    pub(crate) fn label(&self, name: &str) -> String {
        if self.subject.is_empty() {
            format!("`{name}`")
        } else {
            format!("{}: `{name}`", self.subject)
        }
    }

    /// Where a key's value is, or the section if there is none.
    pub(crate) fn place(&self, name: &str) -> Range<usize> {
        self.value(name).map_or_else(|| self.span.clone(), Spanned::span)
    }

    /// Whether it has no keys at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_none_or(DeTable::is_empty)
    }

    /// The path of a key in the listing of effective settings.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The words that a key may be.
    pub(crate) fn words(&self, name: &str) -> &'a [&'static str] {
        match self.keys.key(name).map(|key| &key.kind) {
            Some(Kind::Word(words) | Kind::Words(words)) => words,
            _ => &[],
        }
    }

    /// How many entries a list of percentages must have.
    pub(crate) fn least(&self, name: &str) -> u32 {
        match self.keys.key(name).map(|key| &key.kind) {
            Some(&Kind::Percents(least)) => least,
            _ => 0,
        }
    }

    /// The bounds of a whole number.
    pub(crate) fn bounds(&self, name: &str) -> (u32, u32) {
        match self.keys.key(name).map(|key| &key.kind) {
            Some(&Kind::Whole(least, most)) => (least, most),
            _ => (0, u32::MAX),
        }
    }

    /// A length of time, or the default; either is listed as in force.
    pub(crate) fn span_or(&self, cx: &mut Context<'_>, name: &str, default: Span) -> Span {
        let given = self.span(cx, name);
        let value = given.unwrap_or(default);
        cx.record(self.path_of(name), value, self.value(name).is_none());
        value
    }

    /// Refuses every key that does not belong here and misses those that must.
    fn check(&self, cx: &mut Context<'_>) {
        for (key, value) in self.values.into_iter().flatten() {
            let name: &str = key.get_ref();
            match self.keys.key(name) {
                Some(known) => self.check_provider(cx, key.span(), known),
                None => self.refuse_unknown(cx, key.span(), name, value),
            }
        }
        for key in self.keys.keys.iter().filter(|key| key.required) {
            let value = self.value(key.name).map(Spanned::get_ref);
            if value.is_none_or(|value| value.as_array().is_some_and(|entries| entries.is_empty()))
            {
                self.refuse_missing(cx, key);
            }
        }
    }

    fn refuse_unknown(
        &self,
        cx: &mut Context<'_>,
        span: Range<usize>,
        name: &str,
        value: Value<'_>,
    ) {
        if self.keys.is_later(name) {
            let advice = help("a later version knows it; remove the key");
            cx.refuse(span, format!("`{name}` is not supported yet"), advice);
            return;
        }
        if ["account", "notify", "metrics"].iter().any(|part| self.keys.path.starts_with(part)) {
            // It may be a secret under a misspelt name.
            cx.conceal(conceal::texts(value));
        }
        let message = format!("`{name}` is not a key of {}", self.keys.title);
        cx.refuse(span, message, hint(self.root, self.keys, name));
    }

    fn refuse_missing(&self, cx: &mut Context<'_>, key: &Key) {
        if matches!(key.kind, Kind::Tables(_)) {
            cx.refuse_file(
                format!("there is no [[{}]]", key.name),
                help("without one there is nothing to look at; `reaper init` writes a file"),
            );
        } else {
            let message = format!("{} needs `{}`", self.subject, key.name);
            cx.refuse(self.span.clone(), message, help(key.doc));
        }
    }

    /// Refuses a key that another provider takes and this one does not.
    fn check_provider(&self, cx: &mut Context<'_>, span: Range<usize>, key: &Key) {
        let Some(provider) = self.provider.filter(|provider| !key.is_for(provider)) else { return };
        let providers = cx.env.providers;
        let own_location_key = providers
            .iter()
            .find(|keys| keys.name == provider)
            .and_then(|keys| keys.location_key)
            .filter(|_| providers.iter().any(|keys| keys.location_key == Some(key.name)));
        let advice = own_location_key.map_or_else(
            || format!("it belongs to {}", key.only.join(" and ")),
            |own| format!("write `{own}`"),
        );
        let message = format!("`{}` is no key of an account at {provider}", key.name);
        cx.refuse(span, message, help(advice));
    }
}

fn refuse_no_table(cx: &mut Context<'_>, value: Value<'_>, name: &str) {
    cx.refuse(
        value.span(),
        format!("`{name}` is a table"),
        help(format!("write `{name} = {{ … }}` or a [{name}] section")),
    );
}

/// What a key that does not belong here was probably meant to be: the same name at another level,
/// a similar one here, a similar one at another level.
fn hint(root: &Table, here: &Table, name: &str) -> Help {
    let places = |name: &str| {
        let mut titles: Vec<&str> = root
            .all()
            .into_iter()
            .filter(|table| table.key(name).is_some() || table.is_later(name))
            .map(|table| table.title.as_str())
            .collect();
        titles.dedup();
        titles.join(" or ")
    };
    let elsewhere = || root.all().into_iter().flat_map(|table| &table.keys).map(|key| key.name);
    if elsewhere().any(|key| key == name) {
        return help(format!("`{name}` belongs into {}", places(name)));
    }
    if let Some(key) = nearest(name, here.keys.iter().map(|key| key.name)) {
        return help(format!("did you mean `{key}`?"));
    }
    if let Some(key) = nearest(name, elsewhere()) {
        return help(format!("did you mean `{key}`? It belongs into {}", places(key)));
    }
    let valid: Vec<_> = here.keys.iter().map(|key| format!("`{}`", key.name)).collect();
    help(format!("valid here: {}", valid.join(", ")))
}
