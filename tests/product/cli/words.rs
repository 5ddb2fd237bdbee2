//! Help, exit codes, `init`, `check --offline`, `man`, completions: what they say is true.

use crate::support::Reaper;

#[test]
fn the_help_shows_every_exit_code() {
    let ran = Reaper::new().run(&["--help"]).exits(0);
    for line in [
        " 0  clean",
        " 1  internal",
        " 2  config",
        " 3  refused",
        " 4  incomplete",
        " 5  action-failed",
        " 6  undelivered",
        " 7  locked",
        "10  findings",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
}

#[test]
fn init_writes_a_file_that_check_accepts_and_never_overwrites() {
    let reaper = Reaper::new().env("AWS_PROFILE", "research");
    let ran = reaper.run(&["init"]).exits(0);
    assert!(ran.stderr.contains("AWS_PROFILE"), "{}", ran.stderr);
    reaper.run(&["check", "--offline"]).exits(0);
    let before = std::fs::read(reaper.path().join("reaper.toml")).expect("written");
    let ran = reaper.run(&["init"]).exits(2);
    assert!(ran.stderr.contains("left as it is"), "{}", ran.stderr);
    assert_eq!(before, std::fs::read(reaper.path().join("reaper.toml")).expect("still there"));
}

#[test]
fn fl_155_check_prints_every_effective_duration() {
    let reaper = Reaper::new().env("AWS_PROFILE", "research");
    reaper.run(&["init"]).exits(0);
    let ran = reaper.run(&["check", "--offline"]).exits(0);
    for key in ["timeouts.call", "timeouts.scope", "timeouts.run", "launch_grace"] {
        assert!(ran.stdout.contains(key), "{key}\n{}", ran.stdout);
    }
    let json = reaper.run(&["check", "--offline", "--format", "json"]).exits(0).json();
    crate::schema::validates("check", &json);
}

#[test]
fn completions_and_man_page_are_made() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = Reaper::new().run(&["completions", shell]).exits(0);
        assert!(ran.stdout.contains("reaper"), "{shell}");
    }
    let man = Reaper::new().run(&["man"]).exits(0).stdout;
    assert!(man.contains("REAPER_CONFIG") && man.contains("EXIT STATUS"), "{man}");
}

#[test]
fn fail_on_refuses_an_amount_without_currency() {
    let text = "version = 1\n";
    let ran = Reaper::with_config(text).run(&["audit", "--fail-on", "waste>=100"]).exits(2);
    assert!(ran.stderr.contains("100 EUR"), "{}", ran.stderr);
}
