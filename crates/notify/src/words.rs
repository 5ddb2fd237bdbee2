//! Small helpers for text: cleaned, on one line, cut to a length, wrapped.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::Money;

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

/// With a capital letter in front.
pub(crate) fn sentence(mut text: String) -> String {
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// `1 machine`, `2 machines`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Amounts side by side, never added: `2,520.00 EUR and 100.00 USD`. `None` when there are none.
pub(crate) fn amounts(sums: impl IntoIterator<Item = Money>) -> Option<String> {
    let shown: Vec<String> = sums.into_iter().map(|money| money.to_string()).collect();
    (!shown.is_empty()).then(|| listed(&shown))
}

/// Hours as the document writes them, for people: `<1h`, `5h`, `30d 0h`. Anything else as it is.
pub(crate) fn age(hours: &str) -> String {
    let whole: Option<u64> = hours.split('.').next().and_then(|whole| whole.parse().ok());
    match whole {
        None => hours.to_owned(),
        Some(0) => "<1h".to_owned(),
        Some(hours @ 1..24) => format!("{hours}h"),
        Some(hours) => format!("{}d {}h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        for (hours, shown) in [
            ("0.4", "<1h"),
            ("23.9", "23h"),
            ("24.0", "1d 0h"),
            ("720.0", "30d 0h"),
            ("soon", "soon"),
        ] {
            assert_eq!(age(hours), shown);
        }
    }

    #[test]
    fn fl_107_two_currencies_stand_side_by_side() {
        let sums = ["2520 EUR", "100 USD"].map(|text| text.parse().expect("valid"));
        assert_eq!(amounts(sums).as_deref(), Some("2,520.00 EUR and 100.00 USD"));
        assert_eq!(amounts([]), None);
    }

    #[test]
    fn a_cut_is_marked_and_counts_characters() {
        assert_eq!(short("größe", 5), "größe");
        assert_eq!(short("größere", 5), "größ…");
        assert_eq!(short(" a\r\nb ", 20), "a⟨d⟩⟨a⟩b");
    }
}
