//! Tests of `convert`: servers as recorded and as odd as they come.

use reaper_model::{Loss, Meter, StopKind};

use super::*;

fn now() -> DateTime<Utc> {
    time("2026-08-01T12:00:00Z").expect("a time")
}

fn converted(json: &str) -> Instance {
    let source = Source::new("test");
    let place = Place {
        organisation: &ProviderAccount::new("11111111-1111-4111-8111-000000000003"),
        zone: &Location::new("fr-par-2"),
        source: &source,
        now: now(),
    };
    let mut server: Server = serde_json::from_str(json).expect("an object is always read");
    let id = std::mem::take(&mut server.id).take("id", &mut Vec::new()).unwrap_or_default();
    instance(server, id, Fact::unknown(Ignorance::NotAsked, "not needed"), place)
}

const L40S: &str = r#"{"id": "92efa67a", "name": "training", "commercial_type": "L40S-1-48G",
    "boot_type": "local", "volumes": {
        "0": {"boot": false, "volume_type": "sbs_volume", "id": "62b47f47", "state": "available"},
        "1": {"id": "0e0d2223", "volume_type": "scratch", "size": 1600000000000, "tags": []}},
    "tags": ["owner=alice"], "state": "running", "protected": false,
    "state_detail": "booting kernel",
    "public_ip": {"id": "0bb9110f", "dynamic": false, "family": "inet"},
    "public_ips": [{"id": "0bb9110f", "dynamic": false, "family": "inet"},
        {"id": "0d854b24", "dynamic": false, "family": "inet6"}],
    "creation_date": "2026-07-30T12:53:17.694881+00:00", "zone": "fr-par-2",
    "allowed_actions": ["poweroff", "terminate", "reboot", "stop_in_place", "backup"],
    "image": null, "location": null, "field_of_tomorrow": {"a": [1]}}"#;

#[test]
fn a_recorded_server_is_read_whole() {
    let machine = converted(L40S);
    let id = "scaleway/11111111-1111-4111-8111-000000000003/fr-par-2/92efa67a";
    assert_eq!(machine.id.to_string(), id);
    assert_eq!(machine.unreadable, [""; 0]);
    assert_eq!((machine.state, machine.meter), (State::Running, Meter::Running));
    assert_eq!(machine.created_at.value(), time("2026-07-30T12:53:17.694881Z").as_ref());
    assert!(matches!(machine.guards, Fact::Absent { .. }));
    assert_eq!(machine.local_storage.value(), Some(&LocalStorage { gb: Some(1600) }));
    assert_eq!(machine.stop.kind, StopKind::Deallocate);
    assert_eq!(machine.stop.loses, [Loss::LocalDisks, Loss::Capacity]);
    assert_eq!(machine.stop.objections, ["whether an autoscaling group owns it was not read"]);
}

#[test]
fn fl_055_volumes_and_flexible_addresses_stay_charged() {
    let attached = converted(L40S).attached;
    let ids: Vec<_> = attached.iter().map(|it| (it.kind, it.id.as_str())).collect();
    // The scratch volume is erased, and IPv6 is free.
    assert_eq!(ids, [("volume", "62b47f47"), ("address", "0bb9110f")]);
}

#[test]
fn fl_050_a_server_in_standby_is_billed_and_can_be_powered_off() {
    let standby = L40S.replace(r#""running""#, r#""stopped in place""#);
    let machine = converted(&standby);
    assert_eq!(machine.provider_state, "stopped in place");
    assert_eq!(machine.meter, Meter::StoppedBilled);
    assert_eq!(machine.stop.objections.len(), 1, "no more than that groups are unread");
}

#[test]
fn fl_087_odd_fields_spoil_themselves_alone() {
    let odd = r#"{"id": "a", "name": 7, "commercial_type": "L4-1-24G", "state": "running",
        "protected": "no", "tags": "none", "volumes": "", "public_ip": "", "public_ips": {},
        "creation_date": 0, "allowed_actions": 3, "boot_type": {}, "state_detail": []}"#;
    let machine = converted(odd);
    assert_eq!(machine.machine_type.as_str(), "L4-1-24G");
    assert_eq!(machine.meter, Meter::Running);
    assert_eq!(machine.unreadable.len(), 10, "{:?}", machine.unreadable);
    assert!(machine.name.gap().is_some() && machine.tags.gap().is_some());
    // What cannot be read never lets a stop look harmless.
    assert!(machine.guards.gap().is_some() && machine.local_storage.gap().is_some());
    assert_eq!(machine.stop.loses[0], Loss::LocalDisks);
    assert_eq!(machine.stop.objections.len(), 2);
}

#[test]
fn fl_088_null_and_missing_fields_are_unknown_and_not_false() {
    let machine = converted(r#"{"id": "a", "name": null, "tags": null, "state": "starting"}"#);
    assert_eq!(machine.unreadable, ["commercial_type is missing"]);
    assert!(matches!(machine.name, Fact::Absent { .. }));
    assert!(machine.tags.gap().is_some() && machine.guards.gap().is_some());
    assert!(machine.manager.gap().is_some() && machine.created_at.gap().is_some());
}

#[test]
fn fl_009_a_creation_date_that_makes_no_sense_is_unknown() {
    for date in ["0001-01-01T00:00:00Z", "2026-08-01T12:06:00Z", "yesterday", ""] {
        let machine = converted(&L40S.replace("2026-07-30T12:53:17.694881+00:00", date));
        let gap = machine.created_at.gap().map(|gap| gap.kind);
        assert_eq!(gap, Some(Ignorance::Unusable), "{date}");
        assert_eq!(machine.unreadable, ["creation_date makes no sense"]);
    }
}

#[test]
fn a_protected_server_is_guarded_against_both() {
    let machine = converted(&L40S.replace(r#""protected": false"#, r#""protected": true"#));
    assert_eq!(machine.guards.value(), Some(&vec![Guard::Stop, Guard::Terminate]));
}

#[test]
fn a_lent_address_is_lost_and_not_charged() {
    let machine = converted(&L40S.replace(r#""dynamic": false"#, r#""dynamic": true"#));
    assert!(machine.stop.loses.contains(&Loss::PublicAddress));
    assert!(machine.attached.iter().all(|it| it.kind != "address"));
}
