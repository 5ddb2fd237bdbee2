//! Every environment variable that `reaper` itself reads, in one place. The clouds' own variables
//! (`AWS_*` and the like) are read by their SDKs or handed to their adapters from here.

use std::path::PathBuf;

/// Variables of `reaper` with what they do, for the man page.
pub(crate) const VARIABLES: [(&str, &str); 8] = [
    ("REAPER_CONFIG", "configuration file, as --config"),
    ("REAPER_NOW", "clock of the run, as --now"),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether tables are coloured, unless --color says it"),
    ("COLUMNS", "width of tables where the output is no terminal; default 120"),
    ("HOME, XDG_CONFIG_HOME", "where the user's configuration folder is"),
    (
        "GITHUB_ACTOR, GITLAB_USER_LOGIN, USER, LOGNAME",
        "who `keep` and `unkeep` say it was, in this order",
    ),
    ("HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "proxies, honoured by every provider"),
    ("SSL_CERT_FILE", "PEM file with certificate authorities to trust, besides tls.ca_bundle"),
];

/// What the environment says.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub(crate) home: Option<PathBuf>,
    pub(crate) config_home: Option<PathBuf>,
    pub(crate) columns: Option<usize>,
    pub(crate) ca_bundle: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
    pub(crate) now: Option<String>,
    /// Who runs this.
    pub(crate) user: Option<String>,
}

impl Environment {
    pub(crate) fn read() -> Self {
        let path = |name: &str| variable(name).filter(|text| !text.is_empty()).map(PathBuf::from);
        let home = path("HOME").or_else(|| path("USERPROFILE"));
        let config_home =
            path("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self {
            config_home,
            columns: variable("COLUMNS").and_then(|text| text.parse().ok()),
            ca_bundle: path("SSL_CERT_FILE"),
            config: path("REAPER_CONFIG"),
            now: variable("REAPER_NOW").filter(|text| !text.is_empty()),
            user: ["GITHUB_ACTOR", "GITLAB_USER_LOGIN", "USER", "LOGNAME"]
                .into_iter()
                .find_map(|name| variable(name).filter(|text| !text.trim().is_empty())),
            home,
        }
    }
}

/// The value of a variable that a configuration or a provider names.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
