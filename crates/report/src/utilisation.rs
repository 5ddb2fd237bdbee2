//! Whether accelerators work, in words that all formats share. Plain text, neither cleaned nor
//! escaped. Of a machine of which nobody asked it nothing is said.

use std::collections::BTreeSet;

use reaper_model::State;
use reaper_model::document::{AuditDocument, Cause, IdleVerdict, MachineView};

use crate::figures::{count, listed};

/// Whether its use was to be measured.
pub fn is_asked(machine: &MachineView) -> bool {
    machine.utilisation.window.is_some()
}

/// Whether its use was to be measured, and is not known: it is neither idle nor busy to anybody.
pub fn is_unmeasured(machine: &MachineView) -> bool {
    is_asked(machine)
        && machine.utilisation.verdict == IdleVerdict::Unknown
        && matches!(machine.state, State::Running | State::Restarting | State::Failed)
}

/// The word for a cause in JSON and tables.
pub(crate) const fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Empty => "empty",
        Cause::Held => "held",
        Cause::Starved => "starved",
    }
}

/// What an idle accelerator does instead of working.
const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Empty => "no process, no memory in use",
        Cause::Held => "memory held, no work",
        Cause::Starved => "waiting for CPU or IO",
    }
}

/// `idle (memory held, no work)`, `busy`, `use unknown`.
fn word(machine: &MachineView, why: Option<Cause>) -> String {
    match (machine.utilisation.verdict, why) {
        (IdleVerdict::Idle, Some(why)) => format!("idle ({})", cause(why)),
        (IdleVerdict::Idle, None) => "idle".to_owned(),
        (IdleVerdict::Busy, _) => "busy".to_owned(),
        (IdleVerdict::Unknown, _) => "use unknown".to_owned(),
    }
}

/// The verdict with its evidence, or why there is none; `None` where nobody asked.
pub fn statement(machine: &MachineView) -> Option<String> {
    let why = machine.utilisation.cause;
    is_asked(machine).then(|| match evidence(machine) {
        Some(evidence) if names_cause(machine, &evidence) => {
            format!("{}: {evidence}", word(machine, None))
        }
        Some(evidence) => format!("{}: {evidence}", word(machine, why)),
        None => word(machine, why),
    })
}

/// The same beside the reasons of its verdict: what one of them says already is not said again.
pub fn beside_reasons(machine: &MachineView) -> Option<String> {
    let told = |text: &str| {
        let findings = machine.findings.iter().map(|finding| finding.explanation.as_str());
        findings.chain([machine.why.as_str()]).any(|reason| reason.contains(text))
    };
    match evidence(machine).filter(|evidence| told(evidence)) {
        None => statement(machine),
        Some(evidence) if names_cause(machine, &evidence) => None,
        Some(_) => is_asked(machine).then(|| word(machine, machine.utilisation.cause)),
    }
}

/// The same in few words for a machine that nobody need look at: of one that works, the peak.
pub(crate) fn in_brief(machine: &MachineView) -> Option<String> {
    match (machine.utilisation.verdict, peak(machine)) {
        (IdleVerdict::Busy, Some(peak)) if is_asked(machine) => Some(format!("busy: {peak}")),
        _ => beside_reasons(machine),
    }
}

/// Whether the evidence says the cause itself: `…; held: up to 22 GiB of a GPU's memory in use`. Of
/// what has none there is nothing to say.
fn names_cause(machine: &MachineView, evidence: &str) -> bool {
    let named = |cause| evidence.contains(&format!("{}: ", cause_name(cause)));
    machine.utilisation.cause.is_none_or(named)
}

fn evidence(machine: &MachineView) -> Option<String> {
    let usage = &machine.utilisation;
    match (usage.verdict, &usage.why, &usage.summary) {
        (IdleVerdict::Unknown, Some(why), Some(summary)) if !why.contains(summary.as_str()) => {
            Some(format!("{why}; {summary}"))
        }
        (IdleVerdict::Unknown, Some(why), _) => Some(why.clone()),
        (_, _, Some(summary)) => Some(summary.clone()),
        (IdleVerdict::Unknown, None, None) => None,
        (IdleVerdict::Idle | IdleVerdict::Busy, _, None) => figures(machine),
    }
}

