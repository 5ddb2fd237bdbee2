//! What a GitHub runner takes for an order in what a step prints, as its source has it: `::name …::`
//! at the start of a line, blanks before it not counted, and `##[name]` anywhere in it; none between
//! `::stop-commands::WORD` and `::WORD::`.

/// The orders in a text, as they stand there, those that stop and resume left out.
pub(super) fn orders(text: &str) -> Vec<String> {
    let mut stopped: Option<String> = None;
    let mut orders = Vec::new();
    for line in text.split(['\n', '\r']) {
        let line = line.trim_start();
        if let Some(word) = &stopped {
            if line == format!("::{word}::") {
                stopped = None;
            }
            continue;
        }
        let new = line.strip_prefix("::").is_some_and(|rest| rest.contains("::"));
        if let Some(word) = line.strip_prefix("::stop-commands::") {
            stopped = Some(word.to_owned());
        } else if new || line.contains("##[") {
            orders.push(line.to_owned());
        }
    }
    assert_eq!(stopped, None, "the runner heeds its orders again: {text}");
    orders
}

#[test]
fn orders_are_found_as_a_runner_finds_them() {
    let text =
        "a ::b::c\n  ::error title=x::y\n::stop-commands::w\n::error::z\n::w::\nq ##[debug]r\n";
    assert_eq!(orders(text), ["::error title=x::y", "q ##[debug]r"]);
}
