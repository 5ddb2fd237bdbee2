//! The decisions that can hurt people, and nothing else: which finding is how far on its way to an
//! action, who has to be told, what would be done now, and whether that is too much. Pure: no
//! clock, no IO, no randomness; the same question gives the same answer.
//!
//! [`decide()`] is the one entry. It is asked before the notices of a run are sent and again when
//! their answers are in the memory; between the two, nothing but the notices' acceptance may move a
//! case. What is missing (a listing not read whole, a verdict that could not be reached) moves
//! nothing.
//!
//! | module | holds |
//! | --- | --- |
//! | [`question`] | [`Question`]: what is decided about, and the settings |
//! | [`memory`] | [`Memory`]: what earlier runs have left behind |
//! | [`decision`] | [`Decisions`]: what follows |
//! | [`mod@decide`] | [`decide()`] |
//! | `machine` | one machine: its cases, and what keeps it from being acted upon |
//! | `cases` | since when a finding holds, how far it is |
//! | [`mod@ground`] | the digest of rule and tags on which an action rests |
//! | [`recipients`] | who has to be told, and why the fallback |
//! | `mails` | what was told to whom, by case |
//! | `notices` | which notices are due, one mail a recipient and step, and their keys |
//! | `restarts` | machines that are started again after every stop |
//! | [`twins`] | machines that appear after a stop |
//! | [`mod@brake`] | the mass-stop brake |
//! | [`seal`] | the plan's digest, fingerprints |
//! | [`mod@lint`] | what is wrong with a plan |
//! | [`shrink`] | inventories that fell sharply |

pub mod brake;
mod cases;
pub mod decide;
pub mod decision;
pub mod ground;
pub mod lint;
mod machine;
mod mails;
pub mod memory;
mod notices;
pub mod question;
pub mod recipients;
mod restarts;
pub mod seal;
pub mod shrink;
mod time;
pub mod twins;

pub use brake::{Bounds, brake};
pub use decide::decide;
pub use decision::{CaseChange, Decision, Decisions, DueNotice, Planned, Topic};
pub use ground::ground;
pub use lint::{Flaw, lint};
pub use memory::{How, Memory, PastAct, RecentStop, Remembered, Told};
pub use question::{Candidate, Frame, Limits, Question, Routing, Way, Ways};
pub use recipients::Instead;
pub use seal::{digest, fingerprint, sealed};
pub use shrink::fell_sharply;
pub use twins::{APPEARED_AFTER_STOP, looks};
