//! Outcome classes and exit codes: the one table, used by the CLI, the documents and the tests.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run ended. Several can hold at once; [`Outcome::exit_code`] picks the number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A bug of ours.
    Internal,
    /// Usage or configuration refused, before the first provider call.
    Config,
    /// Another run holds the lock.
    Locked,
    /// A safety check refused the action part: brake, wrong account, stale plan, no notice channel.
    Refused,
    /// An action was due and was refused by the provider or not confirmed.
    ActionFailed,
    /// At least one scope, or the evidence for a verdict, could not be read in full.
    Incomplete,
    /// A mail or alert was due and was not accepted for at least one recipient.
    Undelivered,
    /// Something was found. Exit code 0, or 10 where `--fail-on` asks for it.
    Findings,
    /// Everything was read and nothing was found.
    Clean,
}

/// Exit code when `--fail-on` matched and nothing worse happened.
pub const EXIT_FINDINGS: u8 = 10;

impl Class {
    /// All classes, worst first: the first that holds gives the exit code.
    pub const BY_PRECEDENCE: [Self; 9] = [
        Self::Internal,
        Self::Config,
        Self::Locked,
        Self::Refused,
        Self::ActionFailed,
        Self::Incomplete,
        Self::Undelivered,
        Self::Findings,
        Self::Clean,
    ];

    /// The exit code of this class alone (`findings` without `--fail-on`).
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Clean | Self::Findings => 0,
            Self::Internal => 1,
            Self::Config => 2,
            Self::Refused => 3,
            Self::Incomplete => 4,
            Self::ActionFailed => 5,
            Self::Undelivered => 6,
            Self::Locked => 7,
        }
    }

    /// One line for `--help`, the man page and the README.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Clean => "everything was read, nothing was found",
            Self::Findings => "everything was read, something was found (10 with --fail-on)",
            Self::Internal => "a bug of ours",
            Self::Config => "usage or configuration refused, before the first provider call",
            Self::Refused => "a safety check refused the action part",
            Self::Incomplete => "a scope, or the evidence for a verdict, could not be read in full",
            Self::ActionFailed => "an action was due and was refused or not confirmed",
            Self::Undelivered => "a mail or alert was due and was not accepted",
            Self::Locked => "another run holds the lock",
        }
    }

    /// The name as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Findings => "findings",
            Self::Internal => "internal",
            Self::Config => "config",
            Self::Refused => "refused",
            Self::Incomplete => "incomplete",
            Self::ActionFailed => "action-failed",
            Self::Undelivered => "undelivered",
            Self::Locked => "locked",
        }
    }
}

/// All classes that hold, and the exit code that follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The class that decided the exit code.
    pub class: Class,
    /// All classes that hold, worst first.
    pub classes: Vec<Class>,
    /// The process exit code.
    pub exit_code: u8,
}

impl Outcome {
    /// The outcome of a run in which `classes` held. With none, the run was clean.
    /// `fail_on` says that a `--fail-on` condition matched.
    pub fn new(classes: impl IntoIterator<Item = Class>, fail_on: bool) -> Self {
        let mut classes: BTreeSet<Class> = classes.into_iter().collect();
        if classes.is_empty() {
            classes.insert(Class::Clean);
        }
        let classes: Vec<Class> =
            Class::BY_PRECEDENCE.into_iter().filter(|class| classes.contains(class)).collect();
        let class = classes[0];
        let exit_code = match class.exit_code() {
            0 if fail_on => EXIT_FINDINGS,
            code => code,
        };
        Self { class, classes, exit_code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_class_gives_the_number_and_all_are_listed() {
        let outcome = Outcome::new([Class::Findings, Class::Incomplete], true);
        assert_eq!(outcome.exit_code, 4);
        assert_eq!(outcome.classes, [Class::Incomplete, Class::Findings]);
    }

    #[test]
    fn fl_062_findings_alone_are_not_a_failure_unless_asked_for() {
        assert_eq!(Outcome::new([Class::Findings], false).exit_code, 0);
        assert_eq!(Outcome::new([Class::Findings], true).exit_code, EXIT_FINDINGS);
        assert_eq!(Outcome::new([], false).class, Class::Clean);
    }

    #[test]
    fn the_order_of_precedence_is_that_of_the_exit_codes_contract() {
        let codes: Vec<u8> = Class::BY_PRECEDENCE.iter().map(|class| class.exit_code()).collect();
        assert_eq!(codes, [1, 2, 7, 3, 5, 4, 6, 0, 0]);
    }
}
