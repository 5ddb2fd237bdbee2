//! What a CI runner is told: summary, outputs, annotations, also where names are hostile.

use super::hosted::outputs;
use super::orders::orders;
use crate::support::{NOW, OWNERLESS, Ran, Reaper, Sim, machine};

/// Names that would order a runner about, or break out of where they stand.
const HOSTILE: [&str; 5] = [
    r"::set-output name=orphans::0",
    r"a\r\n::error::x\n::stop-commands::y",
    r"b%0A::add-mask::z ##[error]q",
    r"x ::warning::wrapped ::notice::wrapped ::debug::wrapped ::error::wrapped ::add-path::wrapped",
    r"</details><script>alert(1)</script> | `c` @all",
];

/// A command on a GitHub runner: what it did, its summary and its outputs.
async fn hosted(sim: &Sim, arguments: &[&str]) -> (Ran, String, String) {
    let reaper = Reaper::with_config(&sim.config(&["eu-west-1"], OWNERLESS));
    let files = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| files.path().join(name).display().to_string();
    let reaper = reaper
        .env("AKIARESEARCH", "AKIARESEARCH")
        .env("SECRET", "canary-secret-4711")
        .env("REAPER_NOW", NOW)
        .env("COLUMNS", "80")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &path("summary"))
        .env("GITHUB_OUTPUT", &path("output"));
    let ran = reaper.beside(arguments).await;
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
    (ran, read("summary"), read("output"))
}

async fn hostile() -> Sim {
    let machines = HOSTILE.iter().enumerate().map(|(number, name)| {
        machine(&format!("i-0{number}"), "eu-west-1", &format!("tags = {{ Name = \"{name}\" }}"))
    });
    Sim::aws(&machines.collect::<String>()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_147_no_name_gives_a_job_runner_an_order() {
    let sim = hostile().await;
    for format in ["table", "json", "markdown"] {
        for command in [&["audit"][..], &["explain", "i-01"], &["explain", "i-03"]] {
            let arguments = [command, &["--format", format]].concat();
            let (ran, _, _) = hosted(&sim, &arguments).await;
            assert_eq!(ran.code, 0, "{}", ran.all());
            let ours = |order: &String| order.starts_with("::warning title=reaper::");
            let found = [orders(&ran.stdout), orders(&ran.stderr)].concat();
            assert!(found.iter().all(ours), "{arguments:?}: {found:#?}");
            assert_eq!(found.len(), if command == ["audit"] { 5 } else { 0 }, "{found:#?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_148_json_stays_one_document_on_a_runner() {
    let sim = hostile().await;
    let (ran, _, _) = hosted(&sim, &["audit", "--format", "json"]).await;
    assert_eq!(ran.json()["totals"]["orphans"], 5);
    assert_eq!(orders(&ran.stdout), Vec::<String>::new());
    assert_eq!(orders(&ran.stderr).len(), 5, "{}", ran.stderr);

    let (ran, summary, output) =
        hosted(&sim, &["audit", "--format", "json", "--account", "x"]).await;
    assert_eq!(ran.json()["outcome"]["exit_code"], 2);
    assert_eq!(orders(&ran.stderr).len(), 1, "{}", ran.stderr);
    assert!(summary.starts_with("## reaper: config\n\n```text\nerror: no account"), "{summary}");
    assert_eq!(outputs(&output)["exit-code"], "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_147_outputs_and_summary_hold_what_was_found() {
    let sim = hostile().await;
    let (_, summary, output) = hosted(&sim, &["audit"]).await;
    let outputs = outputs(&output);
    assert_eq!((outputs["orphans"].as_str(), outputs["exit-code"].as_str()), ("5", "0"));
    assert!(summary.starts_with("## reaper: 5 orphans of 5 machines"), "{summary}");
    assert!(!summary.contains("<script") && !summary.contains("\n::"), "{summary}");
    assert_eq!(summary.matches("</details>").count(), summary.matches("<details>").count());
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_146_a_report_that_ci_does_not_get_is_said_and_printed_all_the_same() {
    let sim = hostile().await;
    let reaper = Reaper::with_config(&sim.config(&["eu-west-1"], OWNERLESS))
        .env("AKIARESEARCH", "AKIARESEARCH")
        .env("SECRET", "canary-secret-4711")
        .env("REAPER_NOW", NOW)
        .env("GITHUB_STEP_SUMMARY", "/nowhere/summary")
        .env("GITHUB_OUTPUT", "/nowhere/output");
    let ran = reaper.beside(&["audit", "--format", "json"]).await.exits(0);
    assert_eq!(ran.json()["totals"]["orphans"], 5);
    for what in ["the job summary", "the outputs of the step"] {
        let line = format!("warning: {what} cannot be written to /nowhere/");
        assert!(ran.stderr.contains(&line), "{}", ran.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nine_of_a_kind_are_annotated_and_the_rest_is_counted() {
    let machines =
        (10..35).map(|number| machine(&format!("i-0{number}"), "eu-west-1", "tags = {}"));
    let sim = Sim::aws(&machines.collect::<String>()).await;
    let (ran, _, _) = hosted(&sim, &["audit"]).await;
    let found = orders(&ran.stdout);
    assert_eq!(found.len(), 10, "{found:#?}");
    assert_eq!(found[9], "::warning title=reaper::and 16 more: see the job summary");
    let (ran, _, _) = hosted(&sim, &["audit", "-q"]).await;
    assert_eq!(orders(&ran.all()), Vec::<String>::new(), "no error, and quiet");
}

#[tokio::test(flavor = "multi_thread")]
async fn partial_is_loud_in_annotations_too() {
    let sim = Sim::aws("").await;
    let config = sim.config(&["eu-west-1"], OWNERLESS).replace("AKIARESEARCH\" }", "AKIAOTHER\" }");
    let reaper = Reaper::with_config(&config)
        .env("AKIAOTHER", "AKIAOTHER")
        .env("SECRET", "canary-secret-4711")
        .env("REAPER_NOW", NOW)
        .env("GITHUB_ACTIONS", "true");
    let ran = reaper.beside(&["audit"]).await;
    assert_eq!(ran.code, 4, "{}", ran.all());
    let found = orders(&ran.stdout);
    assert!(found[0].starts_with("::error title=reaper::aws/research"), "{found:#?}");
    assert!(!ran.all().contains("canary-secret-4711"));
}

#[test]
fn a_listing_in_a_file_is_left_as_it_is() {
    let reaper = Reaper::new();
    let path = reaper.path().join("demo.txt");
    let file = std::fs::File::create(&path).expect("a file");
    let ran = reaper.command(&["demo"]).env("GITHUB_ACTIONS", "true").stdout(file).output();
    let ran = ran.expect("it starts");
    let text = std::fs::read_to_string(&path).expect("UTF-8");
    assert!(!text.contains("::stop-commands::") && text.contains("ORPHANS"), "{text}");
    let stderr = String::from_utf8(ran.stderr).expect("UTF-8");
    assert!(orders(&stderr).iter().any(|order| order.starts_with("::warning ")), "{stderr}");
    for command in [&["schema", "config"][..], &["completions", "bash"], &["man"]] {
        let plain = reaper.run(command).exits(0).stdout;
        let ran = reaper.command(command).env("GITHUB_ACTIONS", "true").output();
        assert_eq!(String::from_utf8(ran.expect("it starts").stdout).expect("UTF-8"), plain);
    }
}