/// What was measured, where no sentence says it.
fn figures(machine: &MachineView) -> Option<String> {
    let usage = &machine.utilisation;
    let parts = [
        usage.idle_gpus.as_ref().map(|idle| format!("{idle} accelerators idle")),
        peak(machine),
        usage.coverage.as_ref().map(|share| format!("{share} of the window measured")),
        usage.source.as_ref().map(|source| format!("source {source}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn peak(machine: &MachineView) -> Option<String> {
    let usage = &machine.utilisation;
    let within = usage.window.as_ref().map(|window| format!(" in the last {window}"));
    usage.gpu_peak.as_ref().map(|peak| format!("peak {peak}{}", within.unwrap_or_default()))
}

/// That of some machines it is not known whether they idle; `None` where it is known of all.
pub(crate) fn unmeasured(doc: &AuditDocument) -> Option<String> {
    let number = doc.totals.unmeasured;
    (number > 0).then(|| format!("use not measured of {}", count(number, "machine")))
}

/// What the statements stand on: how many were asked, with which answer, over which time, and who
/// measured. Empty where nobody asked.
pub(crate) fn basis(doc: &AuditDocument) -> Vec<String> {
    let asked: Vec<&MachineView> =
        doc.instances.iter().filter(|machine| is_asked(machine)).collect();
    let verdicts = [
        (IdleVerdict::Idle, "idle"),
        (IdleVerdict::Busy, "busy"),
        (IdleVerdict::Unknown, "unknown"),
    ];
    let verdicts: Vec<String> = verdicts
        .into_iter()
        .map(|(verdict, word)| {
            let of = asked.iter().filter(|machine| machine.utilisation.verdict == verdict);
            (of.count(), word)
        })
        .filter(|&(number, _)| number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let mut parts = Vec::new();
    if !asked.is_empty() {
        let number = count(asked.len(), "machine");
        parts.push(format!("asked of {number}: {}", verdicts.join(", ")));
        let windows = distinct(&asked, |machine| machine.utilisation.window.as_deref());
        parts.push(format!("over {}", listed(&windows)));
    }
    let sources = distinct(&asked, |machine| machine.utilisation.source.as_deref());
    parts.extend((!sources.is_empty()).then(|| format!("measured by {}", listed(&sources))));
    let missing = doc.totals.unmeasured;
    parts.extend((missing > 0).then(|| format!("not measured of {}", count(missing, "machine"))));
    parts
}

/// A few of the different texts that machines have, and how many more there are.
fn distinct(
    machines: &[&MachineView],
    text: impl for<'a> Fn(&'a MachineView) -> Option<&'a str>,
) -> Vec<String> {
    const MOST: usize = 4;
    let all: BTreeSet<&str> = machines.iter().filter_map(|machine| text(machine)).collect();
    let mut shown: Vec<String> = all.iter().take(MOST).map(|&text| text.to_owned()).collect();
    let more = all.len() - shown.len();
    shown.extend((more > 0).then(|| format!("{more} more")));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn named(doc: &AuditDocument, name: &str) -> MachineView {
        let found = doc.instances.iter().find(|machine| machine.name.as_deref() == Some(name));
        found.unwrap_or_else(|| panic!("no machine {name}")).clone()
    }

    #[test]
    fn fl_097_no_data_is_unknown_with_its_reason_and_is_counted() {
        let doc = fixture::mixed();
        let node = named(&doc, "eks-node");
        assert_eq!(
            statement(&node).as_deref(),
            Some("use unknown: no samples since 14:00, 12 % of the window measured")
        );
        assert!(is_unmeasured(&node));
        assert_eq!(unmeasured(&doc).as_deref(), Some("use not measured of 1 machine"));
        assert_eq!(
            basis(&doc),
            [
                "asked of 4 machines: 2 idle, 1 busy, 1 unknown",
                "over 6h",
                "measured by DCGM in Prometheus",
                "not measured of 1 machine"
            ]
        );
    }

    #[test]
    fn of_a_machine_that_nobody_asked_about_nothing_is_said() {
        let doc = fixture::mixed();
        let demo = named(&doc, "demo-customer");
        assert_eq!((statement(&demo), in_brief(&demo), is_unmeasured(&demo)), (None, None, false));
    }

    #[test]
    fn what_a_reason_says_already_is_not_said_again_but_the_cause_is() {
        let doc = fixture::mixed();
        let sweep = named(&doc, "sweep");
        assert_eq!(beside_reasons(&sweep).as_deref(), Some("idle (no process, no memory in use)"));
        let notebook = named(&doc, "notebook-test");
        let said = beside_reasons(&notebook).expect("evidence");
        assert!(said.starts_with("idle: 8 of 8 GPUs never above"), "{said}");
    }

    #[test]
    fn fl_096_two_sources_that_contradict_are_both_told() {
        let mut machine = named(&fixture::mixed(), "eks-node");
        machine.utilisation.why = Some("metrics contradict".to_owned());
        machine.utilisation.summary = Some("CloudWatch says 0 %, DCGM says 99 %".to_owned());
        assert_eq!(
            statement(&machine).as_deref(),
            Some("use unknown: metrics contradict; CloudWatch says 0 %, DCGM says 99 %")
        );
    }

    #[test]
    fn what_was_measured_stands_in_for_a_missing_sentence() {
        let mut machine = named(&fixture::mixed(), "train-7b");
        assert_eq!(in_brief(&machine).as_deref(), Some("busy: peak 96.0% in the last 6h"));
        machine.utilisation.summary = None;
        assert_eq!(
            statement(&machine).as_deref(),
            Some(
                "busy: 0 of 8 accelerators idle, peak 96.0% in the last 6h, 100% of the window \
                 measured, source DCGM in Prometheus"
            )
        );
    }
}
