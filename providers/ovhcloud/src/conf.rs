//! What OVHcloud's own tools would read: `OVH_*` variables, and `ovh.conf` in this folder, in the
//! home folder and in `/etc`, in this order, key by key. What the configuration says beats all.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use reaper_provider::{AccountSettings, OpenError};
use secrecy::SecretString;

use crate::endpoint::DEFAULT;
use crate::login::WAYS;

/// The variable with the project, as OVHcloud's Terraform provider and command line read it.
const PROJECT: &str = "OVH_CLOUD_PROJECT_SERVICE";
/// The section that names the endpoint; the credentials stand in a section of the endpoint's name.
const DEFAULT_SECTION: &str = "default";

/// Fills what the settings leave open. `env` gives variables, `read_file` reads files; neither is
/// asked for what the settings hold already. Credentials of the settings are completed only by
/// others of their own way to log in.
///
/// # Errors
/// A value that cannot be a credential, named by its variable or file and never quoted.
pub fn fill(
    mut settings: AccountSettings,
    env: &dyn Fn(&str) -> Option<String>,
    read_file: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Result<AccountSettings, OpenError> {
    let given = |key: &&str| settings.credentials.contains_key(*key);
    let mut wanted: Vec<&str> = match WAYS.iter().find(|way| way.iter().any(given)) {
        Some(way) => way.to_vec(),
        None => WAYS.concat(),
    };
    wanted.retain(|key| !given(key));
    let sources = Sources { env, files: read_files(env, read_file), settings: &settings };

    let endpoint = sources.endpoint();
    let section = endpoint.clone().unwrap_or_else(|| DEFAULT.to_owned());
    let project = sources.option("project", PROJECT, &section);
    let mut found = Vec::new();
    for key in wanted {
        let variable = format!("OVH_{}", key.to_ascii_uppercase());
        if let Some((value, origin)) = sources.value(key, &variable, &section) {
            found.push((key.to_owned(), sources.credential(&value, &origin)?));
        }
    }
    settings.options.extend(endpoint.map(|value| ("endpoint".to_owned(), value)));
    settings.options.extend(project.map(|value| ("project".to_owned(), value)));
    settings.credentials.extend(found);
    Ok(settings)
}

/// The endpoint that [`fill`] would find. Files are read only where the settings leave it open.
pub(crate) fn endpoint(
    settings: &AccountSettings,
    env: &dyn Fn(&str) -> Option<String>,
    read_file: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Option<String> {
    let own = settings.option("endpoint").map(str::to_owned);
    own.or_else(|| Sources { env, files: read_files(env, read_file), settings }.endpoint())
}

struct Sources<'a> {
    env: &'a dyn Fn(&str) -> Option<String>,
    files: Vec<ConfFile>,
    settings: &'a AccountSettings,
}

impl Sources<'_> {
    fn endpoint(&self) -> Option<String> {
        self.option("endpoint", "OVH_ENDPOINT", DEFAULT_SECTION)
    }

    /// A setting that is no secret: the configuration's own, else a variable's, else a file's.
    fn option(&self, key: &str, variable: &str, section: &str) -> Option<String> {
        let own = self.settings.option(key).map(str::to_owned);
        own.or_else(|| Some(self.value(key, variable, section)?.0.trim().to_owned()))
    }

    /// A value that is not empty, and where it comes from.
    fn value(&self, key: &str, variable: &str, section: &str) -> Option<(String, String)> {
        let filled = |value: &String| !value.trim().is_empty();
        if let Some(value) = (self.env)(variable).filter(filled) {
            return Some((value, variable.to_owned()));
        }
        self.files.iter().find_map(|file| {
            let value = file.sections.get(section)?.get(key).filter(|value| filled(value))?;
            Some((value.clone(), format!("{key} in {}", file.path.display())))
        })
    }

    /// A credential as people paste it: blanks around it are cut off with a warning.
    fn credential(&self, value: &str, origin: &str) -> Result<SecretString, OpenError> {
        let account = &self.settings.name;
        let clean = value.trim_matches(|c: char| c.is_whitespace() || c.is_control());
        if !clean.bytes().all(|byte| byte.is_ascii_graphic()) {
            let problem =
                format!("{origin} holds blanks or other characters that no key has inside");
            return Err(OpenError { account: account.to_string(), problem });
        }
        if clean.len() < value.len() {
            tracing::warn!(%account, "{origin} had blanks or a line end around it; they were cut off");
        }
        Ok(SecretString::from(clean))
    }
}

struct ConfFile {
    path: PathBuf,
    sections: BTreeMap<String, BTreeMap<String, String>>,
}

