//! What the parts of the parser share: the surroundings, and what was found so far.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use chrono_tz::Tz;
use reaper_model::Currency;

use crate::conceal;
use crate::problem::{ConfigError, Problem};
use crate::types::{Account, ConfigWarning, Setting};

/// The keys that one provider takes, as its adapter says.
#[derive(Debug, Clone, Copy)]
pub struct ProviderKeys {
    /// The name in the configuration.
    pub name: &'static str,
    /// The key that lists locations: `regions` or `zones`; `None` where one call covers all.
    pub location_key: Option<&'static str>,
    /// Further settings: text, yes or no.
    pub options: &'static [&'static str],
    /// Further list settings.
    pub lists: &'static [&'static str],
    /// Keys below `credentials`.
    pub credentials: &'static [&'static str],
}

/// What a configuration is read with, so that reading it depends on nothing else.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The value of an environment variable.
    pub lookup: &'a dyn Fn(&str) -> Option<String>,
    /// The providers that this program can ask.
    pub providers: &'a [ProviderKeys],
    /// What an account's prices are in, as the adapter of its provider says; `None` where only the
    /// provider can say.
    pub currency: &'a dyn Fn(&Account) -> Option<Currency>,
}

/// Shared by all parts of the parser.
pub(crate) struct Context<'a> {
    pub(crate) env: Environment<'a>,
    /// Relative paths are relative to this.
    pub(crate) base_dir: &'a Path,
    /// The zone in which dates are read.
    pub(crate) timezone: Tz,
    source: &'a str,
    drafts: Vec<Draft>,
    elsewhere: Vec<Problem>,
    concealed: Vec<Range<usize>>,
    warnings: Vec<ConfigWarning>,
    effective: Vec<Setting>,
}

/// A problem whose excerpt is cut out only when everything secret in the file is known.
struct Draft {
    span: Option<Range<usize>>,
    message: String,
    help: Option<String>,
}

/// What is left when the whole file was read without a problem.
pub(crate) struct Findings {
    pub(crate) warnings: Vec<ConfigWarning>,
    pub(crate) effective: Vec<Setting>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(env: Environment<'a>, base_dir: &'a Path, source: &'a str) -> Self {
        Self {
            env,
            base_dir,
            timezone: Tz::UTC,
            source,
            drafts: Vec::new(),
            elsewhere: Vec::new(),
            concealed: Vec::new(),
            warnings: Vec::new(),
            effective: Vec::new(),
        }
    }

    /// Notes a problem at a place of the file.
    pub(crate) fn refuse(&mut self, span: Range<usize>, message: impl Into<String>, help: Help) {
        self.drafts.push(Draft { span: Some(span), message: message.into(), help });
    }

    /// Notes a problem of the file as a whole.
    pub(crate) fn refuse_file(&mut self, message: impl Into<String>, help: Help) {
        self.drafts.push(Draft { span: None, message: message.into(), help });
    }

    /// Notes problems in another file.
    pub(crate) fn refuse_elsewhere(&mut self, problems: Vec<Problem>) {
        self.elsewhere.extend(problems);
    }

    /// Notes something that is accepted.
    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        subject: impl Into<String>,
        text: impl Into<String>,
    ) {
        self.warnings.push(ConfigWarning { code, text: text.into(), subject: subject.into() });
    }

    /// Notes a setting in force.
    pub(crate) fn record(&mut self, key: String, value: impl Display, is_default: bool) {
        self.effective.push(Setting { key, value: value.to_string(), is_default });
    }

    /// Makes a part of the file unreadable in every excerpt.
    pub(crate) fn conceal(&mut self, spans: impl IntoIterator<Item = Range<usize>>) {
        self.concealed.extend(spans);
    }

    /// Whether any of it is unreadable in every excerpt, and so must not be in a message either.
    pub(crate) fn is_concealed(&self, span: &Range<usize>) -> bool {
        self.concealed.iter().any(|place| place.start < span.end && span.start < place.end)
    }

    /// The file's text at a place, as it was written.
    pub(crate) fn written(&self, span: Range<usize>) -> &'a str {
        self.source.get(span).unwrap_or_default()
    }

    /// All that was found, or the error if anything was wrong.
    pub(crate) fn finish(self, file: &str) -> Result<Findings, ConfigError> {
        if self.drafts.is_empty() && self.elsewhere.is_empty() {
            return Ok(Findings { warnings: self.warnings, effective: self.effective });
        }
        Err(self.refused(file))
    }

    /// Everything that was refused.
    pub(crate) fn refused(self, file: &str) -> ConfigError {
        let text: Arc<str> = conceal::blot(self.source, &self.concealed).into();
        let mut drafts = self.drafts;
        drafts.sort_by_key(|draft| draft.span.as_ref().map(|span| (span.start, span.end)));
        let problems = drafts
            .into_iter()
            .map(|Draft { span, message, help }| match span {
                Some(span) => Problem::at(file, &text, span, message, help),
                None => Problem::of_file(file, message, help),
            })
            .chain(self.elsewhere)
            .collect();
        ConfigError { problems }
    }
}

/// What would be right, if it can be said.
pub(crate) type Help = Option<String>;

/// What would be right.
#[expect(clippy::unnecessary_wraps, reason = "so that it stands where `None` would")]
pub(crate) fn help(text: impl Into<String>) -> Help {
    Some(text.into())
}
