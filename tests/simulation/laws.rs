//! The laws, under the names of the design's invariants.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::book::{Book, Ground};
use crate::diary::Event;
use crate::fleet::{FALLBACK, FINANCE, Machine, Owner, Stand};
use crate::office::Letter;
use crate::run::{MAX_ACTIONS, MAX_HOURLY, MAX_SHARE};
use crate::story::{Ending, Story};

/// Between a confirmed action on a machine and the next call.
const REST: TimeDelta = TimeDelta::hours(12);

impl Book {
    /// A call goes out for this machine.
    pub(crate) fn act(&self, story: &Story, native: &str) {
        if !story.acts {
            story.broken("dry_is_dry", native);
        }
        let Some(machine) = story.before.get(native) else {
            story.broken("managed_left_alone", format!("nobody knows {native}"));
        };
        if self.unread.contains(native) {
            story.broken("fresh_read_before_action", format!("{native} is called again unread"));
        }
        let may =
            story.events().take_while(|event| !is_act(event, native)).filter_map(
                |event| match event {
                    Event::Read { native: read, truth } if read == native => truth.as_ref(),
                    _ => None,
                },
            );
        let Some(truth) = may.last() else {
            story.broken("fresh_read_before_action", format!("{native} was not read"));
        };
        let rules = match &truth.may {
            Ok(rules) => rules,
            Err(why) => story.broken("unknown_never_acts", format!("{native}: {why}")),
        };
        if story.at_most.is_none() && !Self::was_listed(story, machine.cloud) {
            story.broken("partial_is_loud", format!("{native}: its listing broke off"));
        }
        let Some(ground) = self.intended.get(native) else {
            story.broken("intent_before_call", native);
        };
        let Some(rule) = rules.iter().find(|rule| **rule == ground.rule) else {
            story.broken("unknown_never_acts", format!("{native}: {} does not hold", ground.rule));
        };
        self.no_action_before_notice(story, machine, rule);
        self.no_tug_of_war(story, native, ground);
    }

    /// Somebody who answers for the machine has accepted a notice of this finding, and its whole
    /// period has passed.
    fn no_action_before_notice(&self, story: &Story, machine: &Machine, rule: &'static str) {
        let native = machine.native.as_str();
        let clean = self.clean.get(&(native.to_owned(), rule)).copied();
        let acted = self.confirmed.get(native).and_then(|all| all.last()).map(|last| last.at);
        let started = Some(machine.started);
        let anew = [clean, acted, started].into_iter().flatten().max();
        let anew = anew.unwrap_or(DateTime::<Utc>::MIN_UTC);
        let mailbox = machine.owner.mailbox();
        let told = |letter: &&Letter| {
            letter.promises()
                && letter.accepted
                && letter.to == mailbox
                && letter.text.contains(native)
                && letter.at >= anew
                && letter.at + story.rules.notice(rule).delta() <= story.now
                && self
                    .announced
                    .get(&(letter.key.clone(), native.to_owned(), rule.to_owned()))
                    .is_some_and(|due| *due <= story.now)
        };
        if !self.letters.iter().any(|letter| told(&letter)) {
            let letters: Vec<_> =
                self.letters.iter().filter(|letter| letter.text.contains(native)).collect();
            story.broken(
                "no_action_before_notice",
                format!("{native}, rule {rule}, to {mailbox} since {anew}; told: {letters:#?}"),
            );
        }
    }

    fn no_tug_of_war(&self, story: &Story, native: &str, ground: &Ground) {
        let confirmed = self.confirmed.get(native).map(Vec::as_slice).unwrap_or_default();
        if confirmed.iter().any(|before| story.now - before.at < REST) {
            story.broken("fl_021_left_alone_for_12_hours", format!("{native}: {confirmed:?}"));
        }
        if confirmed.iter().filter(|before| before.ground == *ground).count() >= 2 {
            story.broken("contested_is_left_alone", format!("{native}: {confirmed:?}"));
        }
    }

    /// A threshold is told under one key, and no more once the ledger holds that it was accepted.
    pub(crate) fn threshold_once(&self, story: &Story, letter: &Letter) {
        let Some(alert) = &letter.alert else { return };
        let alike = |before: &&Letter| before.alert.as_ref() == Some(alert);
        if self.letters.iter().filter(alike).any(|before| before.key != letter.key) {
            story.broken("threshold_once", format!("{alert} has two keys: {letter:?}"));
        }
        if self.alerted.contains(alert) {
            story.broken("threshold_once", format!("{alert} was accepted, and is told again"));
        }
    }

