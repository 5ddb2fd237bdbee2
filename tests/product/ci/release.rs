//! The release archive on a real HTTPS server, in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::variable;

/// A served archive; ends with this value.
pub(super) struct Release {
    child: Child,
    folder: TempDir,
    /// Its address.
    pub(super) url: String,
    /// Its SHA-256.
    pub(super) sha256: String,
}

impl Release {
    /// An archive with the binary in it: as a link, which spares the copying.
    pub(super) fn serve() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let binary = folder.path().join("reaper");
        std::os::unix::fs::symlink(variable("REAPER_BIN"), binary).expect("a link");
        let archive = folder.path().join("reaper.tar.gz");
        let packed = Command::new("tar")
            .arg("-czf")
            .arg(&archive)
            .arg("-C")
            .arg(folder.path())
            .arg("reaper")
            .status();
        assert!(packed.expect("tar").success());
        let mut child = Command::new(variable("REAPER_TEST_PYTHON"))
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/python/file_server.py"))
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let stdout = child.stdout.take().expect("piped");
        let line = BufReader::new(stdout).lines().next().expect("it says where it listens");
        let said: Value = serde_json::from_str(&line.expect("readable")).expect("one JSON line");
        let port = said["port"].as_u64().expect("a port");
        let sha256 = said["sha256"]["reaper.tar.gz"].as_str().expect("a digest").to_owned();
        Self { child, folder, url: format!("https://localhost:{port}/reaper.tar.gz"), sha256 }
    }

    /// The certificate to trust.
    pub(super) fn certificate(&self) -> String {
        let path: &Path = self.folder.path();
        path.join("certificate.pem").display().to_string()
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        // The script ends when its standard input closes; killing it is for one that hangs.
        drop(self.child.stdin.take());
        if self.child.wait().is_err() {
            let _ = self.child.kill();
        }
    }
}
