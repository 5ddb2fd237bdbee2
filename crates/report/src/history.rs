//! `reaper history`: what the ledger says, a record a line, the newest last.

use reaper_model::document::{HistoryDocument, RecordView, VerifiedView};
use unicode_width::UnicodeWidthStr as _;

use crate::clean::clean;
use crate::figures::{count, time};
use crate::layout::{Page, TableOptions, style};

/// A bound for texts that quote a provider or a mail server.
const MOST_LINES: usize = 6;

/// The ledger for people at a terminal: commit, time, kind, and the sentence with what it is about.
pub fn history(doc: &HistoryDocument, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let records = count(doc.records.len(), "record");
    let heading = match &doc.verified {
        Some(_) => vec![doc.place.clone()],
        None => vec![doc.place.clone(), records],
    };
    page.flow(0, style::HEADING, &heading, MOST_LINES);
    if let Some(verified) = &doc.verified {
        page.flow(0, style::GOOD, &proof(verified), MOST_LINES);
    }
    let widest = |text: fn(&RecordView) -> String| {
        doc.records.iter().map(|record| clean(&text(record)).width()).max().unwrap_or(0)
    };
    let (commits, kinds) = (widest(number), widest(|record| record.kind.clone()));
    for record in &doc.records {
        let label = format!("{:commits$}  {}  {}", number(record), time(record.at), record.kind);
        let width = commits + time(record.at).len() + kinds + 5;
        page.entry(0, (&label, width), style::PLAIN, &sentence(record), MOST_LINES);
    }
    page.finish()
}

fn number(record: &RecordView) -> String {
    format!("#{}", record.commit)
}

/// The sentence, and what it is about where it does not say so itself.
fn sentence(record: &RecordView) -> Vec<String> {
    let rule = record.rule.as_ref().map(|rule| format!("rule {rule}"));
    let about = record.machine.clone().filter(|id| !record.text.contains(id.as_str()));
    std::iter::once(record.text.clone()).chain(about).chain(rule).collect()
}

fn proof(verified: &VerifiedView) -> Vec<String> {
    let commits = count(verified.commits, "commit");
    let snapshots = count(verified.snapshots, "snapshot");
    vec![format!("in order: {commits}, {snapshots}"), format!("up to {}", verified.head)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn shown(doc: &HistoryDocument, width: usize) -> String {
        history(doc, &TableOptions { width, color: false })
    }

    #[test]
    fn a_record_a_line_the_newest_last() {
        insta::assert_snapshot!(shown(&fixture::recorded(), 160), @"
        file:///var/lib/reaper/state · 3 records
        #1   2026-11-27 09:00 +01:00  run     run began, enforcing
        #9   2026-11-27 09:00 +01:00  mail    stop notice to gpu-team@example.org: accepted by the mail server · aws/111122223333/eu-west-1/i-0abc1234def567890
        #10  2026-11-30 09:00 +01:00  action  stop confirmed: the provider shows `stopped` · aws/111122223333/eu-west-1/i-0abc1234def567890 · rule ownerless
        ");
    }

    #[test]
    fn at_100_columns() {
        insta::assert_snapshot!(shown(&fixture::recorded(), 100), @"
        file:///var/lib/reaper/state · 3 records
        #1   2026-11-27 09:00 +01:00  run     run began, enforcing
        #9   2026-11-27 09:00 +01:00  mail    stop notice to gpu-team@example.org: accepted by the mail
                                              server · aws/111122223333/eu-west-1/i-0abc1234def567890
        #10  2026-11-30 09:00 +01:00  action  stop confirmed: the provider shows `stopped`
                                              aws/111122223333/eu-west-1/i-0abc1234def567890
                                              rule ownerless
        ");
    }

    #[test]
    fn at_60_columns() {
        insta::assert_snapshot!(shown(&fixture::recorded(), 60), @"
        file:///var/lib/reaper/state · 3 records
        #1 2026-11-27 09:00 +01:00 run
          run began, enforcing
        #9 2026-11-27 09:00 +01:00 mail
          stop notice to gpu-team@example.org: accepted by the mail
          server · aws/111122223333/eu-west-1/i-0abc1234def567890
        #10 2026-11-30 09:00 +01:00 action
          stop confirmed: the provider shows `stopped`
          aws/111122223333/eu-west-1/i-0abc1234def567890
          rule ownerless
        ");
    }

    #[test]
    fn a_checked_ledger_names_its_last_digest() {
        let mut doc = fixture::recorded();
        doc.records.clear();
        doc.verified =
            Some(VerifiedView { commits: 10, snapshots: 1, head: "sha256:0123".to_owned() });
        insta::assert_snapshot!(shown(&doc, 100), @"
        file:///var/lib/reaper/state
        in order: 10 commits, 1 snapshot · up to sha256:0123
        ");
    }

    #[test]
    fn fl_147_a_record_cannot_move_the_cursor() {
        let mut doc = fixture::recorded();
        for record in &mut doc.records {
            record.text = "\u{1b}[2J\r::error::x\u{202e}".to_owned();
            record.kind.clone_from(&record.text);
            record.machine = Some(record.text.clone());
        }
        for width in [40, 60, 160] {
            let text = shown(&doc, width);
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            assert!(text.lines().all(|line| line.width() <= width), "{text}");
            assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
        }
    }
}
