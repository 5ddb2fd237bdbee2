//! Machines, what was measured of them, and what their clouds offer.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_advice::{Advice, Adviser, Question, Week};
use reaper_model::document::AdviceKind;
use reaper_model::{
    Asset, Fact, Gauge, Gpu, Ignorance, Instance, Measured, Meter, Offer, Price, PriceSource,
    Purchase, Sample, Series, Source, Span, State, StopKind, StopOffer, Tag, Tags, Unit,
};
use reaper_provider::Catalogue;

const AWS: &str = include_str!("../../../../config/prices/aws.csv");
const OVHCLOUD: &str = include_str!("../../../../config/prices/ovhcloud.csv");
const SCALEWAY: &str = include_str!("../../../../config/prices/scaleway.csv");
const LAMBDA: &str = include_str!("../../../../config/prices/lambda.csv");

/// The clouds, each with a location and how many types it has at least.
pub(crate) const CLOUDS: [(&str, &str); 4] = [
    ("aws", "us-east-1"),
    ("ovhcloud", "GRA11"),
    ("scaleway", "fr-par-2"),
    ("lambda", "us-east-1"),
];

/// What a cloud's list offers in a location.
pub(crate) fn offers(cloud: &str, location: &str) -> Vec<Offer> {
    let list = match cloud {
        "aws" => AWS,
        "ovhcloud" => OVHCLOUD,
        "scaleway" => SCALEWAY,
        _ => LAMBDA,
    };
    Catalogue::parse(list).expect("readable").offers(location)
}

/// A Monday evening.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-11-30T17:30:00Z".parse().expect("a time")
}

pub(crate) fn source() -> Source {
    Source::new("test")
}

pub(crate) fn known<T>(value: T) -> Fact<T> {
    Fact::known(value, &source(), now())
}

/// What a card did in each hour of a week.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Card {
    pub(crate) mean: f64,
    pub(crate) peak: f64,
    pub(crate) memory_gib: f64,
}

pub(crate) const fn card(mean: f64, peak: f64, memory_gib: f64) -> Card {
    Card { mean, peak, memory_gib }
}

/// A series with one value in each hour of the week.
pub(crate) fn series(gauge: Gauge, gpu: &str, from: &str, value: f64) -> Series {
    let week = now() - TimeDelta::days(7);
    let samples = (0..168).map(|hour| Sample { at: week + TimeDelta::hours(hour), value });
    Series {
        gauge,
        gpu: Some(gpu.to_owned()),
        slice: None,
        source: Source::new(from),
        step: Span::from_secs(3600),
        samples: samples.collect(),
    }
}

/// Everything that a question is made of.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) machine: Instance,
    pub(crate) price: Fact<Price>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) mean: Measured,
    pub(crate) peak: Measured,
    pub(crate) assets: Vec<Asset>,
    pub(crate) spot: Option<Price>,
    pub(crate) first_seen: Option<DateTime<Utc>>,
    pub(crate) idle: bool,
    pub(crate) switched_off: bool,
    pub(crate) measured: bool,
}

impl World {
    /// A machine that was launched 30 days ago and costs what the list says by the hour.
    pub(crate) fn of(cloud: &str, location: &str, kind: &str) -> Self {
        let offers = offers(cloud, location);
        let own = offers
            .iter()
            .find(|offer| offer.machine_type.as_str() == kind && offer.price.unit == Unit::Hour);
        let own = own.expect("a type of the list");
        let launched = known(now() - TimeDelta::days(30));
        let machine = Instance {
            id: format!("{cloud}/account/{location}/i-1").parse().expect("an id"),
            name: known("train-7".to_owned()),
            state: State::Running,
            provider_state: "running".to_owned(),
            meter: Meter::Running,
            machine_type: own.machine_type.clone(),
            gpu: known(own.gpu.clone()),
            purchase: Purchase::OnDemand,
            created_at: launched.clone(),
            running_since: launched,
            stopped_at: Fact::absent(&source()),
            tags: Fact::absent(&source()),
            manager: Fact::absent(&source()),
            guards: Fact::unknown(Ignorance::NotAsked, "not asked"),
            local_storage: Fact::absent(&source()),
            stop: StopOffer {
                kind: StopKind::Deallocate,
                saves: true,
                loses: vec![],
                objections: vec![],
            },
            attached: vec![],
            unreadable: vec![],
        };
        let price = known(own.price.clone());
        Self {
            machine,
            price,
            offers,
            mean: Measured::default(),
            peak: Measured::default(),
            assets: vec![],
            spot: None,
            first_seen: None,
            idle: false,
            switched_off: false,
            measured: true,
        }
    }

