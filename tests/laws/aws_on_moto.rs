//! The laws for AWS that moto can express, on the EC2 that others wrote: pages, tags, identity,
//! prices and order. moto keeps no log of requests, refuses no key and never misbehaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Tags};
use reaper_provider::{AccountSettings, Provider};
use rust_decimal::Decimal;

use crate::law::OwnLaw;
use crate::rigs::Aws;
use crate::stage::{Place, Reading, context, open, settings};
use crate::support::Moto;

/// Name and trial, like those of the other laws.
pub(crate) const LAWS: [OwnLaw; 3] = [
    ("fl_013_listings_are_complete", || Box::pin(complete())),
    ("the_same_inventory_twice_is_equal", || Box::pin(same_twice())),
    ("tags_come_through_letter_for_letter", || Box::pin(tags_and_prices())),
];

const REGIONS: [&str; 3] = ["eu-west-1", "us-east-1", "ap-southeast-2"];
/// Seeded machines without accelerators.
const PLAIN: [&str; 4] = ["web", "db", "batch", "far-web"];

/// A seeded moto.
struct Fleet {
    moto: Moto,
    settings: AccountSettings,
}

impl Fleet {
    fn start() -> Self {
        let moto = Moto::seeded();
        let mut settings = settings(&Aws, &moto.url);
        // The smallest pages, so that there are several.
        settings.limits.page_size = Some(5);
        Self { moto, settings }
    }

    fn now(&self) -> DateTime<Utc> {
        self.moto.seeded["now"].as_str().and_then(|now| now.parse().ok()).expect("a time")
    }

    fn account(&self) -> &str {
        self.moto.seeded["account"].as_str().expect("an account")
    }

    fn id(&self, name: &str) -> &str {
        self.moto.seeded["machines"][name].as_str().expect("a seeded machine")
    }

    fn open(&self) -> Arc<dyn Provider> {
        open(&Aws, self.settings.clone())
    }

    async fn list(&self, provider: &dyn Provider) -> Vec<Reading> {
        let mut readings = Vec::new();
        for location in REGIONS {
            let place = Place { account: self.account(), location };
            readings.push(Reading::of(provider, &context(self.now()), place).await.whole());
        }
        readings
    }
}

/// All accelerated machines of all regions, each once, over several pages; and whose they are.
async fn complete() {
    let fleet = Fleet::start();
    let provider = fleet.open();
    let identity = provider.identity(&context(fleet.now())).await.expect("an identity");
    assert_eq!(identity.account.as_str(), fleet.account());
    let readings = fleet.list(&*provider).await;
    assert!(readings.iter().any(|reading| reading.pages.len() > 3), "several pages");
    let listed: Vec<String> = readings.iter().flat_map(Reading::ids).collect();
    let seeded = fleet.moto.seeded["machines"].as_object().expect("names to ids");
    let expected: BTreeSet<String> = seeded
        .iter()
        .filter(|(name, _)| !PLAIN.contains(&name.as_str()))
        .map(|(_, id)| id.as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(listed.len(), expected.len(), "each once");
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected);
}

/// Two readings of an untouched fleet are equal, details too; so the first changed nothing.
async fn same_twice() {
    let fleet = Fleet::start();
    let provider = fleet.open();
    let first = fleet.list(&*provider).await;
    for (reading, location) in first.iter().zip(REGIONS) {
        let candidates: Vec<_> = reading.machines.iter().collect();
        let cx = context(fleet.now());
        let details = provider.details(&cx, &location.into(), &candidates).await;
        assert_eq!(details.len(), candidates.len());
    }
    let second = fleet.list(&*fleet.open()).await;
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first.machines, second.machines);
    }
}

/// Tags of every script, none told apart from unread; prices in dollars or unknown.
async fn tags_and_prices() {
    let fleet = Fleet::start();
    let provider = fleet.open();
    let readings = fleet.list(&*provider).await;
    let machines = || readings.iter().flat_map(|reading| &reading.machines);
    let find = |name: &str| {
        machines().find(|machine| machine.id.native == fleet.id(name)).expect("listed")
    };
    let project = find("unicode").tags.value().and_then(|tags| tags.exact("project"));
    assert_eq!(project, Some("größe-日本 <b>&amp;"));
    let owners = find("owner-conflict").tags.value().map(|tags| tags.matching("owner").count());
    assert_eq!(owners, Some(2));
    let none = &find("no-tags").tags;
    assert!(none.gap().is_none() && none.value().is_none_or(Tags::is_empty), "{none:?}");
    for machine in machines() {
        match provider.price(machine) {
            Fact::Known { value, .. } => {
                assert_eq!(value.money.currency, reaper_model::Currency::USD);
                assert!(value.money.amount > Decimal::ZERO);
            }
            Fact::Unknown(_) => {}
            Fact::Absent { .. } => panic!("{}: a price is known or unknown", machine.id),
        }
    }
}
