//! XML written straight into one buffer: a page of 1,000 machines is several megabytes.

use std::fmt::{Display, Write as _};

use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use quick_xml::escape::escape;

use crate::wire::Reply;

pub(crate) const EC2_NAMESPACE: &str = "http://ec2.amazonaws.com/doc/2016-11-15/";
pub(crate) const STS_NAMESPACE: &str = "https://sts.amazonaws.com/doc/2011-06-15/";

/// A document being written.
#[derive(Debug)]
pub(crate) struct Xml(String);

impl Xml {
    /// A document with an XML declaration, as EC2 sends it.
    pub(crate) fn document(write: impl FnOnce(&mut Self)) -> Self {
        let mut xml = Self("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned());
        write(&mut xml);
        xml
    }

    /// A document without one, as STS sends it.
    pub(crate) fn bare(write: impl FnOnce(&mut Self)) -> Self {
        let mut xml = Self(String::new());
        write(&mut xml);
        xml
    }

    /// The answer of an EC2 operation: `<NAMEResponse>` with the request id first.
    pub(crate) fn ec2(operation: &str, request_id: &str, write: impl FnOnce(&mut Self)) -> Self {
        Self::document(|xml| {
            xml.rooted(&format!("{operation}Response"), EC2_NAMESPACE, |xml| {
                xml.leaf("requestId", request_id);
                write(xml);
            });
        })
    }

    /// As an answer.
    pub(crate) fn reply(self, status: StatusCode) -> Reply {
        Reply::new(status, "text/xml;charset=UTF-8", self.0)
    }

    /// An element with a namespace.
    pub(crate) fn rooted(&mut self, name: &str, namespace: &str, write: impl FnOnce(&mut Self)) {
        self.raw(["<", name, " xmlns=\"", namespace, "\">"]);
        write(self);
        self.raw(["</", name, ">"]);
    }

    /// An element with whatever `write` puts into it; `<name/>` when that is nothing.
    pub(crate) fn node(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.raw(["<", name, ">"]);
        let before = self.0.len();
        write(self);
        if self.0.len() == before {
            self.0.pop();
            self.0.push_str("/>");
        } else {
            self.raw(["</", name, ">"]);
        }
    }

    /// A set: one `<item>` for each.
    pub(crate) fn set<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.node(name, |xml| {
            for item in items {
                xml.node("item", |xml| write(xml, item));
            }
        });
    }

    /// An element with text.
    pub(crate) fn leaf(&mut self, name: &str, text: &str) {
        self.node(name, |xml| xml.0.push_str(&escape(text)));
    }

    /// An element with text, or none at all.
    pub(crate) fn maybe(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.leaf(name, text);
        }
    }

    /// An element with a number or a boolean.
    pub(crate) fn value(&mut self, name: &str, value: impl Display) {
        self.raw(["<", name, ">"]);
        // Writing to a String cannot fail.
        let _: std::fmt::Result = write!(self.0, "{value}");
        self.raw(["</", name, ">"]);
    }

    /// An element with a time, to the millisecond, in UTC.
    pub(crate) fn time(&mut self, name: &str, time: DateTime<Utc>) {
        self.leaf(name, &timestamp(time));
    }

    /// Markup that is the same every time.
    pub(crate) fn fixed(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Makes room for so many bytes more.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.0.reserve(bytes);
    }

    fn raw<const N: usize>(&mut self, parts: [&str; N]) {
        for part in parts {
            self.0.push_str(part);
        }
    }
}

/// A time as EC2 writes it.
pub(crate) fn timestamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
