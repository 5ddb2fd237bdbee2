//! Small helpers for text: cleaned, on one line, cut to a length, wrapped.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

/// Cleaned, and at most `most` characters long; what was cut off is marked by `…`.
pub(crate) fn short(text: &str, most: usize) -> String {
    // Cleaning only ever lengthens, and a hostile text may be long: cut first.
    let text = text.trim();
    let end = text.char_indices().nth(most + 1).map_or(text.len(), |(at, _)| at);
    let cleaned = reaper_report::clean(&text[..end]);
    if cleaned.chars().count() <= most {
        return cleaned.into_owned();
    }
    let mut cut: String = cleaned.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Text from outside: cleaned, cut, and with no address in it that a mail program would make a link.
pub(crate) fn outside(text: &str, most: usize) -> String {
    short(text, most).replace("://", ":⟨2f⟩/")
}

/// Broken between words; a longer word stays whole.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `Fri 4 Dec 2026 09:00 CET (+01:00)`.
pub(crate) fn in_full(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%a %-d %b %Y %H:%M %Z (%:z)").to_string()
}

/// `1 machine`, `2 machines`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_marked_and_counts_characters() {
        assert_eq!(short("größe", 5), "größe");
        assert_eq!(short("größere", 5), "größ…");
        assert_eq!(short(" a\r\nb ", 20), "a⟨d⟩⟨a⟩b");
    }
}
