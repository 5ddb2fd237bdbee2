//! One run of the year, with whatever troubles it, and what is taken down of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use reaper_engine::{Interrupt, interrupt};
use reaper_simcloud::{Faults, World};

use crate::clouds;
use crate::diary::{Diary, Moment};
use crate::dice::Dice;
use crate::fleet::{Fleet, Machine, Stand};
use crate::office::Office;
use crate::people;
use crate::run::{End, Kind, Start};
use crate::story::{Ending, Story};
use crate::watched::{Scene, watched};
use crate::year::Year;

/// Points that a run with one action passes between its intent and its end.
const ACTING: usize = 30;
/// Points between the record of the listings and the first intent.
const DECIDING: usize = 16;

/// What a run meets.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trouble {
    /// The process dies.
    cut: Option<Moment>,
    /// Somebody changes a machine.
    edit: Option<Moment>,
    /// The process is told to end.
    signal: Option<Moment>,
    /// Wires break.
    faults: bool,
}

impl Trouble {
    /// The process dies at some point of the run to come, most likely while it acts.
    pub(crate) fn cut(year: &mut Year) -> Self {
        Self { cut: Some(some_moment(year)), ..Self::default() }
    }

    /// Anything else.
    pub(crate) fn some(year: &mut Year) -> Self {
        let mut trouble = Self::default();
        match year.dice.below(5) {
            0 | 1 => trouble.faults = true,
            2 => trouble.signal = Some(when_signalled(year)),
            _ => trouble.edit = Some(Moment::Seen(year.dice.below(DECIDING))),
        }
        trouble
    }

    const fn disturbs(&self) -> bool {
        self.edit.is_some() || self.signal.is_some() || self.faults
    }
}

fn some_moment(year: &mut Year) -> Moment {
    if year.something_is_due() && year.dice.chance(75) {
        Moment::Intent(year.dice.below(ACTING))
    } else {
        Moment::Start(year.dice.below(year.points))
    }
}

/// While it acts, or before it has begun to read: which of the calls that read side by side hears a
/// signal first is up to the runtime, and no part of a seed.
fn when_signalled(year: &mut Year) -> Moment {
    if year.something_is_due() && year.dice.chance(75) {
        Moment::Intent(year.dice.below(ACTING))
    } else {
        Moment::Start(1)
    }
}

impl Year {
    /// Runs, held to the laws; `None` where the process died on the way. `at_most` are the machines
    /// of the plan that it applies, `exactly` those that a plan on the same world has named.
    pub(crate) async fn run(
        &mut self,
        kind: Kind,
        at_most: Option<BTreeSet<String>>,
        exactly: Option<BTreeSet<String>>,
        trouble: Trouble,
    ) -> Option<End> {
        self.runs += 1;
        let diary = Diary::new();
        let interrupt = self.send(trouble, &diary);
        let office =
            Office { seed: self.dice.throw(), calm: self.is_quiet(), diary: Arc::clone(&diary) };
        let logged = self.scene.cloud.requests().len();
        let (before, stood) = self.look();
        let (command, acts, expect) = (kind.name(), kind.acts(), kind.expect());
        let id = format!("s{}-d{}-r{}", self.seed, self.day, self.runs);
        let start = Start {
            accounts: &watched(&self.accounts, &self.scene, &diary),
            diary: &diary,
            folder: &self.folder,
            office: &office,
            rules: self.rules,
            now: self.now,
            id: id.clone(),
            interrupt,
        };
        let end = Box::pin(start.run(kind)).await;
        let requests = self.scene.cloud.requests();
        let changes = requests.all().iter().skip(logged).filter(|request| request.call.changes);
        self.scene.edit(|world, fleet| {
            world.faults = Faults::default();
            adopt(world, fleet, &stood);
        });
        let (after, stand) = self.look();
        let story = Story {
            id,
            command,
            now: self.now,
            rules: self.rules,
            acts,
            expect,
            at_most,
            exactly,
            disturbed: trouble.disturbs(),
            ending: match &end {
                None => Ending::Cut,
                Some(End::Locked) => Ending::Locked,
                Some(End::Done(_) | End::Failed(_)) => Ending::Done,
            },
            events: diary.events(),
            changes: changes.cloned().collect(),
            before,
            stood,
            after,
            stand,
            news: self.news.clone(),
            says: end.as_ref().map(End::says).unwrap_or_default(),
        };
        if let Some(file) = &mut self.stories {
            writeln!(file, "{story}").expect("a file to write to");
        }
        if let Some(End::Failed(why)) = &end {
            story.broken("a run ends with a report", why);
        }
        self.book.add(&story);
        self.remember(&story, end.as_ref(), diary.points());
        end
    }

