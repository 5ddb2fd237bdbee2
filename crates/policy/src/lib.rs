//! Rules compiled to matchers: facts in, verdicts with explanations out. Pure: no clock, no IO, no
//! randomness. `unknown` never becomes a yes.
//!
//! | module | holds |
//! | --- | --- |
//! | [`spec`] | what the configuration asks for |
//! | [`pattern`] | whole-text globs, the owner pattern |
//! | [`directory`] | the people directory |

pub mod directory;
pub mod pattern;
pub mod spec;

pub use directory::{Directory, Employment, Person};
pub use pattern::{NamePattern, Pattern, PatternError};
pub use spec::{Conditions, Exemption, OwnerSpec, PolicySpec, ProtectSpec, RuleSpec};
