//! `[[rule]]` and `[[exempt]]`: conditions, and the refusal of those that would match everything.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::Span;
use reaper_model::document::{OwnerStatus, WantedAction};
use reaper_policy::spec::{APPEARED_AFTER_STOP, DEFAULT_NOTICE, IDLE_STOP, WORKING_HOURS};
use reaper_policy::{Conditions, Exemption, Pattern, RuleSpec};
use toml::de::DeValue;

use crate::context::{Context, help};
use crate::idle;
use crate::keys::nearest;
use crate::section::Section;
use crate::types::Account;
use crate::value;

/// Names under which other things are reported than rules of the file.
const RESERVED: [&str; 3] = [APPEARED_AFTER_STOP, IDLE_STOP, WORKING_HOURS];

/// Names that conditions may refer to.
pub(crate) struct Names {
    accounts: Vec<String>,
    providers: Vec<String>,
}

impl Names {
    /// Names of accounts count as they are written, also where the account is refused for another
    /// reason: that is no second problem of every rule that names it.
    pub(crate) fn of(cx: &Context<'_>, root: &Section<'_>, accounts: &[Account]) -> Self {
        let written = root.value("account").and_then(|value| value.get_ref().as_array());
        let written = written
            .into_iter()
            .flat_map(|entries| entries.iter())
            .filter_map(|entry| entry.get_ref().get("name")?.get_ref().as_str())
            .map(|name| name.trim().to_owned());
        Self {
            accounts: accounts
                .iter()
                .map(|account| account.name.to_string())
                .chain(written)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            providers: cx.env.providers.iter().map(|provider| provider.name.to_owned()).collect(),
        }
    }

    /// Of the accounts.
    pub(crate) fn accounts(&self) -> impl Iterator<Item = &str> {
        self.accounts.iter().map(String::as_str)
    }
}

/// Every rule, in the order of the file; names are unique.
pub(crate) fn rules(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    names: &Names,
    launch_grace: Span,
) -> Vec<RuleSpec> {
    let mut rules = Vec::new();
    let mut seen = BTreeSet::new();
    let sections = root.tables(cx, "rule", "rule");
    if sections.is_empty() {
        let text = "there is no [[rule]], so nothing can be found";
        cx.warn("config-no-rules", "rule", text);
    }
    for section in sections {
        let Some(name) = section.text(cx, "name") else {
            // The rest is read for its problems all the same.
            rule(cx, &section, names, launch_grace, String::new());
            continue;
        };
        if !seen.insert(name.value.clone()) {
            let message = format!("there are two rules `{}`", name.value);
            cx.refuse(name.span.clone(), message, help("give each a name of its own"));
        }
        if RESERVED.contains(&name.value.as_str()) {
            let message = format!("a rule cannot be called `{}`", name.value);
            cx.refuse(name.span, message, help("reaper reports under this name itself"));
        }
        rules.extend(rule(cx, &section, names, launch_grace, name.value));
    }
    rules
}

fn rule(
    cx: &mut Context<'_>,
    section: &Section<'_>,
    names: &Names,
    launch_grace: Span,
    name: String,
) -> Option<RuleSpec> {
    let action = match section.word(cx, "action") {
        Some("stop") => WantedAction::Stop,
        Some("terminate") => WantedAction::Terminate,
        _ => WantedAction::Report,
    };
    let is_default = section.value("action").is_none();
    cx.record(section.path_of("action"), action.name(), is_default);
    let when = section.table(cx, "when").map(|when| {
        let conditions = conditions(cx, &when, names);
        let older_than = conditions.older_than.unwrap_or(launch_grace);
        cx.record(when.path_of("older_than"), older_than, conditions.older_than.is_none());
        if action != WantedAction::Report && matches_everything(&conditions) {
            cx.refuse(
                when.span.clone(),
                format!("{}: `when` matches every machine, to {}", section.subject, action.name()),
                help("name what shall be found; a pattern `*` alone is allowed for `report` only"),
            );
        }
        conditions
    });
    let except = section.table(cx, "except").map(|except| conditions(cx, &except, names));
    let notice = section.span_or(cx, "notice", DEFAULT_NOTICE);
    if action != WantedAction::Report && notice == Span::ZERO {
        let text = format!("no notice: to {} may follow the mail at once", action.name());
        cx.warn("config-no-notice", &section.subject, text);
    }
    Some(RuleSpec { name, when: when?, except, action, notice })
}

/// Every exemption, in the order of the file.
pub(crate) fn exemptions(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    names: &Names,
) -> Vec<Exemption> {
    let mut exemptions = Vec::new();
    for section in root.tables(cx, "exempt", "exemption") {
        let matches = section.table(cx, "match").map(|matches| conditions(cx, &matches, names));
        let owner = section.text(cx, "owner").map(|text| text.value);
        let reason = section.text(cx, "reason").map(|text| text.value);
        let until = section.moment(cx, "until");
        let (Some(matches), Some(reason), Some(until)) = (matches, reason, until) else { continue };
        if matches_everything(&matches) {
            let text = format!("it exempts every machine until {}", until.written);
            cx.warn("config-exempts-everything", &section.subject, text);
        }
        exemptions.push(Exemption {
            matches,
            owner,
            reason,
            until: until.end,
            until_text: until.written,
        });
    }
    exemptions
}

