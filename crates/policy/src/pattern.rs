//! Patterns over names, types and places: globs that match the whole text, and the owner pattern.

use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

/// A glob that must match the whole text: `demo-*`, `p5.*`, `{g5,g6}.*`. Never a substring.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    exact: GlobMatcher,
    any_case: GlobMatcher,
}

/// The matchers follow from the text.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// The text cannot be used as a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Blank, or only blanks.
    #[error("an empty pattern would match nothing or everything; write what shall match")]
    Empty,
    /// Not a glob, or not a regular expression.
    #[error("`{text}` is not a valid pattern: {problem}")]
    Invalid {
        /// The text.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// The owner pattern has no group `owner`.
    #[error("`{0}` has no group (?P<owner>…), so it cannot name an owner")]
    NoOwnerGroup(String),
}

impl Pattern {
    /// A pattern that matches this very text, whatever characters are in it.
    ///
    /// # Errors
    ///
    /// [`PatternError::Empty`] for a blank text.
    pub fn literal(text: &str) -> Result<Self, PatternError> {
        globset::escape(text).parse()
    }

    /// Whether the whole text matches, with case.
    pub fn matches(&self, text: &str) -> bool {
        self.exact.is_match(text)
    }

    /// Whether the whole text matches, without case.
    pub fn matches_any_case(&self, text: &str) -> bool {
        self.any_case.is_match(text)
    }

    /// Whether it is no selection at all: `*`, `**`, `?*`, `{*,x}`. Told by trying names that have
    /// nothing in common.
    pub fn matches_everything(&self) -> bool {
        ["a", "Z-9", "i-0f3c9", "p4d.24xlarge", "größe_日本", "x/y z"]
            .iter()
            .all(|name| self.matches(name))
    }

    /// As written, blanks trimmed.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = reaper_model::tags::trim_blanks(text);
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let build = |any_case: bool| {
            GlobBuilder::new(text)
                .case_insensitive(any_case)
                .backslash_escape(true)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|error| PatternError::Invalid {
                    text: text.to_owned(),
                    problem: error.kind().to_string(),
                })
        };
        Ok(Self { text: text.to_owned(), exact: build(false)?, any_case: build(true)? })
    }
}

/// A regular expression with a group `owner`, for providers without tags.
#[derive(Debug, Clone)]
pub struct NamePattern(Regex);

impl NamePattern {
    /// The owner in a machine's name.
    pub fn owner<'a>(&self, name: &'a str) -> Option<&'a str> {
        self.0
            .captures(name)
            .and_then(|groups| groups.name("owner"))
            .map(|group| group.as_str())
            .filter(|owner| !owner.is_empty())
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for NamePattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(PatternError::Empty);
        }
        let regex = Regex::new(text).map_err(|error| PatternError::Invalid {
            text: text.to_owned(),
            problem: error.to_string(),
        })?;
        if regex.capture_names().flatten().any(|name| name == "owner") {
            Ok(Self(regex))
        } else {
            Err(PatternError::NoOwnerGroup(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        text.parse().expect("a valid pattern")
    }

    #[test]
    fn fl_004_a_pattern_never_matches_a_neighbour() {
        let atlas = pattern("atlas");
        assert!(atlas.matches("atlas"));
        for neighbour in ["atlas-next", "my-atlas", "Atlas2", "Atlas", "atlas "] {
            assert!(!atlas.matches(neighbour), "{neighbour:?}");
        }
    }

    #[test]
    fn fl_005_an_empty_pattern_is_refused() {
        for blank in ["", "  ", "\u{200b}"] {
            assert_eq!(blank.parse::<Pattern>().map(|_| ()), Err(PatternError::Empty));
        }
        assert!(pattern("**").matches_everything());
        for text in ["?*", "{*,x}", "*?"] {
            assert!(pattern(text).matches_everything(), "{text}");
        }
        for text in ["a*", "?", "[a-z]*"] {
            assert!(!pattern(text).matches_everything(), "{text}");
        }
    }

    #[test]
    fn fl_158_blanks_around_an_id_are_trimmed() {
        assert!(pattern(" i-0abc\t").matches("i-0abc"));
    }

    #[test]
    fn fl_090_states_with_blanks_match_without_case() {
        assert!(pattern("stopped in place").matches_any_case("Stopped In Place"));
    }

    #[test]
    fn the_owner_pattern_needs_its_group() {
        let pattern: NamePattern = r"^(?P<owner>[a-z.]+)--".parse().expect("has the group");
        assert_eq!(pattern.owner("alice--train"), Some("alice"));
        assert_eq!(pattern.owner("train"), None);
        assert!("^[a-z]+--".parse::<NamePattern>().is_err());
    }
}
