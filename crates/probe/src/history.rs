//! What the probe remembers over its own restarts: a small file on the machine, so that whoever may
//! only write to the state store need not read from it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use reaper_model::Samples;
use reaper_model::samples::SAMPLES_LIMIT;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::host::Counters;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// What was measured.
    pub samples: Samples,
    /// What the machine's counters stood at.
    pub counters: Option<Counters>,
}

/// Where it is remembered.
#[derive(Debug)]
pub struct Memory {
    path: PathBuf,
}

impl Memory {
    /// In this file.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// What is remembered of `machine`, and what is to be said about it: a file that cannot be used
    /// is set aside and never a reason to stop; a copy of another machine's disk brings its file.
    pub fn recall(&self, machine: &str) -> (Option<History>, Option<String>) {
        let shown = self.path.display();
        let bytes = match self.bytes() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return (None, None),
            Err(error) => return (None, Some(format!("{shown} cannot be read: {error}"))),
        };
        match parsed(&bytes) {
            Ok(history) if history.samples.machine == machine => (Some(history), None),
            Ok(history) => {
                let other = &history.samples.machine;
                (None, Some(format!("{shown} is of the machine {other}: begun anew")))
            }
            Err(why) => {
                let mut aside = self.path.clone().into_os_string();
                aside.push(".unreadable");
                let moved = match fs::rename(&self.path, &aside) {
                    Ok(()) => format!("set aside as {}", Path::new(&aside).display()),
                    Err(error) => format!("cannot be set aside: {error}"),
                };
                (
                    None,
                    Some(format!("{shown} is not what was written ({why}), {moved}: begun anew")),
                )
            }
        }
    }

    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(2 * SAMPLES_LIMIT).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Remembers, in the place of what was there.
    ///
    /// # Errors
    ///
    /// The file could not be written; which, and why.
    pub fn keep(&self, history: &History) -> Result<(), String> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let write = || {
            fs::create_dir_all(folder)?;
            let mut file = NamedTempFile::new_in(folder)?;
            file.write_all(&serde_json::to_vec(history)?)?;
            file.persist(&self.path).map_err(|error| error.error)
        };
        match write() {
            Ok(_file) => Ok(()),
            Err(error) => {
                Err(format!("the history {} cannot be written: {error}", self.path.display()))
            }
        }
    }
}

/// Its samples are checked as those of any other object.
fn parsed(bytes: &[u8]) -> Result<History, String> {
    let history: History = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let again = history.samples.write().map_err(|error| error.to_string())?;
    let samples = Samples::read(&again, &history.samples.machine);
    samples.map_err(|error| error.to_string())?;
    Ok(history)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    fn history(machine: &str) -> History {
        let now: DateTime<Utc> = "2026-11-30T09:00:00Z".parse().expect("a time");
        History { samples: Samples::empty(machine, "0.1.0", now), counters: None }
    }

    #[test]
    fn what_is_kept_is_recalled() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = Memory::at(&folder.path().join("new/history.json"));
        assert_eq!(memory.recall("i-1"), (None, None));
        memory.keep(&history("i-1")).expect("kept");
        assert_eq!(memory.recall("i-1"), (Some(history("i-1")), None));
    }

    #[test]
    fn a_corrupt_one_is_set_aside_and_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history.json");
        let memory = Memory::at(&path);
        memory.keep(&history("i-1")).expect("kept");
        let whole = fs::read(&path).expect("a file");
        fs::write(&path, &whole[..whole.len() / 2]).expect("a torn file");
        let (recalled, said) = memory.recall("i-1");
        assert_eq!(recalled, None);
        assert!(said.expect("a sentence").contains("set aside as"));
        assert!(!path.exists());
        assert!(folder.path().join("history.json.unreadable").is_file());
        memory.keep(&history("i-1")).expect("kept again");
    }

    #[test]
    fn that_of_another_machine_is_not_taken_for_this_one_s() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = Memory::at(&folder.path().join("history.json"));
        memory.keep(&history("i-template")).expect("kept");
        let (recalled, said) = memory.recall("i-1");
        assert_eq!(recalled, None);
        assert!(said.expect("a sentence").contains("of the machine i-template"));
    }

    #[test]
    fn a_place_that_cannot_be_written_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file");
        let said = Memory::at(&file.join("history.json")).keep(&history("i-1"));
        assert!(said.expect_err("no folder").starts_with("the history "));
    }
}
