//! Inventory: what one scope's listing gave. Absence proves "gone" only in a complete one.

use std::fmt;

use crate::ident::{AccountName, Location, ProviderAccount, ProviderName};

/// One place that is listed on its own: an account at one location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The configured account.
    pub account: AccountName,
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's own account, as its identity call said.
    pub provider_account: ProviderAccount,
    /// Region or zone.
    pub location: Location,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({} {}), {}",
            self.account, self.provider, self.provider_account, self.location
        )
    }
}

/// The result of listing one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing<T, E> {
    /// Read to the end.
    Complete(Vec<T>),
    /// Broken off; what was read is true, what is missing is not gone.
    Partial {
        /// What was read.
        got: Vec<T>,
        /// What broke it off.
        error: E,
    },
    /// Nothing was read.
    Failed(E),
}

impl<T, E> Listing<T, E> {
    /// A listing that ended with `result` after `got` had been read.
    pub fn ended(got: Vec<T>, result: Result<(), E>) -> Self {
        match result {
            Ok(()) => Self::Complete(got),
            Err(error) if got.is_empty() => Self::Failed(error),
            Err(error) => Self::Partial { got, error },
        }
    }

    /// What was read, however much that is.
    pub fn got(&self) -> &[T] {
        match self {
            Self::Complete(got) | Self::Partial { got, .. } => got,
            Self::Failed(_) => &[],
        }
    }

    /// What broke it off, if something did.
    pub fn error(&self) -> Option<&E> {
        match self {
            Self::Complete(_) => None,
            Self::Partial { error, .. } | Self::Failed(error) => Some(error),
        }
    }
}
