//! The machine under judgement: the instance, the account it was listed through, its tags by
//! folded key, what was measured of it.

use chrono::{DateTime, Utc};
use reaper_model::tags::{fold_key, trim_blanks};
use reaper_model::{
    AccountName, Fact, Ignorance, Instance, InstanceId, Measured, Tag, Tags, Unknown,
};

use crate::idle::Suspects;

/// One machine as a policy judges it.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The machine.
    pub instance: &'a Instance,
    /// Name of the account in the configuration.
    pub account: &'a AccountName,
    /// The clock of the run.
    pub now: DateTime<Utc>,
    /// What was measured of it; `None` if nobody asked or no source knows it.
    pub measured: Option<&'a Measured>,
    /// Sources that are not believed in this run.
    pub suspects: Option<&'a Suspects>,
    tags: FoldedTags<'a>,
}

/// What an owner is looked for of: a machine, or a thing beside machines.
pub(crate) struct Claimed<'a> {
    pub(crate) id: &'a InstanceId,
    pub(crate) account: &'a AccountName,
    pub(crate) name: &'a Fact<String>,
    pub(crate) tags: &'a FoldedTags<'a>,
}

/// Tags by folded key, or why they are not known.
#[derive(Debug)]
pub(crate) struct FoldedTags<'a>(Result<Vec<(String, &'a Tag)>, &'a Unknown>);

impl<'a> FoldedTags<'a> {
    pub(crate) fn new(tags: &'a Fact<Tags>) -> Self {
        Self(match tags {
            Fact::Known { value, .. } => {
                Ok(value.iter().map(|tag| (fold_key(&tag.key), tag)).collect())
            }
            Fact::Absent { .. } => Ok(Vec::new()),
            Fact::Unknown(unknown) => Err(unknown),
        })
    }

    /// The tags whose key folds to `key` (itself folded); the gap when tags are not known.
    pub(crate) fn of(&self, key: &str) -> Result<Vec<&'a Tag>, &'a Unknown> {
        match &self.0 {
            Ok(tags) => Ok(tags.iter().filter(|(k, _)| k == key).map(|(_, tag)| *tag).collect()),
            Err(unknown) => Err(unknown),
        }
    }

    /// Whether there are no tags at all at the provider, as opposed to tags that could not be read.
    pub(crate) fn not_offered(&self) -> Option<&'a Unknown> {
        self.0.as_ref().err().copied().filter(|gap| gap.kind == Ignorance::NotOffered)
    }
}

impl<'a> Subject<'a> {
    /// Prepares a machine for judgement at `now`.
    pub fn new(instance: &'a Instance, account: &'a AccountName, now: DateTime<Utc>) -> Self {
        let tags = FoldedTags::new(&instance.tags);
        Self { instance, account, now, measured: None, suspects: None, tags }
    }

    /// With what was measured of the machine.
    #[must_use]
    pub fn with_measured(self, measured: Option<&'a Measured>) -> Self {
        Self { measured, ..self }
    }

    /// With the sources of this run that are not believed.
    #[must_use]
    pub fn with_suspects(self, suspects: &'a Suspects) -> Self {
        Self { suspects: Some(suspects), ..self }
    }

    /// The tags whose key folds to `key` (itself folded); the gap when tags are not known.
    pub(crate) fn tags(&self, key: &str) -> Result<Vec<&'a Tag>, &'a Unknown> {
        self.tags.of(key)
    }

    /// The machine as something that has an owner.
    pub(crate) fn claimed(&self) -> Claimed<'_> {
        let Self { instance, account, tags, .. } = self;
        Claimed { id: &instance.id, account, name: &instance.name, tags }
    }
}

/// A tag as shown to people: key as spelled, value quoted, so that blanks can be seen.
pub(crate) fn quote(tag: &Tag) -> String {
    match &tag.value {
        Some(value) => format!("{}={value:?}", visible(&tag.key)),
        None => visible(&tag.key),
    }
}

fn visible(key: &str) -> String {
    if trim_blanks(key).len() == key.len() { key.to_owned() } else { format!("{key:?}") }
}

/// A time as shown to people: UTC, to the minute.
pub(crate) fn stamp(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}
