//! Who uses what, without a network.

use aws_sdk_ec2::types::{OperatorResponse, Tag, VolumeState};
use reaper_provider::ErrorKind;

use super::*;

fn read<T>(got: Vec<T>) -> Read<T> {
    Read { got, error: None }
}

fn denied() -> ProviderError {
    let permission = "ec2:DescribeVolumes".to_owned();
    ProviderError::answered(ErrorKind::Denied { permission }, "ec2:DescribeVolumes", "words")
}

fn now() -> DateTime<Utc> {
    "2026-11-30T12:00:00Z".parse().expect("a time")
}

fn snapshot(id: &str, volume: &str, day: i64) -> Snapshot {
    Snapshot::builder()
        .snapshot_id(id)
        .volume_id(volume)
        .state(SnapshotState::Completed)
        .start_time(RawTime::from_secs(day * 86_400))
        .build()
}

/// Who uses each snapshot, in words.
fn used(volumes: &Read<Volume>, images: &Read<Image>, snapshots: Vec<Snapshot>) -> Vec<String> {
    let snapshots = read(snapshots);
    let ties = Ties::new(volumes, &snapshots, images, Ok(BTreeMap::new()), now());
    let users = snapshots.got.iter().map(|one| words(ties.of_snapshot(one)));
    users.collect()
}

fn words(user: User) -> String {
    match user {
        User::Machine(id) => format!("machine {id}"),
        User::Other(what) => what,
        User::Nobody { of } => format!("nobody of {}", of.as_deref().unwrap_or("-")),
        User::Unknown(gap) => format!("unknown: {}", gap.why),
    }
}

#[test]
fn a_snapshot_is_left_when_its_volume_is_surely_gone_and_no_image_stands_on_it() {
    let volumes = read(vec![Volume::builder().volume_id("vol-here").build()]);
    let backup = snapshot("snap-5", "vol-gone", 1);
    let mut kept = backup.clone();
    kept.tags = Some(vec![Tag::builder().key(BACKUP).value("arn").build()]);
    let mut broken = backup.clone();
    broken.state = Some(SnapshotState::Error);
    let all = vec![
        snapshot("snap-1", "vol-here", 1),
        snapshot("snap-2", "vol-gone", 1),
        snapshot("snap-3", NO_VOLUME, 1),
        kept,
        broken,
    ];
    let said = used(&volumes, &read(vec![]), all.clone());
    assert_eq!(said[..2], ["volume vol-here", "nobody of vol-gone"]);
    assert!(said[2].starts_with("unknown: it is a copy"), "{}", said[2]);
    assert_eq!(said[3], "AWS Backup");
    assert_eq!(said[4], "unknown: EC2 calls its state `error`");

    let unread = Read { error: Some(denied()), ..volumes };
    let said = used(&unread, &read(vec![]), all);
    assert_eq!(said[0], "volume vol-here", "what was read holds");
    assert!(said[1].contains("permission ec2:DescribeVolumes is missing"), "{}", said[1]);
}

#[test]
fn without_the_images_no_snapshot_is_left() {
    let images = Read { got: vec![], error: Some(denied()) };
    let said = used(&read(vec![]), &images, vec![snapshot("snap-1", "vol-gone", 1)]);
    assert!(said[0].starts_with("unknown: "), "{}", said[0]);
}

#[test]
fn only_the_oldest_snapshot_of_a_volume_is_charged_whole() {
    let mut archive = snapshot("snap-0", "vol-1", 0);
    archive.storage_tier = Some(StorageTier::Archive);
    let all = read(vec![
        snapshot("snap-a", "vol-1", 3),
        snapshot("snap-b", "vol-1", 2),
        snapshot("snap-c", "vol-2", 9),
        snapshot("snap-d", NO_VOLUME, 1),
        snapshot("snap-e", NO_VOLUME, 2),
        archive,
    ]);
    let (volumes, images) = (read(vec![]), read(vec![]));
    let ties = Ties::new(&volumes, &all, &images, Ok(BTreeMap::new()), now());
    let follows: Vec<_> = all.got.iter().map(|one| ties.follows(one)).collect();
    assert_eq!(follows, [Some("snap-b"), None, None, None, None, None]);
}

