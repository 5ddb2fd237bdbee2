//! AWS's own Python client reads the simulated CloudWatch, in both of its languages.
#![allow(clippy::expect_used, clippy::panic, reason = "a test ends at the first surprise")]

use std::process::Stdio;

use reaper_simcloud::{SimCloud, World};
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/boto3_cloudwatch.py");

#[tokio::test]
async fn boto3_reads_the_simulated_cloudwatch() {
    #[expect(clippy::disallowed_methods, reason = "which Python has boto3 only the caller knows")]
    let python = std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"));
    for protocol in ["json", "smithy-rpc-v2-cbor"] {
        let world = World::from_toml(include_str!("boto3_cloudwatch.toml")).expect("a valid world");
        let cloud = SimCloud::start(world).await.expect("a free port");
        let output = Command::new(&python)
            .args([SCRIPT, &cloud.base_url("aws"), protocol])
            .stdin(Stdio::null())
            .output()
            .await
            .unwrap_or_else(|error| panic!("{python} cannot be run: {error}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{SCRIPT} failed with {protocol}:\n{said}");
        let requests = cloud.requests();
        assert!(requests.changes().is_empty(), "{:?}", requests.changes());
        let in_cbor = |target: &str| target.contains("/service/GraniteServiceVersion20100801/");
        let cbor = requests.all().iter().filter(|entry| in_cbor(&entry.target)).count();
        assert_eq!(cbor, if protocol == "json" { 0 } else { requests.len() });
        assert!(requests.of("GetMetricData").iter().all(|entry| entry.status.is_some()));
    }
}
