//! The machines of a document as CSV, one a row: for spreadsheets, and whole where a mail or a
//! summary shows the first of them only. What was left behind is a file of its own.
//!
//! CSV by RFC 4180, UTF-8, no byte order mark. An amount stands in a column of its own with a dot and
//! no signs of grouping, and its currency in the next; times are by RFC 3339; what is not known or
//! does not apply is an empty cell, never 0. Several texts in one cell are joined with `; `.
//! Columns keep their names and their order; new ones come at the end. A text of others that a
//! spreadsheet would take for a formula has `'` before it.

mod columns;
mod leftovers;
mod row;
#[cfg(test)]
mod tests;

use std::io;

use reaper_model::AuditDocument;
use reaper_model::document::MachineView;

use crate::cell::{self, kept};
use columns::COLUMNS;
use row::Rows;

pub use leftovers::leftovers_csv;

/// Writes all machines in the document's order, those that have ended included.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn csv(doc: &AuditDocument, out: &mut impl io::Write) -> io::Result<()> {
    csv_of(doc, doc.instances.iter(), out)
}

/// Writes some machines of the document, such as those of one owner.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn csv_of<'a>(
    doc: &'a AuditDocument,
    machines: impl Iterator<Item = &'a MachineView>,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let rows = Rows::of(doc);
    let mut writer = cell::writer(&mut *out);
    writer.write_record(COLUMNS.iter().map(|(name, _)| name)).map_err(kept)?;
    for machine in machines {
        let row = rows.row(machine);
        let cells = COLUMNS.iter().map(|(_, cell)| cell(&row).written());
        writer.write_record(cells).map_err(kept)?;
    }
    writer.flush()
}
