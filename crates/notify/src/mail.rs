//! One mail to one recipient, and its form on the wire. The same mail gives the same bytes.

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::time::SystemTime;

use chrono::{DateTime, Datelike as _, Utc};
use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, MultiPartKind, SinglePart};
use sha2::{Digest as _, Sha256};

use crate::address::Address;
use crate::field::COLUMNS;
use crate::words::{short, wrapped};

/// Characters of a subject or a display name; headers are one line.
const LONGEST_HEADER: usize = 180;

/// Characters of the reason for which a mail is reduced: server's words may be in it.
pub(crate) const LONGEST_REASON: usize = 300;

/// The stable name of a mail: the part of its Message-ID before the `@`. Whoever gets the same mail
/// twice can see that it is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

/// The text cannot be the key of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key of a mail is 1 to 120 of the characters a-z, A-Z, 0-9, `.`, `_` and `-`")]
pub struct KeyError;

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if (1..=120).contains(&text.len()) && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(KeyError)
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One mail to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its stable name.
    pub key: Key,
    /// Its only recipient.
    pub to: Address,
    /// What its `Date` says.
    pub at: DateTime<Utc>,
    /// Cleaned and shortened when written.
    pub subject: String,
    /// The plain part.
    pub text: String,
    /// The HTML part, complete.
    pub html: String,
    /// The mail that this one follows up on.
    pub references: Option<Key>,
    /// What it alerts of, the same for all recipients and all tries: `X-Reaper-Alert`, by which
    /// receivers can drop doubles. Cleaned and shortened when written.
    pub alert: Option<String>,
    /// Set for mail that goes out regularly, whatever happened.
    pub list: Option<List>,
    /// Pictures that the HTML part shows.
    pub images: Vec<Image>,
    /// What does not fit into the parts.
    pub attachment: Option<Attachment>,
    /// What is sent instead where the whole is larger than the server takes.
    pub reduced: Option<Box<Reduced>>,
}

/// A kind of regular mail, by which mail programs sort it: `List-Id` and `List-Unsubscribe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Its name, ours: letters and hyphens.
    pub name: &'static str,
    /// Who takes a reader off it; `None`: whoever gets answers to our mail.
    pub unsubscribe: Option<Address>,
}

/// A picture in the HTML part, which refers to it as `cid:…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The name behind `cid:`, ours.
    pub id: &'static str,
    /// The file's name, ours.
    pub name: &'static str,
    /// PNG.
    pub png: Vec<u8>,
}

/// The parts of a mail without pictures and files. Each consists of what stands before and behind
/// the reason for which it is reduced, which is known only when it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// The plain part.
    pub text: [String; 2],
    /// The HTML part, complete.
    pub html: [String; 2],
}

/// A file in a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, ours.
    pub name: &'static str,
    /// CSV, UTF-8.
    pub csv: String,
}

/// Whom mail comes from.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    pub(crate) from: Address,
    pub(crate) name: Option<String>,
    pub(crate) reply_to: Option<Address>,
}

/// The mail cannot be written down.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComposeError {
    #[error("the mail's date lies outside the years 1970 to 9999")]
    Date,
    #[error("the mail cannot be composed: {0}")]
    Form(#[from] lettre::error::Error),
}

