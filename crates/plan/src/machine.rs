//! One machine: what can be concluded about it, and what keeps it from being acted upon.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use reaper_model::document::{Answer, Verdict};
use reaper_model::{ActionResult, Case, Meter, Phase, State, Step};

use crate::cases::{Counted, Past, Standing, standing, unpriced};
use crate::decision::{CaseChange, Decision, Planned};
use crate::mails::Mails;
use crate::memory::{RecentStop, Remembered};
use crate::question::{Candidate, Question, Way};
use crate::recipients;
use crate::restarts::{contested_since, resting_until};
use crate::seal::fingerprint;
use crate::time::stamp;
use crate::twins::{appeared_after, replaces};

/// One machine, weighed.
pub(crate) struct Weighed<'a> {
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) conclusion: Conclusion<'a>,
    /// An action of ours that hangs.
    pub(crate) trouble: Option<String>,
    pub(crate) appeared_after: Option<&'a RecentStop>,
    /// What would be done, or why nothing.
    pub(crate) step: Result<Step, String>,
    remembered: Option<&'a Remembered>,
    /// Which of the cases is furthest.
    leading: Option<usize>,
}

/// What the evidence allows to conclude.
pub(crate) enum Conclusion<'a> {
    /// Nothing: the cases stay as they are.
    Nothing,
    /// Nothing as a whole, but which rules say no: their cases are over.
    Open,
    /// That it is no orphan: the cases are over.
    Cleared,
    /// That it is one, on these grounds.
    Orphan(Vec<Standing<'a>>),
}

/// Weighs one machine.
pub(crate) fn weigh<'a>(
    question: &Question<'a>,
    mails: &Mails<'a>,
    candidate: &'a Candidate<'a>,
) -> Weighed<'a> {
    let instance = candidate.instance;
    let remembered = question.memory.machines.get(&instance.id);
    let first_seen = remembered.map_or(question.now, |machine| machine.first_seen);
    let stops = question.memory.stops.as_slice();
    let trouble = trouble(candidate, remembered);
    let mut weighed = Weighed {
        candidate,
        conclusion: Conclusion::Nothing,
        trouble,
        appeared_after: appeared_after(stops, instance, first_seen),
        step: Err(candidate.judgement.why.clone()),
        remembered,
        leading: None,
    };
    match candidate.judgement.verdict {
        _ if !candidate.whole => {
            weighed.step = Err("its location was not read whole or lost most of its machines: nothing is concluded".to_owned());
        }
        Verdict::Unjudged => weighed.conclusion = Conclusion::Open,
        Verdict::Ok | Verdict::Exempt | Verdict::Protected | Verdict::Managed => {
            weighed.conclusion = Conclusion::Cleared;
        }
        Verdict::Orphan => {
            let twin = replaces(stops, instance, first_seen);
            let contested = contested_since(remembered, question.rules, instance);
            let past = Past { remembered, contested, twin: twin.as_deref() };
            let cases = standing(question, mails, candidate, past);
            let obstacle =
                weighed.trouble.clone().or_else(|| obstacle(question, candidate, remembered));
            (weighed.leading, weighed.step) = step(question, candidate, &cases, obstacle);
            weighed.conclusion = Conclusion::Orphan(cases);
        }
    }
    if let Some(trouble) = &weighed.trouble {
        weighed.step = Err(trouble.clone());
    }
    weighed
}