/// The files that exist, the most telling first. One that cannot be read is pointed out and stepped
/// over, as OVHcloud's tools do: the variables may be enough.
fn read_files(
    env: &dyn Fn(&str) -> Option<String>,
    read_file: &dyn Fn(&Path) -> std::io::Result<String>,
) -> Vec<ConfFile> {
    let home = env("HOME").filter(|home| !home.is_empty());
    let paths = [
        Some(PathBuf::from("ovh.conf")),
        home.map(|home| Path::new(&home).join(".ovh.conf")),
        Some(PathBuf::from("/etc/ovh.conf")),
    ];
    paths
        .into_iter()
        .flatten()
        .filter_map(|path| match read_file(&path) {
            Ok(text) => Some(ConfFile { sections: sections(&text), path }),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!("{} cannot be read: {error}", path.display());
                None
            }
        })
        .collect()
}

/// `[section]`, `key = value` or `key: value`, comments on lines of their own.
fn sections(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
        } else if let Some((key, value)) = line.split_once(['=', ':']) {
            let key = key.trim().to_ascii_lowercase();
            sections.entry(section.clone()).or_default().insert(key, value.trim().to_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    const HOME_FILE: &str = "; mine\n[default]\nendpoint = ovh-ca\n\n[ovh-eu]\napplication_key=eu\n\
                             [ovh-ca]\nApplication_Key: home-key\nconsumer_key=home-consumer\n";
    const ETC_FILE: &str = "[ovh-ca]\napplication_key=etc-key\napplication_secret=etc-secret\n";

    fn filled(
        settings: AccountSettings,
        env: &[(&str, &str)],
    ) -> Result<AccountSettings, OpenError> {
        let env = |name: &str| {
            let found = env.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
            found.or((name == "HOME").then_some("/home/a")).map(str::to_owned)
        };
        fill(settings, &env, &|path| match path.to_str() {
            Some("/home/a/.ovh.conf") => Ok(HOME_FILE.to_owned()),
            Some("/etc/ovh.conf") => Ok(ETC_FILE.to_owned()),
            _ => Err(ErrorKind::NotFound.into()),
        })
    }

    fn credentials(settings: &AccountSettings) -> Vec<(&str, &str)> {
        let all = settings.credentials.iter();
        all.map(|(key, value)| (key.as_str(), value.expose_secret())).collect()
    }

    #[test]
    fn files_complete_each_other_and_variables_beat_them() {
        let settings = filled(AccountSettings::named("lab"), &[]).expect("clean");
        assert_eq!(settings.option("endpoint"), Some("ovh-ca"));
        assert_eq!(
            credentials(&settings),
            [
                ("application_key", "home-key"),
                ("application_secret", "etc-secret"),
                ("consumer_key", "home-consumer")
            ]
        );
        let env = [
            ("OVH_ENDPOINT", "ovh-eu"),
            ("OVH_APPLICATION_SECRET", "env-secret"),
            ("OVH_CONSUMER_KEY", ""),
            (PROJECT, "0123"),
        ];
        let settings = filled(AccountSettings::named("lab"), &env).expect("clean");
        assert_eq!(
            credentials(&settings),
            [("application_key", "eu"), ("application_secret", "env-secret")]
        );
        assert_eq!(settings.option("project"), Some("0123"));
    }

    #[test]
    fn the_configuration_beats_all_and_keeps_to_its_way_to_log_in() {
        let mut settings = AccountSettings::named("lab");
        settings.options.insert("endpoint".to_owned(), "ovh-ca".to_owned());
        settings.credentials.insert("client_id".to_owned(), SecretString::from("mine"));
        let env = [("OVH_ENDPOINT", "ovh-eu"), ("OVH_CLIENT_SECRET", "s"), ("OVH_CLIENT_ID", "x")];
        let settings = filled(settings, &env).expect("clean");
        assert_eq!(settings.option("endpoint"), Some("ovh-ca"));
        assert_eq!(credentials(&settings), [("client_id", "mine"), ("client_secret", "s")]);
    }

    #[test]
    fn fl_082_a_pasted_line_end_is_cut_off_and_a_broken_key_refused_by_its_variable() {
        let env = [("OVH_ACCESS_TOKEN", "canary-7f3a\r\n")];
        let settings = filled(AccountSettings::named("lab"), &env).expect("clean");
        assert!(credentials(&settings).contains(&("access_token", "canary-7f3a")));
        let env = [("OVH_CONSUMER_KEY", "canary\n7f3a")];
        let error = filled(AccountSettings::named("lab"), &env).expect_err("two lines");
        assert!(error.problem.starts_with("OVH_CONSUMER_KEY "), "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn a_file_that_may_not_be_read_is_stepped_over() {
        let settings = fill(
            AccountSettings::named("lab"),
            &|name| (name == "OVH_ACCESS_TOKEN").then(|| "token-1".to_owned()),
            &|_| Err(ErrorKind::PermissionDenied.into()),
        );
        assert_eq!(credentials(&settings.expect("variables do")), [("access_token", "token-1")]);
    }
}
