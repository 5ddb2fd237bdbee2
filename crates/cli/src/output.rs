//! Where data goes: standard output, or a file that is replaced only when all of it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::ci::Fence;

/// An opened output.
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output.
    Standard(BufWriter<Stdout>),
    /// Standard output, where a job runner would take what others have named for orders.
    Fenced(Fence),
    /// Something that is no plain file, such as a pipe or a device: written as it is.
    Special(BufWriter<File>),
    /// A file in the making, beside the one that it will replace.
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    /// Standard output.
    pub(crate) fn standard() -> Self {
        Self::Standard(BufWriter::new(io::stdout()))
    }

    /// A file; `-` is standard output. What is there stays until [`Output::finish`].
    pub(crate) fn file(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::standard());
        }
        // A link is written through, not replaced.
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_new| path.to_path_buf());
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if !there.is_file() => {
                Ok(Self::Special(BufWriter::new(OpenOptions::new().write(true).open(path)?)))
            }
            there => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let file = tempfile::Builder::new()
                    .permissions(ordinary())
                    .tempfile_in(folder.unwrap_or(Path::new(".")))?;
                if let Ok(there) = there {
                    file.as_file().set_permissions(there.permissions())?;
                }
                Ok(Self::File(BufWriter::new(file), path.clone()))
            }
        }
    }

    /// Everything is written: the file takes its place.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Standard(mut out) => out.flush(),
            Self::Fenced(fence) => fence.finish(),
            Self::Special(mut out) => out.flush(),
            Self::File(out, path) => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.persist(path).map(|_| ()).map_err(|error| error.error)
            }
        }
    }
}

/// A report is an ordinary file, as the user's mask allows; a temporary one would be private.
#[cfg(unix)]
fn ordinary() -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::Fenced(fence) => fence.write(bytes),
            Self::Special(out) => out.write(bytes),
            Self::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::Fenced(fence) => fence.flush(),
            Self::Special(out) => out.flush(),
            Self::File(out, _) => out.flush(),
        }
    }
}