impl Weighed<'_> {
    /// The cases that differ from the remembered ones.
    pub(crate) fn changes(&self) -> Vec<CaseChange> {
        let known = self.remembered.into_iter().flat_map(|machine| &machine.cases);
        let change = |rule: &str, case: Option<&Case>| CaseChange {
            id: self.candidate.instance.id.clone(),
            rule: rule.to_owned(),
            case: case.cloned(),
        };
        match &self.conclusion {
            Conclusion::Nothing => Vec::new(),
            Conclusion::Open => known
                .filter(|(rule, _)| self.is_over(rule))
                .map(|(rule, _)| change(rule, None))
                .collect(),
            Conclusion::Cleared => known.map(|(rule, _)| change(rule, None)).collect(),
            Conclusion::Orphan(cases) => {
                let over = known
                    .filter(|(rule, _)| {
                        cases.iter().all(|standing| standing.rule.name != **rule)
                            && self.is_over(rule)
                    })
                    .map(|(rule, _)| change(rule, None));
                let new = cases
                    .iter()
                    .filter(|standing| self.remembers(&standing.rule.name) != Some(&standing.case))
                    .map(|standing| change(&standing.rule.name, Some(&standing.case)));
                over.chain(new).collect()
            }
        }
    }

    /// For people and programs; `held` is what the brake says.
    pub(crate) fn decision(&self, held: bool) -> Decision {
        let (rule, case) = match (&self.conclusion, self.leading) {
            (Conclusion::Orphan(cases), Some(leading)) => cases
                .get(leading)
                .map(|standing| (standing.rule.name.clone(), standing.case.clone()))
                .unzip(),
            (Conclusion::Nothing | Conclusion::Open, _) => self
                .remembered
                .into_iter()
                .flat_map(|machine| &machine.cases)
                .filter(|(rule, _)| {
                    matches!(self.conclusion, Conclusion::Nothing) || !self.is_over(rule)
                })
                .min_by_key(|(_, case)| rank(case))
                .map(|(rule, case)| (rule.clone(), case.clone()))
                .unzip(),
            _ => (None, None),
        };
        let (planned, why) = match &self.step {
            Ok(step) if held => (step.verb.into(), "due, and held by the brake".to_owned()),
            Ok(step) => {
                let why = self.consent().map_or_else(
                    || "its notice was accepted and its period is over".to_owned(),
                    |tag| format!("its owner asks for it by {tag}"),
                );
                (step.verb.into(), why)
            }
            Err(why) if matches!(self.conclusion, Conclusion::Orphan(_)) => {
                (Planned::Report, why.clone())
            }
            Err(why) => (Planned::None, why.clone()),
        };
        Decision {
            rule,
            case,
            planned,
            why,
            trouble: self.trouble.clone(),
            appeared_after: self.appeared_after.cloned(),
        }
    }

    /// What stands for a notice of the leading case.
    fn consent(&self) -> Option<&str> {
        match &self.conclusion {
            Conclusion::Orphan(cases) => cases.get(self.leading?)?.consent,
            _ => None,
        }
    }

    fn remembers(&self, rule: &str) -> Option<&Case> {
        self.remembered?.cases.get(rule)
    }

    /// Whether a rule says no, or is configured no more: its finding has vanished, whatever cannot
    /// be told of the others.
    fn is_over(&self, rule: &str) -> bool {
        let answers = &self.candidate.judgement.rules;
        !answers.iter().any(|answer| answer.rule == rule && answer.answer != Answer::No)
    }
}

/// Our last action on the machine, if it hangs.
fn trouble(candidate: &Candidate<'_>, remembered: Option<&Remembered>) -> Option<String> {
    let instance = candidate.instance;
    // What was skipped since then called nothing, and has no ground.
    let last = remembered?.acts.iter().rfind(|act| !act.ground.is_empty())?;
    let between = matches!(instance.state, State::Pending | State::Stopping | State::Ending);
    let hangs =
        last.result == ActionResult::Unconfirmed && between && instance.meter != Meter::Ended;
    hangs.then(|| {
        format!(
            "stuck in `{}` since {}, may still be billed",
            instance.provider_state,
            stamp(last.at)
        )
    })
}

/// What keeps a due machine from being acted upon now.
fn obstacle(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
    remembered: Option<&Remembered>,
) -> Option<String> {
    let instance = candidate.instance;
    if let Some(began) = remembered.and_then(|machine| machine.open_action) {
        return Some(format!("an action of {} has no result yet", stamp(began)));
    }
    if !matches!(instance.state, State::Running | State::Stopped | State::Failed) {
        return Some(format!("it is {}: left to the next run", instance.state));
    }
    if let Some(until) = remembered.and_then(|machine| resting_until(machine, question.now)) {
        return Some(format!(
            "it was acted upon less than 12h ago and started again: left alone until {}",
            stamp(until)
        ));
    }
    unpriced(question, candidate)
}

