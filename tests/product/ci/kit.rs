//! `reaper init --ci`: the files of `config/ci`, byte for byte, and never over another.

use super::workflow::stage;
use super::yaml;
use crate::support::Reaper;

/// Kind, its file in `config/ci`, and where it belongs.
const FILES: [(&str, &str, &str); 5] = [
    ("github", "github/reaper.yml", ".github/workflows/reaper.yml"),
    ("gitlab", "gitlab/.gitlab-ci.yml", ".gitlab-ci.yml"),
    ("kubernetes", "kubernetes/cronjob.yml", "reaper-cronjob.yml"),
    ("systemd", "systemd/reaper.service", "reaper.service"),
    ("systemd", "systemd/reaper.timer", "reaper.timer"),
];

#[test]
fn init_writes_the_very_files_of_the_kit() {
    for (kind, source, place) in FILES {
        let reaper = Reaper::new();
        let ran = reaper.run(&["init", "--ci", kind]).exits(0);
        let written = std::fs::read_to_string(reaper.path().join(place)).expect(place);
        assert_eq!(written, yaml::text(source), "{place}");
        assert!(ran.stderr.contains(&format!("wrote {place}\n")), "{}", ran.stderr);
        assert!(ran.stderr.contains("next:\n  - "), "{}", ran.stderr);
        assert!(!reaper.path().join("reaper.toml").exists(), "that is what plain init writes");
    }
}

#[test]
fn init_overwrites_no_job_and_then_writes_none() {
    for (kind, _, place) in FILES {
        let reaper = Reaper::new();
        let path = reaper.path().join(place);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, "mine").expect("a file");
        let ran = reaper.run(&["init", "--ci", kind]).exits(2);
        assert!(ran.stderr.contains("exists and is left as it is"), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "mine");
        let others = FILES.iter().filter(|file| file.0 == kind && file.2 != place);
        for (_, _, other) in others {
            assert!(!reaper.path().join(other).exists(), "all or none: {other}");
        }
    }
}

#[test]
fn init_writes_a_job_below_the_folder_that_is_named() {
    let reaper = Reaper::new();
    reaper.run(&["init", "--ci", "systemd", "--output", "units/here", "-q"]).exits(0);
    assert!(reaper.path().join("units/here/reaper.service").is_file());
    assert!(reaper.path().join("units/here/reaper.timer").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn units_and_pods_start_a_run() {
    let stage = stage("max_actions = 10").await;
    let config = stage.reaper.path().join("reaper.toml").display().to_string();
    let service = yaml::text("systemd/reaper.service");
    let start = service.lines().find_map(|line| line.strip_prefix("ExecStart="));
    let start = start.expect("a command").replace("/etc/reaper/reaper.toml", &config);
    let (binary, line) = start.split_once(' ').expect("arguments");
    assert_eq!(binary, "/usr/local/bin/reaper");
    let ran = stage.run(&format!("reaper {line}")).exits(0);
    assert!(ran.stdout.contains("i-0a1"), "{}", ran.all());

    let documents = yaml::documents("kubernetes/cronjob.yml");
    let job = documents.iter().find(|document| document["kind"] == "CronJob").expect("the job");
    let container = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0];
    let words = container["args"].as_array().expect("arguments").iter();
    let words: Vec<&str> = words.map(|word| word.as_str().expect("text")).collect();
    assert_eq!(container["env"][0]["name"], "REAPER_CONFIG");
    let ran = stage.run(&format!("cd /; REAPER_CONFIG={config} reaper {}", words.join(" ")));
    assert!(ran.exits(0).stdout.contains("i-0a1"));
}
