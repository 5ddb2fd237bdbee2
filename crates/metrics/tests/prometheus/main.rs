//! The source of measurements over loopback HTTP: against a real Prometheus server, and against the
//! simulated one with everything that can go wrong.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test that cannot set itself up has failed; values are handed on as they are"
)]

mod fixture;
mod real;
mod server;
mod simulated;
