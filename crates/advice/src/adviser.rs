//! Which rules are asked, and about which machines: those that run, are known for three days at least,
//! and whose time of life is known at all.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::State;

use crate::models::{Gear, Models, TableError};
use crate::question::{Advice, Question};
use crate::week::Seen;
use crate::{commitment, hours, idle_cards, notebook, oversized, region, text};

/// Nothing is said of machines that are younger: they are still being set up.
const YOUNG: TimeDelta = TimeDelta::days(3);

/// Gives advice.
#[derive(Debug, Clone)]
pub struct Adviser {
    models: Models,
}

impl Adviser {
    /// An adviser who knows the GPU models that ship with the program.
    ///
    /// # Errors
    /// When their table is broken, which is a defect of the build.
    pub fn new() -> Result<Self, TableError> {
        Ok(Self { models: Models::embedded()? })
    }

    /// What would do for less, one piece of each kind at most. Where evidence is missing there is
    /// less of it, or none.
    pub fn advise(&self, question: &Question<'_>) -> Vec<Advice> {
        let instance = question.instance;
        if instance.state != State::Running {
            return Vec::new();
        }
        let gear = instance.gpu.value().and_then(|gpu| self.models.gear(gpu));
        let since = instance.up_since().value().copied();
        let seen = gear
            .as_ref()
            .zip(question.week)
            .and_then(|(gear, week)| Seen::of(week, gear, since, question.now));
        let grown_up = match oldest(question) {
            Some(first) => question.now - first >= YOUNG,
            // Nobody says how old it is, but most of a week of its work was measured.
            None => seen.is_some(),
        };
        if !grown_up {
            return Vec::new();
        }
        let case = Case { question, models: &self.models, gear, seen };
        let mut advice: Vec<Advice> =
            [oversized::advise(&case), notebook::advise(&case), idle_cards::advise(&case)]
                .into_iter()
                .flatten()
                .collect();
        advice.extend(commitment::advise(&case, !advice.is_empty()));
        advice.extend(region::advise(&case));
        advice.extend(hours::advise(&case));
        advice
    }
}

/// The earliest time at which the machine is known to have been there.
fn oldest(question: &Question<'_>) -> Option<DateTime<Utc>> {
    let instance = question.instance;
    let facts = [&instance.created_at, &instance.running_since].map(|fact| fact.value().copied());
    facts.into_iter().chain([question.first_seen]).flatten().min()
}

/// A question with what all rules need of it worked out.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    /// The question.
    pub(crate) question: &'a Question<'a>,
    /// The table.
    pub(crate) models: &'a Models,
    /// What the machine has, if the table knows it.
    pub(crate) gear: Option<Gear>,
    /// What a week says of it, if that is enough.
    pub(crate) seen: Option<Seen>,
}

impl Case<'_> {
    /// `8 × A100 of 40 GiB`.
    pub(crate) fn cards(&self, gear: &Gear) -> String {
        match self.question.instance.gpu.value() {
            Some(gpu) => text::cards(gpu, gear),
            None => String::new(),
        }
    }

    /// The same with its verb: one card was, several were.
    pub(crate) fn cards_are(&self, gear: &Gear) -> String {
        let verb = if gear.cards == 1 { "was" } else { "were" };
        format!("{} {verb}", self.cards(gear))
    }

    /// That a controller decides on the machine's type, where one does. Such advice is never sure.
    pub(crate) fn controller(&self) -> Option<String> {
        let manager = self.question.instance.manager.value()?;
        Some(format!(" It follows {manager}: its type would be changed there."))
    }
}
