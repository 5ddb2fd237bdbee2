//! The calls, each with the permission set that it needs. Two of them change something: the
//! power-off and the list of tags.

use std::sync::Arc;

use async_trait::async_trait;
use reaper_http::paging::NumberedPage;
use reaper_http::{
    Answer, Base, Call, Client, CursorPages, Dialect, HeaderName, Method, NumberedPages, Pace,
    Refusal, Signer, Url,
};
use reaper_model::{Location, ProviderAccount};
use reaper_provider::{AccountSettings, CallContext, ErrorKind, OpenError, ProviderError};
use secrecy::SecretString;
use serde_json::json;

use crate::error;
use crate::settings::Settings;
use crate::wire;

/// Lists the servers of a zone.
pub(crate) const SERVERS: &str = "scaleway:ListServers";
/// Reads one server.
pub(crate) const SERVER: &str = "scaleway:GetServer";
/// Acts on one server.
pub(crate) const ACTION: &str = "scaleway:ServerAction";
/// Changes one server's tags.
pub(crate) const UPDATE: &str = "scaleway:UpdateServer";
/// Lists the types of a zone with their GPUs and prices.
pub(crate) const PRODUCTS: &str = "scaleway:ListServersTypes";
/// Lists what was done in an organisation.
pub(crate) const EVENTS: &str = "scaleway:ListEvents";
/// Lists the autoscaling groups of a project in a zone.
pub(crate) const GROUPS: &str = "scaleway:ListGroups";
/// Reads one project.
pub(crate) const PROJECT: &str = "scaleway:GetProject";
/// Reads one API key.
pub(crate) const API_KEY: &str = "scaleway:GetAPIKey";

/// Lists what was consumed in a month.
pub(crate) const CONSUMPTIONS: &str = "scaleway:ListConsumptions";

/// Lists where the metrics of a project are.
pub(crate) const DATA_SOURCES: &str = "scaleway:ListDataSources";

/// A list beside that of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// Local volumes.
    Volumes,
    /// Snapshots of local volumes.
    Snapshots,
    /// Images.
    Images,
    /// Flexible addresses.
    Ips,
    /// Block volumes.
    BlockVolumes,
    /// Snapshots of block volumes.
    BlockSnapshots,
    /// Kinds of block volumes with their prices.
    VolumeTypes,
}

impl Shelf {
    /// How errors and facts name the call.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Volumes => "scaleway:ListVolumes",
            Self::Snapshots => "scaleway:ListSnapshots",
            Self::Images => "scaleway:ListImages",
            Self::Ips => "scaleway:ListIps",
            Self::BlockVolumes => "scaleway:ListVolumes (block)",
            Self::BlockSnapshots => "scaleway:ListSnapshots (block)",
            Self::VolumeTypes => "scaleway:ListVolumeTypes",
        }
    }

    /// What is in it, in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Volumes => "local volumes",
            Self::Snapshots => "local snapshots",
            Self::Images => "images",
            Self::Ips => "addresses",
            Self::BlockVolumes => "block volumes",
            Self::BlockSnapshots => "block snapshots",
            Self::VolumeTypes => "volume types",
        }
    }

    /// The last part of its path.
    const fn path(self) -> &'static str {
        match self {
            Self::Volumes | Self::BlockVolumes => "volumes",
            Self::Snapshots | Self::BlockSnapshots => "snapshots",
            Self::Images => "images",
            Self::Ips => "ips",
            Self::VolumeTypes => "volume-types",
        }
    }

    const fn is_block(self) -> bool {
        matches!(self, Self::BlockVolumes | Self::BlockSnapshots | Self::VolumeTypes)
    }
}

/// The permission set that reads API keys, users and applications.
pub(crate) const IAM_READ: &str = "IAMReadOnly";

/// The permission set that reads servers.
const INSTANCES_READ: &str = "InstancesReadOnly";
/// The permission set that reads block storage.
const BLOCK_READ: &str = "BlockStorageReadOnly";
/// The least set that acts on servers and sets their tags; no narrower one is documented.
const INSTANCES_WRITE: &str = "InstancesFullAccess";

