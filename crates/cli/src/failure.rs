//! Why a command ended before it had anything to show, as text and as a document.

use reaper_config::ConfigError;
use reaper_model::document::{ERROR_SCHEMA, ErrorDocument, ErrorView};
use reaper_model::{Class, Outcome};

/// The end of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The configuration was refused.
    Config(ConfigError),
    /// Usage was refused; text, and what to do.
    Usage(String, Option<String>),
    /// A safety check refused the action part before anything was changed.
    Refused(String, Option<String>),
    /// The state cannot be read, trusted or written: nothing is done on such ground.
    State(String),
    /// Another run is active.
    Locked(String),
    /// A bug of ours, or a machine that does not work.
    Internal(String),
}

impl Failure {
    pub(crate) fn usage(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage(text.into(), Some(help.into()))
    }

    pub(crate) fn refused(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused(text.into(), Some(help.into()))
    }

    pub(crate) fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into())
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Self::Config(_) | Self::Usage(..) => Class::Config,
            Self::Refused(..) | Self::State(_) => Class::Refused,
            Self::Locked(_) => Class::Locked,
            Self::Internal(_) => Class::Internal,
        }
    }

    /// For people.
    pub(crate) fn text(&self, color: bool) -> String {
        match self {
            Self::Config(error) => error.render(color),
            Self::Usage(text, Some(help)) => format!("error: {text}\n  help: {help}"),
            Self::Refused(text, Some(help)) => format!("refused: {text}\n  help: {help}"),
            Self::Refused(text, None) => format!("refused: {text}"),
            Self::State(text) => {
                format!("refused: the state cannot be relied upon: {text}\n  {STATE_HELP}")
            }
            Self::Locked(text) => {
                format!(
                    "locked: {text}\n  help: wait until it has ended; if it was killed, its hold ends by itself at that time"
                )
            }
            Self::Usage(text, None) | Self::Internal(text) => format!("error: {text}"),
        }
    }

    /// For programs.
    pub(crate) fn document(&self) -> ErrorDocument {
        let plain = |text: &str, help: Option<String>| ErrorView {
            text: text.to_owned(),
            help,
            file: None,
            line: None,
            column: None,
        };
        let errors = match self {
            Self::Config(error) => error
                .problems
                .iter()
                .map(|problem| ErrorView {
                    text: problem.message.clone(),
                    help: problem.help.clone(),
                    file: Some(problem.file.clone()),
                    line: problem.position.as_ref().map(|position| position.line),
                    column: problem.position.as_ref().map(|position| position.column),
                })
                .collect(),
            Self::Usage(text, help) | Self::Refused(text, help) => vec![plain(text, help.clone())],
            Self::State(text) => vec![plain(text, Some(STATE_HELP.to_owned()))],
            Self::Locked(text) | Self::Internal(text) => vec![plain(text, None)],
        };
        ErrorDocument {
            schema: ERROR_SCHEMA.to_owned(),
            version: crate::run::VERSION.to_owned(),
            outcome: Outcome::new([self.class()], false),
            errors,
        }
    }
}

/// What to do about a state that cannot be relied upon.
const STATE_HELP: &str = "no machine was touched; `reaper history --verify` says what is wrong with it, \
                          [state] url says where it lies";

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}
