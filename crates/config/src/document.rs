//! The whole file: reading it, refusing what is no TOML, and putting the parts together.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono_tz::Tz;
use reaper_model::Currency;
use reaper_policy::{OwnerSpec, PolicySpec, ProtectSpec};
use sha2::{Digest, Sha256};
use toml::de::DeTable;

use crate::conceal::{self, SecretKeys};
use crate::context::{Context, Environment, Help, help};
use crate::keys;
use crate::problem::{ConfigError, Problem};
use crate::section::Section;
use crate::types::{Config, Mode};
use crate::{
    account, budgets, channels, coverage, currency, email, hooks, idle, metrics, owners, prices,
    rules, schedules, settings,
};

/// What an embedded text is called in messages.
pub(crate) const EMBEDDED: &str = "<embedded>";

/// Reads a configuration file. Relative paths in it are relative to its folder.
///
/// # Errors
/// If the file cannot be read (an absent one is never a set of defaults), or anything in it is not
/// understood.
pub fn load(path: &Path, env: &Environment<'_>) -> Result<Config, ConfigError> {
    let name = path.display().to_string();
    let refuse = |message: String, advice| ConfigError {
        problems: vec![Problem::of_file(&name, message, advice)],
    };
    let bytes = std::fs::read(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            refuse(
                "there is no such configuration file".to_owned(),
                help("`reaper init` writes one; --config or REAPER_CONFIG name another"),
            )
        } else {
            refuse(format!("the configuration file cannot be read: {error}"), None)
        }
    })?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let lossy = String::from_utf8_lossy(&bytes);
        let places = SecretKeys::of(env.providers).places_in_lines(&lossy);
        let text: Arc<str> = conceal::blot(&lossy, &places).into();
        let at = error.valid_up_to();
        let message = "the file is not UTF-8 text".to_owned();
        ConfigError {
            problems: vec![Problem::at(
                &name,
                &text,
                at..at + '\u{fffd}'.len_utf8(),
                message,
                None,
            )],
        }
    })?;
    parse(Some(path), path.parent().unwrap_or(Path::new("")), text, env)
}

/// Reads a configuration from text. `path` is what it is called, if it is a file.
///
/// # Errors
/// If anything in it is not understood.
pub fn parse(
    path: Option<&Path>,
    base_dir: &Path,
    text: &str,
    env: &Environment<'_>,
) -> Result<Config, ConfigError> {
    let name = path.map_or_else(|| EMBEDDED.to_owned(), |path| path.display().to_string());
    let secrets = SecretKeys::of(env.providers);
    let mut cx = Context::new(*env, base_dir, text);
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        cx.conceal(secrets.places_in_lines(text));
        refuse_syntax(&mut cx, text, &errors);
        return Err(cx.refused(&name));
    }
    cx.conceal(secrets.places(document.get_ref()));
    let table = keys::file(env.providers);
    let root = Section::root(&mut cx, &table, &document);
    let mut config = read(&mut cx, &root);
    let findings = cx.finish(&name)?;
    config.path = path.map(Path::to_owned);
    config.digest = digest(text.as_bytes());
    config.warnings = findings.warnings;
    config.effective = findings.effective;
    Ok(config)
}

