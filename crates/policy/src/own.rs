//! An owner's own rules: tags by which a machine is stopped once it idles, or idles outside working
//! hours. The tag is the owner's consent and stands for the notice, where it is known who that is:
//! a tag that nobody answers for has nobody's consent, and its rule only reports. What cannot be
//! read, or contradicts itself, makes no rule and is said.

use reaper_model::document::{OwnerStatus, WantedAction};
use reaper_model::tags::trim_blanks;
use reaper_model::{Span, Tag};

use crate::hours::WorkingHours;
use crate::owner::Owner;
use crate::spec::{
    Conditions, IDLE_STOP, IdleSpec, LONGEST_IDLE_WINDOW, PolicySpec, RuleSpec, WORKING_HOURS,
};
use crate::subject::{Subject, quote};

/// No owner's tag looks at less: a coffee break is no idleness.
pub const SHORTEST_IDLE_STOP: Span = Span::from_secs(30 * 60);
/// So long a machine must have been idle outside its working hours.
pub const IDLE_OUTSIDE_HOURS: Span = Span::from_secs(3_600);

/// A rule that an owner has set for one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRule {
    /// The rule. Its action needs no notice of ours.
    pub rule: RuleSpec,
    /// What stands for the notice: `tag idle-stop="2h"`.
    pub consent: String,
}

impl OwnRule {
    /// Why its tag is nobody's consent, unless the machine's owner is known.
    pub fn without_consent(&self, owner: &Owner) -> Option<String> {
        let status = owner.status;
        (status != OwnerStatus::Known)
            .then(|| format!("{} is nobody's consent (owner {})", self.consent, status.name()))
    }
}

/// Where owners' rules are read from.
#[derive(Debug, Clone)]
pub(crate) struct OwnRules {
    /// Folded.
    idle_stop: String,
    /// Folded.
    working_hours: String,
    zone: chrono_tz::Tz,
}

/// What one tag says.
#[derive(PartialEq)]
enum Says<T> {
    Rule(T),
    /// That there is none.
    Never,
}

impl OwnRules {
    pub(crate) fn new(spec: &PolicySpec) -> Self {
        use reaper_model::tags::fold_key;
        Self {
            idle_stop: fold_key(&spec.idle_stop_tag),
            working_hours: fold_key(&spec.working_hours_tag),
            zone: spec.timezone,
        }
    }

    /// The rules that the machine's tags make, and what cannot be made one. Tags that could not be
    /// read make none.
    pub(crate) fn of(&self, subject: &Subject<'_>) -> (Vec<OwnRule>, Vec<String>) {
        let (mut rules, mut notes) = (Vec::new(), Vec::new());
        match read(subject, &self.idle_stop, window) {
            Ok(found) => rules
                .extend(found.map(|(window, consent)| {
                    own(IDLE_STOP, consent, IdleSpec::over(window), None)
                })),
            Err(note) => notes.push(note),
        }
        let hours =
            |text: &str| WorkingHours::parse(text, self.zone).map_err(|bad| bad.to_string());
        // The hour in which it idled has to lie outside them, all of it.
        match read(subject, &self.working_hours, hours) {
            Ok(found) => rules.extend(found.map(|(hours, consent)| {
                let hours = hours.and_after(IDLE_OUTSIDE_HOURS);
                own(WORKING_HOURS, consent, IdleSpec::over(IDLE_OUTSIDE_HOURS), Some(hours))
            })),
            Err(note) => notes.push(note),
        }
        (rules, notes)
    }
}

fn own(name: &str, consent: String, idle: IdleSpec, hours: Option<WorkingHours>) -> OwnRule {
    let when = Conditions { idle: Some(idle), outside_hours: hours, ..Conditions::default() };
    let rule = RuleSpec {
        name: name.to_owned(),
        when,
        except: None,
        action: WantedAction::Stop,
        notice: Span::ZERO,
    };
    OwnRule { rule, consent }
}

/// What the tag of this key says, with the words that stand for the consent; `None` if there is
/// none or it says never.
fn read<T: PartialEq>(
    subject: &Subject<'_>,
    key: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<(T, String)>, String> {
    // That tags could not be read is said where they are listed.
    let tags = subject.tags(key).unwrap_or_default();
    let mut said: Option<(Says<T>, &Tag)> = None;
    for tag in tags {
        let value = trim_blanks(tag.trimmed_value());
        let says = if ["never", "false", "off"].iter().any(|word| value.eq_ignore_ascii_case(word))
        {
            Says::Never
        } else {
            Says::Rule(parse(value).map_err(|why| format!("{} makes no rule: {why}", quote(tag)))?)
        };
        match &said {
            Some((before, first)) if *before != says => {
                let (one, other) = (quote(first), quote(tag));
                return Err(format!("conflicting tags {one} and {other} make no rule"));
            }
            Some(_) => {}
            None => said = Some((says, tag)),
        }
    }
    Ok(said.and_then(|(says, tag)| match says {
        Says::Rule(found) => Some((found, format!("tag {}", quote(tag)))),
        Says::Never => None,
    }))
}

/// How long a machine shall have been idle.
fn window(text: &str) -> Result<Span, String> {
    let window: Span =
        text.parse().map_err(|error: reaper_model::duration::ParseSpanError| error.to_string())?;
    if (SHORTEST_IDLE_STOP..=LONGEST_IDLE_WINDOW).contains(&window) {
        Ok(window)
    } else {
        Err(format!("from {SHORTEST_IDLE_STOP} to {LONGEST_IDLE_WINDOW} can be asked for"))
    }
}
