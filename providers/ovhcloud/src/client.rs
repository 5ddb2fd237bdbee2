//! The calls: addresses, credentials and pace.

use std::sync::Arc;

use async_trait::async_trait;
use reaper_http::call::CATALOGUE_LIMIT;
use reaper_http::{Answer, Call, Client, Dialect, Lenient, Method, Pace, Refusal, Signer, Url};
use reaper_provider::{AccountSettings, CallContext, OpenError, ProviderError};
use tokio::sync::Mutex;

use crate::book::Book;
use crate::endpoint::Endpoint;
use crate::error;
use crate::login::Login;
use crate::oauth::{AccessToken, ServiceAccount};
use crate::signature::{ApplicationKeys, ServerClock};
use crate::wire::{
    Account, Credential, Flavor, FloatingIp, Image, Instance, Monitoring, Node, Project, Snapshot,
    Usage, Volume,
};

/// OVHcloud documents no limit and answers 429 to the hasty. A project takes a handful of calls, and
/// one for each Kubernetes cluster; tools that were throttled had twenty and more in flight.
const PACE: Pace = Pace { per_second: None, in_flight: 8 };

/// How errors and facts name the list of machines.
pub(crate) const INSTANCES: &str = "ovhcloud:GET /cloud/project/{project}/instance";
/// How errors and facts name one machine by itself.
pub(crate) const INSTANCE: &str = "ovhcloud:GET /cloud/project/{project}/instance/{instance}";
/// The right to the one call that changes anything.
pub(crate) const SHELVE: &str = "publicCloudProject:apiovh:instance/shelve";
/// How errors and facts name the project.
pub(crate) const PROJECT: &str = "ovhcloud:GET /cloud/project/{project}";
/// How errors and facts name the nodes of a cluster.
pub(crate) const NODES: &str = "ovhcloud:GET /cloud/project/{project}/kube/{cluster}/node";
/// How errors and facts name the usage of the current month.
pub(crate) const USAGE: &str = "ovhcloud:GET /cloud/project/{project}/usage/current";
/// How errors and facts name the account behind the login.
pub(crate) const ACCOUNT: &str = "ovhcloud:GET /me";
/// The right to read that account.
const ACCOUNT_RIGHT: &str = "account:apiovh:me/get";
/// How errors and facts name the volumes.
pub(crate) const VOLUMES: &str = "ovhcloud:GET /cloud/project/{project}/volume";
/// How errors and facts name the snapshots of volumes.
pub(crate) const SNAPSHOTS: &str = "ovhcloud:GET /cloud/project/{project}/volume/snapshot";
/// How errors and facts name the images.
pub(crate) const IMAGES: &str = "ovhcloud:GET /cloud/project/{project}/snapshot";
/// How errors and facts name the floating addresses of a region.
pub(crate) const FLOATING_IPS: &str =
    "ovhcloud:GET /cloud/project/{project}/region/{region}/floatingip";
/// How errors and facts name what was measured of one machine.
pub(crate) const MONITORING: &str =
    "ovhcloud:GET /cloud/project/{project}/instance/{instance}/monitoring";
/// How errors and facts name the price catalogue.
pub(crate) const CATALOGUE: &str = "ovhcloud:GET /order/catalog/public/cloud";

/// OVHcloud's API with one login, for one project.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    client: Client,
    public: Client,
    endpoint: Endpoint,
    project: String,
    login: &'static str,
    has_keys: bool,
}

/// Without credentials: the server's time, the login, the catalogue.
#[derive(Debug)]
struct Anonymous;

