//! What people do on a day before the run comes.

use chrono::TimeDelta;
use reaper_ledger::{Decision, Entry, Ledger, Opening, Store, Writer};

use crate::clouds;
use crate::fleet::{Cloud, Stand};
use crate::people;
use crate::year::Year;

/// Machines that people have at the same time.
const MOST: usize = 9;

impl Year {
    pub(crate) async fn live_a_little(&mut self) {
        self.find();
        if self.dice.chance(6) {
            self.launch();
        }
        self.restart_some(7);
        if self.dice.chance(35) {
            self.edit_one();
        }
        if self.dice.chance(2) {
            self.mislay();
        }
        if self.dice.chance(2) {
            self.keep().await;
        }
        let forbidden = self.dice.chance(4);
        self.scene.edit(|world, fleet| people::forbid(world, fleet, forbidden));
        if self.dice.chance(1) {
            self.rules.days = 5 - self.rules.days;
            self.news.push(format!("{:?}", self.rules));
        }
        if self.dice.chance(1) {
            self.rules.dearness = 60 + i64::try_from(self.dice.below(100)).unwrap_or(0);
            self.news.push(format!("{:?}", self.rules));
        }
    }

    /// Nothing stands in the way of reading and stopping any more.
    pub(crate) fn calm_down(&mut self) {
        self.scene.edit(|world, fleet| {
            for machine in fleet.values_mut().filter(|machine| machine.blind) {
                machine.blind = false;
                machine.edits += 1;
                clouds::write(world, machine);
            }
            people::forbid(world, fleet, false);
        });
    }

    pub(crate) fn launch(&mut self) {
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

    /// Whether a run may end a bill today, as far as people can tell.
    pub(crate) fn something_is_due(&self) -> bool {
        let told = |native: &str| {
            self.book.letters.iter().any(|letter| {
                letter.promises()
                    && letter.accepted
                    && letter.at + TimeDelta::days(1) <= self.now
                    && letter.text.contains(native)
            })
        };
        self.running().iter().any(|native| {
            self.scene.truth(native).is_some_and(|truth| truth.may.is_ok())
                && !self.book.is_contested(native)
                && told(native)
        })
    }

    fn edit_one(&mut self) {
        let running = self.running();
        if running.is_empty() {
            return;
        }
        let native = self.dice.pick(&running).clone();
        let dice = &mut self.dice;
        let edit = self.scene.edit(|world, fleet| people::edit(world, fleet, &native, dice));
        self.news.push(edit);
    }

    /// Owners want machines back that were stopped.
    pub(crate) fn restart_some(&mut self, percent: usize) {
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

    /// For a day a machine is not shown. Not one that a controller has started: the next one would
    /// take its id.
    fn mislay(&mut self) {
        let running = self.running();
        if running.is_empty() || self.mislaid.is_some() {
            return;
        }
        let native = self.dice.pick(&running).clone();
        self.mislaid = self.scene.edit(|world, fleet| {
            let machine = fleet.get(&native).filter(|machine| machine.twin.is_none())?;
            clouds::mislay(world, machine)
        });
        if self.mislaid.is_none() {
            return;
        }
        self.news.push(format!("{native} is not shown"));
    }

    pub(crate) fn find(&mut self) {
        if let Some(mislaid) = self.mislaid.take() {
            self.news.push(format!("shown again: {mislaid:?}"));
            self.scene.edit(|world, _| clouds::find(world, mislaid));
        }
    }

    /// `reaper keep`, for a machine without tags.
    async fn keep(&mut self) {
        let mut tagless = self.running();
        self.scene.edit(|_, fleet| {
            tagless
                .retain(|native| fleet.get(native).is_some_and(|it| it.cloud == Cloud::Ovhcloud));
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
}
