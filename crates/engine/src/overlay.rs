//! What history, decisions and actions add to the document of an audit.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_ledger::State;
use reaper_model::document::{
    CaseView, MachineView, MailStatus, MailView, PlanView, PlannedAction, ScopeStatus, ScopeView,
    Verdict, WantedAction, Warning,
};
use reaper_model::{
    ActionResult, AuditDocument, Class, InstanceId, Money, Outcome, Phase, Plan, Step,
};
use reaper_plan::{Decision, Decisions, Planned};
use reaper_provider::Refusal;

use crate::act::Acted;
use crate::candidates::Rights;
use crate::machine_view::local;
use crate::observe::Observed;
use crate::orders::{Orders, Settings};

/// What is laid over.
pub(crate) struct Overlay<'a> {
    pub(crate) orders: &'a Orders,
    pub(crate) settings: &'a Settings,
    pub(crate) state: &'a State,
    pub(crate) observed: &'a Observed,
    pub(crate) rights: &'a Rights,
    /// The decisions that the plan was made by.
    pub(crate) planned: &'a Decisions,
    /// The decisions after the notices were sent.
    pub(crate) cases: &'a Decisions,
    pub(crate) plan: &'a Plan,
    pub(crate) acted: &'a [Acted],
    pub(crate) mails: Vec<MailView>,
    pub(crate) interrupted: bool,
    /// Whether anything was recorded before this run.
    pub(crate) has_history: bool,
    pub(crate) last_complete: Option<DateTime<Utc>>,
}

/// The plan with its brake held against the limits of today.
pub(crate) fn rebraked(plan: Plan, settings: &Settings, expect: Option<u64>) -> Plan {
    let values: Vec<Option<Money>> = plan.steps.iter().map(|step| step.value).collect();
    let bounds =
        reaper_plan::Bounds { limits: &settings.limits, exchange: &settings.exchange, expect };
    Plan { brake: reaper_plan::brake(&bounds, &values, plan.inputs.machines), ..plan }
}

