//! The document as JSON. Nothing is left out or replaced: what a terminal or a job runner might
//! obey is written as a JSON escape, which every reader turns back into the original.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::clean::suspects;

/// Writes any of our documents, indented, with a line break at the end, without building it in memory.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn json(doc: &impl Serialize, out: &mut impl io::Write) -> io::Result<()> {
    let formatter = EscapingFormatter { pretty: PrettyFormatter::new() };
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, formatter);
    doc.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

struct EscapingFormatter {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        let mut done = 0;
        for (at, hidden) in suspects(fragment) {
            writer.write_all(&fragment.as_bytes()[done..at])?;
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            done = at + hidden.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[done..])
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W>(&mut self, writer: &mut W, first: bool) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        self.pretty.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W>(&mut self, writer: &mut W, first: bool) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use proptest::prelude::*;
    use reaper_model::AuditDocument;

    use super::json;
    use crate::fixture;

    fn rendered(doc: &AuditDocument) -> String {
        let mut out = Vec::new();
        json(doc, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn it_reads_back_as_the_same_document() {
        for doc in [fixture::mixed(), fixture::nasty(), fixture::acted(), fixture::nothing_found()]
        {
            let text = rendered(&doc);
            assert_eq!(serde_json::from_str::<AuditDocument>(&text).expect("valid"), doc);
            assert!(text.ends_with("}\n"));
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back_and_none_is_raw(text in fixture::any_text()) {
            let doc = fixture::with_text(&text);
            let written = rendered(&doc);
            prop_assert_eq!(serde_json::from_str::<AuditDocument>(&written).expect("valid"), doc);
            prop_assert!(!written.contains(|c: char| c.is_control() && c != '\n'));
        }
    }

    #[test]
    fn fl_147_json_keeps_the_original_in_escaped_form() {
        let text = rendered(&fixture::nasty());
        assert!(text.contains(r"\u001b[31m"), "{text}");
        assert!(text.contains(r"\u202e"));
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7f}', '\u{9b}']));
    }

    #[test]
    fn fl_090_the_providers_word_for_a_state_stays_as_it_was() {
        assert!(rendered(&fixture::mixed()).contains(r#""provider_state": "stopped in place""#));
    }

    #[test]
    fn fl_148_a_closed_pipe_keeps_its_kind() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = json(&fixture::mixed(), &mut Closed).expect_err("closed");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
