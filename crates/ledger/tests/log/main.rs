//! The ledger from outside: several writers, killed writers, full disks, damaged logs, leases,
//! findings over weeks. In a folder, in memory, and in S3 as moto serves it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot set itself up has failed"
)]

mod actions;
mod bucket;
mod compaction;
mod damage;
mod faults;
mod faulty;
mod formats;
mod killed;
mod leases;
mod memory;
mod meters;
mod money;
mod places;
mod properties;
mod room;
mod speed;
mod support;
mod writers;
