//! The command that keeps a machine, safe to paste whatever the machine is called.

use chrono::{DateTime, Days, FixedOffset, NaiveDate};
use reaper_model::document::{AuditDocument, MachineView};

use crate::waiting;

/// How long the example keeps: enough to think, too short to forget. Any other day will do.
const KEPT_FOR: Days = Days::new(14);

/// `reaper keep ID --until 2026-12-18 --reason "why it is needed"`.
pub fn keep_command(id: &str, until: NaiveDate) -> String {
    format!("reaper keep {} --until {until} --reason \"why it is needed\"", quoted(id))
}

/// The command for one machine, with a day two weeks after it is due, else after the run.
pub(crate) fn command(doc: &AuditDocument, machine: &MachineView) -> String {
    let from = waiting::due_at(machine).map_or(doc.now, |due| due.max(doc.now));
    keep_command(&machine.id, two_weeks_after(from))
}

/// The command for any machine of the document, to put an id in.
pub(crate) fn example(doc: &AuditDocument) -> String {
    keep_command("ID", two_weeks_after(doc.now))
}

fn two_weeks_after(at: DateTime<FixedOffset>) -> NaiveDate {
    let day = at.date_naive();
    day.checked_add_days(KEPT_FOR).unwrap_or(day)
}

/// One word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/:=,@-".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_139_the_day_lies_two_weeks_after_the_deadline() {
        let doc = fixture::planned();
        assert_eq!(
            command(&doc, &doc.instances[1]),
            "reaper keep ovhcloud/lab/GRA11/6ba7b810-9dad-11d1-80b4-00c04fd430c8 \
             --until 2026-12-17 --reason \"why it is needed\""
        );
    }

    #[test]
    fn fl_133_nothing_in_an_id_becomes_a_command() {
        let day = fixture::day("2026-12-18");
        let command = keep_command("aws/1/r/i-0; rm -rf $HOME 'x'", day);
        assert!(command.starts_with(r"reaper keep 'aws/1/r/i-0; rm -rf $HOME '\''x'\''' --until"));
        assert!(keep_command("-rf", day).starts_with("reaper keep '-rf'"));
        assert!(keep_command("", day).starts_with("reaper keep ''"));
    }
}
