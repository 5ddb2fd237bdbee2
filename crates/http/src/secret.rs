//! Cleaning of credentials as people paste them, and keeping them out of texts.

use std::borrow::Cow;

use reaper_provider::{AccountSettings, OpenError};
use secrecy::{ExposeSecret, SecretString};

/// What stands in a text where a secret stood.
const MASK: &str = "[secret]";
/// Shorter values are no secrets worth the name, and would mask half of every text.
const SHORTEST: usize = 5;

/// A credential of the account, or `None` where none is given. Blanks and line ends around it are
/// cut off with a warning; a value that is empty then, or that no header can carry, is refused by
/// name. The value itself is in no text.
pub fn credential(
    settings: &AccountSettings,
    key: &str,
) -> Result<Option<SecretString>, OpenError> {
    let Some(given) = settings.credentials.get(key) else { return Ok(None) };
    let text = given.expose_secret();
    let trimmed =
        text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
    let refused = |problem: &str| OpenError {
        account: settings.name.to_string(),
        problem: format!("credentials.{key} {problem}"),
    };
    if trimmed.is_empty() {
        return Err(refused("is empty"));
    }
    if !trimmed.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refused("holds blanks, line ends or other characters that no key has inside"));
    }
    if trimmed.len() == text.len() {
        return Ok(Some(given.clone()));
    }
    tracing::warn!(
        account = %settings.name,
        "credentials.{key} had blanks or a line end around it; they were cut off"
    );
    Ok(Some(SecretString::from(trimmed)))
}

/// The text with every secret masked.
pub(crate) fn scrub<'a>(text: &'a str, secrets: &[SecretString]) -> Cow<'a, str> {
    let mut clean = Cow::Borrowed(text);
    for secret in secrets.iter().map(ExposeSecret::expose_secret) {
        if secret.len() >= SHORTEST && clean.contains(secret) {
            clean = Cow::Owned(clean.replace(secret, MASK));
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(value: &str) -> AccountSettings {
        let mut settings = AccountSettings::named("a");
        settings.credentials.insert("api_key".into(), SecretString::from(value));
        settings
    }

    #[test]
    fn fl_082_line_ends_around_a_key_are_cut_off() {
        for value in ["canary-key\n", "canary-key\r\n", " canary-key ", "\u{feff}canary-key\t"] {
            let key = credential(&settings(value), "api_key").expect("clean").expect("given");
            assert_eq!(key.expose_secret(), "canary-key");
        }
    }

    #[test]
    fn fl_082_a_key_that_cannot_be_one_is_refused_by_name_alone() {
        for value in ["", " \n", "canary\nkey", "canary key", "canäry"] {
            let error = credential(&settings(value), "api_key").expect_err("unusable");
            assert!(error.problem.starts_with("credentials.api_key "), "{error}");
            assert!(!error.to_string().contains("can"), "{error}");
        }
        assert!(credential(&settings("x"), "other").expect("fine").is_none());
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let secrets = [SecretString::from("canary"), SecretString::from("abcd")];
        assert_eq!(scrub("a canary, canary abcd", &secrets), "a [secret], [secret] abcd");
        assert!(matches!(scrub("nothing", &secrets), Cow::Borrowed(_)));
    }
}
