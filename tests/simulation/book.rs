//! What is remembered of all runs of a year, from outside: whom the post office has told, what the
//! clouds were asked, what the ledger says. Every law is held against it after every run.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_ledger::{
    Account, ActionResult, ActionStep, AlertKey, Entry, NoticeStep, Sending, Writer,
};

use crate::diary::{Event, is_intent};
use crate::fleet::{Cloud, EXPIRED, OWNERLESS, Owner, Stand};
use crate::laws;
use crate::office::Letter;
use crate::story::{Ending, Story};

/// What happened how often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) runs: usize,
    pub(crate) cut: usize,
    pub(crate) cut_while_acting: usize,
    pub(crate) locked: usize,
    pub(crate) requests: usize,
    pub(crate) confirmed: usize,
    pub(crate) letters: usize,
    pub(crate) alerts: usize,
    pub(crate) contested: usize,
    pub(crate) commits: u64,
    pub(crate) planned: usize,
}

/// A confirmed end of a bill.
#[derive(Debug, Clone)]
pub(crate) struct Confirmed {
    pub(crate) at: DateTime<Utc>,
    pub(crate) ground: Ground,
}

/// What an action rests on: the rule as it was configured, and the machine's tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) rule: String,
    pub(crate) notice: u64,
    pub(crate) tags: String,
}

/// A notice as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    to: String,
    step: NoticeStep,
    about: BTreeSet<(String, String, DateTime<Utc>)>,
    accepted: bool,
}

/// The book of a year.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) counts: Counts,
    pub(crate) letters: Vec<Letter>,
    /// When a finding was last seen not to hold, by machine and rule.
    pub(crate) clean: BTreeMap<(String, &'static str), DateTime<Utc>>,
    /// The action that was intended last, by machine.
    pub(crate) intended: BTreeMap<String, Ground>,
    /// When.
    called: BTreeMap<String, DateTime<Utc>>,
    pub(crate) confirmed: BTreeMap<String, Vec<Confirmed>>,
    /// Machines that were not read since they were acted upon.
    pub(crate) unread: BTreeSet<String>,
    /// When the action was announced for, by key, machine and rule.
    pub(crate) announced: BTreeMap<(String, String, String), DateTime<Utc>>,
    /// Thresholds of which the ledger holds that they were told.
    pub(crate) alerted: BTreeSet<String>,
    notices: BTreeMap<String, Notice>,
    /// Complete listings in a row that did not show a machine.
    absent: BTreeMap<String, usize>,
    leases: BTreeMap<Account, (Writer, DateTime<Utc>)>,
}

impl Book {
    /// Holds the laws against a run and takes it down.
    pub(crate) fn add(&mut self, story: &Story) {
        self.counts.runs += 1;
        match story.ending {
            Ending::Done => {}
            Ending::Cut => self.counts.cut += 1,
            Ending::Locked => {
                self.counts.locked += 1;
                if self.leases.values().all(|(_, until)| *until <= story.now) {
                    story.broken("one_run_acts", "locked, and nobody holds a lease");
                }
            }
        }
        self.letters_are_for_their_owner(story);
        laws::calls_are_logged(story);
        laws::brake_stops_everything(story);
        laws::plan_is_what_is_done(story);
        let mut ours: BTreeSet<String> = BTreeSet::new();
        for event in story.events() {
            match event {
                Event::Put(commit) => {
                    for entry in &commit.entries {
                        self.take_down(story, &commit.header.writer, commit.header.at, entry);
                        if let Entry::Action { id, .. } = entry
                            && is_intent(entry)
                        {
                            ours.insert(id.native.clone());
                        }
                    }
                    self.counts.commits = commit.header.number;
                }
                Event::Read { native, .. } => {
                    self.unread.remove(native);
                }
                Event::Act { native } => {
                    self.counts.requests += 1;
                    if !ours.contains(native) {
                        story.broken("intent_before_call", native);
                    }
                    self.act(story, native);
                    self.unread.insert(native.clone());
                }
                Event::Posted(letter) => {
                    self.counts.letters += 1;
                    self.threshold_once(story, letter);
                    self.letters.push(letter.clone());
                }
                Event::Listed { .. } | Event::Answered { .. } => {}
            }
        }
        if story.ending == Ending::Cut && !story.targets().is_empty() {
            self.counts.cut_while_acting += 1;
        }
        self.note_what_is_clean(story);
    }

