//! `[[budget]]`: limits per calendar month, what counts in them, at what they speak.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::tags::{fold_key, trim_blanks};
use reaper_model::{
    AccountName, BudgetScope, BudgetSpec, Currency, OnLimit, PriceOverride, ProviderName,
};
use reaper_policy::OwnerSpec;
use rust_decimal::Decimal;

use crate::contact::distinct;
use crate::context::{Context, help};
use crate::coverage;
use crate::keys::nearest;
use crate::rules::Names;
use crate::section::Section;
use crate::settings::list;
use crate::types::{Account, Mode};
use crate::units::Threshold;
use crate::value;

/// The longest name: it stands in subjects and keys of mails.
const LONGEST_NAME: usize = 64;

/// What the rest of the file says that a budget depends on.
pub(crate) struct Rest<'a> {
    /// Those that were understood.
    pub(crate) accounts: &'a [Account],
    /// What their prices are in, where that can be known before a run.
    pub(crate) charged: &'a BTreeMap<AccountName, Currency>,
    /// Those that are written.
    pub(crate) names: &'a Names,
    pub(crate) owners: &'a OwnerSpec,
    pub(crate) prices: &'a [PriceOverride],
    /// The report's; `None` if it was not understood.
    pub(crate) currency: Option<Currency>,
    pub(crate) mode: Option<Mode>,
}

/// Every budget, in the order of the file; names are unique.
pub(crate) fn budgets(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    rest: &Rest<'_>,
) -> Vec<BudgetSpec> {
    let mut budgets = Vec::new();
    let mut seen = BTreeSet::new();
    for section in root.tables(cx, "budget", "budget") {
        let name = name(cx, &section);
        if let Some(name) = &name
            && !seen.insert(name.clone())
        {
            let message = format!("there are two budgets `{name}`");
            cx.refuse(section.place("name"), message, help("give each a name of its own"));
        }
        budgets.extend(budget(cx, root, &section, rest, name));
    }
    budgets
}

fn budget(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    rest: &Rest<'_>,
    name: Option<String>,
) -> Option<BudgetSpec> {
    let least = "to hear of any spending at all, write \"0.01 EUR\"";
    let limit = section.amount(cx, "limit", least);
    let scope = scope(cx, root, section, rest);
    let usual = [Threshold::FIFTY, Threshold::EIGHTY];
    let reached = thresholds(cx, section, "thresholds", &usual);
    let forecast = thresholds(cx, section, "forecast", &[Threshold::WHOLE]);
    let recipients = coverage::recipients(cx, root, section, rest);
    let word = section.word(cx, "on_limit");
    let on_limit = match word {
        Some("stop-orphans") => OnLimit::StopOrphans,
        _ => OnLimit::Report,
    };
    cx.record(section.path_of("on_limit"), on_limit.name(), section.value("on_limit").is_none());
    if on_limit == OnLimit::StopOrphans && rest.mode == Some(Mode::Report) {
        let text = "`on_limit` is \"stop-orphans\", and mode = \"report\" forbids every stop";
        cx.warn("config-budget-stops-nothing", &section.subject, text);
    }
    let limit = limit?;
    coverage::currencies(cx, root, section, limit, &scope, rest);
    Some(BudgetSpec {
        name: name?,
        limit,
        scope,
        thresholds: reached,
        forecast,
        recipients,
        on_limit,
    })
}

fn name(cx: &mut Context<'_>, section: &Section<'_>) -> Option<String> {
    let text = section.text(cx, "name")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !text.value.chars().all(plain) || text.value.len() > LONGEST_NAME {
        let message = format!("a budget cannot be called `{}`", text.value);
        let advice = format!(
            "letters from a to z, digits, - _ and . are possible, at most {LONGEST_NAME} of them"
        );
        cx.refuse(text.span, message, help(advice));
        return None;
    }
    Some(text.value)
}

/// The percentages of a key, ascending, or the default; either is listed as in force.
fn thresholds(
    cx: &mut Context<'_>,
    section: &Section<'_>,
    key: &str,
    default: &[Threshold],
) -> Vec<Decimal> {
    let is_default = section.value(key).is_none();
    let mut found = section.thresholds(cx, key);
    found.sort_by_key(|(threshold, _)| *threshold);
    for pair in found.windows(2) {
        if let [(first, _), (second, span)] = pair
            && first == second
        {
            let message = format!("{}: `{second}` is listed twice", section.label(key));
            cx.refuse(span.clone(), message, help("keep one of them"));
        }
    }
    let thresholds: Vec<Threshold> = if is_default {
        default.to_vec()
    } else {
        found.into_iter().map(|(threshold, _)| threshold).collect()
    };
    let shown: Vec<String> = thresholds.iter().map(ToString::to_string).collect();
    cx.record(section.path_of(key), list(&shown), is_default);
    thresholds.into_iter().map(Threshold::points).collect()
}

