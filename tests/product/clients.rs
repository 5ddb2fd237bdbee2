//! The simulator is checked by clients that others wrote: they must read it without a complaint,
//! and see the same machines as `reaper audit`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reaper_simcloud::SimCloud;
use serde_json::Value;

use crate::support::{NOW, Reaper, Sim, variable};

const WORLD: &str = include_str!("../python/clients.toml");

/// An account of a provider at the simulator, whose credentials stand in the environment.
struct Account {
    provider: &'static str,
    config: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

/// Runs a script of `tests/python` and returns the JSON that it prints.
fn run(script: &str, arguments: &[&OsStr]) -> Value {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let empty = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(variable("REAPER_TEST_PYTHON"))
        .arg("-B")
        .arg(scripts.join(script))
        .args(arguments)
        // Nobody's own credentials, configuration or proxy.
        .env_clear()
        .env("HOME", empty.path())
        .current_dir(empty.path())
        .stdin(Stdio::null())
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script} failed:\n{said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{script}: {error}"))
}

impl Account {
    /// What the audit document says of this account at that cloud.
    fn audit(&self, cloud: &SimCloud) -> Value {
        let Self { provider, config, environment } = self;
        let config = format!(
            "version = 1\n[[account]]\nname = \"one\"\nprovider = \"{provider}\"\n\
             endpoint_url = \"{}\"\n{config}\n",
            cloud.base_url(provider),
        );
        let reaper = environment
            .iter()
            .fold(Reaper::with_config(&config), |reaper, (name, value)| reaper.env(name, value));
        reaper.run(&["audit", "--format", "json", "--now", NOW]).exits(0).json()
    }

    /// Lets the client and the binary read the same world: the script has no complaint, both see
    /// the same, and neither has sent anything that changes something. Returns what the script
    /// printed.
    async fn reads_alike(self, script: &'static str, further: Option<PathBuf>) -> Value {
        let Sim { cloud } = Sim::world(WORLD).await;
        let url = cloud.base_url(self.provider);
        let (cloud, seen, document) = tokio::task::spawn_blocking(move || {
            let mut arguments = vec![OsStr::new(&url)];
            arguments.extend(further.as_deref().map(Path::as_os_str));
            let seen = run(script, &arguments);
            let document = self.audit(&cloud);
            (cloud, seen, document)
        })
        .await
        .unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()));
        let expected = seen["machines"].as_object().expect("machines by id");
        let shown = document["instances"].as_array().expect("a list");
        for machine in shown {
            let id = machine["native_id"].as_str().expect("an id");
            let expected = expected.get(id).unwrap_or_else(|| panic!("{id} is not in {script}"));
            assert_within(machine, expected, id);
        }
        assert_eq!(shown.len(), expected.len(), "{script} sees others: {expected:?}");
        assert_eq!(cloud.requests().changing().len(), 0);
        seen
    }
}

/// Asserts that whatever `expected` says stands in `found` too.
fn assert_within(found: &Value, expected: &Value, place: &str) {
    match expected {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, expected) in fields {
                assert_within(&found[name], expected, &format!("{place}.{name}"));
            }
        }
        expected => assert_eq!(found, expected, "{place}"),
    }
}

#[tokio::test]
async fn boto3_and_the_audit_see_the_same_machines() {
    let account = Account {
        provider: "aws",
        config: "regions = [\"eu-west-1\", \"us-east-1\"]",
        environment: &[
            ("AWS_ACCESS_KEY_ID", "AKIARESEARCH"),
            ("AWS_SECRET_ACCESS_KEY", "canary-secret-4711"),
        ],
    };
    account.reads_alike("aws_client.py", None).await;
}

#[tokio::test]
async fn scaleways_own_client_and_the_audit_see_the_same_servers() {
    let account = Account {
        provider: "scaleway",
        config: "zones = [\"fr-par-1\", \"fr-par-2\", \"pl-waw-2\"]",
        environment: &[
            ("SCW_ACCESS_KEY", "SCWCLIENTS0000000001"),
            ("SCW_SECRET_KEY", "7d0f3a52-1b8e-4c96-a2d4-90e65f1c3b78"),
        ],
    };
    account.reads_alike("scaleway_client.py", None).await;
}

