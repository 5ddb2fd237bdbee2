//! The adapter against a simulated OVHcloud: over loopback HTTP, signatures checked.

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

mod acting;
mod assets;
mod billing;
mod kit;
mod listing;
mod login;
mod metrics;
mod network;
mod prices;
mod reading;
