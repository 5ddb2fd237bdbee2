//! `[state]`, `[limits]`, `[tls]`, `[timeouts]`, `[retries]`, `[pace]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reaper_model::{Currency, Money, ProviderName, Span};
use rust_decimal::Decimal;

use crate::context::{Context, help};
use crate::section::Section;
use crate::types::{Limits, Pace, StateUrl, Timeouts};
use crate::units::Percent;

/// Where the state lies unless configured otherwise.
const DEFAULT_STATE: &str = "file:reaper-state";

/// Attempts per call, the first included, unless configured otherwise.
const DEFAULT_ATTEMPTS: u32 = 4;

/// Actions in one run unless configured otherwise.
const DEFAULT_MAX_ACTIONS: u32 = 10;

/// Value of an hour of all machines acted upon unless configured otherwise, in the currency of the
/// report.
const DEFAULT_MAX_HOURLY_VALUE: Decimal = Decimal::from_parts(200, 0, 0, false, 0);

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            call: Span::from_secs(30),
            scope: Span::from_secs(5 * 60),
            run: Span::from_secs(30 * 60),
            confirm: Span::from_secs(10 * 60),
            poll: Span::from_secs(5),
            mail: Span::from_secs(60),
            stop_grace: Span::from_secs(7),
            plan: Span::from_secs(24 * 60 * 60),
            lease: Span::from_secs(30 * 60),
        }
    }
}

/// Where the state lies. `folder` is the configuration's.
pub(crate) fn state(cx: &mut Context<'_>, root: &Section<'_>, folder: &Path) -> StateUrl {
    let section = root.table_or_defaults(cx, "state");
    let url = section.text_or(cx, "url", DEFAULT_STATE);
    let place = if let Some(path) = url.strip_prefix("file:") {
        let is_elsewhere = path.starts_with("//") && !path.starts_with("///");
        if path.is_empty() || is_elsewhere {
            Err("names no folder of this machine")
        } else {
            Ok(())
        }
    } else {
        let bucket = ["s3://", "gs://", "az://"]
            .into_iter()
            .find_map(|scheme| url.strip_prefix(scheme))
            .map(|rest| rest.split('/').next().unwrap_or_default());
        match bucket {
            None => Err("begins with none of file:, s3://, gs:// and az://"),
            Some("") => Err("names no bucket"),
            Some(_) if url.contains(['@', '?', '#']) => Err("has a login or a query in it"),
            Some(bucket) if bucket.contains(':') => Err("has a login or a port in it"),
            Some(_) => Ok(()),
        }
    };
    if let Err(problem) = place {
        let span = section.place("url");
        if url.contains(['@', '?']) {
            cx.conceal([span.clone()]);
        }
        let forms = "write \"file:reaper-state\" or \"s3://bucket/prefix\"; credentials come \
                     from the environment";
        cx.refuse(span, format!("{} {problem}", section.label("url")), help(forms));
    }
    StateUrl { url, base: folder.to_owned() }
}

/// The brake. `currency` is the report's.
pub(crate) fn limits(cx: &mut Context<'_>, root: &Section<'_>, currency: Currency) -> Limits {
    let section = root.table_or_defaults(cx, "limits");
    let max_actions = section.whole(cx, "max_actions").unwrap_or(DEFAULT_MAX_ACTIONS);
    cx.record(section.path_of("max_actions"), max_actions, section.value("max_actions").is_none());
    let max_share = section.percent(cx, "max_share").unwrap_or(Percent::TWENTY);
    cx.record(section.path_of("max_share"), max_share, section.value("max_share").is_none());
    let max_hourly_value = section
        .amount(cx, "max_hourly_value", "to do nothing at all, write mode = \"report\"")
        .unwrap_or(Money::new(DEFAULT_MAX_HOURLY_VALUE, currency));
    let Money { amount, currency } = max_hourly_value;
    cx.record(
        section.path_of("max_hourly_value"),
        format!("{amount} {currency}"),
        section.value("max_hourly_value").is_none(),
    );
    Limits { max_actions, max_share, max_hourly_value }
}

pub(crate) fn ca_bundle(cx: &mut Context<'_>, root: &Section<'_>) -> Option<PathBuf> {
    let section = root.table(cx, "tls")?;
    section.readable_file(cx, "ca_bundle")
}

pub(crate) fn timeouts(cx: &mut Context<'_>, root: &Section<'_>) -> Timeouts {
    let default = Timeouts::default();
    let section = root.table_or_defaults(cx, "timeouts");
    let call = section.limit_or(cx, "call", default.call);
    let scope = section.limit_or(cx, "scope", default.scope);
    let run = section.limit_or(cx, "run", default.run);
    let timeouts = Timeouts {
        call,
        scope,
        run,
        confirm: section.limit_or(cx, "confirm", default.confirm),
        poll: section.limit_or(cx, "poll", default.poll),
        mail: section.limit_or(cx, "mail", default.mail),
        stop_grace: section.limit_or(cx, "stop_grace", default.stop_grace),
        plan: section.limit_or(cx, "plan", default.plan),
        lease: section.limit_or(cx, "lease", default.lease.max(run)),
    };
    if call > scope || scope > run {
        cx.refuse(
            section.span.clone(),
            format!("the limits are out of order: call {call}, scope {scope}, run {run}"),
            help("a call is part of a scope, and a scope of the run"),
        );
    }
    if timeouts.lease < run {
        cx.refuse(
            section.place("lease"),
            format!("{} {} is shorter than the run, {run}", section.label("lease"), timeouts.lease),
            help("another run could take over an account while this one still acts"),
        );
    }
    if timeouts.poll > timeouts.confirm {
        cx.refuse(
            section.place("poll"),
            format!(
                "{} {} is longer than confirm, {}",
                section.label("poll"),
                timeouts.poll,
                timeouts.confirm
            ),
            help("no machine would be looked at before the time is over"),
        );
    }
    timeouts
}

pub(crate) fn attempts(cx: &mut Context<'_>, root: &Section<'_>) -> u32 {
    let section = root.table(cx, "retries");
    let given = section.and_then(|section| section.whole(cx, "attempts"));
    let attempts = given.unwrap_or(DEFAULT_ATTEMPTS);
    cx.record("retries.attempts".to_owned(), attempts, given.is_none());
    attempts
}

pub(crate) fn pace(cx: &mut Context<'_>, root: &Section<'_>) -> BTreeMap<ProviderName, Pace> {
    let mut bounds = BTreeMap::new();
    let Some(section) = root.table(cx, "pace") else { return bounds };
    for provider in cx.env.providers {
        let Some(section) = section.table(cx, provider.name) else { continue };
        let mut bound = |name| {
            let bound = section.whole(cx, name)?;
            cx.record(section.path_of(name), bound, false);
            Some(bound)
        };
        let pace = Pace {
            per_second: bound("per_second"),
            in_flight: bound("in_flight").and_then(|bound| usize::try_from(bound).ok()),
            page_size: bound("page_size"),
        };
        bounds.insert(ProviderName::new(provider.name), pace);
    }
    bounds
}

/// A list as it would be written.
pub(crate) fn list(entries: &[String]) -> String {
    let quoted: Vec<String> = entries.iter().map(|entry| format!("\"{entry}\"")).collect();
    format!("[{}]", quoted.join(", "))
}
