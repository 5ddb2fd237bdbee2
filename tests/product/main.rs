//! The whole product, seen from outside: the binary `reaper` against simulated and foreign clouds,
//! the documents against the code.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::format_push_string,
    reason = "a test that cannot go on has failed; texts are built plainly"
)]

mod acting;
mod aws;
mod browser;
mod channels;
mod ci;
mod cli;
mod clients;
mod demo;
mod four;
mod lambda;
mod moto;
mod moto_acting;
mod ovhcloud;
mod probe;
mod reports;
mod scaleway;
mod schema;
mod support;
mod tidy;
