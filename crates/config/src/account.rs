//! `[[account]]`: credentials, pins and scopes.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::{AccountName, Location, ProviderName};
use secrecy::ExposeSecret;
use url::Url;

use crate::contact;
use crate::context::{Context, ProviderKeys, help};
use crate::section::Section;
use crate::types::Account;

/// Every account; names are unique and no two are the same in all but name.
pub(crate) fn accounts(cx: &mut Context<'_>, root: &Section<'_>) -> Vec<Account> {
    let mut accounts: Vec<Account> = Vec::new();
    for section in root.tables(cx, "account", "account") {
        let Some(account) = account(cx, &section) else { continue };
        if accounts.iter().any(|other| other.name == account.name) {
            let message = format!("there are two accounts `{}`", account.name);
            cx.refuse(section.place("name"), message, help("give each a name of its own"));
        } else if let Some(twin) = accounts.iter().find(|other| covers_the_same(other, &account)) {
            let message = format!("accounts `{}` and `{}` cover the same", twin.name, account.name);
            let advice = help("every machine would be counted twice; remove one of them");
            cx.refuse(section.place("name"), message, advice);
        }
        accounts.push(account);
    }
    accounts
}

/// Whether both ask the same provider the same questions as the same login.
fn covers_the_same(one: &Account, other: &Account) -> bool {
    let overlap = one.locations.is_empty()
        || other.locations.is_empty()
        || one.locations.iter().any(|location| other.locations.contains(location));
    one.provider == other.provider
        && one.expect_account == other.expect_account
        && one.endpoint_url == other.endpoint_url
        && one.options == other.options
        && one.lists == other.lists
        && overlap
        && secrets(one).eq(secrets(other))
}

fn secrets(account: &Account) -> impl Iterator<Item = (&str, &str)> {
    account.credentials.iter().map(|(key, secret)| (key.as_str(), secret.expose_secret()))
}

fn account(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Account> {
    let name = section.text(cx, "name");
    let provider = provider(cx, section);
    let expect_account = section.text(cx, "expect_account").map(|text| text.value);
    let endpoint_url = endpoint_url(cx, section);
    let allow_terminate = consent(cx, section, "allow_terminate");
    let allow_local_data_loss = consent(cx, section, "allow_local_data_loss");
    let provider = provider?;
    let options = provider
        .options
        .iter()
        .filter_map(|&key| Some((key.to_owned(), section.setting(cx, key)?)))
        .collect();
    let lists: BTreeMap<String, Vec<String>> = provider
        .lists
        .iter()
        .map(|&key| (key.to_owned(), distinct(cx, section, key)))
        .filter(|(_, entries)| !entries.is_empty())
        .collect();
    let locations = provider
        .location_key
        .map(|key| distinct(cx, section, key))
        .unwrap_or_default()
        .into_iter()
        .map(Location::new)
        .collect();
    let mut credentials = BTreeMap::new();
    if let Some(secrets) = section.table(cx, "credentials") {
        for &key in provider.credentials {
            if let Some(secret) = secrets.secret(cx, key) {
                credentials.insert(key.to_owned(), secret);
            }
        }
    }
    Some(Account {
        name: AccountName::new(name?.value),
        provider: ProviderName::new(provider.name),
        expect_account,
        locations,
        endpoint_url,
        allow_terminate,
        allow_local_data_loss,
        options,
        lists,
        credentials,
    })
}

/// Whether something that cannot be undone was consented to.
fn consent(cx: &mut Context<'_>, section: &Section<'_>, key: &str) -> bool {
    let given = section.flag(cx, key).unwrap_or(false);
    cx.record(section.path_of(key), given, section.value(key).is_none());
    given
}

/// The provider that a table names; refused if this program cannot ask it.
pub(crate) fn provider<'e>(
    cx: &mut Context<'e>,
    section: &Section<'_>,
) -> Option<&'e ProviderKeys> {
    let name = section.word(cx, "provider")?;
    cx.env.providers.iter().find(|provider| provider.name == name)
}

/// A list whose entries are distinct: a region that stands there twice would be counted twice.
fn distinct(cx: &mut Context<'_>, section: &Section<'_>, key: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for text in section.texts(cx, key) {
        if seen.insert(text.value.clone()) {
            entries.push(text.value);
        } else {
            let message = format!("{}: `{}` is listed twice", section.subject, text.value);
            cx.refuse(text.span, message, None);
        }
    }
    entries
}

fn endpoint_url(cx: &mut Context<'_>, section: &Section<'_>) -> Option<String> {
    let text = section.text(cx, "endpoint_url")?;
    let problem = match Url::parse(&text.value) {
        Err(error) => Some(format!("is no address: {error}")),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Some("begins with neither http:// nor https://".to_owned())
        }
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Some("has a login in it; secrets belong into `credentials`".to_owned())
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            Some("has a query; it is a base address".to_owned())
        }
        Ok(url) => {
            if url.scheme() == "http" && !url.host().is_some_and(|host| contact::is_loopback(&host))
            {
                let warning = "`endpoint_url` is not encrypted and leads to another machine";
                cx.warn("config-plain-http", &section.subject, warning);
            }
            None
        }
    };
    if let Some(problem) = problem {
        let message = format!("{} {problem}", section.label("endpoint_url"));
        cx.refuse(text.span, message, help("write for example \"http://127.0.0.1:5000\""));
        return None;
    }
    Some(text.value)
}
