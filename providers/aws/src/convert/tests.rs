//! Tests of `convert`: states, times, tags and attachments of single machines.

use aws_sdk_ec2::types::builders::InstanceBuilder;
use aws_sdk_ec2::types::{
    EbsInstanceBlockDevice, InstanceBlockDeviceMapping, InstanceNetworkInterfaceAssociation,
    InstanceNetworkInterfaceAttachment, InstanceState, InstanceStateName, InstanceType,
};
use reaper_model::{Loss, Meter};

use super::*;

fn now() -> DateTime<Utc> {
    "2026-11-30T12:00:00Z".parse().expect("a time")
}

fn raw() -> InstanceBuilder {
    Raw::builder()
        .instance_id("i-0abc")
        .instance_type(InstanceType::from("p4d.24xlarge"))
        .launch_time(RawTime::from_secs(at("2026-11-01T10:00:00Z").timestamp()))
        .state(InstanceState::builder().name(InstanceStateName::Running).build())
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn converted(raw: &Raw) -> Instance {
    let source = Source::new("ec2:DescribeInstances");
    let place = Place {
        account: &ProviderAccount::new("111122223333"),
        location: &Location::new("eu-west-1"),
        source: &source,
        now: now(),
    };
    let hardware = Hardware {
        gpu: Fact::unknown(Ignorance::NotAsked, "not needed"),
        local: Fact::absent(&source),
    };
    let tags = Fact::known(tags(raw.tags()), &source, now());
    instance(raw, &place, hardware, tags)
}

fn with_state(word: &str, reason: &str) -> Instance {
    let state = InstanceState::builder().name(InstanceStateName::from(word)).build();
    converted(&raw().state(state).state_transition_reason(reason).build())
}

#[test]
fn the_identity_is_account_region_and_id() {
    let machine = converted(&raw().build());
    assert_eq!(machine.id.to_string(), "aws/111122223333/eu-west-1/i-0abc");
    assert_eq!(machine.running_since.value(), Some(&at("2026-11-01T10:00:00Z")));
}

#[test]
fn fl_009_a_launch_time_that_makes_no_sense_is_unknown() {
    let year_one = RawTime::from_secs(-62_135_596_800);
    let future = RawTime::from_secs(now().timestamp() + 3600);
    for launch in [Some(year_one), Some(future), None] {
        let machine = converted(&raw().set_launch_time(launch).build());
        assert!(machine.running_since.gap().is_some(), "{launch:?}");
        assert!(machine.created_at.gap().is_some(), "{launch:?}");
        assert_eq!(machine.unreadable, ["launch time"]);
    }
}

#[test]
fn fl_085_a_type_never_heard_of_is_kept_letter_for_letter() {
    let machine = converted(&raw().instance_type(InstanceType::from("p9x.192xlarge")).build());
    assert_eq!(machine.machine_type.as_str(), "p9x.192xlarge");
}

#[test]
fn fl_086_a_state_never_heard_of_is_kept_and_counts_as_billed() {
    let machine = with_state("HIBERNATING_DEEP", "");
    assert_eq!(machine.provider_state, "HIBERNATING_DEEP");
    assert_eq!((machine.state, machine.meter), (State::Unknown, Meter::Unknown));
    assert_eq!(machine.unreadable, ["state `HIBERNATING_DEEP`"]);
}

#[test]
fn a_stop_is_dated_by_its_reason_or_not_at_all() {
    let stopped = |reason| with_state("stopped", reason).stopped_at;
    let date = at("2026-10-04T14:13:33Z");
    assert_eq!(stopped("User initiated (2026-10-04 14:13:33 GMT)").value(), Some(&date));
    assert_eq!(stopped("User initiated (2026-10-04 14:13:33 UTC)").value(), Some(&date));
    for undated in ["User initiated", "", "Server.SpotInstanceShutdown: (no capacity)"] {
        assert!(stopped(undated).gap().is_some(), "{undated:?}");
    }
}

#[test]
fn fl_041_stopping_for_hours_is_not_known_to_be_free() {
    let stopping = |reason| with_state("stopping", reason);
    let stuck = stopping("User initiated (2026-11-01 10:59:00 GMT)");
    assert_eq!((stuck.state, stuck.meter), (State::Stopping, Meter::Unknown));
    let said = "stuck in `stopping` since 2026-11-01 10:59 UTC, may still be billed";
    assert!(stuck.stop.objections.contains(&said.to_owned()), "{:?}", stuck.stop.objections);
    for reason in ["User initiated (2026-11-30 11:30:00 GMT)", "User initiated", ""] {
        let usual = stopping(reason);
        assert_eq!(usual.meter, Meter::StoppedFree, "{reason:?}");
        assert!(usual.stop.objections.is_empty());
    }
    let stopped = with_state("stopped", "User initiated (2026-11-01 10:59:00 GMT)");
    assert_eq!(stopped.meter, Meter::StoppedFree, "it has arrived");
}

#[test]
fn the_first_launch_is_told_by_the_primary_network_interface() {
    let interface = |time| {
        let attachment = InstanceNetworkInterfaceAttachment::builder()
            .device_index(0)
            .attach_time(RawTime::from_secs(at(time).timestamp()))
            .build();
        InstanceNetworkInterface::builder().attachment(attachment).build()
    };
    let machine = converted(&raw().network_interfaces(interface("2026-02-03T04:05:06Z")).build());
    assert_eq!(machine.created_at.value(), Some(&at("2026-02-03T04:05:06Z")));
    let machine = converted(&raw().network_interfaces(interface("2026-11-01T10:00:02Z")).build());
    assert_eq!(machine.created_at, machine.running_since, "never later than the last start");
}

#[test]
fn an_automatic_address_is_lost_and_an_elastic_one_stays_charged() {
    let interface = |owner: &str, address: &str| {
        let association = InstanceNetworkInterfaceAssociation::builder()
            .ip_owner_id(owner)
            .public_ip(address)
            .build();
        InstanceNetworkInterface::builder().association(association).build()
    };
    let machine = converted(&raw().network_interfaces(interface("amazon", "192.0.2.1")).build());
    assert!(machine.stop.loses.contains(&Loss::PublicAddress));
    assert!(machine.attached.is_empty());
    let own = interface("111122223333", "192.0.2.2");
    let machine = converted(&raw().network_interfaces(own).build());
    assert!(!machine.stop.loses.contains(&Loss::PublicAddress));
    assert_eq!(machine.attached, [Attachment { kind: "address", id: "192.0.2.2".to_owned() }]);
}

#[test]
fn volumes_stay_charged_after_a_stop() {
    let ebs = EbsInstanceBlockDevice::builder().volume_id("vol-1").delete_on_termination(true);
    let mapping = InstanceBlockDeviceMapping::builder().ebs(ebs.build()).build();
    let machine = converted(&raw().block_device_mappings(mapping).build());
    assert_eq!(machine.attached, [Attachment { kind: "volume", id: "vol-1".to_owned() }]);
}

#[test]
fn a_root_on_a_local_disk_can_only_be_terminated() {
    let raw = raw().root_device_type("instance-store".into()).build();
    assert_eq!(converted(&raw).stop.kind, StopKind::Terminate);
}

#[test]
fn fl_029_a_machine_without_tags_is_no_problem() {
    let machine = converted(&raw().build());
    assert!(matches!(machine.name, Fact::Absent { .. }));
    assert!(lacks_tags(&raw().set_tags(None).build()));
    assert!(lacks_tags(&raw().set_tags(Some(Vec::new())).build()));
}
