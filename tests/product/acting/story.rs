//! A file of `tests/scenarios`: read, run, and compared with what it says.
//!
//! ```text
//! The forgotten notebook            a title, and a paragraph for the reader
//! --- world                         TOML of the simulator; ${aws} is the account there
//! --- config                        reaper.toml; ${aws} is the [[account]], ${mail} the mail server
//! --- file owners.csv               further files
//! --- story
//! == 2026-12-01T09:00:00Z  Found    sets the clock
//! world tag i-1 owner=alice         a change before the next command
//! when DescribeInstances i-1: tag i-1 owner=alice
//!                                   a change while the next command runs, just before that request
//! fault { operation = "StopInstances", then = "lost" }
//!                                   what goes wrong while the next command runs
//! mail down | mail up | mail cut | mail refuse alice@example.org 550 5.1.1 unknown
//! signal KILL at StopInstances [i-1]
//!                                   ends the next command as soon as that request was seen
//! $ reaper run --enforce            a command, and below it what it prints, two columns further in
//!                                   (of a report what it says of actions, not the fleet),
//! => exit 0                         its exit code,
//! => mail alice@example.org: …      the mails that were accepted,
//! => call aws … StopInstances i-1   the requests that change something,
//! => spared i-2                     and what was announced and not called
//! ```
//!
//! Blank lines and lines that begin with `#` are for the reader. Numbers that differ from run to run
//! are printed as dots. `REAPER_BLESS=1` writes down what happened instead of comparing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use reaper_simcloud::{Faults, Requests, Trigger, World};

use super::Stage;
use super::edits::Edit;
use super::rehearsal;
use super::stage::{Post, ran};
use crate::support::{Ran, optional};

/// Runs the scenario of that name.
pub(crate) async fn tell(name: &str) {
    let path = folder().join(format!("{name}.txt"));
    let text = std::fs::read_to_string(&path).expect("a scenario");
    let (head, story) = text.split_once("--- story\n").expect("a story");
    let start = story.lines().find_map(|line| line.strip_prefix("== ")).expect("a time");
    let start = start.split_whitespace().next().expect("a time");
    let mut stage = Stage::new(start, section(head, "world"), section(head, "config")).await;
    for (file, text) in files(head) {
        std::fs::write(stage.reaper.path().join(file), text).expect("a file");
    }
    let mut teller = Teller { during: During::default(), told: format!("{head}--- story\n") };
    let mut lines = story.lines().peekable();
    while let Some(line) = lines.next() {
        teller.told.push_str(line);
        teller.told.push('\n');
        let Some(command) = line.strip_prefix("$ ") else {
            teller.direct(&mut stage, line);
            continue;
        };
        let mut blank = 0;
        while let Some(line) = lines
            .next_if(|line| line.is_empty() || line.starts_with("  ") || line.starts_with("=> "))
        {
            blank = if line.is_empty() { blank + 1 } else { 0 };
        }
        teller.step(&mut stage, command).await;
        teller.told.push_str(&"\n".repeat(blank));
    }
    // Whatever happened, the log is whole.
    let verified = stage.run("reaper history --verify -q");
    assert_eq!(verified.code, 0, "{}\n{}", verified.all(), teller.told);
    compare(&path, &text, &teller.told);
}

/// Where the scenarios lie.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

fn section<'a>(head: &'a str, name: &str) -> &'a str {
    let (_, after) = head.split_once(&format!("--- {name}\n")).expect("a section");
    after.split("--- ").next().unwrap_or_default()
}

fn files(head: &str) -> impl Iterator<Item = (&str, &str)> {
    head.split("--- ").filter_map(|part| part.strip_prefix("file ")?.split_once('\n'))
}

/// No command of a story takes longer to come to the request at which it is ended.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// What happens while the next command runs.
#[derive(Default)]
struct During {
    changes: Vec<(Trigger, Edit)>,
    faults: Vec<String>,
    signal: Option<Signal>,
}

/// What ends a command, and the request at which.
struct Signal {
    name: String,
    operation: String,
    /// The machine that the request names, if that matters.
    id: Option<String>,
}

