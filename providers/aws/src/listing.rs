//! One region's listing: pages to the end, types described, tags read again where they are missing,
//! and the change to a filtered listing where a big fleet without accelerators would cost pages; at
//! its end, the prices that AWS is asked for. One machine is read alone in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use aws_sdk_ec2::types::Instance as Raw;
use reaper_model::{Fact, Ignorance, Instance, MachineType, Source, Tags};
use reaper_provider::{Catalogue, ErrorKind, ProviderError, Sink};

use crate::client::MoneyClient;
use crate::convert::{self, Place};
use crate::live;
use crate::price::{self, Answers};
use crate::spot::{self, SpotMachine};
use crate::types::{Hardware, Nature, TypeBook};
use crate::wire::{FILTER_VALUES, INSTANCES, LARGEST_PAGE, TAGS, TYPES, Tokens, Wire};

/// A listing under way.
pub(crate) struct Listing<'a> {
    /// The region's calls.
    pub(crate) wire: Wire<'a>,
    /// Where and when.
    pub(crate) place: Place<'a>,
    /// What is known of types.
    pub(crate) book: &'a TypeBook,
    /// The embedded types and prices.
    pub(crate) catalogue: &'a Catalogue,
    /// Takes the prices that AWS answers with.
    pub(crate) prices: &'a Answers,
    /// Asks AWS's price list, where that is wanted.
    pub(crate) live: Option<Arc<MoneyClient>>,
    /// Whether EC2 may be asked to filter by type.
    pub(crate) may_filter: bool,
    /// Machines that were taken: pages of a listing may overlap, and a filtered one starts anew.
    pub(crate) seen: BTreeSet<String>,
    /// How many of them have accelerators.
    pub(crate) accelerated: usize,
    /// Entries without an id: nobody can say which machines they are.
    pub(crate) nameless: usize,
    /// Spot machines, whose prices are asked for at the end.
    pub(crate) spot: Vec<SpotMachine>,
    /// Types that this listing asked about in vain, so that it asks once.
    pub(crate) guesses: BTreeMap<String, Nature>,
}