/// The leading case and its step, or why there is none.
fn step(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
    cases: &[Standing<'_>],
    obstacle: Option<String>,
) -> (Option<usize>, Result<Step, String>) {
    let due = cases
        .iter()
        .enumerate()
        .filter_map(|(place, standing)| {
            standing.due().map(|(way, counted)| (place, standing, way, counted))
        })
        .min_by_key(|(_, standing, way, counted)| {
            (Reverse(way.verb), counted.due, standing.rule.name.as_str())
        });
    if let Some((place, standing, way, counted)) = due {
        let step = match obstacle {
            Some(why) => Err(why),
            None => Ok(written(candidate, standing, way, counted)),
        };
        return (Some(place), step);
    }
    let first = cases
        .iter()
        .enumerate()
        .min_by_key(|(_, standing)| (standing.way.is_err(), rank(&standing.case)));
    match first {
        Some((place, standing)) => (Some(place), Err(waiting(question, standing))),
        None => (None, Err(candidate.judgement.why.clone())),
    }
}

/// How far a case is, the furthest first.
fn rank(case: &Case) -> (u8, Option<DateTime<Utc>>) {
    let place = match case.phase {
        Phase::Acted => 0,
        Phase::Contested => 1,
        Phase::Due => 2,
        Phase::Noticed => 3,
        Phase::New => 4,
    };
    (place, case.due_at)
}

/// Why a case that is not due is not acted upon.
fn waiting(question: &Question<'_>, standing: &Standing<'_>) -> String {
    match (&standing.way, standing.case.due_at) {
        _ if standing.case.phase == Phase::Contested => {
            format!("contested: {}", standing.case.why)
        }
        (Err(why), _) => format!("report only: {why}"),
        (Ok(way), Some(_)) => format!("will be {} when it is due", way.verb.done()),
        (Ok(_), None) if standing.recipients.is_empty() => {
            recipients::nobody(question.routing).to_owned()
        }
        (Ok(_), None) if question.enforces => "no notice of an action was accepted yet".to_owned(),
        (Ok(_), None) => "notice of an action is given once runs enforce".to_owned(),
    }
}

/// On which notice, in words.
fn noticed(standing: &Standing<'_>, counted: &Counted) -> String {
    if let Some(tag) = standing.consent {
        return format!("its owner asks for it by {tag}, which stands for the notice");
    }
    format!(
        "notice {} was accepted at {}, its period ended at {}{}",
        counted.key,
        stamp(counted.at),
        stamp(counted.due),
        match counted.hastened_by.join(", ") {
            budgets if budgets.is_empty() => String::new(),
            budgets => format!(" with the budget {budgets}, as it said"),
        }
    )
}

fn written(
    candidate: &Candidate<'_>,
    standing: &Standing<'_>,
    way: &Way,
    counted: &Counted,
) -> Step {
    let instance = candidate.instance;
    Step {
        id: instance.id.clone(),
        account: candidate.account.clone(),
        name: instance.name.value().cloned(),
        verb: way.verb,
        call: way.call.to_owned(),
        rule: standing.rule.name.clone(),
        reasons: vec![
            format!("{}: {}", standing.rule.name, standing.answer.explanation),
            noticed(standing, counted),
        ],
        hastened_by: counted.hastened_by.clone(),
        notice: counted.key.clone(),
        noticed_at: counted.at,
        due_at: counted.due,
        fingerprint: fingerprint(instance, &candidate.judgement.owner),
        ground: standing.case.ground.clone(),
        hourly: candidate.hourly,
        value: candidate.value(),
        saves_per_month: candidate.saves_per_month,
        still_charged: candidate.still_charged.clone(),
        loses: way.loses.clone(),
    }
}
