//! What a command prints in JSON mode when it could not begin: one document, whatever happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;

/// Name and version of the format.
pub const ERROR_SCHEMA: &str = "reaper.error/1";

/// A run that ended before there was anything to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDocument {
    /// Always `reaper.error/1`.
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// What went wrong, all of it.
    pub errors: Vec<ErrorView>,
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorView {
    /// Sentence for people.
    pub text: String,
    /// What to do.
    pub help: Option<String>,
    /// File, where one is at fault.
    pub file: Option<String>,
    /// Line from 1.
    pub line: Option<usize>,
    /// Column from 1, in characters.
    pub column: Option<usize>,
}
