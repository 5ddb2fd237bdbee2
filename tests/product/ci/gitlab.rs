//! The GitLab pipeline, run: its lines in one shell a job, variables and artifacts from job to job.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::hosted::check_out;
use super::release::Release;
use super::workflow::stage;
use super::yaml;
use crate::acting::Stage;
use crate::support::Ran;

/// The lines of a job as one script.
pub(super) fn script(pipeline: &Value, job: &str) -> String {
    let lines = |value: &Value| -> Vec<String> {
        let lines = value.as_array().expect("lines").iter();
        lines.map(|line| line.as_str().expect("text").to_owned()).collect()
    };
    let mut all = lines(&pipeline[".reaper"]["before_script"]);
    all.extend(lines(&pipeline[job]["script"]));
    all.join("\n")
}

/// Runners that share variables and artifacts.
struct Runners<'a> {
    release: &'a Release,
    pipeline: Value,
    variables: BTreeMap<String, String>,
    artifacts: BTreeMap<String, Vec<u8>>,
}

impl<'a> Runners<'a> {
    fn new(release: &'a Release) -> Self {
        let variables = BTreeMap::from([
            ("REAPER_URL".to_owned(), release.url.clone()),
            ("REAPER_SHA256".to_owned(), release.sha256.clone()),
        ]);
        let pipeline = yaml::document("gitlab/.gitlab-ci.yml");
        Self { release, pipeline, variables, artifacts: BTreeMap::new() }
    }

    fn job(&mut self, stage: &Stage, name: &str) -> Ran {
        let runner = TempDir::new().expect("a temporary folder");
        let workspace = runner.path().join("guard");
        std::fs::create_dir(&workspace).expect("a folder");
        check_out(stage, &workspace);
        for (file, bytes) in &self.artifacts {
            std::fs::write(workspace.join(file), bytes).expect("an artifact");
        }
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
            .arg(script(&self.pipeline, name))
            .current_dir(&workspace)
            .env_clear()
            .envs(stage.reaper.environment())
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", runner.path())
            .env("CI_PROJECT_DIR", &workspace)
            .env("CI_JOB_URL", "https://gitlab.example/acme/guard/-/jobs/4711")
            .env("CURL_CA_BUNDLE", self.release.certificate())
            .env("REAPER_NOW", stage.now().to_rfc3339())
            .envs(&self.variables)
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        self.keep(name, &workspace, output.status.success());
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Ran {
            code: output.status.code().expect("an exit code"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Artifacts, and the variables of a dotenv report.
    fn keep(&mut self, job: &str, workspace: &Path, succeeded: bool) {
        let artifacts = &self.pipeline[job]["artifacts"];
        if !(succeeded || artifacts["when"] == "always") {
            return;
        }
        let reports = &artifacts["reports"];
        let paths = artifacts["paths"].as_array().into_iter().flatten();
        for path in paths.chain([&reports["junit"]]).filter_map(Value::as_str) {
            if let Ok(bytes) = std::fs::read(workspace.join(path)) {
                self.artifacts.insert(path.to_owned(), bytes);
            }
        }
        let Some(path) = reports["dotenv"].as_str() else { return };
        let text = std::fs::read_to_string(workspace.join(path)).unwrap_or_default();
        for line in text.lines() {
            let (name, value) = line.split_once('=').expect("NAME=value");
            self.variables.insert(name.to_owned(), value.to_owned());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_in_a_pipeline_is_what_is_applied() {
    let (mut stage, release) = (stage("max_actions = 0").await, Release::serve());
    let mut runners = Runners::new(&release);
    runners.variables.insert("REAPER_MODE".to_owned(), "gate".to_owned());

    runners.job(&stage, "reaper-run").exits(0);
    assert_eq!(runners.variables["REAPER_DUE"], "0");
    assert!(runners.artifacts.contains_key("reaper.json"));
    stage.at("2026-12-01T20:30:00Z");
    runners.job(&stage, "reaper-run").exits(0);

    stage.at("2026-12-04T08:00:00Z");
    let ran = runners.job(&stage, "reaper-run").exits(0);
    assert!(ran.stdout.contains("i-0a1"), "the report is in the log: {}", ran.all());
    assert_eq!(runners.variables["REAPER_DUE"], "2");
    runners.job(&stage, "reaper-plan").exits(0);
    assert_eq!(stage.calls(), []);

    // Started in the evening, when the third is due as well.
    stage.at("2026-12-04T21:00:00Z");
    runners.job(&stage, "reaper-apply").exits(0);
    let calls: Vec<String> = stage.calls().iter().map(|call| format!("{call:?}")).collect();
    assert_eq!(calls.len(), 2, "{calls:#?}");
    assert!(!calls.concat().contains("i-0c3"), "{calls:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_shows_its_report_to_people_and_to_the_test_tab() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    let mut runners = Runners::new(&release);
    runners.job(&stage, "reaper-run").exits(0);
    let artifact = |name: &str| {
        let bytes = runners.artifacts.get(name).unwrap_or_else(|| panic!("no {name}"));
        String::from_utf8(bytes.clone()).expect("UTF-8")
    };
    assert!(artifact("reaper-junit.xml").contains("<testsuite"));
    assert!(artifact("reaper.html").starts_with("<!doctype html>"));
    assert!(artifact("reaper.json").contains("\"schema\": \"reaper.audit/1\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_with_a_wrong_mode_or_archive_ends() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    let mut runners = Runners::new(&release);
    runners.variables.insert("REAPER_MODE".to_owned(), "on".to_owned());
    runners.job(&stage, "reaper-run").exits(2);
    runners.variables.insert("REAPER_SHA256".to_owned(), "0".repeat(64));
    assert_ne!(runners.job(&stage, "reaper-run").code, 0);
}
