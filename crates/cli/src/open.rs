//! From the command line to opened accounts: the configuration file, its accounts, their adapters.

use std::path::{Path, PathBuf};

use reaper_config::{Config, Environment as ConfigEnvironment};
use reaper_engine::Account;
use reaper_model::{Currency, ProviderName};
use reaper_provider::account::CallLimits;
use reaper_provider::{AccountSettings, Consents, OpenError, Surroundings};

use crate::args::Global;
use crate::environment::{Environment, variable};
use crate::failure::Failure;
use crate::providers;

/// Where adapters find what the configuration leaves open: the variables and files of the
/// providers' own tools.
pub(crate) const SURROUNDINGS: Surroundings<'static> =
    Surroundings { variable: &variable, read_file: &|path| std::fs::read_to_string(path) };

/// Reads the configuration that the command line, or the places where it is looked for, name.
pub(crate) fn config(global: &Global, environment: &Environment) -> Result<Config, Failure> {
    let path = match global.config.as_ref().or(environment.config.as_ref()) {
        Some(path) => path.clone(),
        None => find(environment)?,
    };
    if let Some(output) = &global.output {
        not_the_same("--output", output, Some(&path), "the configuration file")?;
    }
    let keys = providers::keys();
    let currency = |account: &_| currency(account, SURROUNDINGS);
    let lookup = ConfigEnvironment { lookup: &variable, providers: &keys, currency: &currency };
    Ok(reaper_config::load(&path, &lookup)?)
}

/// Refuses to write over another file of the same run.
pub(crate) fn not_the_same(
    option: &str,
    path: &Path,
    other: Option<&Path>,
    what: &str,
) -> Result<(), Failure> {
    let Some(other) = other else { return Ok(()) };
    let same = path == other
        || matches!((path.canonicalize(), other.canonicalize()), (Ok(one), Ok(two)) if one == two);
    if same {
        let text = format!("{option} {} is {what}", path.display());
        return Err(Failure::usage(text, "name another file"));
    }
    Ok(())
}

/// Where a configuration is looked for when none is named.
fn places(environment: &Environment) -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("reaper.toml")];
    places.extend(environment.config_home.as_ref().map(|home| home.join("reaper/reaper.toml")));
    places
}

fn find(environment: &Environment) -> Result<PathBuf, Failure> {
    let places = places(environment);
    if let Some(found) = places.iter().find(|place| place.is_file()) {
        return Ok(found.clone());
    }
    let tried: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    Err(Failure::usage(
        format!("no configuration file: tried {}", tried.join(" and ")),
        "`reaper init` writes one, --config FILE names one, `reaper demo` needs none",
    ))
}

/// Opens the accounts that the command line asks for, all by default. Sends nothing.
pub(crate) fn accounts(
    config: &Config,
    global: &Global,
    environment: &Environment,
    surroundings: Surroundings<'_>,
) -> Result<Vec<Account>, Failure> {
    for wanted in &global.account {
        if !config.accounts.iter().any(|account| account.name.as_str() == wanted.trim()) {
            return Err(unknown_account(wanted, config));
        }
    }
    let asked = |account: &&reaper_config::Account| {
        global.account.is_empty()
            || global.account.iter().any(|name| name.trim() == account.name.as_str())
    };
    config
        .accounts
        .iter()
        .filter(asked)
        .map(|account| {
            let bundle = config.ca_bundle.as_deref().or(environment.ca_bundle.as_deref());
            open(account, settings(account, config, bundle), surroundings)
        })
        .collect()
}

fn unknown_account(wanted: &str, config: &Config) -> Failure {
    let names: Vec<&str> = config.accounts.iter().map(|account| account.name.as_str()).collect();
    let nearest = names
        .iter()
        .map(|name| (strsim::osa_distance(name, wanted), *name))
        .filter(|(distance, _)| *distance <= 2)
        .min();
    let help = match nearest {
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("the configuration has {}", names.join(", ")),
    };
    Failure::usage(format!("no account {wanted:?}"), help)
}

