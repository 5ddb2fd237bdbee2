//! Reading a machine until its bill has really ended, or the time for that is over.

use reaper_model::{ActionResult, Step};
use reaper_provider::ErrorKind;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::call::is_ended;
use super::carry::Acting;
use super::outcome::Acted;

impl Acting<'_> {
    /// Waits for the end that the provider itself shows, and records it. What cannot be recorded
    /// stays an open intent, which the next run resolves by reading.
    pub(super) async fn confirm(&self, step: &Step) -> Acted {
        let acted = self.watch_it_end(step).await;
        let Some(result) = acted.result else { return acted };
        match self.record(step, result, &acted.why).await {
            Ok(()) => acted,
            Err(error) if result == ActionResult::Confirmed => {
                Acted::open(step, format!("{}, but that could not be recorded: {error}", acted.why))
            }
            Err(error) => Acted::open(step, format!("{}; {error}", acted.why)),
        }
    }

    async fn watch_it_end(&self, step: &Step) -> Acted {
        let Some(arms) = self.arms.get(&step.account) else {
            return Acted::unconfirmed(step, "its account is not armed any more");
        };
        let began = Instant::now();
        let end = (began + self.limits.confirm).min(self.watch.end());
        let mut last_seen = "nothing".to_owned();
        loop {
            match timeout_at(end, self.look(arms, step)).await {
                Err(_elapsed) => {}
                Ok(Err(error)) if error.kind == ErrorKind::NotFound => {
                    return Acted::confirmed(step, "gone: the provider knows it no more");
                }
                Ok(Err(error)) => last_seen = error.to_string(),
                Ok(Ok(machine)) if is_ended(&machine, step.verb) => {
                    let state = &machine.provider_state;
                    return Acted::confirmed(step, format!("{} shows {state:?}", step.id.provider));
                }
                Ok(Ok(machine)) => last_seen = format!("{:?}", machine.provider_state),
            }
            let next = Instant::now() + self.limits.poll;
            if next >= end || self.unless_ended(sleep_until(next)).await.is_none() {
                break;
            }
        }
        let verb = step.verb.name();
        let seconds = began.elapsed().as_secs();
        let why = format!("{verb} not confirmed: after {seconds} s it shows {last_seen}");
        Acted::unconfirmed(step, why)
    }
}
