//! Instances as OVHcloud's fixtures and its odder answers give them.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use reaper_model::{Fingerprint, Meter, StopKind};

use super::*;

const NOW: &str = "2026-11-28T09:00:00Z";

fn now() -> DateTime<Utc> {
    NOW.parse().expect("valid")
}

fn flavors() -> BTreeMap<String, Flavor> {
    let all: Vec<Flavor> =
        serde_json::from_str(include_str!("../fixtures/flavors.json")).expect("flavours");
    all.into_iter().filter_map(|flavor| Some((flavor.id.good()?.clone(), flavor))).collect()
}

fn candidates(json: &str) -> Vec<Candidate> {
    let flavors = flavors();
    let all: Vec<Lenient<wire::Instance>> = serde_json::from_str(json).expect("a list");
    all.into_iter()
        .filter_map(|raw| match raw {
            Lenient::Good(raw) => Candidate::new(raw, |id| flavors.get(id)),
            _ => None,
        })
        .collect()
}

fn instances(json: &str) -> Vec<Instance> {
    let place = Place {
        account: &ProviderAccount::new("p"),
        location: &Location::new("all"),
        source: &Source::new("test"),
        now: now(),
        tags: &Fact::unknown(Ignorance::NotOffered, "none"),
    };
    let gpu = || Fact::unknown(Ignorance::NotAsked, "not here");
    let nodes = Nodes::not_yet();
    candidates(json).iter().map(|machine| machine.instance(&place, gpu(), &nodes)).collect()
}

fn one(json: &str) -> Instance {
    instances(&format!("[{json}]")).remove(0)
}

#[test]
fn a_list_is_joined_with_its_flavours() {
    let all = instances(include_str!("../fixtures/instances.json"));
    let shown: Vec<_> = all
        .iter()
        .map(|machine| {
            let Instance { machine_type, state, meter, purchase, .. } = machine;
            format!("{machine_type} {state} {meter:?} {}", purchase.name())
        })
        .collect();
    assert_eq!(
        shown[..7],
        [
            "h100-380 running Running on-demand",
            "l4-90 stopped StoppedBilled on-demand",
            "l40s-90 stopped StoppedFree on-demand",
            "a100-180 running Running monthly",
            "t1-45 pending StoppedFree on-demand",
            "b2-7 running Running on-demand",
            "l40s-90 running Running on-demand",
        ]
    );
    assert_eq!(all[0].id.to_string(), "ovhcloud/p/GRA11/0a1b2c3d-0000-4000-8000-000000000001");
    assert_eq!(all[0].stop.kind, StopKind::Deallocate);
    assert!(all.iter().all(|machine| machine.created_at.value().is_some()));
}

#[test]
fn a_machine_by_itself_reads_as_it_does_in_the_list() {
    let listed = instances(include_str!("../fixtures/instances.json")).remove(0);
    let alone = one(include_str!("../fixtures/instance.json"));
    assert_eq!(Fingerprint::of(&listed, ""), Fingerprint::of(&alone, ""));
    assert_eq!(listed, alone);
}

