//! The job summary: Markdown that fits beside what the step has written already.

use std::fmt::Write as _;

use reaper_model::AuditDocument;

/// GitHub drops a summary of more than 1 MiB as a whole, and all commands of a step share it.
const STEP: usize = 1_000_000;
/// Of one command.
const COMMAND: usize = 900_000;

/// What is left where the step has written so many bytes.
pub(super) fn room(used: u64) -> usize {
    STEP.saturating_sub(usize::try_from(used).unwrap_or(usize::MAX)).min(COMMAND)
}

/// The report; a word on it where that is all that fits, or nothing.
pub(super) fn of(document: &AuditDocument, room: usize) -> String {
    fitted(&reaper_report::markdown_within(document, room), room)
}

/// Of a command that had nothing to show.
pub(super) fn of_failure(class: &str, text: &str, room: usize) -> String {
    let cleaned: Vec<_> = text.lines().map(reaper_report::clean).collect();
    let text = cleaned.join("\n");
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let mut out = format!("## reaper: {class}\n\n");
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{fence}text\n{text}\n{fence}");
    fitted(&out, room)
}

fn fitted(markdown: &str, room: usize) -> String {
    const NO_ROOM: &str = "## reaper: no room is left in this summary, see the log of the step\n";
    let text = if markdown.len() <= room { markdown } else { NO_ROOM };
    if text.len() <= room { text.to_owned() } else { String::new() }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_has_written_is_left_out_of_the_room() {
        assert_eq!(room(0), 900_000);
        assert_eq!(room(300_000), 700_000);
        for used in [1_000_000, 2_000_000, u64::MAX] {
            assert_eq!(room(used), 0);
        }
    }

    #[test]
    fn what_does_not_fit_is_said_as_long_as_a_word_fits() {
        let text = "x".repeat(1_000);
        assert_eq!(fitted(&text, 1_000), text);
        assert!(fitted(&text, 999).starts_with("## reaper: no room is left"));
        assert_eq!(fitted(&text, 10), "");
    }

    #[test]
    fn fl_147_a_failure_stays_in_its_block() {
        let text = of_failure("config", "error: a ```` b\n  help: \u{1b}[2J", 1_000);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            ["## reaper: config", "", "`````text", "error: a ```` b", "  help: ⟨1b⟩[2J", "`````"]
        );
    }
}
