//! One step up to its call: read again, ask the hook, authorise, record the intent, call, and after
//! every answer but a plain yes read before anything else.

use reaper_ledger::{ActionStep, Decision, Entry, Error, State};
use reaper_model::{ActionResult, Instance, Meter, State as MachineState, Step, Verb};
use reaper_provider::{Delivery, ErrorKind, ProviderError, StopPermit, authorise};

use super::carry::{Acting, Arms, Read};
use super::outcome::Acted;

/// How far a step is after its call.
pub(super) enum Called {
    /// It has ended, and that is recorded.
    Ended(Acted),
    /// The provider took the call; whether the bill has ended is to be seen.
    Waiting,
}

/// What a machine shows after a call whose answer was no plain yes.
enum After {
    Gone,
    Down,
    OnTheWayDown,
    ComingUp,
    Up,
    Unread(ProviderError),
}

impl Acting<'_> {
    /// # Errors
    ///
    /// The state could not be written, so that nothing was called.
    pub(super) async fn call(&self, step: &Step) -> Result<Called, Error> {
        let Some(arms) = self.arms.get(&step.account) else {
            let refusal = reaper_provider::Refusal::NotPinned { account: step.account.clone() };
            return self.skip(step, &refusal).await;
        };
        let mut read = match self.read(arms, step).await {
            Ok(read) => read,
            Err(error) => return self.unread(step, &error).await,
        };
        let mut permit = authorise(&arms.armed, step, &read.fresh(), self.clock.now());
        if let (Ok(_), Some(hook)) = (&permit, self.hook) {
            if let Err(why) = hook.run(step, &read.instance, &read.judgement, self.interrupt).await
            {
                let acted = Acted::blocked(step, &why);
                self.record(step, ActionResult::Refused, &acted.why).await?;
                return Ok(Called::Ended(acted));
            }
            // Minutes may have passed: what was read before the hook is no fresh read any more.
            read = match self.read(arms, step).await {
                Ok(read) => read,
                Err(error) => return self.unread(step, &error).await,
            };
            permit = authorise(&arms.armed, step, &read.fresh(), self.clock.now());
        }
        match permit {
            Ok(_) if self.interrupt.is_raised() => Ok(Called::Ended(Acted::interrupted(step))),
            Ok(permit) => match self.intend(step, &read).await? {
                None => self.call_until_taken(arms, step, permit).await,
                Some(kept) => {
                    let acted = Acted::dropped(step, &format!("kept since the run began: {kept}"));
                    self.record(step, ActionResult::SkippedChanged, &acted.why).await?;
                    Ok(Called::Ended(acted))
                }
            },
            Err(_) if is_down(&read.instance) => {
                let why = format!("already {} by somebody else", read.instance.provider_state);
                self.record(step, ActionResult::SkippedChanged, &why).await?;
                Ok(Called::Ended(Acted::already(step, &why)))
            }
            Err(refusal) => self.skip(step, &refusal).await,
        }
    }

    /// The intent stands in the log before the call goes out. There is none, but the reason, if
    /// somebody has kept the machine in the meantime: that may be in the log alone.
    async fn intend(&self, step: &Step, read: &Read) -> Result<Option<String>, Error> {
        let entry = Entry::Action {
            id: step.id.clone(),
            rule: step.rule.clone(),
            verb: step.verb,
            step: ActionStep::Intended {
                plan: self.plan.to_owned(),
                ground: step.ground.clone(),
                looks: reaper_plan::looks(&read.instance),
            },
        };
        let at = self.clock.now();
        let decide = |state: &State| match state.exemption(&step.id, at) {
            Some(kept) => Decision::Leave(Some(kept.reason.clone())),
            None => Decision::Write(vec![entry.clone()], None),
        };
        self.journal.lock().await.append(at, decide).await
    }

    /// Calls, and after a failure reads the machine; calls again only if it is still up, unchanged
    /// and the failure was one of the wire or of the provider's health.
    async fn call_until_taken(
        &self,
        arms: &Arms,
        step: &Step,
        permit: StopPermit,
    ) -> Result<Called, Error> {
        let mut permit = Some(permit);
        let mut may_have_worked = false;
        for attempt in 1.. {
            let Some(right) = permit.take() else { break };
            let cx = self.context();
            let call = arms.account.provider.act(&cx, right);
            let Some(answer) = self.unless_ended(call).await else {
                let why = "called; the run was ended before the answer, the next one will read it";
                return Ok(Called::Ended(Acted::open(step, why)));
            };
            let error = match answer {
                Ok(()) => return Ok(Called::Waiting),
                Err(error) => error,
            };
            tracing::debug!(id = %step.id, attempt, %error, "the call failed");
            if matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::Protected) {
                return self.end(step, Acted::turned_down(step, &error, may_have_worked)).await;
            }
            // An earlier call may be on its way while this one is turned down.
            let earlier_may_have_worked = may_have_worked;
            may_have_worked |= may_be_carried_out(&error);
            match self.after(arms, step).await {
                After::Gone | After::Down if may_have_worked => return Ok(Called::Waiting),
                After::Gone => return self.end(step, Acted::already(step, "already gone")).await,
                After::Down => {
                    return self.end(step, Acted::already(step, "already stopped")).await;
                }
                After::OnTheWayDown => return Ok(Called::Waiting),
                After::ComingUp => return self.end(step, Acted::not_yet(step, &error)).await,
                After::Unread(unread) => {
                    let why = format!("{error}; and then it could not be read: {unread}");
                    return self.end(step, Acted::unconfirmed(step, why)).await;
                }
                After::Up => {
                    if !worth_another(&error) {
                        let acted = Acted::turned_down(step, &error, earlier_may_have_worked);
                        return self.end(step, acted).await;
                    }
                    let last = attempt >= self.limits.attempts.max(1);
                    if last || !self.wait_before_retry(&error).await {
                        let why = format!("not stopped: {error}");
                        return self.end(step, Acted::unconfirmed(step, why)).await;
                    }
                    match self.permit_anew(arms, step).await {
                        Ok(Some(right)) => permit = Some(right),
                        Ok(None) => return Ok(Called::Waiting),
                        Err(why) => {
                            let why = format!("not stopped: {error}; then: {why}");
                            return self.end(step, Acted::unconfirmed(step, why)).await;
                        }
                    }
                }
            }
        }
        let why = "called without an answer that could be used";
        self.end(step, Acted::unconfirmed(step, why)).await
    }

    /// The right to call once more follows from a read after the wait; `None` if the machine is
    /// down or on its way.
    async fn permit_anew(&self, arms: &Arms, step: &Step) -> Result<Option<StopPermit>, String> {
        match self.read(arms, step).await {
            Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
            Ok(read) if is_down(&read.instance) => Ok(None),
            Ok(_) if self.interrupt.is_raised() => Err("the run was interrupted".to_owned()),
            Ok(read) => authorise(&arms.armed, step, &read.fresh(), self.clock.now())
                .map(Some)
                .map_err(|refusal| refusal.to_string()),
        }
    }

    async fn after(&self, arms: &Arms, step: &Step) -> After {
        match self.look(arms, step).await {
            Err(error) if error.kind == ErrorKind::NotFound => After::Gone,
            Err(error) => After::Unread(error),
            Ok(instance) => match instance.state {
                _ if is_ended(&instance, step.verb) => After::Down,
                MachineState::Stopping | MachineState::Ending => After::OnTheWayDown,
                MachineState::Pending | MachineState::Restarting => After::ComingUp,
                _ => After::Up,
            },
        }
    }

    /// Waits as the provider asks or one poll; `false` if the run ends before that.
    async fn wait_before_retry(&self, error: &ProviderError) -> bool {
        let wait = error.retry_after.unwrap_or(self.limits.poll);
        if wait > self.limits.confirm {
            return false;
        }
        tokio::select! {
            biased;
            () = tokio::time::sleep(wait) => !self.interrupt.is_raised(),
            _since = self.interrupt.raised() => false,
        }
    }

    /// What was begun is waited for, but after an interrupt only for a while, which all that a run
    /// has begun shares.
    pub(super) async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.interrupt.bear(self.limits.grace / 2, work).await
    }

    async fn skip(&self, step: &Step, refusal: &reaper_provider::Refusal) -> Result<Called, Error> {
        let acted = Acted::skipped(step, refusal);
        self.record(step, ActionResult::SkippedChanged, &acted.why).await?;
        Ok(Called::Ended(acted))
    }

    pub(super) async fn unread(&self, step: &Step, error: &ProviderError) -> Result<Called, Error> {
        if error.kind != ErrorKind::NotFound {
            return Ok(Called::Ended(Acted::unread(step, error)));
        }
        let at = self.clock.now();
        let entry = Entry::NotFound { id: step.id.clone() };
        let mut journal = self.journal.lock().await;
        journal.append(at, |_| Decision::Write(vec![entry.clone()], ())).await?;
        Ok(Called::Ended(Acted::already(step, "already gone: the provider knows it no more")))
    }

    /// Ends a step whose intent is recorded.
    pub(super) async fn end(&self, step: &Step, acted: Acted) -> Result<Called, Error> {
        if let Some(result) = acted.result {
            self.record(step, result, &acted.why).await?;
        }
        Ok(Called::Ended(acted))
    }
}

