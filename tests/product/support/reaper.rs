//! Running the binary in a folder and an environment of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with files, an environment with nothing in it, and a command to run there.
pub(crate) struct Reaper {
    folder: TempDir,
    environment: Vec<(String, String)>,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A variable that `tests/run` sets.
#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
pub(crate) fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run the tests with tests/run"))
}

/// A variable that opens a test to what not every machine has.
#[expect(clippy::disallowed_methods, reason = "a test's own switch, read nowhere else")]
pub(crate) fn optional(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Reaper {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, environment: Vec::new() }
    }

    /// With `reaper.toml` in it.
    pub(crate) fn with_config(text: &str) -> Self {
        Self::new().file("reaper.toml", text)
    }

    /// With a file in it.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.path().join(name), text).expect("a file");
        self
    }

    /// With a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The variables, by name.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&String, &String)> {
        self.environment.iter().map(|(name, value)| (name, value))
    }

    /// The command, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let binary = PathBuf::from(variable("REAPER_BIN"));
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .envs(self.environment())
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().expect("the binary starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ran {
            code: output.status.code().expect("an exit code"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Runs it to its end while this thread's runtime serves a simulated cloud.
    pub(crate) async fn beside(self, arguments: &[&str]) -> Ran {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        let run = move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            self.run(&arguments)
        };
        tokio::task::spawn_blocking(run).await.expect("the command ran")
    }
}

impl Ran {
    /// Everything that it said.
    pub(crate) fn all(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }

    /// Standard output as exactly one JSON document.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}\nstdout: {}\nstderr: {}", self.stdout, self.stderr)
        })
    }

    /// Asserts the exit code, showing what was said if it differs.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }
}
