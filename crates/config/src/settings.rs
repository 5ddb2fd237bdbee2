//! `[tls]`, `[timeouts]`, `[retries]`, `[pace]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use reaper_model::{ProviderName, Span};

use crate::context::{Context, help};
use crate::section::Section;
use crate::types::{Pace, Timeouts};

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            call: Span::from_secs(30),
            scope: Span::from_secs(5 * 60),
            run: Span::from_secs(30 * 60),
        }
    }
}

/// Attempts per call, the first included, unless configured otherwise.
const DEFAULT_ATTEMPTS: u32 = 4;

pub(crate) fn ca_bundle(cx: &mut Context<'_>, root: &Section<'_>) -> Option<PathBuf> {
    let section = root.table(cx, "tls")?;
    let text = section.text(cx, "ca_bundle")?;
    let path = cx.base_dir.join(text.value);
    if let Err(error) = std::fs::File::open(&path) {
        cx.refuse(
            text.span,
            format!("the file `{}` cannot be read: {error}", path.display()),
            help("a relative path is relative to this configuration file"),
        );
    }
    Some(path)
}

pub(crate) fn timeouts(cx: &mut Context<'_>, root: &Section<'_>) -> Timeouts {
    let default = Timeouts::default();
    let Some(section) = root.table(cx, "timeouts") else {
        for (key, value) in [("call", default.call), ("scope", default.scope), ("run", default.run)]
        {
            cx.record(format!("timeouts.{key}"), value, true);
        }
        return default;
    };
    let timeouts = Timeouts {
        call: section.limit_or(cx, "call", default.call),
        scope: section.limit_or(cx, "scope", default.scope),
        run: section.limit_or(cx, "run", default.run),
    };
    if timeouts.call > timeouts.scope || timeouts.scope > timeouts.run {
        cx.refuse(
            section.span.clone(),
            format!(
                "the limits are out of order: call {}, scope {}, run {}",
                timeouts.call, timeouts.scope, timeouts.run
            ),
            help("a call is part of a scope, and a scope of the run"),
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
