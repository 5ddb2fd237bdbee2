//! The composite action, run: one command with its outputs.

use super::expression::{Names, filled};
use super::hosted::{Hosted, Step};
use super::release::Release;
use super::workflow::stage;
use super::yaml;
use crate::acting::Stage;

/// Runs the action with these inputs; the steps, and the outputs that it declares.
fn run(stage: &Stage, release: &Release, inputs: &[(&str, &str)]) -> (Vec<Step>, Names) {
    let action = yaml::document("github/action/action.yml");
    let mut names = Names::from([
        ("inputs.url".to_owned(), release.url.clone()),
        ("inputs.sha256".to_owned(), release.sha256.clone()),
    ]);
    for (name, input) in action["inputs"].as_object().expect("inputs") {
        if let Some(default) = input["default"].as_str() {
            names.insert(format!("inputs.{name}"), default.to_owned());
        }
    }
    let given = inputs.iter().map(|(name, value)| (format!("inputs.{name}"), (*value).to_owned()));
    names.extend(given);
    for step in action["runs"]["steps"].as_array().expect("steps") {
        assert_eq!(step["shell"], "bash", "a composite action must say so");
    }
    let mut hosted = Hosted::new(release);
    hosted.checked_out = true;
    let steps = hosted.steps(stage, &action["runs"]["steps"], &mut names);
    let outputs = action["outputs"].as_object().expect("outputs").iter().map(|(name, output)| {
        let value = output["value"].as_str().expect("a value");
        (name.clone(), filled(value, &names))
    });
    (steps, outputs.collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_action_says_what_was_found() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    let (steps, outputs) = run(&stage, &release, &[]);
    assert!(steps.iter().all(|step| step.code == 0), "{steps:#?}");
    let expected = [
        ("exit-code", "0"),
        ("monthly-cost", "4380.00 EUR"),
        ("orphans", "2"),
        ("over-budget", ""),
        ("report-path", ""),
        ("will-stop", "0"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(outputs, Names::from(expected));

    let args = "audit --format markdown\n--output report.md";
    let (steps, outputs) = run(&stage, &release, &[("args", args)]);
    assert!(steps.iter().all(|step| step.code == 0), "{steps:#?}");
    assert_eq!(outputs["report-path"], "report.md");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_action_fails_on_what_it_is_told_to() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    for (fail_on, code) in [
        ("findings", "10"),
        ("waste>=1000000 EUR", "0"),
        ("waste>=1000000 EUR\nwaste>=1 EUR\n", "10"),
        ("$(touch pwned)", "2"),
        ("findings; touch pwned", "2"),
    ] {
        let (steps, outputs) = run(&stage, &release, &[("fail-on", fail_on)]);
        assert_eq!(outputs["exit-code"], code, "{fail_on}: {steps:#?}");
        assert_eq!(steps.last().expect("steps").code.to_string(), code);
    }
    let (steps, outputs) = run(&stage, &release, &[("args", "audit `touch pwned` *")]);
    assert_eq!(outputs["exit-code"], "2", "words, and nothing that a shell would run");
    assert!(steps[1].stderr.contains("`touch"), "{steps:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_action_wants_the_version_that_it_is_told() {
    let (stage, release) = (stage("max_actions = 10").await, Release::serve());
    let (steps, _) = run(&stage, &release, &[("version", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(steps.len(), 2, "{steps:#?}");
    let (steps, _) = run(&stage, &release, &[("version", "9.9.9")]);
    assert_eq!((steps.len(), steps[0].code), (1, 2), "{steps:#?}");
}
