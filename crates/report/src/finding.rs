//! What a document has found, what of that is announced, and what it comes to in one statement. One
//! answer for all titles and subjects, be they of everything or of what one reader gets.

use chrono::{DateTime, FixedOffset};
use reaper_model::document::{
    AuditDocument, BudgetStatus, BudgetView, MachineView, Verdict, WantedAction,
};
use reaper_model::{ActionResult, Phase};

use crate::action;
use crate::coverage::Coverage;
use crate::utilisation::is_unmeasured;

/// Whether the machine is something to act on or to be told of: an orphan, or one that looks off and
/// is billed, unless this run has ended it.
pub fn is_finding(machine: &MachineView) -> bool {
    let judged = matches!(machine.verdict, Verdict::Ok | Verdict::Unjudged);
    let found = machine.verdict == Verdict::Orphan || (judged && machine.stopped_but_billed);
    found && !is_done(machine)
}

/// Whether a stop or termination of it has been announced and not happened. What has been protected
/// or exempted since is not acted upon.
pub fn is_announced(machine: &MachineView) -> bool {
    let announced = machine.case.as_ref().is_some_and(|case| {
        case.due_at.is_some() && matches!(case.state, Phase::Noticed | Phase::Due)
    });
    machine.verdict == Verdict::Orphan && announced && !is_done(machine)
}

/// Whether its action is due and the brake keeps it back.
pub fn is_held(doc: &AuditDocument, machine: &MachineView) -> bool {
    action::of(doc, machine).is_some_and(|action| action.is_held())
}

/// Whether there is nothing left to do.
fn is_done(machine: &MachineView) -> bool {
    let done = [Some(ActionResult::Confirmed), Some(ActionResult::AlreadyGone)];
    done.contains(&machine.action.result)
}

/// What stands first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matter {
    /// Nothing could be read, so nothing is known.
    Blind,
    /// Stops or terminations are announced.
    Stops(Stops),
    /// So many machines look forgotten, and nothing is announced.
    Found(usize),
    /// Nothing was found in what could be read, which is not everything.
    Unread,
    /// Nothing was found, and so many machines could not be judged.
    Unjudged(usize),
    /// Nothing was found, and of so many machines it is not known whether they idle.
    Unmeasured(usize),
    /// Nothing was found, and not all budgets are fine.
    Nothing,
    /// Nothing was found, all was read, judged and, where asked for, measured, and all budgets are
    /// fine.
    Clear,
}

/// Announced stops and terminations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stops {
    /// Those that are due and that the brake keeps back.
    pub held: usize,
    /// When the others are due, the first first.
    pub due: Vec<DateTime<FixedOffset>>,
    /// How many of the others are terminations.
    pub ended: usize,
}

/// What these machines of a document come to, with the budgets that are told beside them.
pub fn matter<'a>(
    doc: &AuditDocument,
    machines: impl Iterator<Item = &'a MachineView> + Clone,
    budgets: &[BudgetView],
) -> Matter {
    let coverage = Coverage::of(doc);
    if coverage.is_blind() {
        return Matter::Blind;
    }
    let announced: Vec<_> = machines.clone().filter(|machine| is_announced(machine)).collect();
    if !announced.is_empty() {
        return Matter::Stops(Stops::of(doc, &announced));
    }
    let found = machines.clone().filter(|machine| is_finding(machine)).count();
    let unjudged = machines.clone().filter(|machine| machine.verdict == Verdict::Unjudged).count();
    let unmeasured = machines.filter(|machine| is_unmeasured(machine)).count();
    match (found, unjudged) {
        (1.., _) => Matter::Found(found),
        _ if coverage.is_partial() => Matter::Unread,
        (0, 1..) => Matter::Unjudged(unjudged),
        (0, 0) if unmeasured > 0 => Matter::Unmeasured(unmeasured),
        _ if budgets.iter().any(|budget| budget.status != BudgetStatus::Ok) => Matter::Nothing,
        (0, 0) => Matter::Clear,
    }
}

impl Stops {
    fn of(doc: &AuditDocument, announced: &[&MachineView]) -> Self {
        let (held, others): (Vec<&MachineView>, Vec<&MachineView>) =
            announced.iter().partition(|machine| is_held(doc, machine));
        let ended =
            others.iter().filter(|machine| machine.action.wanted == Some(WantedAction::Terminate));
        let ended = ended.count();
        let mut due: Vec<_> =
            others.iter().filter_map(|machine| machine.case.as_ref()?.due_at).collect();
        due.sort();
        Self { held: held.len(), due, ended }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn of(doc: &AuditDocument) -> Matter {
        matter(doc, doc.instances.iter(), &doc.budgets)
    }

    #[test]
    fn fl_055_a_machine_that_looks_off_and_is_billed_is_found_though_no_rule_says_yes() {
        let mut doc = fixture::nothing_found();
        assert_eq!(of(&doc), Matter::Clear);
        doc.instances[0].stopped_but_billed = true;
        assert_eq!(of(&doc), Matter::Found(1));
        doc.instances[0].verdict = Verdict::Protected;
        assert_eq!(of(&doc), Matter::Clear);
    }

    #[test]
    fn what_this_run_has_ended_is_found_no_more() {
        let mut machine = fixture::planned().instances.swap_remove(0);
        assert!(is_finding(&machine) && is_announced(&machine));
        for (result, open) in [
            (ActionResult::Confirmed, false),
            (ActionResult::AlreadyGone, false),
            (ActionResult::Refused, true),
            (ActionResult::Unconfirmed, true),
        ] {
            machine.action.result = Some(result);
            assert_eq!((is_finding(&machine), is_announced(&machine)), (open, open), "{result:?}");
        }
    }

    #[test]
    fn brake_stops_everything_what_is_held_is_not_counted_among_what_will_stop() {
        let doc = fixture::braked();
        let Matter::Stops(stops) = of(&doc) else { panic!("stops are announced") };
        assert_eq!((stops.held, stops.due.len(), stops.ended), (2, 1, 0));
        assert!(stops.due[0] > doc.now);
        let mut free = doc;
        free.plan = None;
        let Matter::Stops(stops) = of(&free) else { panic!("stops are announced") };
        assert_eq!((stops.held, stops.due.len(), stops.ended), (0, 3, 1));
    }

    #[test]
    fn fl_097_all_clear_is_not_said_of_idleness_that_nobody_could_measure() {
        let mut doc = fixture::nothing_found();
        let usage = &mut doc.instances[0].utilisation;
        usage.verdict = reaper_model::document::IdleVerdict::Unknown;
        assert_eq!(of(&doc), Matter::Unmeasured(1));
        // Nobody asked: no rule needs it.
        doc.instances[0].utilisation.window = None;
        assert_eq!(of(&doc), Matter::Clear);
    }

    #[test]
    fn fl_149_all_clear_needs_everything_read_and_judged_and_fine_budgets() {
        let mut doc = fixture::nothing_found();
        doc.budgets = fixture::budgeted().budgets;
        assert_eq!(of(&doc), Matter::Nothing);
        doc.instances[0].verdict = Verdict::Unjudged;
        assert_eq!(of(&doc), Matter::Unjudged(1));
        doc.scopes[0].status = reaper_model::document::ScopeStatus::Failed;
        assert_eq!(of(&doc), Matter::Unread);
        doc.scopes[1].status = reaper_model::document::ScopeStatus::Failed;
        assert_eq!(of(&doc), Matter::Blind);
    }
}
