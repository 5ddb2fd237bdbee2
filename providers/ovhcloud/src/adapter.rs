//! [`OvhProvider`]: the trait `Provider` for one OVHcloud project.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{
    Assets, Bill, Fact, Ignorance, Instance, InstanceId, Location, Offer, Price, ProviderAccount,
    ProviderName, Source, Tag, Tags, Verb,
};
use reaper_provider::{
    AccountSettings, CallContext, Capabilities, Coverage, Delivery, Detail, ErrorKind, Identity,
    MetricsSource, OpenError, Provider, ProviderError, Sink, StopPermit,
};

use crate::assets::Reading;
use crate::billing::Billing;
use crate::client::{Api, INSTANCE, INSTANCES, PROJECT, SHELVE, VOLUMES};
use crate::convert::Place;
use crate::listing::Listing;
use crate::metrics::Monitor;
use crate::notes::Notes;
use crate::price::Prices;
use crate::wire::{Credential, Project};

/// How the cloud is called in configurations and identities.
const NAME: &str = "ovhcloud";
/// The one place to list: a call covers all regions.
const EVERYWHERE: &str = "all";
/// How long before a consumer key expires it is warned about.
const EXPIRY_WARNING: TimeDelta = TimeDelta::days(14);

/// One project.
#[derive(Debug)]
pub struct OvhProvider {
    api: Api,
    monitor: Monitor,
    prices: Prices,
    notes: Notes,
    /// Whether the project's tags stand for those of its machines.
    project_tags: bool,
    tags: Mutex<Fact<Tags>>,
}

impl OvhProvider {
    /// Checks the settings; sends nothing.
    ///
    /// # Errors
    /// When project or credentials are missing, incomplete or impossible.
    pub fn open(settings: &AccountSettings) -> Result<Self, OpenError> {
        let refused = |problem: String| OpenError { account: settings.name.to_string(), problem };
        let project = project_id(settings.option("project")).map_err(refused)?;
        let project_tags = match settings.option("project_tags") {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                let problem = format!("`project_tags` is \"true\" or \"false\", not \"{other}\"");
                return Err(refused(problem));
            }
        };
        let api = Api::open(settings, project)?;
        let prices = Prices::new(api.subsidiary()).map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            monitor: Monitor { api: api.clone() },
            api,
            prices,
            notes: Notes::default(),
            project_tags,
            tags: Mutex::new(no_tags()),
        })
    }

    /// The listing of a place, which says of a machine what the project's `tags` and the place say.
    fn listing<'a>(&'a self, cx: &'a CallContext, place: Place<'a>) -> Listing<'a> {
        Listing { api: &self.api, cx, place, prices: &self.prices, notes: &self.notes }
    }

    /// The project's tags as they are now, where they stand for those of its machines.
    async fn tags_now(&self, cx: &CallContext) -> Fact<Tags> {
        if !self.project_tags {
            return no_tags();
        }
        match self.api.project(cx).await.and_then(|project| self.confirmed(project)) {
            Ok(project) => tags_of(&project, cx.now),
            Err(error) => Fact::unknown(Ignorance::ReadFailed, error.to_string()),
        }
    }

    /// An answer that is about this project and no other.
    fn confirmed(&self, project: Project) -> Result<Project, ProviderError> {
        let id = self.api.project_id();
        if project.id.good().is_some_and(|confirmed| confirmed == id) {
            return Ok(project);
        }
        let words = format!("the answer is not about project {id}");
        Err(ProviderError::answered(ErrorKind::Inconsistent, PROJECT, words))
    }

    /// Every address names this project. A machine of another would not be found below it, which
    /// nobody may take for its end.
    fn owns(&self, id: &InstanceId, call: &str) -> Result<(), ProviderError> {
        if id.provider.as_str() == NAME && id.account.as_str() == self.api.project_id() {
            return Ok(());
        }
        let words = format!("{id} is no machine of project {}", self.api.project_id());
        Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, call, words))
    }

    fn tags(&self) -> MutexGuard<'_, Fact<Tags>> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of a project; a name lists nothing, so it is refused.
fn project_id(given: Option<&str>) -> Result<String, String> {
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Err("`project` is missing: the id of the Public Cloud project, 32 hexadecimal \
                    digits (or set OVH_CLOUD_PROJECT_SERVICE)"
            .to_owned());
    };
    let id = given.to_ascii_lowercase();
    if id.len() != 32 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!(
            "project `{given}` is no project id: give its 32 hexadecimal digits, which the control \
             panel shows under the project's name"
        ));
    }
    Ok(id)
}

fn no_tags() -> Fact<Tags> {
    Fact::unknown(Ignorance::NotOffered, "OVHcloud gives no tags on instances")
}

/// The tags of the project, as far as IAM shows them.
fn tags_of(project: &Project, now: DateTime<Utc>) -> Fact<Tags> {
    let Some(tags) = project.iam.good().and_then(|iam| iam.tags.good()) else { return no_tags() };
    let source = Source::new(format!("{PROJECT}, iam.tags"));
    let tags = tags.iter().map(|(key, value)| Tag::pair(key, value)).collect();
    Fact::known(Tags::new(tags), &source, now)
}

/// What the key's own entry says of it beyond that it was accepted.
fn check_credential(credential: &Credential, now: DateTime<Utc>, notes: &Notes) {
    let expiration = credential
        .expiration
        .good()
        .and_then(|text| DateTime::parse_from_rfc3339(text).map(|time| time.to_utc()).ok());
    if let Some(expiration) = expiration
        && expiration <= now + EXPIRY_WARNING
    {
        let time = expiration.format("%Y-%m-%d %H:%M UTC");
        notes.add("key-expires", format!("the consumer key expires on {time}; renew it"));
    }
}

