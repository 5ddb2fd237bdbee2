//! Acting, seen from outside: the binary, simulated clouds and a real mail server over days.
//!
//! | module | holds |
//! | --- | --- |
//! | `files` | one test for each file of `tests/scenarios` |
//! | `story` | how such a file is read, run and compared |
//! | `edits` | what happens to the world between two commands |
//! | `stage` | the world, the configuration, the mail server and the binary together |
//! | `rehearsal` | what every run that acts must keep: dry is dry, and dry is real |
//! | `letters` | what the notices say, and to whom |
//! | `budgets` | budgets and their alerts |
//! | `invariants` | the invariants that only the whole product can show |
//! | `schedule` | the schedule that stays up |
//! | `processes` | runs that meet, and runs that are ended in the middle |

mod budgets;
mod edits;
mod files;
mod invariants;
mod letters;
mod processes;
mod rehearsal;
mod schedule;
mod stage;
mod story;

pub(crate) use stage::{Stage, ran};
pub(crate) use story::send;