impl Mail {
    /// The mail as it goes over the wire.
    pub(crate) fn compose(&self, sender: &Sender) -> Result<Vec<u8>, ComposeError> {
        if !(1970..=9999).contains(&self.at.year()) {
            return Err(ComposeError::Date);
        }
        let id = |key: &Key| format!("<{key}@{}>", sender.from.domain());
        let name = sender.name.as_deref().map(|name| short(name, LONGEST_HEADER));
        let mut message = Message::builder()
            .from(Mailbox::new(name, sender.from.on_the_wire().clone()))
            .to(Mailbox::new(None, self.to.on_the_wire().clone()))
            .subject(short(&self.subject, LONGEST_HEADER))
            .date(SystemTime::from(self.at))
            .message_id(Some(id(&self.key)))
            // No answers from holiday responders (RFC 3834), nor from those that know only the other.
            .raw_header(raw("Auto-Submitted", "auto-generated"))
            .raw_header(raw("X-Auto-Response-Suppress", "All"));
        if let Some(reply_to) = &sender.reply_to {
            message = message.reply_to(Mailbox::new(None, reply_to.on_the_wire().clone()));
        }
        if let Some(root) = &self.references {
            message = message.references(id(root));
        }
        if let Some(alert) = &self.alert {
            message = message.raw_header(raw("X-Reaper-Alert", &short(alert, LONGEST_HEADER)));
        }
        if let Some(List { name, unsubscribe }) = &self.list {
            let from = &sender.from;
            let to = unsubscribe.as_ref().or(sender.reply_to.as_ref()).unwrap_or(from);
            // Angle brackets and an address that was checked: RFC 2919 and RFC 2369.
            message = message
                .raw_header(raw("List-Id", &format!("<{name}.{}>", from.domain())))
                .raw_header(raw("List-Unsubscribe", &format!("<{}>", mailto(to, name))));
        }
        let message = message.multipart(self.parts())?;
        Ok(message.formatted())
    }

    /// The mail without pictures and files, where there is such a form of it.
    ///
    /// `why` is a clause for the recipient: what is too large, and for whom.
    pub fn reduced(&self, why: &str) -> Option<Self> {
        let Reduced { text: [text, text_end], html: [html, html_end] } = self.reduced.as_deref()?;
        let why = short(why, LONGEST_REASON);
        Some(Self {
            text: format!("{text}{}{text_end}", wrapped(&why, COLUMNS).join("\n")),
            html: format!("{html}{}{html_end}", escaped(&why)),
            images: Vec::new(),
            attachment: None,
            reduced: None,
            ..self.clone()
        })
    }

    /// mixed( alternative( text, related( html, pictures ) ), file ), without the layers that hold
    /// one part alone.
    fn parts(&self) -> MultiPart {
        let alternative =
            self.part(&MultiPartKind::Alternative).singlepart(SinglePart::plain(self.text.clone()));
        let html = SinglePart::html(self.html.clone());
        let alternative = if self.images.is_empty() {
            alternative.singlepart(html)
        } else {
            let related = self.part(&MultiPartKind::Related).singlepart(html);
            alternative.multipart(self.images.iter().fold(related, |related, image| {
                let (id, name) = (image.id.to_owned(), image.name.to_owned());
                let file = lettre::message::Attachment::new_inline_with_name(id, name);
                related.singlepart(file.body(image.png.clone(), of_type("image/png")))
            }))
        };
        match &self.attachment {
            None => alternative,
            Some(Attachment { name, csv }) => {
                let file = lettre::message::Attachment::new((*name).to_owned());
                let file = file.body(csv.clone(), of_type("text/csv; charset=utf-8"));
                self.part(&MultiPartKind::Mixed).multipart(alternative).singlepart(file)
            }
        }
    }

    /// A boundary that no text can hold on purpose, because it depends on the text.
    fn part(&self, kind: &MultiPartKind) -> MultiPart {
        let mut hash = Sha256::new();
        let csv = self.attachment.as_ref().map_or("", |attachment| &attachment.csv);
        for text in [&format!("{kind:?}"), &self.key.0, &self.text, &self.html, csv] {
            hash.update(text);
        }
        let mut head = [0; 16];
        head.copy_from_slice(&hash.finalize()[..16]);
        let boundary = format!("=_{:032x}", u128::from_be_bytes(head));
        MultiPart::builder().kind(kind.clone()).boundary(boundary).build()
    }
}

