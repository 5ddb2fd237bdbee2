//! The adapter against a simulated Scaleway: listings, refusals, identities, recorded
//! answers, single reads, power-offs, tags, bills.

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

mod acting;
mod assets;
mod billing;
mod common;
mod faults;
mod gaps;
mod identity;
mod listing;
mod metrics;
mod reading;
mod recorded;
mod tagging;
