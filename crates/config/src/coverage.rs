//! Whether a budget can do what it is for: its currencies come together, and somebody hears of it.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::{AccountName, BudgetScope, BudgetSpec, Currency, Money};
use reaper_policy::{Directory, Employment};

use crate::budgets::Rest;
use crate::contact::domain_of;
use crate::context::{Context, help};
use crate::problem::Problem;
use crate::section::Section;
use crate::settings::list;
use crate::types::{Account, Config};

/// The addresses that a budget alerts; none where the fallback stands in. One that mail cannot
/// reach is pointed out and left out; if nobody is left, the budget is refused.
pub(crate) fn recipients(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    rest: &Rest<'_>,
) -> Vec<String> {
    let is_default = section.value("recipients").is_none();
    let written = section.addresses(cx, "recipients");
    let directory = rest.owners.directory.as_ref();
    let mut reached = Vec::new();
    let mut lost = Vec::new();
    for address in &written {
        match unreachable(address, directory) {
            None => reached.push(address.clone()),
            Some(why) => lost.push(format!("`{address}` {why}")),
        }
    }
    let fallback = rest.owners.fallback.as_ref();
    let fallback_lost = fallback.and_then(|address| unreachable(address, directory));
    let was_refused = (!is_default && written.is_empty())
        || (fallback.is_none() && is_written(root, "owners", "fallback"));
    let reaches = !reached.is_empty() || (fallback.is_some() && fallback_lost.is_none());
    if !reaches && !was_refused {
        let why = match fallback_lost {
            Some(why) => format!("`owners.fallback` {why}"),
            None if is_default => "there is neither `recipients` nor `owners.fallback`".to_owned(),
            None => "there is no `owners.fallback`".to_owned(),
        };
        let why: Vec<String> = lost.into_iter().chain([why]).collect();
        let message = format!("{} can alert nobody: {}", section.subject, why.join(", and "));
        let advice = "write for example recipients = [\"finance@example.org\"]";
        cx.refuse(section.place("recipients"), message, help(advice));
    } else {
        for lost in lost {
            let text = format!("`recipients`: {lost}, so nothing is sent there");
            cx.warn("config-budget-recipient-lost", &section.subject, text);
        }
    }
    let in_force: Vec<String> =
        if reached.is_empty() { fallback.into_iter().cloned().collect() } else { reached.clone() };
    cx.record(section.path_of("recipients"), list(&in_force), is_default);
    reached
}

/// Why no mail to this address arrives, as far as can be told without sending one.
fn unreachable(address: &str, directory: Option<&Directory>) -> Option<&'static str> {
    let person = directory.and_then(|directory| directory.find(address));
    if person.is_some_and(|person| person.status == Employment::Departed) {
        return Some("has left, the directory says");
    }
    let domain = domain_of(address)?;
    let never = domain == "invalid" || domain.ends_with(".invalid");
    never.then_some("is at a domain that never exists")
}

/// What the accounts' prices are in, where that can be known before a run. Asked once for each,
/// since files may be read for it, and not at all where there is no budget.
pub(crate) fn charged(
    cx: &Context<'_>,
    root: &Section<'_>,
    accounts: &[Account],
) -> BTreeMap<AccountName, Currency> {
    if root.value("budget").is_none() {
        return BTreeMap::new();
    }
    let told = |account: &Account| Some((account.name.clone(), (cx.env.currency)(account)?));
    accounts.iter().filter_map(told).collect()
}

/// Refuses a budget over currencies that no rate brings into that of its limit. What a provider
/// charges in is known here but for the providers that alone can say.
pub(crate) fn currencies(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    limit: Money,
    scope: &BudgetScope,
    rest: &Rest<'_>,
) {
    let Some(report) = rest.currency else { return };
    let rates = written_rates(root);
    let has_rate = |currency: Currency| currency == report || rates.contains(currency.as_str());
    let mut foreign: BTreeMap<Currency, String> = BTreeMap::new();
    for account in rest.accounts {
        if scope.takes(&account.provider, &account.name) {
            for (currency, source) in charged_in(account, rest) {
                foreign.entry(currency).or_insert(source);
            }
        }
    }
    foreign.retain(|&currency, _| {
        currency != limit.currency && !(has_rate(currency) && has_rate(limit.currency))
    });
    if foreign.is_empty() {
        return;
    }
    let counted: Vec<String> =
        foreign.iter().map(|(currency, source)| format!("{currency} ({source})")).collect();
    let missing: BTreeSet<Currency> = foreign.into_keys().chain([limit.currency]).collect();
    let missing: Vec<String> = missing
        .into_iter()
        .filter(|&currency| !has_rate(currency))
        .map(|currency| format!("{currency} to {report}"))
        .collect();
    cx.refuse(
        section.place("limit"),
        format!(
            "{} is in {} and counts {} without a rate",
            section.subject,
            limit.currency,
            counted.join(" and ")
        ),
        help(format!(
            "write a dated rate of {} below [fx], or narrow its `scope`",
            missing.join(" and of ")
        )),
    );
}

/// The currencies of an account's prices, each with where it comes from.
fn charged_in(account: &Account, rest: &Rest<'_>) -> Vec<(Currency, String)> {
    let own = rest.charged.get(&account.name);
    let own = own.map(|&currency| (currency, format!("account `{}`", account.name)));
    let prices = rest.prices.iter().filter(|price| {
        price.provider == account.provider
            && price.location.as_ref().is_none_or(|location| {
                account.locations.is_empty() || account.locations.contains(location)
            })
    });
    let prices = prices.map(|price| {
        let source = format!("[[price]] of `{}` at {}", price.machine_type, price.provider);
        (price.money.currency, source)
    });
    own.into_iter().chain(prices).collect()
}

/// Codes with a rate, also where the rate is refused: that is no second problem of every budget.
fn written_rates(root: &Section<'_>) -> BTreeSet<String> {
    let rates = root.value("fx").and_then(|value| value.get_ref().as_table());
    rates.into_iter().flatten().map(|(code, _)| code.get_ref().to_string()).collect()
}

/// Whether a table of the file has this key, understood or not.
pub(crate) fn is_written(root: &Section<'_>, table: &str, key: &str) -> bool {
    root.value(table).is_some_and(|value| value.get_ref().get(key).is_some())
}

impl Config {
    /// The addresses that a budget alerts: its own, or the fallback where it has none.
    pub fn recipients_of(&self, budget: &BudgetSpec) -> Vec<String> {
        if budget.recipients.is_empty() {
            self.policy.owners.fallback.iter().cloned().collect()
        } else {
            budget.recipients.clone()
        }
    }

    /// The configured accounts whose spending can count in a budget.
    pub fn accounts_of<'a>(&'a self, budget: &'a BudgetSpec) -> impl Iterator<Item = &'a Account> {
        let scope = &budget.scope;
        self.accounts.iter().filter(|account| scope.takes(&account.provider, &account.name))
    }

    /// Whether alerts of budgets can be sent at all. An audit, which sends nothing, needs it not.
    ///
    /// # Errors
    /// With one problem per budget, if there is no mail server.
    pub fn can_alert(&self) -> Result<(), Vec<Problem>> {
        if self.email.is_some() || self.budgets.is_empty() {
            return Ok(());
        }
        let file = self.file();
        let problem = |budget: &BudgetSpec| {
            let name = &budget.name;
            let message = format!("budget `{name}` can alert nobody: there is no [notify.email]");
            Problem::of_file(&file, message, help("name a sender and a mail server"))
        };
        Err(self.budgets.iter().map(problem).collect())
    }
}
