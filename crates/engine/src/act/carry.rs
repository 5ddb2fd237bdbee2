//! The steps of a plan, one after the other; their confirmations side by side.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use reaper_ledger::{ActionStep, Case, Decision, Entry, Error, Phase, State};
use reaper_model::document::{Answer, WantedAction};
use reaper_model::{AccountName, ActionResult, Fingerprint, Instance, Measured, Span, Step};
use reaper_policy::{Judgement, Policy, Subject, Suspects};
use reaper_provider::{
    Armed, CallContext, Delivery, ErrorKind, Fresh, Identity, ProviderError, RequestCounter,
};
use tokio::sync::Mutex;

use super::call::Called;
use super::hook::Hook;
use super::outcome::Acted;
use crate::assess::window;
use crate::clock::Clock;
use crate::collect::Account;
use crate::interrupt::Interrupt;
use crate::journal::Journal;
use crate::sensors::Sensors;
use crate::watch::Watch;

/// An account that may be acted in.
#[derive(Debug, Clone)]
pub struct Arms {
    /// The account with its adapter.
    pub account: Account,
    /// Who its credentials are, as its pin demands.
    pub identity: Identity,
    /// The right to act.
    pub armed: Armed,
}

/// Time limits and bounds of acting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActLimits {
    /// How long a stop may take to be confirmed.
    pub confirm: Duration,
    /// Time between two reads of a machine that is on its way down.
    pub poll: Duration,
    /// Calls per step, the first included; before each further one the machine is read.
    pub attempts: u32,
    /// How long a run may go on after an interrupt. Half of it is for what was begun, the rest for
    /// recording and saying how that ended.
    pub grace: Duration,
}

/// All that carrying out needs.
#[derive(Debug)]
pub struct Acting<'a> {
    /// The accounts that may be acted in.
    pub arms: &'a BTreeMap<AccountName, Arms>,
    /// The rules by which a machine is judged anew.
    pub policy: &'a Policy,
    /// Who is asked what was measured, where a rule asks for that.
    pub sensors: &'a Sensors,
    /// Sources that were not believed when all machines were judged.
    pub suspects: &'a Suspects,
    /// The clock of the run.
    pub clock: Clock,
    /// Time limits of the run.
    pub watch: &'a Watch,
    /// Heeded before anything new is begun.
    pub interrupt: &'a Interrupt,
    /// Time limits of acting.
    pub limits: ActLimits,
    /// The team's command before a stop.
    pub hook: Option<&'a Hook>,
    /// Where intents and results are recorded.
    pub journal: &'a Mutex<Journal>,
    /// The digest of the plan.
    pub plan: &'a str,
}

/// Carries out `steps` in their order. Every step ends in one [`Acted`], in the order of the
/// steps.
pub async fn carry_out(acting: &Acting<'_>, steps: &[Step]) -> Vec<Acted> {
    let mut called = Vec::new();
    let mut state_is_lost = None;
    for step in steps {
        if acting.interrupt.is_raised() {
            called.push(Called::Ended(Acted::interrupted(step)));
            continue;
        }
        if let Some(error) = &state_is_lost {
            called.push(Called::Ended(Acted::unrecorded(step, error)));
            continue;
        }
        match acting.call(step).await {
            Ok(done) => called.push(done),
            Err(error) => {
                called.push(Called::Ended(Acted::unrecorded(step, &error)));
                state_is_lost = Some(error);
            }
        }
    }
    join_all(steps.iter().zip(called).map(|(step, called)| async move {
        match called {
            Called::Ended(acted) => acted,
            Called::Waiting => acting.confirm(step).await,
        }
    }))
    .await
}

/// A machine as read just now, and judged anew.
pub(super) struct Read {
    pub(super) instance: Instance,
    pub(super) judgement: Judgement,
    fingerprint: Fingerprint,
    asked: bool,
}

