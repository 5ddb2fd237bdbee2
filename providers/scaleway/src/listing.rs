//! One zone's listing: pages counted against the total that Scaleway announces. A server that comes
//! or goes meanwhile shifts the others from page to page, so a listing that does not add up, or
//! that has no total, is made a second time, and then said to be incomplete.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join;
use reaper_http::Lenient;
use reaper_model::{Instance, Unknown};
use reaper_provider::{CallContext, Catalogue, Delivery, ErrorKind, ProviderError, Sink};

use crate::audit_trail;
use crate::client::{Api, SERVERS};
use crate::convert::{self, Place};
use crate::groups::{self, Projects};
use crate::price;
use crate::products::{ProductBook, Products};
use crate::wire;

/// What listing needs.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) place: Place<'a>,
    /// Only these projects; empty for all that the key sees.
    pub(crate) projects: &'a [String],
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) book: &'a ProductBook,
    /// Whether the operator named the zone, as opposed to one that is tried like all others.
    pub(crate) zone_is_named: bool,
}

/// What could not be read besides the servers; it is in their facts, too.
#[derive(Debug)]
pub(crate) struct Gaps {
    groups: Option<Unknown>,
    past: Option<ProviderError>,
}

/// One reading from the first page to the last.
#[derive(Debug, Default)]
struct Pass {
    /// Servers by id, with and without GPUs.
    ids: BTreeSet<String>,
    /// Entries without a readable id.
    nameless: usize,
    /// Servers as last announced. Without it nobody knows whether these are all.
    announced: Option<u64>,
}

impl Pass {
    fn distinct(&self) -> u64 {
        (self.ids.len() + self.nameless) as u64
    }

    fn adds_up(&self) -> bool {
        self.announced == Some(self.distinct())
    }
}

