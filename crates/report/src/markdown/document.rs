//! Markdown under construction: cells, rows and lists that no text from outside can break.

use reaper_model::document::MachineView;

use super::escape::escape;
use crate::layout::fit;
use crate::machine;

/// GitHub refuses a job summary of more than 1 MiB as a whole; rows beyond these are counted
/// instead of written, which leaves room for what follows them.
pub(super) const BYTES_FOR_ACTIONS: usize = 150_000;
pub(super) const BYTES_FOR_WAITING: usize = 250_000;
pub(super) const BYTES_FOR_BUDGETS: usize = 300_000;
pub(super) const BYTES_FOR_ORPHANS: usize = 500_000;
pub(super) const BYTES_FOR_OTHERS: usize = 700_000;
pub(super) const BYTES_FOR_SPEND: usize = 740_000;
pub(super) const BYTES_FOR_BILLS: usize = 780_000;
pub(super) const BYTES_FOR_NOTES: usize = 850_000;
/// Of a name or an explanation; the rest is in the JSON document.
const LONGEST_CELL: usize = 240;
const LONGEST_PARAGRAPH: usize = 2_000;

/// Text from outside, of a bounded length, without any effect as markup.
pub(super) fn cell(text: &str) -> String {
    escape(&fit(text, LONGEST_CELL))
}

/// [`cell`] for what takes more room, such as every region of an account by name.
pub(super) fn paragraph(text: &str) -> String {
    escape(&fit(text, LONGEST_PARAGRAPH))
}

/// In code, GitHub looks for no names to notify.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", cell(text))
}

pub(super) fn cells(parts: &[String]) -> String {
    parts.iter().map(|part| cell(part)).collect::<Vec<_>>().join(" · ")
}

pub(super) fn lines(parts: &[String]) -> String {
    parts.iter().map(|part| cell(part)).collect::<Vec<_>>().join("<br>")
}

/// A machine by name and id.
pub(super) fn identity(machine: &MachineView) -> String {
    format!("{}<br>{}", code(machine::name(machine)), code(&machine.native_id))
}

/// Its type, GPUs and way of payment.
pub(super) fn kind(machine: &MachineView) -> String {
    let mut kind =
        format!("{}<br>{}", code(machine.machine_type.as_str()), cell(&machine::gpus(machine)));
    if let Some(purchase) = machine::purchase(machine) {
        kind.push_str("<br>");
        kind.push_str(purchase);
    }
    kind
}

/// Markdown under construction.
pub(super) struct Document(String);

impl Document {
    pub(super) const fn new() -> Self {
        Self(String::new())
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    /// A heading and the titles of a table; a title ending in `:` stands at the right edge.
    pub(super) fn table(&mut self, heading: &str, titles: &[&str]) {
        self.line(&format!("### {heading}"));
        self.blank();
        self.titles(titles);
    }

    /// The titles of a table; a title ending in `:` stands at the right edge.
    pub(super) fn titles(&mut self, titles: &[&str]) {
        let names: Vec<&str> = titles.iter().map(|title| title.trim_end_matches(':')).collect();
        let rule = |title: &&str| if title.ends_with(':') { "---:" } else { "---" };
        let rules: Vec<&str> = titles.iter().map(rule).collect();
        self.line(&format!("| {} |", names.join(" | ")));
        self.line(&format!("| {} |", rules.join(" | ")));
    }

    pub(super) fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    pub(super) fn blank(&mut self) {
        self.0.push('\n');
    }

    /// Table rows while there is room, then how many are missing.
    pub(super) fn rows<T>(&mut self, items: &[T], limit: usize, row: impl Fn(&T) -> Vec<String>) {
        let mut written = 0;
        for item in items {
            let line = format!("| {} |", row(item).join(" | "));
            if self.0.len() + line.len() > limit {
                break;
            }
            self.line(&line);
            written += 1;
        }
        self.blank();
        self.left_out(items.len() - written);
    }

    /// A heading and a list, if there is anything in it, while there is room.
    pub(super) fn list(&mut self, title: &str, items: impl Iterator<Item = String>) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.line(&format!("### {title}"));
        self.blank();
        let mut missing = 0;
        for item in items {
            if missing > 0 || self.0.len() + item.len() > BYTES_FOR_NOTES {
                missing += 1;
            } else {
                self.line(&format!("- {item}"));
            }
        }
        self.blank();
        self.left_out(missing);
    }

    fn left_out(&mut self, missing: usize) {
        if missing > 0 {
            self.line(&format!("… and {missing} more: see the JSON document."));
            self.blank();
        }
    }
}
