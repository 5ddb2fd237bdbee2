//! What mail programs can show: nothing that they do not know, fetch, run or cut off; headings, heads
//! of tables and contrast for whoever reads with other means.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::fixture::{self, digest, to_owner};
use super::{blind, mail};
use crate::address::Address;

/// The HTML parts of all kinds of weekly mails.
fn pages() -> Vec<String> {
    let doc = fixture::weekly();
    let alice: Address = "alice@example.org".parse().expect("an address");
    let whole = mail(&digest(&doc));
    let reduced = whole.reduced("it is too large").expect("a reduced form");
    vec![
        whole.html,
        reduced.html,
        mail(&to_owner(&doc, &alice)).html,
        mail(&digest(&fixture::nothing())).html,
        mail(&digest(&fixture::joined())).html,
        mail(&digest(&blind())).html,
    ]
}

#[test]
fn nothing_in_the_html_part_is_fetched_or_run_or_unknown_to_mail_programs() {
    for html in pages() {
        let html = html.to_lowercase();
        for banned in [
            "<svg",
            "<script",
            "<style",
            "<form",
            "<iframe",
            "<link",
            "<video",
            "<input",
            "url(",
            "http:",
            "https:",
            "data:",
            "position:",
            "flex",
            "grid",
            "var(",
            "@media",
            "class=",
            "float:",
            "javascript:",
        ] {
            assert!(!html.contains(banned), "{banned}");
        }
        let pictures = html.matches("<img").count();
        assert!(pictures <= 1 && html.matches("src=\"cid:").count() == pictures);
        assert_eq!(html.matches("src=").count(), pictures);
    }
}

#[test]
fn headings_tables_and_pictures_can_be_read_out() {
    for html in pages() {
        assert!(html.contains("<html lang=\"en\">"));
        assert_eq!(html.matches("<h1").count(), 1);
        for table in html.split("<table ").skip(1) {
            let data = table.split("</table>").next().expect("its inside");
            let layout = data.starts_with("role=\"presentation\"");
            assert!(layout || (data.contains("<caption") && data.contains("<th scope=\"col\"")));
        }
        for picture in html.split("<img ").skip(1) {
            let tag = picture.split('>').next().expect("its end");
            assert!(
                tag.contains("alt=\"Spent by week, oldest first: at least 612.40 EUR"),
                "{tag}"
            );
        }
    }
}

#[test]
fn nothing_is_said_by_colour_alone() {
    let html = &pages()[0];
    for said in ["<b>Not read:</b>", "WARN, 84.2", "running again since", "will be stopped"] {
        assert!(html.contains(said), "{said}");
    }
}

/// What a mail reads well without: where long words may break, roles for readers that know tables, the
/// ground behind the whole.
const DECORATION: [&str; 5] =
    ["<body> element", "overflow", "overflow-wrap", "role attribute", "word-break"];

#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn node_modules() -> String {
    std::env::var("REAPER_TEST_NODE")
        .unwrap_or_else(|_| panic!("REAPER_TEST_NODE is not set: run the tests with tests/run"))
}

#[test]
fn gmail_outlook_and_apple_mail_know_all_that_is_needed() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/browser/caniemail.mjs");
    for html in pages() {
        let mut node = Command::new("node")
            .arg(script)
            .env("REAPER_TEST_NODE", node_modules())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node starts");
        node.stdin.take().expect("piped").write_all(html.as_bytes()).expect("it reads");
        let output = node.wait_with_output().expect("it ends");
        assert!(output.status.success());
        let said: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
        let programs = said["missing"].as_object().expect("programs");
        assert!(!said["partial"].as_object().expect("programs").is_empty(), "it reads the mail");
        for (program, features) in programs {
            for feature in features.as_array().expect("features") {
                let feature = feature.as_str().expect("text");
                assert!(DECORATION.contains(&feature), "{program} does not know {feature}");
            }
        }
    }
}

/// Relative luminance, as contrast is reckoned with.
fn luminance(color: [u8; 3]) -> f64 {
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = color.map(part);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn color(text: &str) -> [u8; 3] {
    let part = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("a colour");
    [part(0), part(2), part(4)]
}

#[test]
fn letters_stand_out_from_every_ground_also_when_colours_are_inverted() {
    let pages = pages().concat();
    let found = |before: &str| -> Vec<[u8; 3]> {
        pages.split(before).skip(1).map(|rest| color(&rest[..6])).collect()
    };
    let letters: Vec<_> = [";color:#", "\"color:#"].iter().flat_map(|start| found(start)).collect();
    assert!(letters.len() > 20);
    for ground in ["ffffff", "eef1f5", "fdecea"].map(color) {
        for &letter in &letters {
            assert!(contrast(letter, ground) >= 4.5, "{letter:?} on {ground:?}");
            let inverted = |color: [u8; 3]| color.map(|part| 255 - part);
            let shown = contrast(inverted(letter), inverted(ground));
            assert!(shown >= 4.5, "{letter:?} on {ground:?}, inverted: {shown}");
        }
    }
}
