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
    /// A bug of ours, or a machine that does not work.
    Internal(String),
}

impl Failure {
    pub(crate) fn usage(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage(text.into(), Some(help.into()))
    }

    pub(crate) fn internal(text: impl Into<String>) -> Self {
        Self::Internal(text.into())
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Self::Config(_) | Self::Usage(..) => Class::Config,
            Self::Internal(_) => Class::Internal,
        }
    }

    /// For people.
    pub(crate) fn text(&self, color: bool) -> String {
        match self {
            Self::Config(error) => error.render(color),
            Self::Usage(text, Some(help)) => format!("error: {text}\n  help: {help}"),
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
            Self::Usage(text, help) => vec![plain(text, help.clone())],
            Self::Internal(text) => vec![plain(text, None)],
        };
        ErrorDocument {
            schema: ERROR_SCHEMA.to_owned(),
            version: crate::run::VERSION.to_owned(),
            outcome: Outcome::new([self.class()], false),
            errors,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}