fn conditions(cx: &mut Context<'_>, section: &Section<'_>, names: &Names) -> Conditions {
    if section.is_empty() {
        cx.refuse(
            section.span.clone(),
            format!("{}: no conditions, so every machine would match", section.subject),
            help("name at least one, such as older_than = \"2h\""),
        );
    }
    Conditions {
        owner: owners(cx, section),
        older_than: section.span(cx, "older_than"),
        missing_tags: section
            .some_texts(cx, "missing_tags")
            .into_iter()
            .map(|text| text.value)
            .collect(),
        expired: section.flag(cx, "expired"),
        account: named(cx, section, "account", &names.accounts),
        provider: named(cx, section, "provider", &names.providers),
        location: section.patterns(cx, "location"),
        id: section.patterns(cx, "id"),
        name: section.patterns(cx, "name"),
        machine_type: section.patterns(cx, "type"),
        gpu: section.patterns(cx, "gpu"),
        state: section.patterns(cx, "state"),
        tag: tags(cx, section),
        idle: idle::idle(cx, section),
        outside_hours: idle::hours(cx, section),
    }
}

fn owners(cx: &mut Context<'_>, section: &Section<'_>) -> Vec<OwnerStatus> {
    let asks_for_unreadable = section.value("owner").is_some_and(|value| match value.get_ref() {
        DeValue::Array(entries) => {
            entries.iter().any(|entry| entry.get_ref().as_str() == Some("unreadable"))
        }
        single => single.as_str() == Some("unreadable"),
    });
    if asks_for_unreadable {
        cx.refuse(
            section.place("owner"),
            format!("{}: `unreadable` cannot be asked for", section.subject),
            help("missing evidence is never a ground; such machines are listed as unjudged"),
        );
        return Vec::new();
    }
    section
        .several_words(cx, "owner")
        .into_iter()
        .filter_map(|word| {
            use OwnerStatus::{Absent, Conflicting, Departed, Empty, Known, Unknown};
            [Absent, Empty, Unknown, Departed, Conflicting, Known]
                .into_iter()
                .find(|status| status.name() == word)
        })
        .collect()
}

/// Patterns over names that this file gives: one that fits none of them is a misspelling, and in an
/// exemption it would protect nothing.
fn named(cx: &mut Context<'_>, section: &Section<'_>, key: &str, names: &[String]) -> Vec<Pattern> {
    let patterns = section.patterns(cx, key);
    for pattern in &patterns {
        if !names.iter().any(|name| pattern.matches(name)) {
            let text = pattern.as_str();
            let advice = nearest(text, names.iter().map(String::as_str)).map_or_else(
                || format!("there are: {}", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("{}: no {key} is called `{text}`", section.subject);
            cx.refuse(section.place(key), message, help(advice));
        }
    }
    patterns
}

fn tags(cx: &mut Context<'_>, section: &Section<'_>) -> BTreeMap<String, Vec<Pattern>> {
    let entries = section.map(cx, "tag");
    if entries.is_empty() && section.value("tag").is_some() {
        let message = format!("{}: `tag` names no tag", section.subject);
        cx.refuse(section.place("tag"), message, help("write for example { project = \"atlas\" }"));
    }
    let mut tags = BTreeMap::new();
    for (key, entry) in entries {
        let name = reaper_model::tags::trim_blanks(key.get_ref());
        if name.is_empty() {
            cx.refuse(key.span(), format!("{}: a tag key is blank", section.subject), None);
            continue;
        }
        tags.insert(name.to_owned(), value::patterns(cx, &section.label(name), entry));
    }
    tags
}

/// Whether nothing is asked but an age of zero, any owner, an hour, and patterns that match
/// everything.
fn matches_everything(conditions: &Conditions) -> bool {
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
        // All machines are outside of them at once.
        outside_hours: _,
    } = conditions;
    let patterns = [account, provider, location, id, name, machine_type, gpu, state];
    let any_owner = {
        use OwnerStatus::{Absent, Conflicting, Departed, Known, Unknown};
        [Absent, Unknown, Departed, Conflicting, Known].iter().all(|status| owner.contains(status))
    };
    (owner.is_empty() || any_owner)
        && older_than.is_none_or(|span| span == Span::ZERO)
        && missing_tags.is_empty()
        && expired.is_none()
        && tag.is_empty()
        && idle.is_none()
        && patterns
            .iter()
            .all(|patterns| patterns.is_empty() || patterns.iter().any(Pattern::matches_everything))
}
