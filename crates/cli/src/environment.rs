//! Every environment variable that `reaper` itself reads, in one place. The clouds' own variables
//! (`AWS_*` and the like) are read by their SDKs or handed to their adapters from here.

use std::path::PathBuf;

/// Variables of `reaper` with what they do, for the man page.
pub(crate) const VARIABLES: [(&str, &str); 13] = [
    ("REAPER_CONFIG", "configuration file, as --config"),
    ("REAPER_NOW", "clock of the run, as --now"),
    ("REAPER_STATE", "where `probe` writes samples, as its --state"),
    ("STATE_DIRECTORY", "folder in which `probe` keeps its history; systemd sets it"),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "whether tables are coloured, unless --color says it"),
    ("COLUMNS", "width of tables where the output is no terminal; default 120"),
    ("HOME, XDG_CONFIG_HOME", "where the user's configuration folder is"),
    (
        "GITHUB_ACTOR, GITLAB_USER_LOGIN, USER, LOGNAME",
        "who `keep` and `unkeep` say it was, in this order",
    ),
    ("HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "proxies, honoured by every provider"),
    ("SSL_CERT_FILE", "PEM file with certificate authorities to trust, besides tls.ca_bundle"),
    (
        "GITHUB_STEP_SUMMARY, GITHUB_OUTPUT",
        "files that get the job summary and the outputs of the step",
    ),
    (
        "GITHUB_ACTIONS",
        "`true` on a GitHub runner: annotations, and listings that cannot order the runner about",
    ),
    (
        "GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, CI_JOB_URL",
        "the link to the CI run that mails carry",
    ),
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
    /// Where a probe writes.
    pub(crate) state: Option<String>,
    /// The folder that systemd made for a probe.
    pub(crate) state_directory: Option<PathBuf>,
    /// Who runs this.
    pub(crate) user: Option<String>,
    /// What the CI runner says of itself.
    pub(crate) ci: CiVariables,
}

/// What a CI runner says of itself, as it stands in its variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct CiVariables {
    /// The file for the job summary.
    pub(crate) summary: Option<PathBuf>,
    /// The file for the step's outputs.
    pub(crate) outputs: Option<PathBuf>,
    /// Whether the runner reads what is printed for orders (GitHub's workflow commands).
    pub(crate) heeds_orders: bool,
    /// GitHub's server, repository and number of the run.
    pub(crate) github: [Option<String>; 3],
    /// GitLab's page of the job.
    pub(crate) job: Option<String>,
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
            state: variable("REAPER_STATE").filter(|text| !text.trim().is_empty()),
            state_directory: variable("STATE_DIRECTORY")
                .and_then(|folders| folders.split(':').next().map(PathBuf::from))
                .filter(|folder| !folder.as_os_str().is_empty()),
            user: ["GITHUB_ACTOR", "GITLAB_USER_LOGIN", "USER", "LOGNAME"]
                .into_iter()
                .find_map(|name| variable(name).filter(|text| !text.trim().is_empty())),
            home,
            ci: CiVariables {
                summary: path("GITHUB_STEP_SUMMARY"),
                outputs: path("GITHUB_OUTPUT"),
                heeds_orders: variable("GITHUB_ACTIONS").is_some_and(|text| text == "true"),
                github: ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(variable),
                job: variable("CI_JOB_URL"),
            },
        }
    }
}

/// The value of a variable that a configuration or a provider names.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
impl Environment {
    /// One in which nothing is set.
    pub(crate) fn none() -> Self {
        Self {
            home: None,
            config_home: None,
            columns: None,
            ca_bundle: None,
            config: None,
            now: None,
            state: None,
            state_directory: None,
            user: None,
            ci: CiVariables::default(),
        }
    }
}
