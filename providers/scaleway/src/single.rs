//! One server read alone, by what reads a zone: the same conversion, its project's groups and its
//! own past. Only the zone's product list is not asked for again.

use reaper_model::{Fact, Instance};
use reaper_provider::{ErrorKind, ProviderError};

use crate::client::SERVER;
use crate::convert;
use crate::groups::Projects;
use crate::listing::Listing;

impl Listing<'_> {
    /// The server as it is now. One that has no GPU any more comes with none, so that the change
    /// of its type is seen.
    ///
    /// # Errors
    ///
    /// Also for a server of a project that is not among those configured: it is none of ours.
    pub(crate) async fn one(&self, id: &str) -> Result<Instance, ProviderError> {
        let (products, _) = self.book.read(self.api, self.cx, self.place.zone).await;
        let server = self.api.server(self.cx, self.place.zone, id).await?;
        let project = server.project.good().cloned();
        if let Some(project) = project.as_ref().filter(|it| !self.covers(it)) {
            let detail = format!("server {id} is of project {project}, which is not configured");
            return Err(ProviderError::answered(ErrorKind::Invalid, SERVER, detail));
        }
        let kind = server.commercial_type.good().map_or("", String::as_str);
        let gpu = products
            .accelerator(kind, self.catalogue)
            .unwrap_or_else(|| Fact::absent(self.place.source));
        let mut projects = Projects::default();
        projects.note(id, project.as_deref());
        let mut machine = convert::instance(server, id.to_owned(), gpu, self.place);
        let alone = std::slice::from_mut(&mut machine);
        self.add_facts(&projects, Some(id), alone).await;
        Ok(machine)
    }

    fn covers(&self, project: &str) -> bool {
        self.projects.is_empty() || self.projects.iter().any(|ours| ours == project)
    }
}
