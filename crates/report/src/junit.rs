//! The document as `JUnit` XML, for the test tabs of CI systems: what has to be looked at is red there.
//!
//! | suite | cases | red |
//! | --- | --- | --- |
//! | `run` | an old picture, a cut-off run, the brake | error where it applies |
//! | `aws/research/eu-west-1`, one per scope | the reading of the scope, then its machines | error where it was not read in full; failure per orphan |
//! | `leftovers` | what nobody uses and costs money, the first 1,000 | never: no rule asked for it |
//! | `budgets` | each budget | failure where a threshold is reached, error where something is missing |
//! | `mails` | each mail | error where it was not delivered |
//!
//! Exempt, protected and managed machines, scopes that are not asked, and what was left behind are
//! skipped with their reason. A machine that could not be judged is skipped as well, and an error where that made the
//! run incomplete. Times come from the document, so equal documents give equal bytes; no case has a
//! duration.

mod cases;
mod leftovers;
mod machines;
#[cfg(test)]
mod tests;

use std::io;

use quick_junit::{Report, SerializeError};
use reaper_model::AuditDocument;

/// Writes the document as `JUnit` XML.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn junit(doc: &AuditDocument, out: &mut impl io::Write) -> io::Result<()> {
    let mut report = Report::new("reaper");
    report.set_timestamp(doc.now);
    report.add_test_suite(cases::run(doc));
    report.add_test_suites(machines::suites(doc));
    report.add_test_suites(leftovers::suite(doc));
    report.add_test_suites(cases::budgets(doc));
    report.add_test_suites(cases::mails(doc));
    let mut written = Vec::new();
    report.serialize(&mut written).map_err(|error: SerializeError| io::Error::other(error))?;
    out.write_all(&written)
}
