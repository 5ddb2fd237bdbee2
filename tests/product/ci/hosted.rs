//! A GitHub runner, as far as the kit needs one: a fresh folder for each job, steps in order until
//! one fails, their variables and files, and artifacts from job to job.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::expression::{Names, filled, holds};
use super::release::Release;
use crate::acting::Stage;

/// What a step that was run did.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) code: i32,
    #[expect(dead_code, reason = "shown where a test fails")]
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) summary: String,
    pub(super) outputs: Names,
}

/// Runners that share artifacts and settings.
pub(super) struct Hosted<'a> {
    release: &'a Release,
    /// `vars.…`, `secrets.…`, `needs.…`.
    pub(super) names: Names,
    /// Variables of an environment, seen by its jobs alone.
    pub(super) environments: BTreeMap<&'static str, Names>,
    /// Whether the configuration is there before the first step.
    pub(super) checked_out: bool,
    artifacts: BTreeMap<String, Vec<u8>>,
}

impl<'a> Hosted<'a> {
    pub(super) fn new(release: &'a Release) -> Self {
        let names = Names::from([
            ("vars.REAPER_URL".to_owned(), release.url.clone()),
            ("vars.REAPER_SHA256".to_owned(), release.sha256.clone()),
        ]);
        Self {
            release,
            names,
            environments: BTreeMap::new(),
            checked_out: false,
            artifacts: BTreeMap::new(),
        }
    }

    /// Sets a variable of the repository.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.names.insert(format!("vars.{name}"), value.to_owned());
    }

    /// Runs a job of a workflow; `None` where its condition does not hold.
    pub(super) fn job(&mut self, stage: &Stage, workflow: &Value, name: &str) -> Option<Vec<Step>> {
        let job = &workflow["jobs"][name];
        if job["if"].as_str().is_some_and(|condition| !holds(condition, &self.names)) {
            return None;
        }
        let mut names = self.names.clone();
        if let Some(environment) = job["environment"].as_str() {
            names.extend(self.environments.get(environment).cloned().unwrap_or_default());
        }
        let shell = workflow["defaults"]["run"]["shell"].as_str();
        assert_eq!(shell, Some("bash"));
        let steps = self.steps(stage, &job["steps"], &mut names);
        for (output, value) in job["outputs"].as_object().into_iter().flatten() {
            let value = filled(value.as_str().expect("text"), &names);
            self.names.insert(format!("needs.{name}.outputs.{output}"), value);
        }
        Some(steps)
    }

    /// Runs steps one after the other in a folder of their own.
    pub(super) fn steps(&mut self, stage: &Stage, steps: &Value, names: &mut Names) -> Vec<Step> {
        let runner = TempDir::new().expect("a temporary folder");
        let workspace = runner.path().join("work");
        let temp = runner.path().join("temp");
        for folder in [&workspace, &temp] {
            std::fs::create_dir(folder).expect("a folder");
        }
        if self.checked_out {
            check_out(stage, &workspace);
        }
        let mut path = vec!["/usr/bin".to_owned(), "/bin".to_owned()];
        let mut done = Vec::new();
        for step in steps.as_array().expect("steps") {
            if step["if"].as_str().is_some_and(|condition| !holds(condition, names)) {
                continue;
            }
            if let Some(action) = step["uses"].as_str() {
                self.action(stage, action, step, &workspace, names);
                continue;
            }
            let ran = self.script(stage, step, (&workspace, &temp), &mut path, names);
            let code = ran.code;
            if let Some(id) = step["id"].as_str() {
                for (name, value) in &ran.outputs {
                    names.insert(format!("steps.{id}.outputs.{name}"), value.clone());
                }
            }
            done.push(ran);
            if code != 0 {
                break;
            }
        }
        done
    }

    fn action(
        &mut self,
        stage: &Stage,
        action: &str,
        step: &Value,
        workspace: &Path,
        names: &Names,
    ) {
        let with = |key: &str| filled(step["with"][key].as_str().expect("text"), names);
        match action.split('@').next().expect("a name") {
            "actions/checkout" => check_out(stage, workspace),
            "actions/upload-artifact" => {
                let bytes = std::fs::read(workspace.join(with("path"))).expect("the artifact");
                self.artifacts.insert(with("name"), bytes);
            }
            "actions/download-artifact" => {
                let bytes = self.artifacts.get(&with("name")).expect("the artifact");
                std::fs::write(workspace.join("plan.json"), bytes).expect("a file");
            }
            other => panic!("{other} is not run here"),
        }
    }

    fn script(
        &self,
        stage: &Stage,
        step: &Value,
        (workspace, temp): (&Path, &Path),
        path: &mut Vec<String>,
        names: &Names,
    ) -> Step {
        let file = |name: &str| -> PathBuf {
            let file = temp.join(name);
            std::fs::write(&file, "").expect("a file");
            file
        };
        let (output, summary, paths) = (file("output"), file("summary"), file("path"));
        let script = file("script.sh");
        let text = step["run"].as_str().expect("a script");
        assert!(!text.contains("${{"), "what is filled in there is run: {text}");
        std::fs::write(&script, text).expect("a script");
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&script)
            .current_dir(workspace)
            .env_clear()
            .envs(stage.reaper.environment())
            .env("HOME", temp)
            .env("PATH", path.join(":"))
            .env("RUNNER_TEMP", temp)
            .env("CURL_CA_BUNDLE", self.release.certificate())
            .env("REAPER_NOW", stage.now().to_rfc3339())
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_PATH", &paths)
            .stdin(Stdio::null());
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let value = filled(value.as_str().expect("text"), names);
            // The keys are those of the stage, where the kit has none to give.
            if !(value.is_empty() && stage.reaper.environment().any(|(key, _)| key == name)) {
                command.env(name, value);
            }
        }
        let ran = command.output().expect("bash");
        let read = |file: &Path| std::fs::read_to_string(file).expect("UTF-8");
        let more = read(&paths);
        path.splice(0..0, more.lines().map(str::to_owned));
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Step {
            name: step["name"].as_str().expect("a name").to_owned(),
            code: ran.status.code().expect("an exit code"),
            stdout: text(ran.stdout),
            stderr: text(ran.stderr),
            summary: read(&summary),
            outputs: outputs(&read(&output)),
        }
    }
}

/// Every runner has the configuration from the repository, and nothing else.
pub(super) fn check_out(stage: &Stage, workspace: &Path) {
    let config = stage.reaper.path().join("reaper.toml");
    std::fs::copy(config, workspace.join("reaper.toml")).expect("a configuration");
}

/// The file of a step's outputs, as GitHub reads it.
pub(super) fn outputs(text: &str) -> Names {
    let mut outputs = Names::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some((name, word)) = line.split_once("<<") {
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
            outputs.insert(name.to_owned(), value.join("\n"));
        } else {
            let (name, value) = line.split_once('=').expect("NAME=value");
            outputs.insert(name.to_owned(), value.to_owned());
        }
    }
    outputs
}

/// The step of that name.
#[track_caller]
pub(super) fn step<'a>(steps: &'a [Step], name: &str) -> &'a Step {
    steps.iter().find(|step| step.name == name).unwrap_or_else(|| panic!("no {name}: {steps:#?}"))
}
