//! Words in a machine's name and tags that hint at what it is for.

use reaper_model::Instance;
use reaper_model::tags::{Tag, fold_key};

/// Keys of tags that say what a machine is for.
const PURPOSE: [&str; 9] =
    ["app", "application", "kind", "purpose", "role", "type", "use", "usage", "workload"];
/// Keys of tags that name people or bills; words in their values say nothing of the machine.
const PEOPLE: [&str; 9] = [
    "owner",
    "created-by",
    "team",
    "email",
    "cost-center",
    "costcenter",
    "department",
    "group",
    "project",
];

/// Where a word was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The word.
    pub(crate) word: String,
    /// Where, in words: `its name`, `its tag purpose`.
    pub(crate) place: String,
}

/// The first of the wanted words that stands as a whole word in the name or in a tag. Those that are
/// `vague` count only in the name and in tags that say what a machine is for.
pub(crate) fn find(instance: &Instance, wanted: &[&str], vague: &[&str]) -> Option<Found> {
    let clear = |word: &String| wanted.contains(&word.as_str());
    let any = |word: &String| clear(word) || vague.contains(&word.as_str());
    if let Some(name) = instance.name.value()
        && let Some(word) = words(name).into_iter().find(any)
    {
        return Some(Found { word, place: "its name".to_owned() });
    }
    let tags = instance.tags.value()?;
    tags.iter().find_map(|tag| {
        let key = fold_key(&tag.key);
        let word = if PURPOSE.contains(&key.as_str()) || tag.value.is_none() {
            said(tag).into_iter().find(any)
        } else if PEOPLE.contains(&key.as_str()) {
            None
        } else {
            said(tag).into_iter().find(clear)
        };
        Some(Found { word: word?, place: format!("its tag {}", tag.key) })
    })
}

/// The words of a tag's key and value.
fn said(tag: &Tag) -> Vec<String> {
    [words(&tag.key), words(tag.trimmed_value())].concat()
}

/// Whether a tag with one of these keys says yes. A bare word is a yes.
pub(crate) fn says_yes(instance: &Instance, keys: &[&str]) -> Option<String> {
    let tags = instance.tags.value()?;
    let found = keys.iter().flat_map(|key| tags.matching(key)).find(|tag| {
        let value = tag.trimmed_value().to_ascii_lowercase();
        tag.value.is_none() || matches!(value.as_str(), "true" | "yes" | "1" | "on")
    });
    found.map(|tag| tag.key.clone())
}

/// Letters and digits, in small letters, as they stand between everything else.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use reaper_model::{Fact, Source, Tags};

    use super::*;
    use crate::fixture;

    fn found(name: &str, tags: Vec<Tag>) -> Option<String> {
        let mut machine = fixture::machine("p4d.24xlarge");
        machine.name = Fact::known(name.to_owned(), &Source::new("test"), fixture::now());
        machine.tags = Fact::known(Tags::new(tags), &Source::new("test"), fixture::now());
        find(&machine, &["jupyter", "notebook"], &["lab"]).map(|found| found.word)
    }

    #[test]
    fn whole_words_in_names_and_tags_count() {
        assert_eq!(found("alice-Jupyter-2", vec![]).as_deref(), Some("jupyter"));
        assert_eq!(found("x", vec![Tag::pair("app", "notebook")]).as_deref(), Some("notebook"));
        assert_eq!(found("x", vec![Tag::pair("Notebook", "")]).as_deref(), Some("notebook"));
        assert_eq!(found("x", vec![Tag::word("jupyter")]).as_deref(), Some("jupyter"));
        assert_eq!(found("notebooking", vec![]), None);
        assert_eq!(found("x", vec![Tag::pair("owner", "notebook-team")]), None);
    }

    #[test]
    fn a_vague_word_counts_only_where_the_purpose_is_said() {
        assert_eq!(found("ml lab 3", vec![]).as_deref(), Some("lab"));
        assert_eq!(found("x", vec![Tag::pair("purpose", "lab")]).as_deref(), Some("lab"));
        assert_eq!(found("x", vec![Tag::pair("site", "lab")]), None);
        assert_eq!(found("label-studio", vec![]), None);
    }
}