impl Listing<'_> {
    /// Lists to the end.
    pub(crate) async fn run(mut self, sink: &mut Sink<'_>) -> Result<(), ProviderError> {
        if let Some(types) = self.pages(None, sink).await? {
            for types in types.chunks(FILTER_VALUES) {
                self.pages(Some(types), sink).await?;
            }
        }
        self.ask_prices(sink).await;
        match self.nameless {
            0 => Ok(()),
            count => {
                let words = format!("{count} of the listed machines without an id");
                Err(ProviderError::answered(ErrorKind::Protocol, INSTANCES, words))
            }
        }
    }

    /// Asks for the prices that move. What is not answered ends no listing: a spot machine's price is
    /// unknown then, and the dated list holds for the others.
    async fn ask_prices(&self, sink: &mut Sink<'_>) {
        let region = self.place.location;
        self.prices.take_spot(region, spot::prices(&self.wire, &self.spot).await);
        let Some(money) = &self.live else { return };
        let kinds: BTreeSet<MachineType> = sink
            .machines()
            .iter()
            .filter(|machine| !machine.machine_type.as_str().is_empty())
            .map(|machine| machine.machine_type.clone())
            .collect();
        if let Err(error) = live::ask(money, self.wire.cx, self.prices, region, &kinds).await {
            let text = format!("the dated list of prices is used, because of {error}");
            sink.warn("prices-unread", text, Some(region.to_string()));
        }
        for kind in kinds {
            if let Some(text) = price::contradiction(self.catalogue, self.prices, region, &kind) {
                sink.warn("price-differs", text, Some(format!("aws/{kind}")));
            }
        }
    }

    /// Reads one machine alone, whatever its type has become.
    pub(crate) async fn one(mut self, id: &str) -> Result<Instance, ProviderError> {
        let raw = self.wire.instance(id).await?;
        self.describe(std::slice::from_ref(&raw)).await;
        let hardware = match self.nature(type_of(&raw)) {
            Nature::Accelerated(hardware) => hardware,
            Nature::Plain => Hardware::plain(self.place.source),
        };
        let machine = (raw, hardware);
        let mut read_again = self.missing_tags(std::slice::from_ref(&machine)).await;
        Ok(self.convert(machine, &mut read_again))
    }

    /// Pages of the given types or of all. Ends early, with the types to filter by, when the rest
    /// is better asked for with a filter.
    async fn pages(
        &mut self,
        types: Option<&[String]>,
        sink: &mut Sink<'_>,
    ) -> Result<Option<Vec<String>>, ProviderError> {
        let (mut tokens, mut token) = (Tokens::default(), None);
        loop {
            let page = self.wire.instances(types, token).await?;
            self.take(page.instances, sink).await;
            token = tokens.next(INSTANCES, page.next)?;
            if token.is_none() {
                return Ok(None);
            }
            if types.is_none()
                && self.filter_pays()
                && let Some(types) = self.learn_types(sink).await
            {
                return Ok(Some(types));
            }
        }
    }

    /// A filter pays when a full page brought mostly machines of no interest and more are to come.
    /// Learning the types for it costs about a dozen calls.
    fn filter_pays(&self) -> bool {
        self.may_filter
            && self.seen.len() >= LARGEST_PAGE as usize
            && self.accelerated * 2 < self.seen.len()
    }

    /// All accelerated types of the region, so that tomorrow's family is among them. `None` when
    /// AWS does not tell: the listing then goes on without filter, which is slower and as complete.
    async fn learn_types(&mut self, sink: &mut Sink<'_>) -> Option<Vec<String>> {
        match self.wire.all_types().await {
            Ok(infos) if !infos.is_empty() => {
                self.book.learn(&Source::new(TYPES), self.place.now, &infos);
                Some(self.book.accelerated(self.catalogue))
            }
            Ok(_) => {
                self.may_filter = false;
                None
            }
            Err(error) => {
                let text = format!("listed without filter, because of {error}");
                sink.warn("types-unread", text, Some(self.place.location.to_string()));
                self.may_filter = false;
                None
            }
        }
    }

    async fn take(&mut self, page: Vec<Raw>, sink: &mut Sink<'_>) {
        let (named, nameless): (Vec<Raw>, Vec<Raw>) =
            page.into_iter().partition(|raw| raw.instance_id().is_some_and(|id| !id.is_empty()));
        self.nameless += nameless.len();
        let fresh: Vec<Raw> = named
            .into_iter()
            .filter(|raw| self.seen.insert(raw.instance_id().unwrap_or_default().to_owned()))
            .collect();
        self.describe(&fresh).await;
        let machines: Vec<(Raw, Hardware)> = fresh
            .into_iter()
            .filter_map(|raw| match self.nature(type_of(&raw)) {
                Nature::Accelerated(hardware) => Some((raw, hardware)),
                Nature::Plain => None,
            })
            .collect();
        self.accelerated += machines.len();
        self.spot.extend(machines.iter().filter_map(|(raw, _)| SpotMachine::of(raw)));
        let mut read_again = self.missing_tags(&machines).await;
        sink.page(machines.into_iter().map(|machine| self.convert(machine, &mut read_again)));
    }

    fn convert(
        &self,
        (raw, hardware): (Raw, Hardware),
        read_again: &mut BTreeMap<String, Fact<Tags>>,
    ) -> Instance {
        let Place { source, now, .. } = self.place;
        let tags = read_again
            .remove(raw.instance_id().unwrap_or_default())
            .unwrap_or_else(|| Fact::known(convert::tags(raw.tags()), source, now));
        convert::instance(&raw, &self.place, hardware, tags)
    }

    /// Asks AWS about those types on a page that nobody knows yet.
    async fn describe(&mut self, page: &[Raw]) {
        let unknown: BTreeSet<&str> = page
            .iter()
            .map(type_of)
            .filter(|name| !name.is_empty() && !self.guesses.contains_key(*name))
            .filter(|name| self.book.nature(self.catalogue, name).is_none())
            .collect();
        if unknown.is_empty() {
            return;
        }
        let unknown: Vec<&str> = unknown.into_iter().collect();
        let guess = match self.wire.types(&unknown).await {
            Ok(infos) => {
                self.book.learn(&Source::new(TYPES), self.place.now, &infos);
                Nature::unheard_of()
            }
            Err(error) => Nature::undescribed(&error),
        };
        self.guesses.extend(unknown.into_iter().map(|name| (name.to_owned(), guess.clone())));
    }

    fn nature(&self, name: &str) -> Nature {
        self.book
            .nature(self.catalogue, name)
            .or_else(|| self.guesses.get(name).cloned())
            .unwrap_or_else(Nature::unheard_of)
    }

    /// The tags of those machines whose tags the listing left out, which EC2 sometimes does with
    /// machines that have some. Nobody is untagged before this says so.
    async fn missing_tags(&self, machines: &[(Raw, Hardware)]) -> BTreeMap<String, Fact<Tags>> {
        let lacking = || machines.iter().map(|(raw, _)| raw).filter(|raw| convert::lacks_tags(raw));
        let id = |raw: &Raw| raw.instance_id().unwrap_or_default().to_owned();
        let alive: Vec<String> = lacking().filter(|raw| !convert::is_ghost(raw)).map(id).collect();
        let mut facts: BTreeMap<String, Fact<Tags>> = lacking()
            .map(|raw| (id(raw), Fact::unknown(Ignorance::NotAsked, "it is gone")))
            .collect();
        if alive.is_empty() {
            return facts;
        }
        let source = Source::new(TAGS);
        let answer = self.wire.tags(&alive).await;
        for id in alive {
            let fact = match &answer {
                Ok(tags) => match tags.get(&id) {
                    Some(tags) => Fact::known(convert::tags(tags), &source, self.place.now),
                    None => Fact::absent(&source),
                },
                Err(error) => Fact::unknown(
                    Ignorance::ReadFailed,
                    format!("the listing left its tags out and {error}"),
                ),
            };
            facts.insert(id, fact);
        }
        facts
    }
}

fn type_of(raw: &Raw) -> &str {
    raw.instance_type().map_or("", |kind| kind.as_str())
}
