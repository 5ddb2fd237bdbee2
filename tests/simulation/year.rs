//! A year of days: people do things, a run comes, the laws are held against it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use reaper_engine::{Account, Interrupt, interrupt};
use reaper_ledger::{Decision, Entry, Ledger, Opening, Store, Writer, verify};
use reaper_model::Plan;
use reaper_simcloud::{Faults, Outcome};

use crate::book::{Book, Counts};
use crate::clouds::{self, Mislaid};
use crate::diary::Diary;
use crate::dice::Dice;
use crate::fleet::{Cloud, Fleet, Machine, Stand};
use crate::office::Office;
use crate::people;
use crate::run::{End, Kind, LEASE, Rules, Start};
use crate::story::{Ending, Story};
use crate::watched::{Scene, watched};

/// Days in which things happen, and quiet ones after them, in which all that is due must be done.
const BUSY: u64 = 340;
const QUIET: u64 = 25;
/// Machines that people have at the same time.
const MOST: usize = 14;

/// One seed's year.
pub(crate) struct Year {
    seed: u64,
    day: u64,
    dice: Dice,
    now: DateTime<Utc>,
    rules: Rules,
    folder: PathBuf,
    scene: Arc<Scene>,
    accounts: Vec<Account>,
    mislaid: Option<(String, Mislaid)>,
    book: Book,
    runs: usize,
    launched: usize,
    /// Points of the last run that came to its end, and where in it calls went out.
    points: usize,
    acting: Option<(usize, usize)>,
    expect: Option<u64>,
    news: Vec<String>,
    changes: Vec<String>,
}

/// What a run may meet.
#[derive(Default)]
struct Trouble {
    cut: Option<usize>,
    edit: Option<usize>,
    signal: Option<usize>,
    faults: bool,
}

impl Trouble {
    const fn disturbs(&self) -> bool {
        self.edit.is_some() || self.signal.is_some() || self.faults
    }
}

impl Year {
    /// Lives through a seed's year, its ledger in `folder`. Returns what happened how often and
    /// every request that changed something.
    pub(crate) async fn live(seed: u64, folder: PathBuf) -> (Counts, Vec<String>) {
        let start = "2026-01-05T06:00:00Z".parse().expect("a time");
        let rules = Rules { days: 3, dearness: 100, lambda_may_terminate: seed % 2 == 1 };
        let scene = Scene::open(clouds::world(start), Fleet::new()).await;
        let mut year = Self {
            seed,
            day: 0,
            dice: Dice::new(seed),
            now: start,
            rules,
            folder,
            accounts: clouds::accounts(&scene.cloud, rules.lambda_may_terminate),
            scene,
            mislaid: None,
            book: Book::default(),
            runs: 0,
            launched: 0,
            points: 60,
            acting: None,
            expect: None,
            news: Vec::new(),
            changes: Vec::new(),
        };
        for _ in 0..7 {
            year.launch();
        }
        for day in 0..BUSY + QUIET {
            year.day = day;
            year.now = start
                + Days::new(day)
                + TimeDelta::minutes(i64::try_from(year.dice.below(300)).unwrap_or(0));
            year.scene.cloud.set_now(year.now);
            if day % 7 == 6 {
                year.reopen().await;
            }
            if day < BUSY { year.busy_day().await } else { year.quiet_day(day == BUSY).await }
        }
        year.nothing_due_is_left();
        let store = Store::folder(&year.folder).expect("a folder");
        verify(&store).await.expect("a whole log");
        (year.book.counts, year.changes)
    }

    /// Another server for the same world, and adapters that remember nothing.
    async fn reopen(&mut self) {
        let (world, fleet) =
            self.scene.edit(|world, fleet| (std::mem::take(world), std::mem::take(fleet)));
        self.scene = Scene::open(world, fleet).await;
        self.accounts = clouds::accounts(&self.scene.cloud, self.rules.lambda_may_terminate);
    }

    async fn busy_day(&mut self) {
        self.news.clear();
        self.live_a_little().await;
        if self.day % 30 == 17 {
            let store = Store::folder(&self.folder).expect("a folder");
            if self.book.counts.commits > 0 {
                verify(&store).await.expect("a whole log");
            }
        }
        match self.dice.below(100) {
            0..=4 => {}
            5..=11 => drop(self.run(Kind::Report, None, None, false).await),
            12..=23 => self.plan_then_run().await,
            24..=29 => self.plan_then_apply().await,
            30..=54 => self.cut_off().await,
            55..=62 => {
                self.enforce(true).await;
                self.later(TimeDelta::minutes(200));
                self.restart_some(70);
                self.enforce(false).await;
            }
            _ => {
                let troubled = self.dice.chance(40);
                self.enforce(troubled).await;
            }
        }
    }

