//! What costs money beside machines: told as left behind or as still charged, never acted upon.

use chrono::TimeDelta;
use reaper_model::document::{OwnerStatus, StillCharged};
use reaper_model::{
    Asset, AssetKind, Assets, Attachment, Class, Fact, Ignorance, Instance, Unknown, User,
};

use crate::build::{absent, id, known, machine, monday, money, tags};
use crate::house::{House, Says};

fn asset(native: &str, kind: AssetKind, user: User) -> Asset {
    Asset {
        id: id(native),
        kind,
        name: absent(),
        size_gib: Some(500.into()),
        created_at: known(monday() - TimeDelta::hours(900)),
        detached_at: Fact::unknown(Ignorance::NotOffered, "not told"),
        tags: tags(&[("owner", "bob")]),
        user,
        per_month: known(money("40 EUR")),
    }
}

fn nobody(of: Option<&str>) -> User {
    User::Nobody { of: of.map(str::to_owned) }
}

fn house(machines: Vec<Instance>, got: Vec<Asset>) -> House {
    let house = House::new(machines);
    house.cloud.owns(Assets { got, unread: Vec::new() });
    house
}

#[tokio::test(start_paused = true)]
async fn what_nobody_uses_is_listed_with_age_price_and_owner() {
    let free = Asset {
        detached_at: known(monday() - TimeDelta::hours(48)),
        ..asset("vol-9", AssetKind::Volume, nobody(Some("i-gone")))
    };
    let dear = Asset {
        per_month: known(money("99 EUR")),
        ..asset("vol-8", AssetKind::Volume, nobody(None))
    };
    let unpriced = Asset {
        per_month: Fact::unknown(Ignorance::NotOffered, "no price for gp9"),
        ..asset("ip-1", AssetKind::Ip, nobody(None))
    };
    let used = asset("vol-1", AssetKind::Volume, User::Machine("i-1".to_owned()));
    let other = asset("snap-1", AssetKind::Snapshot, User::Other("volume vol-1".to_owned()));
    let open = asset(
        "snap-2",
        AssetKind::Snapshot,
        User::Unknown(Unknown::new(Ignorance::ReadFailed, "denied")),
    );
    let house = house(vec![machine("i-1")], vec![free, unpriced, dear, used, other, open]);
    let ran = house.run().await;
    let shown: Vec<&str> =
        ran.document.leftovers.iter().map(|one| one.native_id.as_str()).collect();
    assert_eq!(shown, ["vol-8", "vol-9", "ip-1"], "dearest first, what has no price last");
    let [dear, free, unpriced] = ran.document.leftovers.as_slice() else { panic!("three") };
    assert_eq!((free.age_hours.as_deref(), free.age_why.as_deref()), (Some("48.0"), None));
    assert_eq!(free.of.as_deref(), Some("i-gone"));
    assert_eq!((free.owner.status, free.owner.id.as_deref()), (OwnerStatus::Known, Some("bob")));
    assert_eq!(dear.age_hours.as_deref(), Some("900.0"));
    assert!(dear.age_why.as_deref().is_some_and(|why| why.contains("from its creation")));
    assert_eq!(unpriced.per_month, None);
    assert_eq!(unpriced.price_why.as_deref(), Some("no price for gp9"));
    let totals = &ran.document.totals;
    assert_eq!((totals.leftovers, totals.leftovers_unpriced), (3, 1));
    assert_eq!(totals.leftovers_per_month, [money("139.00 EUR")]);
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn fl_055_what_goes_on_being_charged_has_its_price() {
    let mut off = machine("i-1");
    off.attached = vec![
        Attachment { kind: "volume", id: "vol-1".to_owned() },
        Attachment { kind: "volume", id: "vol-2".to_owned() },
    ];
    let listed = asset("vol-1", AssetKind::Volume, User::Machine("i-1".to_owned()));
    let besides = asset("ip-1", AssetKind::Ip, User::Machine("i-1".to_owned()));
    let house = house(vec![off, machine("i-2")], vec![listed, besides]);
    let ran = house.run().await;
    let charged = |kind: &str, id: &str, price: Option<&str>| StillCharged {
        kind: kind.to_owned(),
        id: id.to_owned(),
        per_month: price.map(money),
    };
    assert_eq!(
        ran.machine("i-1").action.still_charged,
        [
            charged("volume", "vol-1", Some("40.00 EUR")),
            charged("volume", "vol-2", None),
            charged("ip", "ip-1", Some("40.00 EUR")),
        ]
    );
    assert_eq!(ran.machine("i-2").action.still_charged, []);
    assert_eq!(ran.document.leftovers, []);
}

#[tokio::test(start_paused = true)]
async fn a_thing_that_a_machine_shows_is_no_leftover_whatever_the_thing_says() {
    let mut busy = machine("i-1");
    busy.attached = vec![Attachment { kind: "volume", id: "vol-1".to_owned() }];
    let house = house(vec![busy], vec![asset("vol-1", AssetKind::Volume, nobody(None))]);
    assert_eq!(house.run().await.document.leftovers, []);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_read_is_not_nothing() {
    let house = House::new(vec![machine("i-1")]);
    let gap = Unknown::new(Ignorance::ReadFailed, "denied: ec2:DescribeSnapshots");
    house.cloud.owns(Assets { got: Vec::new(), unread: vec![(AssetKind::Snapshot, gap)] });
    let ran = house.run().await;
    let said = ran.document.warnings.iter().find(|one| one.code == "leftovers-unread");
    let text = &said.expect("a warning").text;
    assert!(text.contains("snapshot") && text.contains("ec2:DescribeSnapshots"), "{text}");
    assert!(!ran.has(Class::Incomplete), "machines and rules were read in full");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_read_where_it_is_not_wanted() {
    let mut house =
        house(vec![machine("i-1")], vec![asset("vol-9", AssetKind::Volume, nobody(None))]);
    house.settings.leftovers = false;
    assert_eq!(house.run().await.document.leftovers, []);
}
