//! The link to the CI run, from variables that anybody who starts a run may have set.

use url::Url;

use crate::environment::Environment;

/// The page of this run at GitHub or GitLab. Only a plain https address is one.
pub(crate) fn run_link(environment: &Environment) -> Option<Url> {
    let ci = &environment.ci;
    match &ci.github {
        [Some(server), Some(repository), Some(run)] => github(server, repository, run),
        _ => ci.job.as_deref().and_then(https),
    }
}

fn github(server: &str, repository: &str, run: &str) -> Option<Url> {
    let plain = |text: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        !text.is_empty() && text != "." && text != ".." && text.chars().all(allowed)
    };
    let (owner, name) = repository.split_once('/')?;
    let number = !run.is_empty() && run.chars().all(|c| c.is_ascii_digit());
    if !(plain(owner) && plain(name) && number) {
        return None;
    }
    let server = https(server)?;
    https(&format!("{}/{owner}/{name}/actions/runs/{run}", server.as_str().trim_end_matches('/')))
}

/// An address that a reader may follow: no login in it, and nothing hidden behind it.
fn https(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = url.scheme() == "https"
        && url.host_str().is_some_and(|host| !host.is_empty())
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    plain.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::CiVariables;

    fn link(ci: CiVariables) -> Option<String> {
        let environment = Environment { ci, ..Environment::none() };
        run_link(&environment).map(String::from)
    }

    fn of_github(parts: [&str; 3]) -> Option<String> {
        link(CiVariables { github: parts.map(|part| Some(part.to_owned())), ..Default::default() })
    }

    fn of_gitlab(job: &str) -> Option<String> {
        link(CiVariables { job: Some(job.to_owned()), ..Default::default() })
    }

    #[test]
    fn a_run_is_linked_where_its_runner_says_where_it_is() {
        assert_eq!(
            of_github(["https://github.example", "acme/gpu.guard", "17"]).as_deref(),
            Some("https://github.example/acme/gpu.guard/actions/runs/17")
        );
        let job = "https://gitlab.example/acme/guard/-/jobs/4711";
        assert_eq!(of_gitlab(job).as_deref(), Some(job));
        assert_eq!(link(CiVariables::default()), None);
    }

    #[test]
    fn fl_133_a_link_is_a_plain_https_address_or_none() {
        for parts in [
            ["http://github.example", "acme/guard", "17"],
            ["javascript:alert(1)", "acme/guard", "17"],
            ["https://user:pass@github.example", "acme/guard", "17"],
            ["https://github.example/?a=", "acme/guard", "17"],
            ["https://github.example", "acme", "17"],
            ["https://github.example", "acme/../17", "17"],
            ["https://github.example", "acme/..", "17"],
            ["https://github.example", "acme/guard\"><b>", "17"],
            ["https://github.example", "acme/guard", "17/../18"],
            ["https://github.example", "acme/guard", ""],
        ] {
            assert_eq!(of_github(parts), None, "{parts:?}");
        }
        for job in ["http://gitlab.example/j", "ftp://gitlab.example/j", "gitlab.example/j", ""] {
            assert_eq!(of_gitlab(job), None, "{job}");
        }
    }
}
