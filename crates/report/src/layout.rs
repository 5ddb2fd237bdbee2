//! Lines that never leave their width: cutting, wrapping, columns, and colour on top. Everything
//! that reaches a page is cleaned here, so no caller can forget it.

mod grid;
mod page;
mod text;

pub(crate) use grid::{Align, Column, Grid};
pub(crate) use page::Page;
#[cfg(test)]
pub(crate) use text::MIN_WIDTH;
pub(crate) use text::fit;

/// How wide and how colourful the output for people is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of the terminal. Less than 40 is treated as 40.
    pub width: usize,
    /// Whether to colour, with ANSI codes. Without it the output holds no ESC at all.
    pub color: bool,
}

/// What a colour means. Colour is never the only sign: the words are there as well.
pub(crate) mod style {
    use anstyle::{AnsiColor, Style};

    /// Labels, titles, ids.
    pub(crate) const DIM: Style = Style::new().dimmed();
    pub(crate) const PLAIN: Style = Style::new();
    pub(crate) const HEADING: Style = Style::new().bold();
    pub(crate) const ORPHAN: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const ALARM: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const CAUTION: Style = AnsiColor::Yellow.on_default();
    pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
}
