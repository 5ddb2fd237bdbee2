//! The adapter against a simulated Scaleway: listings, refusals, identities, recorded answers.

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

mod common;
mod faults;
mod gaps;
mod identity;
mod listing;
mod recorded;