#[test]
fn what_a_machine_by_itself_says_in_objects_is_read_or_named() {
    let odd =
        |fields: &str| one(&format!(r#"{{"id":"i","status":"ACTIVE","region":"R",{fields}}}"#));
    let image = r#""image":{"id":"x","name":"Ubuntu"},"sshKey":{"id":"k","publicKey":"p"}"#;
    let machine = odd(&format!(r#""flavor":{{"id":"f","name":"l4-90"}},{image}"#));
    assert_eq!(machine.machine_type.as_str(), "l4-90");
    assert!(machine.unreadable.is_empty(), "{:?}", machine.unreadable);
    let machine = odd(r#""flavor":"l4-90""#);
    assert_eq!(machine.unreadable, ["`flavor`: a text", "flavour"]);
}

#[test]
fn fl_035_tags_are_not_offered_and_not_absent() {
    for machine in instances(include_str!("../fixtures/instances.json")) {
        assert_eq!(machine.tags.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    }
}

#[test]
fn fl_086_a_word_never_heard_of_is_kept_and_flagged() {
    let machine = one(r#"{"id":"i","status":"HIBERNATING_DEEP","region":"GRA11"}"#);
    assert_eq!((machine.state, machine.meter), (State::Unknown, Meter::Unknown));
    assert_eq!(machine.provider_state, "HIBERNATING_DEEP");
    assert!(machine.unreadable.contains(&"state `HIBERNATING_DEEP`".to_owned()));
}

#[test]
fn fl_087_odd_fields_are_named_on_their_machine_alone() {
    let all = instances(
        r#"[{"id":"a","image":"","status":"ACTIVE","region":"R","planCode":"l4-90.consumption"},
            {"id":"b","name":null,"image":null,"status":"ACTIVE","region":"R",
             "planCode":"l4-90.consumption"},
            {"id":"c","name":7,"created":1,"status":"ACTIVE","region":"R",
             "planCode":"l4-90.consumption","unheardOf":{}},
            {"id":"d","status":null,"region":7,"planCode":[]},
            {"id":"e","image":{"id":"x"},"monthlyBilling":null,"status":"ACTIVE","region":"R",
             "planCode":"l4-90.consumption"}]"#,
    );
    let odd: Vec<_> = all.iter().map(|machine| machine.unreadable.clone()).collect();
    assert_eq!(odd[0], ["`image`: an empty text"]);
    assert!(odd[1].is_empty() && odd[4].is_empty());
    assert_eq!(odd[2], ["`name`: a number", "`created`: a number"]);
    assert_eq!(
        odd[3],
        ["missing field `status`", "`region`: a number", "`planCode`: a list", "flavour"]
    );
    assert_eq!(all[3].id.location.as_str(), "all");
    assert!(matches!(all[1].name, Fact::Absent { .. }));
    assert_eq!(all[2].name.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
}

#[test]
fn a_machine_without_an_id_is_none() {
    for json in [r#"[{"name":"n"}]"#, r#"[{"id":null}]"#, r#"[{"id":""}]"#, "[7, null, []]"] {
        let named = candidates(json);
        assert!(named.is_empty(), "{json}: {named:?}");
    }
}

#[test]
fn the_flavour_is_told_by_the_machine_the_list_or_the_plan() {
    let flavor = |json: &str| candidates(&format!("[{json}]")).remove(0).flavor;
    let of_plan = flavor(r#"{"id":"i","flavorId":"gone","planCode":"l4-90.consumption.LZ"}"#);
    assert_eq!(of_plan.as_deref(), Some("l4-90"));
    let whole = flavor(r#"{"id":"i","flavor":{"name":"h100-380"},"planCode":null}"#);
    assert_eq!(whole.as_deref(), Some("h100-380"));
    assert_eq!(flavor(r#"{"id":"i","flavorId":"gone"}"#), None);
    assert_eq!(one(r#"{"id":"i","flavorId":"gone"}"#).machine_type.as_str(), "gone");
}

#[test]
fn fl_052_a_monthly_plan_is_told_by_the_plan_code_or_by_its_own_field() {
    let purchase = |fields: &str| one(&format!(r#"{{"id":"i",{fields}}}"#)).purchase;
    assert_eq!(purchase(r#""planCode":"l4-90.monthly.postpaid""#), Purchase::Monthly);
    assert_eq!(
        purchase(
            r#""planCode":"l4-90.consumption","monthlyBilling":{"status":"activationPending"}"#
        ),
        Purchase::Monthly
    );
    assert_eq!(purchase(r#""planCode":null"#), Purchase::OnDemand);
    assert_eq!(
        purchase(r#""planCode":"l4-90.yearly""#),
        Purchase::Other("l4-90.yearly".to_owned())
    );
}

#[test]
fn fl_087_an_unreadable_plan_is_not_one_by_the_hour() {
    for fields in [
        r#""planCode":7"#,
        r#""planCode":["l4-90.consumption"]"#,
        r#""planCode":"l4-90.consumption","monthlyBilling":"""#,
        r#""planCode":null,"monthlyBilling":true"#,
    ] {
        let machine = |status| one(&format!(r#"{{"id":"i","status":"{status}",{fields}}}"#));
        let active = machine("ACTIVE");
        assert_eq!(active.purchase, Purchase::Other("unreadable".to_owned()), "{fields}");
        assert!(
            active.stop.objections.contains(&"what a stop saves with plan `unreadable`".to_owned()),
            "{fields}: {:?}",
            active.stop.objections
        );
        assert_eq!(machine("SHELVED_OFFLOADED").meter, Meter::Unknown, "{fields}");
    }
    let told = r#"{"id":"i","planCode":"l4-90.monthly.postpaid","monthlyBilling":7}"#;
    assert_eq!(one(told).purchase, Purchase::Monthly, "the plan code says enough");
}

#[test]
fn a_date_that_makes_no_sense_is_no_age() {
    let created = |text: &str| one(&format!(r#"{{"id":"i","created":"{text}"}}"#)).created_at;
    let east = created("2026-11-28T10:00:00+02:00");
    assert_eq!(east.value().map(|time| now() - *time), Some(TimeDelta::hours(1)));
    for odd in ["0001-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "yesterday", ""] {
        assert_eq!(created(odd).gap().map(|gap| gap.kind), Some(Ignorance::Unusable), "{odd}");
    }
}