    async fn quiet_day(&mut self, first: bool) {
        self.news.clear();
        self.find();
        self.scene.edit(|world, fleet| {
            if first {
                clouds::forbid(world, false, false);
                for machine in fleet.values_mut().filter(|machine| machine.blind) {
                    machine.blind = false;
                    machine.edits += 1;
                    clouds::write(world, machine);
                }
            }
        });
        self.enforce(false).await;
    }

    fn later(&mut self, by: TimeDelta) {
        self.now += by;
        self.scene.cloud.set_now(self.now);
    }

    /// What people do on a day before the run comes.
    async fn live_a_little(&mut self) {
        self.find();
        if self.dice.chance(6) {
            self.launch();
        }
        self.restart_some(7);
        if self.dice.chance(35) {
            let running = self.running();
            if !running.is_empty() {
                let native = self.dice.pick(&running).clone();
                let dice = &mut self.dice;
                let edit =
                    self.scene.edit(|world, fleet| people::edit(world, fleet, &native, dice));
                self.news.push(edit);
            }
        }
        if self.dice.chance(2) {
            self.mislay();
        }
        if self.dice.chance(2) {
            self.keep().await;
        }
        let forbidden = self.dice.chance(4);
        self.scene.edit(|world, fleet| {
            let blind = fleet.values().any(|it| it.blind && it.cloud == Cloud::Aws);
            clouds::forbid(world, forbidden, blind);
        });
        if self.dice.chance(1) {
            self.rules.days = 5 - self.rules.days;
            self.news.push(format!("{:?}", self.rules));
        }
        if self.dice.chance(1) {
            self.rules.dearness = 60 + i64::try_from(self.dice.below(100)).unwrap_or(0);
            self.news.push(format!("{:?}", self.rules));
        }
    }

    fn launch(&mut self) {
        if self.running().len() >= MOST {
            return;
        }
        self.launched += 1;
        let machine = people::launched(&mut self.dice, self.launched, self.now);
        self.news.push(format!("launched {}", machine.native));
        self.scene.edit(|world, fleet| {
            clouds::launch(world, &machine);
            fleet.insert(machine.native.clone(), machine);
        });
    }

    fn running(&self) -> Vec<String> {
        self.scene.edit(|world, fleet| people::standing(world, fleet, Stand::Billed))
    }

    /// Owners want machines back that were stopped.
    fn restart_some(&mut self, percent: usize) {
        let stopped = self.scene.edit(|world, fleet| people::standing(world, fleet, Stand::Ended));
        for native in stopped {
            if self.dice.chance(percent) {
                let restarted = self.scene.edit(|world, fleet| {
                    fleet.get_mut(&native).is_some_and(|machine| people::restart(world, machine))
                });
                if restarted {
                    self.news.push(format!("{native} was started again"));
                }
            }
        }
    }

    /// For a day a machine is not shown.
    fn mislay(&mut self) {
        let running = self.running();
        if running.is_empty() || self.mislaid.is_some() {
            return;
        }
        let native = self.dice.pick(&running).clone();
        let taken = self.scene.edit(|world, fleet| clouds::mislay(world, fleet.get(&native)?));
        self.news.push(format!("{native} is not shown"));
        self.mislaid = taken.map(|taken| (native, taken));
    }

    fn find(&mut self) {
        if let Some((native, mislaid)) = self.mislaid.take() {
            self.news.push(format!("{native} is shown again"));
            self.scene.edit(|world, _| clouds::find(world, mislaid));
        }
    }

    /// `reaper keep`, for a machine without tags.
    async fn keep(&mut self) {
        let tagless: Vec<String> = self.scene.edit(|world, fleet| {
            let mut running = people::standing(world, fleet, Stand::Billed);
            running
                .retain(|native| fleet.get(native).is_some_and(|it| it.cloud == Cloud::Ovhcloud));
            running
        });
        if tagless.is_empty() || self.book.counts.commits == 0 {
            return;
        }
        let native = self.dice.pick(&tagless).clone();
        let until = self.now + TimeDelta::days(9);
        let store = Store::folder(&self.folder).expect("a folder");
        let writer = Writer::new(format!("keep-{}", self.day));
        let mut ledger = Ledger::open(store, writer, Opening::Existing).await.expect("a ledger");
        let entry = Entry::Exempted {
            id: clouds::ovhcloud_id(&native),
            until,
            reason: "training".to_owned(),
            by: "alice".to_owned(),
        };
        let append = ledger.append(self.now, |_| Decision::Write(vec![entry.clone()], ()));
        append.await.expect("kept");
        self.news.push(format!("{native} is kept until {until}"));
        self.scene.edit(|_, fleet| {
            if let Some(machine) = fleet.get_mut(&native) {
                machine.exempt = Some(until);
                machine.edits += 1;
            }
        });
    }

