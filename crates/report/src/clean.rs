//! What text from outside may not do: move the cursor, ring, recolour, reverse the line, hide, or
//! speak to the job runner that reads our output. Whatever could is shown as `⟨code point⟩`.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// Accents on one letter that real languages need; more is a way to smear over other rows.
const MOST_MARKS: usize = 3;

/// The text with every character that is not plainly visible replaced by its code point in
/// hexadecimal: ESC becomes `⟨1b⟩`, a right-to-left override `⟨202e⟩`, a line break `⟨a⟩`.
///
/// The result holds no byte below 0x20. Cleaning twice is cleaning once.
pub fn clean(text: &str) -> Cow<'_, str> {
    let mut cleaned = String::new();
    let mut done = 0;
    for (at, hidden) in suspects(text) {
        cleaned.push_str(&text[done..at]);
        let code_point = format!("⟨{:x}⟩", u32::from(hidden));
        cleaned.push_str(&code_point);
        done = at + hidden.len_utf8();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    cleaned.push_str(&text[done..]);
    Cow::Owned(cleaned)
}

/// The characters of a text that must not be printed raw, with their byte positions.
pub(crate) fn suspects(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    // An accent at the very start would land on whatever is printed before the text.
    let mut marks = MOST_MARKS;
    text.char_indices().filter(move |&(at, c)| {
        if is_hidden(c) {
            marks = MOST_MARKS;
            return true;
        }
        if c.width() == Some(0) {
            marks += 1;
            return marks > MOST_MARKS;
        }
        marks = 0;
        // `##[command]` anywhere in a line is an order to the GitHub and Azure job runners.
        c == '[' && text[..at].ends_with("##")
    })
}

/// Control characters (C0, DEL, C1), line and paragraph separators, and what Unicode calls default
/// ignorable: direction marks, joiners, zero-width blanks, fillers, variation selectors, tags.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture;

    #[test]
    fn fl_147_control_sequences_become_visible() {
        assert_eq!(clean("a\u{1b}[2Jb\r\n\u{7}\u{9b}31m"), "a⟨1b⟩[2Jb⟨d⟩⟨a⟩⟨7⟩⟨9b⟩31m");
        assert_eq!(clean("gpu\u{202e}txt\u{200b}\u{feff}"), "gpu⟨202e⟩txt⟨200b⟩⟨feff⟩");
    }

    #[test]
    fn fl_147_text_of_any_language_stays() {
        for text in ["Überwachung-größe-日本", "e\u{301}te\u{301}", "שלום", "нейросеть 🚀"]
        {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn fl_147_a_pile_of_accents_is_cut_down() {
        let cleaned = clean("a\u{301}\u{301}\u{301}\u{301}\u{301}").into_owned();
        assert_eq!(cleaned, "a\u{301}\u{301}\u{301}⟨301⟩⟨301⟩");
    }

    #[test]
    fn orders_to_a_job_runner_are_broken() {
        assert_eq!(clean("x ##[add-mask]a"), "x ##⟨5b⟩add-mask]a");
    }

    proptest! {
        #[test]
        fn cleaning_twice_is_cleaning_once(text in fixture::any_text()) {
            let once = clean(&text).into_owned();
            prop_assert!(once.chars().all(|c| !is_hidden(c)));
            prop_assert_eq!(clean(&once), once.as_str());
        }
    }
}