const DEFAULT_URL: &str = "https://api.scaleway.com";
/// One request per zone that exists. Scaleway publishes no rate; it was seen to refuse clients that
/// list every project of every zone at once.
const IN_FLIGHT: usize = 10;
/// The most that a page of the Audit Trail, of Autoscaling or of Billing holds.
const PAGE_SIZE: &str = "100";
/// The permission set that reads consumptions.
const BILLING_READ: &str = "BillingReadOnly";
/// The set that surely reads autoscaling groups; one of their own is not documented.
const GROUPS_READ: &str = "AllProductsReadOnly";

/// The API of one account.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    client: Client,
    base: Base,
    page_size: u32,
}

/// Scaleway's login: one header, no signature.
#[derive(Debug)]
struct Token {
    key: SecretString,
}

#[async_trait]
impl Dialect for Token {
    async fn signer(&self, _cx: &CallContext) -> Result<Signer<'_>, ProviderError> {
        let name = HeaderName::from_static("x-auth-token");
        Ok(Box::new(|request| request.secret_header(name, &self.key)))
    }

    fn refusal(&self, call: &Call, answer: &Answer) -> Refusal {
        error::refusal(call, answer)
    }
}

impl Api {
    /// Opens the API and sends nothing.
    pub(crate) fn open(account: &AccountSettings, settings: &Settings) -> Result<Self, OpenError> {
        let pace = Pace { per_second: None, in_flight: IN_FLIGHT };
        let token = Token { key: settings.secret_key.clone() };
        Ok(Self {
            client: Client::open(account, pace, Arc::new(token))?,
            base: Base::open(account, DEFAULT_URL)?,
            page_size: settings.page_size,
        })
    }