/// `mailto:team@example.org?subject=unsubscribe%20reaper-weekly`.
fn mailto(to: &Address, list: &str) -> String {
    // What an address may hold and a URL may not.
    let mut path = String::new();
    for byte in to.to_string().bytes() {
        if byte.is_ascii_alphanumeric() || b"@.-_+~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    format!("mailto:{path}?subject=unsubscribe%20{list}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn of_type(text: &str) -> ContentType {
    ContentType::parse(text).unwrap_or(ContentType::TEXT_PLAIN)
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail() -> Mail {
        Mail {
            key: "case-1.notice".parse().expect("a key"),
            to: "alice@example.org".parse().expect("an address"),
            at: "2026-12-01T08:00:00Z".parse().expect("a time"),
            subject: "reaper: Überwachung".to_owned(),
            text: "Hello.\n".to_owned(),
            html: "<p>Hello.</p>".to_owned(),
            references: None,
            alert: None,
            list: None,
            images: Vec::new(),
            attachment: None,
            reduced: None,
        }
    }

    fn sender() -> Sender {
        Sender {
            from: "reaper@example.org".parse().expect("an address"),
            name: Some("reaper".to_owned()),
            reply_to: None,
        }
    }

    fn composed(mail: &Mail) -> String {
        String::from_utf8(mail.compose(&sender()).expect("composes")).expect("UTF-8")
    }

    #[test]
    fn the_same_mail_gives_the_same_bytes() {
        assert_eq!(composed(&mail()), composed(&mail()));
    }

    #[test]
    fn the_date_is_the_one_that_was_handed_in() {
        assert!(composed(&mail()).contains("\r\nDate: Tue, 01 Dec 2026 08:00:00 +0000\r\n"));
        let old = Mail { at: "1969-12-31T23:59:59Z".parse().expect("a time"), ..mail() };
        assert!(matches!(old.compose(&sender()), Err(ComposeError::Date)));
    }

    #[test]
    fn message_ids_are_stable_and_follow_ups_refer_to_them() {
        let follow_up = Mail { references: Some("case-1".parse().expect("a key")), ..mail() };
        let written = composed(&follow_up);
        assert!(written.contains("\r\nMessage-ID: <case-1.notice@example.org>\r\n"), "{written}");
        assert!(written.contains("\r\nReferences: <case-1@example.org>\r\n"), "{written}");
    }

    #[test]
    fn fl_115_what_is_alerted_has_a_header_of_its_own() {
        assert!(!composed(&mail()).contains("X-Reaper-Alert"));
        let alerting = |alert: &str| composed(&Mail { alert: Some(alert.to_owned()), ..mail() });
        let written = alerting("all-gpu/2026-11/actual/80%");
        assert!(
            written.contains("\r\nX-Reaper-Alert: all-gpu/2026-11/actual/80%\r\n"),
            "{written}"
        );
        let written = alerting("x\r\nBcc: thief@example.net");
        assert!(!written.contains("\r\nBcc"), "{written}");
    }

    #[test]
    fn fl_134_the_headers_of_a_list_hold_an_address_and_nothing_else() {
        let list = |address: &str| List {
            name: "reaper-weekly",
            unsubscribe: Some(address.parse().expect("an address")),
        };
        let written = |address: &str| composed(&Mail { list: Some(list(address)), ..mail() });
        let plain = written("gpu-team@example.org");
        assert!(plain.contains("\r\nList-Id: <reaper-weekly.example.org>\r\n"), "{plain}");
        assert!(plain.contains("\r\nList-Unsubscribe: <mailto:gpu-team@example.org?subject="));
        assert!(
            written("a?b&c=d%e@example.org").contains("<mailto:a%3Fb%26c%3Dd%25e@example.org?")
        );
        let nobody = List { unsubscribe: None, ..list("a@example.org") };
        let nobody = composed(&Mail { list: Some(nobody), ..mail() });
        assert!(nobody.contains("List-Unsubscribe: <mailto:reaper@example.org?"), "{nobody}");
    }

    #[test]
    fn fl_134_a_key_holds_nothing_that_could_end_a_header() {
        for text in ["", "a b", "a@b", "a>\r\nBcc: x", "ä", &"a".repeat(121)] {
            assert_eq!(text.parse::<Key>(), Err(KeyError), "{text:?}");
        }
    }

    #[test]
    fn the_boundary_changes_with_the_text() {
        let boundary = |mail: &Mail| {
            let written = composed(mail);
            let at = written.find("boundary=\"").expect("a boundary");
            written[at..].split('"').nth(1).expect("quoted").to_owned()
        };
        let other = Mail { text: format!("--{}\n", boundary(&mail())), ..mail() };
        assert_ne!(boundary(&mail()), boundary(&other));
    }
}
