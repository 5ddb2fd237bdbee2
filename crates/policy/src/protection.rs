//! What keeps a machine from being stopped: the keep tag, protected types, the provider's own
//! guards. It errs on the safe side: only an explicit `false` or a passed date does not protect.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::calendar;
use reaper_model::tags::{fold_key, trim_blanks};
use reaper_model::{Fact, Guard, Ignorance, Tag, Unknown};

use crate::expiry::{self, Written};
use crate::spec::ProtectSpec;
use crate::subject::{Subject, quote, stamp};

/// Whether a machine is protected, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protection {
    /// By nothing.
    None,
    /// By this, for people.
    By(String),
    /// It cannot be told, so nothing may be done.
    Unknown(Unknown),
}

/// What the keep tag says.
enum Keep {
    Protects(String),
    Lapsed(String),
    Declined,
}

/// Protection of the machine, and notes on tags that do not protect or are oddly spelled.
pub(crate) fn of(subject: &Subject<'_>, spec: &ProtectSpec) -> (Protection, Vec<String>) {
    let mut notes = Vec::new();
    let machine_type = subject.instance.machine_type.as_str();
    if let Some(pattern) = spec.types.iter().find(|pattern| pattern.matches_any_case(machine_type))
    {
        return (
            Protection::By(format!("type {machine_type} is protected ({})", pattern.as_str())),
            notes,
        );
    }
    if let Fact::Known { value, .. } = &subject.instance.guards
        && value.contains(&Guard::Stop)
    {
        return (Protection::By("stop protection at the provider".to_owned()), notes);
    }
    let tags = match subject.tags(&fold_key(&spec.tag)) {
        Ok(tags) => tags,
        Err(unknown) if unknown.kind == Ignorance::NotOffered => Vec::new(),
        Err(unknown) => return (Protection::Unknown(unknown.clone()), notes),
    };
    let mut protection = Protection::None;
    for tag in tags {
        if tag.key != spec.tag {
            notes.push(format!("{} is read as {}", quote(tag), spec.tag));
        }
        match keep(tag, subject) {
            Keep::Protects(by) => protection = Protection::By(by),
            Keep::Lapsed(note) => notes.push(note),
            Keep::Declined => {}
        }
    }
    (protection, notes)
}

fn keep(tag: &Tag, subject: &Subject<'_>) -> Keep {
    let value = trim_blanks(tag.trimmed_value());
    if value.eq_ignore_ascii_case("false") {
        return Keep::Declined;
    }
    // A plain date protects until that day is over everywhere (UTC-12), whatever zone was meant.
    let everywhere = |end: DateTime<Utc>| match calendar::date(value) {
        Some(_) => end + TimeDelta::hours(12),
        None => end,
    };
    match expiry::parse(value).map(|written| match written {
        Written::At(end) => Written::At(everywhere(end)),
        other => other,
    }) {
        Some(Written::At(until)) if until <= subject.now => {
            Keep::Lapsed(format!("{} has lapsed on {}", quote(tag), stamp(until)))
        }
        Some(Written::At(until)) => {
            Keep::Protects(format!("tag {} protects until {}", quote(tag), stamp(until)))
        }
        // A duration has no start here, and unreadable text may mean anything: both protect.
        Some(Written::Forever | Written::After(_)) | None => {
            Keep::Protects(format!("tag {}", quote(tag)))
        }
    }
}
