//! Spending, budgets and alerts, from remembered looks to what is told.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod alerts;
mod bills;
mod build;
mod clock;
mod laws;
mod looks;
mod standings;