/// The story as it was told so far.
struct Teller {
    during: During,
    told: String,
}

impl Teller {
    /// A line between the commands.
    fn direct(&mut self, stage: &mut Stage, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "" | "#" => {}
            "==" => stage.at(rest.split_whitespace().next().expect("a time")),
            "world" => stage.cloud.edit(|world| Edit::read(rest).carry_out(world)),
            "when" => {
                let (request, edit) = rest.split_once(": ").expect("REQUEST: CHANGE");
                // Operations of REST APIs have blanks in them; ids have none.
                let (request, id) = request.rsplit_once(' ').expect("REQUEST ID");
                let trigger = Trigger::before(request).naming(id);
                self.during.changes.push((trigger, Edit::read(edit)));
            }
            "fault" => self.during.faults.push(rest.to_owned()),
            "mail" => match rest.split_once(' ') {
                None => stage.serve_mail(match rest {
                    "up" => Post::Up,
                    "down" => Post::Down,
                    "cut" => Post::Cut,
                    _ => panic!("no word for the mail server: {line}"),
                }),
                Some(("refuse", rest)) => {
                    let (to, reply) = rest.split_once(' ').expect("ADDRESS REPLY");
                    stage.refuse_mail(to, reply);
                }
                Some(_) => panic!("no word for the mail server: {line}"),
            },
            "signal" => {
                let (name, request) = rest.split_once(" at ").expect("SIGNAL at REQUEST");
                let mut words = request.split_whitespace().map(str::to_owned);
                let operation = words.next().expect("a request");
                let id = words.next();
                self.during.signal = Some(Signal { name: name.to_owned(), operation, id });
            }
            _ => panic!("no line of a story: {line}"),
        }
    }

    /// A command, with everything that it is measured by.
    async fn step(&mut self, stage: &mut Stage, line: &str) {
        let during = std::mem::take(&mut self.during);
        if !rehearsal::may_change(line) {
            let ran = rehearsal::dry_run(stage, line);
            return self.write(stage, &ran, &[]);
        }
        let announced = rehearsal::rehearse(stage, line);
        let ran = during.run(stage, line).await;
        let calls = stage.calls();
        let mut facts: Vec<String> = stage
            .mails()
            .iter()
            .map(|mail| format!("mail {}: {}", mail.to, mail.subject))
            .collect();
        facts.extend(calls.iter().map(|call| format!("call {call}")));
        if rehearsal::may_act(line) {
            let called: Vec<String> = calls.iter().flat_map(|call| call.ids.clone()).collect();
            let spared = rehearsal::spared(stage, &announced, &called);
            facts.extend(spared.iter().map(|id| format!("spared {id}")));
        }
        self.write(stage, &ran, &facts);
    }

    fn write(&mut self, stage: &Stage, ran: &Ran, facts: &[String]) {
        // Where there is a report, the talk beside it is left out; a refusal is all talk.
        let said = if ran.stdout.is_empty() { &ran.stderr } else { &ran.stdout };
        for line in about_acting(&steady(stage, said)).trim_end().lines() {
            let indented = format!("  {line}");
            self.told.push_str(indented.trim_end());
            self.told.push('\n');
        }
        let ended = if ran.code < 0 {
            "ended by the signal".to_owned()
        } else {
            format!("exit {}", ran.code)
        };
        self.told.push_str(&format!("=> {ended}\n"));
        for fact in facts {
            self.told.push_str(&format!("=> {fact}\n"));
        }
    }
}

