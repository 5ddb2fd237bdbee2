//! What a run has found before anything is decided.

use std::sync::Arc;

use reaper_policy::{Policy, Suspects};
use reaper_provider::Identity;

use crate::assess::Assessed;
use crate::belongings::Belongings;
use crate::candidates::Rights;
use crate::collect::{Account, Inventory, Unread};
use crate::money::books::Books;
use crate::observe::Observed;
use crate::prices::PriceBook;

/// All of it.
pub(super) struct Found {
    pub(super) inventory: Inventory,
    pub(super) observed: Observed,
    pub(super) policy: Arc<Policy>,
    pub(super) prices: Arc<PriceBook>,
    pub(super) belongings: Arc<Belongings>,
    pub(super) machines: Vec<Assessed>,
    /// Sources of measurements that are not believed.
    pub(super) suspects: Suspects,
    pub(super) rights: Rights,
    pub(super) known: Vec<(Account, Identity)>,
    /// Machines of a plan that could not be read alone.
    pub(super) unread: Unread,
    /// What budgets stand on, where everything was looked at.
    pub(super) books: Option<Books>,
}

impl Found {
    /// Whether nothing was listed because an account is not the one that its pin names.
    pub(super) fn refused(&self) -> bool {
        !self.inventory.wrong_accounts.is_empty()
    }
}