/// A refused project may mean a refused key, in the same words. The key may always read its own
/// entry: what that says decides.
fn explain_refusal(
    error: ProviderError,
    project: &str,
    credential: Result<Option<Credential>, ProviderError>,
) -> ProviderError {
    match (&error.kind, credential) {
        (ErrorKind::NotFound, _) => ProviderError {
            detail: format!("{project} is no project of this login: {}", error.detail),
            ..error
        },
        (ErrorKind::Denied { .. }, Err(refused))
            if matches!(
                refused.kind,
                ErrorKind::Denied { .. } | ErrorKind::CredentialsRejected
            ) =>
        {
            ProviderError { kind: ErrorKind::CredentialsRejected, ..error }
        }
        (ErrorKind::Denied { .. }, Ok(Some(credential)))
            if credential.status.good().is_some_and(|status| status == "expired") =>
        {
            ProviderError { kind: ErrorKind::CredentialsExpired, ..error }
        }
        _ => error,
    }
}

#[async_trait]
impl Provider for OvhProvider {
    fn name(&self) -> ProviderName {
        ProviderName::new(NAME)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tags: false,
            launch_times: true,
            deallocate: true,
            scope_per_location: false,
        }
    }

    /// The project, which OVHcloud must confirm: one that does not exist is an error and never an
    /// empty listing.
    async fn identity(&self, cx: &CallContext) -> Result<Identity, ProviderError> {
        let id = self.api.project_id();
        let (project, credential) = futures::join!(self.api.project(cx), self.api.credential(cx));
        let project = match project {
            Ok(project) => project,
            Err(error) => return Err(explain_refusal(error, id, credential)),
        };
        match credential {
            Ok(credential) => {
                if let Some(credential) = credential {
                    check_credential(&credential, cx.now, &self.notes);
                }
            }
            Err(error) => tracing::debug!(%error, "when the key expires is not known"),
        }
        let project = self.confirmed(project)?;
        if let Some(status) = project.status.good().filter(|status| *status != "ok") {
            self.notes.add("project-state", format!("project {id} is {status}"));
        }
        if self.project_tags {
            *self.tags() = tags_of(&project, cx.now);
        }
        let login = self.api.login();
        let login = match project.description.good().filter(|name| !name.is_empty()) {
            Some(name) => format!("{login} for project {name:?}"),
            None => login.to_owned(),
        };
        Ok(Identity { account: ProviderAccount::new(id), login })
    }

    async fn coverage(&self, _cx: &CallContext) -> Result<Coverage, ProviderError> {
        Ok(Coverage { locations: vec![Location::new(EVERYWHERE)], ..Coverage::default() })
    }

    async fn list(
        &self,
        cx: &CallContext,
        identity: &Identity,
        location: &Location,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        let source = Source::new(INSTANCES);
        let tags = self.tags().clone();
        let place = Place {
            account: &identity.account,
            location,
            source: &source,
            now: cx.now,
            tags: &tags,
        };
        let result = self.listing(cx, place).run(sink).await;
        self.notes.tell(sink, identity.account.as_str());
        result
    }

    /// Nothing of a machine costs a call of its own.
    async fn details(
        &self,
        _cx: &CallContext,
        _location: &Location,
        _candidates: &[&Instance],
    ) -> Vec<Detail> {
        Vec::new()
    }

    async fn read(
        &self,
        cx: &CallContext,
        identity: &Identity,
        id: &InstanceId,
    ) -> Result<Instance, ProviderError> {
        self.owns(id, INSTANCE)?;
        let place = Place {
            account: &identity.account,
            location: &Location::new(EVERYWHERE),
            source: &Source::new(INSTANCE),
            now: cx.now,
            tags: &self.tags_now(cx).await,
        };
        self.listing(cx, place).one(&id.native).await
    }

    /// `shelve` ends the bill and keeps the machine; OVHcloud's own `stop` would end nothing, and
    /// deleting is never needed.
    fn call(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => Some(SHELVE),
            Verb::Terminate => None,
        }
    }

    async fn act(&self, cx: &CallContext, permit: StopPermit) -> Result<(), ProviderError> {
        let id = permit.id();
        self.owns(id, SHELVE)?;
        match permit.verb() {
            Verb::Stop => self.api.shelve(cx, &id.native).await,
            Verb::Terminate => {
                let words = "machines are shelved here and never deleted";
                Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, "terminate", words))
            }
        }
    }

    fn price(&self, instance: &Instance) -> Fact<Price> {
        self.prices.price(instance)
    }

    fn offers(&self, location: &Location) -> Vec<Offer> {
        self.prices.offers(location)
    }

    async fn bill(
        &self,
        cx: &CallContext,
        identity: &Identity,
    ) -> Result<Option<Bill>, ProviderError> {
        let Self { api, prices, notes, .. } = self;
        let billing = Billing { api, cx, account: &identity.account, prices, notes };
        billing.read().await.map(Some)
    }

    fn metrics(&self) -> Option<&dyn MetricsSource> {
        Some(&self.monitor)
    }

    async fn assets(&self, cx: &CallContext, identity: &Identity, location: &Location) -> Assets {
        let (source, tags) = (Source::new(VOLUMES), self.tags().clone());
        let place = Place {
            account: &identity.account,
            location,
            source: &source,
            now: cx.now,
            tags: &tags,
        };
        let Self { api, prices, notes, .. } = self;
        Reading { api, cx, place, prices, notes }.run().await
    }
}