#[async_trait]
impl Dialect for Anonymous {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        Ok(Box::new(|_| Ok(())))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

impl Api {
    /// Sends nothing.
    pub(crate) fn open(settings: &AccountSettings, project: String) -> Result<Self, OpenError> {
        let endpoint = Endpoint::open(settings)?;
        let login = Login::open(settings)?;
        let public = Client::open(settings, PACE, Arc::new(Anonymous))?;
        let has_keys = matches!(login, Login::Keys { .. });
        let words = login.words();
        let dialect: Arc<dyn Dialect> = match login {
            Login::Keys { application_key, application_secret, consumer_key } => {
                let clock =
                    ServerClock::new(public.clone(), endpoint.api.at(["1.0", "auth", "time"]));
                Arc::new(ApplicationKeys {
                    application_key,
                    application_secret,
                    consumer_key,
                    clock,
                })
            }
            Login::ServiceAccount { client_id, client_secret } => Arc::new(ServiceAccount {
                client_id,
                client_secret,
                client: public.clone(),
                url: endpoint.token.clone(),
                token: Mutex::new(None),
            }),
            Login::Token(token) => Arc::new(AccessToken(token)),
        };
        let client = public.speaking(dialect);
        Ok(Self { client, public, endpoint, project, login: words, has_keys })
    }

    /// The project's id.
    pub(crate) fn project_id(&self) -> &str {
        &self.project
    }

    /// The way to log in, in words.
    pub(crate) const fn login(&self) -> &'static str {
        self.login
    }

    /// Whose price book holds.
    pub(crate) fn subsidiary(&self) -> &str {
        &self.endpoint.subsidiary
    }

    /// Whether nobody said whose price book holds and there are several.
    pub(crate) const fn subsidiary_is_guessed(&self) -> bool {
        self.endpoint.subsidiary_is_guessed
    }

    /// The project itself.
    pub(crate) async fn project(&self, cx: &CallContext) -> Result<Project, ProviderError> {
        self.client.json(cx, &self.read(PROJECT, "get", &[])).await
    }

    /// The consumer key that asks, which it may always do; `None` for a login without one.
    pub(crate) async fn credential(
        &self,
        cx: &CallContext,
    ) -> Result<Option<Credential>, ProviderError> {
        if !self.has_keys {
            return Ok(None);
        }
        let url = self.endpoint.api.at(["1.0", "auth", "currentCredential"]);
        let call = Call::read("ovhcloud:GET /auth/currentCredential", url);
        self.client.json(cx, &call).await.map(Some)
    }

