//! Standard output on a GitHub runner: it obeys `::commands::` at the start of any line, so a
//! listing of names that others chose stands between two lines that switch this off and on.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};

use super::orders::token;

/// Standard output whose text is no order to the runner.
#[derive(Debug)]
pub(crate) struct Fence {
    out: BufWriter<Stdout>,
    token: String,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing was written yet.
    Before,
    /// Inside; whether at the start of a line.
    Inside { line_start: bool },
    /// The end is written.
    After,
}

impl Fence {
    pub(crate) fn new() -> Self {
        Self { out: BufWriter::new(io::stdout()), token: token(), state: State::Before }
    }

    /// Ends it, and hands everything on.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        if let State::Inside { line_start } = self.state {
            self.state = State::After;
            let turn = if line_start { "" } else { "\n" };
            writeln!(self.out, "{turn}::{}::", self.token)?;
        }
        self.out.flush()
    }
}

impl Write for Fence {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.state == State::Before && !bytes.is_empty() {
            writeln!(self.out, "::stop-commands::{}", self.token)?;
            self.state = State::Inside { line_start: true };
        }
        let written = self.out.write(bytes)?;
        if let Some(last) = bytes[..written].last() {
            self.state = State::Inside { line_start: *last == b'\n' };
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // Where writing broke off, the runner must heed us again; nobody is left to tell otherwise.
        let _ = self.end();
    }
}

/// Whether standard output goes into a file: a file obeys nobody, and a report in it is kept as it
/// is.
pub(super) fn stdout_is_a_file() -> bool {
    standard_output().and_then(|file| file.metadata()).is_ok_and(|there| there.is_file())
}

#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd as _;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<File> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
