//! References: `{ env = "NAME" }` and `{ file = "PATH" }`, for secrets and for any other text.

use secrecy::SecretString;
use toml::de::DeValue;

use crate::conceal;
use crate::context::{Context, help};
use crate::section::{Section, Value};

/// What a reference leads to, and where that is in words for people.
struct Found {
    text: String,
    origin: String,
}

impl Section<'_> {
    /// A secret, which only a reference can give.
    pub(crate) fn secret(&self, cx: &mut Context<'_>, name: &str) -> Option<SecretString> {
        self.secret_of(cx, name, self.value(name)?)
    }

    /// One secret or a list of at least one, which only references can give.
    pub(crate) fn secrets(&self, cx: &mut Context<'_>, name: &str) -> Vec<SecretString> {
        let Some(value) = self.value(name) else { return Vec::new() };
        match value.get_ref() {
            DeValue::Array(entries) => {
                entries.iter().filter_map(|entry| self.secret_of(cx, name, entry)).collect()
            }
            _ => self.secret_of(cx, name, value).into_iter().collect(),
        }
    }

    fn secret_of(
        &self,
        cx: &mut Context<'_>,
        name: &str,
        value: Value<'_>,
    ) -> Option<SecretString> {
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            cx.conceal(conceal::texts(value));
            cx.refuse(
                value.span(),
                format!("{} is a secret, and secrets are never in this file", self.label(name)),
                help(format!(
                    "write {{ env = \"{}\" }} or {{ file = \"…\" }}",
                    name.to_uppercase()
                )),
            );
            return None;
        }
        let Found { text, origin } = follow(cx, &self.label(name), value)?;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            cx.refuse(value.span(), format!("{}: {origin} is blank", self.label(name)), None);
            return None;
        }
        if trimmed.contains(char::is_control) {
            let message = format!("{}: {origin} has control characters", self.label(name));
            cx.refuse(value.span(), message, help("a secret is one line of text"));
            return None;
        }
        if trimmed.len() != text.len() {
            cx.warn(
                "config-blanks-trimmed",
                &self.subject,
                format!("`{name}`: {origin} has blanks or line ends around it; they are left out"),
            );
        }
        Some(SecretString::from(trimmed))
    }
}

/// The text that a reference leads to; never blank.
pub(crate) fn resolve(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Option<String> {
    let Found { text, origin } = follow(cx, what, value)?;
    if reaper_model::tags::trim_blanks(&text).is_empty() {
        cx.refuse(
            value.span(),
            format!("{what}: {origin} is blank"),
            help("a blank would match nothing or everything"),
        );
        return None;
    }
    Some(text)
}

fn follow(cx: &mut Context<'_>, what: &str, value: Value<'_>) -> Option<Found> {
    let one = value.get_ref().as_table().filter(|table| table.len() == 1);
    let entry = one.and_then(|table| table.iter().next());
    let Some((kind @ ("env" | "file"), DeValue::String(target))) =
        entry.map(|(key, target)| (&**key.get_ref(), target.get_ref()))
    else {
        cx.conceal(conceal::texts(value));
        cx.refuse(
            value.span(),
            format!("{what} is not a reference"),
            help("write { env = \"NAME\" } or { file = \"PATH\" }"),
        );
        return None;
    };
    let target = target.trim();
    if kind == "file" {
        return read_file(cx, what, value, target);
    }
    if !is_variable_name(target) {
        // Somebody may have put the secret itself here.
        cx.conceal([value.span()]);
        cx.refuse(
            value.span(),
            format!("{what}: `env` is not the name of an environment variable"),
            help("letters, digits and _, such as { env = \"SCW_SECRET_KEY\" }"),
        );
        return None;
    }
    let Some(text) = (cx.env.lookup)(target) else {
        let message = if looks_like_a_variable(target) {
            format!("{what}: the environment variable `{target}` is not set")
        } else {
            // Unusual for a name, usual for a key: not quoted.
            cx.conceal([value.span()]);
            format!("{what}: the environment variable named here is not set")
        };
        cx.refuse(value.span(), message, None);
        return None;
    };
    Some(Found { text, origin: format!("the environment variable `{target}`") })
}

/// Names of variables are in capitals; what is not may be the secret itself.
fn looks_like_a_variable(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase()) && name.len() <= 64
}

fn read_file(cx: &mut Context<'_>, what: &str, value: Value<'_>, target: &str) -> Option<Found> {
    let path = cx.base_dir.join(target);
    match std::fs::read_to_string(&path) {
        Ok(mut text) => {
            // Every editor ends a file with a line end: not worth a warning.
            if text.ends_with('\n') {
                text.pop();
            }
            if text.ends_with('\r') {
                text.pop();
            }
            Some(Found { text, origin: format!("the file `{}`", path.display()) })
        }
        Err(error) => {
            cx.refuse(
                value.span(),
                format!("{what}: the file `{}` cannot be read: {error}", path.display()),
                help("a relative path is relative to this configuration file"),
            );
            None
        }
    }
}

fn is_variable_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
