//! Budgets, spending and bills: what they look like, and what they never say.

use proptest::prelude::*;
use reaper_model::document::{AlertStatus, BudgetStatus, BudgetView};
use unicode_width::UnicodeWidthStr as _;

use super::{plain, table};
use crate::budget;
use crate::fixture::{self, money};
use crate::layout::MIN_WIDTH;

/// The sections about money, without the machines between them.
fn sections(text: &str) -> String {
    let (top, rest) = text.split_once("\nORPHANS").expect("orphans");
    let (_, budgets) = top.split_once("\nBUDGETS").expect("budgets");
    let (_, spent) = rest.split_once("\nSPENT").expect("spending");
    let (spent, _) = spent.split_once("\nSCOPES").expect("scopes");
    format!("BUDGETS{budgets}\nSPENT{spent}")
}

/// The words of a text on one line, however it was wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A budget at so many cents of 100 EUR, as the engine would judge it.
fn at(cents: i64) -> BudgetView {
    let spent = format!("{}.{:03} EUR", cents / 1000, cents % 1000);
    let reached = |bound: i64| cents >= bound * 1000;
    BudgetView {
        percent: format!("{}.{}", cents / 1000, cents % 1000 / 100),
        status: match cents {
            100_001.. => BudgetStatus::Over,
            50_000.. => BudgetStatus::Warn,
            _ => BudgetStatus::Ok,
        },
        reached: [50, 80].into_iter().filter(|&t| reached(t)).map(|t| format!("{t}%")).collect(),
        ..fixture::budget("all-gpu", &spent, "100 EUR")
    }
}

