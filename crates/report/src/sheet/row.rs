//! One row: a machine, and what the document says besides of it.

use std::collections::BTreeMap;

use reaper_model::document::{AuditDocument, MachineView};
use reaper_model::{AccountName, ProviderAccount, ProviderName};

/// What rows are made from.
pub(super) struct Rows<'a> {
    doc: &'a AuditDocument,
    accounts: BTreeMap<(&'a ProviderName, &'a AccountName), &'a ProviderAccount>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(doc: &'a AuditDocument) -> Self {
        let accounts = doc.scopes.iter().filter_map(|scope| {
            Some(((&scope.provider, &scope.account), scope.provider_account.as_ref()?))
        });
        Self { doc, accounts: accounts.collect() }
    }

    pub(super) fn row(&self, machine: &'a MachineView) -> Row<'a> {
        let account = self.accounts.get(&(&machine.provider, &machine.account));
        Row { doc: self.doc, machine, provider_account: account.copied() }
    }
}

/// A machine in its document.
pub(super) struct Row<'a> {
    pub(super) doc: &'a AuditDocument,
    pub(super) machine: &'a MachineView,
    /// The provider's own account; `None` where the login did not say it.
    pub(super) provider_account: Option<&'a ProviderAccount>,
}
