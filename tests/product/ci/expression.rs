//! GitHub's expressions, as far as the kit uses them: names, texts, numbers, `==`, `!=`, `>`, `&&`,
//! `||`.

use std::collections::BTreeMap;

/// What the names stand for: `vars.REAPER_MODE`, `steps.run.outputs.will-stop`.
pub(super) type Names = BTreeMap<String, String>;

/// A text with its `${{ … }}` filled in.
pub(super) fn filled(text: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (inside, after) = after.split_once("}}").expect("an end");
        out.push_str(before);
        out.push_str(&evaluated(inside, names));
        rest = after;
    }
    out + rest
}

/// Whether the condition of a step or job holds.
pub(super) fn holds(condition: &str, names: &Names) -> bool {
    let value = evaluated(condition, names);
    !matches!(value.as_str(), "" | "false" | "0")
}

fn evaluated(text: &str, names: &Names) -> String {
    let text = text.trim();
    if let Some((one, other)) = text.split_once("||") {
        let one = evaluated(one, names);
        return if matches!(one.as_str(), "" | "false") { evaluated(other, names) } else { one };
    }
    if text.contains("&&") {
        return text.split("&&").all(|part| holds(part, names)).to_string();
    }
    for (sign, compare) in [
        ("==", (|one, other| one == other) as fn(&str, &str) -> bool),
        ("!=", |one, other| one != other),
        (">", |one, other| number(one) > number(other)),
    ] {
        if let Some((one, other)) = text.split_once(sign) {
            return compare(&evaluated(one, names), &evaluated(other, names)).to_string();
        }
    }
    if let Some(quoted) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return quoted.to_owned();
    }
    if text.parse::<i64>().is_ok() {
        return text.to_owned();
    }
    assert!(!text.is_empty() && !text.contains(['(', ' ', '\'']), "not understood: {text}");
    names.get(text).cloned().unwrap_or_default()
}

/// As GitHub compares: nothing is 0.
fn number(text: &str) -> i64 {
    if text.is_empty() { 0 } else { text.parse().unwrap_or_else(|_| panic!("a number: {text}")) }
}

#[test]
fn expressions_are_understood_as_github_does() {
    let names = Names::from([
        ("vars.MODE".to_owned(), "gate".to_owned()),
        ("steps.run.outputs.n".to_owned(), "2".to_owned()),
    ]);
    assert_eq!(filled("a ${{ vars.MODE }} b ${{ vars.NONE || 'c' }}", &names), "a gate b c");
    assert!(holds("vars.MODE == 'gate' && steps.run.outputs.n != '0'", &names));
    assert!(holds("steps.run.outputs.n > 0", &names));
    assert!(!holds("steps.none.outputs.n > 0", &names));
    assert!(!holds("vars.NONE != ''", &names));
}
