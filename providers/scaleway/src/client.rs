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

/// The permission set that reads API keys, users and applications.
pub(crate) const IAM_READ: &str = "IAMReadOnly";

/// The permission set that reads servers.
const INSTANCES_READ: &str = "InstancesReadOnly";
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
#[derive(Debug)]
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