impl Overlay<'_> {
    /// Lays all of it over the document of what was found.
    pub(crate) fn lay_over(self, document: &mut AuditDocument) {
        let zone = self.settings.zone;
        let acted: BTreeMap<String, &Acted> =
            self.acted.iter().map(|acted| (acted.id.to_string(), acted)).collect();
        let steps: BTreeMap<String, &Step> =
            self.plan.steps.iter().map(|step| (step.id.to_string(), step)).collect();
        let (planned, cases) = (by_text(self.planned), by_text(self.cases));
        let shown = self.orders.tells.notices || self.orders.acts;
        for view in &mut document.instances {
            if let Ok(id) = view.id.parse::<InstanceId>() {
                let machine = self.state.machine(&id);
                view.first_seen = machine.map(|machine| local(machine.first_seen, zone));
            }
            // A machine with a step is as its plan says; another one as the notices have left it.
            let step = steps.get(&view.id).copied();
            let decisions = if step.is_some() { &planned } else { &cases };
            if let Some(decision) = decisions.get(&view.id) {
                lay_decision(view, decision, step);
            }
            // Without a history an audit has no cases: nobody has recorded one.
            if let Some(decision) = cases.get(&view.id).filter(|_| shown || self.has_history) {
                view.case = self.case(decision);
            }
            if let Some(acted) = acted.get(&view.id) {
                let over = matches!(
                    acted.result,
                    Some(ActionResult::Confirmed | ActionResult::AlreadyGone)
                );
                if let Some(case) = view.case.as_mut().filter(|_| over) {
                    case.state = Phase::Acted;
                }
                view.action.result = acted.result;
                view.action.result_why = Some(acted.why.clone());
            }
        }
        // A machine that went away between plan and action is in no listing any more.
        let listed: BTreeSet<&str> =
            document.instances.iter().map(|view| view.id.as_str()).collect();
        let unlisted: Vec<Warning> = acted
            .iter()
            .filter(|(id, _)| !listed.contains(id.as_str()))
            .map(|(id, acted)| Warning {
                code: "acted-unlisted".to_owned(),
                text: format!("{id}: {}", acted.why),
                subject: Some(id.clone()),
            })
            .collect();
        document.warnings.extend(unlisted);
        self.doubt_scopes(document);
        document.enforces = self.orders.enforces && self.orders.acts;
        document.mode = self.orders.mode;
        document.plan = shown.then(|| self.plan_view());
        document.interrupted = self.interrupted;
        document.last_complete_run = self.last_complete.map(|time| local(time, zone));
        document.warnings.extend(self.warnings());
        document.warnings.sort();
        let classes = document.outcome.classes.iter().copied().chain(self.classes(document));
        document.outcome = Outcome::new(classes.filter(|class| *class != Class::Clean), false);
        document.mails = self.mails;
    }

    /// A listing that lost most of its machines at once is not believed: nobody has read that place
    /// to its end.
    fn doubt_scopes(&self, document: &mut AuditDocument) {
        for fallen in &self.observed.fallen {
            let place = &fallen.place;
            let of_place = |scope: &&mut ScopeView| {
                scope.status == ScopeStatus::Complete
                    && scope.provider == place.provider
                    && scope.provider_account.as_ref() == Some(&place.account)
                    && scope.location.as_ref().is_none_or(|location| *location == place.location)
            };
            for scope in document.scopes.iter_mut().filter(of_place) {
                scope.status = ScopeStatus::Partial;
                scope.why = Some(format!(
                    "not believed: machines fell from {} to {} since the last run; if that is \
                     right, say --accept-drop once",
                    fallen.before, fallen.now
                ));
            }
        }
    }

    fn case(&self, decision: &Decision) -> Option<CaseView> {
        let case = decision.case.as_ref()?;
        let zone = self.settings.zone;
        let notice = case.notice.as_ref().and_then(|key| self.state.notice(key));
        Some(CaseView {
            state: case.phase,
            rule: decision.rule.clone().unwrap_or_default(),
            since: local(case.since, zone),
            notice_at: notice
                .and_then(reaper_ledger::state::Message::accepted_at)
                .map(|time| local(time, zone)),
            due_at: case.due_at.map(|time| local(time, zone)),
        })
    }

    fn plan_view(&self) -> PlanView {
        let zone = self.settings.zone;
        let plan = self.plan;
        PlanView {
            digest: plan.digest.clone(),
            made_at: local(plan.made_at, zone),
            expires_at: local(plan.expires_at, zone),
            actions: plan.brake.actions,
            machines: plan.brake.machines,
            hourly: plan.brake.hourly.iter().map(|sum| sum.rounded()).collect(),
            held: plan.brake.held.clone(),
        }
    }

    fn classes(&self, document: &AuditDocument) -> BTreeSet<Class> {
        let mut classes = BTreeSet::new();
        let shown = self.orders.tells.notices || self.orders.acts;
        if shown && (self.plan.brake.holds() || self.unpinned(document)) {
            classes.insert(Class::Refused);
        }
        let trouble = || self.planned.machines.values().any(|decision| decision.trouble.is_some());
        if self.acted.iter().any(|acted| acted.failed) || (self.orders.acts && trouble()) {
            classes.insert(Class::ActionFailed);
        }
        // An action is due and what would justify it can no longer be told.
        let undecidable = |view: &MachineView| {
            view.verdict == Verdict::Unjudged
                && view.case.as_ref().is_some_and(|case| case.state == Phase::Due)
        };
        let stranded = self.orders.acts && document.instances.iter().any(undecidable);
        if !self.observed.fallen.is_empty() || self.interrupted || stranded {
            classes.insert(Class::Incomplete);
        }
        let undelivered =
            |mail: &MailView| !matches!(mail.status, MailStatus::Accepted | MailStatus::Due);
        if self.mails.iter().any(undelivered) {
            classes.insert(Class::Undelivered);
        }
        classes
    }

    /// Whether an action is wanted in an account in which nothing may be changed for want of a pin.
    fn unpinned(&self, document: &AuditDocument) -> bool {
        let wanted = |view: &MachineView| {
            view.verdict == Verdict::Orphan && view.action.wanted > Some(WantedAction::Report)
        };
        self.orders.acts
            && document.instances.iter().filter(|view| wanted(view)).any(|view| {
                matches!(self.rights.get(&view.account), Some(Err(Refusal::NotPinned { .. })))
            })
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |code: &str, text: String, subject: String| {
            warnings.push(Warning { code: code.to_owned(), text, subject: Some(subject) });
        };
        for fallen in &self.observed.fallen {
            let place = &fallen.place;
            let subject = format!("{}/{}/{}", place.provider, place.account, place.location);
            let text = format!(
                "{subject}: the inventory fell from {} to {}: nothing is concluded from it and \
                 nothing stopped there; if that is right, say --accept-drop once",
                fallen.before, fallen.now
            );
            warn("inventory-fell", text, subject);
        }
        if self.settings.all_accounts {
            for place in &self.observed.unread {
                let subject = format!("{}/{}/{}", place.provider, place.account, place.location);
                let known = self.state.machines_at(place).count();
                if known > 0 {
                    let text = format!(
                        "{subject}: machines known there from earlier runs: {known}; it was not \
                         read to its end: they are not gone, their history stays"
                    );
                    warn("not-read", text, subject);
                }
            }
        }
        let mut denied: BTreeMap<(&str, String), usize> = BTreeMap::new();
        for acted in self.acted {
            if let Some(permission) = &acted.denied {
                let account = format!("{} {}", acted.id.provider, acted.id.account);
                *denied.entry((permission, account)).or_default() += 1;
            }
        }
        for ((permission, account), count) in denied {
            let text = format!(
                "stop permission missing in account {account}: {permission}, for {count} {}",
                if count == 1 { "machine" } else { "machines" }
            );
            warn("stop-denied", text, account);
        }
        for (id, decision) in &self.planned.machines {
            if let Some(trouble) = &decision.trouble {
                warn("stuck", format!("{id}: {trouble}"), id.to_string());
            }
            if let Some(stop) = &decision.appeared_after {
                let text =
                    format!("{id} appeared after the stop of {} under the same name", stop.id);
                warn("appeared-after-stop", text, id.to_string());
            }
        }
        warnings
    }
}

