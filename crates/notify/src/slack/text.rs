//! Text from outside as Slack shows it: cleaned, cut, and with nothing in it that Slack would take
//! for a link, a mention or a format.

use crate::words::outside;

/// Plain text in a message: at most `most` characters before what is escaped.
pub(super) fn plain(text: &str, most: usize) -> String {
    let text = outside(text, most);
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            // What begins or ends bold, struck or fixed text, by its twin that does not.
            '*' => shown.push('\u{2217}'),
            '~' => shown.push('\u{223c}'),
            '`' => shown.push('\u{2cb}'),
            // Inside of a word it is a letter like others.
            '_' if !(is_letter(before) && rest.peek().copied().is_some_and(is_letter)) => {
                shown.push('\u{ff3f}');
            }
            c => shown.push(c),
        }
        before = c;
    }
    shown
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The header, which is also what a notification shows. One is plain and the other is not, so it
/// holds none of the characters that only one of them would unescape.
pub(super) fn header(text: &str, most: usize) -> String {
    let shown = outside(text, most).replace('<', "‹").replace('>', "›").replace('&', "＆");
    // The mark where something was taken out can make it longer again.
    shown.chars().take(most).collect()
}

/// A name or an id: fixed, so that it can be copied as it is.
pub(super) fn code(text: &str, most: usize) -> String {
    let text = outside(text, most);
    // Blank code is no code to Slack.
    let text = if text.trim().is_empty() { "-".to_owned() } else { text };
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("`{}`", escaped.replace('`', "\u{2cb}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_133_mentions_links_and_formats_are_text() {
        for (text, shown) in [
            ("<!channel> & <@U123>", "&lt;!channel&gt; &amp; &lt;@U123&gt;"),
            ("<https://evil.example|log in>", "&lt;https:⟨2f⟩/evil.example|log in&gt;"),
            ("*bold* ~struck~ `fixed`", "∗bold∗ ∼struck∼ ˋfixedˋ"),
            ("_slanted_ gpu_1x_h100", "＿slanted＿ gpu_1x_h100"),
            ("a\r\n\u{202e}b", "a⟨d⟩⟨a⟩⟨202e⟩b"),
        ] {
            assert_eq!(plain(text, 60), shown);
        }
        assert_eq!(code("a`b<!here>", 60), "`aˋb&lt;!here&gt;`");
        assert_eq!(code(" ", 60), "`-`");
    }

    #[test]
    fn fl_133_a_header_is_the_same_plain_or_not() {
        assert_eq!(header("<!channel> & more", 60), "‹!channel› ＆ more");
        assert_eq!(header(&"://".repeat(100), 10).chars().count(), 10);
    }

    #[test]
    fn a_cut_counts_what_is_read_and_is_marked() {
        assert_eq!(plain(&"&".repeat(9_000), 5), "&amp;&amp;&amp;&amp;…");
    }
}
