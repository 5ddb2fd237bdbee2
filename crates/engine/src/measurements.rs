//! What was measured, in the document: the use of a machine, and what a reader should know of the
//! sources.

use std::collections::BTreeMap;

use reaper_model::document::{IdleVerdict, UtilisationView, Warning};
use reaper_model::{Ignorance, Instance, Unknown};
use reaper_policy::{Idleness, Suspects};

use crate::assess::Assessed;
use crate::sensors::is_up;

/// The use of a machine as the document shows it. Its window is `null` where nobody asked.
pub(crate) fn view(instance: &Instance, idleness: Option<&Idleness>) -> UtilisationView {
    let Some(idleness) = idleness.filter(|_| is_up(instance)) else {
        return UtilisationView {
            verdict: IdleVerdict::Unknown,
            cause: None,
            gpu_peak: None,
            coverage: None,
            source: None,
            why: Some(if is_up(instance) {
                "not measured: no rule asks for it".to_owned()
            } else {
                "not measured: it is not up".to_owned()
            }),
            summary: None,
            window: None,
            idle_gpus: None,
        };
    };
    let percent = |value: rust_decimal::Decimal| format!("{}%", value.normalize());
    UtilisationView {
        verdict: idleness.verdict,
        cause: idleness.cause,
        gpu_peak: idleness.peak.map(percent),
        coverage: idleness.coverage.map(|share| percent(share.round_dp(1))),
        source: idleness.source.clone(),
        why: idleness.gap.as_ref().map(ToString::to_string),
        summary: idleness.summary.clone(),
        window: Some(idleness.window.to_string()),
        idle_gpus: idleness.idle_gpus.map(|(idle, all)| format!("{idle} of {all}")),
    }
}

/// What of the measurements of a machine could not be read.
pub(crate) fn unread(machine: &Assessed) -> Option<&Unknown> {
    let gap = machine.judgement.idleness.as_ref()?.gap.as_ref();
    gap.filter(|gap| gap.kind == Ignorance::ReadFailed)
}

/// Whether measuring was asked for and nothing can be told of a machine that is up.
pub(crate) fn lacks(machine: &Assessed) -> bool {
    let idleness = machine.judgement.idleness.as_ref();
    is_up(&machine.instance)
        && idleness.is_some_and(|idleness| idleness.verdict == IdleVerdict::Unknown)
}

/// One warning for each cause, not for each machine.
pub(crate) fn warnings(machines: &[Assessed], suspects: &Suspects) -> Vec<Warning> {
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for gap in machines.iter().filter_map(unread) {
        *causes.entry(&gap.why).or_default() += 1;
    }
    let unread = causes.into_iter().map(|(why, count)| Warning {
        code: "metrics-unread".to_owned(),
        text: format!(
            "utilisation not available for {count} {}: {why}",
            if count == 1 { "machine" } else { "machines" }
        ),
        subject: None,
    });
    let suspects = suspects.sources().into_iter().map(|(source, window)| Warning {
        code: "metrics-suspicious".to_owned(),
        text: format!(
            "{source} says exactly 0 of every GPU of all its machines in the last {window}: not \
             believed, so nothing is idle by it"
        ),
        subject: Some(source.to_owned()),
    });
    unread.chain(suspects).collect()
}
