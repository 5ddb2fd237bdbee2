//! What one run came to, as it is seen from outside: told when a law is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::{DateTime, Utc};
use reaper_simcloud::Entry as Request;

use crate::diary::Event;
use crate::fleet::{Fleet, Stand};
use crate::office::Letter;
use crate::run::Rules;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    Locked,
    /// It died on the way.
    Cut,
}

/// One run.
pub(crate) struct Story {
    pub(crate) id: String,
    pub(crate) command: &'static str,
    pub(crate) now: DateTime<Utc>,
    pub(crate) rules: Rules,
    /// Whether it was told to act.
    pub(crate) acts: bool,
    /// Actions that somebody has looked at.
    pub(crate) expect: Option<u64>,
    /// Machines that it may act on at most: the plan that it applies.
    pub(crate) at_most: Option<BTreeSet<String>>,
    /// Machines that a plan at this very time and on this world has named.
    pub(crate) exactly: Option<BTreeSet<String>>,
    /// Whether faults, people or a signal came in between.
    pub(crate) disturbed: bool,
    pub(crate) ending: Ending,
    pub(crate) events: Vec<(usize, Event)>,
    /// Requests that would change something, as the clouds have logged them.
    pub(crate) changes: Vec<Request>,
    /// The fleet when it began, and how each machine stood.
    pub(crate) before: Fleet,
    pub(crate) stood: BTreeMap<String, Stand>,
    /// The same when it was over.
    pub(crate) after: Fleet,
    pub(crate) stand: BTreeMap<String, Stand>,
    /// What else happened that day.
    pub(crate) news: Vec<String>,
    /// What the run says of each machine. For the reader; no law rests on it.
    pub(crate) says: Vec<String>,
}

impl Story {
    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().map(|(_, event)| event)
    }

    pub(crate) fn letters(&self) -> impl Iterator<Item = &Letter> {
        self.events().filter_map(|event| match event {
            Event::Posted(letter) => Some(letter),
            _ => None,
        })
    }

    /// Calls that went out, in order.
    pub(crate) fn acted(&self) -> impl Iterator<Item = &str> {
        self.events().filter_map(|event| match event {
            Event::Act { native } => Some(native.as_str()),
            _ => None,
        })
    }

    /// The machines among them.
    pub(crate) fn targets(&self) -> BTreeSet<String> {
        self.acted().map(str::to_owned).collect()
    }

    /// Whether people did something to the machine while the run was under way.
    pub(crate) fn edited(&self, native: &str) -> bool {
        let edits = |fleet: &Fleet| fleet.get(native).map(|machine| machine.edits);
        edits(&self.before) != edits(&self.after)
    }

    /// A law does not hold.
    pub(crate) fn broken(&self, law: &str, what: impl fmt::Display) -> ! {
        panic!("{law} is broken: {what}\n{self}")
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, command, now, ending, rules, .. } = self;
        let expect = self.expect.map(|number| format!(" --expect {number}")).unwrap_or_default();
        writeln!(f, "run {id} `{command}{expect}` at {now}: {ending:?}, {rules:?}")?;
        for line in &self.news {
            writeln!(f, "  news: {line}")?;
        }
        for (native, machine) in &self.before {
            let stood = self.stood.get(native);
            let stand = self.stand.get(native);
            if stood != Some(&Stand::Gone) {
                writeln!(f, "  {stood:?} -> {stand:?} {machine:?}")?;
            }
        }
        for line in &self.says {
            writeln!(f, "  says: {line}")?;
        }
        for (point, event) in &self.events {
            match event {
                Event::Put(commit) => {
                    for entry in &commit.entries {
                        writeln!(f, "  {point} {} {entry:?}", commit.header.number)?;
                    }
                }
                other => writeln!(f, "  {point} {other:?}")?,
            }
        }
        Ok(())
    }
}