    /// A plan changes nothing, and the run after it does what it has named.
    async fn plan_then_run(&mut self) {
        let plan = self.plan().await;
        let named: BTreeSet<String> =
            plan.steps.iter().map(|step| step.id.native.clone()).collect();
        let exactly = if plan.brake.holds() { BTreeSet::new() } else { named };
        let expect = self.expect.take();
        let _ = self.run(Kind::Enforce { expect }, None, Some(exactly), false).await;
    }

    async fn plan_then_apply(&mut self) {
        let plan = self.plan().await;
        self.later(TimeDelta::minutes(90));
        self.restart_some(20);
        let named = plan.steps.iter().map(|step| step.id.native.clone()).collect();
        let troubled = self.dice.chance(50);
        let _ = self.run(Kind::Apply(Box::new(plan)), Some(named), None, troubled).await;
    }

    async fn plan(&mut self) -> Plan {
        let before = self.footprint();
        let end = self.run(Kind::Plan, None, None, false).await;
        assert_eq!(self.footprint(), before, "dry_is_dry: a plan has changed the ledger's folder");
        self.book.counts.planned += 1;
        match end {
            Some(End::Done(ran)) => ran.plan,
            other => panic!("a plan ended {other:?}"),
        }
    }

    /// Every file of the ledger: its name, size, time and place on the disk.
    fn footprint(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        for folder in
            [self.folder.clone(), self.folder.join("commits"), self.folder.join("snapshots")]
        {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries {
                let entry = entry.expect("an entry");
                let meta = entry.metadata().expect("an entry that is there");
                files.insert(entry.path(), format!("{:?} {:?}", meta.len(), meta.modified()));
            }
        }
        files
    }

    /// The process dies, and perhaps the next one too.
    async fn cut_off(&mut self) {
        for _ in 0..3 {
            let span = self.acting.filter(|_| self.dice.chance(60));
            let (first, last) = span.unwrap_or((1, self.points));
            let cut = Some(first + self.dice.below(last.saturating_sub(first) + 1));
            let trouble = Trouble { cut, ..Trouble::default() };
            let expect = self.expect;
            let end = self.told(Kind::Enforce { expect }, None, None, trouble).await;
            if end.is_some() {
                return;
            }
            match self.dice.below(3) {
                0 => {
                    self.later(TimeDelta::minutes(5));
                    let end = self.run(Kind::Enforce { expect: None }, None, None, false).await;
                    if !matches!(end, Some(End::Locked)) {
                        return;
                    }
                }
                1 => return,
                _ => {}
            }
            self.later(LEASE);
            self.restart_some(5);
        }
    }

    async fn enforce(&mut self, troubled: bool) {
        let expect = self.expect.take();
        let _ = self.run(Kind::Enforce { expect }, None, None, troubled).await;
    }

    async fn run(
        &mut self,
        kind: Kind,
        at_most: Option<BTreeSet<String>>,
        exactly: Option<BTreeSet<String>>,
        troubled: bool,
    ) -> Option<End> {
        let mut trouble = Trouble::default();
        if troubled {
            let (first, last) =
                self.acting.filter(|_| self.dice.chance(60)).unwrap_or((1, self.points));
            let point = first + self.dice.below(last.saturating_sub(first) + 1);
            match self.dice.below(5) {
                0 | 1 => trouble.faults = true,
                2 => trouble.signal = Some(point),
                _ => trouble.edit = Some(point),
            }
        }
        self.told(kind, at_most, exactly, trouble).await
    }

