//! The ground of an action: one digest of the rule as configured and the machine's tags. While it
//! stands, nobody has answered what was done on it. Written out field by field, so that it changes
//! with the configuration and never with the version of a library.

use reaper_model::{Fact, Span, Tags, fingerprint};
use reaper_policy::{Conditions, IdleSpec, Pattern, RuleSpec};
use serde_json::{Value, json};

use crate::seal::hex;

/// Hex digits of each half.
const HALF: usize = 16;

/// 32 hex digits: 16 for the rule's name, action, notice and conditions, 16 for the tags.
pub fn ground(rule: &RuleSpec, tags: &Fact<Tags>) -> String {
    let rule = hex(written(rule).to_string().as_bytes());
    let tags = hex(fingerprint::tags(tags).as_bytes());
    rule.chars().take(HALF).chain(tags.chars().take(HALF)).collect()
}

/// Whether two grounds rest on the same rule, unedited.
pub(crate) fn same_rule(one: &str, other: &str) -> bool {
    one.get(..HALF).is_some_and(|half| other.get(..HALF) == Some(half))
}

fn written(rule: &RuleSpec) -> Value {
    let RuleSpec { name, when, except, action, notice } = rule;
    json!([
        name,
        action.name(),
        notice.as_secs(),
        conditions(when),
        except.as_ref().map(conditions),
    ])
}

fn conditions(conditions: &Conditions) -> Value {
    let Conditions {
        owner,
        older_than,
        missing_tags,
        expired,
        account,
        provider,
        location,
        id,
        name,
        machine_type,
        gpu,
        state,
        tag,
        idle,
        outside_hours,
    } = conditions;
    let owner: Vec<&str> = owner.iter().map(|status| status.name()).collect();
    let tag: Vec<(&String, Vec<&str>)> =
        tag.iter().map(|(key, values)| (key, texts(values))).collect();
    let mut written = vec![
        json!(owner),
        json!(older_than.map(Span::as_secs)),
        json!(missing_tags),
        json!(expired),
        json!(texts(account)),
        json!(texts(provider)),
        json!(texts(location)),
        json!(texts(id)),
        json!(texts(name)),
        json!(texts(machine_type)),
        json!(texts(gpu)),
        json!(texts(state)),
        json!(tag),
    ];
    // Only where they are asked, so that the grounds of rules from before these conditions stand.
    written.extend(idle.as_ref().map(|spec| json!({ "idle": idleness(spec) })));
    written.extend(outside_hours.map(|hours| json!({ "outside_hours": hours.to_string() })));
    Value::Array(written)
}

fn idleness(spec: &IdleSpec) -> Value {
    let IdleSpec { below, window, coverage, empty, held, starved, unclear } = spec;
    json!([
        below.normalize().to_string(),
        window.as_secs(),
        coverage.normalize().to_string(),
        empty.name(),
        held.name(),
        starved.name(),
        unclear.name(),
    ])
}

fn texts(patterns: &[Pattern]) -> Vec<&str> {
    patterns.iter().map(Pattern::as_str).collect()
}
