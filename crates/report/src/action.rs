//! What is to be done and what became of it, in words that all formats share. Plain text, neither
//! cleaned nor escaped.

use reaper_model::document::{AuditDocument, MachineView, Mode, PlannedAction};
use reaper_model::{ActionResult, Totals, Verb};

use crate::figures::{amounts, count};
use crate::machine;
use crate::mail;
use crate::waiting;

/// How far an action came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A run that enforces would do it.
    Would,
    /// The brake keeps it back.
    Held,
    /// It is due, and this run did not try it.
    Untried,
    /// It has no result; the document says why.
    Open,
    /// It has a result.
    Ended(ActionResult),
}

/// An action that is due, or that was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Action<'a> {
    pub(crate) machine: &'a MachineView,
    pub(crate) outcome: Outcome,
}

/// All actions of the document, in its order. An audit has none.
pub(crate) fn actions(doc: &AuditDocument) -> Vec<Action<'_>> {
    doc.instances.iter().filter_map(|machine| of(doc, machine)).collect()
}

/// The action on one machine; `None` where none is due and none was tried.
pub(crate) fn of<'a>(doc: &AuditDocument, machine: &'a MachineView) -> Option<Action<'a>> {
    Some(Action { machine, outcome: outcome(doc, machine)? })
}

/// Whether a bound of the brake is passed.
pub(crate) fn is_held(doc: &AuditDocument) -> bool {
    doc.plan.as_ref().is_some_and(|plan| !plan.held.is_empty())
}

fn outcome(doc: &AuditDocument, machine: &MachineView) -> Option<Outcome> {
    let action = &machine.action;
    if doc.mode == Mode::Audit {
        return None;
    }
    match (action.result, &action.result_why) {
        (Some(result), _) => Some(Outcome::Ended(result)),
        (None, Some(_)) => Some(Outcome::Open),
        (None, None) => verb(machine).map(|_| match doc.mode {
            _ if is_held(doc) => Outcome::Held,
            Mode::Audit | Mode::Plan => Outcome::Would,
            Mode::Run | Mode::Apply => Outcome::Untried,
        }),
    }
}

const fn verb(machine: &MachineView) -> Option<Verb> {
    match machine.action.planned {
        PlannedAction::Stop => Some(Verb::Stop),
        PlannedAction::Terminate => Some(Verb::Terminate),
        PlannedAction::Report | PlannedAction::None => None,
    }
}

impl Action<'_> {
    /// How far it came; loud where somebody has to look.
    pub(crate) fn outcome(&self) -> String {
        let done = verb(self.machine).map_or("ended", Verb::done);
        match self.outcome {
            Outcome::Would => format!("would be {done}"),
            Outcome::Held => "held by the brake".to_owned(),
            Outcome::Untried => "due, not tried".to_owned(),
            Outcome::Open => "NO RESULT".to_owned(),
            Outcome::Ended(ActionResult::Confirmed) => format!("{done}, confirmed"),
            Outcome::Ended(ActionResult::Unconfirmed) => "NOT CONFIRMED".to_owned(),
            Outcome::Ended(ActionResult::Refused) => "REFUSED".to_owned(),
            Outcome::Ended(ActionResult::AlreadyGone) => "already gone".to_owned(),
            Outcome::Ended(ActionResult::SkippedChanged) => "skipped: changed".to_owned(),
        }
    }

    /// Whether somebody has to look.
    pub(crate) const fn is_failure(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Open | Outcome::Ended(ActionResult::Unconfirmed | ActionResult::Refused)
        )
    }

    /// Whether no provider was asked to change it.
    pub(crate) const fn is_untouched(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Would
                | Outcome::Held
                | Outcome::Untried
                | Outcome::Ended(ActionResult::SkippedChanged)
        )
    }

    /// Whether it may still be done, so that it can be prevented.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.outcome, Outcome::Would | Outcome::Held | Outcome::Untried)
    }

    /// Whether it is due and the brake keeps it back.
    pub(crate) fn is_held(&self) -> bool {
        self.outcome == Outcome::Held
    }

    /// Whether the bill has ended, as the provider itself shows.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.outcome == Outcome::Ended(ActionResult::Confirmed)
    }

    /// Whether there is nothing left to do.
    fn is_done(&self) -> bool {
        self.is_confirmed() || self.outcome == Outcome::Ended(ActionResult::AlreadyGone)
    }

    /// The rule on whose ground.
    pub(crate) fn rule(&self) -> &str {
        let finding = self.machine.findings.first().map(|finding| finding.rule.as_str());
        let case = self.machine.case.as_ref().map(|case| case.rule.as_str());
        case.or(finding).unwrap_or(machine::MISSING)
    }

    /// What it saves, said as done only where that is confirmed.
    pub(crate) fn saving(&self) -> String {
        let word = if self.is_confirmed() { "saves" } else { "would save" };
        match self.machine.action.saves_per_month {
            None => format!("what it {word} is not known"),
            Some(saving) if saving.amount.is_zero() => format!("{word} nothing"),
            Some(saving) => format!("{word} {saving} a month (compute only)"),
        }
    }

    /// What the saving leaves out: what goes on being charged, and what is lost.
    pub(crate) fn price(&self) -> Vec<String> {
        let charged = machine::still_charged_short(self.machine);
        let loses = &self.machine.action.loses;
        charged
            .map(|what| format!("still charged afterwards: {what}"))
            .into_iter()
            .chain((!loses.is_empty()).then(|| format!("loses {}", loses.join(", "))))
            .collect()
    }
}

