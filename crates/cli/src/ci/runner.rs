//! The runner that a command works in, and what it is told when the command has its result.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use reaper_model::AuditDocument;

use super::annotations::{self, Kind};
use super::{fence, findings, outputs, summary};
use crate::environment::CiVariables;
use crate::failure::Failure;
use crate::printer::alert;

/// Where orders to the runner are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    /// Behind a listing that stood in a [`super::Fence`]: the runner reads both streams side by side,
    /// and on the other one it might not heed us yet.
    Stdout,
    /// Where standard output is data.
    Stderr,
}

/// What a CI runner wants to know. Without its variables nothing is done.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    summary: Option<PathBuf>,
    outputs: Option<PathBuf>,
    heeds_orders: bool,
    /// The least that is annotated.
    least: Kind,
}

impl Runner {
    pub(crate) fn new(ci: &CiVariables, quiet: bool) -> Self {
        Self {
            summary: ci.summary.clone(),
            outputs: ci.outputs.clone(),
            heeds_orders: ci.heeds_orders,
            least: if quiet { Kind::Error } else { Kind::Notice },
        }
    }

    /// Whether a listing on standard output would be read for orders.
    pub(crate) fn needs_fence(&self) -> bool {
        self.heeds_orders && !fence::stdout_is_a_file()
    }

    /// A command has its result; `report` is the file that it went to.
    pub(crate) fn tell(&self, document: &AuditDocument, report: Option<&Path>, channel: Channel) {
        self.summarise(|room| summary::of(document, room));
        self.output(&outputs::outputs(document, report));
        self.annotate(&findings::of(document), channel);
    }

    /// A command ended before it had anything to show.
    pub(crate) fn fail(&self, failure: &Failure) {
        let class = failure.class();
        self.summarise(|room| summary::of_failure(class.name(), &failure.text(false), room));
        self.output(&[("exit-code", class.exit_code().to_string())]);
        self.annotate(&[findings::of_failure(failure)], Channel::Stderr);
    }

    fn summarise(&self, markdown: impl FnOnce(usize) -> String) {
        let Some(path) = &self.summary else { return };
        let used = std::fs::metadata(path).map_or(0, |there| there.len());
        said("job summary", path, append(path, &markdown(summary::room(used))));
    }

    fn output(&self, values: &[(&'static str, String)]) {
        let Some(path) = &self.outputs else { return };
        said("outputs of the step", path, append(path, &outputs::text(values)));
    }

    fn annotate(&self, found: &[(Kind, String)], channel: Channel) {
        if !self.heeds_orders {
            return;
        }
        for line in annotations::lines(found, self.least) {
            match channel {
                // A closed pipe means that nobody reads them.
                Channel::Stdout => drop(writeln!(io::stdout(), "{line}")),
                Channel::Stderr => alert(&line),
            }
        }
    }
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
}

/// What the runner does not get is no reason to fail: the report is printed, the work is done.
fn said(what: &str, path: &Path, result: io::Result<()>) {
    if let Err(error) = result {
        alert(&format!("warning: the {what} cannot be written to {}: {error}", path.display()));
    }
}