    async fn told(
        &mut self,
        kind: Kind,
        at_most: Option<BTreeSet<String>>,
        exactly: Option<BTreeSet<String>>,
        trouble: Trouble,
    ) -> Option<End> {
        self.runs += 1;
        let diary = Diary::new();
        if let Some(point) = trouble.cut {
            diary.cut_at(point);
        }
        if let Some(point) = trouble.edit {
            let (scene, dice) = (Arc::clone(&self.scene), Dice::new(self.dice.throw()));
            diary.at(point, move || edit_something(&scene, dice));
        }
        let heard = match trouble.signal {
            None => Interrupt::never(),
            Some(point) => {
                let (raiser, heard) = interrupt();
                diary.at(point, move || raiser.raise());
                heard
            }
        };
        if trouble.faults {
            let fault = people::weather(&mut self.dice);
            self.news.push(format!("{fault:?}"));
            self.scene.cloud.add_fault(fault);
        }
        let calm = self.day >= BUSY;
        let office = Office { seed: self.dice.throw(), calm, diary: Arc::clone(&diary) };
        let logged = self.scene.cloud.requests().len();
        let (before, stood) = self.look();
        let (command, acts) = (kind.name(), kind.acts());
        let expect = if let Kind::Enforce { expect } = kind { expect } else { None };
        let id = format!("s{}-d{}-r{}", self.seed, self.day, self.runs);
        let start = Start {
            accounts: &watched(&self.accounts, &self.scene, &diary),
            diary: &diary,
            folder: &self.folder,
            office: &office,
            rules: self.rules,
            now: self.now,
            id: id.clone(),
            interrupt: heard,
        };
        let end = start.run(kind).await;
        let changes: Vec<_> = self.scene.cloud.requests().all()[logged..]
            .iter()
            .filter(|request| request.call.changes)
            .cloned()
            .collect();
        self.scene.edit(|world, fleet| {
            world.faults = Faults::default();
            adopt(world, fleet);
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
            changes,
            before,
            stood,
            after,
            stand,
            news: self.news.clone(),
        };
        if let Ok(path) = std::env::var("REAPER_TELL") {
            use std::io::Write as _;
            let mut f =
                std::fs::OpenOptions::new().append(true).create(true).open(path).expect("f");
            writeln!(f, "{story}").expect("w");
        }
        if let Some(End::Failed(why)) = &end {
            story.broken("a run ends with a report", why);
        }
        self.book.add(&story);
        self.remember(&story, end.as_ref(), diary.points());
        end
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
            self.acting = story.acting().or(self.acting);
            // Somebody looks at what was held back, and allows it the next time; not always.
            let looked = self.day >= BUSY || self.dice.chance(50);
            self.expect = (ran.plan.brake.holds() && looked).then_some(ran.plan.brake.actions);
        }
    }

    /// The fleet, and how each machine stands.
    fn look(&self) -> (Fleet, BTreeMap<String, Stand>) {
        self.scene.edit(|world, fleet| {
            let stand = |machine: &Machine| (machine.native.clone(), clouds::stand(world, machine));
            let stands = fleet.values().map(stand).collect();
            (fleet.clone(), stands)
        })
    }

    /// At the end of the year every machine that has been due for long is down, unless something
    /// keeps it up that no run may overcome.
    fn nothing_due_is_left(&self) {
        let (fleet, stands) = self.look();
        let long_ago = self.now - TimeDelta::days(12);
        for (native, machine) in &fleet {
            let stand = stands.get(native).copied().unwrap_or(Stand::Gone);
            let due = machine.truth(stand, long_ago).may.is_ok()
                && machine.truth(stand, self.now).may.is_ok();
            let cannot = matches!(machine.act.outcome, Outcome::Lie | Outcome::Stuck)
                || (machine.cloud == Cloud::Lambda && !self.rules.lambda_may_terminate)
                || self.book.is_contested(native);
            assert!(
                !due || cannot,
                "seed {}: {machine:?} is due for long and {stand:?}; {:#?}",
                self.seed,
                self.book.letters.iter().filter(|it| it.text.contains(native)).collect::<Vec<_>>()
            );
        }
    }
}

/// Somebody does something in the middle of a run, most likely to a machine that is about to be
/// stopped.
fn edit_something(scene: &Scene, mut dice: Dice) {
    scene.edit(|world, fleet| {
        let running = people::standing(world, fleet, Stand::Billed);
        let now = world.clock.now();
        let due: Vec<String> = running
            .iter()
            .filter(|native| {
                fleet.get(*native).is_some_and(|it| it.truth(Stand::Billed, now).may.is_ok())
            })
            .cloned()
            .collect();
        let from = if due.is_empty() || dice.chance(20) { running } else { due };
        if !from.is_empty() {
            let native = dice.pick(&from).clone();
            people::edit(world, fleet, &native, &mut dice);
        }
    });
}

/// Machines that a controller has started belong to whom they look like.
fn adopt(world: &reaper_simcloud::World, fleet: &mut Fleet) {
    for (native, name) in clouds::strangers(world, fleet) {
        let like = fleet.values().find(|it| it.cloud == Cloud::Aws && it.name() == name);
        let Some(like) = like.cloned() else { continue };
        let started = world.clock.now();
        let twin = Machine { native: native.clone(), twin: true, started, ..like };
        fleet.insert(native, twin);
    }
}
