//! What the page holds, and what no text from outside can do to it.

use proptest::prelude::*;
use reaper_model::AuditDocument;
use sha2::{Digest as _, Sha256};

use super::machines::COLUMNS;
use super::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH, page};
use crate::fixture;

fn written(doc: &AuditDocument) -> String {
    let mut out = Vec::new();
    page(doc, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// The page without its style, its script and their digests.
fn body(doc: &AuditDocument) -> String {
    let mut text = written(doc);
    for own in [STYLE, SCRIPT, STYLE_HASH, SCRIPT_HASH] {
        assert!(text.contains(own));
        text = text.replace(own, "");
    }
    text
}

#[test]
fn a_weekly_report() {
    insta::assert_snapshot!(body(&fixture::weekly()));
}

#[test]
fn fl_149_nothing_found_is_said_with_what_was_looked_at() {
    insta::assert_snapshot!(body(&fixture::nothing_found()));
}

/// What the page allows itself is what is in it.
#[test]
fn the_digests_are_those_of_the_files() {
    for (text, hash) in [(STYLE, STYLE_HASH), (SCRIPT, SCRIPT_HASH)] {
        assert_eq!(base64(&Sha256::digest(text)), hash);
        assert!(!text.contains("</"), "it would end its element");
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for letter in 0..4 {
            let six = usize::try_from(bits >> (18 - 6 * letter) & 63).expect("six bits");
            text.push(if letter > three.len() { '=' } else { LETTERS[six].into() });
        }
    }
    text
}

/// On a phone each cell has its column's title before it; the style holds those of the long table.
#[test]
fn the_style_knows_the_columns_of_the_machines() {
    for (index, column) in COLUMNS.iter().enumerate().skip(1) {
        let rule = format!(
            ".machines td:nth-child({})::before{{content:\"{}\"}}",
            index + 1,
            column.title
        );
        assert!(STYLE.contains(&rule), "{rule}");
    }
}

#[test]
fn nothing_is_fetched_and_nothing_runs_but_our_script() {
    let text = body(&fixture::weekly()).to_lowercase();
    for banned in [
        "<img", "<iframe", "<form", "<object", "<embed", "src=", "http:", "https:", "style=",
        "onclick", "@import",
    ] {
        assert!(!text.contains(banned), "{banned}");
    }
    assert_eq!(text.matches("<script").count(), 1);
    assert_eq!(text.matches("<link ").count(), 1, "the empty icon");
    assert!(text.contains(
        "content=\"default-src 'none'; style-src 'sha256-'; script-src 'sha256-'; img-src data:"
    ));
    let style = STYLE.replace("url(#hatch)", "");
    assert!(!style.contains("url(") && !style.contains("@import"));
    for banned in ["innerHTML", "eval", "fetch", "XMLHttpRequest", "Function", "write("] {
        assert!(!SCRIPT.contains(banned), "{banned}");
    }
}

#[test]
fn the_frame_is_one_that_can_be_heard_as_well_as_seen() {
    for doc in [fixture::weekly(), fixture::nothing_found(), fixture::braked(), fixture::mixed()] {
        let text = body(&doc);
        assert!(text.contains("<html lang=\"en\">"));
        assert_eq!(text.matches("<h1").count(), 1);
        for landmark in ["<header>", "<nav aria-label=", "<main id=\"main\">", "<footer>"] {
            assert_eq!(text.matches(landmark).count(), 1, "{landmark}");
        }
        assert_eq!(text.matches("<table").count(), text.matches("<caption>").count());
        assert_eq!(text.matches("<tr").count(), text.matches("</tr>").count());
        assert_eq!(
            text.matches("<svg").count(),
            text.matches("<svg class=\"bar\" role=\"img\" aria-label=").count()
                + text.matches("<svg class=\"chart\" role=\"img\" aria-label=").count()
                + 1
        );
    }
}

#[test]
fn fl_139_deadlines_come_first_with_weekday_zone_and_how_to_prevent_them() {
    let text = body(&fixture::planned());
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is shown"));
    assert!(place("<h2 id=\"deadlines\">") < place("<h2 id=\"fleet\">"));
    let (_, first) = text.split_once("<h2 id=\"deadlines\">").expect("a part");
    let row = first.split("<tr").find(|row| row.contains("finetune-llama")).expect("a row");
    for told in [
        "Thu 3 Dec 2026 09:00 CET",
        "ovhcloud/lab/GRA11/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "h100-380",
        "1×H100",
        "bob (departed)",
        "48.00 EUR",
        "1,440.00 EUR",
        "1,460.00 EUR",
        "reaper keep ovhcloud/lab/GRA11/6ba7b810-9dad-11d1-80b4-00c04fd430c8 --until 2026-12-17",
        "(ownerless)",
    ] {
        assert!(row.contains(told), "{told}: {row}");
    }
    let acts = "a run with --enforce stops or terminates each at its time or later, never before.";
    assert!(first.contains(acts));
}

#[test]
fn a_budget_that_ends_notice_periods_is_named_where_times_are_promised() {
    let text = body(&fixture::weekly());
    assert!(text.contains(
        "at or after its time, earlier only where a budget is used up that ends notice periods."
    ));
}

#[test]
fn what_looks_off_and_is_billed_comes_first_among_the_machines() {
    let text = body(&fixture::mixed());
    let (_, fleet) = text.split_once("<h2 id=\"fleet\">").expect("a part");
    let place = |name: &str| fleet.find(name).expect("listed");
    assert!(place("finetune-llama") < place("notebook-test"));
    assert!(place("notebook-test") < place("train-7b"));
    assert!(fleet.contains("stopped but billed: &#34;SHUTOFF&#34; still costs the full price"));
}

#[test]
fn fl_128_the_first_lines_say_how_long_nothing_was_read_in_full() {
    let mut doc = fixture::weekly();
    doc.last_complete_run = Some(fixture::time("2026-11-18T08:00:00+01:00"));
    let text = body(&doc);
    let place = |what: &str| text.find(what).expect("shown");
    assert!(place("THE LAST COMPLETE RUN WAS 12 DAYS AGO") < place("<h1>"));
    assert!(text.contains("Costs count from launch times, the gap included."));
    doc.last_complete_run = None;
    assert!(body(&doc).contains("<footer>\n<p>no complete run is recorded</p>"));
}

#[test]
fn fl_133_markup_in_a_name_is_text_and_the_tables_stay_whole() {
    let evil = "</th></table></script><img src=x onerror=alert(1)>\"'&";
    let tags = |text: &str| text.matches('<').count();
    let text = body(&fixture::weekly_with_text(evil));
    assert_eq!(tags(&text), tags(&body(&fixture::weekly_with_text("plain"))));
    assert!(!text.contains("<img") && text.contains("&#60;img src=x"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fl_147_no_text_adds_an_element_or_hides_anything(text in fixture::any_text()) {
        let tags = |text: &str| body(&fixture::weekly_with_text(text)).matches('<').count();
        let shown = body(&fixture::weekly_with_text(&text));
        prop_assert_eq!(tags(&text), tags("plain"));
        prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'));
        let hidden = shown.contains(['\u{202e}', '\u{200d}', '\u{feff}']);
        prop_assert!(!hidden);
        prop_assert!(!shown.lines().any(|line| line.trim_start().starts_with("::")));
    }
}

#[test]
fn five_thousand_machines_stay_below_six_megabytes() {
    let text = written(&fixture::fleet(5_000));
    assert!(text.len() < 6_000_000, "{}", text.len());
    assert!(text.contains("200 of 5,000 shown"), "deadlines are cut and say so");
    assert_eq!(text.matches("data-verdict=\"orphan\"").count(), 5_000);
}

#[test]
fn five_thousand_leftovers_and_pieces_of_advice_are_five_hundred_rows_each() {
    let text = written(&fixture::littered(fixture::fleet(5_000), 5_000));
    assert!(text.len() < 7_000_000, "{}", text.len());
    assert_eq!(text.matches("(500 of 5,000 shown)").count(), 2);
    assert!(text.contains("<b>scratch-00499</b>") && !text.contains("<b>scratch-00500</b>"));
}

#[test]
fn names_of_ten_kilobytes_are_cut() {
    let text = written(&fixture::weekly_with_text(&"&".repeat(10_000)));
    assert!(text.len() < 2_000_000, "{}", text.len());
}