    /// All machines of all regions, in one answer.
    pub(crate) async fn instances(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<Instance>>, ProviderError> {
        self.list(cx, self.read(INSTANCES, "instance/get", &["instance"])).await
    }

    /// One machine by itself, in the form that holds its flavour whole.
    pub(crate) async fn instance(
        &self,
        cx: &CallContext,
        native: &str,
    ) -> Result<Instance, ProviderError> {
        self.client.json(cx, &self.read(INSTANCE, "instance/get", &["instance", native])).await
    }

    /// What was measured of one machine in the last time: one quantity.
    pub(crate) async fn monitoring(
        &self,
        cx: &CallContext,
        native: &str,
        period: &str,
        kind: &str,
    ) -> Result<Monitoring, ProviderError> {
        let path = ["instance", native, "monitoring"];
        let call = self.read(MONITORING, "instance/monitoring/get", &path);
        self.client.json(cx, &call.query("period", period).query("type", kind)).await
    }

    /// Shelves one machine. The answer is void and proves nothing, so that it is not looked at.
    pub(crate) async fn shelve(&self, cx: &CallContext, native: &str) -> Result<(), ProviderError> {
        let name = "ovhcloud:POST /cloud/project/{project}/instance/{instance}/shelve";
        let url = self.url(&["instance", native, "shelve"]);
        let call = Call::change(name, Method::POST, url).permission(SHELVE);
        self.client.send(cx, &call).await.map(drop)
    }

    /// The flavours of all regions.
    pub(crate) async fn flavors(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<Flavor>>, ProviderError> {
        let name = "ovhcloud:GET /cloud/project/{project}/flavor";
        self.list(cx, self.read(name, "flavor/get", &["flavor"])).await
    }

    /// The ids of all Kubernetes clusters.
    pub(crate) async fn clusters(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<String>>, ProviderError> {
        let name = "ovhcloud:GET /cloud/project/{project}/kube";
        self.list(cx, self.read(name, "kube/get", &["kube"])).await
    }

    /// The nodes of one cluster.
    pub(crate) async fn nodes(
        &self,
        cx: &CallContext,
        cluster: &str,
    ) -> Result<Vec<Lenient<Node>>, ProviderError> {
        self.list(cx, self.read(NODES, "kube/node/get", &["kube", cluster, "node"])).await
    }

    /// The volumes of all regions.
    pub(crate) async fn volumes(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<Volume>>, ProviderError> {
        self.list(cx, self.read(VOLUMES, "volume/get", &["volume"])).await
    }

    /// The snapshots of volumes of all regions.
    pub(crate) async fn volume_snapshots(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<Snapshot>>, ProviderError> {
        let call = self.read(SNAPSHOTS, "volume/snapshot/get", &["volume", "snapshot"]);
        self.list(cx, call).await
    }

    /// The images of all regions, which OVHcloud calls snapshots here.
    pub(crate) async fn images(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<Image>>, ProviderError> {
        self.list(cx, self.read(IMAGES, "snapshot/get", &["snapshot"])).await
    }

    /// The regions of the project.
    pub(crate) async fn regions(
        &self,
        cx: &CallContext,
    ) -> Result<Vec<Lenient<String>>, ProviderError> {
        let name = "ovhcloud:GET /cloud/project/{project}/region";
        self.list(cx, self.read(name, "region/get", &["region"])).await
    }

    /// The floating addresses of one region.
    pub(crate) async fn floating_ips(
        &self,
        cx: &CallContext,
        region: &str,
    ) -> Result<Vec<Lenient<FloatingIp>>, ProviderError> {
        let path = ["region", region, "floatingip"];
        self.list(cx, self.read(FLOATING_IPS, "region/floatingip/get", &path)).await
    }

    /// What the project has cost in its current month.
    pub(crate) async fn usage(&self, cx: &CallContext) -> Result<Usage, ProviderError> {
        self.client.json(cx, &self.read(USAGE, "usage/current/get", &["usage", "current"])).await
    }

    /// The account behind the login, which alone says in which currency it is billed.
    pub(crate) async fn account(&self, cx: &CallContext) -> Result<Account, ProviderError> {
        let call = Call::read(ACCOUNT, self.endpoint.api.at(["1.0", "me"]));
        self.client.json(cx, &call.permission(ACCOUNT_RIGHT)).await
    }

    /// The price catalogue, about 8 MB; public.
    pub(crate) async fn catalogue(&self, cx: &CallContext) -> Result<Book, ProviderError> {
        let url = self.endpoint.api.at(["1.0", "order", "catalog", "public", "cloud"]);
        let call = Call::read(CATALOGUE, url)
            .query("ovhSubsidiary", &self.endpoint.subsidiary)
            .limit(CATALOGUE_LIMIT);
        self.public.json(cx, &call).await
    }

    fn read(&self, name: &'static str, right: &str, path: &[&str]) -> Call {
        Call::read(name, self.url(path)).permission(format!("publicCloudProject:apiovh:{right}"))
    }

    /// An address below the project.
    fn url(&self, path: &[&str]) -> Url {
        let project = ["1.0", "cloud", "project", &self.project];
        self.endpoint.api.at(project.into_iter().chain(path.iter().copied()))
    }

    /// A list is whole: OVHcloud's v1 has no pages. Null is an empty one.
    async fn list<T: serde::de::DeserializeOwned>(
        &self,
        cx: &CallContext,
        call: Call,
    ) -> Result<Vec<Lenient<T>>, ProviderError> {
        let list: Option<Vec<Lenient<T>>> = self.client.json(cx, &call).await?;
        Ok(list.unwrap_or_default())
    }
}
