//! Data to standard output, talk to standard error; closed pipes, no terminal, odd widths.

use std::io::Read;
use std::process::Stdio;

use crate::support::Reaper;

#[test]
fn fl_148_json_is_one_document_and_talk_goes_elsewhere() {
    let ran = Reaper::new().run(&["demo", "--format", "json", "-vv"]).exits(0);
    assert_eq!(ran.json()["schema"], "reaper.audit/1");
    assert!(ran.stderr.contains("demo"), "{}", ran.stderr);
}

#[test]
fn fl_148_a_closed_pipe_ends_quietly() {
    let reaper = Reaper::new();
    let mut child = reaper
        .command(&["demo", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(!said.contains("panicked") && !said.contains("error"), "{said}");
}

#[test]
fn without_a_terminal_there_is_no_colour_and_no_bar() {
    let ran = Reaper::new().run(&["demo"]).exits(0);
    for output in [&ran.stdout, &ran.stderr] {
        assert!(!output.contains('\u{1b}'), "{output}");
    }
    let coloured = Reaper::new().run(&["demo", "--color", "always"]).exits(0);
    assert!(coloured.stdout.contains('\u{1b}'));
}

#[test]
fn the_table_keeps_to_its_width() {
    for width in ["60", "80", "120", "200"] {
        let ran = Reaper::new().env("COLUMNS", width).run(&["demo"]).exits(0);
        let widest = ran.stdout.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(widest <= width.parse().expect("a number"), "{widest} > {width}\n{}", ran.stdout);
    }
}

#[test]
fn output_goes_to_a_file_when_asked() {
    let reaper = Reaper::new();
    let ran = reaper.run(&["demo", "--format", "markdown", "--output", "report.md"]).exits(0);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    let text = std::fs::read_to_string(reaper.path().join("report.md")).expect("written");
    assert!(text.contains("2,520.00 EUR"), "{text}");
}

#[test]
fn an_output_is_replaced_only_when_all_of_it_is_written() {
    let reaper = Reaper::with_config("version = 1\n").file("report.json", "yesterday's");
    reaper.run(&["audit", "--output", "report.json"]).exits(2);
    let left = std::fs::read_to_string(reaper.path().join("report.json")).expect("there");
    assert_eq!(left, "yesterday's");
    let names: Vec<_> = std::fs::read_dir(reaper.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2, "nothing half-written is left: {names:?}");
    let ran = reaper.run(&["check", "--offline", "--output", "reaper.toml"]).exits(2);
    assert!(ran.stderr.contains("configuration file"), "{}", ran.stderr);
    let ran = reaper.run(&["demo", "--format", "json", "--output", "-"]).exits(0);
    assert_eq!(ran.json()["schema"], "reaper.audit/1");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused_like_others() {
    use std::os::unix::ffi::OsStrExt as _;
    let reaper = Reaper::new();
    let mut command = reaper.command(&["audit"]);
    let output = command
        .arg(std::ffi::OsStr::from_bytes(b"--bogus=\xff"))
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn quiet_says_nothing_but_the_data() {
    let ran = Reaper::new().run(&["demo", "-q"]).exits(0);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}

#[test]
fn fl_063_a_clean_run_has_no_line_at_error_level() {
    let ran = Reaper::new().run(&["demo", "-vv"]).exits(0);
    for line in ran.stderr.lines() {
        assert!(!line.trim_start().starts_with("ERROR"), "{line}");
    }
}
