//! Volumes, addresses, snapshots and images, read back as a client would.

use reaper_simcloud::aws::{LooseVolume, Quirk};
use reaper_simcloud::{SimCloud, World};

use crate::client::{ACCOUNT, EC2, KEY, Signer, call};
use crate::small_world::ec2;

/// A machine with a volume that goes with it and one that stays.
const MACHINE: &str = r#"
[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-1"
type = "g5.xlarge"
launched = "48h"
volumes = [{ id = "vol-data", tags = { owner = "alice" } },
           { id = "vol-root", delete_on_termination = true }]
"#;

fn world(more: &str) -> World {
    let account = format!("[[aws.account]]\nid = \"{ACCOUNT}\"\naccess_keys = [\"{KEY}\"]\n");
    World::from_toml(&format!("{account}{MACHINE}{more}")).expect("a valid world")
}

async fn cloud(more: &str) -> SimCloud {
    SimCloud::start(world(more)).await.expect("a free port")
}

/// Id and state of every volume.
async fn volumes(cloud: &SimCloud) -> Vec<(String, String)> {
    let answer = call(cloud.addr(), EC2, &ec2("DescribeVolumes")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // Within an attachment both stand once more.
    let mut ids = answer.texts("volumeId");
    ids.dedup();
    let states = answer.texts("status").into_iter().filter(|word| word != "attached");
    ids.into_iter().zip(states).collect()
}

fn said(volumes: &[(String, String)]) -> String {
    let words: Vec<String> = volumes.iter().map(|(id, state)| format!("{id} {state}")).collect();
    words.join(", ")
}

#[tokio::test]
async fn fl_055_what_does_not_go_with_a_machine_stays_when_it_has_ended() {
    for end in ["terminate", "remove"] {
        let cloud = cloud("").await;
        assert_eq!(said(&volumes(&cloud).await), "vol-data in-use, vol-root in-use");
        if end == "terminate" {
            call(cloud.addr(), EC2, &ec2("TerminateInstances&InstanceId.1=i-1")).await;
            for _ in 0..5 {
                call(cloud.addr(), EC2, &ec2("DescribeInstances&InstanceId.1=i-1")).await;
            }
            cloud.edit(|world| {
                let later = world.clock.now() + chrono::TimeDelta::hours(1);
                world.clock.set(later);
            });
        } else {
            cloud.edit(|world| assert!(world.remove("i-1")));
        }
        assert_eq!(said(&volumes(&cloud).await), "vol-data available", "{end}");
        let tagged = ec2("DescribeVolumes&Filter.1.Name=tag:owner&Filter.1.Value.1=alice");
        assert_eq!(call(cloud.addr(), EC2, &tagged).await.text("volumeId"), "vol-data", "{end}");
    }
}

#[tokio::test]
async fn a_stop_keeps_volumes_and_an_own_address_where_they_are() {
    let more = "state = \"stopped\"\n[[aws.address]]\naccount = \"111122223333\"\n\
                region = \"eu-west-1\"\nip = \"198.51.100.9\"\nmachine = \"i-1\"\n";
    let cloud = cloud(more).await;
    assert_eq!(said(&volumes(&cloud).await), "vol-data in-use, vol-root in-use");
    let machine = call(cloud.addr(), EC2, &ec2("DescribeInstances")).await;
    assert_eq!(machine.text("publicIp"), "198.51.100.9");
    assert_eq!(machine.text("ipOwnerId"), ACCOUNT);
    let address = call(cloud.addr(), EC2, &ec2("DescribeAddresses")).await;
    assert_eq!(address.text("instanceId"), "i-1");
    assert_eq!(address.text("networkInterfaceId"), "eni-1");
}

#[tokio::test]
async fn volumes_come_in_pages_with_all_oddities_and_each_account_sees_its_own() {
    let other = "[[aws.account]]\nid = \"444455556666\"\naccess_keys = [\"AKIAOTHER\"]\n";
    let mut world = world(other);
    for number in 0..9 {
        let volume =
            format!("account = \"111122223333\"\nregion = \"eu-west-1\"\nid = \"vol-{number}\"\n");
        let volume: LooseVolume = toml::from_str(&volume).expect("a volume");
        world.aws.add_volume(volume).expect("a new volume");
    }
    world.aws.add_quirk(Quirk { empty_pages: 1, ..Quirk::default() });
    let cloud = SimCloud::start(world).await.expect("a free port");
    let (mut sizes, mut token) = (Vec::new(), String::new());
    loop {
        let asked = ec2(&format!("DescribeVolumes&MaxResults=5{token}"));
        let page = call(cloud.addr(), EC2, &asked).await;
        sizes.push(page.texts("size").len());
        let Some(next) = page.texts("nextToken").first().cloned() else { break };
        token = format!("&NextToken={}", next.replace('|', "%7C"));
    }
    assert_eq!(sizes, [0, 5, 5, 1]);
    let theirs = Signer { key: "AKIAOTHER", ..EC2 };
    let empty = call(cloud.addr(), theirs, &ec2("DescribeVolumes")).await;
    assert!(empty.body.contains("<volumeSet/>"), "{}", empty.body);
}

#[test]
fn what_is_beside_machines_has_to_be_somewhere_and_once() {
    let text = |account: &str, region: &str, times: usize| {
        let one = format!(
            "[[aws.snapshot]]\naccount = \"{account}\"\nregion = \"{region}\"\nid = \"snap-1\"\n"
        );
        let own = format!("[[aws.account]]\nid = \"{ACCOUNT}\"\naccess_keys = [\"{KEY}\"]\n");
        World::from_toml(&format!("{own}{}", one.repeat(times))).map(drop)
    };
    assert!(text(ACCOUNT, "eu-west-1", 1).is_ok());
    for (account, region, times) in
        [("999999999999", "eu-west-1", 1), (ACCOUNT, "mars-1", 1), (ACCOUNT, "eu-west-1", 2)]
    {
        let error = text(account, region, times).expect_err("refused").to_string();
        assert!(error.contains("snap-1"), "{error}");
    }
}
