//! Exchange rates as a period first used them. An amount that was counted at one rate stays counted
//! at it, so that no threshold is crossed because the rates of the configuration have moved.

use chrono::{DateTime, Utc};
use reaper_model::Rate;
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::fold::Contradiction;
use crate::state::State;

/// The rates of one period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frozen {
    /// When the last of them was frozen.
    pub(crate) at: DateTime<Utc>,
    pub(crate) rates: Vec<Rate>,
}

impl State {
    /// The rates of a period such as `2026-11`, as they were when it first used them.
    pub fn rates(&self, period: &str) -> &[Rate] {
        self.rates.get(period).map_or(&[], |frozen| &frozen.rates)
    }

    /// The entry that freezes for a period those of `rates` that it has not used before; `None`
    /// when it has used them all.
    pub fn freeze(&self, period: &str, rates: &[Rate]) -> Option<Entry> {
        let frozen = self.rates(period);
        let mut new: Vec<Rate> = Vec::new();
        for rate in rates {
            if !frozen.iter().chain(&new).any(|known| converts_alike(known, rate)) {
                new.push(*rate);
            }
        }
        let period = period.to_owned();
        (!new.is_empty()).then_some(Entry::RatesFrozen { period, rates: new })
    }

    /// Folds what [`State::freeze`] made. What is frozen is never frozen again: of two runs the
    /// second reads what the first has written and decides anew.
    pub(crate) fn fold_frozen(
        &mut self,
        at: DateTime<Utc>,
        period: &str,
        rates: &[Rate],
    ) -> Result<(), Contradiction> {
        let fresh = || Frozen { at, rates: Vec::new() };
        let frozen = self.rates.entry(period.to_owned()).or_insert_with(fresh);
        for rate in rates {
            if frozen.rates.iter().any(|known| converts_alike(known, rate)) {
                let (period, from, to) = (period.to_owned(), rate.from, rate.to);
                return Err(Contradiction::RateFrozen { period, from, to });
            }
            frozen.rates.push(*rate);
        }
        frozen.at = frozen.at.max(at);
        Ok(())
    }
}

/// Whether two rates convert between the same currencies.
fn converts_alike(one: &Rate, other: &Rate) -> bool {
    (one.from, one.to) == (other.from, other.to)
}
