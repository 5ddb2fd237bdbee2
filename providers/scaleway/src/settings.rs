//! What an account must say before anything is sent.

use reaper_http::secret;
use reaper_provider::{AccountSettings, OpenError};
use secrecy::{ExposeSecret, SecretString};

/// A page of `ListServers` holds no more.
const LARGEST_PAGE: u32 = 100;

/// An account's settings, checked.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The API key's secret half.
    pub(crate) secret_key: SecretString,
    /// Its public half, which IAM knows it by. Not a secret.
    pub(crate) access_key: Option<String>,
    /// Only these projects; empty for all that the key sees.
    pub(crate) projects: Vec<String>,
    /// The project of Scaleway's own tools: no filter, but it tells the organisation.
    pub(crate) default_project: Option<String>,
    /// A token of Cockpit, where one is given.
    pub(crate) cockpit_token: Option<SecretString>,
    /// Servers per page.
    pub(crate) page_size: u32,
}

impl Settings {
    /// Checks the settings of one account.
    pub(crate) fn read(settings: &AccountSettings) -> Result<Self, OpenError> {
        let refused = |problem: String| OpenError { account: settings.name.to_string(), problem };
        let secret_key = secret::credential(settings, "secret_key")?.ok_or_else(|| {
            refused(
                "there is no secret key: give credentials.secret_key, or SCW_SECRET_KEY, or a \
                 profile in Scaleway's config.yaml (SCW_CONFIG_PATH, ~/.config/scw/config.yaml)"
                    .to_owned(),
            )
        })?;
        let projects = settings.lists.get("project_ids").cloned().unwrap_or_default();
        if let Some(name) = projects.iter().find(|project| !is_uuid(project)) {
            return Err(refused(format!(
                "project_ids: `{name}` is not an id, and a name would match nothing: write the \
                 project's UUID, which `scw account project list` shows"
            )));
        }
        let access_key = secret::credential(settings, "access_key")?;
        let access_key = access_key.map(|key| key.expose_secret().to_owned());
        if access_key.as_deref().is_some_and(|key| !is_access_key(key)) {
            // Not quoted: it may be a secret key in the wrong place.
            return Err(refused(
                "credentials.access_key is no access key: that is SCW and 17 capital letters and \
                 digits"
                    .to_owned(),
            ));
        }
        Ok(Self {
            secret_key,
            access_key,
            projects,
            default_project: settings.option("default_project_id").map(str::to_owned),
            cockpit_token: secret::credential(settings, "cockpit_token")?,
            page_size: settings.limits.page_size.unwrap_or(LARGEST_PAGE).clamp(1, LARGEST_PAGE),
        })
    }
}

fn is_access_key(text: &str) -> bool {
    text.strip_prefix("SCW").is_some_and(|rest| {
        rest.len() == 17 && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    })
}

/// Whether the text is a UUID in its usual form.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account() -> AccountSettings {
        let mut account = AccountSettings::named("poc");
        account.credentials.insert("secret_key".into(), SecretString::from("canary-key"));
        account
    }

    #[test]
    fn fl_018_a_project_given_by_name_is_refused_with_a_hint() {
        let mut account = account();
        let id = "11111111-1111-4111-8111-000000000001";
        account.lists.insert("project_ids".into(), vec![id.into()]);
        assert_eq!(Settings::read(&account).expect("an id").projects, [id]);
        account.lists.insert("project_ids".into(), vec![id.into(), "atlas".into()]);
        let error = Settings::read(&account).expect_err("a name");
        assert!(error.to_string().contains("`atlas` is not an id"), "{error}");
    }

    #[test]
    fn fl_084_without_a_key_the_account_cannot_be_opened() {
        let error = Settings::read(&AccountSettings::named("poc")).expect_err("no key");
        assert!(error.to_string().contains("SCW_SECRET_KEY"), "{error}");
    }

    #[test]
    fn fl_082_no_part_of_the_key_is_in_any_text() {
        let settings = Settings::read(&account()).expect("complete");
        assert!(!format!("{settings:?}").contains("canary"));
        let mut account = account();
        account.credentials.insert("secret_key".into(), SecretString::from("canary\nkey"));
        let error = Settings::read(&account).expect_err("a line end inside");
        assert!(!error.to_string().contains("can"), "{error}");
    }

    #[test]
    fn what_is_no_access_key_is_refused_and_not_quoted() {
        let mut account = account();
        let with = |account: &mut AccountSettings, key: &str| {
            account.credentials.insert("access_key".into(), SecretString::from(key));
            Settings::read(account)
        };
        let read = with(&mut account, "SCW0123456789ABCDEFG\n").expect("an access key");
        assert_eq!(read.access_key.as_deref(), Some("SCW0123456789ABCDEFG"));
        let error = with(&mut account, "canary-in-the-wrong-place").expect_err("no access key");
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn pages_are_never_larger_than_scaleway_allows() {
        let mut account = account();
        assert_eq!(Settings::read(&account).expect("complete").page_size, 100);
        account.limits.page_size = Some(500);
        assert_eq!(Settings::read(&account).expect("complete").page_size, 100);
        account.limits.page_size = Some(40);
        assert_eq!(Settings::read(&account).expect("complete").page_size, 40);
    }
}
