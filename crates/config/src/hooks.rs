//! `[hooks]`: commands of the user's.

use std::path::{Path, PathBuf};

use reaper_model::Span;
use toml::de::DeValue;

use crate::context::{Context, help};
use crate::section::Section;
use crate::types::{Hook, Hooks};
use crate::value;

/// How long a hook may take unless configured otherwise.
const DEFAULT_TIMEOUT: Span = Span::from_secs(10 * 60);

/// Commands of the user's. `folder` is the configuration's.
pub(crate) fn hooks(cx: &mut Context<'_>, root: &Section<'_>, folder: &Path) -> Hooks {
    let section = root.table(cx, "hooks");
    let before_stop = section.and_then(|section| section.table(cx, "before_stop"));
    Hooks { before_stop: before_stop.and_then(|section| hook(cx, &section, folder)) }
}

fn hook(cx: &mut Context<'_>, section: &Section<'_>, folder: &Path) -> Option<Hook> {
    let timeout = section.limit_or(cx, "timeout", DEFAULT_TIMEOUT);
    let value = section.value("command")?;
    let label = section.label("command");
    let DeValue::Array(entries) = value.get_ref() else {
        cx.refuse(
            value.span(),
            format!("{label} is a list"),
            help("write the program and each argument as a text of its own; there is no shell"),
        );
        return None;
    };
    // An empty list was refused as a missing key.
    let count = entries.len();
    let mut words = entries.iter().filter_map(|entry| value::text(cx, &label, entry));
    let (program, rest): (_, Vec<_>) = (words.next()?, words.collect());
    if rest.len() + 1 < count {
        return None;
    }
    let arguments = rest.into_iter().map(|text| text.value).collect();
    let path = folder.join(&program.value);
    let is_file = program.value.contains('/');
    if is_file && !path.is_file() {
        let message = format!("{label}: there is no file `{}`", path.display());
        let advice = help("a relative path is relative to this configuration file");
        cx.refuse(program.span, message, advice);
    }
    let program = if is_file { path } else { PathBuf::from(program.value) };
    Some(Hook { program, arguments, folder: folder.to_owned(), timeout })
}