fn scope(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    rest: &Rest<'_>,
) -> BudgetScope {
    let Some(section) = section.table(cx, "scope") else { return BudgetScope::default() };
    let providers: BTreeSet<&str> = section.several_words(cx, "provider").into_iter().collect();
    let scope = BudgetScope {
        providers: providers.into_iter().map(ProviderName::new).collect(),
        accounts: accounts(cx, &section, rest),
        owners: owners(cx, &section, rest),
        teams: teams(cx, root, &section, rest),
        tags: tags(cx, &section),
    };
    let fits = |account: &Account| scope.takes(&account.provider, &account.name);
    if !rest.accounts.iter().any(fits) {
        let text = "no configured account is in its `scope`, so nothing ever counts";
        cx.warn("config-budget-counts-nothing", &section.subject, text);
    }
    scope
}

fn accounts(cx: &mut Context<'_>, section: &Section<'_>, rest: &Rest<'_>) -> Vec<AccountName> {
    let mut accounts = Vec::new();
    for text in section.some_texts(cx, "account") {
        if rest.names.accounts().any(|name| name == text.value) {
            accounts.push(text.value);
            continue;
        }
        let advice = nearest(&text.value, rest.names.accounts()).map_or_else(
            || {
                let names: Vec<&str> = rest.names.accounts().collect();
                format!("there are: {}", names.join(", "))
            },
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("{}: no account is called `{}`", section.subject, text.value);
        cx.refuse(text.span, message, help(advice));
    }
    distinct(accounts).into_iter().map(AccountName::new).collect()
}

/// Owners as they are written in tags. With a directory, one whom it does not list is pointed out.
fn owners(cx: &mut Context<'_>, section: &Section<'_>, rest: &Rest<'_>) -> Vec<String> {
    let owners = section.some_texts(cx, "owner").into_iter().map(|text| text.value);
    let owners = distinct(owners.collect());
    if let Some(directory) = &rest.owners.directory {
        for owner in owners.iter().filter(|owner| directory.find(owner).is_none()) {
            let known = directory.people().iter().map(|person| person.owner.as_str());
            let advice = meant(nearest(owner, known));
            let text = format!("`owner`: the directory does not list `{owner}`{advice}");
            cx.warn("config-budget-owner-unknown", &section.subject, text);
        }
    }
    owners
}

/// Teams as the directory names them: without one nobody has a team. One that it does not name is
/// pointed out and not refused, because the list of people changes without this file.
fn teams(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    rest: &Rest<'_>,
) -> Vec<String> {
    let teams = section.some_texts(cx, "team").into_iter().map(|text| text.value);
    let teams = distinct(teams.collect());
    let Some(directory) = &rest.owners.directory else {
        if !teams.is_empty() && !coverage::is_written(root, "owners", "directory") {
            let message = format!("{} needs `owners.directory`", section.label("team"));
            let advice = "teams stand in its column `team`; without one nothing ever counts";
            cx.refuse(section.place("team"), message, help(advice));
        }
        return teams;
    };
    let known: BTreeSet<&str> =
        directory.people().iter().filter_map(|person| person.team.as_deref()).collect();
    for team in &teams {
        if !known.iter().any(|name| name.to_lowercase() == team.to_lowercase()) {
            let advice = meant(nearest(team, known.iter().copied()));
            let text = format!("`team`: nobody in the directory is of `{team}`{advice}");
            cx.warn("config-budget-team-unknown", &section.subject, text);
        }
    }
    teams
}

/// The hint of a warning.
fn meant(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn tags(cx: &mut Context<'_>, section: &Section<'_>) -> BTreeMap<String, String> {
    let entries = section.map(cx, "tag");
    if entries.is_empty() && section.value("tag").is_some() {
        let message = format!("{}: `tag` names no tag", section.subject);
        cx.refuse(section.place("tag"), message, help("write for example { project = \"atlas\" }"));
    }
    let mut tags = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (key, entry) in entries {
        let name = trim_blanks(key.get_ref());
        if name.is_empty() {
            cx.refuse(key.span(), format!("{}: a tag key is blank", section.subject), None);
            continue;
        }
        if !seen.insert(fold_key(name)) {
            let message = format!("{}: the tag `{name}` is named twice", section.subject);
            cx.refuse(key.span(), message, help("case and _ . / do not tell keys apart"));
        }
        if let Some(text) = value::text(cx, &section.label(name), entry) {
            tags.insert(name.to_owned(), text.value);
        }
    }
    tags
}