/// Adds something that a reader should know of the run as a whole.
pub(crate) fn warn(document: &mut AuditDocument, code: &str, text: String) {
    document.warnings.push(Warning { code: code.to_owned(), text, subject: None });
}

/// Adds a class to the outcome.
pub(crate) fn add_class(document: &mut AuditDocument, class: Class) {
    let classes = document.outcome.classes.iter().copied().chain([class]);
    document.outcome = Outcome::new(classes.filter(|class| *class != Class::Clean), false);
}

fn by_text(decisions: &Decisions) -> BTreeMap<String, &Decision> {
    decisions.machines.iter().map(|(id, decision)| (id.to_string(), decision)).collect()
}

fn lay_decision(view: &mut MachineView, decision: &Decision, step: Option<&Step>) {
    view.action.planned = match decision.planned {
        Planned::Stop => PlannedAction::Stop,
        Planned::Terminate => PlannedAction::Terminate,
        Planned::Report => PlannedAction::Report,
        Planned::None => PlannedAction::None,
    };
    view.action.call = step.map(|step| step.call.clone());
    if !decision.why.is_empty() {
        view.action.why = Some(decision.why.clone());
    }
    if step.is_none() && matches!(decision.planned, Planned::Stop | Planned::Terminate) {
        // The plan was made before this run's notices were sent.
        view.action.planned = PlannedAction::Report;
        view.action.why = Some("noticed by this run, and due from the next one on".to_owned());
    }
}
