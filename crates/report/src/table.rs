//! The table for people at a terminal: the headline and whatever is missing first, then what was or
//! would be done and who was told, then what a weekly report tells besides, then the budgets, then the
//! orphans, what was left behind and what would do for less, then everybody else, then who spent how
//! much, then what the figures stand on.

mod actions;
mod budgets;
mod fields;
mod footer;
mod head;
mod leftovers;
mod machines;
#[cfg(test)]
mod tests;
mod week;

use reaper_model::AuditDocument;

use crate::layout::{Page, TableOptions};

/// The document for people at a terminal.
///
/// No line is wider than `options.width`, and no text from outside can move the cursor, recolour
/// or hide anything. Columns that do not fit stand below their row; nothing but over-long names
/// and explanations is cut, and a cut is marked with `…`.
pub fn table(doc: &AuditDocument, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    head::write(&mut page, doc);
    actions::write(&mut page, doc);
    actions::write_waiting(&mut page, doc);
    actions::write_mails(&mut page, doc);
    week::write(&mut page, doc);
    budgets::write(&mut page, doc);
    machines::write_orphans(&mut page, doc);
    leftovers::write(&mut page, doc);
    leftovers::write_advice(&mut page, doc);
    machines::write_others(&mut page, doc);
    budgets::write_spend(&mut page, doc);
    budgets::write_bills(&mut page, doc);
    footer::write(&mut page, doc);
    page.finish()
}
