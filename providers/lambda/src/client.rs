//! The calls: base address, credential and pace.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reaper_http::{
    Answer, Base, Call, Client, CursorPages, Dialect, Lenient, Method, Pace, Refusal, Signer,
    secret,
};
use reaper_provider::{AccountSettings, CallContext, ErrorKind, OpenError, ProviderError};
use secrecy::SecretString;
use serde_json::json;

use crate::error;
use crate::wire::{Data, FileSystem, Instance, SshKey, Terminated};

/// Lists the instances of all regions.
pub(crate) const INSTANCES: &str = "lambda:ListInstances";
/// Reads one instance.
pub(crate) const INSTANCE: &str = "lambda:GetInstance";
/// Terminates instances; always one.
pub(crate) const TERMINATE: &str = "lambda:TerminateInstance";

/// Lists the file systems of all regions.
pub(crate) const FILE_SYSTEMS: &str = "lambda:ListFilesystems";

/// Where the API lives; the older `cloud.lambdalabs.com` is deprecated.
const BASE: &str = "https://cloud.lambda.ai";
/// Documented: one request per second. One in flight, so that the second holds at Lambda's end.
const PACE: Pace = Pace { per_second: Some(1), in_flight: 1 };
/// Who is too fast is banned for a while, so the first wait is longer than elsewhere.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// Lambda's API with one key.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    client: Client,
    base: Base,
}

#[derive(Debug)]
struct ApiKey(SecretString);

#[async_trait]
impl Dialect for ApiKey {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        Ok(Box::new(|request| request.bearer(&self.0)))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

impl Api {
    /// Sends nothing. Without a key it is an error, never an account without machines.
    pub(crate) fn open(settings: &AccountSettings) -> Result<Self, OpenError> {
        let key = secret::credential(settings, "api_key")?.ok_or_else(|| OpenError {
            account: settings.name.to_string(),
            problem: "no API key: set LAMBDA_API_KEY or \
                      credentials = { api_key = { env = \"NAME\" } }"
                .to_owned(),
        })?;
        let base = Base::open(settings, BASE)?;
        let client = Client::open(settings, PACE, Arc::new(ApiKey(key)))?.first_wait(FIRST_WAIT);
        Ok(Self { client, base })
    }

    /// The names of all SSH keys.
    pub(crate) async fn ssh_keys(&self, cx: &CallContext) -> Result<Vec<String>, ProviderError> {
        let call = self.read("lambda:ListSSHKeys", ["ssh-keys"]);
        let keys: Data<Vec<Lenient<SshKey>>> = self.client.json(cx, &call).await?;
        Ok(keys.data.into_iter().filter_map(|key| key.good().map(|key| key.name.clone())).collect())
    }

    /// All instances in all regions, in one answer; only those of a cluster where one is named.
    pub(crate) async fn instances(
        &self,
        cx: &CallContext,
        cluster: Option<&str>,
    ) -> Result<Vec<Lenient<Instance>>, ProviderError> {
        let mut call = self.read(INSTANCES, ["instances"]);
        if let Some(cluster) = cluster {
            call = call.query("cluster_id", cluster);
        }
        let answer: Data<Vec<Lenient<Instance>>> = self.client.json(cx, &call).await?;
        Ok(answer.data)
    }

    /// All file systems in all regions, in one answer.
    pub(crate) async fn file_systems(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<FileSystem>>, ProviderError> {
        let call = self.read(FILE_SYSTEMS, ["file-systems"]);
        let answer: Data<Vec<Lenient<FileSystem>>> = self.client.json(cx, &call).await?;
        Ok(answer.data)
    }

    /// The audit log, page by page, all kinds of resources: how the filter names instances is not
    /// documented, and a wrong word would look like an empty log.
    pub(crate) fn audit_events(&self) -> CursorPages<'_> {
        let call = self.read("lambda:ListAuditEvents", ["audit-events"]);
        CursorPages::new(&self.client, call, "page_token")
    }

    /// One instance, as it is now.
    pub(crate) async fn instance(
        &self,
        cx: &CallContext,
        id: &str,
    ) -> Result<Lenient<Instance>, ProviderError> {
        let call = self.read(INSTANCE, ["instances", id]);
        let answer: Data<Lenient<Instance>> = self.client.json(cx, &call).await?;
        Ok(answer.data)
    }

    /// Terminates one instance, alone, so that no other can spoil the call. An answer that does not
    /// name it is none.
    pub(crate) async fn terminate(&self, cx: &CallContext, id: &str) -> Result<(), ProviderError> {
        let url = self.base.at(["api", "v1", "instance-operations", "terminate"]);
        let call =
            Call::change(TERMINATE, Method::POST, url).json(&json!({ "instance_ids": [id] }));
        let answer: Data<Terminated> = self.client.json(cx, &call).await?;
        let named = |instance: &Lenient<Instance>| {
            instance.good().and_then(|it| it.id.good()).is_some_and(|other| other == id)
        };
        if answer.data.terminated_instances.iter().any(named) {
            return Ok(());
        }
        let detail = format!("the answer does not name {id} among what is terminated");
        Err(ProviderError::answered(ErrorKind::Inconsistent, TERMINATE, detail))
    }

    fn read<const N: usize>(&self, name: &'static str, path: [&str; N]) -> Call {
        Call::read(name, self.base.at(["api", "v1"].into_iter().chain(path)))
    }
}
