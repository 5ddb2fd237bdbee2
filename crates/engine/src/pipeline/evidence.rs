//! What a run finds out about its machines besides their listing: what is charged beside them, the
//! judgement of what was measured, and what would do for less.

use std::sync::Arc;

use reaper_budget::Month;
use reaper_ledger::State;
use reaper_model::document::Mode;
use reaper_policy::Policy;

use super::Runner;
use super::found::Found;
use crate::advice::{Desk, Weeks, weeks};
use crate::assess::{Assessment, Yardstick, assess};
use crate::belongings::Belongings;
use crate::collect::Inventory;
use crate::prices::PriceBook;

impl Runner<'_> {
    /// What costs money beside the machines, where that is wanted.
    pub(super) async fn belongings(&self, inventory: &mut Inventory) -> Belongings {
        if !self.settings.leftovers {
            return Belongings::default();
        }
        Belongings::read(inventory, self.accounts, &self.watch, self.clock.now()).await
    }

    pub(super) async fn assess(
        &self,
        inventory: &mut Inventory,
        (policy, prices, belongings): (&Arc<Policy>, &Arc<PriceBook>, &Arc<Belongings>),
        whole_fleet: bool,
    ) -> Assessment {
        let now = self.clock.now();
        let yardstick = Yardstick {
            policy: Arc::clone(policy),
            prices: Arc::clone(prices),
            sensors: Arc::clone(&self.sensors),
            belongings: Arc::clone(belongings),
            whole_fleet,
            // Where a plan is applied its machines alone are met, so another one may have the name.
            all_there: whole_fleet && self.settings.all_accounts && inventory.is_whole(),
            month: Month::holding(now, self.settings.zone),
            watch: self.watch.clone(),
            now,
        };
        assess(inventory, self.accounts, &yardstick).await
    }

    /// Gives advice. A week is read back where somebody will read what comes of it: by hand, and
    /// when a report is due.
    pub(super) async fn advise(&self, found: &mut Found, report_is_due: bool, state: &State) {
        let Some(adviser) = &self.settings.adviser else { return };
        let now = self.clock.now();
        let instances = found.machines.iter().map(|machine| &machine.instance);
        let measures = found.policy.idle_window(instances, now).is_some() || self.sensors.always;
        let weeks = if measures && (report_is_due || self.orders.mode == Mode::Audit) {
            weeks(&found.machines, self.accounts, &self.sensors, &self.watch, now).await
        } else {
            Weeks::new()
        };
        let desk = Desk {
            adviser,
            accounts: self.accounts,
            prices: &found.prices,
            belongings: &found.belongings,
            weeks: &weeks,
            state,
            exchange: &self.settings.exchange,
            zone: self.settings.zone,
            now,
        };
        desk.advise(&mut found.machines);
    }
}
