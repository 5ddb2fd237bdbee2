//! `reaper probe` as it runs on a machine, with a stand-in for `nvidia-smi`; its unit and cron line.
//!
//! | module | holds |
//! | --- | --- |
//! | `once` | one look, for cron: written, shown, its exit codes, its history |
//! | `daemon` | one that stays up: looks, writes, ends at a signal |
//! | `judged` | from there to a verdict |
//! | `library` | the way through NVML, with a library of our own |
//! | `unit` | `config/probe` against the tools of those who read it |
//! | `stand_in` | the stand-in |

mod daemon;
mod judged;
mod library;
mod once;
mod stand_in;
mod unit;
