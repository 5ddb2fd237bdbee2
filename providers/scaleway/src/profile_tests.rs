//! Tests of `profile`: precedence, profiles, and texts without secrets.

use std::collections::BTreeMap;

use secrecy::ExposeSecret;

use super::*;

const FILE: &str = r#"
# made by the command line client
access_key: SCWROOT0000000000000
secret_key: root-secret
default_project_id: 11111111-1111-4111-8111-000000000001
profiles:
  research:
    secret_key: "research-secret"
    api_url: http://127.0.0.1:1
  broken:
    secret_key: [1, 2]
"#;

/// Fills an account named `poc` with the given profile, variables and files.
fn filled(
    profile: Option<&str>,
    variables: &[(&str, &str)],
    files: &[(&str, &str)],
) -> Result<AccountSettings, OpenError> {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    let files: BTreeMap<&Path, &str> =
        files.iter().map(|(path, text)| (Path::new(*path), *text)).collect();
    let mut settings = AccountSettings::named("poc");
    if let Some(profile) = profile {
        settings.options.insert("profile".into(), profile.into());
    }
    fill(settings, &|name| variables.get(name).map(|value| (*value).to_owned()), &|path| {
        let text = files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok((*text).to_owned())
    })
}

fn secret(settings: &AccountSettings) -> Option<&str> {
    settings.credentials.get("secret_key").map(ExposeSecret::expose_secret)
}

const HOME: (&str, &str) = ("HOME", "/home/a");
const AT_HOME: (&str, &str) = ("/home/a/.config/scw/config.yaml", FILE);

#[test]
fn variables_beat_the_file_and_the_account_beats_both() {
    let both = filled(None, &[HOME, ("SCW_SECRET_KEY", "shell")], &[AT_HOME]).expect("fine");
    assert_eq!(secret(&both), Some("shell"));
    let legacy = filled(None, &[("SCALEWAY_TOKEN", "old")], &[]).expect("fine");
    assert_eq!(secret(&legacy), Some("old"));
    let mut own = AccountSettings::named("poc");
    own.credentials.insert("secret_key".into(), SecretString::from("own"));
    let own = fill(own, &|_| Some("shell".into()), &|_| Ok(FILE.into())).expect("fine");
    assert_eq!(secret(&own), Some("own"));
}

#[test]
fn the_file_is_found_where_the_tools_find_it() {
    let home = filled(None, &[HOME], &[AT_HOME]).expect("fine");
    assert_eq!(secret(&home), Some("root-secret"));
    let project = home.option("default_project_id");
    assert_eq!(project, Some("11111111-1111-4111-8111-000000000001"));
    let xdg = filled(
        None,
        &[HOME, ("XDG_CONFIG_HOME", "/x")],
        &[("/x/scw/config.yml", "secret_key: xdg"), AT_HOME],
    );
    assert_eq!(secret(&xdg.expect("fine")), Some("xdg"));
    let named = filled(None, &[HOME, ("SCW_CONFIG_PATH", "/gone")], &[AT_HOME]);
    assert!(named.expect_err("not there").problem.starts_with("/gone: "));
    assert_eq!(secret(&filled(None, &[HOME], &[]).expect("fine")), None);
}

#[test]
fn fl_078_a_profile_that_the_account_names_is_its_only_source() {
    let variables = [HOME, ("SCW_SECRET_KEY", "shell"), ("SCW_PROFILE", "broken")];
    let settings = filled(Some("research"), &variables, &[AT_HOME]).expect("fine");
    assert_eq!(secret(&settings), Some("research-secret"));
    // What a profile leaves out comes from the root of the file.
    let access_key = settings.credentials.get("access_key").map(ExposeSecret::expose_secret);
    assert_eq!(access_key, Some("SCWROOT0000000000000"));
    assert_eq!(settings.endpoint_url.as_deref(), Some("http://127.0.0.1:1"));
    let error = filled(Some("nobody"), &variables, &[AT_HOME]).expect_err("no such profile");
    assert!(error.problem.ends_with("there is no profile `nobody`"), "{error}");
    filled(Some("research"), &[HOME], &[]).expect_err("no file");
}

#[test]
fn the_variable_beats_the_active_profile() {
    let file = format!("active_profile: broken\n{FILE}");
    let files = [(AT_HOME.0, file.as_str())];
    let error = filled(None, &[HOME], &files).expect_err("the active one");
    assert!(error.problem.ends_with("`secret_key` is no text"), "{error}");
    let settings = filled(None, &[HOME, ("SCW_PROFILE", "research")], &files).expect("fine");
    assert_eq!(secret(&settings), Some("research-secret"));
}

#[test]
fn fl_016_the_tools_default_zone_narrows_nothing() {
    let variables = [("SCW_SECRET_KEY", "s"), ("SCW_DEFAULT_ZONE", "se-sto-1")];
    let settings = filled(None, &variables, &[]).expect("fine");
    assert!(settings.locations.is_empty());
    assert_eq!(settings.option("default_zone"), Some("se-sto-1"));
}

#[test]
fn fl_082_line_ends_are_cut_off_and_odd_keys_refused_by_the_variables_name() {
    let settings = filled(None, &[("SCW_SECRET_KEY", "canary\r\n")], &[]).expect("trimmed");
    assert_eq!(secret(&settings), Some("canary"));
    for odd in ["", " \n", "canary\nkey"] {
        let error = filled(None, &[("SCW_SECRET_KEY", odd)], &[]).expect_err("unusable");
        assert!(error.problem.starts_with("SCW_SECRET_KEY: "), "{error}");
        assert!(!error.problem.contains("can"), "{error}");
    }
}

#[test]
fn fl_082_a_broken_file_is_not_quoted() {
    let file = "secret_key: canary\n  profiles: {canary: [";
    let error = filled(None, &[HOME], &[(AT_HOME.0, file)]).expect_err("no YAML");
    assert!(error.problem.contains("is no readable YAML"), "{error}");
    assert!(!error.to_string().contains("canary"), "{error}");
}
