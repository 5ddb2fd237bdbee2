//! Timetables over nights in which clocks are changed, and whatever the runs in between were.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod build;
mod clocks;
mod dues;
mod expressions;
mod laws;
