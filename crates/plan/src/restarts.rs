//! Machines that are started again after every stop: after the second they are left alone.

use chrono::{DateTime, Utc};
use reaper_model::{ActionResult, Instance, Span};
use reaper_policy::RuleSpec;

use crate::ground::ground;
use crate::memory::{PastAct, Remembered};
use crate::time::after;

/// So many confirmed actions on grounds that still stand, and none more.
const ENOUGH: usize = 2;
/// Between a confirmed action on a machine and the next one.
const REST: Span = Span::from_secs(12 * 3600);

/// When the last of at least two confirmed actions was taken, all on grounds that still stand: the
/// rule that led to each is configured as it was and the tags are what they were. Which rule it was
/// does not count; somebody wants the machine.
pub(crate) fn contested_since(
    remembered: Option<&Remembered>,
    rules: &[RuleSpec],
    instance: &Instance,
) -> Option<DateTime<Utc>> {
    let stands = |act: &&PastAct| {
        act.result == ActionResult::Confirmed
            && rules
                .iter()
                .any(|rule| rule.name == act.rule && ground(rule, &instance.tags) == act.ground)
    };
    let standing: Vec<_> = remembered?.acts.iter().filter(stands).map(|act| act.at).collect();
    standing.iter().max().copied().filter(|_| standing.len() >= ENOUGH)
}

/// Until when a machine is left alone after a confirmed action, if that lies ahead.
pub(crate) fn resting_until(remembered: &Remembered, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let confirmed = remembered.acts.iter().filter(|act| act.result == ActionResult::Confirmed);
    let last = confirmed.map(|act| act.at).max()?;
    Some(after(last, REST)).filter(|until| *until > now)
}
