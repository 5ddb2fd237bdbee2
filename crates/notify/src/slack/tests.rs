//! Whatever a document holds, a message stays within Slack's limits and is plain text.

use proptest::prelude::*;
use reaper_model::AuditDocument;
use reaper_model::document::{BudgetStatus, StoppedView};
use serde_json::Value;

use super::blocks::{MOST, MOST_BLOCKS, MOST_HEADER, MOST_ROWS, MOST_SECTION, message};
use super::content::text;
use crate::channel::Content;
use crate::weekly::fixture;

/// The message, held against every limit.
fn checked(content: &Content<'_>) -> Value {
    let body = message(&text(content));
    assert!(body.chars().count() <= MOST, "{} characters", body.chars().count());
    let message: Value = serde_json::from_str(&body).expect("JSON");
    assert!(message["text"].as_str().is_some_and(|text| !text.trim().is_empty()));
    let blocks = message["blocks"].as_array().expect("blocks");
    assert!((1..=MOST_BLOCKS).contains(&blocks.len()));
    let length = |text: &Value| text.as_str().expect("a text").chars().count();
    for block in blocks {
        match block["type"].as_str() {
            Some("header") => {
                assert!((1..=MOST_HEADER).contains(&length(&block["text"]["text"])), "{block}");
                assert_eq!(block["text"]["type"], "plain_text");
            }
            Some("section") => {
                assert!((1..=MOST_SECTION).contains(&length(&block["text"]["text"])), "{block}");
                assert_eq!(block["text"]["verbatim"], true);
            }
            Some("context") => assert_eq!(block["elements"].as_array().map(Vec::len), Some(1)),
            _ => panic!("{block}"),
        }
    }
    assert!(shown(&message).matches("\n• ").count() <= MOST_ROWS);
    message
}

/// All that people read, line by line.
fn shown(message: &Value) -> String {
    let mut lines = Vec::new();
    for block in message["blocks"].as_array().expect("blocks") {
        let text = &block["text"]["text"];
        let text = if text.is_null() { &block["elements"][0]["text"] } else { text };
        lines.push(text.as_str().expect("a text").to_owned());
    }
    lines.join("\n")
}

/// The fixture's week with so many machines that look forgotten, half of them with a deadline.
fn crowd(size: usize) -> AuditDocument {
    let mut doc = fixture::weekly();
    let found: Vec<_> =
        doc.instances.iter().filter(|machine| !machine.findings.is_empty()).cloned().collect();
    doc.instances = found.into_iter().cycle().take(size).collect();
    for (number, machine) in doc.instances.iter_mut().enumerate() {
        machine.id = format!("{}-{number}", machine.id);
    }
    doc.totals.orphans = size;
    doc.totals.instances = size;
    doc
}

/// One text wherever text comes from outside.
fn poisoned(mut doc: AuditDocument, text: &str) -> AuditDocument {
    for machine in &mut doc.instances {
        machine.name = Some(text.to_owned());
        text.clone_into(&mut machine.native_id);
        machine.machine_type = text.into();
        machine.owner.id = Some(text.to_owned());
        for finding in &mut machine.findings {
            text.clone_into(&mut finding.explanation);
        }
    }
    for leftover in &mut doc.leftovers {
        leftover.name = Some(text.to_owned());
        leftover.owner.id = Some(text.to_owned());
        leftover.age_why = Some(text.to_owned());
    }
    for advice in doc.instances.iter_mut().flat_map(|machine| &mut machine.advice) {
        text.clone_into(&mut advice.text);
    }
    for budget in &mut doc.budgets {
        text.clone_into(&mut budget.name);
        budget.why = vec![text.to_owned()];
    }
    for scope in &mut doc.scopes {
        scope.why = Some(text.to_owned());
    }
    for stop in doc.report.iter_mut().flat_map(|report| &mut report.stopped) {
        stop.name = Some(text.to_owned());
        stop.owner = Some(text.to_owned());
        stop.rule = Some(text.to_owned());
    }
    text.clone_into(&mut doc.run_id);
    doc
}

fn stops(doc: &AuditDocument) -> Vec<StoppedView> {
    doc.report.iter().flat_map(|report| report.stopped.clone()).collect()
}