#[test]
fn at_120_columns() {
    insta::assert_snapshot!(sections(&table(&fixture::budgeted(), &plain(120))), @"
    BUDGETS (6) · Sun 1 Nov 2026 00:00 CET until Tue 1 Dec 2026 00:00 CET · 15h left
      team-atlas · OVER, 104.2 %
        ██████████████████████████████│█████████████████│███████████┃█▒▒···········
        spent    2,084.40 EUR of 2,000.00 EUR · over by 84.40 EUR · as billed by the providers
        alert    50 % and 80 % reached · new: 80 % · alert POSSIBLY SENT
        forecast 2,160.10 EUR at the month's end (108 %)
        why      no alert history: the state was empty, so this alert may have been sent before

      all-gpu · WARN, 84.2 %
        ██████████████████████████████│█████████████████│█▒▒▒▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒▒·····
        spent    4,212.00 EUR of 5,000.00 EUR · estimate from running machines, or the bill where it is higher
        alert    50 % and 80 % reached · forecast reaches 100 % · new: 80 % and forecast 100 % · alert sent
        forecast 5,890.00 EUR at the month's end (117.8 %) · 4,905.50 EUR if the proposed stops happen
                 run rate 4,357.24 EUR
        rates    at today's rates 4,301.75 EUR, +89.75 EUR by rates alone
        limit    once 100 % are spent, the notice periods of orphans in its scope end in runs that enforce

      transatlantic · WARN, 79.9 %
        ██████████████████████████████│████████████████▒│···········┃··············
        spent    799.95 EUR of 1,000.00 EUR · estimate from running machines
        alert    50 % reached
        forecast 820.00 EUR at the month's end (82 %)
        rates    at today's rates 812.20 EUR, +12.25 EUR by rates alone · 80 % would be crossed by rates alone: no alert

      burst · FORECAST, 12.4 %
        ███████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒▒▒▒▒▒»
        spent    1,240.00 USD of 10,000.00 USD · estimate from running machines
        alert    forecast reaches 100 % · new: forecast 100 % · alert due
        forecast 48,040.00 USD at the month's end (480.4 %) · 4,960.00 USD if the proposed stops happen

      lab · at least 42 %, incomplete
        █████████████████████████·····│·················│···········┃··············
        spent    at least 420.00 EUR of 1,000.00 EUR · estimate from running machines
        forecast none: a scope was not read, so what runs there is not known
        why      scaleway/poc was not read in full: page 2 of 3: HTTP 503
        why      1 machine without a price: p9x.192xlarge

      inference · ok, 42 %
        █████████████████████████▒····│·················│···········┃··············
        spent    4,200.00 EUR of 10,000.00 EUR · estimate from running machines
        forecast 4,380.00 EUR at the month's end (43.8 %) · run rate 4,337.93 EUR

      █ spent · ▒ forecast · │ threshold · ┃ limit

    SPENT BY OWNER (4) · estimates since Sun 1 Nov 2026 00:00 CET
      OWNER                                          SPENT  MACHINES
      ────────────────────────────────────────────────────────────────────
      alice                     4,380.00 EUR and 78.96 USD  4
      nobody                         at least 2,620.00 EUR  3 (1 unpriced)
      bob.martinez@example.org                1,440.00 EUR  1
      chen                                         unknown  1 (1 unpriced)

    BILLS (3) · accelerated machines without tax, beside the estimate
      ACCOUNT             BILLED     ESTIMATED             DIFFERENCE
      ───────────────────────────────────────────────────────────────
      aws/research  1,234.50 USD  1,200.50 USD     +34.00 USD (2.7 %)
        data from Sun 1 Nov 2026 01:00 CET until Sun 29 Nov 2026 01:00 CET · 1d 8h old
        301.07 USD billed besides for disks, addresses and other machines
        the last two days are called estimated by the provider
      ovhcloud/lab    900.00 EUR  1,440.00 EUR  -540.00 EUR (-60.0 %)
        data from Sun 1 Nov 2026 01:00 CET until Mon 30 Nov 2026 08:00 CET · 1h old
      scaleway/poc             -             -                      -
        FAILED HTTP 403: the key may not read billing (BillingReadOnly is missing)
    ");
}

#[test]
fn at_80_columns() {
    insta::assert_snapshot!(sections(&table(&fixture::budgeted(), &plain(80))), @"
    BUDGETS (6) · Sun 1 Nov 2026 00:00 CET until Tue 1 Dec 2026 00:00 CET · 15h left
      team-atlas · OVER, 104.2 %
        ██████████████████████████████│█████████████████│███████████┃█▒▒···········
        spent    2,084.40 EUR of 2,000.00 EUR · over by 84.40 EUR
                 as billed by the providers
        alert    50 % and 80 % reached · new: 80 % · alert POSSIBLY SENT
        forecast 2,160.10 EUR at the month's end (108 %)
        why      no alert history: the state was empty, so this alert may have been
                 sent before

      all-gpu · WARN, 84.2 %
        ██████████████████████████████│█████████████████│█▒▒▒▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒▒·····
        spent    4,212.00 EUR of 5,000.00 EUR
                 estimate from running machines, or the bill where it is higher
        alert    50 % and 80 % reached · forecast reaches 100 %
                 new: 80 % and forecast 100 % · alert sent
        forecast 5,890.00 EUR at the month's end (117.8 %)
                 4,905.50 EUR if the proposed stops happen · run rate 4,357.24 EUR
        rates    at today's rates 4,301.75 EUR, +89.75 EUR by rates alone
        limit    once 100 % are spent, the notice periods of orphans in its scope
                 end in runs that enforce

      transatlantic · WARN, 79.9 %
        ██████████████████████████████│████████████████▒│···········┃··············
        spent    799.95 EUR of 1,000.00 EUR · estimate from running machines
        alert    50 % reached
        forecast 820.00 EUR at the month's end (82 %)
        rates    at today's rates 812.20 EUR, +12.25 EUR by rates alone
                 80 % would be crossed by rates alone: no alert

      burst · FORECAST, 12.4 %
        ███████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒▒▒▒▒▒»
        spent    1,240.00 USD of 10,000.00 USD · estimate from running machines
        alert    forecast reaches 100 % · new: forecast 100 % · alert due
        forecast 48,040.00 USD at the month's end (480.4 %)
                 4,960.00 USD if the proposed stops happen

      lab · at least 42 %, incomplete
        █████████████████████████·····│·················│···········┃··············
        spent    at least 420.00 EUR of 1,000.00 EUR
                 estimate from running machines
        forecast none: a scope was not read, so what runs there is not known
        why      scaleway/poc was not read in full: page 2 of 3: HTTP 503
        why      1 machine without a price: p9x.192xlarge

      inference · ok, 42 %
        █████████████████████████▒····│·················│···········┃··············
        spent    4,200.00 EUR of 10,000.00 EUR · estimate from running machines
        forecast 4,380.00 EUR at the month's end (43.8 %) · run rate 4,337.93 EUR

      █ spent · ▒ forecast · │ threshold · ┃ limit

    SPENT BY OWNER (4) · estimates since Sun 1 Nov 2026 00:00 CET
      OWNER                                          SPENT  MACHINES
      ────────────────────────────────────────────────────────────────────
      alice                     4,380.00 EUR and 78.96 USD  4
      nobody                         at least 2,620.00 EUR  3 (1 unpriced)
      bob.martinez@example.org                1,440.00 EUR  1
      chen                                         unknown  1 (1 unpriced)

    BILLS (3) · accelerated machines without tax, beside the estimate
      ACCOUNT             BILLED     ESTIMATED             DIFFERENCE
      ───────────────────────────────────────────────────────────────
      aws/research  1,234.50 USD  1,200.50 USD     +34.00 USD (2.7 %)
        data from Sun 1 Nov 2026 01:00 CET until Sun 29 Nov 2026 01:00 CET
        1d 8h old
        301.07 USD billed besides for disks, addresses and other machines
        the last two days are called estimated by the provider
      ovhcloud/lab    900.00 EUR  1,440.00 EUR  -540.00 EUR (-60.0 %)
        data from Sun 1 Nov 2026 01:00 CET until Mon 30 Nov 2026 08:00 CET · 1h old
      scaleway/poc             -             -                      -
        FAILED HTTP 403: the key may not read billing (BillingReadOnly is missing)
    ");
}

#[test]
fn at_60_columns() {
    insta::assert_snapshot!(sections(&table(&fixture::budgeted(), &plain(60))), @"
    BUDGETS (6)
    Sun 1 Nov 2026 00:00 CET until Tue 1 Dec 2026 00:00 CET
    15h left
      team-atlas · OVER, 104.2 %
        ████████████████████│███████████│███████┃█▒·······
        spent    2,084.40 EUR of 2,000.00 EUR
                 over by 84.40 EUR · as billed by the providers
        alert    50 % and 80 % reached · new: 80 %
                 alert POSSIBLY SENT
        forecast 2,160.10 EUR at the month's end (108 %)
        why      no alert history: the state was empty, so this
                 alert may have been sent before

      all-gpu · WARN, 84.2 %
        ████████████████████│███████████│▒▒▒▒▒▒▒┃▒▒▒▒▒▒···
        spent    4,212.00 EUR of 5,000.00 EUR
                 estimate from running machines, or the bill
                 where it is higher
        alert    50 % and 80 % reached · forecast reaches 100 %
                 new: 80 % and forecast 100 % · alert sent
        forecast 5,890.00 EUR at the month's end (117.8 %)
                 4,905.50 EUR if the proposed stops happen
                 run rate 4,357.24 EUR
        rates    at today's rates 4,301.75 EUR, +89.75 EUR by
                 rates alone
        limit    once 100 % are spent, the notice periods of
                 orphans in its scope end in runs that enforce

      transatlantic · WARN, 79.9 %
        ████████████████████│██████████▒│·······┃·········
        spent    799.95 EUR of 1,000.00 EUR
                 estimate from running machines
        alert    50 % reached
        forecast 820.00 EUR at the month's end (82 %)
        rates    at today's rates 812.20 EUR, +12.25 EUR by
                 rates alone
                 80 % would be crossed by rates alone: no alert

      burst · FORECAST, 12.4 %
        ████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒┃▒▒▒▒▒▒▒▒»
        spent    1,240.00 USD of 10,000.00 USD
                 estimate from running machines
        alert    forecast reaches 100 % · new: forecast 100 %
                 alert due
        forecast 48,040.00 USD at the month's end (480.4 %)
                 4,960.00 USD if the proposed stops happen

      lab · at least 42 %, incomplete
        ████████████████····│···········│·······┃·········
        spent    at least 420.00 EUR of 1,000.00 EUR
                 estimate from running machines
        forecast none: a scope was not read, so what runs there
                 is not known
        why      scaleway/poc was not read in full: page 2 of 3:
                 HTTP 503
        why      1 machine without a price: p9x.192xlarge

      inference · ok, 42 %
        ████████████████▒···│···········│·······┃·········
        spent    4,200.00 EUR of 10,000.00 EUR
                 estimate from running machines
        forecast 4,380.00 EUR at the month's end (43.8 %)
                 run rate 4,337.93 EUR

      █ spent · ▒ forecast · │ threshold · ┃ limit

    SPENT BY OWNER (4)
    estimates since Sun 1 Nov 2026 00:00 CET
      alice
        4,380.00 EUR and 78.96 USD · 4 machines
      nobody
        at least 2,620.00 EUR · 3 machines (1 unpriced)
      bob.martinez@example.org
        1,440.00 EUR · 1 machine
      chen
        unknown · 1 machine (1 unpriced)

    BILLS (3)
    accelerated machines without tax, beside the estimate
      aws/research
        billed 1,234.50 USD · estimated 1,200.50 USD
        difference +34.00 USD (2.7 %)
        data from Sun 1 Nov 2026 01:00 CET until Sun 29 Nov 2026
        01:00 CET · 1d 8h old
        301.07 USD billed besides for disks, addresses and other
        machines
        the last two days are called estimated by the provider
      ovhcloud/lab
        billed 900.00 EUR · estimated 1,440.00 EUR
        difference -540.00 EUR (-60.0 %)
        data from Sun 1 Nov 2026 01:00 CET until Mon 30 Nov 2026
        08:00 CET · 1h old
      scaleway/poc
        FAILED HTTP 403: the key may not read billing
               (BillingReadOnly is missing)
    ");
}

#[test]
fn without_budgets_nothing_is_said_of_them() {
    let text = table(&fixture::mixed(), &plain(80));
    for word in ["BUDGETS", "budgets", "SPENT", "BILLS", "█"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn what_needs_eyes_stands_at_the_top_and_before_the_machines() {
    let text = table(&fixture::budgeted(), &plain(120));
    let top: Vec<&str> = text.lines().take(5).collect();
    assert!(top[3].starts_with("budgets: 1 OVER (team-atlas) · 2 at a threshold"), "{top:?}");
    let place = |word: &str| text.find(word).unwrap_or_else(|| panic!("no {word}"));
    let order = ["BUDGETS (6)", "team-atlas · OVER", "all-gpu · WARN", "burst · FORECAST"];
    let then =
        ["lab · at least", "inference · ok", "ORPHANS (5)", "SPENT BY OWNER (4)", "BILLS (3)"];
    assert!(
        [&order[..], &then[..]].concat().windows(2).all(|pair| place(pair[0]) < place(pair[1]))
    );
}

#[test]
fn fl_149_budgets_that_are_all_in_order_take_one_line_at_the_top() {
    let mut doc = fixture::nothing_found();
    doc.budgets = vec![at(10_000), at(20_000)];
    let text = table(&doc, &plain(80));
    assert_eq!(text.lines().nth(2), Some("budgets: 2 ok"));
}

#[test]
fn fl_117_the_percentage_never_contradicts_the_verdict() {
    for (cents, standing) in [
        (49_990, "ok, 49.9 %"),
        (50_000, "WARN, 50 %"),
        (79_995, "WARN, 79.9 %"),
        (80_000, "WARN, 80 %"),
        (99_999, "WARN, 99.9 %"),
        (100_000, "WARN, 100 %"),
        (100_001, "OVER, more than 100 %"),
        (100_100, "OVER, 100.1 %"),
    ] {
        assert_eq!(budget::standing(&at(cents)), standing);
    }
    assert_eq!(budget::excess(&at(100_000)), None);
    assert_eq!(budget::excess(&at(100_001)).as_deref(), Some("over by less than a cent"));
    assert_eq!(budget::excess(&at(100_100)).as_deref(), Some("over by 0.10 EUR"));
}

#[test]
fn fl_123_half_the_data_is_never_in_order() {
    let mut doc = fixture::budgeted();
    doc.budgets.retain(|budget| budget.name == "lab");
    for width in [60, 80, 120] {
        let text = table(&doc, &plain(width));
        let shown = unwrapped(text.split_once("\nORPHANS").expect("orphans").0);
        assert!(shown.contains("lab · at least 42 %, incomplete"), "{shown}");
        assert!(shown.contains("at least 420.00 EUR of 1,000.00 EUR"), "{shown}");
        assert!(shown.contains("budgets: 1 incomplete (lab)"), "{shown}");
        assert!(!shown.contains("ok"), "{shown}");
    }
    // Whatever else a document says of it.
    doc.budgets[0].status = BudgetStatus::Ok;
    assert_eq!(budget::standing(&doc.budgets[0]), "at least 42 %, incomplete");
    doc.budgets[0].status = BudgetStatus::Warn;
    assert_eq!(budget::standing(&doc.budgets[0]), "WARN, at least 42 %, incomplete");
}

#[test]
fn fl_106_every_amount_carries_its_code() {
    let text = sections(&table(&fixture::budgeted(), &plain(120)));
    assert!(!text.contains(['$', '€']));
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_amount = |word: &str| {
        let cents = word.trim_start_matches(['+', '-']).split_once('.');
        cents.is_some_and(|(_, cents)| cents.len() == 2 && cents.parse::<u8>().is_ok())
    };
    let amounts = words.windows(2).filter(|pair| is_amount(pair[0]));
    assert!(amounts.clone().all(|pair| ["EUR", "USD"].contains(&pair[1].trim_end_matches(','))));
    assert!(amounts.count() > 30);
}

#[test]
fn fl_108_the_effect_of_the_rates_stands_apart_from_the_use() {
    let text = unwrapped(&table(&fixture::budgeted(), &plain(120)));
    assert!(text.contains("at today's rates 4,301.75 EUR, +89.75 EUR by rates alone"));
    assert!(text.contains("80 % would be crossed by rates alone: no alert"));
    let budget = &fixture::budgeted().budgets[5];
    assert_eq!(
        (budget.name.as_str(), budget::standing(budget)),
        ("transatlantic", "WARN, 79.9 %".to_owned())
    );
}

#[test]
fn fl_110_the_basis_is_said_and_the_bill_stands_beside_the_estimate() {
    let text = unwrapped(&sections(&table(&fixture::budgeted(), &plain(120))));
    for basis in ["as billed by the providers", "estimate from running machines, or the bill where"]
    {
        assert!(text.contains(basis), "{text}");
    }
    assert!(text.contains("aws/research 1,234.50 USD 1,200.50 USD +34.00 USD (2.7 %)"), "{text}");
    // 1,234.50 + 1,200.50
    assert!(!text.contains("2,435.00"));
}

#[test]
fn fl_118_all_sections_use_one_boundary_and_print_it() {
    let text = sections(&table(&fixture::budgeted(), &plain(120)));
    assert!(text.contains("BUDGETS (6) · Sun 1 Nov 2026 00:00 CET until Tue 1 Dec 2026 00:00 CET"));
    assert!(text.contains("SPENT BY OWNER (4) · estimates since Sun 1 Nov 2026 00:00 CET"));
    // The provider's month is one of UTC.
    assert!(text.contains("data from Sun 1 Nov 2026 01:00 CET"));
}

#[test]
fn fl_119_an_alert_that_was_not_taken_is_not_called_sent() {
    let mut doc = fixture::unalerted();
    doc.budgets.retain(|budget| budget.alert == AlertStatus::Due);
    let text = table(&doc, &plain(80));
    assert!(text.contains("alert NOT DELIVERED") && !text.contains("alert sent"), "{text}");
    assert!(table(&fixture::budgeted(), &plain(80)).contains("alert due"));
}

#[test]
fn fl_120_a_bill_says_how_old_it_is() {
    let text = unwrapped(&table(&fixture::budgeted(), &plain(80)));
    assert!(
        text.contains("until Sun 29 Nov 2026 01:00 CET · 1d 8h old")
            || text.contains("until Sun 29 Nov 2026 01:00 CET 1d 8h old"),
        "{text}"
    );
}

#[test]
fn fl_122_without_a_forecast_the_reason_stands_in_its_place() {
    let mut budget = fixture::budget("all-gpu", "1 EUR", "100 EUR");
    budget.forecast = None;
    budget.forecast_why = Some("none before 24 hours of the month have passed".to_owned());
    assert_eq!(budget::forecast(&budget), ["none: none before 24 hours of the month have passed"]);
    budget.forecast = Some(money("180 EUR"));
    budget.forecast_if_stopped = Some(money("99.99 EUR"));
    assert_eq!(
        budget::forecast(&budget),
        ["180.00 EUR at the month's end (180 %)", "99.99 EUR if the proposed stops happen"]
    );
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let doc = fixture::unalerted();
    let options = crate::TableOptions { width: 80, color: true };
    let colored = table(&doc, &options);
    assert!(colored.contains("\u{1b}[1m\u{1b}[31mteam-atlas · OVER"), "{colored}");
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), table(&doc, &plain(80)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_147_no_text_breaks_the_frame_of_a_budget(text in fixture::any_text(), width in 0_usize..200) {
        let doc = fixture::budgeted_with_text(&text);
        let shown = table(&doc, &plain(width));
        for line in shown.lines() {
            prop_assert!(line.width() <= width.max(MIN_WIDTH), "{line:?} at {width}");
            prop_assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
        prop_assert!(!shown.contains(|c: char| c < ' ' && c != '\n'));
    }

    #[test]
    fn fl_117_no_share_of_the_limit_is_shown_above_itself(cents in 0_i64..130_000) {
        let budget = at(cents);
        let shown = budget::used(&budget);
        let percent: i64 = shown.trim_start_matches("more than ").trim_end_matches(" %")
            .parse::<rust_decimal::Decimal>().expect("a number")
            .checked_mul(1000.into()).and_then(|p| i64::try_from(p).ok()).expect("in range");
        prop_assert!(percent <= cents, "{shown} at {cents}");
        for bound in [50_000, 80_000, 100_000] {
            prop_assert_eq!(percent >= bound, cents >= bound, "{} at {}", shown, cents);
        }
    }
}
