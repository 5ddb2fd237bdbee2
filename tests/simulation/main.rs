//! A year in four clouds, day by day: the real engine, the real adapters over loopback HTTP, a real
//! ledger folder, people who change their minds, wires that break, processes that die. After every
//! run the laws of the design are held against what the clouds, the post office and the ledger have
//! seen of it, never against what the engine says of itself.
//!
//! One trial a seed. `REAPER_SEEDS=100..200` tries others by hand, `REAPER_STORIES=FOLDER` tells
//! every run there. A seed is a story that can be told twice: the same requests, and the same ledger
//! byte for byte.
//!
//! | module | holds |
//! | --- | --- |
//! | `dice` | chance that can be repeated |
//! | `fleet` | the machines, and the truth about each |
//! | `clouds` | the fleet in the simulated clouds |
//! | `people` | what people and the weather do |
//! | `diary` | what a run does, in order, and where it is cut off |
//! | `watched`, `disk`, `office` | adapters, ledger folder and post office, written into the diary |
//! | `run` | one run of the engine |
//! | `story` | what came of it |
//! | `book` | what is remembered of all runs |
//! | `laws` | the laws |
//! | `year` | the days |
//! | `life` | what people do before a run |
//! | `attempt` | one run with its troubles |

#![allow(clippy::expect_used, clippy::panic, reason = "a law that does not hold says so by panic")]

mod attempt;
mod book;
mod clouds;
mod diary;
mod dice;
mod disk;
mod fleet;
mod laws;
mod life;
mod office;
mod people;
mod run;
mod story;
mod watched;
mod year;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::mpsc;

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

use crate::book::Counts;
use crate::year::Year;

/// The seeds that are always tried.
const SEEDS: std::ops::Range<u64> = 1..21;
/// The one that is lived twice.
const TWICE: u64 = 7;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> =
        seeds().map(|seed| Trial::test(format!("seed_{seed:02}"), move || lawful(seed))).collect();
    trials.push(Trial::test("the_same_seed_gives_the_same_bytes", the_same_twice));
    libtest_mimic::run(&arguments, trials).exit();
}

/// `REAPER_SEEDS`, as `100..200`.
fn seeds() -> std::ops::Range<u64> {
    let Some(text) = variable("REAPER_SEEDS") else { return SEEDS };
    let (first, end) = text.split_once("..").expect("REAPER_SEEDS is like 100..200");
    let number = |text: &str| text.trim().parse().expect("REAPER_SEEDS is like 100..200");
    number(first)..number(end)
}

#[expect(clippy::disallowed_methods, reason = "chosen by hand, in this test alone")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A year without a broken law, and not by doing nothing.
fn lawful(seed: u64) -> Result<(), Failed> {
    let folder = folder()?;
    let (counts, _) = live(seed, folder.path())?;
    tell(seed, &counts);
    let enough = counts.confirmed >= 3
        && counts.requests >= 4
        && counts.letters >= 30
        && counts.alerts >= 10
        && counts.cut >= 20
        && counts.runs >= 300;
    if enough { Ok(()) } else { Err(format!("too little happened: {counts:?}").into()) }
}

fn the_same_twice() -> Result<(), Failed> {
    let (one, other) = (folder()?, folder()?);
    let (first, second) = (live(TWICE, one.path())?, live(TWICE, other.path())?);
    if first != second {
        return Err(format!("{:?} and then {:?}", first.0, second.0).into());
    }
    let (one, other) = (bytes(&one.path().join("ledger"))?, bytes(&other.path().join("ledger"))?);
    let differs = one.iter().find(|(name, bytes)| other.get(*name) != Some(*bytes));
    match differs {
        Some((name, _)) => Err(format!("{name} differs").into()),
        None if one.len() == other.len() => Ok(()),
        None => Err("the second ledger has more commits".into()),
    }
}

/// All files of a ledger.
fn bytes(folder: &Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for part in ["commits", "snapshots"] {
        for entry in std::fs::read_dir(folder.join(part))? {
            let path = entry?.path();
            files.insert(path.display().to_string(), std::fs::read(&path)?);
        }
    }
    let short = |name: String| name.replace(&folder.display().to_string(), "");
    Ok(files.into_iter().map(|(name, bytes)| (short(name), bytes)).collect())
}

/// In memory where there is a folder for that: what is flushed to a disk takes its time.
fn folder() -> std::io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }
}

/// Lives through a year on a clock that stands still unless the year moves it: as long as a thread
/// of the runtime is busy, tokio's paused time does not run ahead of the sockets.
fn live(seed: u64, folder: &Path) -> std::io::Result<(Counts, Vec<String>)> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?;
    let (over, end) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || end.recv());
    let stories = variable("REAPER_STORIES")
        .map(|folder| File::create(Path::new(&folder).join(format!("seed_{seed:02}.txt"))))
        .transpose()?;
    let lived = runtime.block_on(Year::live(seed, &folder.join("ledger"), stories));
    drop(over);
    Ok(lived)
}

#[expect(clippy::print_stderr, reason = "figures for whoever looks at the output of a test")]
fn tell(seed: u64, counts: &Counts) {
    eprintln!("seed {seed}: {counts:?}");
}
