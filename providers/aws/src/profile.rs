//! The region of a profile, read as AWS's own tools read it, from files that the surroundings hold.
#![expect(deprecated, reason = "the names of another crate, which is not needed besides")]

use std::path::PathBuf;

use aws_config::meta::region::ProvideRegion;
use aws_config::profile::ProfileFileRegionProvider;
use aws_config::profile::profile_file::{ProfileFileKind, ProfileFiles};
use futures::FutureExt;
use reaper_provider::{AccountSettings, Surroundings};

/// Files with profiles: the variables that name them, and where they lie else.
const FILES: [(ProfileFileKind, &str, &str); 2] = [
    (ProfileFileKind::Config, "AWS_CONFIG_FILE", "~/.aws/config"),
    (ProfileFileKind::Credentials, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
];
/// The profile that counts where none is named.
const USUAL: &str = "default";

/// The region of the profile that the settings name, else of the one that the environment names. A
/// file that cannot be read names none: the search for credentials, which needs it, points it out.
pub(crate) fn region(
    settings: &AccountSettings,
    surroundings: &Surroundings<'_>,
) -> Option<String> {
    let variable = |name| (surroundings.variable)(name).filter(|text| !text.trim().is_empty());
    let home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
    let mut files = ProfileFiles::builder();
    let mut is_any = false;
    for (kind, name, usual) in FILES {
        let path = variable(name).unwrap_or_else(|| usual.to_owned());
        let path = match (path.strip_prefix("~/"), &home) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(path),
        };
        if let Ok(text) = (surroundings.read_file)(&path) {
            files = files.with_contents(kind, text);
            is_any = true;
        }
    }
    if !is_any {
        return None;
    }
    let own = settings.option("profile").map(str::to_owned);
    let name = own.or_else(|| variable("AWS_PROFILE")).unwrap_or_else(|| USUAL.to_owned());
    let profile =
        ProfileFileRegionProvider::builder().profile_files(files.build()).profile_name(name);
    // The texts are at hand, so that there is nothing to wait for.
    let region = profile.build().region().now_or_never()??;
    Some(region.as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::*;

    const CONFIG: &str = "[default]\nregion = eu-west-1\n[profile lab]\nsource_profile = base\n\
                          [profile base]\nregion = cn-north-1\n[profile bare]\noutput = json\n";

    /// With the files of the home folder, and one elsewhere.
    fn found(own: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        let mut settings = AccountSettings::named("research");
        settings.options.extend(own.map(|name| ("profile".to_owned(), name.to_owned())));
        let variable = |name: &str| {
            let set = variables.iter().find(|(known, _)| *known == name);
            set.map(|(_, text)| *text).or((name == "HOME").then_some("/home/a")).map(str::to_owned)
        };
        let read_file = |path: &Path| match path.to_str() {
            Some("/home/a/.aws/config") => Ok(CONFIG.to_owned()),
            Some("/home/a/.aws/credentials") => Ok("[keys]\nregion = eu-west-3\n".to_owned()),
            Some("/home/a/other") => Ok("[default]\nregion = us-west-2\n".to_owned()),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        region(&settings, &Surroundings { variable: &variable, read_file: &read_file })
    }

    #[test]
    fn the_settings_name_the_profile_before_the_environment_does() {
        for (own, variables, region) in [
            (None, &[][..], Some("eu-west-1")),
            (None, &[("AWS_PROFILE", "lab")], Some("cn-north-1")),
            (None, &[("AWS_PROFILE", " ")], Some("eu-west-1")),
            (Some("keys"), &[("AWS_PROFILE", "lab")], Some("eu-west-3")),
            (Some("bare"), &[], None),
            (Some("nosuch"), &[], None),
        ] {
            assert_eq!(found(own, variables).as_deref(), region, "{own:?} {variables:?}");
        }
    }

    #[test]
    fn a_variable_names_another_file_and_without_files_there_is_no_region() {
        for path in ["~/other", "/home/a/other"] {
            let region = found(None, &[("AWS_CONFIG_FILE", path)]);
            assert_eq!(region.as_deref(), Some("us-west-2"), "{path}");
        }
        assert_eq!(found(None, &[("HOME", "/home/b")]), None);
        assert_eq!(region(&AccountSettings::named("a"), &Surroundings::NONE), None);
    }
}
