//! Whatever key is misspelt, the file is refused and the hint names a key that is as near.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::support::{PROVIDERS, read};
use crate::keys::{self, Kind, Table};

/// Every key of tables that a file can have without naming a provider's own, with its table.
fn known() -> Vec<(String, &'static str)> {
    fn walk(table: &Table, found: &mut Vec<(String, &'static str)>) {
        for key in &table.keys {
            if key.only.is_empty() && table.path != "account.credentials" {
                found.push((table.path.to_owned(), key.name));
            }
            if let Kind::Table(below) | Kind::Tables(below) = &key.kind {
                walk(below, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(&keys::file(&PROVIDERS), &mut found);
    found
}

/// A file that has this key, with whatever value, in this table.
fn file(path: &str, key: &str) -> String {
    let open = match path {
        "" => return format!("{key} = 1\n"),
        "rule.when" => "[[rule]]\nname = \"r\"\n[rule.when]\n",
        "rule.except" => "[[rule]]\nname = \"r\"\n[rule.except]\n",
        "rule.when.idle" => "[[rule]]\nname = \"r\"\n[rule.when.idle]\n",
        "rule.except.idle" => "[[rule]]\nname = \"r\"\n[rule.except.idle]\n",
        "exempt.match" => "[[exempt]]\n[exempt.match]\n",
        "budget.scope" => "[[budget]]\n[budget.scope]\n",
        "pace.provider" => "[pace.aws]\n",
        "account" => "[[account]]\nprovider = \"aws\"\n",
        "rule" | "exempt" | "price" | "budget" | "schedule" => {
            return format!("[[{path}]]\n{key} = 1\n");
        }
        table => return format!("[{table}]\n{key} = 1\n"),
    };
    format!("{open}{key} = 1\n")
}

fn misspell(key: &str, at: usize, letter: char, kind: u8) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    let at = at % letters.len();
    match kind {
        0 => letters[at] = letter,
        1 => letters.insert(at, letter),
        2 => {
            letters.remove(at);
        }
        _ => {
            let next = (at + 1) % letters.len();
            letters.swap(at, next);
        }
    }
    letters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fl_150_a_misspelt_key_is_refused_with_the_nearest(
        which in any::<prop::sample::Index>(),
        at in 0_usize..32,
        letter in prop::char::range('a', 'z'),
        kind in 0_u8..4,
    ) {
        let known = known();
        let (path, key) = which.get(&known);
        let typo = misspell(key, at, letter, kind);
        let valid: BTreeSet<&str> = known.iter().map(|(_, key)| *key).collect();
        let later = keys::LATER.iter().any(|(_, later)| *later == typo);
        let elsewhere = PROVIDERS.iter().any(|provider| {
            provider.name == typo
                || provider.options.contains(&typo.as_str())
                || provider.lists.contains(&typo.as_str())
                || provider.credentials.contains(&typo.as_str())
        });
        prop_assume!(!typo.is_empty() && !valid.contains(typo.as_str()) && !later && !elsewhere);

        let error = read(&file(path, &typo)).expect_err("refused");
        let problem = error
            .problems
            .iter()
            .find(|problem| problem.message.starts_with(&format!("`{typo}` is not a key of")));
        prop_assert!(problem.is_some(), "{error}");
        let help = problem.and_then(|problem| problem.help.clone()).unwrap_or_default();
        let named: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
        let distance = strsim::osa_distance(key, &typo);
        let limit = if distance == 1 { 1 } else { typo.chars().count() };
        prop_assert!(
            named.iter().any(|name| strsim::osa_distance(name, &typo) <= limit),
            "{typo} for {key}: {help}"
        );
    }
}

#[test]
fn fl_150_every_key_is_read() {
    // A key that the table has and nobody reads would be accepted with any value.
    for (path, key) in known() {
        if (path.as_str(), key) == ("account", "provider") {
            continue; // `file` gives it itself
        }
        let text = file(&path, key).replace("= 1\n", "= { nonsense = [] }\n");
        let error = read(&text).expect_err("refused").to_string();
        assert!(error.contains(&format!("{key} = {{ nonsense")), "{path}.{key}: {error}");
    }
}
