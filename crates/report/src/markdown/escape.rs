//! Text that stays text in GitHub flavoured Markdown, inside and outside of tables.

/// Neutralises markup, HTML, table borders, formulas, and what GitHub would turn into links by
/// itself. Expects cleaned text on one line.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            '$' => out.push_str("&#36;"),
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            '.' if follows_www(text, at) => out.push_str("&#46;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

fn follows_www(text: &str, at: usize) -> bool {
    text.get(at.saturating_sub(3)..at).is_some_and(|word| word.eq_ignore_ascii_case("www"))
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn fl_133_markup_in_a_name_stays_text() {
        assert_eq!(
            escape(r#"<img src=x onerror="alert(1)">&</table>"#),
            r#"&lt;img src=x onerror="alert(1)"&gt;&amp;&lt;/table&gt;"#
        );
        assert_eq!(escape(r"a|b\|c"), r"a\|b\\\|c");
        assert_eq!(escape("`x` *b* _i_ ~s~ [l](u) #1"), r"\`x\` \*b\* \_i\_ \~s\~ \[l\](u) \#1");
    }

    #[test]
    fn fl_133_nothing_becomes_a_link_or_a_formula() {
        assert_eq!(
            escape("https://evil.example WWW.evil.example a@b.example $x$"),
            "https&#58;//evil.example WWW&#46;evil.example a&#64;b.example &#36;x&#36;"
        );
    }
}
