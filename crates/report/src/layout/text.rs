//! Cutting and wrapping by the columns that a text takes on a terminal.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::clean::clean;

/// The narrowest page that is laid out.
pub(crate) const MIN_WIDTH: usize = 40;
const ELLIPSIS: &str = "…";

/// Columns taken, summed by character: for some emoji a little more than a terminal draws.
fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Splits after as many characters as fit into `width`.
fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > width {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// A line that starts with `::` is an order to the GitHub job runner; it looks for it behind blanks.
fn defused(line: &str) -> String {
    match line.strip_prefix("::") {
        Some(rest) => format!("∶:{rest}"),
        None => line.to_owned(),
    }
}

/// The text, cleaned, without blanks around it, in at most `width` columns; what does not fit is cut and marked with `…`.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let text = clean(text);
    let text = text.trim();
    if text.width() <= width {
        return defused(text);
    }
    let (head, _) = split_at_width(text, width.saturating_sub(ELLIPSIS.width()));
    defused(&format!("{}{ELLIPSIS}", head.trim_end()))
}

/// [`fit`], filled up with blanks to exactly `width`.
pub(super) fn pad(text: &str, width: usize, right: bool) -> String {
    let text = fit(text, width);
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    if right { blanks + &text } else { text + &blanks }
}

/// The text, cleaned, in lines of at most `width` columns, broken between words where that is
/// possible. Of more than `most` lines the last one is cut and marked with `…`.
pub(super) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = clean(text);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split_whitespace();
    let mut pending = words.next();
    while let Some(word) = pending {
        let gap = usize::from(!line.is_empty());
        if line.width() + gap + word.width() <= width {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            pending = words.next();
        } else if line.is_empty() {
            // A word longer than a line is broken; at least one character goes, or it never ends.
            let first = word.chars().next().map_or(0, char::len_utf8);
            let (head, _) = split_at_width(word, width);
            let (head, rest) = word.split_at(head.len().max(first));
            line.push_str(head);
            pending = Some(rest).filter(|rest| !rest.is_empty()).or_else(|| words.next());
        } else {
            lines.push(std::mem::take(&mut line));
        }
        if lines.len() > most {
            break;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = fit(&format!("{last}{ELLIPSIS}"), width);
        }
    }
    lines.iter().map(|line| defused(line)).collect()
}

/// Parts joined with ` · `, broken between parts where that is possible.
pub(super) fn flow(parts: &[String], width: usize, most: usize) -> Vec<String> {
    const JOIN: &str = " · ";
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().map(|part| clean(part)).filter(|part| !part.trim().is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + JOIN.width() + part.width() <= width => {
                line.push_str(JOIN);
                line.push_str(&part);
            }
            _ => lines.extend(wrap(&part, width, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_marked_and_counts_wide_letters_as_two() {
        assert_eq!(fit("notebook", 8), "notebook");
        assert_eq!(fit("notebook-1", 8), "noteboo…");
        assert_eq!(fit("日本語日本語", 7), "日本語…");
        assert_eq!(pad("日本", 6, true), "  日本");
    }

    #[test]
    fn words_are_kept_whole_where_they_can_be() {
        assert_eq!(wrap("no owner tag was found", 10, 9), ["no owner", "tag was", "found"]);
        assert_eq!(wrap("aaaaaaaaaaaa b", 5, 9), ["aaaaa", "aaaaa", "aa b"]);
        assert_eq!(wrap("one two three four", 5, 2), ["one", "two…"]);
        assert!(wrap("", 5, 2).is_empty());
    }

    #[test]
    fn parts_are_kept_whole_where_they_can_be() {
        let parts = ["2 orphans", "2,520.00 EUR", "left"].map(str::to_owned);
        assert_eq!(flow(&parts, 26, 9), ["2 orphans · 2,520.00 EUR", "left"]);
    }

    #[test]
    fn no_line_can_start_with_an_order_to_the_job_runner() {
        assert_eq!(fit(" ::error::x", 40), "∶:error::x");
        assert_eq!(fit("::stop-commands::x", 40), "∶:stop-commands::x");
        assert_eq!(wrap("aa ::error::x", 11, 9), ["aa", "∶:error::x"]);
    }
}
