//! The jobs that run this in CI, as `config/ci` has them: their files, where these belong, and what
//! is left to fill in.

use clap::ValueEnum;

/// For what `reaper init --ci` writes a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kit {
    /// A GitHub workflow.
    Github,
    /// A GitLab pipeline.
    Gitlab,
    /// A Kubernetes `CronJob`.
    Kubernetes,
    /// A systemd service with its timer.
    Systemd,
}

/// A file: where it belongs below the folder that is written to, and its text.
pub(crate) type KitFile = (&'static str, &'static str);

impl Kit {
    pub(crate) const fn files(self) -> &'static [KitFile] {
        match self {
            Self::Github => &[(
                ".github/workflows/reaper.yml",
                include_str!("../../../../config/ci/github/reaper.yml"),
            )],
            Self::Gitlab => {
                &[(".gitlab-ci.yml", include_str!("../../../../config/ci/gitlab/.gitlab-ci.yml"))]
            }
            Self::Kubernetes => &[(
                "reaper-cronjob.yml",
                include_str!("../../../../config/ci/kubernetes/cronjob.yml"),
            )],
            Self::Systemd => &[
                ("reaper.service", include_str!("../../../../config/ci/systemd/reaper.service")),
                ("reaper.timer", include_str!("../../../../config/ci/systemd/reaper.timer")),
            ],
        }
    }

    /// What is left to do, a step a line. The heads of the files say it at length.
    pub(crate) const fn next(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[
                "put reaper.toml beside .github, with the state in a bucket ([state] url)",
                "set the variables REAPER_URL and REAPER_SHA256, with AWS also AWS_ROLE and AWS_REGION",
                "set the secrets that reaper.toml and the providers need",
                "commit, and start the workflow \"reaper\" once by hand; it stops nothing until \
                 REAPER_MODE says so",
            ],
            Self::Gitlab => &[
                "put reaper.toml beside it, with the state in a bucket ([state] url)",
                "set the CI/CD variables REAPER_URL and REAPER_SHA256, with AWS also AWS_ROLE_ARN and \
                 AWS_REGION, and those that reaper.toml and the providers need",
                "commit, make a pipeline schedule and start it once by hand; it stops nothing until \
                 REAPER_MODE says so",
            ],
            Self::Kubernetes => &[
                "fill in the image and reaper.toml in it, with the state in a bucket ([state] url)",
                "put the secrets into a Secret named reaper, in the namespace reaper",
                "kubectl --namespace reaper apply --filename reaper-cronjob.yml",
            ],
            Self::Systemd => &[
                "put the binary to /usr/local/bin/reaper and the configuration to \
                 /etc/reaper/reaper.toml, with [state] url = \"file:/var/lib/reaper/state\"",
                "put the providers' variables into /etc/reaper/environment and the password of the \
                 mail server into /etc/reaper/smtp-password, both of root alone",
                "put both files into /etc/systemd/system (or write them there: --output \
                 /etc/systemd/system), then `systemctl enable --now reaper.timer`",
            ],
        }
    }
}
