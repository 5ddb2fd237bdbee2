//! Which organisation a key belongs to. Scaleway has no "who am I", and a configured organisation
//! proves nothing, so the answer is taken from what the key can read: its projects, itself in IAM,
//! or a server. Where none of them says it, it is not guessed.

use futures::future::{join_all, try_join_all};
use reaper_model::{Location, ProviderAccount};
use reaper_provider::{CallContext, Delivery, ErrorKind, Identity, ProviderError};

use crate::client::{API_KEY, Api, IAM_READ, PROJECT};
use crate::settings::Settings;
use crate::wire;

/// What asking needs.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) settings: &'a Settings,
    /// Zones in which a server may be looked for.
    pub(crate) zones: &'a [Location],
}

/// Who the key is. Configured projects are read in any case: an id that does not exist would list
/// nothing and look like an empty account.
pub(crate) async fn identify(question: &Question<'_>) -> Result<Identity, ProviderError> {
    if !question.settings.projects.is_empty() {
        return question.by_configured_projects().await;
    }
    if let Some(identity) = readable(question.by_key().await)? {
        return Ok(identity);
    }
    if let Some(identity) = readable(question.by_default_project().await)? {
        return Ok(identity);
    }
    if let Some(identity) = question.by_servers().await? {
        return Ok(identity);
    }
    Err(ProviderError::new(
        ErrorKind::Denied { permission: IAM_READ.to_owned() },
        Delivery::Answered,
        API_KEY,
        "the key sees no server, and neither IAM nor a project tells its organisation: give it \
         IAMReadOnly (with access_key) or ProjectReadOnly (with project_ids)",
    ))
}

/// What may not be read tells nothing; every other failure ends the asking.
fn readable(
    answer: Result<Option<Identity>, ProviderError>,
) -> Result<Option<Identity>, ProviderError> {
    match answer {
        Err(error) if matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::NotFound) => {
            tracing::debug!(%error, "the organisation is looked for elsewhere");
            Ok(None)
        }
        other => other,
    }
}

impl Question<'_> {
    fn identity(&self, organisation: String, owner: Option<String>) -> Identity {
        let key = match &self.settings.access_key {
            Some(access_key) => format!("API key {access_key}"),
            None => "API key".to_owned(),
        };
        let login = owner.map_or(key.clone(), |owner| format!("{key} of {owner}"));
        Identity { account: ProviderAccount::new(organisation), login }
    }

    async fn by_configured_projects(&self) -> Result<Identity, ProviderError> {
        let ids = &self.settings.projects;
        let read = async |id: &String| {
            // Scaleway answers 403 for a project that was deleted, too.
            self.api.project(self.cx, id).await.map_err(|error| ProviderError {
                detail: format!(
                    "project {id} of project_ids cannot be read, it may not exist: {}",
                    error.detail
                ),
                ..error
            })
        };
        let projects = try_join_all(ids.iter().map(read)).await?;
        let mut organisations = projects.into_iter().map(organisation_of);
        let first = organisations.next().flatten();
        let agreed = organisations.all(|other| other == first);
        match first.filter(|_| agreed) {
            Some(organisation) => Ok(self.identity(organisation, None)),
            None => Err(ProviderError::new(
                ErrorKind::Inconsistent,
                Delivery::Answered,
                PROJECT,
                "the projects of project_ids name no common organisation",
            )),
        }
    }

    async fn by_key(&self) -> Result<Option<Identity>, ProviderError> {
        let Some(access_key) = &self.settings.access_key else { return Ok(None) };
        let key = self.api.api_key(self.cx, access_key).await?;
        let bearer = match (key.user_id.good(), key.application_id.good()) {
            (Some(id), _) => self.api.user(self.cx, id).await?,
            (None, Some(id)) => self.api.application(self.cx, id).await?,
            (None, None) => return Ok(None),
        };
        let owner = bearer.email.good().or(bearer.name.good()).cloned();
        let organisation = bearer.organization_id.take("organization_id", &mut Vec::new());
        Ok(organisation.map(|organisation| self.identity(organisation, owner)))
    }

    async fn by_default_project(&self) -> Result<Option<Identity>, ProviderError> {
        let Some(id) = &self.settings.default_project else { return Ok(None) };
        let project = self.api.project(self.cx, id).await?;
        Ok(organisation_of(project).map(|organisation| self.identity(organisation, None)))
    }

    /// A key sees servers of its own organisation only, so any of them tells.
    async fn by_servers(&self) -> Result<Option<Identity>, ProviderError> {
        let asked = self.zones.iter().map(|zone| self.api.any_server(self.cx, zone));
        let mut failure = None;
        for answer in join_all(asked).await {
            match answer {
                Ok(Some(server)) => {
                    if let Some(organisation) = server.organization.good() {
                        return Ok(Some(self.identity(organisation.clone(), None)));
                    }
                }
                Ok(None) => {}
                // A zone without the product.
                Err(error) if error.kind == ErrorKind::NotFound => {}
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(None), Err)
    }
}

fn organisation_of(project: wire::Project) -> Option<String> {
    project.organization_id.take("organization_id", &mut Vec::new())
}
