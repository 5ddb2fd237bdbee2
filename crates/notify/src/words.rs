//! Small helpers for text: cleaned, on one line, cut to a length.

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
