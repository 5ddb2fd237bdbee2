//! Acting, from what was found to what is confirmed: whole runs of the engine over a scripted
//! cloud, a scripted mail server and a real ledger. Time inside a run is tokio's paused clock, so
//! that deadlines pass at once; only hooks, which are real processes, take real time.
//!
//! After every test about calls two laws are checked besides: each call was intended in the ledger
//! when it came, and the machine was read alone before it.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod build;
mod cloud;
mod disk;
mod house;
mod letters;
mod loudspeaker;
mod meters;
mod script;

mod budgets;
mod calls;
mod confirming;
mod crashes;
mod fresh;
mod guards;
mod hooks;
mod idle;
mod interrupts;
mod keeps;
mod leftovers;
mod listings;
mod notices;
mod reports;
mod reports_and_people;