/// Reads every part, also when an earlier one was refused, so that all problems are found at once.
fn read(cx: &mut Context<'_>, root: &Section<'_>) -> Config {
    root.whole(cx, "version");
    cx.record("version".to_owned(), 1, root.value("version").is_none());
    let timezone = read_timezone(cx, root);
    cx.timezone = timezone;
    let understood = read_currency(cx, root);
    let currency = understood.unwrap_or(Currency::EUR);
    let mode = root.word(cx, "mode").map(|word| match word {
        "enforce" => Mode::Enforce,
        _ => Mode::Report,
    });
    let launch_grace = root.span_or(cx, "launch_grace", reaper_policy::spec::DEFAULT_LAUNCH_GRACE);
    let placeholders: Vec<String> =
        root.texts(cx, "placeholders").into_iter().map(|text| text.value).collect();
    cx.record(
        "placeholders".to_owned(),
        settings::list(&placeholders),
        root.value("placeholders").is_none(),
    );
    let expiry_tag = root.text_or(cx, "expiry_tag", reaper_policy::spec::DEFAULT_EXPIRY_TAG);
    let own_tags = idle::own_tags(cx, root);
    let leftovers = root.flag(cx, "leftovers").unwrap_or(true);
    cx.record("leftovers".to_owned(), leftovers, root.value("leftovers").is_none());
    let folder = folder(cx);
    let state = settings::state(cx, root, &folder);
    let rates = prices::rates(cx, root, currency);
    let ca_bundle = settings::ca_bundle(cx, root);
    let accounts = account::accounts(cx, root);
    let owners: OwnerSpec = owners::owners(cx, root);
    let protect: ProtectSpec = owners::protect(cx, root);
    own_tags.check(cx, root, &protect, &expiry_tag);
    let names = rules::Names::of(cx, root, &accounts);
    let rules = rules::rules(cx, root, &names, launch_grace);
    let exemptions = rules::exemptions(cx, root, &names);
    let limits = settings::limits(cx, root, currency);
    let prices = prices::overrides(cx, root);
    let timeouts = settings::timeouts(cx, root);
    let attempts = settings::attempts(cx, root);
    let pace = settings::pace(cx, root);
    let metrics = metrics::metrics(cx, root);
    let hooks = hooks::hooks(cx, root, &folder);
    let charged = coverage::charged(cx, root, &accounts);
    let rest = budgets::Rest {
        accounts: &accounts,
        charged: &charged,
        names: &names,
        owners: &owners,
        prices: &prices,
        currency: understood,
        mode,
    };
    let budgets = budgets::budgets(cx, root, &rest);
    let email = email::email(cx, root, &owners, ca_bundle.as_deref());
    let channels = channels::channels(cx, root, &folder);
    let schedules = schedules::schedules(cx, root);
    Config {
        path: None,
        digest: String::new(),
        timezone,
        currency,
        rates,
        mode,
        leftovers,
        state,
        accounts,
        policy: PolicySpec {
            rules,
            owners,
            protect,
            exemptions,
            launch_grace,
            placeholders,
            expiry_tag,
            idle_stop_tag: own_tags.idle_stop,
            working_hours_tag: own_tags.working_hours,
            timezone,
        },
        limits,
        prices,
        timeouts,
        attempts,
        pace,
        ca_bundle,
        metrics,
        hooks,
        budgets,
        email,
        channels,
        schedules,
        warnings: Vec::new(),
        effective: Vec::new(),
    }
}

/// The folder that relative paths are relative to, absolute: hooks and the state outlive a change
/// of the working folder.
fn folder(cx: &mut Context<'_>) -> PathBuf {
    let here = Path::new(".");
    let folder = if cx.base_dir.as_os_str().is_empty() { here } else { cx.base_dir };
    std::path::absolute(folder).unwrap_or_else(|error| {
        cx.refuse_file(format!("the working folder cannot be found: {error}"), None);
        folder.to_owned()
    })
}

fn read_timezone(cx: &mut Context<'_>, root: &Section<'_>) -> Tz {
    let name = root.text_or(cx, "timezone", Tz::UTC.name());
    schedules::zone(cx, root, "timezone", &name).unwrap_or(Tz::UTC)
}

fn read_currency(cx: &mut Context<'_>, root: &Section<'_>) -> Option<Currency> {
    let code = root.text_or(cx, "currency", Currency::EUR.as_str());
    currency::read(cx, &code, root.place("currency"))
}

/// Notes what the TOML parser refuses: the first problem of each line, since one slip often makes
/// several.
fn refuse_syntax(cx: &mut Context<'_>, text: &str, errors: &[toml::de::Error]) {
    let mut last_line = None;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let line = text.get(..span.start).map(|before| before.matches('\n').count());
        if line.is_some() && line == last_line {
            continue;
        }
        last_line = line;
        let bare = bare_value(text, &span);
        let advice = bare.clone().and_then(|bare| quoting_advice(cx, bare));
        cx.refuse(bare.unwrap_or(span), error.message(), advice);
    }
}

/// The whole of the unquoted value in which the problem lies, if it lies in one.
fn bare_value(text: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '+' | '-' | '/');
    let before = text.get(..span.start)?;
    let start = before.trim_end_matches(part).len();
    let length = text.get(start..)?.find(|c| !part(c)).unwrap_or(text.len() - start);
    let is_value = before[..start].trim_end_matches([' ', '\t']).ends_with(['=', '[', ',']);
    (is_value && length > 0).then_some(start..start + length)
}

fn quoting_advice(cx: &Context<'_>, bare: Range<usize>) -> Help {
    if cx.is_concealed(&bare) {
        return help("text is quoted, and a secret is never in this file");
    }
    let value = cx.written(bare);
    if value.len() > 1 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        help(format!("quote it: \"{value}\"; a number cannot begin with 0, and an id is text"))
    } else {
        help(format!("quote it, if it is text: \"{value}\""))
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
