//! What Scaleway's own tools would use: `SCW_*` variables and `config.yaml`, in their order.
//!
//! The account's own settings come first, then variables, then the file. A profile that the account
//! names is the only source of its key: one left in a shell must not win over it. The file is read
//! only while there is no key. Default zone and project of the tools never narrow what is listed.

use std::io;
use std::path::{Path, PathBuf};

use reaper_http::secret;
use reaper_provider::{AccountSettings, OpenError};
use saphyr::{LoadableYamlNode, Yaml};
use secrecy::SecretString;

/// Reads a variable of the environment.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;
/// Reads a file as text.
type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

/// Variables of the secret key, today's name first.
const SECRET_KEY: [&str; 3] = ["SCW_SECRET_KEY", "SCW_TOKEN", "SCALEWAY_TOKEN"];
/// Variables of the access key.
const ACCESS_KEY: [&str; 2] = ["SCW_ACCESS_KEY", "SCALEWAY_ACCESS_KEY"];

/// Fills what the account leaves open: `credentials.secret_key` and `access_key`, `endpoint_url`,
/// and the options `default_project_id` and `default_zone`.
///
/// # Errors
/// When a variable or file holds something that cannot be used, or a profile does not exist. The
/// text names the variable or file and never what it holds.
pub fn fill(
    mut settings: AccountSettings,
    env: Env<'_>,
    read_file: ReadFile<'_>,
) -> Result<AccountSettings, OpenError> {
    let named = settings.option("profile").map(str::to_owned);
    if named.is_none() {
        fill_from_variables(&mut settings, env)?;
    }
    if !settings.credentials.contains_key("secret_key") {
        let wanted = named.or_else(|| env("SCW_PROFILE").filter(|name| !name.is_empty()));
        fill_from_file(&mut settings, wanted.as_deref(), env, read_file)?;
    }
    if settings.endpoint_url.is_none() {
        settings.endpoint_url = env("SCW_API_URL").filter(|url| !url.trim().is_empty());
    }
    if env("SCW_INSECURE").is_some_and(|text| text == "true" || text == "1") {
        warn_insecure(&settings, "SCW_INSECURE");
    }
    Ok(settings)
}

fn fill_from_variables(settings: &mut AccountSettings, env: Env<'_>) -> Result<(), OpenError> {
    let first = |names: &[&'static str]| {
        names.iter().find_map(|&name| env(name).map(|value| (name, value)))
    };
    for (key, names) in [("secret_key", &SECRET_KEY[..]), ("access_key", &ACCESS_KEY[..])] {
        if let Some((name, value)) = first(names) {
            fill_credential(settings, key, name, value)?;
        }
    }
    for (key, name) in
        [("default_project_id", "SCW_DEFAULT_PROJECT_ID"), ("default_zone", "SCW_DEFAULT_ZONE")]
    {
        fill_option(settings, key, env(name));
    }
    Ok(())
}

fn fill_from_file(
    settings: &mut AccountSettings,
    wanted: Option<&str>,
    env: Env<'_>,
    read_file: ReadFile<'_>,
) -> Result<(), OpenError> {
    let account = settings.name.to_string();
    let refused = |problem: String| OpenError { account: account.clone(), problem };
    let Some((path, text)) = config_file(env, read_file).map_err(refused)? else {
        return match wanted {
            Some(name) => {
                Err(refused(format!("profile `{name}`: Scaleway's config.yaml was not found")))
            }
            None => Ok(()),
        };
    };
    let at = |problem: String| refused(format!("{}: {problem}", path.display()));
    // The parser's own words may quote the file.
    let documents = Yaml::load_from_str(&text)
        .map_err(|error| at(format!("line {} is no readable YAML", error.marker().line())))?;
    let Some(root) = documents.first() else { return Ok(()) };
    let profile = Profile::choose(root, wanted).map_err(at)?;
    for key in ["secret_key", "access_key"] {
        if let Some(value) = profile.text(key).map_err(at)? {
            fill_credential(settings, key, &path.display().to_string(), value)?;
        }
    }
    for key in ["default_project_id", "default_zone"] {
        let value = profile.text(key).map_err(at)?;
        fill_option(settings, key, value);
    }
    if settings.endpoint_url.is_none() && env("SCW_API_URL").is_none() {
        settings.endpoint_url = profile.text("api_url").map_err(at)?;
    }
    if profile.get("insecure").and_then(Yaml::as_bool) == Some(true) {
        warn_insecure(settings, &path.display().to_string());
    }
    Ok(())
}

/// Takes a credential unless there is one, cleaned, and refused in the name of where it came from.
fn fill_credential(
    settings: &mut AccountSettings,
    key: &str,
    from: &str,
    value: String,
) -> Result<(), OpenError> {
    if settings.credentials.contains_key(key) {
        return Ok(());
    }
    settings.credentials.insert(key.to_owned(), SecretString::from(value));
    let cleaned = secret::credential(settings, key)
        .map_err(|error| OpenError { problem: format!("{from}: {}", error.problem), ..error })?;
    if let Some(cleaned) = cleaned {
        settings.credentials.insert(key.to_owned(), cleaned);
    }
    Ok(())
}

fn fill_option(settings: &mut AccountSettings, key: &str, value: Option<String>) {
    if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
        settings.options.entry(key.to_owned()).or_insert_with(|| value.trim().to_owned());
    }
}

fn warn_insecure(settings: &AccountSettings, from: &str) {
    tracing::warn!(
        account = %settings.name,
        "{from} asks not to check certificates; they are checked all the same: give tls.ca_bundle"
    );
}

/// The file of Scaleway's tools with its text; `None` where there is none. A file that somebody
/// names must be there.
fn config_file(env: Env<'_>, read_file: ReadFile<'_>) -> Result<Option<(PathBuf, String)>, String> {
    let unreadable = |path: &Path, error: &io::Error| format!("{}: {error}", path.display());
    let variable = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable("SCW_CONFIG_PATH") {
        let text = read_file(&path).map_err(|error| unreadable(&path, &error))?;
        return Ok(Some((path, text)));
    }
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let Some(folder) = folder else { return Ok(None) };
    for name in ["config.yaml", "config.yml"] {
        let path = folder.join("scw").join(name);
        match read_file(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(&path, &error)),
        }
    }
    Ok(None)
}

/// A profile: its own keys laid over those at the root of the file.
struct Profile<'a> {
    root: &'a Yaml<'a>,
    over: Option<&'a Yaml<'a>>,
}

impl<'a> Profile<'a> {
    /// The profile that is asked for, else the active one, else the root alone.
    fn choose(root: &'a Yaml<'a>, wanted: Option<&str>) -> Result<Self, String> {
        let active = || root.as_mapping_get("active_profile").and_then(Yaml::as_str);
        let Some(name) = wanted.or_else(active) else { return Ok(Self { root, over: None }) };
        let profiles = root.as_mapping_get("profiles");
        match profiles.and_then(|profiles| profiles.as_mapping_get(name)) {
            Some(over) => Ok(Self { root, over: Some(over) }),
            None => Err(format!("there is no profile `{name}`")),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Yaml<'a>> {
        let own = self.over.and_then(|over| over.as_mapping_get(key));
        own.or_else(|| self.root.as_mapping_get(key)).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let Some(value) = self.get(key) else { return Ok(None) };
        value.as_str().map(|text| Some(text.to_owned())).ok_or(format!("`{key}` is no text"))
    }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
