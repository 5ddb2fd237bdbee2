//! `[notify.slack]`, `[notify.webhook]`, `[notify.heartbeat]`, `[notify.prometheus]`: where else
//! than by mail a run is heard of.

use std::path::{Path, PathBuf};

use reaper_model::Span;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::contact::is_loopback;
use crate::context::{Context, help};
use crate::section::Section;
use crate::settings::list;
use crate::types::{Channels, Heartbeat, Prometheus, Slack, Told, Webhook};

const DEFAULT_TIMEOUT: Span = Span::from_secs(30);
/// A run waits for it before it begins.
const DEFAULT_HEARTBEAT_TIMEOUT: Span = Span::from_secs(10);

/// Every channel that the file names. `folder` is the configuration's.
pub(crate) fn channels(cx: &mut Context<'_>, root: &Section<'_>, folder: &Path) -> Channels {
    let Some(section) = root.table(cx, "notify") else { return Channels::default() };
    Channels {
        slack: section.table(cx, "slack").and_then(|section| slack(cx, &section)),
        webhook: section.table(cx, "webhook").and_then(|section| webhook(cx, &section)),
        heartbeat: section.table(cx, "heartbeat").and_then(|section| heartbeat(cx, &section)),
        prometheus: section
            .table(cx, "prometheus")
            .and_then(|section| prometheus(cx, &section, folder)),
    }
}

fn slack(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Slack> {
    let webhook = address(cx, section, "webhook");
    let send = told(cx, section);
    let timeout = section.limit_or(cx, "timeout", DEFAULT_TIMEOUT);
    Some(Slack { webhook: webhook?, send, timeout })
}

fn webhook(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Webhook> {
    let url = address(cx, section, "url");
    let secrets = section.secrets(cx, "secrets");
    let send = told(cx, section);
    let timeout = section.limit_or(cx, "timeout", DEFAULT_TIMEOUT);
    Some(Webhook { url: url?, secrets, send, timeout })
}

fn heartbeat(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Heartbeat> {
    let url = address(cx, section, "url");
    let timeout = section.limit_or(cx, "timeout", DEFAULT_HEARTBEAT_TIMEOUT);
    Some(Heartbeat { url: url?, timeout })
}

fn prometheus(cx: &mut Context<'_>, section: &Section<'_>, folder: &Path) -> Option<Prometheus> {
    let text = section.text(cx, "textfile")?;
    let path = folder.join(&text.value);
    if path.extension().is_none_or(|extension| extension != "prom") || path.is_dir() {
        let message =
            format!("{}: `{}` is no file ending in .prom", section.label("textfile"), text.value);
        let advice = "the textfile collector reads no others; write for example \"reaper.prom\"";
        cx.refuse(text.span, message, help(advice));
        return None;
    }
    warn_of_absent_folder(cx, section, &path);
    cx.record(section.path_of("textfile"), path.display(), false);
    Some(Prometheus { textfile: path })
}

/// Figures are no reason to refuse a run, so the folder may come later.
fn warn_of_absent_folder(cx: &mut Context<'_>, section: &Section<'_>, path: &Path) {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    if !folder.is_dir() {
        let text = format!("`textfile`: there is no folder `{}`", folder.display());
        cx.warn("config-textfile-folder", &section.subject, text);
    }
}

/// What a channel is told: what the file says, or everything.
fn told(cx: &mut Context<'_>, section: &Section<'_>) -> Vec<Told> {
    let words = section.several_words(cx, "send");
    let is_default = section.value("send").is_none();
    let send: Vec<Told> =
        Told::ALL.into_iter().filter(|told| is_default || words.contains(&told.name())).collect();
    let names: Vec<String> = send.iter().map(|told| told.name().to_owned()).collect();
    cx.record(section.path_of("send"), list(&names), is_default);
    send
}

/// An address that is a secret. What is wrong with it is said without a word of it.
fn address(cx: &mut Context<'_>, section: &Section<'_>, name: &str) -> Option<SecretString> {
    let secret = section.secret(cx, name)?;
    let Some(problem) = problem_of(secret.expose_secret()) else { return Some(secret) };
    let message = format!("{}: what it refers to {problem}", section.label(name));
    let advice = help("it begins with https://, without a login; http:// is for this machine only");
    cx.refuse(section.place(name), message, advice);
    None
}

fn problem_of(address: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(address) else { return Some("is no address") };
    if !url.username().is_empty() || url.password().is_some() {
        return Some("has a login in it");
    }
    match (url.scheme(), url.host()) {
        ("https", Some(_)) => None,
        ("http", Some(host)) if is_loopback(&host) => None,
        ("http", Some(_)) => Some("would be sent to in the clear"),
        _ => Some("does not begin with https://"),
    }
}
