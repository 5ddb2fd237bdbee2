//! Conditions evaluated on one machine: each becomes an answer with its evidence.

use std::collections::BTreeSet;

use reaper_model::document::{Answer, Cause, IdleVerdict, OwnerStatus, WantedAction};
use reaper_model::tags::fold_key;
use reaper_model::{Fact, Ignorance, Span, Unknown};

use crate::answer::{Clause, Waiting, rough};
use crate::expiry::Expiry;
use crate::hours::WorkingHours;
use crate::idle::{self, Idleness};
use crate::owner::Owner;
use crate::pattern::Pattern;
use crate::spec::{Conditions, IdleSpec};
use crate::subject::{Subject, quote, stamp};

/// What was found out about the machine once, for all rules.
pub(crate) struct Findings<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) owner: &'a Owner,
    pub(crate) expiry: &'a Expiry,
    pub(crate) placeholders: &'a BTreeSet<String>,
}

impl Findings<'_> {
    /// Every condition's answer, selecting ones first. `action` is what is asked for if they hold:
    /// some evidence is enough for a report alone.
    pub(crate) fn clauses(&self, conditions: &Conditions, action: WantedAction) -> Vec<Clause> {
        let Conditions {
            owner,
            older_than,
            missing_tags,
            expired,
            account,
            provider,
            location,
            id,
            name,
            machine_type,
            gpu,
            state,
            tag,
            idle,
            outside_hours,
        } = conditions;
        let instance = self.subject.instance;
        let mut clauses = Vec::new();
        let known = |word: &str, patterns: &[Pattern], text: &str, clauses: &mut Vec<Clause>| {
            if !patterns.is_empty() {
                let matches = patterns.iter().any(|pattern| pattern.matches(text));
                clauses.push(Clause::new(matches, format!("{word} {text}")));
            }
        };
        known("account", account, self.subject.account.as_str(), &mut clauses);
        known("provider", provider, instance.id.provider.as_str(), &mut clauses);
        known("location", location, instance.id.location.as_str(), &mut clauses);
        known("type", machine_type, instance.machine_type.as_str(), &mut clauses);
        if !id.is_empty() {
            let full = instance.id.to_string();
            let matches = id.iter().any(|p| p.matches(&full) || p.matches(&instance.id.native));
            clauses.push(Clause::new(matches, format!("id {full}")));
        }
        if !state.is_empty() {
            let ours = instance.state.to_string();
            let matches = state.iter().any(|pattern| {
                pattern.matches_any_case(&ours)
                    || pattern.matches_any_case(&instance.provider_state)
            });
            clauses.push(Clause::new(matches, format!("state {}", instance.provider_state)));
        }
        if !name.is_empty() {
            clauses.push(matches_fact("name", name, &instance.name, |name| name.as_str()));
        }
        if !gpu.is_empty() {
            clauses.push(matches_fact("gpu", gpu, &instance.gpu, |gpu| gpu.model.as_str()));
        }
        for (key, patterns) in tag {
            clauses.push(self.tag(key, patterns));
        }
        if !owner.is_empty() {
            clauses.push(self.owner(owner));
        }
        if !missing_tags.is_empty() {
            clauses.push(self.missing_tags(missing_tags));
        }
        if let Some(wanted) = expired {
            clauses.push(self.expired(*wanted));
        }
        if let Some(span) = older_than {
            clauses.push(self.older_than(*span));
        }
        if let Some(hours) = outside_hours {
            clauses.push(self.outside_hours(hours));
        }
        if let Some(spec) = idle {
            clauses.push(self.idle(spec, action));
        }
        clauses
    }

    fn outside_hours(&self, hours: &WorkingHours) -> Clause {
        let shown = hours.shown(self.subject.now);
        let inside = hours.contain(self.subject.now);
        let word = match (inside, hours.show(self.subject.now)) {
            (true, true) => "within",
            (true, false) => "not long enough outside",
            (false, _) => "outside",
        };
        Clause::new(!inside, format!("{shown} is {word} {hours}")).ground("outside-hours")
    }

    /// The use of its accelerators as this specification asks.
    pub(crate) fn idleness(&self, spec: &IdleSpec) -> Idleness {
        let Subject { instance, now, measured, suspects, .. } = self.subject;
        let suspects = suspects.map(|suspects| suspects.over(spec.window)).unwrap_or_default();
        idle::judged(instance, *measured, spec, *now, &suspects)
    }

    fn idle(&self, spec: &IdleSpec, action: WantedAction) -> Clause {
        let idleness = self.idleness(spec);
        let words = idleness.summary.clone().unwrap_or_default();
        let gap = idleness.gap.clone();
        let mut clause = match (idleness.verdict, idleness.newborn, gap) {
            (_, Some(up), _) => {
                let text = format!("not idle: up for {} (rule: {})", rough(up), spec.window);
                Clause::new(Answer::No, text)
            }
            (IdleVerdict::Busy, _, _) => Clause::new(Answer::No, format!("not idle: {words}")),
            (IdleVerdict::Unknown, _, Some(gap)) => match idleness.suggests {
                // Weak evidence is told to people, and carries nothing more.
                Some(IdleVerdict::Idle) if action == WantedAction::Report => {
                    Clause { strongest: WantedAction::Report, ..Clause::new(Answer::Yes, gap.why) }
                        .ground("idle-by-cpu")
                }
                Some(IdleVerdict::Busy) if action == WantedAction::Report => {
                    Clause::new(Answer::No, gap.why)
                }
                _ => Clause::unknown(format!("utilisation unknown: {gap}"), gap),
            },
            (IdleVerdict::Unknown, _, None) => {
                let why = "utilisation unknown".to_owned();
                Clause::unknown(why.clone(), Unknown::new(Ignorance::Unusable, why))
            }
            (IdleVerdict::Idle, _, _) => {
                let reason = match idleness.cause {
                    Some(Cause::Empty) => "idle-empty",
                    Some(Cause::Held) => "idle-held",
                    Some(Cause::Starved) => "idle-starved",
                    None => "idle",
                };
                let strongest = idleness.strongest(spec);
                Clause { strongest, ..Clause::new(Answer::Yes, words) }.ground(reason)
            }
        };
        clause.idleness = Some(idleness);
        clause
    }

    fn owner(&self, wanted: &[OwnerStatus]) -> Clause {
        let status = self.owner.status;
        if status == OwnerStatus::Unreadable {
            let why = self.owner.why.clone().unwrap_or_else(|| "owner unreadable".to_owned());
            let gap = self.owner.gap.clone();
            return Clause::unknown(
                why.clone(),
                gap.unwrap_or_else(|| Unknown::new(Ignorance::Unusable, why)),
            );
        }
        let matches = wanted.contains(&status)
            || (status == OwnerStatus::Empty && wanted.contains(&OwnerStatus::Absent));
        let text = match &self.owner.why {
            Some(why) => format!("owner {}: {why}", status.name()),
            None => format!("owner {} ({})", status.name(), self.owner.names.join(", ")),
        };
        Clause::new(matches, text).ground(format!("owner-{}", status.name()))
    }

    fn missing_tags(&self, keys: &[String]) -> Clause {
        let mut missing = Vec::new();
        for key in keys {
            let tags = match self.subject.tags(&fold_key(key)) {
                Ok(tags) => tags,
                Err(gap) => return Clause::unknown(format!("tags unread: {gap}"), gap.clone()),
            };
            let absence = tags.iter().map(|tag| self.blank(tag.trimmed_value())).min();
            match absence {
                None => missing.push((format!("tag {key} absent"), "tag-absent")),
                Some(Blank::No) => {}
                Some(Blank::Empty) => missing.push((format!("tag {key} empty"), "tag-empty")),
                Some(Blank::Placeholder) => {
                    let shown: Vec<_> = tags.iter().map(|tag| quote(tag)).collect();
                    let text = format!("{} is a listed placeholder", shown.join(", "));
                    missing.push((text, "tag-placeholder"));
                }
            }
        }
        match missing.first() {
            None => Clause::new(Answer::No, format!("tags {} are there", keys.join(", "))),
            Some(&(_, reason)) => {
                let text: Vec<_> = missing.iter().map(|(text, _)| text.as_str()).collect();
                Clause::new(Answer::Yes, text.join(", ")).ground(reason)
            }
        }
    }

    fn blank(&self, value: &str) -> Blank {
        if value.is_empty() {
            Blank::Empty
        } else if self.placeholders.contains(&value.to_lowercase()) {
            Blank::Placeholder
        } else {
            Blank::No
        }
    }

    fn tag(&self, key: &str, patterns: &[Pattern]) -> Clause {
        let tags = match self.subject.tags(&fold_key(key)) {
            Ok(tags) => tags,
            Err(gap) => return Clause::unknown(format!("tags unread: {gap}"), gap.clone()),
        };
        let hits = tags
            .iter()
            .filter(|tag| patterns.iter().any(|pattern| pattern.matches(tag.trimmed_value())))
            .count();
        let shown: Vec<_> = tags.iter().map(|tag| quote(tag)).collect();
        if hits == 0 {
            Clause::new(Answer::No, format!("tag {key} does not match"))
        } else if hits == tags.len() {
            Clause::new(Answer::Yes, format!("tag {}", shown.join(", ")))
        } else {
            // Two spellings that disagree never widen what is matched.
            let why = format!("conflicting tags {}", shown.join(" and "));
            Clause::unknown(why.clone(), Unknown::new(Ignorance::Unusable, why))
        }
    }

    fn expired(&self, wanted: bool) -> Clause {
        let now = self.subject.now;
        let (has_expired, text, time) = match self.expiry {
            Expiry::NotSet => (false, "no expiry".to_owned(), None),
            Expiry::Forever => (false, "never expires".to_owned(), None),
            Expiry::At(time) if *time <= now => {
                (true, format!("expired on {}", stamp(*time)), Some(*time))
            }
            Expiry::At(time) => (false, format!("expires on {}", stamp(*time)), Some(*time)),
            Expiry::Unknown(gap) => return Clause::unknown(gap.why.clone(), gap.clone()),
        };
        let mut clause = Clause::new(has_expired == wanted, text);
        if has_expired && wanted {
            clause = clause.ground("expired");
            clause.since = time;
        } else if wanted {
            clause.ripe_at = time.map(|time| (time, Waiting::NotExpired));
        }
        clause
    }

    /// Up for longer than `span`.
    pub(crate) fn older_than(&self, span: Span) -> Clause {
        let start = match self.subject.instance.up_since() {
            Fact::Known { value, .. } => *value,
            Fact::Absent { source } => {
                let why = format!("age unknown: {source} shows no launch time");
                return Clause::unknown(why.clone(), Unknown::new(Ignorance::NotOffered, why));
            }
            Fact::Unknown(gap) => {
                return Clause::unknown(format!("age unknown: {gap}"), gap.clone());
            }
        };
        let age = Span::between(start, self.subject.now);
        let ripe = start.checked_add_signed(span.delta());
        let since = if self.subject.instance.counts_from_creation() { "created" } else { "up for" };
        let ago = if since == "created" { " ago" } else { "" };
        let text = format!("{since} {}{ago} (rule: over {span})", rough(age));
        if age > span {
            let clause = Clause::new(Answer::Yes, text).ground("older-than");
            return ripe.into_iter().fold(clause, Clause::since);
        }
        let mut clause = Clause::new(Answer::No, text);
        clause.ripe_at = ripe.map(|time| (time, Waiting::InGrace));
        clause
    }
}

/// How much of a value is missing; the least blank of several spellings counts.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Blank {
    No,
    Placeholder,
    Empty,
}

fn matches_fact<T>(
    word: &str,
    patterns: &[Pattern],
    fact: &Fact<T>,
    text: impl Fn(&T) -> &str,
) -> Clause {
    match fact {
        Fact::Known { value, .. } => {
            let text = text(value);
            let matches = patterns.iter().any(|pattern| pattern.matches(text));
            Clause::new(matches, format!("{word} {text:?}"))
        }
        Fact::Absent { .. } => Clause::new(Answer::No, format!("no {word}")),
        Fact::Unknown(gap) => Clause::unknown(format!("{word} unknown: {gap}"), gap.clone()),
    }
}