#[tokio::test]
async fn ovhclouds_own_client_and_the_audit_see_the_same_machines() {
    let account = Account {
        provider: "ovhcloud",
        config: "project = \"0c7a5e91d3f84b26a8e15d70b94f6c32\"",
        environment: &[
            ("OVH_APPLICATION_KEY", "clients-application"),
            ("OVH_APPLICATION_SECRET", "clients-application-secret"),
            ("OVH_CONSUMER_KEY", "clients-consumer"),
        ],
    };
    account.reads_alike("ovh_client.py", recorded("ovhcloud")).await;
}

#[tokio::test]
async fn lambdas_answers_are_valid_and_the_audit_sees_the_same_machines() {
    let account = Account {
        provider: "lambda",
        config: "[pace]\nlambda = { per_second = 1000 }",
        environment: &[("LAMBDA_API_KEY", "secret_burst_clients")],
    };
    let document = openapi_document();
    let present = document.is_some();
    let seen = account.reads_alike("lambda_client.py", document).await;
    assert_eq!(seen["by_document"], present, "Lambda's own document is used where there is one");
}

/// Lets a client act on the world: the script has no complaint. Returns the states that it read in
/// the end, and what was to be changed.
async fn acts(
    provider: &str,
    script: &'static str,
    further: Option<PathBuf>,
) -> (Value, Vec<String>) {
    let Sim { cloud } = Sim::world(WORLD).await;
    let url = cloud.base_url(provider);
    let states = tokio::task::spawn_blocking(move || {
        let mut arguments = vec![OsStr::new(&url)];
        arguments.extend(further.as_deref().map(Path::as_os_str));
        arguments.push(OsStr::new("act"));
        run(script, &arguments)
    })
    .await
    .unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()));
    let changes = cloud.requests().changes();
    (states, changes.iter().map(|change| format!("{} {:?}", change.action, change.ids)).collect())
}

#[tokio::test]
async fn scaleways_own_client_powers_off_and_reads_it_back() {
    let (states, changes) = acts("scaleway", "scaleway_client.py", None).await;
    let expected = serde_json::json!({
        "b6a1f7d2-4e0c-4b8d-9a35-2f7c61e08d14": "stopped",
        "90d7e3b1-c2f4-4a08-b5e6-1d8f7a2c4b59": "stopped",
    });
    assert_eq!(states, expected);
    assert_eq!(changes[0], r#"poweroff ["b6a1f7d2-4e0c-4b8d-9a35-2f7c61e08d14"]"#);
    assert_eq!(changes.len(), 8, "{changes:?}");
}

#[tokio::test]
async fn ovhclouds_own_client_shelves_and_reads_it_back() {
    let (states, changes) = acts("ovhcloud", "ovh_client.py", None).await;
    let expected = serde_json::json!({
        "5b0c1d92-8e7f-4a36-b1c4-d7f2906e8a35": "SHELVED_OFFLOADED",
        "27f4a9d5-6c0e-4b83-92d1-a5e8c3b07f64": "SHUTOFF",
        "17f4a9d5-6c0e-4b83-92d1-a5e8c3b07f64": "ACTIVE",
    });
    assert_eq!(states, expected);
    assert_eq!(changes[0], r#"shelve ["5b0c1d92-8e7f-4a36-b1c4-d7f2906e8a35"]"#);
    assert_eq!(changes.len(), 5, "{changes:?}");
}

#[tokio::test]
async fn lambdas_terminations_are_valid_and_end() {
    let (states, changes) = acts("lambda", "lambda_client.py", openapi_document()).await;
    let expected = serde_json::json!({
        "a93c05e7d1f84b62905ae47d8c3b16f0": "unhealthy",
        "b93c05e7d1f84b62905ae47d8c3b16f0": "booting",
        "c93c05e7d1f84b62905ae47d8c3b16f0": "terminating",
        "d93c05e7d1f84b62905ae47d8c3b16f0": "active",
    });
    assert_eq!(states, expected);
    assert_eq!(changes[0], r#"terminate ["6f2d8b1c40e94a7db3581c9e07a6f2d4"]"#);
    assert_eq!(changes.len(), 6, "{changes:?}");
}

/// Lambda's `OpenAPI` document, which is no part of the product, where it lies beside the recorded
/// answers.
fn openapi_document() -> Option<PathBuf> {
    Some(recorded("lambda")?.join("spec__openapi-1.10.0.json")).filter(|path| path.exists())
}

/// The folder of a provider's recorded answers, where there is one.
#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it found")]
fn recorded(provider: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("REAPER_RECORDED")?).join(provider))
}
