//! Errors and unknowns: what went wrong, and of what nothing can be said.

use std::collections::BTreeMap;

use reaper_model::ActionResult;
use reaper_model::document::{Billing, MachineView};

use super::contents::Contents;
use super::machine::known;
use super::reader::Reader;
use super::section::grouped;
use super::sections::first_of;
use super::view::Weekly;
use crate::words::{count, outside};

/// Names and lines that are shown of one kind.
const MOST_NAMES: usize = 3;
const MOST_LINES: usize = 8;

/// Characters of a sentence with text from outside.
const LONGEST: usize = 200;

impl Weekly<'_> {
    /// One sentence each; empty where there is nothing to remark on.
    pub(super) fn remarks(&self, contents: &Contents<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        if self.doc.interrupted {
            lines.push("The run was interrupted before everything was done.".to_owned());
        }
        let held = self.doc.plan.iter().flat_map(|plan| &plan.held);
        // Where a list shows what is held, it says why.
        if self.reader == Reader::Digest && contents.held.is_empty() {
            lines.extend(held.map(|held| {
                format!("The brake held everything back: {}.", outside(held, LONGEST))
            }));
        }
        lines.extend(failed(contents));
        if !contents.unjudged.is_empty() {
            lines.push(format!(
                "{} could not be judged, so that nothing is done there: {} ({}).",
                count(contents.unjudged.len(), "machine"),
                names(&contents.unjudged),
                outside(&contents.unjudged[0].why, LONGEST)
            ));
        }
        if let Some(first) = contents.unmeasured.first() {
            let why = first.utilisation.why.as_deref().unwrap_or("the reason is not known");
            let number = contents.unmeasured.len();
            let idle = if number == 1 { "it idles" } else { "they idle" };
            lines.push(format!(
                "The use of {} could not be measured, so that it is not known whether {idle}: {} ({}).",
                count(number, "machine"),
                names(&contents.unmeasured),
                outside(why, LONGEST)
            ));
        }
        let unpriced: Vec<&MachineView> = contents
            .machines
            .iter()
            .copied()
            .filter(|machine| machine.price.is_none() && machine.billing != Billing::NotBilled)
            .collect();
        if !unpriced.is_empty() {
            lines.push(format!(
                "{} of which no price is known, so that all sums are at least what is said: {}.",
                count(unpriced.len(), "machine"),
                names(&unpriced)
            ));
        }
        lines.extend(warnings(contents));
        lines
    }
}

/// Actions that did not end as they should.
fn failed(contents: &Contents<'_>) -> Vec<String> {
    let bad = |machine: &&&MachineView| {
        matches!(machine.action.result, Some(ActionResult::Refused | ActionResult::Unconfirmed))
    };
    let failed: Vec<&MachineView> = contents.machines.iter().filter(bad).copied().collect();
    let mut lines: Vec<String> = failed
        .iter()
        .take(MOST_NAMES)
        .map(|machine| {
            let result = machine.action.result.map_or("no result", ActionResult::name);
            let why = machine.action.result_why.as_deref().unwrap_or("no reason is known");
            let name = names(&[machine]);
            format!("The action on {name} ended as {result}: {}.", outside(why, LONGEST))
        })
        .collect();
    if failed.len() > lines.len() {
        lines.push(format!("And {} more such actions.", grouped(failed.len() - lines.len())));
    }
    lines
}

/// Warnings of the run, those of one kind together.
fn warnings(contents: &Contents<'_>) -> Vec<String> {
    let mut kinds: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for warning in &contents.warnings {
        let subjects = kinds.entry((&warning.code, &warning.text)).or_default();
        subjects.extend(warning.subject.as_deref());
    }
    let all = kinds.len();
    let mut lines: Vec<String> = kinds
        .into_iter()
        .take(MOST_LINES)
        .map(|((_, text), subjects)| {
            // Many texts name what they are about.
            let named = subjects.iter().all(|subject| text.contains(subject));
            let text = outside(text, LONGEST);
            if named {
                text
            } else {
                format!("{}: {text}", first_of(subjects.into_iter(), MOST_NAMES))
            }
        })
        .collect();
    if all > lines.len() {
        lines.push(format!("And {} more warnings.", grouped(all - lines.len())));
    }
    lines
}

fn names(machines: &[&MachineView]) -> String {
    let name = |machine: &&MachineView| match known(machine.name.as_deref(), 80) {
        name if name == crate::field::MISSING => known(Some(&machine.native_id), 80),
        name => name,
    };
    let names: Vec<String> = machines.iter().take(MOST_NAMES).map(name).collect();
    let more = machines.len() - names.len();
    let more = (more > 0).then(|| format!("{} more", grouped(more)));
    crate::words::listed(&names.into_iter().chain(more).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    #[test]
    fn what_is_not_known_and_what_failed_is_remarked_on() {
        let mut doc = fixture::weekly();
        doc.instances[0].action.result = Some(ActionResult::Refused);
        doc.instances[0].action.result_why = Some("HTTP 403".to_owned());
        let remarks = |doc: &reaper_model::AuditDocument| {
            let weekly = fixture::digest(doc);
            weekly.remarks(&Contents::of(&weekly))
        };
        assert_eq!(
            remarks(&doc),
            [
                "The action on notebook-test ended as refused: HTTP 403.",
                "1 machine could not be judged, so that nothing is done there: i-0gaps1 (its tags could not be read).",
                "The use of 1 machine could not be measured, so that it is not known whether it idles: train-1 (no samples since 14:00, 12 % of the window measured).",
                "1 machine of which no price is known, so that all sums are at least what is said: i-0gaps1.",
                "p9x.192xlarge: no price for this type: add a [[price]] entry",
            ]
        );
        assert!(remarks(&fixture::nothing()).is_empty());
    }
}
