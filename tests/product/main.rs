//! The whole product, seen from outside: the binary `reaper` against simulated and foreign clouds,
//! the documents against the code.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod aws;
mod cli;
mod demo;
mod moto;
mod schema;
mod support;
mod tidy;
