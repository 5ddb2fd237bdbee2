//! Scopes in the document: what was read, what was not and why.

use reaper_model::Listing;
use reaper_model::document::{ScopeStatus, ScopeView};

use crate::collect::{AccountFailure, Inventory, ScopeRead, WrongAccount};

/// Every scope: listed, skipped, and accounts that could not even log in.
pub fn scopes(inventory: &Inventory) -> Vec<ScopeView> {
    let failures = inventory.failures.iter().map(failed_account);
    let wrong = inventory.wrong_accounts.iter().map(wrong_account);
    let listed = inventory.scopes.iter().map(listed);
    let skipped = inventory.skipped.iter().map(|(scope, why)| ScopeView {
        provider_account: Some(scope.provider_account.clone()),
        location: Some(scope.location.clone()),
        why: Some(why.clone()),
        ..blank(scope.account.clone(), scope.provider.clone(), ScopeStatus::Skipped)
    });
    failures.chain(wrong).chain(listed).chain(skipped).collect()
}

/// The words in which a wrong pin is refused, with both accounts.
pub(crate) fn wrong_account_text(wrong: &WrongAccount) -> String {
    format!(
        "expect_account is {:?}, the credentials are those of {:?} ({}): nothing was listed; \
         choose the right credentials or correct expect_account",
        wrong.expected,
        wrong.found.account.as_str(),
        wrong.found.login,
    )
}

fn blank(
    account: reaper_model::AccountName,
    provider: reaper_model::ProviderName,
    status: ScopeStatus,
) -> ScopeView {
    ScopeView {
        account,
        provider,
        provider_account: None,
        location: None,
        status,
        why: None,
        instances: 0,
        requests: 0,
        seconds: 0.0,
    }
}

fn failed_account(failure: &AccountFailure) -> ScopeView {
    ScopeView {
        provider_account: failure.identity.as_ref().map(|identity| identity.account.clone()),
        why: Some(failure.error.to_string()),
        requests: failure.requests,
        ..blank(failure.account.clone(), failure.provider.clone(), ScopeStatus::Failed)
    }
}

fn wrong_account(wrong: &WrongAccount) -> ScopeView {
    ScopeView {
        provider_account: Some(wrong.found.account.clone()),
        why: Some(wrong_account_text(wrong)),
        ..blank(wrong.account.clone(), wrong.provider.clone(), ScopeStatus::Failed)
    }
}

fn listed(read: &ScopeRead) -> ScopeView {
    let status = match &read.listing {
        Listing::Complete(_) => ScopeStatus::Complete,
        Listing::Partial { .. } => ScopeStatus::Partial,
        Listing::Failed(_) => ScopeStatus::Failed,
    };
    ScopeView {
        provider_account: Some(read.scope.provider_account.clone()),
        location: Some(read.scope.location.clone()),
        why: read.listing.error().map(ToString::to_string),
        instances: read.machines,
        requests: read.requests,
        // Milliseconds are what a reader can use.
        seconds: (read.took.as_secs_f64() * 1000.0).round() / 1000.0,
        ..blank(read.scope.account.clone(), read.scope.provider.clone(), status)
    }
}
