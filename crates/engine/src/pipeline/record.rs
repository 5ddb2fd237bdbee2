//! What a run records of what it has seen, before anything is decided.

use chrono::{DateTime, Utc};
use reaper_budget::Month;
use reaper_ledger::{Decision, Error, State};
use reaper_model::Rate;
use reaper_provider::Identity;

use super::Runner;
use crate::assess::Assessed;
use crate::collect::{Account, Inventory};
use crate::journal::Journal;
use crate::money::bills;
use crate::money::books::{self, Books, period};
use crate::money::readings::readings;
use crate::observe::{Belief, Observed, observe};

impl Runner<'_> {
    pub(super) async fn record_listings(
        &self,
        inventory: &Inventory,
        journal: &mut Journal,
    ) -> Result<Observed, Error> {
        let recorded = journal.head().is_some();
        journal
            .append(self.clock.now(), |state| {
                let belief = Belief {
                    accept_drop: self.orders.accept_drop,
                    all_accounts: self.settings.all_accounts && inventory.failures.is_empty(),
                };
                let mut observed = observe(state, inventory, belief);
                let entries = std::mem::take(&mut observed.entries);
                // What an audit without history would remember is of use to nobody.
                if recorded || !self.orders.tells.is_nothing() {
                    Decision::Write(entries, observed)
                } else {
                    Decision::Leave(observed)
                }
            })
            .await
    }

    /// What machines cost is recorded as it is now; later prices change nothing of it. So are the
    /// rates that the month's budgets use first.
    pub(super) async fn record_readings(
        &self,
        now: DateTime<Utc>,
        machines: &[Assessed],
        journal: &mut Journal,
    ) -> Result<(), Error> {
        let period = period(&Month::holding(now, self.settings.zone));
        let rates: Vec<Rate> = if self.settings.budgets.is_empty() {
            Vec::new()
        } else {
            self.settings.exchange.rates().copied().collect()
        };
        journal
            .append(now, |state| {
                let mut entries = state.meter_entries(now, &readings(machines, state));
                entries.extend(state.freeze(&period, &rates));
                if entries.is_empty() { Decision::Leave(()) } else { Decision::Write(entries, ()) }
            })
            .await
    }

    /// What budgets stand on, at the time of the readings: a machine runs if it was read to run then.
    /// Bills are asked for where there is a budget to hold against them.
    pub(super) async fn books(
        &self,
        now: DateTime<Utc>,
        inventory: &Inventory,
        observed: &Observed,
        known: &[(Account, Identity)],
        state: &State,
    ) -> Books {
        let month = Month::holding(now, self.settings.zone);
        let budgets = self.settings.budgets.clone();
        let asked = !budgets.is_empty() && inventory.wrong_accounts.is_empty();
        let today = self.settings.exchange.clone();
        Books {
            bills: if asked { bills::ask(known, &self.watch, now).await } else { Vec::new() },
            unread: books::unread(inventory, observed, &self.settings.configured, self.accounts),
            accounts: self.settings.configured.clone(),
            exchange: books::rates_of(state, &month, &today),
            recounted: books::recounted(state, &month, &today),
            today,
            budgets,
            month,
            now,
        }
    }
}
