//! S3 that others wrote: moto in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use reaper_ledger::error::Cause;
use reaper_ledger::{Access, Address, Store};

/// A running moto with the bucket `state`; ends with this value.
pub(crate) struct Bucket {
    child: Child,
    url: String,
}

impl Bucket {
    pub(crate) fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/log/moto_bucket.py");
        let mut child = Command::new(python())
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let stdout = child.stdout.take().expect("piped");
        let url = BufReader::new(stdout).lines().next().expect("a line").expect("readable");
        Self { child, url }
    }

    /// A ledger's place in the bucket, opened as the product does it: by its URL.
    pub(crate) fn store(&self, prefix: &str) -> Store {
        let setting = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some("AKIATEST".to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some("test".to_owned()),
            "AWS_ENDPOINT_URL" => Some(self.url.clone()),
            _ => None,
        };
        let address = Address::parse(&format!("s3://state/{prefix}"), Path::new("/"));
        let access = Access { setting: &setting, client: &client };
        Store::at(&address.expect("valid"), &access).expect("settings suffice")
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // The script ends when its standard input closes; killing it is for one that hangs.
        drop(self.child.stdin.take());
        if self.child.wait().is_err() {
            let _ = self.child.kill();
        }
    }
}

/// Plain HTTP; the provider is named because none is installed for the process.
fn client() -> Result<reqwest::Client, Cause> {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build()?)
}

#[expect(clippy::disallowed_methods, reason = "where the tests' Python is, says the environment")]
fn python() -> String {
    std::env::var("REAPER_TEST_PYTHON")
        .expect("REAPER_TEST_PYTHON names a Python with moto: tests/run sets it")
}