#[test]
fn a_volume_that_a_service_runs_or_that_is_under_way_is_not_left() {
    let managed = OperatorResponse::builder().managed(true).principal("eks.amazonaws.com").build();
    let volume = |state: VolumeState| Volume::builder().volume_id("vol-1").state(state);
    let other = VolumeAttachment::builder().associated_resource("arn:aws:ecs:task").build();
    let left = VolumeAttachment::builder().state(VolumeAttachmentState::Detached).build();
    let mut imaged = snapshot("snap-1", "vol-1", 1);
    imaged.description = Some("Created by CreateImage(i-0abc) for ami-0def".to_owned());
    let (volumes, images, snapshots) = (read(vec![]), read(vec![]), read(vec![imaged]));
    let ties = Ties::new(&volumes, &snapshots, &images, Ok(BTreeMap::new()), now());
    for (volume, user) in [
        (volume(VolumeState::Available).operator(managed), "eks.amazonaws.com"),
        (volume(VolumeState::InUse).attachments(other), "arn:aws:ecs:task"),
        (volume(VolumeState::Creating), "unknown: EC2 calls its state `creating`"),
        (volume(VolumeState::InUse), "unknown: EC2 calls its state `in-use`"),
        (volume(VolumeState::Available).attachments(left), "nobody of i-0abc"),
    ] {
        assert_eq!(words(ties.of_volume(&volume.build())), user);
    }
}

#[test]
fn an_image_from_which_machines_run_or_were_just_launched_is_not_left() {
    let image = Image::builder()
        .image_id("ami-1")
        .state(aws_sdk_ec2::types::ImageState::Available)
        .source_instance_id("i-0abc");
    let (volumes, snapshots, images) = (read(vec![]), read(vec![]), read(vec![]));
    let launched = BTreeMap::from([("ami-1".to_owned(), "i-9".to_owned())]);
    let running = Ties::new(&volumes, &snapshots, &images, Ok(launched), now());
    let idle = Ties::new(&volumes, &snapshots, &images, Ok(BTreeMap::new()), now());
    let blind = Ties::new(&volumes, &snapshots, &images, Err(denied()), now());
    let plain = image.clone().build();
    assert_eq!(words(running.of_image(&plain, None)), "machine i-9");
    assert_eq!(words(idle.of_image(&plain, None)), "nobody of i-0abc");
    assert!(words(blind.of_image(&plain, None)).starts_with("unknown: "));
    let ago = |days| Some(now() - TimeDelta::days(days));
    assert_eq!(words(idle.of_image(&plain, ago(3))), "launches, the last on 2026-11-27");
    assert_eq!(words(idle.of_image(&plain, ago(90))), "nobody of i-0abc");
    assert_eq!(words(idle.of_image(&image.public(true).build(), None)), "everybody: it is public");
}

#[test]
fn an_address_is_used_by_whatever_it_leads_to() {
    let address = Address::builder().public_ip("198.51.100.4");
    for (address, user) in [
        (address.clone(), "nobody of -"),
        (address.clone().instance_id(""), "nobody of -"),
        (address.clone().instance_id("i-1").network_interface_id("eni-1"), "machine i-1"),
        (address.clone().network_interface_id("eni-1"), "network interface eni-1"),
        (address.clone().association_id("eipassoc-1"), "association eipassoc-1"),
        (address.clone().service_managed(ServiceManaged::Nlb), "a network load balancer"),
        (address.service_managed(ServiceManaged::from("new")), "new"),
    ] {
        assert_eq!(words(Ties::of_address(&address.build())), user);
    }
}
