//! A whole answer: status, headers, and a body of bounded size; and what of it people may see.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

/// Headers under which providers and their gateways send the id of a request.
const REQUEST_IDS: [&str; 5] =
    ["x-request-id", "request-id", "x-ovh-queryid", "x-amzn-requestid", "cf-ray"];
/// Longest excerpt of a body.
const EXCERPT: usize = 120;

/// An answer, read to its end.
#[derive(Clone)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Answer {
    /// A header as text, if there is one and it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The provider's id of the request, where a header carries it.
    pub fn request_id(&self) -> Option<&str> {
        REQUEST_IDS.iter().find_map(|name| self.header(name))
    }

    /// The body as JSON. The error's text may quote the body: not for people.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }

    /// The first words of the body for people: one line, without HTML.
    pub fn excerpt(&self) -> String {
        // Only the head is looked at; the rest cannot change the first words.
        let head = &self.body[..self.body.len().min(64 << 10)];
        let text = String::from_utf8_lossy(head);
        let text =
            if text.trim_start().starts_with('<') { without_tags(&text) } else { text.into() };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

impl fmt::Debug for Answer {
    /// Without the body, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// The text between tags; scripts and styles are dropped whole.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        text.push(' ');
        rest = &rest[start..];
        let name: String = rest[1..]
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect::<String>()
            .to_ascii_lowercase();
        if matches!(name.as_str(), "script" | "style") {
            let end = rest.to_ascii_lowercase().find(&format!("</{name}"));
            rest = end.map_or("", |end| &rest[end..]);
        }
        rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Answer {
        Answer {
            status: StatusCode::BAD_GATEWAY,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        }
    }

    #[test]
    fn fl_071_an_excerpt_shows_no_html() {
        let page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><STYLE>a{b:c}</STYLE>\
                    <script>let a = '<b>';</script></head><body><h1>Sorry</h1><p>open";
        assert_eq!(answer(page).excerpt(), "502 Bad Gateway Sorry open");
        assert_eq!(answer("<br").excerpt(), "");
        assert_eq!(answer("").excerpt(), "");
    }

    #[test]
    fn an_excerpt_is_one_bounded_line() {
        let long = answer(&"ä\n".repeat(500)).excerpt();
        assert_eq!(long.chars().count(), EXCERPT + 1);
        assert!(!long.contains('\n') && long.ends_with('…'));
    }
}
