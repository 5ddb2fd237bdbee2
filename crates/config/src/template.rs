//! What `reaper init` writes: the commented example, with the accounts that were found in place of
//! its own.

use std::fmt::Write as _;

/// The commented example. Every value in it is either the default or plainly an example.
pub const EXAMPLE: &str = include_str!("../../../config/reaper.toml");

/// The lines of the example between which the accounts stand.
const BEGIN: &str = "# --- accounts ---\n";
const END: &str = "# --- end of accounts ---\n";

/// An account that `reaper init` writes for credentials that it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitAccount {
    /// Its name, unique among those handed in.
    pub name: String,
    /// The provider's name in the configuration.
    pub provider: String,
    /// The account that the credentials belong to, if somebody looked.
    pub expect_account: Option<String>,
    /// Further text settings by key, such as OVHcloud's `project`.
    pub options: Vec<(String, String)>,
    /// What the user should know of it: where the credentials were found. One line.
    pub note: Option<String>,
}

/// The commented configuration for these accounts. Without any, the example's own stay in as
/// comments, so that the file is refused until one is filled in.
pub fn init_template(accounts: &[InitAccount]) -> String {
    let (head, rest) = EXAMPLE.split_once(BEGIN).unwrap_or((EXAMPLE, ""));
    let (examples, tail) = rest.split_once(END).unwrap_or((rest, ""));
    let mut text = head.to_owned();
    for account in accounts {
        text.push_str(&block(examples, account));
    }
    if accounts.is_empty() {
        for line in examples.lines() {
            text.push_str(&commented(line));
            text.push('\n');
        }
    }
    text.push_str(tail);
    text
}

fn commented(line: &str) -> String {
    if line.is_empty() || line.starts_with('#') { line.to_owned() } else { format!("# {line}") }
}

/// The example's account at this provider, with what is known filled in and the rest commented out.
fn block(examples: &str, account: &InitAccount) -> String {
    let provider = format!("provider = {}", quoted(&account.provider));
    let example = examples
        .split("\n\n")
        .find(|block| block.lines().any(|line| line == provider))
        .unwrap_or("[[account]]\nname = \"\"\nprovider = \"\"");
    let mut known = vec![("name", &account.name), ("provider", &account.provider)];
    known.extend(account.expect_account.as_ref().map(|id| ("expect_account", id)));
    known.extend(account.options.iter().map(|(key, value)| (key.as_str(), value)));

    let mut lines: Vec<String> =
        account.note.iter().map(|note| format!("# {}", one_line(note))).collect();
    for line in example.trim().lines() {
        let key = line.split(" = ").next().unwrap_or(line);
        let position = known.iter().position(|(name, _)| *name == key);
        lines.push(match position.map(|position| known.remove(position)) {
            Some((key, value)) => format!("{key} = {}", quoted(value)),
            None if line == "[[account]]" => line.to_owned(),
            None => commented(line),
        });
    }
    lines.extend(known.into_iter().map(|(key, value)| format!("{key} = {}", quoted(value))));
    lines.push(String::new());
    lines.join("\n") + "\n"
}

fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ")
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