    fn take_down(&mut self, story: &Story, writer: &Writer, at: DateTime<Utc>, entry: &Entry) {
        match entry {
            Entry::Claimed { accounts, until } => {
                for account in accounts {
                    let held = self.leases.insert(account.clone(), (writer.clone(), *until));
                    if held.as_ref().is_some_and(|(by, until)| by != writer && *until > at) {
                        story.broken("one_run_acts", format!("{writer} took it from {held:?}"));
                    }
                }
            }
            Entry::Released { accounts } => {
                self.leases.retain(|account, _| !accounts.contains(account));
            }
            // Who is gone and comes back is another machine: not shown twice, or denied outright.
            Entry::Seen { appeared, absent, .. } => {
                for native in appeared {
                    self.absent.remove(native);
                }
                for native in absent {
                    let listings = self.absent.entry(native.clone()).or_default();
                    *listings += 1;
                    if *listings >= 2 {
                        self.confirmed.remove(native);
                    }
                }
            }
            Entry::NotFound { id } => drop(self.confirmed.remove(&id.native)),
            Entry::Notice { key, step: Sending::Intended(intent) } => {
                let about = intent.about.iter();
                let notice = Notice {
                    to: intent.to.clone(),
                    step: intent.step,
                    about: about
                        .map(|about| (about.id.native.clone(), about.rule.clone(), about.since))
                        .collect(),
                    accepted: false,
                };
                for about in &intent.about {
                    if let Some(due) = about.due_at {
                        let what = (key.clone(), about.id.native.clone(), about.rule.clone());
                        self.announced.insert(what, due);
                    }
                }
                self.key_is_stable(story, key, notice);
            }
            Entry::Notice { key, step: Sending::Accepted } => {
                let accepted =
                    self.letters.iter().any(|letter| letter.key == *key && letter.accepted);
                if !accepted {
                    story.broken("no_action_before_notice", format!("nobody accepted {key}"));
                }
                if let Some(notice) = self.notices.get_mut(key) {
                    notice.accepted = true;
                    let contested = notice.step == NoticeStep::Contested;
                    self.counts.contested += usize::from(contested);
                }
            }
            Entry::Alert { key, step: Sending::Accepted } => {
                let AlertKey { budget, period, basis, threshold, limit, .. } = key;
                let alert = format!("{budget}/{period}/{basis}/{threshold}/{limit}");
                let accepted =
                    |letter: &&Letter| letter.accepted && letter.alert.as_ref() == Some(&alert);
                if self.letters.iter().filter(accepted).count() == 0 {
                    story.broken("threshold_once", format!("nobody accepted {alert}"));
                }
                self.counts.alerts += 1;
                self.alerted.insert(alert);
            }
            Entry::Action { id, rule, step: ActionStep::Intended { looks, .. }, .. } => {
                let notice = story.rules.notice(rule).as_secs();
                let ground = Ground { rule: rule.clone(), notice, tags: looks.tags.clone() };
                self.intended.insert(id.native.clone(), ground);
                self.called.insert(id.native.clone(), at);
            }
            Entry::Action {
                id,
                step: ActionStep::Ended { result: ActionResult::Confirmed, .. },
                ..
            } => {
                self.counts.confirmed += 1;
                let stand = story.stand.get(&id.native).copied().unwrap_or(Stand::Gone);
                // Or it shows a start after the call, so that it was down in between.
                let again = story.before.get(&id.native).is_some_and(|machine| {
                    machine.cloud.shows_starts()
                        && self
                            .called
                            .get(&id.native)
                            .is_some_and(|called| machine.started > *called)
                });
                let ended = matches!(stand, Stand::Ended | Stand::Gone) || again;
                if !ended && !story.edited(&id.native) {
                    story.broken("saving_when_confirmed", format!("{id} is {stand:?}"));
                }
                let Some(ground) = self.intended.get(&id.native).cloned() else {
                    story.broken("intent_before_call", format!("{id} was never intended"));
                };
                let confirmed = Confirmed { at, ground };
                self.confirmed.entry(id.native.clone()).or_default().push(confirmed);
            }
            _ => {}
        }
    }

    /// The same key means the same to the same; the same to the same has another key only after
    /// the one before was accepted.
    fn key_is_stable(&mut self, story: &Story, key: &str, notice: Notice) {
        if let Some(known) = self.notices.get(key) {
            let same = (&known.to, known.step, &known.about);
            if same != (&notice.to, notice.step, &notice.about) {
                story.broken("keys_are_stable", format!("{key} was {known:?}, is {notice:?}"));
            }
            return;
        }
        let twice = self.notices.iter().find(|(_, known)| {
            (&known.to, known.step, &known.about) == (&notice.to, notice.step, &notice.about)
                && !known.accepted
        });
        if let Some((other, _)) = twice {
            story.broken("keys_are_stable", format!("{key} and {other} are the same: {notice:?}"));
        }
        self.notices.insert(key.to_owned(), notice);
    }

    /// Findings that a run has seen not to hold.
    fn note_what_is_clean(&mut self, story: &Story) {
        let whole = story.ending == Ending::Done && !story.disturbed && story.at_most.is_none();
        if !whole || story.command == "plan" {
            return;
        }
        for (native, machine) in &story.before {
            // What cannot be read, or is under way, tells nothing.
            let stood = story.stood.get(native).copied().unwrap_or(Stand::Gone);
            if machine.blind || !matches!(stood, Stand::Billed) {
                continue;
            }
            let truth = machine.truth(stood, story.now);
            for rule in [OWNERLESS, EXPIRED] {
                // Without tags nobody can tell whether a machine without a name has an owner.
                let untold = machine.cloud == Cloud::Ovhcloud && machine.owner == Owner::Nobody;
                if rule == OWNERLESS && untold {
                    continue;
                }
                if !truth.may.as_ref().is_ok_and(|rules| rules.contains(rule)) {
                    self.clean.insert((native.clone(), rule), story.now);
                }
            }
        }
    }

    /// Whether somebody has to look at the clouds by hand: what the engine will not do again.
    pub(crate) fn is_contested(&self, native: &str) -> bool {
        self.confirmed.get(native).is_some_and(|confirmed| confirmed.len() >= 2)
    }

    /// A listing of that cloud came to its end in this run.
    pub(crate) fn was_listed(story: &Story, cloud: Cloud) -> bool {
        let mut listings = story.events().filter_map(|event| match event {
            Event::Listed { cloud: name, complete } if name == cloud.name() => Some(*complete),
            _ => None,
        });
        listings.next() == Some(true) && listings.all(|complete| complete)
    }
}
