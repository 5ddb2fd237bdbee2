//! Markdown under construction: cells, rows and lists that no text from outside can break.

use reaper_model::document::MachineView;

use super::escape::escape;
use crate::figures::shown;
use crate::layout::fit;
use crate::machine;

/// GitHub refuses a job summary of more than 1 MiB as a whole.
pub(super) const FULL: usize = 900_000;
/// Up to where each part may fill a document of [`FULL`] bytes, a smaller one in proportion: rows
/// beyond are counted instead of written, which leaves room for what follows them.
pub(super) const BYTES_FOR_HEAD: usize = 60_000;
pub(super) const BYTES_FOR_ACTIONS: usize = 170_000;
pub(super) const BYTES_FOR_WAITING: usize = 250_000;
pub(super) const BYTES_FOR_MAILS: usize = 280_000;
pub(super) const BYTES_FOR_WEEK: usize = 360_000;
pub(super) const BYTES_FOR_BUDGETS: usize = 430_000;
pub(super) const BYTES_FOR_ORPHANS: usize = 600_000;
pub(super) const BYTES_FOR_LEFTOVERS: usize = 650_000;
pub(super) const BYTES_FOR_ADVICE: usize = 700_000;
pub(super) const BYTES_FOR_OTHERS: usize = 770_000;
pub(super) const BYTES_FOR_SPEND: usize = 790_000;
pub(super) const BYTES_FOR_BILLS: usize = 805_000;
pub(super) const BYTES_FOR_SCOPES: usize = 830_000;
pub(super) const BYTES_FOR_WARNINGS: usize = 845_000;
pub(super) const BYTES_FOR_NOTES: usize = 880_000;
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

/// Where everything is.
const REST: &str = "the rest is in the JSON document";
const CUT: &str = "\n… cut: the rest is in the JSON document.\n";

/// Markdown under construction, of at most so many bytes.
pub(super) struct Document {
    text: String,
    limit: usize,
}

impl Document {
    pub(super) const fn new(limit: usize) -> Self {
        Self { text: String::new(), limit }
    }

    /// The text. Where not even the headings have room, whole lines are cut off its end.
    pub(super) fn finish(mut self) -> String {
        if self.text.len() > self.limit {
            let room = self.limit.saturating_sub(CUT.len());
            let end = self.text.bytes().take(room).rposition(|byte| byte == b'\n');
            self.text.truncate(end.map_or(0, |end| end + 1));
            self.text.push_str(CUT);
            self.text.truncate(self.limit);
        }
        self.text
    }

    /// Whether a line can be written before the bound of its part.
    fn has_room(&self, line: &str, bound: usize) -> bool {
        let limit = u128::try_from(self.limit).unwrap_or(u128::MAX);
        let bound = limit * u128::try_from(bound).unwrap_or(0) / FULL as u128;
        u128::try_from(self.text.len() + line.len()).is_ok_and(|length| length <= bound)
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
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Table rows while there is room, then how many they are of how many.
    pub(super) fn rows<T>(&mut self, items: &[T], bound: usize, row: impl Fn(&T) -> Vec<String>) {
        let mut written = 0;
        for item in items {
            let line = format!("| {} |", row(item).join(" | "));
            if !self.has_room(&line, bound) {
                break;
            }
            self.line(&line);
            written += 1;
        }
        self.blank();
        self.left_out(written, items.len());
    }

    /// A heading and a list, if there is anything in it, while there is room.
    pub(super) fn list(
        &mut self,
        title: &str,
        bound: usize,
        items: impl ExactSizeIterator<Item = String>,
    ) {
        if items.len() == 0 {
            return;
        }
        self.line(&format!("### {title}"));
        self.blank();
        self.items("- ", bound, items);
        self.blank();
    }

    /// Lines that begin alike, while there is room.
    pub(super) fn items(
        &mut self,
        begin: &str,
        bound: usize,
        items: impl ExactSizeIterator<Item = String>,
    ) {
        let (mut written, all) = (0, items.len());
        for item in items {
            let line = format!("{begin}{item}");
            if !self.has_room(&line, bound) {
                break;
            }
            self.line(&line);
            written += 1;
        }
        if let Some(shown) = shown(written, all) {
            self.line(&format!("{begin}… {shown}: {REST}."));
        }
    }

    fn left_out(&mut self, written: usize, all: usize) {
        if let Some(shown) = shown(written, all) {
            self.line(&format!("{shown}: {REST}."));
            self.blank();
        }
    }
}
