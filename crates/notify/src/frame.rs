//! What the forms of all mails share: their limit, their colours, and lists in the plain part.

use crate::field::COLUMNS;
use crate::words::wrapped;

/// Bytes of the HTML part. Beyond about 100 KB, Gmail cuts a mail off.
pub(crate) const MOST_HTML: usize = 80 * 1024;

/// A percent sign on a line of its own is read by nobody.
pub(crate) fn unbroken(html: &str) -> String {
    html.replace(" %", "&nbsp;%")
}

/// Items of a list in the plain part. Each is one or more paragraphs.
pub(crate) fn listed(items: impl IntoIterator<Item = Vec<String>>) -> Vec<String> {
    const INDENT: usize = 2;
    items
        .into_iter()
        .flat_map(|parts| {
            let lines: Vec<String> =
                parts.iter().flat_map(|part| wrapped(part, COLUMNS - INDENT)).collect();
            lines.into_iter().enumerate().map(|(index, line)| {
                let bullet = if index == 0 { "-" } else { "" };
                format!("{bullet:<INDENT$}{line}")
            })
        })
        .collect()
}
