//! Every file of `config/ci` against the tools of those who read it: schemas of GitHub, GitLab and
//! Kubernetes, systemd itself, and linters for workflows, shell and Dockerfiles.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::yaml;
use crate::support::variable;

/// A tool that lies beside the tests' Python.
fn tool(name: &str) -> Command {
    let python = variable("REAPER_TEST_PYTHON");
    let mut command = Command::new(Path::new(&python).with_file_name(name));
    command.current_dir(yaml::folder());
    command
}

#[track_caller]
fn content(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(status.success(), "{command:?}: {said}");
    said
}

#[test]
fn the_kit_holds_to_the_schemas_of_its_readers() {
    for (schema, file) in [
        ("vendor.github-workflows", "github/reaper.yml"),
        ("custom.github-workflows-require-timeout", "github/reaper.yml"),
        ("vendor.github-actions", "github/action/action.yml"),
        ("vendor.gitlab-ci", "gitlab/.gitlab-ci.yml"),
    ] {
        content(tool("check-jsonschema").args(["--builtin-schema", schema, file]));
    }
    let said = content(tool("kubernetes-validate").args(["--strict", "kubernetes/cronjob.yml"]));
    assert_eq!(said.matches(" passed for resource ").count(), 3, "{said}");
}

#[test]
fn workflow_and_action_give_nobody_a_hold() {
    let files = ["github/reaper.yml", "github/action/action.yml"];
    let said = content(
        tool("zizmor").args(["--offline", "--no-progress", "--persona", "pedantic"]).args(files),
    );
    assert!(said.contains("No findings to report"), "{said}");
}

#[test]
fn every_action_is_pinned_to_a_commit() {
    let text = ["github/reaper.yml", "github/action/action.yml"].map(yaml::text).concat();
    let uses: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("uses: ")).collect();
    assert!(uses.len() >= 6, "{uses:?}");
    for line in uses {
        let (pin, version) = line.split_once(" # v").expect("a version beside the commit");
        let (_, commit) = pin.split_once('@').expect("a commit");
        assert!(commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{line}");
        assert!(version.split('.').count() == 3, "{line}");
    }
}

/// Every script of the kit with its name.
fn scripts() -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    let mut steps = |name: &str, steps: &Value| {
        for step in steps.as_array().expect("steps") {
            if let Some(script) = step["run"].as_str() {
                scripts.push((format!("{name}: {}", step["name"]), script.to_owned()));
            }
        }
    };
    let workflow = yaml::document("github/reaper.yml");
    for (name, job) in workflow["jobs"].as_object().expect("jobs") {
        steps(name, &job["steps"]);
    }
    steps("action", &yaml::document("github/action/action.yml")["runs"]["steps"]);
    let pipeline = yaml::document("gitlab/.gitlab-ci.yml");
    for job in ["reaper-run", "reaper-plan", "reaper-apply"] {
        scripts.push((job.to_owned(), super::gitlab::script(&pipeline, job)));
    }
    scripts
}

#[test]
fn scripts_are_clean_shell() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scripts = scripts();
    assert!(scripts.len() >= 9, "{scripts:?}");
    for (name, script) in scripts {
        let file = folder.path().join("script.sh");
        std::fs::write(&file, &script).expect("a file");
        let said =
            tool("shellcheck").args(["--shell", "bash", "--severity", "style"]).arg(&file).output();
        let said = said.expect("shellcheck");
        assert!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stdout));
        assert!(!script.contains("${{"), "{name}: what is filled in there is run: {script}");
    }
}

#[test]
fn systemd_takes_both_units() {
    // A binary that exists stands in for the one that is installed.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let service = yaml::text("systemd/reaper.service");
    let unit = folder.path().join("reaper.service");
    let there = service.replace("/usr/local/bin/reaper", &variable("REAPER_BIN"));
    std::fs::write(&unit, there).expect("a unit");
    let timer = folder.path().join("reaper.timer");
    std::fs::write(&timer, yaml::text("systemd/reaper.timer")).expect("a unit");
    let said = content(Command::new("systemd-analyze").arg("verify").args([&unit, &timer]));
    assert_eq!(said.trim(), "", "no warning either");

    let most = "--threshold=15";
    content(Command::new("systemd-analyze").args(["security", "--offline=true", most]).arg(&unit));
    let next = content(Command::new("systemd-analyze").args(["calendar", "*-*-* 07:37"]));
    assert!(next.contains("Normalized form: *-*-* 07:37:00"), "{next}");
}

#[test]
fn exit_codes_that_are_no_failure_are_the_same_everywhere() {
    let service = yaml::text("systemd/reaper.service");
    assert!(service.contains("\nSuccessExitStatus=7\n"));
    let pipeline = yaml::document("gitlab/.gitlab-ci.yml");
    assert_eq!(pipeline["reaper-run"]["allow_failure"]["exit_codes"], serde_json::json!([7]));
}

#[test]
fn the_cron_job_is_confined() {
    let documents = yaml::documents("kubernetes/cronjob.yml");
    let job = documents.iter().find(|document| document["kind"] == "CronJob").expect("the job");
    assert_eq!(job["spec"]["concurrencyPolicy"], "Forbid");
    let run = &job["spec"]["jobTemplate"]["spec"];
    assert_eq!(run["backoffLimit"], 0);
    let pod = &run["template"]["spec"];
    assert_eq!(pod["restartPolicy"], "Never");
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["securityContext"]["runAsUser"], 65532);
    let container = &pod["containers"][0]["securityContext"];
    assert_eq!(container["readOnlyRootFilesystem"], true);
    assert_eq!(container["allowPrivilegeEscalation"], false);
    assert_eq!(container["capabilities"]["drop"], serde_json::json!(["ALL"]));
}

#[test]
fn the_cron_job_carries_a_configuration_that_is_accepted() {
    let documents = yaml::documents("kubernetes/cronjob.yml");
    let map = documents.iter().find(|document| document["kind"] == "ConfigMap").expect("a map");
    let text = map["data"]["reaper.toml"].as_str().expect("a configuration");
    let reaper = crate::support::Reaper::with_config(text).env("SMTP_PASSWORD", "canary");
    let ran = reaper.run(&["check", "--offline"]).exits(0);
    assert!(ran.stdout.contains("s3://bucket/reaper"), "{}", ran.stdout);
}

#[test]
fn the_image_is_small_and_of_nobody() {
    content(tool("hadolint").arg("Dockerfile"));
    let text = yaml::text("Dockerfile");
    let (_, last) = text.rsplit_once("\nFROM ").expect("the last stage");
    assert!(last.starts_with("scratch\n"), "nothing but what is copied: {last}");
    let words: BTreeSet<&str> =
        last.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(!words.contains("RUN") && !words.contains("ADD"), "{words:?}");
    assert!(last.contains("\nUSER 65532:65532\n"));
    assert!(last.contains("\nENTRYPOINT [\"/reaper\"]\n"));
    for label in ["title", "description", "version", "revision", "licenses"] {
        assert!(last.contains(&format!("org.opencontainers.image.{label}=")), "{label}");
    }
    assert!(text.contains("--profile dist --locked"));
    // What is built with is what the workspace asks for.
    let manifest = std::fs::read_to_string(yaml::folder().join("../../Cargo.toml")).expect("TOML");
    let (_, version) = manifest.split_once("rust-version = \"").expect("a version");
    let version = version.split('"').next().expect("a version");
    assert!(
        text.starts_with('#') && text.contains(&format!("FROM rust:{version}-alpine")),
        "{version}"
    );
}