impl During {
    /// Runs the line while all of this happens; afterwards the weather is fine again.
    async fn run(self, stage: &Stage, line: &str) -> Ran {
        for (trigger, edit) in self.changes {
            stage.cloud.on_request(trigger, move |world| edit.carry_out(world));
        }
        let faults = faults(&self.faults);
        stage.cloud.edit(|world| world.faults = faults);
        let ran = match self.signal {
            None => stage.run(line),
            Some(signal) => {
                let seen_in = |requests: &Requests| {
                    let of = requests.of(&signal.operation);
                    of.iter()
                        .filter(|entry| signal.id.iter().all(|id| entry.call.ids.contains(id)))
                        .count()
                };
                let before = seen_in(&stage.cloud.requests());
                let child = stage.spawn(line);
                let seen = stage.cloud.wait_until(|requests| seen_in(requests) > before);
                // A run that ends without that request has told another story; its words say why.
                if tokio::time::timeout(LONGEST_WAIT, seen).await.is_ok() {
                    send(&signal.name, child.id());
                }
                ran(child.wait_with_output().expect("it ends"))
            }
        };
        stage.cloud.edit(|world| world.faults.clear());
        ran
    }
}

/// Sends a signal to a process that was started here.
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("/bin/sh")
        .args(["-c", &format!("kill -{signal} {process}")])
        .status()
        .expect("a shell");
    assert!(sent.success(), "the process was there");
}

/// The simulator's own reading of world files is the only one.
fn faults(lines: &[String]) -> Faults {
    let text = format!("fault = [{}]", lines.join(", "));
    World::from_toml(&text).unwrap_or_else(|error| panic!("{text}: {error}")).faults
}

/// Parts of a report that tell of the fleet: they have tests of their own.
const OF_THE_FLEET: [&str; 8] =
    ["ORPHANS", "OK", "SCOPES", "BASIS", "EXEMPT", "PROTECTED", "MANAGED", "UNJUDGED"];

/// What a report says of actions: what was done, what waits, who was told, what went wrong.
fn about_acting(text: &str) -> String {
    let mut acting = true;
    let mut parts = Vec::new();
    for part in text.split("\n\n") {
        // What stands further in belongs to the part before it.
        if !part.starts_with(' ') {
            let title = part.split_whitespace().next().unwrap_or_default();
            acting = !OF_THE_FLEET.contains(&title);
        }
        if acting {
            parts.push(part);
        }
    }
    parts.join("\n\n")
}

/// The text without what differs from run to run: ports, folders, digests, and the ids of runs and
/// requests.
fn steady(stage: &Stage, text: &str) -> String {
    let folder = stage.reaper.path().display().to_string();
    let text = text
        .replace(&stage.cloud.addr().to_string(), "127.0.0.1:·····")
        .replace(&stage.mail_address(), "127.0.0.1:·····")
        .replace(&folder, "…");
    let mut steady = String::new();
    let mut before = "";
    for piece in text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()) {
        let word = piece.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
        if names_a_run(before, word) {
            steady.push_str(&"·".repeat(word.len()));
        } else {
            steady.push_str(word);
        }
        steady.push_str(&piece[word.len()..]);
        before = piece;
    }
    steady
}

/// Runs are named by 16 hexadecimal digits, requests at simulated clouds by their number, contents by
/// digests. How many seconds were waited depends on the machine.
fn names_a_run(before: &str, word: &str) -> bool {
    match before {
        "sha256:" => true,
        "8000-" => word.len() == 12,
        "after " => word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit()),
        _ => word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()),
    }
}

fn compare(path: &Path, expected: &str, told: &str) {
    if expected == told {
        return;
    }
    if optional("REAPER_BLESS").is_some() {
        std::fs::write(path, told).expect("the scenario can be written");
        return;
    }
    let (expected, told): (Vec<_>, Vec<_>) = (expected.lines().collect(), told.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = expected.iter().zip(&told).take_while(same).count();
    let rest = expected.len().min(told.len()) - head;
    let tail = expected.iter().rev().zip(told.iter().rev()).take(rest).take_while(same).count();
    let mut diff = String::new();
    for (sign, lines) in [("-", &expected), ("+", &told)] {
        for line in &lines[head..lines.len() - tail] {
            diff.push_str(&format!("{sign} {line}\n"));
        }
    }
    panic!(
        "{} does not tell what happened, from line {} on (REAPER_BLESS=1 rewrites it):\n{diff}",
        path.display(),
        head + 1
    );
}
