//! Machines kept by `reaper keep`: exemptions of the state beside those of the configuration.

use chrono::{DateTime, Utc};
use reaper_ledger::State;
use reaper_policy::{Conditions, Exemption, Pattern, PolicySpec};

/// The policy with an exemption for every machine that the state keeps at `now`.
pub fn with_kept(mut spec: PolicySpec, state: &State, now: DateTime<Utc>) -> PolicySpec {
    for (id, kept) in state.exemptions() {
        if kept.until <= now {
            continue;
        }
        // An id is never blank, so that this pattern always is one.
        let Ok(this_machine) = Pattern::literal(&id.to_string()) else { continue };
        let matches = Conditions { id: vec![this_machine], ..Conditions::default() };
        spec.exemptions.push(Exemption {
            matches,
            owner: Some(kept.by.clone()).filter(|by| !by.is_empty()),
            reason: kept.reason.clone(),
            until: kept.until,
            until_text: kept.until.format("%Y-%m-%d %H:%M UTC").to_string(),
        });
    }
    spec
}
