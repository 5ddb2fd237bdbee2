//! The formats by name, and the one way to write any of them.

use std::io;

use reaper_model::AuditDocument;

use crate::{TableOptions, csv, json, junit, markdown, page, table};

/// How an audit document can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal.
    Table,
    /// For programs: the document itself.
    Json,
    /// GitHub flavoured, for job summaries and comments.
    Markdown,
    /// A page for a browser that loads nothing.
    Html,
    /// For spreadsheets: the machines, one a row.
    Csv,
    /// For the test tabs of CI systems: machines, scopes, budgets and mails as test cases.
    Junit,
}

/// Writes the document in a format; `options` count for [`Format::Table`] alone.
///
/// # Errors
/// Whatever the writer answers, with its kind, so that a closed pipe can be told from a full disk.
pub fn write(
    doc: &AuditDocument,
    format: Format,
    options: &TableOptions,
    out: &mut impl io::Write,
) -> io::Result<()> {
    match format {
        Format::Table => out.write_all(table(doc, options).as_bytes()),
        Format::Json => json(doc, out),
        Format::Markdown => out.write_all(markdown(doc).as_bytes()),
        Format::Html => page(doc, out),
        Format::Csv => csv(doc, out),
        Format::Junit => junit(doc, out),
    }
}
