//! Providers, an environment and short cuts.

use std::path::Path;

use reaper_model::Currency;

use crate::{Account, Config, ConfigError, Environment, ProviderKeys, parse};

/// Keys as the four adapters give them.
pub(super) const PROVIDERS: [ProviderKeys; 4] = [
    ProviderKeys {
        name: "aws",
        location_key: Some("regions"),
        options: &["assume_role", "imds", "profile"],
        lists: &[],
        credentials: &["access_key_id", "secret_access_key", "session_token"],
    },
    ProviderKeys {
        name: "ovhcloud",
        location_key: Some("regions"),
        options: &["endpoint", "project", "subsidiary"],
        lists: &[],
        credentials: &["application_key", "application_secret", "consumer_key"],
    },
    ProviderKeys {
        name: "scaleway",
        location_key: Some("zones"),
        options: &["profile"],
        lists: &["project_ids"],
        credentials: &["access_key", "secret_key"],
    },
    ProviderKeys {
        name: "lambda",
        location_key: None,
        options: &[],
        lists: &[],
        credentials: &["api_key"],
    },
];

/// What the adapters would say. Where the third is told a subsidiary, mostly the provider alone can.
pub(super) fn currency(account: &Account) -> Option<Currency> {
    let china = account.locations.iter().any(|location| location.as_str().starts_with("cn-"));
    match (account.provider.as_str(), account.options.get("subsidiary").map(String::as_str)) {
        ("ovhcloud", Some("GB")) => "GBP".parse().ok(),
        ("ovhcloud", Some(_)) => None,
        ("aws", _) if china => "CNY".parse().ok(),
        ("ovhcloud" | "scaleway", _) => Some(Currency::EUR),
        _ => Some(Currency::USD),
    }
}

pub(super) const ACCOUNT: &str = "[[account]]\nname = \"research\"\nprovider = \"aws\"\n";

pub(super) fn lookup(name: &str) -> Option<String> {
    match name {
        "SCW_SECRET_KEY" | "SMTP_PASSWORD" | "PROMETHEUS_PASSWORD" => {
            Some("hunter2-secret".to_owned())
        }
        "WITH_BLANKS" => Some(" hunter2-secret\r\n".to_owned()),
        "BLANK" => Some("  ".to_owned()),
        "TWO_LINES" => Some("hunter2\nsecret".to_owned()),
        "SLACK_WEBHOOK" | "REAPER_WEBHOOK_URL" | "HEARTBEAT_URL" => {
            Some("https://hooks.example.org/hunter2-secret".to_owned())
        }
        "REAPER_WEBHOOK_SECRET" => Some("whsec_hunter2+secret".to_owned()),
        "PLAIN_URL" => Some("http://hooks.example.org/hunter2-secret".to_owned()),
        "LOOPBACK_URL" => Some("http://127.0.0.1:9/hunter2-secret".to_owned()),
        "LOGIN_URL" => Some("https://me:hunter2@hooks.example.org/".to_owned()),
        "TEAM" => Some("atlas-".to_owned()),
        _ => None,
    }
}

pub(super) fn read_in(folder: &Path, text: &str) -> Result<Config, ConfigError> {
    let env = Environment { lookup: &lookup, providers: &PROVIDERS, currency: &currency };
    parse(Some(Path::new("reaper.toml")), folder, text, &env)
}

pub(super) fn read(text: &str) -> Result<Config, ConfigError> {
    read_in(Path::new("/nowhere"), text)
}

/// With an account of its own, put behind the text so that lines keep their numbers.
pub(super) fn read_parts(text: &str) -> Result<Config, ConfigError> {
    read(&format!("{text}\n{ACCOUNT}"))
}

pub(super) fn accepted(text: &str) -> Config {
    read_parts(text).expect("accepted")
}

/// The rendered refusal.
pub(super) fn refused(text: &str) -> String {
    read_parts(text).expect_err("refused").to_string()
}
