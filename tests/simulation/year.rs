//! A year of days: people do things, a run comes, the laws are held against it.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use reaper_engine::Account;
use reaper_ledger::{Store, verify};
use reaper_model::Plan;
use reaper_simcloud::Outcome;

use crate::attempt::Trouble;
use crate::book::{Book, Counts};
use crate::clouds::{self, Mislaid};
use crate::dice::Dice;
use crate::fleet::{Cloud, Fleet, Stand};
use crate::run::{End, Kind, LEASE, Rules};
use crate::watched::Scene;

/// Days in which things happen, and quiet ones after them, in which all that is due must be done.
const BUSY: u64 = 340;
const QUIET: u64 = 25;
/// Days between two checks of the whole ledger.
const CHECKED: u64 = 60;

/// One seed's year.
pub(crate) struct Year {
    pub(crate) seed: u64,
    pub(crate) day: u64,
    pub(crate) dice: Dice,
    pub(crate) now: DateTime<Utc>,
    pub(crate) rules: Rules,
    /// Where the ledger is.
    pub(crate) folder: PathBuf,
    /// Where every run is told, for those who look for the reason of something.
    pub(crate) stories: Option<File>,
    pub(crate) scene: Arc<Scene>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) mislaid: Option<Mislaid>,
    pub(crate) book: Book,
    pub(crate) runs: usize,
    pub(crate) launched: usize,
    /// Points of the last run that came to its end.
    pub(crate) points: usize,
    /// How many actions somebody has looked at and allows in the next run.
    pub(crate) expect: Option<u64>,
    pub(crate) news: Vec<String>,
    /// Every request that changed something.
    pub(crate) changes: Vec<String>,
}

impl Year {
    /// Lives through a seed's year, its ledger in `folder`. Returns what happened how often and
    /// every request that changed something.
    pub(crate) async fn live(
        seed: u64,
        folder: &Path,
        stories: Option<File>,
    ) -> (Counts, Vec<String>) {
        let start = "2026-01-05T06:00:00Z".parse().expect("a time");
        let rules = Rules { days: 3, dearness: 100, lambda_may_terminate: seed % 2 == 1 };
        let scene = Scene::open(clouds::world(start), Fleet::new()).await;
        let mut year = Self {
            seed,
            day: 0,
            dice: Dice::new(seed),
            now: start,
            rules,
            folder: folder.to_owned(),
            stories,
            accounts: clouds::accounts(&scene.cloud, rules.lambda_may_terminate),
            scene,
            mislaid: None,
            book: Book::default(),
            runs: 0,
            launched: 0,
            points: 60,
            expect: None,
            news: Vec::new(),
            changes: Vec::new(),
        };
        for _ in 0..5 {
            year.launch();
        }
        for day in 0..BUSY + QUIET {
            year.day = day;
            let minutes = i64::try_from(year.dice.below(300)).unwrap_or(0);
            year.at(start + Days::new(day) + TimeDelta::minutes(minutes));
            if day % 7 == 6 {
                year.reopen().await;
            }
            if day % CHECKED == CHECKED - 1 {
                year.the_log_is_whole().await;
            }
            year.news.clear();
            if year.is_quiet() { year.quiet_day().await } else { year.busy_day().await }
        }
        year.nothing_due_is_left();
        year.the_log_is_whole().await;
        (year.book.counts, year.changes)
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.day >= BUSY
    }

    fn at(&mut self, now: DateTime<Utc>) {
        self.now = now;
        self.scene.cloud.set_now(now);
    }

    fn later(&mut self, by: TimeDelta) {
        self.at(self.now + by);
    }

    /// Another server for the same world, and adapters that remember nothing.
    async fn reopen(&mut self) {
        let (world, fleet) =
            self.scene.edit(|world, fleet| (std::mem::take(world), std::mem::take(fleet)));
        self.scene = Scene::open(world, fleet).await;
        self.accounts = clouds::accounts(&self.scene.cloud, self.rules.lambda_may_terminate);
    }

    async fn busy_day(&mut self) {
        self.live_a_little().await;
        if self.something_is_due() && self.dice.chance(35) {
            return self.cut_off().await;
        }
        match self.dice.below(100) {
            0..=4 => {}
            5..=10 => drop(self.run(Kind::Report, None, None, Trouble::default()).await),
            11..=18 => self.plan_then_run().await,
            19..=23 => self.plan_then_apply().await,
            24..=37 => self.cut_off().await,
            38..=43 => {
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

    async fn quiet_day(&mut self) {
        self.find();
        self.calm_down();
        self.enforce(false).await;
    }

    async fn enforce(&mut self, troubled: bool) {
        let expect = self.expect.take();
        let trouble = if troubled { Trouble::some(self) } else { Trouble::default() };
        let _ = self.run(Kind::Enforce { expect }, None, None, trouble).await;
    }

    /// A plan changes nothing, and the run after it does what it has named.
    async fn plan_then_run(&mut self) {
        let plan = self.plan().await;
        let exactly = if plan.brake.holds() { BTreeSet::new() } else { named(&plan) };
        let expect = self.expect.take();
        let _ = self.run(Kind::Enforce { expect }, None, Some(exactly), Trouble::default()).await;
    }

    async fn plan_then_apply(&mut self) {
        let plan = self.plan().await;
        self.later(TimeDelta::minutes(90));
        self.restart_some(20);
        let at_most = Some(named(&plan));
        let trouble = if self.dice.chance(50) { Trouble::some(self) } else { Trouble::default() };
        let _ = self.run(Kind::Apply(Box::new(plan)), at_most, None, trouble).await;
    }

    async fn plan(&mut self) -> Plan {
        let before = self.footprint();
        let expect = self.expect;
        let end = self.run(Kind::Plan { expect }, None, None, Trouble::default()).await;
        assert_eq!(self.footprint(), before, "dry_is_dry: a plan has changed the ledger's folder");
        self.book.counts.planned += 1;
        match end {
            Some(End::Done(ran)) => ran.plan,
            other => panic!("a plan ended {other:?}"),
        }
    }

    /// The process dies, and perhaps the next one too.
    async fn cut_off(&mut self) {
        for _ in 0..3 {
            let trouble = Trouble::cut(self);
            let expect = self.expect;
            if self.run(Kind::Enforce { expect }, None, None, trouble).await.is_some() {
                return;
            }
            match self.dice.below(3) {
                0 => {
                    self.later(TimeDelta::minutes(5));
                    let again = Kind::Enforce { expect: None };
                    let end = self.run(again, None, None, Trouble::default()).await;
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

    async fn the_log_is_whole(&self) {
        if self.book.counts.commits > 0 {
            let store = Store::folder(&self.folder).expect("a folder");
            verify(&store).await.expect("a whole log");
        }
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
            let letters = self.book.letters.iter().filter(|it| it.text.contains(native));
            assert!(
                !due || cannot,
                "seed {}: {machine:?} is due for long and {stand:?}; {:#?}",
                self.seed,
                letters.collect::<Vec<_>>()
            );
        }
    }
}

fn named(plan: &Plan) -> BTreeSet<String> {
    plan.steps.iter().map(|step| step.id.native.clone()).collect()
}
