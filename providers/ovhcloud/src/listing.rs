//! One listing: machines, flavours and clusters side by side, then the nodes and the prices of
//! what was found. What was read reaches the sink at once and is completed afterwards. Or one machine
//! by itself, with all that a listing would say of it.

use std::collections::BTreeMap;

use reaper_http::Lenient;
use reaper_model::{Fact, Gpu, Ignorance, Instance};
use reaper_provider::{CallContext, ErrorKind, ProviderError, Sink};

use crate::book::Book;
use crate::client::{Api, INSTANCE, INSTANCES};
use crate::convert::{Candidate, Place};
use crate::flavor::Kind;
use crate::nodes::Nodes;
use crate::notes::Notes;
use crate::price::Prices;
use crate::wire::Flavor;

/// One listing of a project.
pub(crate) struct Listing<'a> {
    pub(crate) api: &'a Api,
    pub(crate) cx: &'a CallContext,
    pub(crate) place: Place<'a>,
    pub(crate) prices: &'a Prices,
    pub(crate) notes: &'a Notes,
}

impl Listing<'_> {
    /// Lists to the end.
    pub(crate) async fn run(&self, sink: &mut Sink<'_>) -> Result<(), ProviderError> {
        let Self { api, cx, .. } = *self;
        let (machines, flavors, clusters) =
            futures::join!(api.instances(cx), api.flavors(cx), api.clusters(cx));
        let machines = machines?;
        let total = machines.len();
        let (flavors, unread) = match flavors {
            Ok(flavors) => {
                self.prices.note_flavors(&flavors);
                (by_id(flavors), None)
            }
            // Nearly every machine names its flavour in its plan code as well.
            Err(error) => {
                let text = format!("flavours unread, plan codes have to do: {error}");
                self.notes.add("types-unread", text);
                (BTreeMap::new(), Some(error))
            }
        };
        let machines: Vec<Candidate> = machines
            .into_iter()
            .filter_map(|raw| match raw {
                Lenient::Good(raw) => Candidate::new(raw, |id| flavors.get(id)),
                Lenient::Missing | Lenient::Bad(_) => None,
            })
            .collect();
        let nameless = total - machines.len();
        let found: Vec<Candidate> =
            machines.into_iter().filter(|machine| machine.kind() != Kind::Ordinary).collect();
        if !found.is_empty() {
            sink.page(self.instances(&found, &Nodes::not_yet(), None, unread.as_ref()));
            let (nodes, book) = futures::join!(Nodes::read(api, cx, clusters), self.book(&found));
            let instances = self.instances(&found, &nodes, book, unread.as_ref());
            if instances.iter().any(|machine| machine.meter.may_be_billed()) {
                self.note_guessed_prices();
            }
            *sink.machines() = instances;
        }
        if nameless > 0 {
            let detail = format!("{nameless} of {total} machines have no readable id");
            return Err(ProviderError::answered(ErrorKind::Protocol, INSTANCES, detail));
        }
        Ok(())
    }

    /// Reads one machine by itself. Its flavour comes with it; whether it is a node of a cluster is
    /// read anew.
    pub(crate) async fn one(&self, native: &str) -> Result<Instance, ProviderError> {
        let Self { api, cx, .. } = *self;
        let (machine, clusters) = futures::join!(api.instance(cx, native), api.clusters(cx));
        let machine = Candidate::new(machine?, |_| None)
            .filter(|machine| machine.id == native)
            .ok_or_else(|| {
                let words = format!("the answer is not about instance {native}");
                ProviderError::answered(ErrorKind::Inconsistent, INSTANCE, words)
            })?;
        let found = std::slice::from_ref(&machine);
        let (nodes, _) = futures::join!(Nodes::read(api, cx, clusters), self.book(found));
        Ok(self.instance(&machine, &nodes, None))
    }

    fn note_guessed_prices(&self) {
        if self.api.subsidiary_is_guessed() {
            let subsidiary = self.api.subsidiary();
            let text = format!(
                "prices are those of OVHcloud's {subsidiary} book; set `subsidiary` to the one that \
                 bills you"
            );
            self.notes.add("subsidiary", text);
        }
    }

    /// The price catalogue, if anything is billed or only it can tell what a flavour is.
    async fn book(&self, found: &[Candidate]) -> Option<&Book> {
        let wanted =
            |machine: &Candidate| machine.may_be_billed() || machine.kind() == Kind::Unfamiliar;
        if found.iter().any(wanted) {
            self.prices.book(self.api, self.cx, self.notes).await
        } else {
            None
        }
    }

    fn instances(
        &self,
        found: &[Candidate],
        nodes: &Nodes,
        book: Option<&Book>,
        unread: Option<&ProviderError>,
    ) -> Vec<Instance> {
        found
            .iter()
            .filter(|machine| !is_ordinary(machine, book))
            .map(|machine| self.instance(machine, nodes, unread))
            .collect()
    }

    fn instance(
        &self,
        machine: &Candidate,
        nodes: &Nodes,
        unread: Option<&ProviderError>,
    ) -> Instance {
        if let Some(plan_code) = machine.raw.plan_code.good() {
            self.prices.note(&machine.id, plan_code);
        }
        machine.instance(&self.place, self.gpu(machine, unread), nodes)
    }

    fn gpu(&self, machine: &Candidate, unread: Option<&ProviderError>) -> Fact<Gpu> {
        let Some(flavor) = &machine.flavor else {
            return match unread {
                Some(error) => Fact::unknown(Ignorance::ReadFailed, error.to_string()),
                None => Fact::unknown(Ignorance::NotOffered, "no flavour has its flavour's id"),
            };
        };
        self.prices.gpu(flavor, self.place.now).unwrap_or_else(|| {
            let why = format!("flavour {flavor} is not known; it counts as one with GPUs");
            Fact::unknown(Ignorance::NotOffered, why)
        })
    }
}

/// Whether the catalogue sells an unfamiliar flavour as one without accelerators.
fn is_ordinary(machine: &Candidate, book: Option<&Book>) -> bool {
    let told = machine.flavor.as_deref().zip(book);
    machine.kind() == Kind::Unfamiliar
        && told.is_some_and(|(flavor, book)| book.is_ordinary(flavor))
}

fn by_id(flavors: Vec<Lenient<Flavor>>) -> BTreeMap<String, Flavor> {
    flavors
        .into_iter()
        .filter_map(|flavor| match flavor {
            Lenient::Good(flavor) => Some((flavor.id.good()?.clone(), flavor)),
            Lenient::Missing | Lenient::Bad(_) => None,
        })
        .collect()
}
