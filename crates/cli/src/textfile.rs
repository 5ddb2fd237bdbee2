//! The figures of a run for Prometheus, in a file that is replaced as a whole.

use std::path::Path;

use chrono::{DateTime, Utc};
use reaper_model::AuditDocument;
use reaper_report::{RunFigures, last_success, prometheus};

use crate::output::Output;

/// How a run ended.
pub(crate) struct Ended {
    /// When.
    pub(crate) at: DateTime<Utc>,
    /// After how many milliseconds.
    pub(crate) took: u64,
    /// Whether it was a success.
    pub(crate) well: bool,
}

/// Writes the figures of a run. One that failed keeps the time of the last success, which the file
/// before says.
///
/// # Errors
///
/// A sentence for a warning: figures are no reason to end a run otherwise than it did.
pub(crate) fn write(path: &Path, doc: &AuditDocument, ended: &Ended) -> Result<(), String> {
    let last_success = if ended.well {
        Some(ended.at)
    } else {
        // A file that is not there, or is not ours, knows of no success.
        std::fs::read_to_string(path).ok().and_then(|earlier| last_success(&earlier))
    };
    let run = RunFigures { finished_at: ended.at, duration_ms: ended.took, last_success };
    Output::file(path)
        .and_then(|mut out| {
            prometheus(doc, &run, &mut out)?;
            out.finish()
        })
        .map_err(|error| {
            format!("[notify.prometheus]: `{}` cannot be written: {error}", path.display())
        })
}