/// What is planned for a machine, with the provider's call.
pub(crate) fn planned(machine: &MachineView) -> Vec<String> {
    let word = match machine.action.planned {
        PlannedAction::Stop => Verb::Stop.name(),
        PlannedAction::Terminate => Verb::Terminate.name(),
        PlannedAction::Report => "only reported",
        PlannedAction::None => "nothing",
    };
    std::iter::once(word.to_owned()).chain(machine.action.call.clone()).collect()
}

/// What became of it, and why. Empty when nothing was tried.
pub(crate) fn result(machine: &MachineView) -> Vec<String> {
    let action = &machine.action;
    let word = action.result.map(|result| result.name().to_owned());
    word.into_iter().chain(action.result_why.clone()).collect()
}

/// What was done, or would be, in figures. `None` for an audit.
pub(crate) fn headline(doc: &AuditDocument) -> Option<Vec<String>> {
    let actions = actions(doc);
    let mut parts = match doc.mode {
        Mode::Audit => return None,
        Mode::Plan => intentions(doc, &actions),
        Mode::Run | Mode::Apply => results(doc, &actions),
    };
    let noticed = waiting::noticed(doc);
    parts.extend((noticed > 0).then(|| format!("{noticed} noticed")));
    parts.extend(mail::headline(doc));
    Some(parts)
}

fn intentions(doc: &AuditDocument, actions: &[Action<'_>]) -> Vec<String> {
    let of = count(doc.totals.instances, "machine");
    let verbs = |wanted| actions.iter().filter(move |action| verb(action.machine) == Some(wanted));
    if actions.is_empty() {
        return vec!["would stop nothing: no action is due".to_owned()];
    }
    if is_held(doc) {
        return vec![format!("would act upon {} of {of}, held by the brake", actions.len())];
    }
    let what = match (verbs(Verb::Stop).count(), verbs(Verb::Terminate).count()) {
        (stops, 0) => format!("would stop {stops} of {of}"),
        (0, ends) => format!("would terminate {ends} of {of}"),
        (stops, ends) => format!("would stop {stops} and terminate {ends} of {of}"),
    };
    std::iter::once(what).chain(savings(actions.iter())).collect()
}

fn results(doc: &AuditDocument, actions: &[Action<'_>]) -> Vec<String> {
    let of = count(doc.totals.instances, "machine");
    let confirmed = || actions.iter().filter(|action| action.is_confirmed());
    let ended = confirmed().filter(|action| verb(action.machine) == Some(Verb::Terminate)).count();
    let done = match (confirmed().count() - ended, ended) {
        (0, 0) if actions.is_empty() => "stopped nothing: no action was due".to_owned(),
        (0, 0) => format!("stopped none of {of}"),
        (stopped, 0) => format!("stopped {stopped} of {of}"),
        (0, ended) => format!("terminated {ended} of {of}"),
        (stopped, ended) => format!("stopped {stopped} and terminated {ended} of {of}"),
    };
    let others = [
        (Outcome::Ended(ActionResult::Unconfirmed), "NOT CONFIRMED"),
        (Outcome::Ended(ActionResult::Refused), "REFUSED"),
        (Outcome::Open, "WITHOUT RESULT"),
        (Outcome::Ended(ActionResult::AlreadyGone), "already gone"),
        (Outcome::Ended(ActionResult::SkippedChanged), "skipped: changed"),
        (Outcome::Held, "held by the brake"),
        (Outcome::Untried, "due, not tried"),
    ];
    let mut parts = vec![done];
    parts.extend(savings(confirmed()));
    parts.extend(others.into_iter().filter_map(|(outcome, word)| {
        let number = actions.iter().filter(|action| action.outcome == outcome).count();
        (number > 0).then(|| format!("{number} {word}"))
    }));
    let planned = doc.plan.as_ref().map_or(0, |plan| plan.actions);
    let unlisted = planned.saturating_sub(actions.len() as u64);
    parts.extend((unlisted > 0).then(|| format!("{unlisted} planned, not in the listing")));
    parts
}

/// What a list of actions saves together; `None` for an empty one.
fn savings<'a>(actions: impl Iterator<Item = &'a Action<'a>>) -> Option<String> {
    let savings: Vec<_> = actions.map(|action| action.machine.action.saves_per_month).collect();
    let known: Totals = savings.iter().copied().flatten().collect();
    let known: Vec<_> = known.iter().collect();
    let at_least = if savings.contains(&None) { "at least " } else { "" };
    match amounts(&known) {
        _ if savings.is_empty() => None,
        None => Some("what that saves is not known".to_owned()),
        Some(sum) => Some(format!("saves {at_least}{sum} a month (compute only)")),
    }
}

/// What an interrupted run has done and what not.
pub(crate) fn progress(doc: &AuditDocument) -> Vec<String> {
    let (done, open): (Vec<_>, Vec<_>) = actions(doc).into_iter().partition(Action::is_done);
    let named = |actions: &[Action<'_>]| -> Vec<String> {
        let name = |action: &Action<'_>| {
            format!("{} ({})", machine::known_as(action.machine), action.outcome())
        };
        actions.iter().map(name).collect()
    };
    [("done", named(&done)), ("not done", named(&open))]
        .into_iter()
        .map(|(label, names)| match names.len() {
            0 => format!("{label}: no action"),
            number => format!("{label}: {}: {}", count(number, "action"), names.join(", ")),
        })
        .collect()
}
