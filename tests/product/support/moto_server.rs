//! moto, the EC2 that others wrote, in a process of its own on a free port.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::variable;

/// A running moto with its seeded fleet; ends with this value.
pub(crate) struct Moto {
    child: Child,
    /// Its endpoint.
    pub(crate) url: String,
    /// What the seeding script made, by machine name.
    pub(crate) seeded: Value,
}

impl Moto {
    /// Starts moto and seeds it through boto3; returns when both are done.
    pub(crate) fn seeded() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/moto_fleet.py");
        let mut child = Command::new(variable("REAPER_TEST_PYTHON"))
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let stdout = child.stdout.take().expect("piped");
        let line = BufReader::new(stdout)
            .lines()
            .next()
            .expect("moto_fleet.py says where it listens")
            .expect("readable");
        let said: Value = serde_json::from_str(&line).expect("one JSON line");
        let url = said["url"].as_str().expect("a URL").to_owned();
        Self { child, url, seeded: said }
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // The script ends when its standard input closes; killing it is for one that hangs.
        drop(self.child.stdin.take());
        if self.child.wait().is_err() {
            let _ = self.child.kill();
        }
    }
}
