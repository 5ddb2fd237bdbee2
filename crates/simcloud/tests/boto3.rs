//! AWS's own Python client reads the simulated AWS: a wire that only our own reader understands
//! would prove nothing.
#![allow(clippy::expect_used, clippy::panic, reason = "a test ends at the first surprise")]

use std::process::Stdio;

use reaper_simcloud::{SimCloud, World};
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/boto3_client.py");

#[tokio::test]
async fn boto3_reads_the_simulated_aws() {
    #[expect(clippy::disallowed_methods, reason = "which Python has boto3 only the caller knows")]
    let python = std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"));
    let world = World::from_toml(include_str!("boto3_world.toml")).expect("a valid world");
    let cloud = SimCloud::start(world).await.expect("a free port");
    let output = Command::new(&python)
        .arg(SCRIPT)
        .arg(cloud.base_url("aws"))
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap_or_else(|error| panic!("{python} cannot be run: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{SCRIPT} failed:\n{said}");
    let seen: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(seen["identity"], "arn:aws:iam::111122223333:user/reaper");
    // Refusals first; then one machine is stopped, twice, tagged, and terminated.
    let changes: Vec<_> = cloud.requests().changes().iter().map(ToString::to_string).collect();
    let expected = [
        "StopInstances i-host i-plain",
        "StopInstances i-host i-spot",
        "StopInstances i-none",
        "TerminateInstances i-plain",
        "CreateTags i-host",
        "StopInstances i-host",
        "StopInstances i-host",
        "CreateTags i-host",
        "DeleteTags i-host",
        "DeleteTags i-host",
        "TerminateInstances i-host",
    ];
    assert_eq!(changes, expected.map(|change| format!("aws 111122223333 {change}")));
}
