//! The laws for AWS that moto can express, on the EC2 that others wrote: pages, tags, identity,
//! prices and order, what is left behind, and what boto3 sees of a machine that was acted upon. moto keeps no log of
//! requests, refuses no key and never misbehaves. Nor does it refuse a stop of one-time spot or of
//! what has ended, which EC2 does: those are tried on the simulated cloud alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Datelike as _, Utc};
use reaper_model::{
    Asset, BillKind, Fact, Guard, Instance, InstanceId, Meter, Money, PriceSource, ProviderName,
    State, StopKind, Tags, User, Verb,
};
use reaper_provider::{AccountSettings, Delivery, ErrorKind, Identity, Provider, StopPermit};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::alone::{alike, with_details};
use crate::law::OwnLaw;
use crate::permits::{permit, tag_permit};
use crate::rigs::Aws;
use crate::stage::{Place, Reading, context, identity, open, settings};
use crate::support::Moto;

/// Name and trial, like those of the other laws.
pub(crate) const LAWS: [OwnLaw; 8] = [
    ("fl_013_listings_are_complete", || Box::pin(complete())),
    ("the_same_inventory_twice_is_equal", || Box::pin(same_twice())),
    ("a_read_says_what_the_listing_says", || Box::pin(read_as_listed())),
    ("tags_come_through_letter_for_letter", || Box::pin(tags_and_prices())),
    ("spot_prices_and_costs_are_read", || Box::pin(spot_prices_and_costs())),
    ("fl_055_what_is_left_behind_is_found", || Box::pin(left_behind())),
    ("what_is_done_is_seen_by_others", || Box::pin(done())),
    ("fl_039_fl_045_what_is_refused_is_left_alone", || Box::pin(refused())),
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

    fn identity(&self) -> Identity {
        identity(self.account())
    }

    fn at(&self, name: &str, region: &str) -> InstanceId {
        InstanceId {
            provider: ProviderName::new("aws"),
            account: self.account().into(),
            location: region.into(),
            native: self.id(name).to_owned(),
        }
    }

    async fn read(&self, provider: &dyn Provider, id: &InstanceId) -> Instance {
        let read = provider.read(&context(self.now()), &self.identity(), id).await;
        read.expect("a seeded machine")
    }

    /// The same machine as boto3 sees it.
    fn seen(&self, id: &InstanceId) -> Value {
        self.moto.boto3("seen", &[id.location.as_str(), &id.native])
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

fn may(machine: &Instance, verb: Verb) -> StopPermit {
    permit(machine, verb).expect("nothing speaks against it")
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

/// Read alone, every machine of every region is what the listing and the details said of it.
async fn read_as_listed() {
    let fleet = Fleet::start();
    let (provider, cx) = (fleet.open(), context(fleet.now()));
    for reading in fleet.list(&*provider).await {
        for machine in with_details(&*provider, &cx, reading.machines).await {
            alike(&machine, &fleet.read(&*provider, &machine.id).await);
        }
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

/// moto's spot price and the costs that it was told come through on the wire that others wrote.
async fn spot_prices_and_costs() {
    let mut fleet = Fleet::start();
    fleet.settings.options.insert("cost_explorer".to_owned(), "true".to_owned());
    let provider = fleet.open();
    let readings = fleet.list(&*provider).await;
    let mut machines = readings.iter().flat_map(|reading| &reading.machines);
    let spot = machines.find(|machine| machine.id.native == fleet.id("spot")).expect("listed");
    let price = provider.price(spot);
    let price = price.value().expect("a price");
    assert_eq!(price.source, PriceSource::ProviderApi);
    assert_eq!(price.money.amount, Decimal::new(1, 5));

    let now = fleet.now();
    let month = now.format("%Y-%m");
    let metric = |amount: &str, unit: &str| json!({"Amount": amount, "Unit": unit});
    let told = json!([{
        "TimePeriod": {"Start": format!("{month}-01"), "End": format!("{month}-02")},
        "Estimated": true,
        "Total": {},
        "Groups": [{
            "Keys": ["Amazon Elastic Compute Cloud - Compute", "EU-BoxUsage:g5.xlarge"],
            "Metrics": {
                "UnblendedCost": metric("26.952", "USD"),
                "UsageQuantity": metric("24", "Hrs"),
            },
        }],
    }]);
    let answer = fleet.moto.boto3("bill", &[&told.to_string()]);
    assert_eq!(answer["status"], 201);
    // Late enough in the month for its first day to be whole.
    let later = now + chrono::TimeDelta::days(if now.day() < 3 { 3 } else { 0 });
    let bill = provider.bill(&context(later), &fleet.identity()).await.expect("readable");
    let bill = bill.expect("consented");
    let [line] = &bill.lines[..] else { panic!("not one line: {:?}", bill.lines) };
    assert_eq!(line.amount.map(Money::all_digits).as_deref(), Some("26.952"));
    assert_eq!((line.kind, line.hours), (BillKind::Compute, Some(Decimal::from(24))));
}

/// What boto3 leaves behind is nobody's, and what it uses is somebody's; each with its price, where
/// one is known.
async fn left_behind() {
    let fleet = Fleet::start();
    let machine = fleet.id("p4d");
    let made = fleet.moto.boto3("leave", &["us-east-1", machine]);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let (provider, cx) = (fleet.open(), context(fleet.now()));
    let assets = provider.assets(&cx, &fleet.identity(), &"us-east-1".into()).await;
    assert_eq!(assets.unread, []);
    let find = |sort: &str, kind: &str| {
        let id = text(&made[sort][kind]);
        assets.got.iter().find(|one| one.id.native == id).unwrap_or_else(|| panic!("{sort} {kind}"))
    };
    let nobody = |of: Option<String>| User::Nobody { of };
    assert_eq!(find("left", "volume").user, nobody(None));
    assert_eq!(find("left", "address").user, nobody(None));
    assert_eq!(find("left", "snapshot").user, nobody(Some(text(&made["gone"]))));
    assert!(matches!(find("left", "image").user, User::Nobody { .. }));
    for kind in ["volume", "address"] {
        assert_eq!(find("used", kind).user, User::Machine(machine.to_owned()), "{kind}");
    }
    let volume = format!("volume {}", text(&made["used"]["volume"]));
    assert_eq!(find("used", "snapshot").user, User::Other(volume));
    let launched = format!("machine {}", text(&made["launched"]));
    assert_eq!(find("used", "image").user, User::Other(launched));

    let volume = find("left", "volume");
    assert_eq!(volume.tags.value().and_then(|tags| tags.exact("owner")), Some("bob"));
    assert_eq!(volume.name.value().map(String::as_str), Some("old data"));
    assert!(volume.created_at.value().is_some());
    let cost = |asset: &Asset| asset.per_month.value().map(ToString::to_string);
    assert_eq!(cost(volume).as_deref(), Some("40.00 USD"));
    assert_eq!(cost(find("left", "address")).as_deref(), Some("3.65 USD"));
    assert_eq!(cost(find("left", "snapshot")).as_deref(), Some("2.00 USD"));
    // The machine's own listing names what it keeps by the same ids.
    let read = fleet.read(&*provider, &fleet.at("p4d", "us-east-1")).await;
    for kind in ["volume", "address"] {
        let id = text(&made["used"][kind]);
        assert!(read.attached.iter().any(|it| it.id == id), "{kind}: {:?}", read.attached);
    }
}

/// A stopped, a terminated and a kept machine are that for boto3 too, and for the next read.
async fn done() {
    let fleet = Fleet::start();
    let (provider, cx) = (fleet.open(), context(fleet.now()));
    for (name, region, verb, state, word) in [
        ("ownerless", "eu-west-1", Verb::Stop, State::Stopped, "stopped"),
        ("far-away", "ap-southeast-2", Verb::Terminate, State::Ended, "terminated"),
        ("spot", "us-east-1", Verb::Terminate, State::Ended, "terminated"),
    ] {
        let id = fleet.at(name, region);
        let before = fleet.read(&*provider, &id).await;
        assert_eq!((before.state, before.meter), (State::Running, Meter::Running));
        // Of a one-time request, it can only be terminated.
        let only_terminate = before.stop.kind == StopKind::Terminate;
        assert_eq!(only_terminate, name == "spot");
        provider.act(&cx, may(&before, verb)).await.expect("taken");
        assert_eq!(fleet.seen(&id)["state"], word);
        let after = fleet.read(&*provider, &id).await;
        assert_eq!((after.state, after.meter.may_be_billed()), (state, false));
        // Once more is no error: whoever was faster is no trouble.
        provider.act(&cx, may(&before, verb)).await.expect("taken again");
    }

    let id = fleet.at("owned", "eu-west-1");
    let tags = fleet.seen(&id)["tags"].clone();
    for value in ["2026-12-24", ""] {
        let permit = tag_permit(&id, "reaper-keep", Some(value));
        provider.tag(&cx, permit).await.expect("taken");
        let mut expected = tags.clone();
        expected["reaper-keep"] = value.into();
        assert_eq!(fleet.seen(&id)["tags"], expected, "and all others stay");
    }
    let permit = tag_permit(&id, "reaper-keep", None);
    provider.tag(&cx, permit).await.expect("taken");
    assert_eq!(fleet.seen(&id)["tags"], tags);
}

/// Protection is told by its kind and never lifted; a machine that is not there is not found.
async fn refused() {
    let fleet = Fleet::start();
    let (provider, cx) = (fleet.open(), context(fleet.now()));
    let id = fleet.at("stop-protected", "us-east-1");
    let machine = fleet.read(&*provider, &id).await;
    assert_eq!(machine.guards.value(), Some(&vec![Guard::Stop]));
    let before = fleet.seen(&id);
    let error = provider.act(&cx, may(&machine, Verb::Stop)).await.expect_err("protected");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Protected, Delivery::Answered));
    let after = fleet.seen(&id);
    assert_eq!((&after["state"], &after["stop_protection"]), (&"running".into(), &true.into()));
    assert_eq!(after, before);

    let mut gone = machine;
    "i-0123456789abcdef0".clone_into(&mut gone.id.native);
    let read = provider.read(&cx, &fleet.identity(), &gone.id).await;
    assert_eq!(read.expect_err("nowhere").kind, ErrorKind::NotFound);
    for verb in [Verb::Stop, Verb::Terminate] {
        let error = provider.act(&cx, may(&gone, verb)).await.expect_err("nowhere");
        assert_eq!((error.kind, error.delivery), (ErrorKind::NotFound, Delivery::Answered));
    }
}