/// Whether the provider shows a state in which the bill that `verb` ends has ended.
pub(super) fn is_ended(instance: &Instance, verb: Verb) -> bool {
    match (instance.state, instance.meter) {
        (MachineState::Ended, Meter::Ended) => true,
        (MachineState::Stopped, Meter::StoppedFree) => verb == Verb::Stop,
        _ => false,
    }
}

/// Whether it is down or gone, whoever did it.
fn is_down(instance: &Instance) -> bool {
    is_ended(instance, Verb::Stop)
        || matches!(instance.state, MachineState::Ending | MachineState::Stopping)
}

/// Whether the call may have been carried out all the same: nobody answered, or the answer was a
/// gateway's, or none that could be read.
fn may_be_carried_out(error: &ProviderError) -> bool {
    let answered_no = matches!(
        error.kind,
        ErrorKind::Conflict | ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Throttled
    );
    error.delivery != Delivery::NotSent && !answered_no
}

/// Failures of the wire, or of the provider's health; everything else is an answer.
fn worth_another(error: &ProviderError) -> bool {
    matches!(
        error.kind,
        ErrorKind::Throttled
            | ErrorKind::ServerFault
            | ErrorKind::Timeout
            | ErrorKind::Unreachable
            | ErrorKind::Protocol
    )
}