impl Listing<'_> {
    /// Lists to the end.
    pub(crate) async fn run(&self, sink: &mut Sink<'_>) -> Result<(), ProviderError> {
        let mut projects = Projects::default();
        let wanted: Vec<Option<&str>> = if self.projects.is_empty() {
            vec![None]
        } else {
            self.projects.iter().map(|project| Some(project.as_str())).collect()
        };
        let mut result = Ok(());
        for project in wanted {
            result = self.complete(project, &mut projects, sink).await;
            if result.is_err() {
                break;
            }
        }
        // Also for what was read before a listing broke off.
        if !result.as_ref().is_err_and(|error| error.kind.is_account_wide()) {
            self.complete_facts(&projects, sink).await;
            self.compare_lists(sink);
        }
        result.map_err(|error| self.explain(error))
    }

    /// Adds what a server itself does not show: its autoscaling group and its last start. The past
    /// is read of all servers or of `only` one.
    pub(crate) async fn add_facts(
        &self,
        projects: &Projects,
        only: Option<&str>,
        machines: &mut [Instance],
    ) -> Gaps {
        let Self { api, cx, place: Place { organisation, zone, now, .. }, .. } = *self;
        let (members, pasts) = join(
            groups::read(api, cx, zone, projects, machines),
            audit_trail::read(api, cx, organisation, zone, only, machines),
        )
        .await;
        groups::mark(machines, projects, &members, now);
        audit_trail::apply(machines, &pasts, now);
        Gaps { groups: members.gap().cloned(), past: pasts.err() }
    }

    /// Adds those facts to all that was listed, and says what they could not tell.
    async fn complete_facts(&self, projects: &Projects, sink: &mut Sink<'_>) {
        let Gaps { groups, past } = self.add_facts(projects, None, sink.machines()).await;
        let zone = self.place.zone;
        if let Some(gap) = groups {
            let text = format!("machines that may belong to a group are not stopped: {gap}");
            sink.warn("groups-unread", text, Some(zone.to_string()));
        }
        if let Some(error) = past {
            let meaning = if audit_trail::is_not_offered(&error) {
                "costs count from the creation of a server, also where it was off for a while"
            } else {
                "since when servers are billed is not known"
            };
            let words = error.kind.words();
            let text = format!("the Audit Trail could not be read ({words}): {meaning}");
            sink.warn("starts-unknown", text, Some(zone.to_string()));
        }
    }

    /// Says where the zone's product list contradicts itself or the dated list.
    fn compare_lists(&self, sink: &mut Sink<'_>) {
        let Some(products) = self.book.of(self.place.zone) else { return };
        let types: BTreeSet<_> =
            sink.machines().iter().map(|machine| machine.machine_type.clone()).collect();
        for kind in types {
            if let Some(text) = price::contradiction(self.catalogue, &products, &kind) {
                sink.warn("price-differs", text, Some(format!("scaleway/{kind}")));
            }
            if let Some(text) = products.contradiction(kind.as_str(), self.catalogue) {
                sink.warn("gpu-differs", text, Some(format!("scaleway/{kind}")));
            }
        }
    }

    /// A zone that lacks the product answers 404. That is an error only where somebody asked for it.
    fn explain(&self, error: ProviderError) -> ProviderError {
        if error.kind != ErrorKind::NotFound {
            return error;
        }
        let kind = if self.zone_is_named { ErrorKind::NotFound } else { ErrorKind::NotEnabled };
        let detail = format!("product not available in zone {}", self.place.zone);
        ProviderError { kind, detail, ..error }
    }

    /// All servers of a project, or of all. Notes which projects have machines.
    async fn complete(
        &self,
        project: Option<&str>,
        projects: &mut Projects,
        sink: &mut Sink<'_>,
    ) -> Result<(), ProviderError> {
        let mut taken = BTreeSet::new();
        let mut pass = self.pass(project, &mut taken, projects, sink).await?;
        if !pass.adds_up() {
            pass = self.pass(project, &mut taken, projects, sink).await?;
            if !pass.adds_up() {
                let listed = pass.distinct();
                let detail = match pass.announced {
                    Some(announced) => format!("{announced} servers announced, {listed} listed"),
                    None => format!("{listed} servers listed, and no total to count against"),
                };
                return Err(contradiction(ErrorKind::Inconsistent, detail));
            }
            // What only the first reading saw is gone.
            let gone =
                |it: &Instance| taken.contains(&it.id.native) && !pass.ids.contains(&it.id.native);
            sink.machines().retain(|machine| !gone(machine));
        }
        match pass.nameless {
            0 => Ok(()),
            count => Err(contradiction(
                ErrorKind::Protocol,
                format!("{count} of {} servers have no readable id", pass.distinct()),
            )),
        }
    }

    /// One reading. Servers that an earlier one took are not taken again.
    async fn pass(
        &self,
        project: Option<&str>,
        taken: &mut BTreeSet<String>,
        projects: &mut Projects,
        sink: &mut Sink<'_>,
    ) -> Result<Pass, ProviderError> {
        let mut pass = Pass::default();
        let mut pages = self.api.servers(self.place.zone, project);
        while let Some(page) = pages.next::<wire::Servers>(self.cx).await? {
            let mut fresh = Vec::new();
            for entry in page.servers {
                let Lenient::Good(mut server) = entry else {
                    pass.nameless += 1;
                    continue;
                };
                match std::mem::take(&mut server.id) {
                    Lenient::Good(id) if !id.is_empty() => {
                        if pass.ids.insert(id.clone()) && taken.insert(id.clone()) {
                            fresh.push((server, id));
                        }
                    }
                    _ => pass.nameless += 1,
                }
            }
            if !fresh.is_empty() {
                let products = self.products(sink).await;
                sink.page(fresh.into_iter().filter_map(|(server, id)| {
                    let kind = server.commercial_type.good().map_or("", String::as_str);
                    let gpu = products.accelerator(kind, self.catalogue)?;
                    // A list of one project says so itself.
                    projects.note(&id, server.project.good().map(String::as_str).or(project));
                    Some(convert::instance(server, id, gpu, self.place))
                }));
            }
        }
        pass.announced = pages.announced();
        Ok(pass)
    }

    /// The zone's product list, read once it is clear that the zone has servers.
    async fn products(&self, sink: &mut Sink<'_>) -> Arc<Products> {
        let zone = self.place.zone;
        let (products, problem) = self.book.read(self.api, self.cx, zone).await;
        if let Some(text) = problem {
            sink.warn("types-unread", text, Some(zone.to_string()));
        }
        products
    }
}

fn contradiction(kind: ErrorKind, detail: String) -> ProviderError {
    ProviderError::new(kind, Delivery::Answered, SERVERS, detail)
}
