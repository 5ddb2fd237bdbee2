//! What is wrong with a configuration, where, and what would be right; rendered with the offending
//! text underlined.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A configuration that is refused, with every problem that was found.
#[derive(Debug, Clone)]
pub struct ConfigError {
    /// At least one, by file and position.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The file as it was named, `<embedded>` for an embedded text.
    pub file: String,
    /// Where in the file; `None` if it is about the file as a whole.
    pub position: Option<Position>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    excerpt: Option<Excerpt>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

/// The text around a problem, with everything secret in it made unreadable.
#[derive(Clone)]
pub(crate) struct Excerpt {
    pub(crate) text: Arc<str>,
    pub(crate) span: Range<usize>,
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.span)
    }
}

impl Problem {
    /// A problem of the file as a whole.
    pub(crate) fn of_file(file: &str, message: String, help: Option<String>) -> Self {
        Self { file: file.to_owned(), position: None, message, help, excerpt: None }
    }

    /// A problem at a place. The span is cut to the text and to its first line.
    pub(crate) fn at(
        file: &str,
        text: &Arc<str>,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) -> Self {
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end).max(start);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let span = start..end.min(line_end);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let position = Position {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        };
        Self {
            file: file.to_owned(),
            position: Some(position),
            message,
            help,
            excerpt: Some(Excerpt { text: Arc::clone(text), span }),
        }
    }
}

impl fmt::Display for Problem {
    /// `reaper.toml:3:1: message (help)`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl ConfigError {
    /// All problems with their excerpts, for a terminal (`color`) or a log.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let blocks: Vec<String> =
            self.problems.iter().map(|problem| render_one(&renderer, problem)).collect();
        blocks.join("\n\n")
    }
}

fn render_one(renderer: &Renderer, problem: &Problem) -> String {
    let title = Level::ERROR.primary_title(&problem.message);
    let help = problem.help.iter().map(|help| Level::HELP.message(help));
    let group = match &problem.excerpt {
        Some(Excerpt { text, span }) => title
            .element(
                Snippet::source(&**text)
                    .path(&problem.file)
                    .annotation(AnnotationKind::Primary.span(span.clone())),
            )
            .elements(help),
        None => title.element(annotate_snippets::Origin::path(&problem.file)).elements(help),
    };
    renderer.render(&[group])
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for ConfigError {}