fn settings(
    account: &reaper_config::Account,
    config: &Config,
    ca_bundle: Option<&Path>,
) -> AccountSettings {
    let pace = config.pace_of(&account.provider);
    AccountSettings {
        limits: CallLimits {
            call: config.timeouts.call.std(),
            attempts: config.attempts,
            per_second: pace.per_second,
            in_flight: pace.in_flight,
            page_size: pace.page_size,
        },
        ca_bundle: ca_bundle.map(Path::to_path_buf),
        ..own_settings(account)
    }
}

/// What the account's own table says, with the usual limits.
fn own_settings(account: &reaper_config::Account) -> AccountSettings {
    AccountSettings {
        expect_account: account.expect_account.clone(),
        locations: account.locations.clone(),
        endpoint_url: account.endpoint_url.clone(),
        options: account.options.clone(),
        lists: account.lists.clone(),
        credentials: account.credentials.clone(),
        ..AccountSettings::named(account.name.as_str())
    }
}

/// What an account's prices are in, as its adapter says.
pub(crate) fn currency(
    account: &reaper_config::Account,
    surroundings: Surroundings<'_>,
) -> Option<Currency> {
    let descriptor = providers::find(account.provider.as_str())?;
    (descriptor.currency)(&own_settings(account), surroundings)
}

fn open(
    account: &reaper_config::Account,
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Account, Failure> {
    let descriptor = providers::find(account.provider.as_str())
        .ok_or_else(|| not_built_in(&account.provider))?;
    let provider =
        (descriptor.open)(settings, surroundings).map_err(|OpenError { account, problem }| {
            Failure::Usage(format!("account {account:?}: {problem}"), None)
        })?;
    Ok(Account {
        name: account.name.clone(),
        provider,
        expect_account: account.expect_account.clone().or_else(|| pinned_by_option(account)),
        consents: Consents {
            terminate: account.allow_terminate,
            local_data_loss: account.allow_local_data_loss,
        },
    })
}

/// At OVHcloud the project that is asked for is the pin.
fn pinned_by_option(account: &reaper_config::Account) -> Option<String> {
    account.options.get("project").cloned()
}

fn not_built_in(provider: &ProviderName) -> Failure {
    Failure::usage(
        format!("this binary was built without provider {provider:?}"),
        "build it with that provider's feature",
    )
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A budget over the machines of an account, whose platform an `ovh.conf` names.
    fn read(limit: &str, account: &str) -> Result<Config, String> {
        let surroundings = Surroundings {
            variable: &|_| None,
            read_file: &|path| match path.to_str() {
                Some("/etc/ovh.conf") => Ok("[default]\nendpoint = ovh-ca\n".to_owned()),
                _ => Err(io::ErrorKind::NotFound.into()),
            },
        };
        let text = format!(
            "[[budget]]\nname = \"b\"\nlimit = \"1 {limit}\"\nrecipients = \"a@example.org\"\n\
             [[account]]\nname = \"lab\"\n{account}"
        );
        let keys = providers::keys();
        let currency = |account: &_| currency(account, surroundings);
        let env = ConfigEnvironment { lookup: &|_| None, providers: &keys, currency: &currency };
        reaper_config::parse(None, Path::new("/nowhere"), &text, &env)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn fl_107_budgets_are_held_against_what_the_adapters_say() {
        let ovhcloud = "provider = \"ovhcloud\"\n";
        let british = "provider = \"ovhcloud\"\nsubsidiary = \"GB\"\n";
        let mut cases = vec![
            (ovhcloud, "CAD"),
            (british, "GBP"),
            ("provider = \"scaleway\"\n", "EUR"),
            ("provider = \"lambda\"\n", "USD"),
        ];
        if providers::find("aws").is_some() {
            cases.push(("provider = \"aws\"\nregions = [\"eu-west-1\"]\n", "USD"));
            cases.push(("provider = \"aws\"\nregions = [\"cn-north-1\"]\n", "CNY"));
        }
        for (account, code) in cases {
            read(code, account).expect("the account's own currency");
            let refused = read("CHF", account).expect_err("another currency");
            let text = format!("is in CHF and counts {code} (account `lab`)");
            assert!(refused.contains(&text), "{refused}");
        }
    }
}
