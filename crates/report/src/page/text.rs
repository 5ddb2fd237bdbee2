//! Text of the page. Everything that is shown goes through here, so no caller can forget to clean
//! it; the templates escape it.

use std::fmt;

use crate::layout::fit;

/// Of a name or an explanation, in columns; the rest is in the JSON document.
const LONGEST: usize = 500;
/// Of what takes more room, such as every region of an account by name.
const LONGEST_PARAGRAPH: usize = 4_000;

/// A cleaned text of a bounded length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        Self(fit(text.as_ref(), LONGEST))
    }

    pub(super) fn paragraph(text: impl AsRef<str>) -> Self {
        Self(fit(text.as_ref(), LONGEST_PARAGRAPH))
    }

    pub(super) fn all<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<Self> {
        texts.into_iter().map(Self::new).collect()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