    /// Letters go to those whose machines they are about, one a recipient and step.
    pub(crate) fn letters_are_for_their_owner(&self, story: &Story) {
        let mut heaps: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let bounced = story.letters().filter(|letter| letter.bounced).count();
        for letter in story.letters() {
            if letter.alert.is_some() {
                if letter.to != FINANCE {
                    story.broken("letters_are_for_their_owner", format!("{letter:?}"));
                }
                continue;
            }
            let step = letter.key.split('-').next().unwrap_or_default();
            if letter.promises() && !story.acts {
                story.broken("dry_is_dry", format!("a run that only reports promised {letter:?}"));
            }
            // What may have arrived already is repeated as it was, beside what is new.
            if !self.letters.iter().any(|before| before.key == letter.key) {
                let heap = heaps.entry((letter.to.as_str(), step)).or_default();
                *heap += 1;
                let most = if letter.to == FALLBACK { 1 + bounced } else { 1 };
                if *heap > most {
                    story.broken("one_mail_per_recipient_and_step", format!("{letter:?}"));
                }
            }
            let about: Vec<&Machine> = story
                .after
                .values()
                .filter(|machine| letter.text.contains(&machine.native))
                .collect();
            if about.is_empty() {
                story.broken("letters_are_for_their_owner", format!("about nothing: {letter:?}"));
            }
            let strange = about.iter().find(|machine| {
                !story.edited(&machine.native) && !answers_for(&letter.to, machine, step)
            });
            if let Some(machine) = strange {
                story.broken("letters_are_for_their_owner", format!("{machine:?}: {letter:?}"));
            }
        }
    }
}

/// What the clouds have logged is what went out, machine by machine and in order; at most one
/// more call for each machine, and that after one that failed.
pub(crate) fn calls_are_logged(story: &Story) {
    let acted: Vec<&str> = story.acted().collect();
    let logged: Vec<&str> = story
        .changes
        .iter()
        .flat_map(|request| request.call.ids.iter().map(String::as_str))
        .collect();
    if acted != logged {
        story.broken("calls_are_logged", format!("{acted:?} went out, came {logged:?}"));
    }
    let mut calls: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for event in story.events() {
        if let Event::Answered { native, taken } = event {
            calls.entry(native).or_default().push(*taken);
        }
    }
    let repeated = calls.iter().find(|(_, answers)| {
        answers.len() > 2 || answers.split_last().is_some_and(|(_, rest)| rest.contains(&true))
    });
    if let Some((native, answers)) = repeated {
        story.broken("intent_before_call", format!("{native} was called {answers:?}"));
    }
}

/// Not more than the limits allow, unless exactly so many were expected. Of what was expected a run
/// that died or was disturbed may have done a part only.
pub(crate) fn brake_stops_everything(story: &Story) {
    let targets = story.targets();
    let done = targets.len() as u64;
    let part = story.disturbed || story.ending == Ending::Cut;
    if story.expect.is_some_and(|expected| done == expected || (part && done < expected)) {
        return;
    }
    let there = story.stood.values().filter(|stand| **stand != Stand::Gone).count();
    let cents: i64 = targets
        .iter()
        .filter_map(|native| story.before.get(native))
        .map(|machine| story.rules.hourly(machine.kind))
        .sum();
    let too_many = targets.len() > MAX_ACTIONS
        || (!story.disturbed && targets.len() * 100 > MAX_SHARE * there)
        || cents > MAX_HOURLY;
    if too_many {
        story.broken(
            "brake_stops_everything",
            format!("{} of {there} for {cents} an hour", targets.len()),
        );
    }
}

/// A run does what a plan at the same time has named, and applies no more than its plan.
pub(crate) fn plan_is_what_is_done(story: &Story) {
    let targets = story.targets();
    if let Some(at_most) = &story.at_most
        && !targets.is_subset(at_most)
    {
        story.broken("apply_does_nothing_else", format!("{targets:?} of {at_most:?}"));
    }
    if let Some(exactly) = &story.exactly
        && story.ending == Ending::Done
        && !story.disturbed
        && targets != *exactly
    {
        story.broken("dry_is_dry", format!("planned {exactly:?}, done {targets:?}"));
    }
}

/// Whether mail about a machine belongs into a mailbox.
fn answers_for(to: &str, machine: &Machine, step: &str) -> bool {
    let own = match machine.owner {
        Owner::Dave => to == FALLBACK || to == "dave@example.org",
        other => to == other.mailbox(),
    };
    own || (to == FALLBACK && step == "contested")
}

fn is_act(event: &Event, native: &str) -> bool {
    matches!(event, Event::Act { native: acted } if acted == native)
}