#[test]
fn the_report_begins_with_deadlines() {
    let doc = fixture::weekly();
    let message = checked(&Content::Report(&doc));
    insta::assert_snapshot!(shown(&message), @r#"
    reaper: 3 machines will be stopped, first Thu 3 Dec 2026 09:00 CET, 1 budget at a threshold or over, 1 of 5 scopes could not be read in full
    Mon 23 Nov 2026 08:00 CET until Mon 30 Nov 2026 08:00 CET
    found 4 orphans of 7 machines · 1 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far · at least 5,475.00 EUR and 2,401.70 USD a month if left
    1 new · 1 gone · 1 kept · 2 stopped · saved 322.50 EUR (compute)
    7 machines in 4 scopes · at least 21.40 EUR and 3.29 USD an hour running · 1 of 5 scopes could not be read in full · 1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged · use not measured of 1 machine · last complete run Sun 29 Nov 2026 08:05 CET
    3 left behind: 1 volume, 1 address, 1 snapshot · at least 216.00 EUR a month · 1 without a price · the dearest: volume scratch-llama, 190.00 EUR a month, unused for 41d 2h, owner alice
    2 pieces of advice for 2 machines, the best saves 2,190.00 EUR a month (compute only) · train-1: mean use 9 % over the last 7 days, at most 22 of 80 GiB of memory in use on each GPU: g6e.48xlarge (8×L40S) would do
    *Will be stopped* (3)
    To keep a machine: reaper keep ID --until DATE --reason "why"
    • `render-node` · will be stopped Thu 3 Dec 2026 09:00 CET · 1,540.00 EUR so far, 67.20 EUR a day · owner none · stopped but billed · no tag names an owner (ownerless) · h100-380, 1×H100 · age 30d 0h · ovhcloud/lab/GRA11, id f47ac10b-58cc-4372-a567-0e02b2c3d479
    • `notebook-test` · will be stopped Fri 4 Dec 2026 09:00 CET · 2,520.00 EUR so far, 84.00 EUR a day · owner alice · no use of its GPUs above 2 % for 6 h (idle) · idle (no process, no memory in use) · p4d.24xlarge, 8×A100 · age 30d 0h · aws/research/eu-west-1, id i-0alice1
    • `tuning &lt;bob's&gt;` · will be stopped Fri 4 Dec 2026 09:00 CET · 0.00 EUR so far, 28.80 EUR a day · owner bob · its tag ˋexpiresˋ was due on 2026-11-27 (expired) · L40S-2-48G, 2×L40S · age 30d 0h · scaleway/poc/fr-par-2, id 8f5e1c2d-6a44-4a31-9d10-2f6f0e9b7a55
    *Stopped since the last report* (2)
    • `sweep-1` · stopped Wed 25 Nov 2026 10:15 CET · rule ownerless · saved 310.00 EUR · owner bob · H100-1-80G, scaleway/poc
    • `tuning-2` · stopped Wed 25 Nov 2026 10:15 CET · rule ownerless · RUNNING AGAIN since Wed 25 Nov 2026 15:00 CET · saved 12.50 EUR · owner bob · H100-1-80G, scaleway/poc
    *Budgets* (2)
    • `all-gpu` · WARN, 84.2 % · 4,212.00 EUR of 5,000.00 EUR · forecast 5,890.00 EUR at the month's end (117.8 %)
    • `atlas` · ok, 18 % · 900.00 EUR of 5,000.00 EUR · forecast 5,890.00 EUR at the month's end (117.8 %)
    *Not read in full* (1)
    • `aws/research` · FAILED · HTTP 503 · eu-west-3
    *Look forgotten, nothing is announced* (1)
    • `sweep-07` · 78.96 USD so far, 78.96 USD a day · owner Alice · the tag ˋprojectˋ is missing (missing-tags) · idle (memory held, no work): 1 of 1 GPU never above 2 % in the last 6 h, 98 % of samples present, source DCGM in Promet… · gpu_1x_h100_sxm5, 1×H100 · age 30d 0h · lambda/burst/us-west-1, id 0920582c7ff041399e34823a0be62549
    reaper 0.1.0 · run r-1
    "#);
}

#[test]
fn fl_149_a_week_without_findings_says_what_was_looked_at() {
    let doc = fixture::nothing();
    let message = checked(&Content::Report(&doc));
    insta::assert_snapshot!(shown(&message), @r##"
    reaper: all clear, 1 machine checked
    Mon 23 Nov 2026 08:00 CET until Mon 30 Nov 2026 08:00 CET
    nothing found · 1 machine in 4 scopes · 7.00 EUR an hour running
    0 new · 0 gone · 0 kept · 0 stopped
    last complete run Sun 29 Nov 2026 08:05 CET
    *Budgets* (1)
    • `all-gpu` · ok, 18 % · 900.00 EUR of 5,000.00 EUR · forecast 5,890.00 EUR at the month's end (117.8 %)
    reaper 0.1.0 · run r-1
    "##);
}

#[test]
fn an_alert_says_what_is_reached_and_a_forecast_is_called_one() {
    let doc = fixture::weekly();
    let covers = ["50%".to_owned(), "80%".to_owned()];
    let mut budget = doc.budgets[0].clone();
    let content = Content::Alert { budget: &budget, covers: &covers, id: "all-gpu/2026-11/x" };
    insta::assert_snapshot!(shown(&checked(&content)), @r##"
    Budget all-gpu: 50 % and 80 % reached
    4,212.00 EUR of 5,000.00 EUR in November 2026 (84.2 %)
    Forecast: 5,890.00 EUR at the month's end (117.8 %)
    Basis: estimate from running machines
    This message stops nothing.
    alert all-gpu/2026-11/x
    "##);
    budget.status = BudgetStatus::ForecastOver;
    let covers = ["forecast 100%".to_owned()];
    let content = Content::Alert { budget: &budget, covers: &covers, id: "all-gpu/2026-11/x" };
    let shown = shown(&checked(&content));
    assert!(shown.starts_with("Budget all-gpu: forecast reaches 100 %\n"), "{shown}");
    assert!(shown.contains("This is a forecast, not money spent."), "{shown}");
}

#[test]
fn stops_name_each_machine_with_its_time() {
    let stops = stops(&fixture::weekly());
    insta::assert_snapshot!(shown(&checked(&Content::Stops(&stops))), @r##"
    reaper: 2 machines stopped
    The provider shows that their compute bill has ended.
    *Stopped* (2)
    • `sweep-1` · stopped Wed 25 Nov 2026 10:15 +01:00 · rule ownerless · saved 310.00 EUR (compute) · owner bob · H100-1-80G · id scaleway/org-1/fr-par-2/66bb
    • `tuning-2` · stopped Wed 25 Nov 2026 10:15 +01:00 · rule ownerless · RUNNING AGAIN since Wed 25 Nov 2026 15:00 +01:00 · saved 12.50 EUR (compute) · owner bob · H100-1-80G · id scaleway/org-1/fr-par-2/77aa
    "##);
}

#[test]
fn five_thousand_machines_are_twenty_rows_and_their_number() {
    let doc = crowd(5_000);
    let shown = shown(&checked(&Content::Report(&doc)));
    assert!(shown.contains(" of 3750 shown)"), "{shown}");
    let stop = stops(&doc).remove(0);
    let many = vec![stop; 5_000];
    let content = Content::Stops(&many);
    let shown = self::shown(&checked(&content));
    assert!(shown.contains(" of 5000 shown)"), "{shown}");
}

#[test]
fn five_thousand_leftovers_and_pieces_of_advice_are_a_line_each() {
    let doc = fixture::littered(5_000);
    let shown = shown(&checked(&Content::Report(&doc)));
    assert_eq!(shown.matches("left behind: 5,000 volumes").count(), 1, "{shown}");
    assert_eq!(shown.matches("pieces of advice for").count(), 1, "{shown}");
}

#[test]
fn fl_133_hostile_names_are_text() {
    for text in [
        "<!channel> <https://evil.example|log in> <@U123>",
        &"<!channel>&".repeat(1_000),
        &"\"\\\n".repeat(5_000),
        &"*_~`".repeat(2_500),
        &"\u{1b}[31m\u{202e}".repeat(2_000),
        "",
        " ",
    ] {
        let doc = poisoned(crowd(100), text);
        let mut messages = vec![checked(&Content::Report(&doc))];
        messages.push(checked(&Content::Stops(&stops(&doc))));
        let covers = [text.to_owned()];
        let content = Content::Alert { budget: &doc.budgets[0], covers: &covers, id: text };
        messages.push(checked(&content));
        for message in messages {
            let shown = shown(&message);
            assert!(!shown.contains("<!") && !shown.contains("<@") && !shown.contains("<http"));
            assert!(!shown.contains("://") && !shown.contains('\u{1b}'), "{shown}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_text_stays_within_the_limits(text in any::<String>(), times in 1_usize..200, size in 0_usize..60) {
        let doc = poisoned(crowd(size), &text.repeat(times));
        checked(&Content::Report(&doc));
        checked(&Content::Stops(&stops(&doc)));
        let covers = [text.clone(), format!("forecast {text}")];
        checked(&Content::Alert { budget: &doc.budgets[0], covers: &covers, id: &text });
    }
}
