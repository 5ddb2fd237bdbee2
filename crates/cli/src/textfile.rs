//! The figures of a run for Prometheus, in a file that is replaced as a whole.

use std::path::Path;

use chrono::{DateTime, Utc};
use reaper_model::AuditDocument;
use reaper_model::outcome::EXIT_FINDINGS;
use reaper_report::{RunFigures, last_success, prometheus};

use crate::output::Output;

/// Writes the figures of a run that ended at `finished_at`. A run that failed keeps the time of the
/// last success, which the file before says.
///
/// # Errors
///
/// A sentence for a warning: figures are no reason to end a run otherwise than it did.
pub(crate) fn write(
    path: &Path,
    doc: &AuditDocument,
    finished_at: DateTime<Utc>,
    duration_ms: u64,
) -> Result<(), String> {
    let succeeded = matches!(doc.outcome.exit_code, 0 | EXIT_FINDINGS);
    let last_success = if succeeded {
        Some(finished_at)
    } else {
        // A file that is not there, or is not ours, knows of no success.
        std::fs::read_to_string(path).ok().and_then(|earlier| last_success(&earlier))
    };
    let run = RunFigures { finished_at, duration_ms, last_success };
    Output::file(path)
        .and_then(|mut out| {
            prometheus(doc, &run, &mut out)?;
            out.finish()
        })
        .map_err(|error| {
            format!("[notify.prometheus]: `{}` cannot be written: {error}", path.display())
        })
}