    /// Sends the trouble on its way; what the run hears of a signal.
    fn send(&mut self, trouble: Trouble, diary: &Diary) -> Interrupt {
        if let Some(moment) = trouble.cut {
            diary.cut(moment);
        }
        if let Some(moment) = trouble.edit {
            let (scene, dice) = (Arc::clone(&self.scene), Dice::new(self.dice.throw()));
            diary.at(moment, move || edit_something(&scene, dice));
        }
        if trouble.faults {
            let fault = people::weather(&mut self.dice);
            self.news.push(format!("{fault:?}"));
            self.scene.cloud.add_fault(fault);
        }
        let Some(moment) = trouble.signal else { return Interrupt::never() };
        let (raiser, heard) = interrupt();
        diary.at(moment, move || raiser.raise());
        heard
    }

    fn remember(&mut self, story: &Story, end: Option<&End>, points: usize) {
        for request in &story.changes {
            self.changes.push(format!(
                "{} {} {} {:?} {:?}",
                story.id, request.provider, request.call.action, request.call.ids, request.status
            ));
        }
        if let Some(End::Done(ran)) = end
            && story.acts
        {
            self.points = points;
            // Somebody looks at what was held back, and allows it the next time; not always.
            let looked = self.is_quiet() || self.dice.chance(50);
            self.expect = (ran.plan.brake.holds() && looked).then_some(ran.plan.brake.actions);
        }
    }

    /// The fleet, and how each machine stands.
    pub(crate) fn look(&self) -> (Fleet, BTreeMap<String, Stand>) {
        self.scene.edit(|world, fleet| {
            let stand = |machine: &Machine| (machine.native.clone(), clouds::stand(world, machine));
            let stands = fleet.values().map(stand).collect();
            (fleet.clone(), stands)
        })
    }

    /// Every file of the ledger: its name, size and time.
    pub(crate) fn footprint(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        for part in ["", "commits", "snapshots"] {
            let Ok(entries) = std::fs::read_dir(self.folder.join(part)) else { continue };
            for entry in entries {
                let entry = entry.expect("an entry");
                let meta = entry.metadata().expect("an entry that is there");
                files.insert(entry.path(), format!("{} {:?}", meta.len(), meta.modified()));
            }
        }
        files
    }
}

/// Somebody does something in the middle of a run, most likely to a machine that is about to be
/// stopped.
fn edit_something(scene: &Scene, mut dice: Dice) {
    scene.edit(|world, fleet| {
        let running = people::standing(world, fleet, Stand::Billed);
        let now = world.clock.now();
        let is_due = |native: &&String| {
            fleet.get(*native).is_some_and(|it| it.truth(Stand::Billed, now).may.is_ok())
        };
        let due: Vec<String> = running.iter().filter(is_due).cloned().collect();
        let from = if due.is_empty() || dice.chance(20) { running } else { due };
        if !from.is_empty() {
            let native = dice.pick(&from).clone();
            people::edit(world, fleet, &native, &mut dice);
        }
    });
}

/// Machines that a controller has started belong to whom they look like.
fn adopt(world: &mut World, fleet: &mut Fleet, before: &BTreeMap<String, Stand>) {
    for (native, tags) in clouds::strangers(world, before) {
        let like = fleet.values().find(|it| clouds::tags_at_aws(it) == tags).cloned();
        if let Some(like) = like {
            let started = world.clock.now();
            let twin = Some((started, like.tags()));
            let machine = Machine { native, twin, started, blind: false, ..like };
            clouds::write(world, &machine);
            fleet.insert(machine.native.clone(), machine);
        }
    }
}
