//! `reaper explain`: every fact of one machine with its source, and how each rule judged it.
//! Nothing is cut here.

mod facts;

use anstyle::Style;
use reaper_model::document::{Answer, AuditDocument, MachineView, RuleView, Verdict};

use crate::action;
use crate::figures::Zone;
use crate::layout::{Page, TableOptions, style};
use crate::machine;
use crate::summary;
use crate::waiting;

const NO_LIMIT: usize = usize::MAX;
const LABEL_WIDTH: usize = 11;

/// Everything known of one machine of the document, its rules in the order given.
pub fn explain(
    machine: &MachineView,
    rules: &[RuleView],
    doc: &AuditDocument,
    options: &TableOptions,
) -> String {
    let mut page = Page::new(options);
    let mood = if machine.verdict == Verdict::Orphan { style::ORPHAN } else { style::HEADING };
    page.text(0, mood, machine::name(machine), NO_LIMIT);
    page.text(0, style::DIM, &machine.id, NO_LIMIT);

    section(&mut page, "FACTS");
    for (label, parts) in facts::of(machine, doc) {
        line(&mut page, label, style::PLAIN, &parts);
    }

    section(&mut page, "RULES");
    if rules.is_empty() {
        page.text(2, style::PLAIN, "no rule is configured", NO_LIMIT);
    }
    for rule in rules {
        let (answer, mood) = (rule.answer.name(), mood_of(rule.answer));
        page.text(2, mood, &format!("{}: {answer}", rule.rule), NO_LIMIT);
        page.text(4, style::PLAIN, &rule.explanation, NO_LIMIT);
    }

    section(&mut page, "VERDICT");
    let verdict = [machine.verdict.name().to_owned(), machine.why.clone()];
    line(&mut page, "verdict", mood, &verdict);
    line(&mut page, "wanted", style::PLAIN, &machine::wanted(machine));
    line(&mut page, "bill", style::PLAIN, &machine::still_charged(machine));
    line(&mut page, "case", style::PLAIN, &waiting::case(machine, Zone::of(doc)));
    line(&mut page, "planned", style::PLAIN, &action::planned(machine));
    line(&mut page, "result", style::PLAIN, &action::result(machine));

    page.blank();
    page.flow(0, style::DIM, &summary::run(doc), NO_LIMIT);
    page.finish()
}

const fn mood_of(answer: Answer) -> Style {
    match answer {
        Answer::Yes => style::ORPHAN,
        Answer::No => style::PLAIN,
        Answer::Unknown => style::CAUTION,
    }
}

fn section(page: &mut Page, title: &str) {
    page.blank();
    page.text(0, style::HEADING, title, NO_LIMIT);
}

fn line(page: &mut Page, label: &'static str, mood: Style, parts: &[String]) {
    page.labelled(2, (label, LABEL_WIDTH), mood, parts, NO_LIMIT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn options() -> TableOptions {
        TableOptions { width: 80, color: false }
    }

    #[test]
    fn every_fact_comes_with_source_or_reason() {
        let doc = fixture::mixed();
        let rules = [
            RuleView {
                rule: "ownerless".to_owned(),
                answer: Answer::Yes,
                explanation: "no tag `owner` or `created-by`; up 30d, older than 2h".to_owned(),
            },
            RuleView {
                rule: "idle".to_owned(),
                answer: Answer::Unknown,
                explanation: "no metrics source is configured".to_owned(),
            },
        ];
        let text = explain(&doc.instances[0], &rules, &doc, &options());
        insta::assert_snapshot!(text, @r#"
        notebook-test
        aws/research/eu-west-1/i-0abc1234def567890

        FACTS
          where       aws/research/eu-west-1 · account 111122223333 · scope complete
          state       running · the provider says "running" · billed
          type        p4d.24xlarge · 8×A100 · on demand
          created     2026-10-31 09:00 +01:00
          started     2026-10-31 09:00 +01:00
          first seen  -
          age         30d 0h (720.0 h)
          owner       none · from tag `owner`
          tags        project=atlas
          managed by  none
          protected   none
          price       3.50 EUR an hour · built-in price list of 2026-11-01
          cost        2,520.00 EUR since its start · 2,520.00 EUR of that this month
                      2,555.00 EUR a month if left · estimate
          use         idle: 8 of 8 GPUs never above 2 % in the last 6 h, 98 % of samples
                      present, source DCGM in Prometheus; held: up to 22 GiB of a GPU's
                      memory in use · peak 1.5% · 8 of 8 accelerators idle
                      98% of the window measured · window 6h · from DCGM in Prometheus
          advice      hours, confidence high: 111 hours are left in this week: 388.50
                      EUR if nobody switches it off

        RULES
          ownerless: yes
            no tag `owner` or `created-by`; up 30d, older than 2h
          idle: unknown
            no metrics source is configured

        VERDICT
          verdict     orphan · rule `ownerless` says yes
          wanted      stop · saves 2,555.00 EUR of compute a month
                      loses the data on local disks
          bill        volume vol-01: 80.00 EUR a month · volume vol-02: price unknown
                      address eipalloc-1: 3.65 EUR a month
          planned     only reported

        2026-11-30 09:00 +01:00 (Europe/Amsterdam)
        configuration reaper.toml (sha256:0123456789ab)
        nothing was changed: an audit only reports · exit code 4: incomplete, findings
        "#);
    }

    #[test]
    fn a_machine_of_gaps_says_why_for_each() {
        let doc = fixture::mixed();
        let machine = doc.instances.iter().find(|m| m.price.is_none()).expect("in the fixture");
        let text = explain(machine, &[], &doc, &options());
        for why in [&machine.price_why, &machine.age_why, &machine.tags_why, &machine.gpu_why] {
            let why = why.as_deref().expect("a gap");
            assert!(text.contains(why), "{why} in\n{text}");
        }
        assert!(text.contains("no rule is configured"));
    }

    #[test]
    fn fl_147_names_cannot_move_the_cursor_here_either() {
        let doc = fixture::nasty();
        for machine in &doc.instances {
            let text = explain(machine, &[], &doc, &options());
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        }
    }
}