    /// With a week of DCGM's measurements, card by card.
    pub(crate) fn doing(mut self, cards: &[Card]) -> Self {
        for (place, card) in cards.iter().enumerate() {
            let gpu = place.to_string();
            let add = |to: &mut Measured, gauge, value| {
                to.series.push(series(gauge, &gpu, "DCGM", value));
            };
            add(&mut self.mean, Gauge::GpuUtilisation, card.mean);
            add(&mut self.mean, Gauge::GpuMemory, card.memory_gib);
            add(&mut self.peak, Gauge::GpuUtilisation, card.peak);
            add(&mut self.peak, Gauge::GpuMemory, card.memory_gib);
        }
        self
    }

    pub(crate) fn tagged(mut self, tags: &[(&str, &str)]) -> Self {
        let tags = tags.iter().map(|(key, value)| Tag::pair(*key, *value)).collect();
        self.machine.tags = known(Tags::new(tags));
        self
    }

    pub(crate) fn named(mut self, name: &str) -> Self {
        self.machine.name = known(name.to_owned());
        self
    }

    pub(crate) fn priced(mut self, money: &str, unit: Unit) -> Self {
        self.price = known(price(money, unit));
        self
    }

    /// Changes every series of both windows.
    pub(crate) fn with_series(mut self, change: impl Fn(&mut Series)) -> Self {
        self.mean.series.iter_mut().chain(&mut self.peak.series).for_each(change);
        self
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        self.machine.gpu.value().expect("known")
    }

    pub(crate) fn advice(&self) -> Vec<Advice> {
        let assets: Vec<&Asset> = self.assets.iter().collect();
        let week = Week { mean: &self.mean, peak: &self.peak };
        let question = Question {
            instance: &self.machine,
            price: &self.price,
            offers: &self.offers,
            week: self.measured.then_some(week),
            assets: &assets,
            spot: self.spot.as_ref(),
            first_seen: self.first_seen,
            idle: self.idle,
            switched_off: self.switched_off,
            now: now(),
            zone: chrono_tz::Europe::Amsterdam,
        };
        Adviser::new().expect("a readable table").advise(&question)
    }

    /// The piece of one kind.
    pub(crate) fn about(&self, kind: AdviceKind) -> Option<Advice> {
        self.advice().into_iter().find(|advice| advice.kind == kind)
    }

    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        self.advice().iter().map(|advice| advice.kind.name()).collect()
    }
}

pub(crate) fn price(money: &str, unit: Unit) -> Price {
    Price {
        money: money.parse().expect("an amount"),
        unit,
        source: PriceSource::Catalogue,
        as_of: now().date_naive(),
    }
}

/// What a piece of advice saves, as shown.
pub(crate) fn saves(advice: &Advice) -> Option<String> {
    advice.saves_per_month.map(|money| money.to_string())
}

/// The types that a text names as alternatives, in the order of the text.
pub(crate) fn types(world: &World, text: &str) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for offer in &world.offers {
        let kind = offer.machine_type.as_str();
        let place = text.find(&format!(" {kind} ("));
        if let Some(place) = place
            && !found.iter().any(|(_, other)| other == kind)
        {
            found.push((place, kind.to_owned()));
        }
    }
    found.sort();
    found.into_iter().map(|(_, kind)| kind).collect()
}
