//! Steps of a plan that are not begun because the machine is not there, could not be read, or is
//! decided about otherwise today.

use reaper_ledger::Error;
use reaper_model::{ActionResult, Step};
use reaper_provider::ProviderError;

use super::call::Called;
use super::carry::Acting;
use super::outcome::Acted;

/// Why a step is not begun.
#[derive(Debug, Clone, Copy)]
pub enum Left<'a> {
    /// Its machine could not be read; gone, if the provider says so itself.
    Unread(&'a ProviderError),
    /// The decision of today is not the plan's; why, for people.
    Otherwise(&'a str),
}

/// Records that a step is not begun.
pub async fn leave(acting: &Acting<'_>, step: &Step, left: Left<'_>) -> Acted {
    match acting.left(step, left).await {
        Ok(acted) => acted,
        Err(error) => Acted::unrecorded(step, &error),
    }
}

impl Acting<'_> {
    async fn left(&self, step: &Step, left: Left<'_>) -> Result<Acted, Error> {
        match left {
            Left::Unread(error) => match self.unread(step, error).await? {
                Called::Ended(acted) => Ok(acted),
                Called::Waiting => Ok(Acted::unread(step, error)),
            },
            Left::Otherwise(why) => {
                let acted = Acted::dropped(step, why);
                // What an earlier run has left open is not ended by leaving the machine alone.
                let open = {
                    let journal = self.journal.lock().await;
                    let machine = journal.state().machine(&step.id);
                    machine.is_none_or(|machine| machine.open_action.is_some())
                };
                if !open {
                    self.record(step, ActionResult::SkippedChanged, &acted.why).await?;
                }
                Ok(acted)
            }
        }
    }
}