impl Read {
    pub(super) fn fresh(&self) -> Fresh<'_> {
        Fresh {
            instance: &self.instance,
            fingerprint: &self.fingerprint,
            asked: self.asked,
            verdict: self.judgement.verdict,
            why: &self.judgement.why,
        }
    }
}

fn interrupted(call: &str) -> ProviderError {
    let detail = "the run was interrupted";
    ProviderError::new(ErrorKind::Timeout, Delivery::MaybeSent, call, detail)
}

/// Whether this very rule still asks for an action, and nothing has capped it to a report. That
/// another rule finds the machine too is no ground.
fn still_asked(judgement: &Judgement, rule: &str) -> bool {
    judgement.wanted > Some(WantedAction::Report)
        && judgement.rules.iter().any(|answer| {
            answer.rule == rule
                && answer.answer == Answer::Yes
                && answer.action > WantedAction::Report
        })
}

impl Acting<'_> {
    pub(super) fn context(&self) -> CallContext {
        CallContext { now: self.clock.now(), requests: RequestCounter::default() }
    }

    /// Reads the machine again, alone, and judges it. Measured anew where a rule asks for that, up
    /// to now, and then read once more, because measuring takes its time.
    pub(super) async fn read(&self, arms: &Arms, step: &Step) -> Result<Read, ProviderError> {
        let mut instance = self.look(arms, step).await?;
        let mut measured = None;
        if let Some(length) = self.policy.idle_window([&instance], self.clock.now()) {
            measured = Some(self.measure(arms, &instance, length).await?);
            instance = self.look(arms, step).await?;
        }
        let subject = Subject::new(&instance, &arms.account.name, self.clock.now());
        let subject = subject.with_measured(measured.as_ref()).with_suspects(self.suspects);
        let judgement = self.policy.judge(&subject);
        let fingerprint = reaper_plan::fingerprint(&instance, &judgement.owner);
        let asked = still_asked(&judgement, &step.rule);
        Ok(Read { instance, judgement, fingerprint, asked })
    }

    /// What the provider shows of the machine now. After an interrupt no answer is one.
    pub(super) async fn look(&self, arms: &Arms, step: &Step) -> Result<Instance, ProviderError> {
        let cx = self.context();
        let reading = arms.account.provider.read(&cx, &arms.identity, &step.id);
        let reading = self.watch.within_time("reading it again", reading);
        self.unless_ended(reading).await.unwrap_or_else(|| Err(interrupted("reading it again")))?
    }

    async fn measure(
        &self,
        arms: &Arms,
        instance: &Instance,
        length: Span,
    ) -> Result<Measured, ProviderError> {
        let cx = self.context();
        let window = window(length, cx.now);
        let provider = arms.account.provider.as_ref();
        let machines = [instance];
        let asked = self.sensors.measure(provider, &machines, &window, (&cx, self.watch));
        let told = self.unless_ended(asked).await;
        let mut told = told.ok_or_else(|| interrupted("measuring it again"))?;
        Ok(told.remove(&instance.id).unwrap_or_default())
    }

    /// Records how a step ended; with the end of the bill its case is over.
    pub(super) async fn record(
        &self,
        step: &Step,
        result: ActionResult,
        why: &str,
    ) -> Result<(), Error> {
        let ended = Entry::Action {
            id: step.id.clone(),
            rule: step.rule.clone(),
            verb: step.verb,
            step: ActionStep::Ended { result, why: why.to_owned() },
        };
        let over = matches!(result, ActionResult::Confirmed | ActionResult::AlreadyGone);
        let at = self.clock.now();
        let mut journal = self.journal.lock().await;
        let decide = |state: &State| {
            let case = state.machine(&step.id).and_then(|machine| machine.cases.get(&step.rule));
            let acted = case.filter(|_| over).map(|case| Entry::CaseChanged {
                id: step.id.clone(),
                rule: step.rule.clone(),
                case: Some(Case { phase: Phase::Acted, why: why.to_owned(), ..case.clone() }),
            });
            Decision::Write([ended.clone()].into_iter().chain(acted).collect(), ())
        };
        journal.append(at, decide).await
    }
}
