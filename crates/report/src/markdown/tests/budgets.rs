//! Budgets, spending and bills in a job summary.

use proptest::prelude::*;

use crate::fixture;
use crate::markdown::markdown;

fn sections(text: &str) -> String {
    let (top, rest) = text.split_once("### Orphans").expect("orphans");
    let (_, budgets) = top.split_once("### Budgets").expect("budgets");
    let (_, spent) = rest.split_once("### Spent").expect("spending");
    let (spent, _) = spent.split_once("### Scopes").expect("scopes");
    format!("### Budgets{budgets}### Spent{spent}")
}

#[test]
fn budgets_in_a_job_summary() {
    let text = markdown(&fixture::budgeted());
    insta::assert_snapshot!(sections(&text), @"
    ### Budgets

    | Budget | Used | Spent | Forecast | Alert | Notes |
    | --- | --- | --- | --- | --- | --- |
    | <code>team-atlas</code> | <code>██████████│█████│███┃█···</code><br>OVER, 104.2 % | 2,084.40 EUR of 2,000.00 EUR<br>over by 84.40 EUR<br>as billed by the providers | 2,160.10 EUR at the month's end (108 %) | 50 % and 80 % reached<br>new: 80 %<br>alert POSSIBLY SENT | no alert history: the state was empty, so this alert may have been sent before |
    | <code>all-gpu</code> | <code>██████████│█████│▒▒▒┃▒▒··</code><br>WARN, 84.2 % | 4,212.00 EUR of 5,000.00 EUR<br>estimate from running machines, or the bill where it is higher | 5,890.00 EUR at the month's end (117.8 %)<br>4,905.50 EUR if the proposed stops happen<br>run rate 4,357.24 EUR | 50 % and 80 % reached<br>forecast reaches 100 %<br>new: 80 % and forecast 100 %<br>alert sent | at today's rates 4,301.75 EUR, +89.75 EUR by rates alone<br>once 100 % are spent, the notice periods of orphans in its scope end in runs that enforce |
    | <code>transatlantic</code> | <code>██████████│████▒│···┃····</code><br>WARN, 79.9 % | 799.95 EUR of 1,000.00 EUR<br>estimate from running machines | 820.00 EUR at the month's end (82 %) | 50 % reached | at today's rates 812.20 EUR, +12.25 EUR by rates alone<br>80 % would be crossed by rates alone: no alert |
    | <code>burst</code> | <code>██▒▒▒▒▒▒▒▒│▒▒▒▒▒│▒▒▒┃▒▒▒»</code><br>FORECAST, 12.4 % | 1,240.00 USD of 10,000.00 USD<br>estimate from running machines | 48,040.00 USD at the month's end (480.4 %)<br>4,960.00 USD if the proposed stops happen | forecast reaches 100 %<br>new: forecast 100 %<br>alert due |  |
    | <code>lab</code> | <code>████████··│·····│···┃····</code><br>at least 42 %, incomplete | at least 420.00 EUR of 1,000.00 EUR<br>estimate from running machines | none: a scope was not read, so what runs there is not known |  | scaleway/poc was not read in full: page 2 of 3: HTTP 503<br>1 machine without a price: p9x.192xlarge |
    | <code>inference</code> | <code>████████··│·····│···┃····</code><br>ok, 42 % | 4,200.00 EUR of 10,000.00 EUR<br>estimate from running machines | 4,380.00 EUR at the month's end (43.8 %)<br>run rate 4,337.93 EUR |  |  |

    Sun 1 Nov 2026 00:00 CET until Tue 1 Dec 2026 00:00 CET · 15h left · █ spent · ▒ forecast · │ threshold · ┃ limit

    ### Spent by owner

    | Owner | Spent | Machines |
    | --- | ---: | --- |
    | alice | 4,380.00 EUR and 78.96 USD | 4 |
    | nobody | at least 2,620.00 EUR | 3 (1 unpriced) |
    | bob.martinez&#64;example.org | 1,440.00 EUR | 1 |
    | chen | unknown | 1 (1 unpriced) |

    estimates since Sun 1 Nov 2026 00:00 CET

    ### Bills

    | Account | Billed | Estimated | Difference | Data |
    | --- | ---: | ---: | ---: | --- |
    | aws/research | 1,234.50 USD | 1,200.50 USD | +34.00 USD (2.7 %) | data from Sun 1 Nov 2026 01:00 CET until Sun 29 Nov 2026 01:00 CET<br>1d 8h old<br>301.07 USD billed besides for disks, addresses and other machines<br>the last two days are called estimated by the provider |
    | ovhcloud/lab | 900.00 EUR | 1,440.00 EUR | -540.00 EUR (-60.0 %) | data from Sun 1 Nov 2026 01:00 CET until Mon 30 Nov 2026 08:00 CET<br>1h old |
    | scaleway/poc | - | - | - | FAILED<br>HTTP 403: the key may not read billing (BillingReadOnly is missing) |

    accelerated machines without tax, beside the estimate
    ");
}

#[test]
fn how_they_stand_is_said_before_any_table() {
    let text = markdown(&fixture::budgeted());
    let (top, _) = text.split_once("### ").expect("sections");
    assert!(top.contains("\nbudgets: 1 OVER (team-atlas) · 2 at a threshold"), "{top}");
    assert!(!markdown(&fixture::mixed()).contains("udget"));
}

#[test]
fn fl_106_no_currency_sign_is_ever_printed() {
    assert!(!markdown(&fixture::budgeted()).contains(['$', '€']));
}

#[test]
fn fl_119_an_alert_that_was_not_taken_is_not_called_sent() {
    let mut doc = fixture::unalerted();
    doc.budgets.retain(|budget| budget.name == "burst");
    let text = markdown(&doc);
    assert!(text.contains("alert NOT DELIVERED") && !text.contains("alert sent"), "{text}");
}

#[test]
fn ten_thousand_owners_stay_below_what_a_job_summary_may_hold() {
    let mut doc = fixture::budgeted_with_text(&"\u{202e}|".repeat(500));
    doc.spend = vec![doc.spend[0].clone(); 10_000];
    doc.budgets = vec![doc.budgets[0].clone(); 1_000];
    doc.bills = vec![doc.bills[0].clone(); 1_000];
    let text = markdown(&doc);
    assert!(text.len() < 900_000, "{}", text.len());
    assert_eq!(text.matches(" shown: the rest is in the JSON document.").count(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_133_no_text_adds_a_line_or_a_cell_to_a_budget(text in fixture::any_text()) {
        let rows = |text: &str| {
            let shown = markdown(&fixture::budgeted_with_text(text));
            let unescaped = |line: &str| line.replace(r"\\", "").replace(r"\|", "");
            shown.lines().map(|line| unescaped(line).matches('|').count()).collect::<Vec<_>>()
        };
        prop_assert_eq!(rows(&text), rows("plain"));
    }
}
