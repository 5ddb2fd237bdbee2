//! moto, the EC2 that others wrote, in a process of its own on a free port.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::variable;

/// What starts it, and what asks it.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/moto_fleet.py");

/// A running moto with its seeded fleet; ends with this value.
pub(crate) struct Moto {
    child: Child,
    python: String,
    /// Its endpoint.
    pub(crate) url: String,
    /// What the seeding script made, by machine name.
    pub(crate) seeded: Value,
}

impl Moto {
    /// Starts moto and seeds it through boto3; returns when both are done.
    pub(crate) fn seeded() -> Self {
        let python = variable("REAPER_TEST_PYTHON");
        let mut child = Command::new(&python)
            .arg(SCRIPT)
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
        Self { child, python, url, seeded: said }
    }

    /// Asks it through boto3: the question, and what follows its address.
    pub(crate) fn boto3(&self, question: &str, more: &[&str]) -> Value {
        let arguments = [&[SCRIPT, question, &self.url], more].concat();
        let output = Command::new(&self.python).args(arguments).output().expect("Python starts");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
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
