//! Reading one value: text, lists, words, numbers, durations, money, shares, sizes, patterns. Whatever does not
//! fit is noted in the context, with what would be right.

use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use reaper_model::tags::trim_blanks;
use reaper_model::{Money, Span};
use reaper_policy::{NamePattern, Pattern};
use rust_decimal::Decimal;
use toml::de::DeValue;

use crate::context::{Context, help};
use crate::currency;
use crate::keys::nearest;
use crate::reference;
use crate::section::{Section, Value};
use crate::units::{Percent, Size, Threshold};

/// A text of the file, trimmed, and where it is.
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) span: Range<usize>,
}

impl Section<'_> {
    /// A text that is not blank, literal or by reference.
    pub(crate) fn text(&self, cx: &mut Context<'_>, name: &str) -> Option<Text> {
        text(cx, &self.label(name), self.value(name)?)
    }

    /// A text that is not blank, or `true` or `false` as text.
    pub(crate) fn setting(&self, cx: &mut Context<'_>, name: &str) -> Option<String> {
        match self.value(name)?.get_ref() {
            DeValue::Boolean(flag) => Some(flag.to_string()),
            _ => self.text(cx, name).map(|text| text.value),
        }
    }

    /// A text that is not blank, or the default; either is listed as in force.
    pub(crate) fn text_or(&self, cx: &mut Context<'_>, name: &str, default: &str) -> String {
        let given = self.text(cx, name);
        let value = given.map_or_else(|| default.to_owned(), |text| text.value);
        cx.record(self.path_of(name), &value, self.value(name).is_none());
        value
    }

    /// One text or a list of them; nothing if the key is not there.
    pub(crate) fn texts(&self, cx: &mut Context<'_>, name: &str) -> Vec<Text> {
        self.value(name).map(|value| texts(cx, &self.label(name), value)).unwrap_or_default()
    }

    /// One text or a list of at least one; nothing if the key is not there.
    pub(crate) fn some_texts(&self, cx: &mut Context<'_>, name: &str) -> Vec<Text> {
        let Some(value) = self.value(name) else { return Vec::new() };
        some_texts(cx, &self.label(name), value)
    }

    /// One glob or a list of at least one; nothing if the key is not there.
    pub(crate) fn patterns(&self, cx: &mut Context<'_>, name: &str) -> Vec<Pattern> {
        let Some(value) = self.value(name) else { return Vec::new() };
        patterns(cx, &self.label(name), value)
    }

    /// A text that a type reads.
    pub(crate) fn parsed<T>(&self, cx: &mut Context<'_>, name: &str) -> Option<T>
    where
        T: FromStr<Err: std::fmt::Display>,
    {
        parsed(cx, &self.label(name), self.value(name)?)
    }

    /// The owner pattern.
    pub(crate) fn name_pattern(&self, cx: &mut Context<'_>, name: &str) -> Option<NamePattern> {
        let text = self.text(cx, name)?;
        text.value
            .parse()
            .map_err(|error: reaper_policy::PatternError| {
                cx.refuse(text.span, error.to_string(), help("^(?P<owner>[a-z.]+)-- for example"));
            })
            .ok()
    }

    /// A length of time.
    pub(crate) fn span(&self, cx: &mut Context<'_>, name: &str) -> Option<Span> {
        let value = self.value(name)?;
        if let DeValue::Integer(_) | DeValue::Float(_) = value.get_ref() {
            let written = cx.written(value.span());
            cx.refuse(
                value.span(),
                format!("{} has no unit", self.label(name)),
                help(format!("write a duration with its unit, such as \"{written}h\" or \"3d\"")),
            );
            return None;
        }
        self.parsed(cx, name)
    }

    /// A length of time above zero, or the default; either is listed as in force.
    pub(crate) fn limit_or(&self, cx: &mut Context<'_>, name: &str, default: Span) -> Span {
        let limit = self.span_or(cx, name, default);
        if limit == Span::ZERO {
            cx.refuse(
                self.place(name),
                format!("{} must be longer than nothing", self.label(name)),
                None,
            );
        }
        limit
    }

    /// An amount with its currency, above zero; `instead` says what to do instead of writing zero.
    pub(crate) fn amount(&self, cx: &mut Context<'_>, name: &str, instead: &str) -> Option<Money> {
        let value = self.value(name)?;
        if let DeValue::Integer(_) | DeValue::Float(_) = value.get_ref() {
            let written = cx.written(value.span());
            cx.refuse(
                value.span(),
                format!("{} has no currency", self.label(name)),
                help(format!("write for example \"{written} EUR\"")),
            );
            return None;
        }
        let money: Money = self.parsed(cx, name)?;
        if money.amount <= Decimal::ZERO {
            cx.refuse(
                value.span(),
                format!("{} must be above zero", self.label(name)),
                help(instead),
            );
            return None;
        }
        if money.amount > Money::LARGEST {
            let message = format!("{} is more than anything costs", self.label(name));
            cx.refuse(value.span(), message, help("a billion is the most"));
            return None;
        }
        currency::known(cx, money.currency, value.span()).then_some(money)
    }

    /// A share.
    pub(crate) fn percent(&self, cx: &mut Context<'_>, name: &str) -> Option<Percent> {
        percent(cx, &self.label(name), self.value(name)?)
    }

    /// One percentage of a limit or a list of them, and where each is; nothing if the key is not
    /// there.
    pub(crate) fn thresholds(
        &self,
        cx: &mut Context<'_>,
        name: &str,
    ) -> Vec<(Threshold, Range<usize>)> {
        let Some(value) = self.value(name) else { return Vec::new() };
        let entries: Vec<Value<'_>> = match value.get_ref() {
            DeValue::Array(entries) if entries.is_empty() && self.least(name) > 0 => {
                let message = format!("{} is an empty list", self.label(name));
                let advice = help("it would say nothing; write a percentage or remove the key");
                cx.refuse(value.span(), message, advice);
                return Vec::new();
            }
            DeValue::Array(entries) => entries.iter().collect(),
            _ => vec![value],
        };
        let mut found = Vec::new();
        for entry in entries {
            if let Some(threshold) = percent(cx, &self.label(name), entry) {
                found.push((threshold, entry.span()));
            }
        }
        found
    }

    /// A number of bytes, or the default; either is listed as in force.
    pub(crate) fn size_or(&self, cx: &mut Context<'_>, name: &str, default: Size) -> Size {
        let size = match self.value(name).map(toml::Spanned::get_ref) {
            Some(DeValue::Integer(_) | DeValue::Float(_)) => {
                let span = self.place(name);
                let written = cx.written(span.clone());
                let advice = help(format!("write for example \"{written} MiB\""));
                cx.refuse(span, format!("{} has no unit", self.label(name)), advice);
                default
            }
            _ => self.parsed(cx, name).unwrap_or(default),
        };
        cx.record(self.path_of(name), size, self.value(name).is_none());
        size
    }

    /// A file beside this one that can be read.
    pub(crate) fn readable_file(&self, cx: &mut Context<'_>, name: &str) -> Option<PathBuf> {
        let text = self.text(cx, name)?;
        let path = cx.base_dir.join(text.value);
        if let Err(error) = std::fs::File::open(&path) {
            cx.refuse(
                text.span,
                format!("the file `{}` cannot be read: {error}", path.display()),
                help("a relative path is relative to this configuration file"),
            );
        }
        Some(path)
    }

    /// A decimal number above zero, as text or number, exactly as written.
    pub(crate) fn decimal(&self, cx: &mut Context<'_>, name: &str) -> Option<Decimal> {
        let value = self.value(name)?;
        let written = match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => cx.written(value.span()).to_owned(),
            _ => self.text(cx, name)?.value,
        };
        let number = Decimal::from_str_exact(&written)
            .ok()
            .filter(|number| *number > Decimal::ZERO && *number <= Money::LARGEST);
        if number.is_none() {
            cx.refuse(
                value.span(),
                format!("{} is not a number above zero and up to a billion", self.label(name)),
                help("write a plain decimal number, such as \"0.92\""),
            );
        }
        number
    }

    /// A whole number within the bounds of its key.
    pub(crate) fn whole(&self, cx: &mut Context<'_>, name: &str) -> Option<u32> {
        let value = self.value(name)?;
        let (least, most) = self.bounds(name);
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let wanted = if least == most {
                format!("must be {least}")
            } else {
                format!("must be a whole number from {least} to {most}, without quotes")
            };
            cx.refuse(value.span(), format!("{} {wanted}", self.label(name)), None);
        }
        number
    }

    /// Yes or no.
    pub(crate) fn flag(&self, cx: &mut Context<'_>, name: &str) -> Option<bool> {
        let value = self.value(name)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            let advice = help("write true or false, without quotes");
            cx.refuse(
                value.span(),
                format!("{} is neither true nor false", self.label(name)),
                advice,
            );
        }
        flag
    }

    /// One of the words of the key.
    pub(crate) fn word(&self, cx: &mut Context<'_>, name: &str) -> Option<&'static str> {
        let text = self.text(cx, name)?;
        word(cx, name, &text, self.words(name))
    }

    /// At least one of the words of the key; nothing if the key is not there.
    pub(crate) fn several_words(&self, cx: &mut Context<'_>, name: &str) -> Vec<&'static str> {
        let texts = self.some_texts(cx, name);
        texts.iter().filter_map(|text| word(cx, name, text, self.words(name))).collect()
    }
}

fn word(
    cx: &mut Context<'_>,
    name: &str,
    text: &Text,
    words: &[&'static str],
) -> Option<&'static str> {
    let found = words.iter().copied().find(|word| *word == text.value);
    if found.is_none() {
        let advice = nearest(&text.value, words.iter().copied()).map_or_else(
            || format!("valid: {}", words.join(", ")),
            |near| format!("did you mean `{near}`? Valid: {}", words.join(", ")),
        );
        let message = format!("`{}` is not a value of `{name}`", text.value);
        cx.refuse(text.span.clone(), message, help(advice));
    }
    found
}

/// A text that a type reads.
fn parsed<T>(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Option<T>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let text = text(cx, what, value)?;
    text.value
        .parse()
        .map_err(|error: T::Err| cx.refuse(text.span, format!("{what}: {error}"), None))
        .ok()
}

/// A text with a `%` that a type reads.
fn percent<T>(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Option<T>
where
    T: FromStr<Err: std::fmt::Display>,
{
    if let DeValue::Integer(_) | DeValue::Float(_) = value.get_ref() {
        let written = cx.written(value.span());
        let share = Decimal::from_str_exact(written)
            .ok()
            .filter(|share| *share > Decimal::ZERO && *share < Decimal::ONE)
            .map(|share| (share * Decimal::ONE_HUNDRED).normalize());
        // A share of one is another thing than a share of a hundred.
        let advice = match share {
            Some(points) => format!("write \"{points}%\", or \"{written}%\" if so little is meant"),
            None => format!("write \"{written}%\""),
        };
        cx.refuse(value.span(), format!("{what} has no %"), help(advice));
        return None;
    }
    parsed(cx, what, value)
}

/// A text that is not blank, literal or by reference.
pub(crate) fn text(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Option<Text> {
    let span = value.span();
    let resolved = match value.get_ref() {
        DeValue::String(text) => text.clone().into_owned(),
        DeValue::Table(_) => reference::resolve(cx, what, value)?,
        DeValue::Array(_) => {
            cx.refuse(span, format!("{what} is one text, not a list"), None);
            return None;
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
            let quoted = format!("quote it: \"{}\"", cx.written(span.clone()));
            cx.refuse(span, format!("{what} is text"), help(quoted));
            return None;
        }
    };
    let trimmed = trim_blanks(&resolved);
    if trimmed.is_empty() {
        cx.refuse(
            span,
            format!("{what} is blank"),
            help("a blank would match nothing or everything; write a value or remove the key"),
        );
        return None;
    }
    Some(Text { value: trimmed.to_owned(), span })
}

/// One text or a list of them.
pub(crate) fn texts(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Vec<Text> {
    match value.get_ref() {
        DeValue::Array(entries) => {
            entries.iter().filter_map(|entry| text(cx, what, entry)).collect()
        }
        _ => text(cx, what, value).into_iter().collect(),
    }
}

fn some_texts(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Vec<Text> {
    if value.get_ref().as_array().is_some_and(|entries| entries.is_empty()) {
        cx.refuse(
            value.span(),
            format!("{what} is an empty list"),
            help("it would match nothing or everything; write a value or remove the key"),
        );
    }
    texts(cx, what, value)
}

/// One glob or a list of at least one.
pub(crate) fn patterns(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for text in some_texts(cx, what, value) {
        if matches!(text.value.as_str(), ".*" | ".+" | "^.*$" | "^.+$") {
            let message = format!("{what}: `{}` is a regular expression", text.value);
            let advice = "patterns are globs that match the whole text: * and ?, [abc], {a,b}";
            cx.refuse(text.span, message, help(advice));
            continue;
        }
        match text.value.parse() {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => {
                cx.refuse(text.span, format!("{what}: {error}"), None);
            }
        }
    }
    patterns
}