    /// The servers of a zone, of one project or of all that the key sees. Newest first, so that a
    /// server that is made meanwhile shifts others to the next page and never past it.
    pub(crate) fn servers(&self, zone: &Location, project: Option<&str>) -> NumberedPages<'_> {
        self.servers_by(zone, project, self.page_size)
    }

    /// One server of a zone, if there is any.
    pub(crate) async fn any_server(
        &self,
        cx: &CallContext,
        zone: &Location,
    ) -> Result<Option<wire::Server>, ProviderError> {
        let page: Option<wire::Servers> = self.servers_by(zone, None, 1).next(cx).await?;
        let found = page.into_iter().flat_map(|page| page.servers).next();
        Ok(found.and_then(|server| server.take("server", &mut Vec::new())))
    }

    fn servers_by(&self, zone: &Location, project: Option<&str>, size: u32) -> NumberedPages<'_> {
        let url = self.base.at(["instance", "v1", "zones", zone.as_str(), "servers"]);
        let mut call = Call::read(SERVERS, url)
            .permission(INSTANCES_READ)
            .query("order", "creation_date_desc");
        if let Some(project) = project {
            call = call.query("project", project);
        }
        NumberedPages::new(&self.client, call, size)
    }

    /// One of the lists beside servers, of one project or of all that the key sees. The two APIs
    /// call project and size of a page by different names.
    pub(crate) fn things(
        &self,
        zone: &Location,
        shelf: Shelf,
        project: Option<&str>,
    ) -> NumberedPages<'_> {
        let (api, permission, of_project, size) = if shelf.is_block() {
            ("block", BLOCK_READ, "project_id", "page_size")
        } else {
            ("instance", INSTANCES_READ, "project", "per_page")
        };
        let url = self.base.at([api, "v1", "zones", zone.as_str(), shelf.path()]);
        let mut call = Call::read(shelf.name(), url).permission(permission);
        match shelf {
            Shelf::Images => call = call.query("public", "false"),
            Shelf::BlockVolumes | Shelf::BlockSnapshots => {
                call = call.query("include_deleted", "false");
            }
            Shelf::Volumes | Shelf::Snapshots | Shelf::Ips | Shelf::VolumeTypes => {}
        }
        if let Some(project) = project {
            call = call.query(of_project, project);
        }
        NumberedPages::sized_by(&self.client, call, size, self.page_size)
    }

    /// One server, as it is now.
    pub(crate) async fn server(
        &self,
        cx: &CallContext,
        zone: &Location,
        id: &str,
    ) -> Result<wire::Server, ProviderError> {
        let call = Call::read(SERVER, self.server_url(zone, id)).permission(INSTANCES_READ);
        let wire::OneServer { server } = self.client.json(cx, &call).await?;
        if server.id.good().is_some_and(|shown| shown == id) {
            return Ok(server);
        }
        let detail = format!("asked for server {id}, another one or none was shown");
        Err(ProviderError::answered(ErrorKind::Inconsistent, SERVER, detail))
    }

    /// Powers a server off.
    pub(crate) async fn power_off(
        &self,
        cx: &CallContext,
        zone: &Location,
        id: &str,
    ) -> Result<(), ProviderError> {
        let server = ["instance", "v1", "zones", zone.as_str(), "servers", id];
        let url = self.base.at(server.into_iter().chain(["action"]));
        // The word must be there: without it Scaleway powers a server on.
        let call = Call::change(ACTION, Method::POST, url)
            .permission(INSTANCES_WRITE)
            .json(&json!({ "action": "poweroff" }));
        self.client.json(cx, &call).await.map(|wire::Accepted { .. }| ())
    }

    /// Replaces the list of a server's tags and nothing else of it. The server as it is then.
    pub(crate) async fn set_tags(
        &self,
        cx: &CallContext,
        zone: &Location,
        id: &str,
        tags: &[String],
    ) -> Result<wire::Server, ProviderError> {
        let call = Call::change(UPDATE, Method::PATCH, self.server_url(zone, id))
            .permission(INSTANCES_WRITE)
            .json(&json!({ "tags": tags }));
        let wire::OneServer { server } = self.client.json(cx, &call).await?;
        Ok(server)
    }

    fn server_url(&self, zone: &Location, id: &str) -> Url {
        self.base.at(["instance", "v1", "zones", zone.as_str(), "servers", id])
    }

    /// The types of a zone. Scaleway shows them to everybody.
    pub(crate) async fn products(
        &self,
        cx: &CallContext,
        zone: &Location,
    ) -> Result<Vec<wire::Products>, ProviderError> {
        let url = self.base.at(["instance", "v1", "zones", zone.as_str(), "products", "servers"]);
        let call = Call::read(PRODUCTS, url).permission(INSTANCES_READ);
        all(NumberedPages::new(&self.client, call, self.page_size), cx).await
    }

    /// One project.
    pub(crate) async fn project(
        &self,
        cx: &CallContext,
        id: &str,
    ) -> Result<wire::Project, ProviderError> {
        let url = self.base.at(["account", "v3", "projects", id]);
        self.client.json(cx, &Call::read(PROJECT, url).permission("ProjectReadOnly")).await
    }

    /// The ids of an organisation's projects.
    pub(crate) async fn projects(
        &self,
        cx: &CallContext,
        organisation: &ProviderAccount,
    ) -> Result<Vec<String>, ProviderError> {
        let url = self.base.at(["account", "v3", "projects"]);
        let call = Call::read("scaleway:ListProjects", url)
            .permission("ProjectReadOnly")
            .query("organization_id", organisation.as_str());
        let pages = NumberedPages::sized_by(&self.client, call, "page_size", self.page_size);
        let pages: Vec<wire::Projects> = all(pages, cx).await?;
        let projects = pages.iter().flat_map(|page| &page.projects);
        Ok(projects.filter_map(|it| it.good()?.id.good().cloned()).collect())
    }

    /// Where the metrics are that Scaleway itself keeps of a project in a region.
    pub(crate) async fn data_sources(
        &self,
        cx: &CallContext,
        region: &str,
        project: &str,
    ) -> Result<Vec<wire::DataSource>, ProviderError> {
        let url = self.base.at(["cockpit", "v1", "regions", region, "data-sources"]);
        let call = Call::read(DATA_SOURCES, url)
            .permission("ObservabilityReadOnly")
            .query("project_id", project)
            .query("origin", "scaleway")
            .query("types", "metrics");
        let found: wire::DataSources = self.client.json(cx, &call).await?;
        Ok(found.data_sources.into_iter().filter_map(|it| it.take("", &mut Vec::new())).collect())
    }

    /// The client, for what is met at other addresses with the same connections and pace.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// Whether an address is of the server that the API is met at.
    pub(crate) fn is_at(&self, url: &Url) -> bool {
        url.origin() == self.base.url().origin()
    }

    /// One API key, by its public half.
    pub(crate) async fn api_key(
        &self,
        cx: &CallContext,
        access_key: &str,
    ) -> Result<wire::ApiKey, ProviderError> {
        let url = self.base.at(["iam", "v1alpha1", "api-keys", access_key]);
        self.client.json(cx, &Call::read(API_KEY, url).permission(IAM_READ)).await
    }

    /// A user.
    pub(crate) async fn user(
        &self,
        cx: &CallContext,
        id: &str,
    ) -> Result<wire::Bearer, ProviderError> {
        let url = self.base.at(["iam", "v1alpha1", "users", id]);
        self.client.json(cx, &Call::read("scaleway:GetUser", url).permission(IAM_READ)).await
    }

    /// An application.
    pub(crate) async fn application(
        &self,
        cx: &CallContext,
        id: &str,
    ) -> Result<wire::Bearer, ProviderError> {
        let url = self.base.at(["iam", "v1alpha1", "applications", id]);
        self.client.json(cx, &Call::read("scaleway:GetApplication", url).permission(IAM_READ)).await
    }

    /// The autoscaling groups of a project.
    pub(crate) fn groups(&self, zone: &Location, project: &str) -> CursorPages<'_> {
        let url = self.base.at(["autoscaling", "v1alpha2", "zones", zone.as_str(), "groups"]);
        let call = Call::read(GROUPS, url)
            .permission(GROUPS_READ)
            .query("project_id", project)
            .query("page_size", PAGE_SIZE);
        CursorPages::new(&self.client, call, "page_token")
    }

    /// The servers that a group made.
    pub(crate) fn group_servers(&self, zone: &Location, group: &str) -> CursorPages<'_> {
        let url = self.base.at(["autoscaling", "v1alpha2", "zones", zone.as_str(), "servers"]);
        let call = Call::read("scaleway:ListGroupServers", url)
            .permission(GROUPS_READ)
            .query("group_id", group)
            .query("page_size", PAGE_SIZE);
        CursorPages::new(&self.client, call, "page_token")
    }

    /// What a project, or else the whole organisation, has consumed in a month (`2026-11`), by
    /// product and project.
    pub(crate) fn consumptions(
        &self,
        organisation: &ProviderAccount,
        project: Option<&str>,
        month: &str,
    ) -> NumberedPages<'_> {
        let url = self.base.at(["billing", "v2beta1", "consumptions"]);
        // Only one of the two may be given.
        let (parameter, id) = match project {
            Some(project) => ("project_id", project),
            None => ("organization_id", organisation.as_str()),
        };
        let call = Call::read(CONSUMPTIONS, url)
            .permission(BILLING_READ)
            .query(parameter, id)
            .query("billing_period", month);
        NumberedPages::sized_by(&self.client, call, "page_size", self.page_size)
    }

    /// What was done to the servers of a region, or to `server` alone, since `after` (RFC 3339),
    /// newest first. Without `after` Scaleway would tell of the last hour only.
    pub(crate) fn server_actions(
        &self,
        region: &str,
        organisation: &ProviderAccount,
        after: &str,
        server: Option<&str>,
    ) -> CursorPages<'_> {
        let url = self.base.at(["audit-trail", "v1alpha1", "regions", region, "events"]);
        let mut call = Call::read(EVENTS, url)
            .permission("AuditTrailReadOnly")
            .query("organization_id", organisation.as_str())
            .query("resource_type", "instance_server")
            .query("method_name", "ServerAction")
            .query("recorded_after", after)
            .query("order_by", "recorded_at_desc")
            .query("page_size", PAGE_SIZE);
        if let Some(server) = server {
            call = call.query("resource_id", server);
        }
        CursorPages::new(&self.client, call, "page_token")
    }
}

async fn all<T: NumberedPage>(
    mut pages: NumberedPages<'_>,
    cx: &CallContext,
) -> Result<Vec<T>, ProviderError> {
    let mut read = Vec::new();
    while let Some(page) = pages.next(cx).await? {
        read.push(page);
    }
    Ok(read)
}
