//! Which of OVHcloud's three ways to log in the settings name: application keys, a service
//! account, or a token. Mixed ways are refused, as OVHcloud's own tools do.

use reaper_http::secret;
use reaper_provider::{AccountSettings, OpenError};
use secrecy::SecretString;

/// Credentials of one way, complete.
#[derive(Debug)]
pub(crate) enum Login {
    /// Three keys that sign every request.
    Keys {
        /// The application's public half.
        application_key: SecretString,
        /// Its secret half.
        application_secret: SecretString,
        /// Who allowed the application to do what.
        consumer_key: SecretString,
    },
    /// OAuth2 client credentials.
    ServiceAccount {
        /// Its id.
        client_id: SecretString,
        /// Its secret.
        client_secret: SecretString,
    },
    /// A token that somebody else fetched.
    Token(SecretString),
}

/// The ways, and the credentials that each needs in full.
pub(crate) const WAYS: [&[&str]; 3] = [
    &["application_key", "application_secret", "consumer_key"],
    &["client_id", "client_secret"],
    &["access_token"],
];

impl Login {
    /// The way that the credentials name; never none at all.
    pub(crate) fn open(settings: &AccountSettings) -> Result<Self, OpenError> {
        let refused = |problem: String| OpenError { account: settings.name.to_string(), problem };
        let mut ways =
            WAYS.iter().filter(|way| way.iter().any(|key| settings.credentials.contains_key(*key)));
        let Some(way) = ways.next() else {
            return Err(refused(
                "no credentials: set OVH_APPLICATION_KEY, OVH_APPLICATION_SECRET and \
                 OVH_CONSUMER_KEY, or OVH_CLIENT_ID and OVH_CLIENT_SECRET, or write an ovh.conf"
                    .to_owned(),
            ));
        };
        if let Some(other) = ways.next() {
            return Err(refused(format!(
                "credentials of two ways to log in: `{}` and `{}`; give one of them",
                way.join("`, `"),
                other.join("`, `"),
            )));
        }
        let credential = |key: &str| {
            secret::credential(settings, key)?
                .ok_or_else(|| refused(format!("credentials.{key} is missing")))
        };
        Ok(match way {
            ["application_key", ..] => Self::Keys {
                application_key: credential("application_key")?,
                application_secret: credential("application_secret")?,
                consumer_key: credential("consumer_key")?,
            },
            ["client_id", ..] => Self::ServiceAccount {
                client_id: credential("client_id")?,
                client_secret: credential("client_secret")?,
            },
            _ => Self::Token(credential("access_token")?),
        })
    }

    /// In words for people, without any part of a key.
    pub(crate) const fn words(&self) -> &'static str {
        match self {
            Self::Keys { .. } => "application keys",
            Self::ServiceAccount { .. } => "a service account",
            Self::Token(_) => "an access token",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(keys: &[&str]) -> Result<Login, OpenError> {
        let mut settings = AccountSettings::named("lab");
        for key in keys {
            settings.credentials.insert((*key).to_owned(), SecretString::from("canary-7f3a"));
        }
        Login::open(&settings)
    }

    #[test]
    fn a_complete_way_is_taken_and_no_text_shows_it() {
        for (way, words) in
            WAYS.iter().zip(["application keys", "a service account", "an access token"])
        {
            let login = login(way).expect("complete");
            assert_eq!(login.words(), words);
            assert!(!format!("{login:?}").contains("canary"));
        }
    }

    #[test]
    fn fl_018_no_credentials_half_of_them_and_a_mixture_are_refused() {
        let none = login(&[]).expect_err("none");
        assert!(none.problem.contains("OVH_APPLICATION_KEY"), "{none}");
        let half = login(&["application_key", "application_secret"]).expect_err("half");
        assert_eq!(half.problem, "credentials.consumer_key is missing");
        let mixed = login(&["client_id", "access_token"]).expect_err("mixed");
        assert!(mixed.problem.contains("two ways"), "{mixed}");
    }
}
