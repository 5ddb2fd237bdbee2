//! Decisions over many runs: what is told, what is planned, and what never is.

#![allow(clippy::expect_used, reason = "a test that cannot build its input has failed")]

mod brake;
mod budgets;
mod build;
mod cases;
mod consent;
mod contested;
mod laws;
mod notices;
mod obstacles;
mod plans;
mod scene;
