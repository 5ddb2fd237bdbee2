//! A message of blocks within Slack's limits. Beyond the documented ones there is one for the whole,
//! which nobody documents: about 13,000 characters, so that a message here has fewer than 10,000.

use serde_json::{Value, json};

/// Characters of the whole request.
pub(super) const MOST: usize = 9_999;
/// Blocks of a message.
pub(super) const MOST_BLOCKS: usize = 50;
/// Characters of a header.
pub(super) const MOST_HEADER: usize = 150;
/// Characters of a section.
pub(super) const MOST_SECTION: usize = 3_000;
/// Rows of all lists together.
pub(super) const MOST_ROWS: usize = 20;
/// Rows that each list gets before others get more.
const FAIR: usize = 3;

/// What a message says. All lines are escaped and cut, and far shorter than a section.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// The header, which knows no escapes; also what a notification shows.
    pub(super) title: String,
    /// What stands before the lists.
    pub(super) lead: Vec<String>,
    pub(super) lists: Vec<List>,
    /// The last line, in small print.
    pub(super) foot: String,
}

/// Rows of one kind.
#[derive(Debug)]
pub(super) struct List {
    pub(super) title: String,
    /// What holds for all rows.
    pub(super) note: Option<String>,
    pub(super) rows: Vec<String>,
}

/// The request's body. It shows as many rows as fit, and says how many there are.
pub(super) fn message(text: &Text) -> String {
    let all = text.lists.iter().map(|list| list.rows.len()).sum::<usize>();
    let mut rows = MOST_ROWS.min(all);
    loop {
        let message = with_rows(text, rows).to_string();
        if rows == 0 || message.chars().count() <= MOST {
            return message;
        }
        rows -= 1;
    }
}

fn with_rows(text: &Text, rows: usize) -> Value {
    let mut blocks = vec![json!({
        "type": "header",
        "text": { "type": "plain_text", "text": text.title, "emoji": false },
    })];
    blocks.extend(sections(&text.lead));
    for (list, shown) in text.lists.iter().zip(shares(&text.lists, rows)) {
        let of = list.rows.len();
        let count = if shown < of { format!("{shown} of {of} shown") } else { of.to_string() };
        let mut lines = vec![format!("*{}* ({count})", list.title)];
        lines.extend(list.note.clone());
        lines.extend(list.rows[..shown].iter().map(|row| format!("• {row}")));
        blocks.extend(sections(&lines));
    }
    if !text.foot.is_empty() {
        blocks.push(json!({ "type": "context", "elements": [mrkdwn(&text.foot)] }));
    }
    blocks.truncate(MOST_BLOCKS);
    json!({
        "text": text.title,
        "blocks": blocks,
        "unfurl_links": false,
        "unfurl_media": false,
    })
}

/// How many rows each list gets: a few each, then as they come.
fn shares(lists: &[List], rows: usize) -> Vec<usize> {
    let mut left = rows;
    let mut shares: Vec<usize> = lists
        .iter()
        .map(|list| {
            let share = list.rows.len().min(FAIR).min(left);
            left -= share;
            share
        })
        .collect();
    for (share, list) in shares.iter_mut().zip(lists) {
        let more = (list.rows.len() - *share).min(left);
        *share += more;
        left -= more;
    }
    shares
}

/// Lines as sections, none longer than one may be.
fn sections(lines: &[String]) -> Vec<Value> {
    let mut texts: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        match texts.last_mut() {
            Some(text) if text.chars().count() + 1 + line.chars().count() <= MOST_SECTION => {
                text.push('\n');
                text.push_str(line);
            }
            _ => texts.push(line.clone()),
        }
    }
    texts.iter().map(|text| json!({ "type": "section", "text": mrkdwn(text) })).collect()
}

/// Verbatim: Slack is not to look for links and mentions by itself.
fn mrkdwn(text: &str) -> Value {
    json!({ "type": "mrkdwn", "text": text, "verbatim": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: usize) -> List {
        List { title: "t".to_owned(), note: None, rows: vec!["x".to_owned(); rows] }
    }

    #[test]
    fn every_list_gets_a_few_rows_and_the_first_the_rest() {
        assert_eq!(shares(&[list(100), list(100), list(1)], 20), [16, 3, 1]);
        assert_eq!(shares(&[list(2), list(4)], 20), [2, 4]);
        assert_eq!(shares(&[list(9), list(9)], 2), [2, 0]);
    }
}
