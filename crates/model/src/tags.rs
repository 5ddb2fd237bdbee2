//! Tags as read from a provider: key/value pairs and bare words, with the looseness that people's
//! spelling needs. What a tag means for a rule is decided in `reaper-policy`.

use std::collections::BTreeMap;

/// One tag, letter for letter as the provider gave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag {
    /// The key, or the whole text of a bare word.
    pub key: String,
    /// The value; `None` for a bare word (Scaleway). An empty value is not an absent one.
    pub value: Option<String>,
}

impl Tag {
    /// A key with its value.
    pub fn pair(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: Some(value.into()) }
    }

    /// A bare word.
    pub fn word(word: impl Into<String>) -> Self {
        Self { key: word.into(), value: None }
    }

    /// The value with blanks trimmed; a bare word has the empty value.
    pub fn trimmed_value(&self) -> &str {
        trim_blanks(self.value.as_deref().unwrap_or_default())
    }
}

/// All tags of one machine, in an order that does not depend on the provider's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    tags: Vec<Tag>,
    /// As delivered, where that is not `key=value`.
    raw: Option<Vec<String>>,
}

impl Tags {
    /// The tags, sorted.
    pub fn new(mut tags: Vec<Tag>) -> Self {
        tags.sort();
        Self { tags, raw: None }
    }

    /// The tags as read from texts of the provider's own form (Scaleway), which are kept.
    #[must_use]
    pub fn with_raw(self, mut raw: Vec<String>) -> Self {
        raw.sort();
        Self { raw: Some(raw), ..self }
    }

    /// All of them, by key and value.
    pub fn iter(&self) -> std::slice::Iter<'_, Tag> {
        self.tags.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Those whose key folds to the same as `key`; several when spelled differently.
    pub fn matching<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a Tag> + use<'a> {
        let wanted = fold_key(key);
        self.tags.iter().filter(move |tag| fold_key(&tag.key) == wanted)
    }

    /// The exact key's value, as the provider spelled both.
    pub fn exact(&self, key: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|tag| tag.key == key)
            .map(|tag| tag.value.as_deref().unwrap_or_default())
    }

    /// Key to value as JSON shows it. Of equal keys (possible at Scaleway only) the last in order
    /// stands; [`Tags::raw`] keeps all.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.tags
            .iter()
            .map(|tag| (tag.key.clone(), tag.value.clone().unwrap_or_default()))
            .collect()
    }

    /// As delivered, one text per tag; of pairs `key=value`.
    pub fn raw(&self) -> Vec<String> {
        if let Some(raw) = &self.raw {
            return raw.clone();
        }
        self.tags
            .iter()
            .map(|tag| match &tag.value {
                Some(value) => format!("{}={value}", tag.key),
                None => tag.key.clone(),
            })
            .collect()
    }
}

impl<'a> IntoIterator for &'a Tags {
    type Item = &'a Tag;
    type IntoIter = std::slice::Iter<'a, Tag>;

    fn into_iter(self) -> Self::IntoIter {
        self.tags.iter()
    }
}

/// Characters without width, which nobody sees.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// White space, no-break blanks, and what has no width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// The text without blanks around it, also no-break and zero-width ones.
pub fn trim_blanks(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// The form in which keys are compared: blanks trimmed, lower case, what has no width left
/// out, and `_`, `.`, `/` and blanks inside read as `-`. So `Created_By`, `created.by` and `created-by` are one key.
pub fn fold_key(key: &str) -> String {
    trim_blanks(key)
        .chars()
        .filter(|&c| !is_invisible(c))
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '_' | '.' | '/') || is_blank(c) { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fold_case_separators_and_invisible_blanks() {
        for spelling in [
            "Created_By",
            "created.by",
            "CREATED/BY",
            "\u{a0}created-by\u{200b}",
            "created\u{a0}by",
            "crea\u{200b}ted-by",
        ] {
            assert_eq!(fold_key(spelling), "created-by", "{spelling:?}");
        }
        assert_ne!(fold_key("owner"), fold_key("owners"));
    }

    #[test]
    fn an_empty_value_is_not_an_absent_one() {
        let tags = Tags::new(vec![Tag::pair("owner", "")]);
        assert_eq!(tags.exact("owner"), Some(""));
        assert_eq!(tags.exact("project"), None);
    }

    #[test]
    fn the_order_of_the_provider_does_not_matter() {
        let one = Tags::new(vec![Tag::pair("b", "2"), Tag::pair("a", "1"), Tag::word("w")]);
        let other = Tags::new(vec![Tag::word("w"), Tag::pair("a", "1"), Tag::pair("b", "2")]);
        assert_eq!(one, other);
        assert_eq!(one.raw(), ["a=1", "b=2", "w"]);
    }
}
