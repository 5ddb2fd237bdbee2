//! Rules compiled to matchers: facts in, verdicts with explanations out. Pure: no clock, no IO, no
//! randomness. `unknown` never becomes a yes.
//!
//! | module | holds |
//! | --- | --- |
//! | [`spec`] | what the configuration asks for |
//! | [`pattern`] | whole-text globs, the owner pattern |
//! | [`directory`] | the people directory |
//! | [`subject`] | the machine under judgement |
//! | `answer` | conditions with their evidence |
//! | [`owner`] | whose it is |
//! | [`expiry`] | the expiry tag |
//! | [`hours`] | working hours |
//! | [`idle`] | [`Idleness`]: whether a machine idles, by what was measured |
//! | [`own`] | the rules that owners set by tags |
//! | [`protection`] | the keep tag, protected types, guards |
//! | `conditions` | each condition evaluated |
//! | `words` | conditions in words |
//! | [`judge`] | [`Policy`] and the verdict |

mod answer;
mod conditions;
pub mod directory;
pub mod expiry;
pub mod hours;
pub mod idle;
pub mod judge;
pub mod own;
pub mod owner;
pub mod pattern;
pub mod protection;
pub mod spec;
pub mod subject;
mod words;

pub use reaper_model::document::Answer;

pub use directory::{Directory, Employment, Person};
pub use expiry::{EXPIRY_FORMS, Expiry};
pub use hours::{BadHours, HOURS_FORMS, WorkingHours};
pub use idle::{Idleness, Suspects, idleness};
pub use judge::{Judgement, Policy, RuleAnswer};
pub use own::OwnRule;
pub use owner::Owner;
pub use pattern::{NamePattern, Pattern, PatternError};
pub use protection::Protection;
pub use spec::{Conditions, Exemption, IdleSpec, OwnerSpec, PolicySpec, ProtectSpec, RuleSpec};
pub use subject::Subject;
