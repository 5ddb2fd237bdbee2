//! The page that lines are written on: indentation, labels, colour.

use anstyle::Style;

use super::TableOptions;
use super::grid::Grid;
use super::style::DIM;
use super::text::{MIN_WIDTH, flow, pad, wrap};

/// Lines of at most a given width.
pub(crate) struct Page {
    width: usize,
    color: bool,
    out: String,
}

impl Page {
    pub(crate) fn new(options: &TableOptions) -> Self {
        Self { width: options.width.max(MIN_WIDTH), color: options.color, out: String::new() }
    }

    /// Columns of a line.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// The text so far.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// An empty line.
    pub(crate) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A text in as many lines as it needs, up to `most`.
    pub(crate) fn text(&mut self, indent: usize, style: Style, text: &str, most: usize) {
        for line in wrap(text, self.width - indent, most) {
            self.line(indent, &[(style, &line)]);
        }
    }

    /// Parts joined with ` · `.
    pub(crate) fn flow(&mut self, indent: usize, style: Style, parts: &[String], most: usize) {
        for line in flow(parts, self.width - indent, most) {
            self.line(indent, &[(style, &line)]);
        }
    }

    /// A label of `label_width` columns, and parts beside it, joined with ` · `.
    pub(crate) fn labelled(
        &mut self,
        indent: usize,
        (label, label_width): (&str, usize),
        style: Style,
        parts: &[String],
        most: usize,
    ) {
        let label_style = if style.is_plain() { DIM } else { style };
        let mut label = pad(label, label_width, false);
        for line in flow(parts, self.width - indent - label_width - 1, most) {
            self.line(indent, &[(label_style, &label), (Style::new(), " "), (style, &line)]);
            label = " ".repeat(label_width);
        }
    }

    /// [`Page::labelled`]; where the label leaves too little room, the parts stand below it.
    pub(crate) fn entry(
        &mut self,
        indent: usize,
        (label, label_width): (&str, usize),
        style: Style,
        parts: &[String],
        most: usize,
    ) {
        /// Holds a provider's id, which is of no use in pieces.
        const LEAST_ROOM: usize = 40;
        if self.width < indent + label_width + 1 + LEAST_ROOM {
            let label_style = if style.is_plain() { DIM } else { style };
            self.text(indent, label_style, label, 2);
            self.flow(indent + 2, style, parts, most);
        } else {
            self.labelled(indent, (label, label_width), style, parts, most);
        }
    }

    /// A row of a grid; the first cell stands out.
    pub(crate) fn row(&mut self, indent: usize, grid: &Grid, first: Style, cells: &[String]) {
        let cells = grid.cells(cells);
        let pieces: Vec<(Style, &str)> = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| (if index == 0 { first } else { Style::new() }, cell.as_str()))
            .collect();
        self.line(indent, &pieces);
    }

    /// A row of titles, all alike.
    pub(crate) fn titles(&mut self, indent: usize, grid: &Grid) {
        let line = grid.cells(&grid.titles()).concat();
        self.line(indent, &[(DIM, &line)]);
        self.line(indent, &[(DIM, &"─".repeat(grid.width()))]);
    }

    /// Pieces that fit together; colour goes on after everything is measured.
    fn line(&mut self, indent: usize, pieces: &[(Style, &str)]) {
        let written = pieces.iter().rposition(|(_, text)| !text.trim_end().is_empty());
        let pieces = &pieces[..written.map_or(0, |last| last + 1)];
        self.out.push_str(&" ".repeat(indent));
        for (index, (style, text)) in pieces.iter().enumerate() {
            let text = if index + 1 == pieces.len() { text.trim_end() } else { text };
            if self.color && !style.is_plain() {
                let painted = format!("{style}{text}{style:#}");
                self.out.push_str(&painted);
            } else {
                self.out.push_str(text);
            }
        }
        self.out.push('\n');
    }
}
